"""Moments of a launch: what each line has made by then, and the ways from one to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from triton_workshop.look.recording import Recording, Request
from triton_workshop.look.source import argument_notes, draw_lines
from triton_workshop.look.timeline import Position, Target, When
from triton_workshop.screen.palette import DARK

from .conftest import SCRIPT, Record, line_of


def shown(position: Position) -> tuple[str, tuple[int, ...], int]:
    """Name, iteration and program of the step that one looks at."""
    assert position.step is not None
    at = position.step.step
    return at.name or at.operation, at.iteration, position.track.program


def at_line(recording: Recording, text: str, program: int = 0) -> Position:
    return Position.start(recording, program=program).go_to_line(line_of(text))


def test_the_kernels_own_arguments_are_no_moments(recording: Recording) -> None:
    position = Position.start(recording)
    assert [step.step.name for step in position.track.arguments] == ["x_ptr", "out_ptr", "rows", "columns", "B"]
    assert shown(position) == ("row", (), 0)


def test_a_line_has_made_its_last_value_or_will_make_its_first(recording: Recording) -> None:
    position = at_line(recording, "tile = tl.load")
    notes = {line[1]: note for line, note in position.track.notes(position.moment).items()}
    tile = notes[line_of("tile = tl.load")]
    assert tile.when is When.NOW
    assert tile.spellings[0] == "fp32[4 × 4]  0 … 33  ← x_ptr[0 … 33]"
    store = notes[line_of("tl.store(out_ptr + tl.program_id")]
    assert store.when is When.LATER
    again = at_line(recording, "tile = tl.load")
    later = again.move(again.track.iteration(again.moment, 2) or 0)
    notes = {line[1]: note for line, note in later.track.notes(later.moment).items()}
    assert notes[line_of("for step in range")].spellings[0] == "int32  8"
    assert "8 of 16" in notes[line_of("tile = tl.load")].spellings[0]
    assert notes[line_of("total += doubled")].when is When.EARLIER
    assert notes[line_of("mask =")].when is When.NOW


def test_steps_lead_into_functions_and_out_again(recording: Recording) -> None:
    position = at_line(recording, "tile = tl.load")
    following = [shown(position.move(position.moment + offset))[0] for offset in range(4)]
    assert following == ["tile", "x", "return", "total"]
    assert shown(position.move(-5))[0] == "row"
    assert shown(position.move(10_000))[0] == "store"


def test_iterations_of_a_line(recording: Recording) -> None:
    position = at_line(recording, "mask =")
    assert position.track.iterations(position.moment) == ((0, 3),)
    second = position.track.iteration(position.moment, 1)
    assert second is not None
    assert shown(position.move(second)) == ("mask", (1,), 0)
    assert position.track.iteration(position.moment, -1) is None
    assert position.track.iteration(position.moment, 3) is None


def test_another_program_at_the_same_line_and_iteration(recording: Recording) -> None:
    position = at_line(recording, "tile = tl.load")
    position = position.move(position.track.iteration(position.moment, 1) or 0)
    assert shown(position.go_to_program(1)) == ("tile", (1,), 1)


def test_a_target_is_found_where_it_is_and_else_the_beginning(recording: Recording) -> None:
    mask = line_of("mask =")
    assert shown(Target(ids=(1,), line=mask).find(recording)) == ("mask", (0,), 1)
    assert shown(Target("tile_kernel", (7,), 9999).find(recording)) == ("row", (), 0)
    assert shown(Target("no_such_kernel").find(recording)) == ("row", (), 0)


def test_numbers_stand_at_the_lines_of_their_parameters(record: Record, file: Path) -> None:
    signature = "    x_ptr, out_ptr,  # pointers (with B columns)\n    rows, columns,\n    B: tl.constexpr,  # B\n"
    text = SCRIPT.replace("x_ptr, out_ptr, rows, columns, B: tl.constexpr", f"\n{signature}")
    assert text != SCRIPT
    notes = argument_notes(Position.start(record(Request(file, text))))
    first = line_of("rows, columns,\n".strip(), text)
    assert {line[1]: note.spellings for line, note in notes.items()} == {
        first: ("rows 6, columns 10",),
        first + 1: ("B 4",),
    }


def test_an_earlier_call_is_not_the_one_that_runs_now(record: Record, file: Path) -> None:
    text = SCRIPT.replace("total += doubled(tile)", "total += doubled(tile) + doubled(total)")
    position = Position.start(record(Request(file, text))).go_to_line(line_of("return 2 * x"))
    helper, header = line_of("return 2 * x"), line_of("def doubled")
    notes = {line[1]: note for line, note in position.track.notes(position.moment).items()}
    assert (notes[helper].when, notes[header].when) == (When.NOW, When.NOW)
    after = position.go_to_line(line_of("total += doubled(tile) +", text))
    notes = {line[1]: note for line, note in after.track.notes(after.moment).items()}
    assert (notes[helper].when, notes[header].when) == (When.EARLIER, When.EARLIER)


def test_a_call_out_of_one_without_arguments_has_its_own_together(record: Record, file: Path) -> None:
    inner = "@triton.jit\ndef inner(a, b):\n    return a + b\n\n\n"
    outer = "@triton.jit\ndef outer():\n    return inner(1, 2)\n\n\n"
    text = SCRIPT.replace("@triton.jit\ndef tile_kernel", f"{inner}{outer}@triton.jit\ndef tile_kernel")
    text = text.replace("total += doubled(tile)", "total += outer()")
    position = Position.start(record(Request(file, text))).go_to_line(line_of("return a + b", text))
    notes = {line[1]: note for line, note in position.track.notes(position.moment).items()}
    assert notes[line_of("def inner", text)].spellings == ("a 1, b 2",)


def test_a_fault_is_looked_at_first(with_fault: Recording) -> None:
    position = Target().find(with_fault)
    assert (position.launch, shown(position)) == (1, ("store", (), 2))
    assert Target(ids=(0,)).find(with_fault).track.program == 0


@pytest.mark.parametrize(("programs", "tone"), [((0, 2), DARK.bad), ((2, 0, 1), DARK.bad), ((2,), DARK.muted)], ids=str)
def test_a_fault_of_this_program_stands_out(with_fault: Recording, programs: tuple[int, ...], tone: str) -> None:
    first, launch = with_fault.launches
    faults = tuple(replace(launch.faults[0], program=program) for program in programs)
    recording = replace(with_fault, launches=(first, replace(launch, faults=faults)))
    rows = draw_lines(Position.start(recording, 1, 0), DARK, 80, lambda line: str(line[1]))
    assert [row.spans[0].style for row in rows if row.plain.startswith("✗")] == [tone]


def test_a_program_that_was_left_out_is_recorded_by_itself(record: Record, file: Path) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Recording:
        requests.append(request)
        return record(request)

    found = Target(ids=(1,)).record(Request(file, SCRIPT, programs=(0,)), answer)
    assert [request.programs for request in requests] == [(0,), (1,)]
    assert found.launches[0].has(1)
