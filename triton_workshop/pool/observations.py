"""Observations as messages of a sandbox.

A script may have changed everything where they are written, so whoever reads them believes nothing: a message has so
many entries at most, of these types, and the bytes of a result are copied once, then looked at. What only the sandbox
can know (whether inputs have changed, and what the simulator has recorded) is a claim. A script that lies about it
gets away with an input of its own that it has changed; the numbers of its result it cannot lie about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch

from triton_simulator.lines import KernelLine
from triton_workshop.checking.judging.verdict import FindingKind
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Launched, Observation, Output
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.pool.arena import DTYPES, Arena, Placed, end_of

if TYPE_CHECKING:
    from triton_simulator import Fault

MAX_CHARACTERS = 20_000
MAX_ENTRIES = 16
"""Entries of a list: dimensions, launches, faults, numbers of a launch."""
MAX_ELEMENTS = 2**40
UNKNOWN_FILE = "<another file>"


@dataclass(frozen=True)
class ReportedFault:
    """A fault as a sandbox reports it: a `Fault` with its words."""

    kind: str
    line: KernelLine
    summary: str
    advice: str
    argument: str | None
    outside: int
    elements: int
    program: tuple[int, ...]
    peer: tuple[int, ...] | None
    earlier: KernelLine | None
    load: KernelLine | None
    loaded: str | None
    wrapped: bool


def write_observation(observation: Observation, arena: Arena, start: int) -> dict[str, Any]:
    """Return an observation as plain data.

    Its result goes into the arena, from this offset, if there is room.
    """
    output = observation.output
    return {
        "output": None if output is None else _write_output(output, arena, start),
        "output_type": observation.output_type,
        "launches": [_write_launch(launch) for launch in observation.launches[-MAX_ENTRIES:]],
        "changed_inputs": observation.changed_inputs,
        "stored_outside": observation.stored_outside,
        "failure": None if observation.failure is None else vars(observation.failure),
        "unreachable": observation.unreachable[:MAX_ENTRIES],
    }


def _write_output(output: Output, arena: Arena, start: int) -> dict[str, Any]:
    values = output.values
    dtype = str(values.dtype).removeprefix("torch.")
    there = placed_result(dtype, tuple(values.shape), start)
    fields = {"dtype": dtype, "shape": there.shape, "provenance": output.provenance.name, "unwritten": False}
    fields |= {"computed": output.computed, "changes_earlier": output.changes_earlier}
    fits = dtype in DTYPES and end_of([there]) <= arena.size
    if not fits:
        return fields
    arena.view(there).copy_(values)
    mask = placed_mask(there)
    if output.unwritten is not None and end_of([mask]) <= arena.size:
        arena.view(mask).copy_(output.unwritten.reshape(values.shape))
        fields["unwritten"] = True
    return fields


def placed_result(dtype: str, shape: tuple[int, ...], start: int) -> Placed:
    """Return the place of a result, without gaps."""
    steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return Placed(dtype if dtype in DTYPES else "float64", shape, tuple(steps), start)


def placed_mask(result: Placed) -> Placed:
    """Return the place of the mask of what was never written."""
    return Placed("bool", result.shape, result.stride, end_of([result]))


def _write_launch(launch: Launched) -> dict[str, Any]:
    return {
        "kernel": launch.kernel,
        "grid": launch.grid,
        "numbers": dict(list(launch.numbers.items())[:MAX_ENTRIES]),
        "stored_again": launch.stored_again,
        "faults": [_write_fault(fault) for fault in launch.faults[:MAX_ENTRIES]],
        "undefined": [_write_fault(fault) for fault in launch.undefined[:MAX_ENTRIES]],
    }


def _write_fault(fault: Fault) -> dict[str, Any]:
    fields = {name: getattr(fault, name) for name in ReportedFault.__dataclass_fields__}
    lines = {name: [line.file, line.number] for name, line in fields.items() if isinstance(line, KernelLine)}
    return fields | lines | {"kind": str(fault.kind)}


def read_observation(
    message: Mapping[str, Any], file: Path, arena: Arena, start: int, shape: tuple[int, ...], device: str
) -> Observation:
    """Return the observation that a message describes.

    The result is read from the arena if it has this shape, and comes to the device. Raises ValueError, KeyError and
    TypeError for what is no such message.
    """
    failure, output = message["failure"], message["output"]
    output_type = _text(message["output_type"])
    if output is not None:
        dtype = output["dtype"]
        if dtype not in DTYPES:
            output, output_type = None, f"a tensor of {_text(dtype, 20)}"
    return Observation(
        output=None if output is None else _read_output(output, arena, start, shape, device),
        output_type=output_type,
        launches=tuple(_read_launch(launch, file) for launch in _entries(message["launches"])),
        changed_inputs=_numbers(message["changed_inputs"]),
        stored_outside=message["stored_outside"] is True,
        failure=None if failure is None else _read_failure(failure),
        unreachable=tuple((_number(line), _text(reason)) for line, reason in _entries(message["unreachable"])),
    )


def _read_failure(fields: Mapping[str, Any]) -> Failure:
    return Failure(
        _text(fields["type"], 100),
        _text(fields["message"]),
        _optional_number(fields["line"]),
        _optional_number(fields["first_line"]),
        _text(fields["chain"], 4 * MAX_CHARACTERS),
        fields["loading"] is True,
    )


def _read_output(fields: Mapping[str, Any], arena: Arena, start: int, expected: tuple[int, ...], device: str) -> Output:
    shape, dtype = _numbers(fields["shape"]), DTYPES[fields["dtype"]]
    is_shape = min(shape, default=0) >= 0 and math.prod(shape) <= MAX_ELEMENTS
    if not is_shape:
        raise ValueError(f"expected the shape of a tensor, got {shape}")
    provenance = Provenance[fields["provenance"]]
    there, unwritten = placed_result(fields["dtype"], shape, start), None
    has_numbers = shape == expected and end_of([there]) <= arena.size
    # Nobody will look at its numbers, nor at those of a dtype so wide that there was no room for them.
    if not has_numbers:
        return Output(torch.empty(shape, dtype=dtype, device="meta"), None, provenance)
    if fields["unwritten"] is True:
        unwritten = _copy(arena, placed_mask(there), device)
    return Output(
        _copy(arena, there, device),
        unwritten,
        provenance,
        fields["computed"] is True,
        fields["changes_earlier"] is True,
    )


def _copy(arena: Arena, placed: Placed, device: str) -> torch.Tensor:
    """Return a copy of a tensor in the arena.

    A byte that is neither 0 nor 1 is no bool, whatever PyTorch would do with it. Raises ValueError for what cannot be
    there.
    """
    if end_of([placed]) > arena.size:
        raise ValueError("expected a tensor for which there is room")
    if placed.dtype == "bool":
        return arena.view(replace(placed, dtype="uint8")).to(device, copy=True) != 0
    return arena.view(placed).to(device, copy=True)


def _read_launch(fields: Mapping[str, Any], file: Path) -> Launched:
    numbers = {_text(name, 100): value for name, value in list(fields["numbers"].items())[:MAX_ENTRIES]}
    faults, undefined = (
        tuple(cast("Fault", _read_fault(fault, file)) for fault in _entries(fields[name]))
        for name in ("faults", "undefined")
    )
    return Launched(
        _text(fields["kernel"], 100),
        _numbers(fields["grid"]),
        faults,
        undefined,
        {name: value for name, value in numbers.items() if _is_small_number(value)},
        idle=0,
        stored_again=_number(fields["stored_again"]),
        prepared=(),
    )


def _is_small_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < 2**31


def _read_fault(fields: Mapping[str, Any], file: Path) -> ReportedFault:
    argument, loaded, peer = fields["argument"], fields["loaded"], fields["peer"]
    line, earlier, load = (_line(fields[name], file) for name in ("line", "earlier", "load"))
    return ReportedFault(
        # The process of a script may send anything: only kinds that exist pass.
        str(FindingKind(fields["kind"])) if fields["kind"] != "undefined-result" else "undefined-result",
        line or KernelLine(UNKNOWN_FILE, 0),
        _text(fields["summary"]),
        _text(fields["advice"]),
        None if argument is None else _text(argument, 100),
        _number(fields["outside"]),
        _number(fields["elements"]),
        _numbers(fields["program"]),
        None if peer is None else _numbers(peer),
        earlier,
        load,
        None if loaded is None else _text(loaded, 100),
        fields["wrapped"] is True,
    )


def _line(fields: object, file: Path) -> KernelLine | None:
    if fields is None:
        return None
    name, number = _entries(fields)
    # Verdicts quote the lines of files, and no script may choose which.
    return KernelLine(str(file) if name == str(file) else UNKNOWN_FILE, _number(number))


def _text(value: object, limit: int = MAX_CHARACTERS) -> str:
    """Return a text without what would control a terminal."""
    if not isinstance(value, str):
        raise TypeError(f"expected a text, got {type(value).__name__}")
    return "".join(character for character in value[:limit] if character.isprintable() or character in "\n\t")


def _number(value: object) -> int:
    if not isinstance(value, int) or abs(value) >= 2**63:
        raise TypeError(f"expected a whole number, got {type(value).__name__}")
    return value


def _optional_number(value: object) -> int | None:
    return None if value is None else _number(value)


def _entries(value: object) -> Sequence[Any]:
    if not isinstance(value, list) or len(value) > MAX_ENTRIES:
        raise TypeError(f"expected a list of at most {MAX_ENTRIES} entries, got {type(value).__name__}")
    return value


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(map(_number, _entries(value)))
