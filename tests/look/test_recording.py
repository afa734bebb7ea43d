"""A script's launches with their steps, from another process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from triton_workshop.exercises import EXERCISES
from triton_workshop.look.recording import Argument, Recording, Request

from .conftest import SCRIPT, WITH_FAULT, Record, line_of


def test_a_launch_has_its_steps_its_arguments_and_its_source(recording: Recording, file: Path) -> None:
    [launch] = recording.launches
    assert (launch.kernel, launch.grid, launch.faults) == ("tile_kernel", (2,), ())
    assert launch.arguments == {"x_ptr": Argument((6, 10), (10, 1)), "out_ptr": Argument((2,), (1,))}
    tile = next(step for step in launch.steps_of(1) if step.step.name == "tile")
    assert np.array_equal(tile.value.numbers[0], [40, 41, 42, 43])
    assert recording.sources == {str(file): tuple(SCRIPT.splitlines(keepends=True))}
    assert (recording.error, recording.failure) == ("", "")


def test_a_fault_keeps_the_steps_and_says_where_it_was(with_fault: Recording) -> None:
    [fault] = with_fault.launches[1].faults
    assert (fault.program, fault.line) == (2, line_of("tl.store(out_ptr + offsets", WITH_FAULT))
    assert fault.message.startswith("program 2 wrote out_ptr[10..11], but out_ptr has 10 elements.")
    assert with_fault.launches[1].steps_of(2)


def test_only_the_programs_that_are_asked_for(record: Record, file: Path) -> None:
    [launch] = record(Request(file, SCRIPT, programs=(1,))).launches
    assert (launch.has(0), launch.has(1)) == (False, True)
    assert launch.steps_of(1)
    assert not launch.steps_of(0)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import triton\nx = 1 / 0\n", "line 2: ZeroDivisionError: division by zero"),
        ("x = (\n", "line 1: SyntaxError: '(' was never closed"),
        ("print('no kernel')\n", "it launches no kernel, so there is nothing to look at"),
        ("e = ValueError('x')\ne.__cause__ = e\nraise e\n", "line 3: ValueError: x"),
        ("raise SystemExit(0)\n", "it launches no kernel, so there is nothing to look at"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "its process was killed"),
    ],
)
def test_a_script_without_launches_says_why(record: Record, file: Path, text: str, error: str) -> None:
    assert record(Request(file, text)).error.startswith(error)


def test_an_exercise_runs_on_one_of_its_cases(record: Record) -> None:
    exercise = EXERCISES["4"]
    request = Request(exercise.solution_file, exercise.solution, "4", exercise.cases[4].name)
    found = record(request)
    assert found.case == exercise.cases[4].name
    assert found.launches[0].kernel == "matmul_kernel"


def test_an_unfinished_exercise_runs_as_far_as_it_can(record: Record) -> None:
    exercise = EXERCISES["1"]
    text = exercise.solution.replace("    x = tl.load(x_ptr + offsets, mask=mask)\n", "    x = ...\n")
    assert text != exercise.solution
    found = record(Request(exercise.exercise_file, text, "1"))
    names = [step.step.name for step in found.launches[0].steps_of(0)]
    assert {"offsets", "mask"} <= {*names}
    assert "output" not in names
    assert found.failure
    assert not found.error


def test_a_script_runs_in_the_folder_of_whoever_asks(record: Record, file: Path, tmp_path: Path) -> None:
    (tmp_path / "here.txt").write_text("found", encoding="utf-8")
    text = SCRIPT.replace('print("hello")', 'assert open("here.txt").read() == "found"')
    assert record(Request(file, text, folder=tmp_path)).failure == ""
    assert "FileNotFoundError" in record(Request(file, text, folder=Path(os.sep))).failure


def test_lines_have_the_numbers_of_the_slide_in_messages(record: Record, file: Path) -> None:
    text = "import triton\nboom = 1 / 0\n"
    assert record(Request(file, text, numbers=(None, 1))).failure == "line 1: ZeroDivisionError: division by zero"


def test_who_receives_a_recording_needs_no_torch(with_fault: Recording, tmp_path: Path) -> None:
    data = tmp_path / "recording"
    data.write_bytes(pickle.dumps(with_fault))
    code = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb')); assert not {'torch', 'triton'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code, str(data)], check=True)


def test_what_cannot_be_sent_is_sent_as_text(record: Record, file: Path) -> None:
    text = SCRIPT.replace("columns, B: tl.constexpr):", "columns, B: tl.constexpr, helper: tl.constexpr = doubled):")
    [launch] = record(Request(file, text)).launches
    helper = next(step for step in launch.steps_of(0) if step.step.name == "helper")
    assert "doubled" in repr(helper.value.numbers.item())
