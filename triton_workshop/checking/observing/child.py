"""Runs in the process of a learner's script: it observes case by case, and judges nothing.

Another process compares what was seen with what is right: see `passes`.
"""

from __future__ import annotations

import inspect
import io
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from triton_simulator.branches import instrument
from triton_workshop.checking.observing.failure import failure_of
from triton_workshop.checking.observing.observe import Observation, Observer
from triton_workshop.checking.observing.originals import Originals
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.own_errors import let_tests_see
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.processes.call import take_tasks
from triton_workshop.processes.signal_scope import keep_signals_inside
from triton_workshop.processes.wire import Connection

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher

    Load = Callable[[Source], Launcher]


def prepare() -> None:
    """Put this process on the simulator, and import what a script needs, so that forks of it start at once."""
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
    """Do in advance what a process does only at its first launch. Only where nobody waits meanwhile."""
    from triton_workshop.checking.observing.warm_up import observe_launches  # which needs the simulator

    observe_launches()


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
    warm_up()
    take_tasks(connection)


def observe_script(connection: Connection, source: Source) -> None:
    """Load the script, call its launcher on each case that is named, and send an Observation, until something stops it.

    The names are messages, and None is the end.
    """
    prepare()
    keep_signals_inside()
    own = os.getpid()
    try:
        for seen in observations_of(source, _named(connection)):
            if os.getpid() != own:  # a fork that the script has let go on
                os._exit(0)
            connection.send(seen)
            if seen.failure is not None:
                return
    except Exception as error:  # nothing works any more in here, not even to say so
        let_tests_see(error)
        os._exit(1)


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
        case = source.exercise.find_case(name)
        yield observer.observe(case.arguments("cpu"), case.integer_bits)


def observer_of(
    source: Source, load: Load = load, *, simulated: bool = True, compiled: bool = True
) -> Observer | Observation:
    """Load a script, to observe calls of its launcher; an Observation of the failure if it cannot be loaded."""
    try:
        originals = None if source.replaces_nothing else Originals()
        launcher = load(source)
        if source.has_branches:
            instrument(getattr(inspect.unwrap(launcher), "__globals__", {}), source.text, str(source.file))
        return Observer(launcher, source.file, simulated=simulated, compiled=compiled, originals=originals)
    except BaseException as error:
        return Observation(failure=failure_of(error, source.file), loading=True)
