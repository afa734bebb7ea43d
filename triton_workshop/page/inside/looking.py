"""A look inside a launch, for the page: one position in it, as plain data."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from triton_simulator.steps.steps import Array, ProgramStep
from triton_simulator.steps.text import number_text, step_text
from triton_workshop.block_levels import fit, fold
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.look.child import Limits, record_launches
from triton_workshop.look.notices import notices
from triton_workshop.look.parameters import argument_notes
from triton_workshop.look.pictures import Extent, Picture, is_block, memory_pictures, value_pictures
from triton_workshop.look.recording import Recording, Request
from triton_workshop.look.timeline import Position, Target
from triton_workshop.look.verdicts import case_names
from triton_workshop.page.inside.interruption import OutdatedError
from triton_workshop.page.inside.time_limit import time_limit

LIMIT_SECONDS = 5.0
"""Seconds that a run for a case may take; after that, what there is until then is shown."""
LIMITS = Limits(
    max_bytes=16 * 2**20,  # a page has less memory than a terminal
    time=lambda file: time_limit(LIMIT_SECONDS, str(file).__eq__),
    stops=(OutdatedError,),
)
NO_LAUNCH = "No kernel is launched yet, or its grid has no programs: there is nothing to look at."
EXTENT = Extent(64, 128)
MAX_ROWS, MAX_COLUMNS = 64, 64
"""Numbers of a block that the page shows, along each axis."""
VECTOR_COLUMNS = 8
_recordings: dict[Request, Recording] = {}
"""The recordings of the text that was checked last."""


def forget() -> None:
    """Drop all recordings: another text is checked now."""
    _recordings.clear()


def look(exercise: Exercise | None, file: Path, text: str, wish: Mapping[str, Any]) -> dict[str, Any]:
    """Return what there is to see at a position of an exercise or a script.

    A `wish` has the `case`, and what a finding names: `ids` of a program and a `line`; or what a view before was `at`,
    and where to go from there: a `line` and perhaps a `name` in it, a `loop` and its `iteration`, a `program` or a
    `launch`. `cursor` has the line and the name to show if the finding names no line.
    """
    names = case_names(exercise) if exercise else []
    case = wish["case"] if wish.get("case") in names else ""
    is_outdated = any(request.text != text for request in _recordings)
    if is_outdated:
        forget()
    request, target = Request(file, text, exercise.number if exercise else "", case), _target(wish)
    recording = target.record(request, _record)
    problem = recording.error or target.problem(recording)
    if problem:
        # `recording.error` may speak of the command's options, which a page does not have.
        explanation = NO_LAUNCH if recording.error else problem
        return {"problem": recording.failure or explanation}
    return {"cases": names, **_view(_sight(target.find(recording), wish), file)}


@dataclass(frozen=True)
class Sight:
    """A position, and the moment whose value is shown.

    The moment of the position says which iteration runs.
    """

    position: Position
    shown: int

    @classmethod
    def of(cls, position: Position, line: int, name: str) -> Sight:
        """Show what a name stands for in a line.

        If that line made nothing, it is the line before.
        """
        track = position.track
        made = {step.step.line.number for step in track.moments}
        nearest = max((number for number in made if number <= line), default=line)
        moment = track.named(name, nearest, position.moment)
        return cls(position, position.moment if moment is None else moment)


def _target(wish: Mapping[str, Any]) -> Target:
    at = wish.get("at")
    if at is None:
        return Target(ids=tuple(wish.get("ids") or ()), line=wish.get("line"), or_first=True)
    return Target(ids=tuple(wish.get("program", at["ids"])), launch=wish.get("launch", at["launch"]), line=0)


def _record(request: Request) -> Recording:
    if request not in _recordings:
        recording = record_launches(request, LIMITS)
        # Without a case, the recording has chosen one: the next request names it, and finds it here.
        for case in {request.case, recording.case}:
            _recordings[replace(request, case=case)] = recording
    return _recordings[request]


def _sight(position: Position, wish: Mapping[str, Any]) -> Sight:
    """Return what a wish leads to in a launch."""
    at, track = wish.get("at"), position.track
    if at is None:
        return _first_sight(position, wish)
    if not _has_line(at, position):
        return _first_sight(position, wish)
    line, name = at["line"], at["name"]
    if "program" in wish:
        return Sight.of(position.move(_same_iteration(position, at)), line, name)
    position = position.move(at["moment"])
    if "loop" in wish:
        return Sight.of(position.move(track.at_iteration(position.moment, wish["loop"], wish["iteration"])), line, name)
    return Sight.of(position, wish.get("line", line), wish.get("name", name))


def _has_line(at: Mapping[str, Any], position: Position) -> bool:
    """Return whether a view before was at a line of this launch."""
    # Moments and lines of a view before say nothing of another launch.
    if at["launch"] != position.launch:
        return False
    return bool(position.track.moments) and at["line"] is not None


def _first_sight(position: Position, wish: Mapping[str, Any]) -> Sight:
    """Return what a finding is about; else what the cursor is at.

    What a finding is about is seen in the iteration of its fault.
    """
    fault, cursor, shown = position.fault, wish.get("cursor"), position.moment
    if fault is not None and fault.program == position.track.program:
        position = position.go_to_fault(fault)
    if not position.track.moments:
        return Sight(position, 0)
    position = position.move(position.track.in_loop(position.moment))
    if wish.get("line") is not None:
        return Sight.of(position, wish["line"], "")
    return Sight.of(position, cursor["line"], cursor["name"]) if cursor else Sight(position, shown)


def _same_iteration(position: Position, at: Mapping[str, Any]) -> int:
    """Return the first moment of the iteration that ran in another program."""
    # A list, as what comes from JSON has no tuples.
    moments = (index for index, step in enumerate(position.track.moments) if [*step.step.iteration] == at["iteration"])
    # A program may have fewer iterations: it is then shown from its start.
    return position.track.in_loop(next(moments, 0))


def _view(sight: Sight, file: Path) -> dict[str, Any]:
    position = sight.position
    recording, track, launch = position.recording, position.track, position.track.launch
    view: dict[str, Any] = {
        "case": recording.case,
        "at": {"launch": position.launch, "ids": launch.ids(track.program), "moment": position.moment, "line": None},
        "kernels": [each.kernel for each in recording.launches],
        "grid": launch.grid,
        "faulty": sorted({fault.program for fault in launch.faults}),
        "notices": notices(position),
        "notes": {},
        "loops": (),
        "pictures": [],
    }
    if not track.moments:
        return view
    step = track.moments[sight.shown]
    name, line = step.step.name, step.step.line.number
    view["at"] |= {"line": line, "name": name, "iteration": track.moments[position.moment].step.iteration}
    pictures = (*memory_pictures(step, track, EXTENT), *value_pictures(step, track, EXTENT))
    return view | {
        "loops": track.iterations(position.moment),
        "notes": _notes(position, str(file)),
        "name": name or step.step.operation or "value",
        "text": step_text(step),
        "iteration": step.step.iteration,
        "pictures": list(map(_picture, pictures)),
        "table": _table(step),
    }


def _notes(position: Position, file: str) -> dict[int, list[str]]:
    """Return what each line of the script has made, from long to short."""
    notes = position.track.notes(position.track.end_of_iteration(position.moment)) | argument_notes(position)
    return {number: list(dict.fromkeys(note.spellings)) for (of, number), note in notes.items() if of == file}


def _picture(picture: Picture) -> dict[str, Any]:
    """Return a picture with a byte for each level, as base64; 255 is nothing."""
    height, width = picture.levels.shape
    is_large = height > EXTENT.rows or width > EXTENT.columns
    levels = fit(picture.levels, min(height, EXTENT.rows), min(width, EXTENT.columns)) if is_large else picture.levels
    data = np.where(levels < 0, 255, levels).astype(np.uint8)
    return {
        "levels": base64.b64encode(data.tobytes()).decode(),
        "height": data.shape[0],
        "width": data.shape[1],
        "shades": [(shade.tone, shade.share) for shade in picture.shades],
        "legend": [(shade.tone, shade.share, text) for shade, text in picture.legend],
        "title": picture.title,
    }


def _table(step: ProgramStep) -> dict[str, Any] | None:
    """Return a block's numbers with heads of rows and columns.

    Return None for one number.
    """
    value = step.value
    if not is_block(value):
        return None
    block = value.numbers
    undefined = np.zeros(block.shape, np.bool_) if value.undefined is None else value.undefined
    if block.ndim == 1:
        columns = min(fold(len(block), VECTOR_COLUMNS)[1], VECTOR_COLUMNS)
        cells = _cells(block[: MAX_ROWS * columns], undefined)
        starts = range(0, len(cells), columns)
        rows = [cells[start : start + columns] for start in starts]
        names = [str(start) for start in starts]
        heads = [f"+{column}" for column in range(columns)]
    else:
        lines, marks = (array.reshape(-1, block.shape[-1])[:MAX_ROWS, :MAX_COLUMNS] for array in (block, undefined))
        rows = list(map(_cells, lines, marks))
        names, heads = (list(map(str, range(size))) for size in lines.shape)
    return {"heads": heads, "names": names, "rows": rows, "size": block.shape}


def _cells(numbers: Array, undefined: Array) -> list[str]:
    """Return a row of numbers as text, with `?` for what is undefined."""
    # Of a vector, only the numbers have been cut to what the page shows.
    return ["?" if mark else number_text(number) for number, mark in zip(numbers, undefined, strict=False)]
