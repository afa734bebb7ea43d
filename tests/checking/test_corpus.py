"""Scripts of learners: wrong ones with the first finding that each deserves, right ones that look different.

A script's first line says `# expect: KIND; hint: NAME`, or `# expect: passed`; its line to be blamed ends in `# HERE`.
"""

from __future__ import annotations

import importlib.metadata
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from triton_workshop.checking.check import check
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import Exercise

from .judging import LIMIT, judge_here, needs_its_own_process, told, unhurried, verdict_on

TESTS = Path(__file__).parents[1]
EXPECTATION = re.compile(r"# expect: (?P<kind>[\w-]+)(; hint: (?P<hint>[\w-]+))?")
UP_TO_A_VERSION = re.compile(r"# expect: passed on Triton (?P<version>[\d.]+); crash (?P<hint>[\w-]+) later")
SCRIPTS = sorted(
    path for folder in ("wrong", "right") for path in TESTS.glob(f"{folder}/exercise_*/*") if path.is_file()
)


@dataclass(frozen=True)
class Expectation:
    kind: str
    hint: str | None
    line: int | None

    @classmethod
    def of(cls, script: Path) -> Expectation:
        lines = script.read_text(encoding="utf-8").splitlines()
        here = [number for number, line in enumerate(lines, start=1) if line.rstrip().endswith("# HERE")]
        line = here[0] if here else None
        versions = UP_TO_A_VERSION.match(lines[0])
        if versions is not None:
            kind = "passed" if _numbers(versions["version"]) >= TRITON else "crash"
            return cls(kind, versions["hint"], line)
        match = EXPECTATION.match(lines[0])
        assert match is not None, f"{script}: its first line says nothing of what is expected"
        return cls(match["kind"], match["hint"], line)


def _numbers(version: str) -> tuple[int, ...]:
    """Major and minor."""
    return tuple(int(part) for part in version.split(".")[:2])


TRITON = _numbers(importlib.metadata.version("triton"))


def _name(script: Path) -> str:
    return "/".join(script.parts[-3:]).partition(".")[0]


def _exercise(script: Path) -> Exercise:
    return EXERCISES[int(script.parent.name.removeprefix("exercise_"))]


@pytest.mark.parametrize("script", SCRIPTS, ids=_name)
def test_the_first_finding_is_the_cause(script: Path, capfd: pytest.CaptureFixture[str]) -> None:
    expected = Expectation.of(script)
    limit = 2.0 if expected.kind == "timeout" else LIMIT
    verdict = verdict_on(_exercise(script), script, expected.kind, expected.hint, limit=limit)
    if expected.kind == "passed":
        assert verdict.findings == ()
        return
    finding = verdict.findings[0]
    assert (str(finding.kind), finding.hint_name) == (expected.kind, expected.hint), finding.message
    if expected.line is not None:
        assert finding.line == expected.line, finding.message
    assert finding.message
    assert finding.hints


EVERY = 20
"""Of so many scripts in a folder one is judged both ways."""


def _sample() -> list[Path]:
    folders: dict[Path, list[Path]] = {}
    for script in SCRIPTS:
        expected = Expectation.of(script)
        if not needs_its_own_process(expected.kind, expected.hint):
            folders.setdefault(script.parent, []).append(script)
    return [script for scripts in folders.values() for script in scripts[::EVERY]]


@pytest.mark.parametrize("script", _sample(), ids=_name)
def test_a_process_of_its_own_comes_to_the_same_verdict(script: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with unhurried():
        verdict = check(_exercise(script), script, limit=LIMIT)
    assert told(judge_here(_exercise(script), script)) == told(verdict)


def test_there_are_enough_of_them() -> None:
    wrong = [script for script in SCRIPTS if "wrong" in script.parts]
    right = [script for script in SCRIPTS if "right" in script.parts]
    assert len(wrong) >= 60
    assert len(right) >= 20
    assert {script.parent.name for script in wrong} == {f"exercise_{number}" for number in EXERCISES}
