"""The list, hints, and starting over: with a repository of one's own, so that nobody's work is touched."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import Outcome, RunPython, shipped_exercise
from triton_workshop.checking import commands
from triton_workshop.checking.check import CheckRequest
from triton_workshop.checking.commands import select_scripts
from triton_workshop.checking.judging.verdict import Finding, FindingKind, Verdict
from triton_workshop.checking.reporting.description import describe_entry, next_step
from triton_workshop.checking.reporting.progress import (
    ListedExercise,
    Record,
    Status,
    entries,
    load_progress,
    record_check,
    record_hints,
    required_entries,
    update,
)
from triton_workshop.checking.reporting.reset import is_shipped, reset
from triton_workshop.cli import main
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.repository import ROOT

ADD = EXERCISES["1"]


def _verdict(desk: Path, *findings: Finding) -> Verdict:
    file = (desk / "exercises/exercise_1.py").resolve()
    return Verdict("1", file, "simulator", 0.5, (), findings, text=file.read_text())


WRONG = Finding(FindingKind.WRONG_VALUES, "wrong", ("look", "think", "copy"), hint_name="one-operand")


@pytest.mark.parametrize("number", EXERCISES)
def test_the_copy_of_an_exercise_is_what_is_shipped(number: str) -> None:
    assert EXERCISES[number].shipped_text == shipped_exercise(number)


def _standing() -> Status:
    return entries()[0].status


def test_the_list_follows_the_work(desk: Path) -> None:
    file = ADD.exercise_file
    assert _standing() is Status.NEW
    file.write_text(file.read_text().replace("pid = ...", "pid = 1"))
    assert _standing() is Status.BEGUN
    assert entries()[0].remaining_todos == 8
    file.write_text(ADD.solution_file.read_text())
    assert _standing() is Status.CHANGED
    record_check(_verdict(desk, WRONG))
    assert _standing() is Status.FAILING
    record_check(_verdict(desk))
    assert _standing() is Status.PASSED
    file.unlink()
    assert _standing() is Status.MISSING


def test_a_save_since_the_check_is_not_what_has_passed(desk: Path) -> None:
    file = ADD.exercise_file
    judged = ADD.solution_file.read_text()
    file.write_text(judged)
    record_check(replace(_verdict(desk), text=judged))
    assert _standing() is Status.PASSED
    file.write_text(judged.replace("x + y", "x - y"))
    record_check(replace(_verdict(desk), text=judged))
    assert _standing() is Status.CHANGED


def test_what_cannot_be_read_is_checked_and_a_save_since_is_not(desk: Path) -> None:
    file = ADD.exercise_file
    verdict = replace(_verdict(desk, Finding(FindingKind.CRASH, "unreadable")), text="")
    file.write_bytes(ADD.solution_file.read_bytes() + b"# \xff\n")
    record_check(verdict)
    assert _standing() is Status.FAILING
    file.write_bytes(ADD.solution_file.read_bytes())
    record_check(verdict)
    assert _standing() is Status.CHANGED


def test_a_file_to_repair_is_begun_while_a_bug_is_left_and_passes_however_it_was_repaired(desk: Path) -> None:
    repair = next(each for each in EXERCISES.values() if each.planted_bugs)

    def entry() -> ListedExercise:
        return next(each for each in entries() if each.exercise is repair)

    assert (entry().status, entry().remaining_todos) == (Status.NEW, len(repair.planted_bugs))
    text = repair.planted_bugs[0].apply(repair.solution)
    repair.exercise_file.write_text(text)
    assert describe_entry(entry())[-1][0] == f"optional, 1 of {len(repair.planted_bugs)} bugs left"
    record_check(Verdict(repair.number, repair.exercise_file.resolve(), "simulator", 0.5, (), (), text=text))
    assert (entry().status, entry().remaining_todos) == (Status.PASSED, 0)


def _known(*passed: str) -> tuple[ListedExercise, ...]:
    """All exercises, these of them passed."""
    each = ((entry, entry.exercise.number in passed) for entry in entries())
    return tuple(replace(entry, status=Status.PASSED if is_passed else Status.NEW) for entry, is_passed in each)


FIRST_HALF = [number for number, exercise in REQUIRED.items() if exercise.session == 1]


@pytest.mark.parametrize("number", FIRST_HALF)
def test_the_next_step_is_the_first_exercise_that_has_not_passed(desk: Path, number: str) -> None:
    before = [each for each in REQUIRED if each < number]
    assert next_step(_known(*before)) == f"Next: uv run workshop watch {number}"


def test_the_first_half_is_complete_with_four_exercises_and_says_where_the_second_begins(desk: Path) -> None:
    assert FIRST_HALF == ["1", "2", "3", "4"]
    done, second = next_step(_known(*FIRST_HALF)).splitlines()
    assert done.startswith("The first half is done. Done early? Exercise 1b, ")
    first = next(number for number, exercise in EXERCISES.items() if exercise.session == 2)
    assert second == f"The second half begins with: uv run workshop watch {first}"
    entries = _known(*FIRST_HALF)
    begun = [replace(each, status=Status.BEGUN) if each.exercise.number == first else each for each in entries]
    assert next_step(begun) == "Next: uv run workshop watch 5"
    assert [entry.exercise.number for entry in required_entries(begun)] == [*REQUIRED]


def test_variations_are_optional(desk: Path) -> None:
    done = next_step(_known(*REQUIRED, "1b"))
    assert done.startswith("All exercises are done. Done early? Exercise 2b, ")
    assert done.endswith(": uv run workshop watch 2b")
    assert next_step(_known(*EXERCISES)) == "All exercises are done."
    assert [number for number in EXERCISES if EXERCISES[number].is_optional][:4] == ["1b", "2b", "3b", "4b"]
    assert describe_entry(_known("1")[1])[-1] == ("optional, not begun", "muted")


def test_the_next_step_for_a_file_that_is_gone_is_to_get_it_back(desk: Path) -> None:
    ADD.exercise_file.unlink()
    assert next_step(entries()) == "Next: uv run workshop reset 1"
    reset(ADD)
    assert next_step(entries()) == "Next: uv run workshop watch 1"


def test_hints_that_are_shown_stay_shown_and_another_mistake_starts_again(desk: Path) -> None:
    assert record_check(_verdict(desk, WRONG), hints_shown=1).hints_shown == 1
    record_hints("1", 2)
    assert record_check(_verdict(desk, WRONG), hints_shown=1).hints_shown == 2
    assert record_check(_verdict(desk, Finding(FindingKind.UNWRITTEN, "gap", ("where", "who")))).hints_shown == 0


def test_other_peoples_files_are_nobodys_progress(desk: Path) -> None:
    record_check(Verdict("1", desk / "elsewhere.py", "simulator", 0.5, (), ()))
    assert load_progress() == {}


def test_progress_comes_back_as_it_was_saved(desk: Path) -> None:
    record = Record(passed_at=1.5, hints=("a", "b"), best_ratio=1.03)
    assert update("1", lambda before: record) == record
    assert load_progress() == {"1": record}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"exercises": 3}', '{"exercises": {"1": 3}}', "\x00"])
def test_a_broken_record_is_set_aside_with_a_message(desk: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = desk / "state"
    folder.mkdir()
    (folder / "progress.json").write_text(text)
    assert load_progress() == {}
    (aside,) = folder.glob("progress-broken-*.json")
    assert aside.read_text() == text
    assert str(aside) in capsys.readouterr().err


def test_fields_of_a_later_version_do_no_harm(desk: Path) -> None:
    folder = desk / "state"
    folder.mkdir()
    (folder / "progress.json").write_text(json.dumps({"exercises": {"1": {"passed_at": 2.0, "mood": "good"}}}))
    assert load_progress()["1"].passed_at == 2.0


def test_a_reset_keeps_what_was_there(desk: Path) -> None:
    ADD.exercise_file.write_bytes(b"mine\r\n\xff")
    backups = [reset(ADD), reset(ADD)]
    assert ADD.exercise_file.read_text() == shipped_exercise("1")
    assert backups[0] is not None
    assert backups[0].read_bytes() == b"mine\r\n\xff"
    assert backups[1] not in (None, backups[0])
    assert is_shipped(ADD)


def test_a_reset_that_cannot_keep_a_backup_changes_nothing(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ADD.exercise_file.write_text("mine")
    monkeypatch.setenv("TRITON_WORKSHOP_STATE", str(desk / "exercises/exercise_2.py"))  # a file, not a folder
    with pytest.raises(OSError, match="exercise_2"):
        reset(ADD)
    assert ADD.exercise_file.read_text() == "mine"


def test_a_reset_brings_back_lines_that_were_only_taken_away(desk: Path) -> None:
    ADD.exercise_file.write_text("\n".join(shipped_exercise("1").splitlines()[:5]))
    assert not is_shipped(ADD)


# As commands

Workshop = Callable[..., Outcome]
CODE = """
import sys
from pathlib import Path
from triton_workshop.exercises import exercise
exercise.ROOT = Path(sys.argv.pop(1))
from triton_workshop.cli import main
main()
"""


@pytest.fixture
def workshop(run_forked: RunPython, desk: Path) -> Workshop:
    def run(*arguments: str, state: str = "state") -> Outcome:
        return run_forked("-c", CODE, desk, *arguments, env={"TRITON_WORKSHOP_STATE": str(desk / state)})

    return run


def test_a_learners_way(workshop: Workshop) -> None:
    assert "Next: uv run workshop watch 1" in workshop("list").stdout
    checked = workshop("check", "1", "--no-gpu")
    assert checked.returncode == 1
    assert "TODO 1 of 9 is next" in checked.stdout
    assert "hint 2 of 3" in workshop("hint", "1").stdout
    assert "hint 3 of 3" in workshop("hint", "1").stdout
    assert "hint 3 of 3" in workshop("hint", "1").stdout, "the last one stays"
    assert "pid = tl.program_id(axis=0)" in workshop("hint", "1", "--level", "3").stdout


NOWHERE = "exercises/exercise_2.py"
"""A file in the place of a folder: not even root can write a state there."""


def test_a_hint_needs_no_state_and_says_once_that_there_is_none(workshop: Workshop) -> None:
    hinted = workshop("hint", "1", state=NOWHERE)
    assert "hint 1 of 3" in hinted.stdout
    assert "There is no hint" not in hinted.stdout
    [said] = hinted.stderr.splitlines()
    assert said.startswith("your progress is not recorded: ")
    assert "hint 2 of 3" in workshop("hint", "1", "--level", "2", state=NOWHERE).stdout


def test_what_is_right_needs_no_hint_and_passes(workshop: Workshop) -> None:
    ADD.exercise_file.write_text(ADD.solution_file.read_text())
    assert "Exercise 1 is correct" in workshop("hint", "1").stdout
    assert _standing() is Status.PASSED
    assert "Exercise 1 is correct" in workshop("hint", "1").stdout


def test_the_list_says_nothing_of_a_state_that_is_nowhere(workshop: Workshop) -> None:
    listed = workshop("list", state=NOWHERE)
    assert "Next: uv run workshop watch 1" in listed.stdout
    assert listed.stderr == ""


def test_a_reset_asks_first(workshop: Workshop) -> None:
    ADD.exercise_file.write_text("mine\n")
    refused = workshop("reset", "1")  # standard input has ended: no answer
    assert refused.returncode != 0
    assert ADD.exercise_file.read_text() == "mine\n"
    done = workshop("reset", "1", "--yes")
    assert done.returncode == 0
    assert "Yours is kept in" in done.stdout
    assert ADD.exercise_file.read_text() == shipped_exercise("1")


def test_a_variation_is_reset_as_its_exercise_is(workshop: Workshop) -> None:
    file = EXERCISES["2b"].exercise_file
    file.write_text("mine\n")
    assert "exercises/exercise_2b.py is as it was shipped" in workshop("reset", "2b", "--yes").stdout
    assert file.read_text() == shipped_exercise("2b")


def test_an_exercise_that_passes_names_its_variation_and_a_variation_none(workshop: Workshop) -> None:
    for number in ("1", "1b"):
        EXERCISES[number].exercise_file.write_text(EXERCISES[number].solution)
    [offer] = [line for line in workshop("check", "1", "1b", "--no-gpu").stdout.splitlines() if "Done early?" in line]
    assert offer == "Done early? Exercise 1b, a * x + y in one kernel: uv run workshop watch 1b"


def test_solutions_pass_at_once_as_json(workshop: Workshop) -> None:
    numbers = ("1", "2b", "5a")  # that all of them are right is tested by running each
    result = workshop("check", *numbers, "--solutions", "--json", "--no-gpu")
    verdicts = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 0, result.stderr
    assert [(verdict["exercise"], verdict["passed"]) for verdict in verdicts] == [(n, True) for n in numbers]
    for verdict in verdicts:
        cases = EXERCISES[verdict["exercise"]].simulated_cases
        assert [case["name"] for case in verdict["cases"]] == [case.name for case in cases]
        assert verdict["findings"] == []
        assert "may be off by" in verdict["tolerance"]


def test_all_solutions_are_those_of_variations_too() -> None:
    expected = [(each, each.solution_file) for each in EXERCISES.values()]
    assert select_scripts([], None, solutions=True, every=True) == expected


def test_json_stands_alone_whatever_the_script_prints(workshop: Workshop, desk: Path) -> None:
    script = desk / "noisy_1.py"
    script.write_text(f'print("hello")\n{ADD.solution_file.read_text()}')
    result = workshop("check", "--file", str(script), "--json", "--no-gpu")
    assert json.loads(result.stdout)["passed"]
    assert "hello" in result.stderr


MISUSES = (
    (("check", "9"), "there is no exercise 9; the exercises are 1, 1b, 2, 2b, 3, 3b, 4, 4b, "),
    (("check", "1", "--all"), "--all"),
    (("check", "--file", "nowhere.py"), "nowhere.py: expected a Python script, found no such file"),
    (("check", "--file", "pyproject.toml"), "which exercise is pyproject.toml for?"),
    (("check", "1", "2", "--file", "pyproject.toml"), "give one number"),
    (("hint", "0"), "there is no exercise 0"),
    (("watch", "1c"), "there is no exercise 1c"),
    (("bench", "2b"), f"bench has sizes for exercises {', '.join(WORKLOADS)}, and none for 2b"),
    (("reset", "9"), "there is no exercise 9"),
    (("hint", "1", "--level", "4"), "Invalid value"),
)


@pytest.mark.parametrize(("arguments", "message"), MISUSES, ids=lambda value: " ".join(value)[:30])
def test_misuse_ends_with_2_and_a_line(
    desk: Path, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """In this process: what is no misuse that the command knows would leave it as an exception, and fail here."""
    monkeypatch.setattr(sys, "argv", ["workshop", *arguments])
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_misuse_ends_a_process_with_2_and_a_line(run_python: RunPython, desk: Path) -> None:
    arguments, message = MISUSES[0]
    result = run_python("-c", CODE, desk, *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_where_there_is_a_gpu_each_exercise_is_checked_there(
    monkeypatch: pytest.MonkeyPatch, desk: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first check has this process simulate, which says nothing of the machine."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.delenv("TRITON_INTERPRET")
    monkeypatch.setattr(commands, "runs_on_a_gpu", lambda: "TRITON_INTERPRET" not in os.environ)
    asked, verdicts = list[bool](), commands.verdicts

    def on_the_simulator(request: CheckRequest) -> Iterator[Verdict]:
        asked.append(request.full_size)
        return verdicts(replace(request, full_size=False))

    monkeypatch.setattr(commands, "verdicts", on_the_simulator)
    scripts = [(EXERCISES[number], EXERCISES[number].solution_file) for number in ("1", "2")]
    assert commands.run_check(scripts, as_json=True, gpu=True) == 0
    assert asked == [True, True]
