"""What a page shows of a verdict: an error in words before Python's, and the code of a hint as code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.checking.judging import judge_here
from triton_workshop.checking import large_cases
from triton_workshop.checking.check import source_or_verdict
from triton_workshop.checking.judging.verdict import Finding, FindingKind, Verdict
from triton_workshop.exercises import EXERCISES
from triton_workshop.page.inside.wording import describe_verdict

ADD = EXERCISES["1"]


def said(finding: Finding) -> dict[str, object]:
    return describe_verdict(Verdict("1", Path("mine.py"), "simulator", 0.1, (), (finding,)), ADD, ADD.solution)


@pytest.mark.parametrize("number", EXERCISES)
def test_the_last_hint_of_each_todo_ends_with_code(number: str) -> None:
    exercise = EXERCISES[number]
    for todo in range(1, len(exercise.hints) + 1):
        *others, last = said(Finding(FindingKind.WRONG_VALUES, "", exercise.todo_hints(todo)))["hints"]  # type: ignore[misc]
        assert last["words"] == "The solution has:"
        assert last["code"] in exercise.solution.replace("\n    ", "\n") or "\n" in last["code"]
        assert all(hint["code"] == "" for hint in others)


def test_a_slips_hint_ends_with_code() -> None:
    found = said(Finding(FindingKind.WRONG_VALUES, "", ("?", "With this instead, the result is right: x + y")))
    assert found["hints"][1] == {"words": "With this instead, the result is right:", "code": "x + y"}  # type: ignore[index]


def test_a_syntax_error_says_what_it_means_before_what_python_says(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(ADD.solution.replace("def add_kernel(", "def add_kernel"))
    verdict = source_or_verdict(ADD, tmp_path / "mine.py", 0.0)
    assert isinstance(verdict, Verdict)
    (meaning, python), *_ = (part["rows"] for part in describe_verdict(verdict, ADD, verdict.text)["parts"])
    assert meaning[0][0].startswith("Python cannot read this line.")
    assert python == (("SyntaxError: unmatched ')'", "muted"),)
    assert describe_verdict(verdict, ADD, verdict.text)["hints"] == []


def test_a_hint_that_asks_waits_until_it_is_asked_for() -> None:
    found = said(Finding(FindingKind.CRASH, "TypeError: no", ("Which one? This one.", "That one.")))
    assert found["message"] == "TypeError: no"
    assert len(found["hints"]) == 2  # type: ignore[arg-type]


def test_findings_alike_are_counted_and_no_kind_is_named() -> None:
    loads = [Finding(FindingKind.OUT_OF_BOUNDS_LOAD, "") for _ in range(3)]
    findings = (*loads, Finding(FindingKind.OUT_OF_BOUNDS_STORE, ""))
    verdict = Verdict("1", Path("mine.py"), "simulator", 0.1, (), findings)
    shown = describe_verdict(verdict, ADD, ADD.solution)
    text = "2 more like it. Also: it writes outside a tensor. Fix the first one first."
    assert (((text, "muted"),)) in [row for part in shown["parts"] for row in part["rows"]]


def test_a_right_script_is_told_what_it_moved_and_what_was_learnt(tmp_path: Path) -> None:
    (tmp_path / "exercise_1.py").write_text(ADD.solution)
    verdict = judge_here(ADD, tmp_path / "exercise_1.py", search=0.0)
    (moved,), (learnt,) = describe_verdict(verdict, ADD, ADD.solution)["parts"][0]["rows"]
    assert moved[0] == "Bytes moved with 98,317 elements: 1,179,804, and no kernel can do with fewer."
    assert "five steps" in learnt[0]


def test_a_right_script_is_not_told_what_the_page_has_no_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_cases, "_can_map", lambda: False)
    fifth = EXERCISES["5"]
    notes = large_cases.substitution_notes(large_cases.fit_to_memory(fifth))
    verdict = Verdict("5", Path("mine.py"), "simulator", 0.1, (), (), remarks=("Slow.", *notes))
    assert notes
    assert describe_verdict(verdict, fifth, "")["parts"][0]["rows"] == ((("Slow.", "warning"),),)
