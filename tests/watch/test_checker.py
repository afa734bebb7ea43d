"""A check in a process beside this one: what comes of it, and that nothing of it stays."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import dies
from triton_workshop.checking.judging.verdict import FindingKind, Verdict
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.compilers import CachingWorker
from triton_workshop.watch.checker import Checker, Checking, StoppedError, _Process

ADD = EXERCISES["1"]
SOLUTION = ADD.solution_file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checker() -> Iterator[Checker]:
    checker = Checker()
    yield checker
    checker.close()


def last(checking: Checking) -> Verdict:
    """The last verdict of a check, which has ended."""
    try:
        *_, verdict = checking.verdicts()
        return verdict
    finally:
        checking.finish()


def is_stopped(checking: Checking) -> None:
    with pytest.raises(StoppedError):
        last(checking)


def test_a_solution_passes_and_a_mistake_is_found_by_the_same_process_family(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    for text, kind in [(SOLUTION, None), (SOLUTION.replace("pid * BLOCK_SIZE + ", ""), FindingKind.UNWRITTEN)]:
        file.write_text(text)
        verdict = last(checker.check(ADD, file))
        assert [finding.kind for finding in verdict.findings[:1]] == ([kind] if kind else [])
    assert verdict.findings[0].tiles is not None, "it comes whole"
    assert verdict.findings[0].element is not None


def test_todos_are_tried_after_the_verdict_that_a_text_allows(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(ADD.shipped_text.replace("pid = ...", "pid = tl.program_id(0)"))
    checking = checker.check(ADD, file)
    first, *_, last = checking.verdicts()
    checking.finish()
    assert first.findings == last.findings
    assert not first.todos
    assert [(todo.number, todo.right) for todo in last.todos] == [(1, True)]


def test_what_the_script_prints_is_kept_apart_from_the_verdict(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SOLUTION.replace("    output = torch", "    print('hello from the script')\n    output = torch"))
    checking = checker.check(ADD, file)
    assert last(checking).passed
    assert b"hello from the script" in checking.printed()


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes of the file system are POSIX's")
def test_a_stopped_check_leaves_no_process_behind(checker: Checker, tmp_path: Path) -> None:
    file, pid = tmp_path / "script.py", tmp_path / "pid"
    waits = f"    import os; open({str(pid)!r}, 'w').write(str(os.getpid()))\n    while True:\n        pass\n"
    file.write_text(SOLUTION.replace("    output = torch", f"{waits}    output = torch"))
    checking = checker.check(ADD, file)
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            last(checking)
        except StoppedError as error:
            ended.append(error)

    os.mkfifo(pid)
    thread = threading.Thread(target=wait)
    thread.start()
    process = int(pid.read_text())  # waits until the script has written it
    checking.stop()
    thread.join(10)
    assert len(ended) == 1
    assert dies(process)


def test_a_check_that_is_stopped_before_it_begins_does_not_begin(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SOLUTION)
    checking = checker.check(ADD, file)
    checking.stop()
    with pytest.raises(StoppedError):
        last(checking)


def test_a_check_that_is_stopped_before_it_has_begun_leaves_its_process_to_the_next(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which so waits only for what is left of the imports, however fast the saves follow each other."""
    file, waits = tmp_path / "script.py", threading.Event()
    file.write_text(SOLUTION)
    with monkeypatch.context() as patch:
        patch.setattr(_Process, "is_ready", lambda _: waits.set())
        checking = checker.check(ADD, file)
        thread = threading.Thread(target=is_stopped, args=(checking,))
        thread.start()
        assert waits.wait(60)
        process = checking._process
        checking.stop()
        thread.join(60)
    again = checker.check(ADD, file)
    assert last(again).passed
    assert again._process is process


def test_a_right_script_has_a_verdict_before_the_compiler_has_spoken(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SOLUTION.replace("    x = tl.load", "    while mask is None:\n        break\n    x = tl.load"))
    checking = checker.check(ADD, file)
    first, simulated, *_, compiled = checking.verdicts()
    checking.finish()
    assert first.passed
    assert first.to_come == len(ADD.long_cases)
    assert simulated.passed
    assert simulated.to_come == 0
    assert [finding.kind for finding in compiled.findings] == [FindingKind.DOES_NOT_COMPILE]
    assert compiled.findings[0].source == "break"


@pytest.mark.library
def test_only_the_watcher_asks_the_compiler_once_and_first_about_the_gpus_that_decide(
    checker: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, asked, send = tmp_path / "script.py", list[object](), CachingWorker.send
    file.write_text(SOLUTION)
    monkeypatch.setattr(CachingWorker, "send", lambda worker, jobs: (asked.extend(jobs), send(worker, jobs)))
    checking = checker.check(ADD, file)
    *others, decided, last_of_all = checking.verdicts()
    checking.finish()
    assert len(asked) == len(set(asked))
    assert others
    assert not any(verdict.compiler for verdict in others)
    assert len(decided.compiler) == 1
    assert last_of_all.compiler[:1] == decided.compiler
    assert last_of_all.compiler[1].startswith("It also compiles for ")


def test_a_file_that_is_not_there_gets_a_verdict(checker: Checker, tmp_path: Path) -> None:
    assert last(checker.check(ADD, tmp_path / "nowhere.py")).findings[0].kind is FindingKind.CRASH


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_gets_a_verdict(checker: Checker, tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SOLUTION)
    file.chmod(0)
    assert "cannot be read" in last(checker.check(ADD, file)).findings[0].message


@pytest.mark.library
def test_values_come_first_then_what_is_counted_and_then_what_the_compiler_says(
    checker: Checker, tmp_path: Path
) -> None:
    exercise = EXERCISES["7e"]
    file = tmp_path / "script.py"
    file.write_text(exercise.shipped_text)
    checking = checker.check(exercise, file)
    verdicts = list(checking.verdicts())
    checking.finish()
    first, counted, *_, last = verdicts
    assert [goal.holds for goal in first.goals] == [None, None, None]
    assert [goal.holds for goal in counted.goals] == [True, None, None]
    assert all(verdict.passed for verdict in (first, counted))
    assert [(goal.holds, goal.measured) for goal in last.goals][1] == (False, "HMMA")
    assert [finding.kind for finding in last.findings] == [FindingKind.CORRECT_BUT_SLOW]
