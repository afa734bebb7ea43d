"""A look inside a script with open TODOs: what the learner's own lines make."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.tests.tables import across
from tests.checking.test_unfinished import fill_in
from triton_workshop.exercises import EXERCISES
from triton_workshop.look.recording import Recording, Request
from triton_workshop.look.timeline import Position

from .conftest import Record

ADD, MATMUL = EXERCISES["1"], EXERCISES["4"]


def values(recording: Recording) -> dict[str, str]:
    """The names in the first program, each with its last value."""
    track = Position.start(recording).track
    steps = ((step.step.name, index) for index, step in enumerate(track.moments) if step.step.name)
    return {name: track.spellings(index)[0] for name, index in steps}


def look(record: Record, tmp_path: Path, text: str, number: str = "1") -> Recording:
    file = tmp_path / "script.py"
    file.write_text(text, encoding="utf-8")
    return record(Request(file, text, number))


def test_the_first_todo_has_a_value_before_the_launcher_is_written(record: Record, tmp_path: Path) -> None:
    text = fill_in(ADD, {1, 2}).replace("pid * BLOCK_SIZE", "pid")
    recording = look(record, tmp_path, text)
    assert values(recording) == {"pid": "int32  0", "offsets": "int32[1024]  0 … 1023"}
    (launch,) = recording.launches
    assert launch.grid == (2,)
    assert recording.failure == ""
    lines = text.splitlines()
    assert {lines[step.line.number - 1].split()[0] for step in launch.steps.all if step.name in values(recording)} == {
        "pid",
        "offsets",
    }


def test_a_later_todo_gets_what_it_needs_from_the_solution(record: Record, tmp_path: Path) -> None:
    recording = look(record, tmp_path, fill_in(MATMUL, {1, 2, 5}), "4")
    made = values(recording)
    assert "accumulator" in made
    assert "a_mask" not in made, "that is the solution's"
    assert made["a_ptrs"] != values(look(record, tmp_path, fill_in(MATMUL, {1, 2}), "4"))["a_ptrs"], "they have moved"


def test_own_names_go_as_far_as_own_lines_do(record: Record, tmp_path: Path) -> None:
    text = fill_in(ADD, {1, 2}).replace("offsets = ", "places = ").replace("offsets", "places")
    assert list(values(look(record, tmp_path, text))) == ["pid", "places"]


@pytest.mark.parametrize("number", ["1", "4"])
def test_nothing_is_wrong_of_an_unfinished_script(record: Record, tmp_path: Path, number: str) -> None:
    exercise = EXERCISES[number]

    @across("last", range(1, len(exercise.hints)))
    def check(last: int) -> None:
        recording = look(record, tmp_path, fill_in(exercise, set(range(1, last + 1))), number)
        assert recording.failure == ""
        assert recording.error == ""
        assert not any(launch.faults for launch in recording.launches)

    check()


def test_without_a_filled_todo_there_is_nothing_to_see(record: Record, tmp_path: Path) -> None:
    assert "TODO" in look(record, tmp_path, ADD.shipped_text).error
