"""What runs in the process of a learner's script: it observes case by case, and judges nothing.

What is right is known only to whoever has started it: see `passes`.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import torch

from triton_workshop.checking.exercise import Case, Exercise
from triton_workshop.checking.integrity import Integrity
from triton_workshop.checking.observe import Observation, Observer, failure_of
from triton_workshop.checking.repair import NAME, Culprit, find_culprit
from triton_workshop.checking.source import Source
from triton_workshop.checking.tolerance import tolerance
from triton_workshop.processes.wire import Connection


def prepare() -> None:
    """Put this process on the simulator, and import what a script needs, so that forks of it start at once."""
    from triton_workshop.device import use_simulator
    from triton_workshop.import_order import check_triton_mode
    from triton_workshop.simulator import install

    use_simulator()
    check_triton_mode()
    install()
    import triton.language  # noqa: F401  # what every kernel imports

    # Before anything is computed: a fork hangs where it waits for OpenMP's threads, which did not come along.
    torch.set_num_threads(1)


def observe_script(connection: Connection, exercise: Exercise, source: Source, names: tuple[str, ...]) -> None:
    """Load the script, call its launcher on these cases, and send an Observation of each, until something stops it."""
    prepare()
    integrity = Integrity()
    for seen in _observations(exercise, source, names):
        tampered = integrity.broken()
        connection.send(replace(seen, tampered=tampered))
        if tampered or seen.failure is not None:
            return


def _observations(exercise: Exercise, source: Source, names: tuple[str, ...]) -> Iterator[Observation]:
    try:
        launcher = load(source, exercise.launcher)
    except BaseException as error:
        yield Observation(failure=failure_of(error, source.file), loading=True)
        return
    observer = Observer(launcher, source.file, simulated=True)
    for name in names:
        yield observer.observe(exercise.case_named(name).arguments("cpu"))


def send_culprit(connection: Connection, exercise: Exercise, source: Source, name: str) -> None:
    """Send where the mistake is by which the case of this name fails."""
    prepare()
    connection.send(culprit_of(exercise, source, exercise.case_named(name)))


def culprit_of(exercise: Exercise, source: Source, case: Case) -> Culprit | None:
    """Where the mistake is by which this case fails, with what the script prints thrown away."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return find_culprit(
            exercise,
            source,
            lambda text: _is_right(exercise, case, text),
            lambda text: all(_is_right(exercise, each, text) for each in exercise.cases),
        )


def _is_right(exercise: Exercise, case: Case, text: str) -> bool:
    """Whether a script of this text passes a case on the simulator."""
    source = Source(Path(NAME), text, exercise.kernel, exercise.launcher)
    try:
        launcher = load(source, exercise.launcher)
    except BaseException:
        return False
    arguments = case.arguments("cpu")
    seen = Observer(launcher, source.file, simulated=True).observe(arguments)
    if seen.failure is not None or seen.changed_inputs or any(launch.faults for launch in seen.launches):
        return False
    expected = exercise.reference(*(argument.double() for argument in arguments))
    if seen.output is None or seen.output.shape != expected.shape or seen.output.dtype != arguments[0].dtype:
        return False
    return bool(((seen.output.double() - expected).abs() <= tolerance(exercise, arguments)).all())


def load(source: Source, launcher: str) -> Callable[..., torch.Tensor]:
    """Run a script as a module, and find its launcher.

    It is run as it was read, also if the file has been saved again by now. Raises what the script raises.
    """
    name = "script_being_checked"
    module = ModuleType(name)
    module.__file__ = str(source.file)
    lines = io.StringIO(source.text).readlines()  # as Python counts them, where splitlines would see more
    # Without a time of modification, linecache believes it: Triton reads a kernel's source by it.
    linecache.cache[str(source.file)] = (len(source.text), None, lines, str(source.file))
    sys.modules[name] = module
    sys.argv = [str(source.file)]
    sys.path.insert(0, str(source.file.parent))
    # As Python itself runs it: without the `from __future__` of this module.
    exec(compile(source.text, str(source.file), "exec", dont_inherit=True), module.__dict__)
    function = getattr(module, launcher, None)
    if not callable(function):
        raise AttributeError(f"the script defines no function {launcher}")
    found: Callable[..., torch.Tensor] = function
    return found
