"""The command `workshop look`, in a pipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from triton_workshop.errors import MisuseError
from triton_workshop.exercises import EXERCISES
from triton_workshop.look.commands import find_case_name, parse_ids, parse_subject, run_look

from .conftest import SCRIPT, WITH_FAULT


def look(argument: str, *, as_json: bool = False, program: str | None = None, kernel: str | None = None) -> int:
    subject = parse_subject(argument, None, program, kernel, None, plain=False)
    return run_look(subject, as_json=as_json, light=False)


def test_a_program_is_printed_line_by_line(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    assert look(str(file), program="1") == 0
    printed, errors = (text.decode() for text in capfdbinary.readouterr())
    assert printed.startswith("tile_kernel: program (1), grid (2)\n")
    [row] = [line for line in printed.splitlines() if "row = tl.program_id(0)" in line]
    assert row.endswith("int32[4]  4 … 7")
    assert "hello" in errors


def test_a_fault_chooses_the_program_and_is_told(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "script.py"
    file.write_text(WITH_FAULT, encoding="utf-8")
    assert look(str(file)) == 0
    printed = capfdbinary.readouterr().out.decode()
    assert printed.startswith("count_kernel: program (2), grid (3)\n")
    assert "program 2 wrote out_ptr[10..11], but out_ptr has 10 elements." in printed
    assert "This is launch 2 of 2: tile_kernel, count_kernel; --launch 2 or --kernel NAME shows another." in printed


def test_json_has_all_numbers_of_small_blocks(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    assert look(str(file), as_json=True, program="1") == 0
    data = json.loads(capfdbinary.readouterr().out)
    assert (data["kernel"], data["grid"], data["program"]) == ("tile_kernel", [2], [1])
    tile = next(step for step in data["steps"] if step["name"] == "tile")
    assert tile["value"]["numbers"][0] == [40, 41, 42, 43]
    assert tile["value"]["numbers"][3] == ["nan"] * 4
    assert tile["value"]["undefined"] == list(range(8, 16))
    assert tile["pointer"]["argument"] == "x_ptr"
    assert tile["mask"]["text"] == "8 of 16 true"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"program": "9"}, "its grid is (2), so it has no program (9)"),
        ({"program": "0,1"}, "its grid is (2), so it has no program (0, 1)"),
        ({"kernel": "other"}, "it launches no kernel other, but tile_kernel"),
    ],
)
def test_what_is_not_there_is_told(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], options: dict[str, str], error: str
) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    assert look(str(file), **options) == 1  # type: ignore[arg-type]
    assert error in " ".join(capfdbinary.readouterr().err.decode().split())


def test_words_of_the_command() -> None:
    subject = parse_subject("4", "3", "1,0", None, 36, plain=True)
    exercise = EXERCISES["4"]
    assert (subject.request.file, subject.request.case) == (exercise.solution_file, exercise.cases[2].name)
    assert (subject.target.ids, subject.target.line) == ((1, 0), 36)
    assert subject.title == "Exercise 4, the solution · multiply two matrices"
    assert find_case_name("1", "1,024") == "1,024 elements"
    assert parse_ids(None) == ()


@pytest.mark.parametrize(
    ("argument", "case", "program", "error"),
    [
        ("no_such.py", None, None, "no_such.py: expected an exercise's number or a Python script, found no such file"),
        ("4", "99", None, "--case 99: expected a number or a part of a name:\n  1  "),
        ("4", None, "1;0", "--program 1;0: expected up to three numbers, such as 1,0"),
        (__file__, "1", None, "--plain and --case are for exercises"),
    ],
)
def test_misuse_is_told(argument: str, case: str | None, program: str | None, error: str) -> None:
    with pytest.raises(MisuseError) as raised:
        parse_subject(argument, case, program, None, None, plain=False)
    assert str(raised.value).startswith(error)
