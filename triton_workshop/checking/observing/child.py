"""Observes a script case by case, in its own process.

It judges nothing: another process compares what was observed with what is right, see `judging`.
"""

from __future__ import annotations

import inspect
import io
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from triton_simulator.branches import instrument
from triton_workshop.checking.observing.failure import failure_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.originals import Originals
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.own_errors import reraise_in_tests
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.processes.call import take_tasks
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

    Load = Callable[[Source], Launcher]


def prepare() -> None:
    """Put this process on the simulator, so that forks of it start fast.

    For that it imports what a script needs.
    """
    from triton_workshop.device import use_simulator
    from triton_workshop.simulation import simulate

    use_simulator()
    simulate()
    import triton.experimental.gluon  # Triton does this, which takes 0.1 s, when it first names an argument's type
    import triton.language  # noqa: F401  # what every kernel imports

    # What scripts and calls of them import, ahead of the fork.
    import triton_workshop.check_reminder
    import triton_workshop.tensors

    if hasattr(torch, "overrides"):  # not in a page
        import triton_workshop.checking.observing.torch_calls  # noqa: F401

    # Before anything is computed: a fork would wait for ever for OpenMP's threads, which it does not have.
    torch.set_num_threads(1)


def warm_up() -> None:
    """Do in advance what a process does only at its first launch.

    Call this only where nobody waits meanwhile.
    """
    from triton_workshop.checking.observing.warm_up import observe_launches  # which needs the simulator

    observe_launches()


def load(source: Source) -> Launcher:
    """Run a script as a module, and find its launcher.

    It is run as it was read, even if the file has been saved again since. Raises what the script raises.
    """
    name = "script_being_checked"
    module = ModuleType(name)
    sys.modules[name] = module
    _run(source.file, source.text, module)
    return launcher_of(module, source.exercise)


def run_as_main(file: Path, text: str, module: ModuleType) -> None:
    """Run a script's text as Python runs a file.

    Raises what the script raises.
    """
    sys.modules["__main__"] = module
    _run(file, text, module)


def _run(file: Path, text: str, module: ModuleType) -> None:
    """Run a text in a module, where Triton finds it."""
    module.__file__ = str(file)
    lines = io.StringIO(text).readlines()  # as Python counts lines; splitlines would find more
    # Without a time of modification, linecache believes it: Triton reads a kernel's source by it.
    linecache.cache[str(file)] = (len(text), None, lines, str(file))
    sys.argv = [str(file)]
    sys.path.insert(0, str(file.parent))
    # As Python itself would run it: without this module's `from __future__`.
    exec(compile(text, str(file), "exec", dont_inherit=True), module.__dict__)


def launcher_of(script: ModuleType, exercise: Exercise) -> Launcher:
    """Return the function to check.

    Raises AttributeError if a script that has run has none.
    """
    launcher = getattr(script, exercise.launcher, None)
    if not callable(launcher):
        raise AttributeError(f"the script defines no function {exercise.launcher}")
    function: Launcher = launcher
    return function


def wait_for_a_script(connection: Connection) -> None:
    """Get ready for a script, and then do the tasks that are requested.

    These are the functions below.
    """
    prepare()
    warm_up()
    take_tasks(connection)


def observe_script(connection: Connection, source: Source) -> None:
    """Load the script, and send an Observation for each case that is named.

    The names are messages, and None is the end. The first failure is the last Observation.
    """
    prepare()
    confine_signals()
    pid = os.getpid()
    try:
        for observation in observations_of(source, _receive_names(connection)):
            if os.getpid() != pid:  # a fork that the script has let go on
                os._exit(0)
            connection.send(observation)
            if observation.failure is not None:
                return
    except Exception as error:  # nothing works any more in here, not even to say so
        reraise_in_tests(error)
        os._exit(1)


def _receive_names(connection: Connection) -> Iterator[str]:
    while isinstance(name := connection.receive(), str):
        yield name


def observations_of(source: Source, names: Iterable[str], load: Load = load) -> Iterator[Observation]:
    """Load a script on the simulator, and observe it on the named cases."""
    observer = observer_of(source, load)
    if isinstance(observer, Observation):
        yield observer
        return
    for name in names:
        case = source.exercise.find_case(name)
        yield observer.observe(case.arguments("cpu"), case.integer_bits)


def observer_of(
    source: Source, load: Load = load, *, simulated: bool = True, compiled: bool = True
) -> Observer | Observation:
    """Load a script, to observe calls of its launcher.

    If it cannot be loaded, return an Observation of the failure.
    """
    try:
        # Before the script runs, as it may replace functions while it is loaded.
        originals = None if source.replaces_nothing else Originals()
        launcher = load(source)
        if source.has_branches:
            instrument(getattr(inspect.unwrap(launcher), "__globals__", {}), source.text, str(source.file))
        return Observer(launcher, source.file, simulated=simulated, compiled=compiled, originals=originals)
    # Not only an Exception: a script may call `sys.exit`.
    except BaseException as error:
        return Observation(failure=replace(failure_of(error, source.file), loading=True))
