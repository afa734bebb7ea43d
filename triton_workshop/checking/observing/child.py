"""Runs in the process of a learner's script: it observes case by case, and judges nothing.

Only the process that started it knows what is right: see `passes`.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from triton_workshop.checking.exercises.exercise import Case, Exercise, result_dtype
from triton_workshop.checking.observing.comparison import compare
from triton_workshop.checking.observing.observe import Observation, Observer, Provenance, failure_of
from triton_workshop.checking.observing.recognise import Diagnosis, diagnose
from triton_workshop.checking.observing.repair import LIMIT, NAME, find_culprit
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.observing.tile_sizes import OtherSize, other_size_of
from triton_workshop.processes.call import take_tasks
from triton_workshop.processes.confinement import keep_signals_inside
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_workshop.checking.exercises.exercise import Launcher

    Load = Callable[[Source], Launcher]


def prepare() -> None:
    """Put this process on the simulator, and import what a script needs, so that forks of it start at once."""
    from triton_workshop.device import use_simulator
    from triton_workshop.import_order import check_triton_mode
    from triton_workshop.simulator import install

    use_simulator()
    check_triton_mode()
    install()
    import triton.experimental.gluon  # Triton does this, which takes 0.1 s, when it first names an argument's type
    import triton.language  # noqa: F401  # what every kernel imports

    # Before anything is computed: a fork would wait for ever for OpenMP's threads, which it does not have.
    torch.set_num_threads(1)


def load(source: Source) -> Launcher:
    """Run a script as a module, and find its launcher.

    It is run as it was read, even if the file has been saved again since. Raises what the script raises.
    """
    name = "script_being_checked"
    module = ModuleType(name)
    module.__file__ = str(source.file)
    lines = io.StringIO(source.text).readlines()  # as Python counts lines; splitlines would find more
    # Without a time of modification, linecache believes it: Triton reads a kernel's source by it.
    linecache.cache[str(source.file)] = (len(source.text), None, lines, str(source.file))
    sys.modules[name] = module
    sys.argv = [str(source.file)]
    sys.path.insert(0, str(source.file.parent))
    # As Python itself would run it: without this module's `from __future__`.
    exec(compile(source.text, str(source.file), "exec", dont_inherit=True), module.__dict__)
    return launcher_of(module, source.exercise)


def launcher_of(script: ModuleType, exercise: Exercise) -> Launcher:
    """The function to check. Raises AttributeError if a script that has run has none."""
    launcher = getattr(script, exercise.launcher, None)
    if not callable(launcher):
        raise AttributeError(f"the script defines no function {exercise.launcher}")
    found: Launcher = launcher
    return found


def wait_for_a_script(connection: Connection) -> None:
    """Get ready for a script, then do with it what is asked: the functions below."""
    prepare()
    take_tasks(connection)


def observe_script(connection: Connection, source: Source) -> None:
    """Load the script, call its launcher on each case that is named, and send an Observation, until something stops it.

    The names are messages, and None is the end.
    """
    prepare()
    keep_signals_inside()
    for seen in observations_of(source, _named(connection)):
        connection.send(seen)
        if seen.failure is not None:
            return


def _named(connection: Connection) -> Iterator[str]:
    while isinstance(name := connection.receive(), str):
        yield name


def observations_of(source: Source, names: Iterable[str], load: Load = load) -> Iterator[Observation]:
    """Load a script on the simulator, and call its launcher on the cases of these names."""
    observer = observer_of(source, load)
    if isinstance(observer, Observation):
        yield observer
        return
    for name in names:
        yield observer.observe(source.exercise.case_named(name).arguments("cpu"))


def observer_of(source: Source, load: Load = load, *, simulated: bool = True) -> Observer | Observation:
    """Load a script, to observe calls of its launcher; an Observation of the failure if it cannot be loaded."""
    try:
        return Observer(load(source), source.file, simulated=simulated)
    except BaseException as error:
        return Observation(failure=failure_of(error, source.file), loading=True)


def send_diagnosis(connection: Connection, source: Source, name: str) -> None:
    """Send which mistake makes the case of this name fail, and where it is."""
    prepare()
    keep_signals_inside()
    with _silent():
        diagnosis = diagnosis_of(source, source.exercise.case_named(name))
    connection.send(diagnosis)


def send_other_size(connection: Connection, source: Source) -> None:
    """Send a tile size that a right script depends on, or None."""
    prepare()
    keep_signals_inside()
    with _silent():
        found = other_size(source)
    connection.send(found)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Throw away what is printed past Python, too."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a device)
        kept = [(number, os.dup(number)) for number in (1, 2)]
        for number, _ in kept:
            os.dup2(nowhere.fileno(), number)
    try:
        yield
    finally:
        for number, file in kept:
            os.dup2(file, number)
            os.close(file)


def diagnosis_of(source: Source, case: Case) -> Diagnosis:
    """Find which mistake makes this case fail, and where it is. What the script prints is thrown away."""
    tries = _Tries(source.exercise)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if tries.right(source.text, case):
            return Diagnosis(remembers=True)
        seen = tries.observe(source.text, case)
        if seen is None or seen.provenance in (Provenance.NO_LAUNCH, Provenance.CHANGED, Provenance.ELSEWHERE):
            return Diagnosis()
        culprit = find_culprit(
            source,
            lambda text: tries.right(text, case),
            lambda text: all(tries.right(text, each) for each in source.exercise.largest_cases),
        )
        # An error message with an explanation needs no search: no edit says more.
        return Diagnosis(culprit) if seen.failure else diagnose(source, case, culprit, tries.observe)


def other_size(source: Source) -> OtherSize | None:
    """Find a tile size that a right script depends on. What the script prints is thrown away."""
    tries = _Tries(source.exercise)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return other_size_of(source, source.exercise.largest_cases, tries.observe, tries.right)


class _Tries:
    """Runs variants of a script on the simulator, until the time is up."""

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise
        self._observers: dict[str, Observer | Observation] = {}
        self._seen: dict[tuple[str, str], Observation] = {}
        # Processor time: on a busy machine a hint may come later, but it says as much.
        self._end = time.process_time() + LIMIT

    def observe(self, text: str, case: Case) -> Observation | None:
        """Observe what a script with this text does in a case; None when the time is up."""
        key = text, case.name
        if key not in self._seen:
            if time.process_time() > self._end:
                return None
            self._seen[key] = self._observe(text, case)
        return self._seen[key]

    def right(self, text: str, case: Case) -> bool:
        """Whether it passes the case; false when the time is up."""
        seen = self.observe(text, case)
        return seen is not None and _is_right(self._exercise, case, seen)

    def _observe(self, text: str, case: Case) -> Observation:
        if text not in self._observers:
            # Each has its own name, because Triton finds a kernel's source by its file.
            file = Path(f"{len(self._observers)}-{NAME}").resolve()
            self._observers[text] = observer_of(Source(file, text, self._exercise))
        observer = self._observers[text]
        return observer if isinstance(observer, Observation) else observer.observe(case.arguments("cpu"))


def _is_right(exercise: Exercise, case: Case, seen: Observation) -> bool:
    arguments = case.arguments("cpu")
    if seen.provenance not in (Provenance.KERNEL, Provenance.COPY) or seen.changed_inputs or seen.faults:
        return False
    assert seen.output is not None, "a kernel has stored it"
    return seen.output.dtype == result_dtype(arguments) and compare(exercise, arguments, seen).right
