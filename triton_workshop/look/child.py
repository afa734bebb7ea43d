"""Runs a script and records its launches. Needs torch."""

from __future__ import annotations

import io
import itertools
import linecache
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import torch

from triton_simulator import Launch, StepOptions, record
from triton_simulator.lines import error_line
from triton_simulator.steps.steps import Steps, StepValue
from triton_simulator.steps.text import object_text
from triton_simulator.values import int32
from triton_workshop.checking.observing.child import load, prepare, run_as_main
from triton_workshop.checking.observing.failure import failure_of
from triton_workshop.checking.observing.provenance import unwrap_descriptor
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case, launcher_args
from triton_workshop.exercises.grids import case_with_several_programs
from triton_workshop.look.recording import Argument, ForeignObject, LaunchFault, RecordedLaunch, Recording, Request
from triton_workshop.look.unfinished import OwnLines, variants_of
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection
from triton_workshop.slide_environment import name_of_line, numbering


@dataclass(frozen=True)
class Limits:
    """What a script may take until its recording ends."""

    max_bytes: int = 64 * 2**20
    """Bytes of all steps. To send them to another process takes a tenth of a second."""
    time: Callable[[Path], AbstractContextManager[object]] = nullcontext
    """Limits the time of a file's code. Its error ends the script only."""
    stops: tuple[type[BaseException], ...] = ()
    """Errors after which nobody wants the recording. They are none of the script's, and go on."""


DEFAULT_LIMITS = Limits()


def send_recording(connection: Connection, request: Request) -> None:
    """Run a script, and send its launches with their steps."""
    os.environ.update(numbering(request.file, request.numbers) if request.numbers else {})
    prepare()
    confine_signals()
    connection.send(record_launches(request))


def record_launches(request: Request, limits: Limits = DEFAULT_LIMITS) -> Recording:
    """Run a script in this process, and return its launches.

    Of a script with open TODOs, they are those of its own lines, as far as they go.
    """
    case = _find_case(request)
    if case is None:
        return _record(request, None, limits)
    script = Source(request.file, request.text, EXERCISES[request.exercise])
    variants = variants_of(script)
    for variant in variants:
        # A name of its own: Triton finds a kernel's source by its file, and the script's is another text.
        file = request.file.with_name(f"completed-{request.file.name}")
        original = OwnLines(script, replace(variant, source=replace(variant.source, file=file)))
        recording = _record(replace(request, file=file, text=variant.source.text), case, limits)
        is_final = not recording.failure or variant is variants[-1]
        if is_final:
            sources = {**recording.sources, str(script.file): tuple(io.StringIO(script.text).readlines())}
            sources.pop(str(file), None)
            # It stops where a TODO is open, which is no failure.
            return Recording(case.name, tuple(map(original.launch, recording.launches)), sources)
    return _record(request, case, limits)


def _record(request: Request, case: Case | None, limits: Limits) -> Recording:
    failure = ""
    numbers = None if request.launch is None else (request.launch,)
    options = StepOptions(programs=request.programs, max_bytes=limits.max_bytes, launches=numbers)
    with record(steps=options, strict_views=case is not None) as launches:
        try:
            with limits.time(request.file):
                _run(request, case)
        except limits.stops:
            raise
        except BaseException as error:  # also SystemExit: a script may end itself
            if not _is_success(error):
                failed = failure_of(error, request.file)
                failure = f"{_location_of(error, request, failed.line)}{failed.type}: {failed.message}"
    recorded = tuple(_to_recorded(launch, request.programs) for launch in launches)
    steps = itertools.chain.from_iterable(launch.steps.all for launch in recorded)
    files = {step.line.file for step in steps}
    # Taken here, as only this process has the text that ran: the file may have another one by now.
    sources = {file: tuple(linecache.getlines(file)) for file in sorted(files)}
    return Recording(case.name if case else "", recorded, sources, failure)


def _is_success(error: BaseException) -> bool:
    return isinstance(error, SystemExit) and error.code in (None, 0)


def _location_of(error: BaseException, request: Request, line: int | None) -> str:
    """Return the line at which an error was raised.

    It is the kernel's, with its file if that is not the script; or else the script's own.
    """
    kernel = error_line(error)
    file, number = (kernel.file, kernel.number) if kernel else (str(request.file), line)
    if number is None:
        return ""
    name = name_of_line(file, number)
    return f"{name}: " if file == str(request.file) else f"{Path(file).name}, {name}: "


def _find_case(request: Request) -> Case | None:
    """Return the case of an exercise; None for another script.

    It is the one that the checker takes where memory is short.
    """
    if not request.exercise:
        return None
    exercise = EXERCISES[request.exercise]
    case = exercise.find_case(request.case) if request.case else case_with_several_programs(exercise)
    return case.scaled_down or case


def _run(request: Request, case: Case | None) -> None:
    if case is None:
        os.chdir(request.folder)
        run_as_main(request.file, request.text, ModuleType("__main__"))
        return
    launcher = load(Source(request.file, request.text, EXERCISES[request.exercise]))
    with int32.narrow_to(case.integer_bits):
        launcher(*launcher_args(case.arguments("cpu")))


def _to_recorded(launch: Launch, chosen: tuple[int, ...] | None) -> RecordedLaunch:
    """Return a launch as plain data."""
    tensors = {name: unwrap_descriptor(value) for name, value in launch.arguments.items()}
    arguments = {
        name: Argument(tuple(tensor.shape), tuple(tensor.stride()))
        for name, tensor in tensors.items()
        if isinstance(tensor, torch.Tensor)
    }
    faults = tuple(
        LaunchFault(
            _number(fault.program, launch.grid), fault.line.file, fault.line.number, fault.description, fault.index
        )
        for fault in launch.faults
    )
    steps = launch.steps or Steps(())
    sendable = tuple(replace(step, value=_to_sendable(step.value)) for step in steps.all)
    return RecordedLaunch(launch.kernel, launch.grid, replace(steps, all=sendable), arguments, faults, chosen)


def _number(program: tuple[int, ...], grid: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(program[: len(grid)], grid))


def _to_sendable(value: StepValue) -> StepValue:
    """Return a value that can be sent.

    Of anything but numbers it is only the text, as a function has no meaning elsewhere.
    """
    if value.data.dtype != object:
        return value
    if value.parts:
        return replace(value, parts=tuple((name, _to_sendable(member)) for name, member in value.parts))
    data = np.empty(1, object)
    data[0] = ForeignObject(object_text(value.data[0]))
    return replace(value, data=data)
