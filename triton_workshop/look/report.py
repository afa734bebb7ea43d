"""Launches as plain text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from triton_simulator.lines import KernelLine
from triton_simulator.steps.steps import ProgramStep, ProgramValue
from triton_simulator.steps.text import program_text, value_text
from triton_workshop.look.coverage import describe_stores
from triton_workshop.look.recording import RecordedLaunch, Recording
from triton_workshop.look.timeline import Position, numbers_text


def plain_text(position: Position) -> str:
    """Return what one program of a launch did, line by line."""
    launch, program = position.track.launch, position.track.program
    case = f", {position.recording.case}" if position.recording.case else ""
    sites = [(KernelLine(*fault.at), fault.index) for fault in launch.faults if fault.program == program]
    heading = f"{launch.kernel}{case}: program {numbers_text(launch.ids(program))}, grid {numbers_text(launch.grid)}"
    steps = program_text(launch.steps_of(program), position.recording.sources, sites)
    text = "\n".join(filter(None, [heading, steps, launch.steps.omitted]))
    faults = [fault.sentence for fault in launch.faults]
    sentences = faults or describe_stores(launch)
    return "\n".join([text, *sentences, *_others(position.recording, position.launch)])


def _others(recording: Recording, shown: int) -> Iterator[str]:
    names = list(dict.fromkeys(launch.kernel for launch in recording.launches))
    if len(recording.launches) > 1:
        number = f"launch {shown + 1} of {len(recording.launches)}"
        yield f"This is {number}: {', '.join(names)}; --launch 2 or --kernel NAME shows another."


def as_plain_data(position: Position) -> dict[str, object]:
    """Return one program's steps as data that JSON can express."""
    launch = position.track.launch
    return {
        "kernel": launch.kernel,
        "launch": position.launch + 1,
        "launches": len(position.recording.launches),
        "case": position.recording.case,
        "grid": launch.grid,
        "program": launch.ids(position.track.program),
        "steps": [_step_data(step) for step in launch.steps_of(position.track.program)],
        "faults": [_fault_data(launch, number) for number in range(len(launch.faults))],
        "omitted": launch.steps.omitted,
        "failure": position.recording.failure,
    }


def _fault_data(launch: RecordedLaunch, number: int) -> dict[str, object]:
    fault = launch.faults[number]
    return {"program": launch.ids(fault.program), "file": fault.file, "line": fault.line, "message": fault.message}


def _step_data(step: ProgramStep) -> dict[str, object]:
    at = step.step
    return {
        "file": at.line.file,
        "line": at.line.number,
        "function": at.function,
        "iteration": at.iteration,
        "name": at.name,
        "operation": at.operation,
        "value": _value_data(step.value),
        "pointer": step.pointer and _value_data(step.pointer),
        "mask": step.mask and _value_data(step.mask),
        "operand": step.operand and _value_data(step.operand),
    }


MAX_NUMBERS = 4096
"""Numbers of a block that are printed; of a larger one, the text says what it is like."""


def _value_data(value: ProgramValue) -> dict[str, object]:
    data: dict[str, object] = {"dtype": value.dtype, "shape": value.shape, "text": value_text(value)}
    if value.argument:
        data["argument"] = value.argument
    is_printable = value.numbers.dtype != object and value.numbers.size <= MAX_NUMBERS
    if is_printable:
        data["numbers"] = _finite(value.numbers.tolist())
    if value.undefined is not None:
        data["undefined"] = np.flatnonzero(value.undefined).tolist()
    return data


def _finite(numbers: object) -> object:
    """Return numbers with NaN and infinity by their names, for JSON."""
    if isinstance(numbers, list):
        return [_finite(number) for number in numbers]
    if not isinstance(numbers, float):
        return numbers
    return numbers if math.isfinite(numbers) else str(numbers)
