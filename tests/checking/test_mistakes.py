"""What the checker says of the mistakes in `tests/exercises`: the finding, the line and the hints."""

from __future__ import annotations

import ast
import io
import os
import pdb
import sys
from pathlib import Path

import pytest

from simulator.tests.tables import EVERY
from triton_workshop.checking import children
from triton_workshop.checking.check import CheckRequest, check, verdicts
from triton_workshop.checking.judging.verdict import Finding, Verdict
from triton_workshop.checking.observing.child import wait_for_a_script
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes import call
from triton_workshop.processes.call import Call
from triton_workshop.processes.process import CAN_FORK

from ..exercises.mistakes import MISTAKES, Mistake
from .judging import LIMIT_SECONDS, judge_here, needs_its_own_process, told, unhurried, verdict_on


@pytest.fixture(autouse=True)
def pythons_own_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the input that a check gives to a script, where pytest's would speak to the terminal."""

    def set_trace() -> None:
        pdb.Pdb(stdin=open(os.devnull, encoding="utf-8"), stdout=io.StringIO()).set_trace(sys._getframe(1))  # noqa: SIM115, PTH123

    monkeypatch.setattr(sys, "breakpointhook", set_trace)


def _script(folder: Path, text: str) -> Path:
    script = folder / "mine.py"
    script.write_text(text, encoding="utf-8")
    return script


def _verdict(mistake: Mistake, folder: Path) -> Verdict:
    limit = 2.0 if mistake.kind == "timeout" else LIMIT_SECONDS
    expected = mistake.kind, mistake.hint, mistake.leaves
    return verdict_on(mistake.exercise, _script(folder, mistake.text), *expected, limit=limit)


