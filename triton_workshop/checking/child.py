"""The process that runs a learner's script: it observes case by case, and judges nothing.

What is right is known to its parent only. It is forked from a process that has imported torch and Triton, or started
anew: `python -m triton_workshop.checking.child NUMBER FILE`.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import torch

from triton_workshop.checking.exercise import Case, Exercise
from triton_workshop.checking.integrity import Integrity
from triton_workshop.checking.observe import Failure, Observation, Observer, failure_of
from triton_workshop.checking.repair import GRACE, LIMIT, NAME, Culprit, find_culprit
from triton_workshop.checking.source import Source
from triton_workshop.checking.tolerance import tolerance
from triton_workshop.checking.watchdog import watchdog


class Channel:
    """Carries observations to the parent, each with its length before it; a length of 0 says that it was the last."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def send(self, what: object) -> None:
        self._write(pickle.dumps(what, pickle.HIGHEST_PROTOCOL))

    def done(self) -> None:
        self._write(b"")

    def _write(self, data: bytes) -> None:
        with self._lock:
            self._pipe.write(len(data).to_bytes(8, "little") + data)
            self._pipe.flush()


def observe_script(
    exercise: Exercise, source: Source, cases: tuple[Case, ...], channel: Channel, *, limit: float
) -> None:
    """Load the script and call its launcher on these cases, on the simulator, until something stops it."""
    torch.set_num_threads(1)  # OpenMP's threads did not come along when this process was forked
    integrity = Integrity()

    def last_words(line: int | None) -> None:
        channel.send(Observation(timed_out=True, failure=Failure("Timeout", "", line)))

    with watchdog(limit, source.file, last_words):
        for seen in _observations(exercise, source, cases):
            tampered = integrity.broken()
            channel.send(replace(seen, tampered=tampered))
            if tampered or seen.failure is not None:
                break
    channel.done()


def _observations(exercise: Exercise, source: Source, cases: tuple[Case, ...]) -> Iterator[Observation]:
    try:
        launcher = load(source, exercise.launcher)
    except BaseException as error:
        yield Observation(failure=failure_of(error, source.file), loading=True)
        return
    observer = Observer(launcher, source.file, simulated=True)
    for case in cases:
        yield observer.observe(case.arguments("cpu"))


def send_culprit(exercise: Exercise, source: Source, case: Case, channel: Channel) -> None:
    """Tell where the mistake is by which this case fails."""
    torch.set_num_threads(1)
    with watchdog(LIMIT + GRACE, Path(NAME), lambda line: channel.done()):
        channel.send(culprit_of(exercise, source, case))
    channel.done()


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


def started_with() -> tuple[Exercise, Source, Channel, float]:
    """What a process that `processes.Started` has started is to work on: arguments NUMBER FILE LIMIT.

    Reports go where standard output was, and what the script prints goes to standard error.
    """
    from triton_workshop.checking.exercises import EXERCISES

    exercise = EXERCISES[int(sys.argv[1])]
    source = Source.read(Path(sys.argv[2]), exercise.kernel, exercise.launcher)
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return exercise, source, Channel(pipe), float(sys.argv[3])


def main() -> None:
    """A new process: its fourth argument is `cuda` for the full-size cases, or the case whose mistake is sought."""
    from triton_workshop.device import use_simulator
    from triton_workshop.simulator import install

    mode = sys.argv[4:]
    exercise, source, channel, limit = started_with()
    if mode == ["cuda"]:
        from triton_workshop.checking.full_size import judge_on_the_gpu

        judge_on_the_gpu(exercise, source, channel, limit)
        return
    use_simulator()
    install()
    if mode:
        send_culprit(exercise, source, exercise.case_named(*mode), channel)
        return
    observe_script(exercise, source, exercise.cases, channel, limit=limit)


if __name__ == "__main__":
    main()