@pytest.mark.parametrize("mistake", list(MISTAKES.values())[::EVERY], ids=str)
def test_a_mistake_is_found_on_its_line_with_its_hint(
    mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    finding = _verdict(mistake, tmp_path).findings[0]
    assert (str(finding.kind), finding.hint_name) == (mistake.kind, mistake.hint)
    assert mistake.kind == "timeout" or finding.source == mistake.line  # time may run out on any line of a loop
    assert finding.message
    assert mistake.quote in finding.hints[0]
    assert str(finding.kind) in SHOWN_WHERE_IT_HAPPENS or not _blames_a_right_line(mistake, finding)
    assert not _quotes_what_is_there(mistake, finding)


SHOWN_WHERE_IT_HAPPENS = ("crash", "timeout", "not-a-kernel")


def _blames_a_right_line(mistake: Mistake, finding: Finding) -> bool:
    """Whether its statement stands in the solution just as often, and no hint says that it belongs elsewhere."""
    if finding.line is None or finding.hints[-1].startswith(
        ("In the solution this line", "The solution has this line")
    ):
        return False
    theirs, ours = _statements(mistake.text), list(_statements(mistake.exercise.solution).values())
    statement = theirs.get(finding.line)
    return statement in ours and list(theirs.values()).count(statement) <= ours.count(statement)


def _statements(text: str) -> dict[int, str]:
    """Statements by their first line; of a loop or a branch, what it goes over or asks."""
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    heads = {ast.For: "iter", ast.While: "test", ast.If: "test"}
    return {node.lineno: ast.dump(getattr(node, heads.get(type(node), ""), node)) for node in nodes}


def _quotes_what_is_there(mistake: Mistake, finding: Finding) -> bool:
    lines = {line.strip() for line in mistake.text.splitlines()}
    quotes = [
        hint.partition(":")[2].strip() for hint in finding.hints if hint.startswith(("The solution has:", "The ex"))
    ]
    return any(lines.issuperset(map(str.strip, quote.splitlines())) for quote in quotes)


BOTH_WAYS = 30
"""Of so many mistakes one is judged in this process and in another one."""
IN_THIS_PROCESS = [each for each in MISTAKES.values() if not needs_its_own_process(each.kind, each.hint, each.leaves)]
ALIKE = [each for each in IN_THIS_PROCESS if each.kind not in ("does-not-compile", "does-not-fit")][::BOTH_WAYS]


@pytest.mark.parametrize("mistake", ALIKE, ids=str)
def test_a_process_of_its_own_comes_to_the_same_verdict(
    mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = _script(tmp_path, mistake.text)
    with unhurried():
        # What is filled in of an unfinished script is judged in a process only: `test_unfinished` has that.
        verdict = check(CheckRequest(mistake.exercise, script, limit_seconds=LIMIT_SECONDS, todos=False))
    assert told(judge_here(mistake.exercise, script)) == told(verdict)


needs_forks = pytest.mark.skipif(not CAN_FORK, reason="there are no forks to compare with")
BY_TEXT = ("unfinished", "does-not-compile")
OF_EACH_KIND = {each.kind: each for each in reversed(MISTAKES.values()) if each.kind not in ("timeout", *BY_TEXT)}
"""The first mistake of each kind that only shows when a script runs."""
IN_PICTURES = MISTAKES["2-channels-in-opencv-order"]


@pytest.fixture
def without_forks(monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """A check has one process for a script, as where nothing can fork; the processes that were prepared for it.

    Here they are forks all the same, so that nobody waits for torch.
    """
    started: list[Call] = []

    def prepared(output: int) -> Call:
        started.append(call.fork(wait_for_a_script, output=output))
        return started[-1]

    monkeypatch.setattr(children, "CAN_FORK", False)
    monkeypatch.setattr(children, "start_prepared", prepared)
    return started


@needs_forks
@pytest.mark.parametrize("mistake", [*OF_EACH_KIND.values(), IN_PICTURES], ids=str)
def test_one_process_for_all_comes_to_the_same_verdict_as_forks(
    mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str], without_forks: list[Call]
) -> None:
    script = _script(tmp_path, mistake.text)
    with unhurried():
        verdict = check(CheckRequest(mistake.exercise, script, limit_seconds=LIMIT_SECONDS))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(children, "CAN_FORK", True)
            by_forks = check(CheckRequest(mistake.exercise, script, limit_seconds=LIMIT_SECONDS))
    assert told(verdict) == told(by_forks)
    assert [len(finding.pictures) for finding in verdict.findings] == [len(each.pictures) for each in by_forks.findings]
    assert len(without_forks) == 1
    assert without_forks[0].has_ended()


@needs_forks
@pytest.mark.parametrize("number", ["7a", "7d"])
def test_one_process_counts_what_a_script_costs(
    number: str, capfd: pytest.CaptureFixture[str], without_forks: list[Call]
) -> None:
    exercise = EXERCISES[number]
    with unhurried():
        verdict = check(CheckRequest(exercise, exercise.solution_file, compiler=None))
    assert verdict.passed, verdict.findings
    assert verdict.figures
    assert len(without_forks) == 1


@needs_forks
def test_a_prepared_process_that_was_killed_while_it_waited_is_replaced(
    tmp_path: Path, without_forks: list[Call]
) -> None:
    script = _script(tmp_path, IN_PICTURES.text)
    with (tmp_path / "printed").open("wb") as output, children.start_prepared(output.fileno()) as waiting, unhurried():
        waiting.kill()
        waiting.wait_for_end(5)
        assert waiting.has_ended()
        request = CheckRequest(IN_PICTURES.exercise, script, compiler=None, output=output.fileno())
        *_, verdict = verdicts(request, children.PreparedProcess(waiting, output.fileno()))
        assert told(verdict) == told(check(request))
    assert len(without_forks) == 3


REMEMBERS_IN_TORCH = (
    "    output = torch.empty_like(x)",
    "    output = torch.answer = torch.__dict__.get('answer', torch.empty_like(x))",
)
ENDS_ITSELF = ("    output = torch", "    import os; os._exit(3)\n    output = torch")


@needs_forks
@pytest.mark.parametrize("change", [REMEMBERS_IN_TORCH, ENDS_ITSELF], ids=["has changed torch", "has ended"])
def test_the_search_has_another_process_where_the_scripts_own_is_not_as_it_was(
    change: tuple[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str], without_forks: list[Call]
) -> None:
    exercise = EXERCISES["1"]
    text = exercise.solution.replace(*change)
    assert text != exercise.solution
    assert not check(CheckRequest(exercise, _script(tmp_path, text), limit_seconds=LIMIT_SECONDS)).passed
    assert len(without_forks) == 2
    assert all(process.has_ended() for process in without_forks)


def test_no_hint_says_that_a_line_is_the_only_mistake_where_another_one_is_missing(tmp_path: Path) -> None:
    text = EXERCISES["1"].solution.replace("add_kernel[grid](", "add_kernel(")
    [finding, *_] = judge_here(EXERCISES["1"], _script(tmp_path, text)).findings
    assert finding.hint_name == "kernel-called-without-grid"
    assert "without it" not in " ".join(finding.hints)
