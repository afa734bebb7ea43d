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


WAITING = {
    "right/exercise_2/builtin_min": "Triton puts tl.minimum in the place of Python's min; the simulator does not yet",
}


def _parameter(script: Path) -> object:
    name = _name(script)
    marks = [pytest.mark.xfail(reason=WAITING[name], strict=True)] if name in WAITING else []
    return pytest.param(script, id=name, marks=marks)


@pytest.mark.parametrize("script", [_parameter(script) for script in SCRIPTS])
def test_the_first_finding_is_the_cause(script: Path, capfd: pytest.CaptureFixture[str]) -> None:
    expected = Expectation.of(script)
    exercise = EXERCISES[int(script.parent.name.removeprefix("exercise_"))]
    limit = 2.0 if expected.kind == "timeout" else 60.0
    verdict = check(exercise, script, limit=limit)
    if expected.kind == "passed":
        assert verdict.findings == ()
        return
    finding = verdict.findings[0]
    assert (str(finding.kind), finding.hint_name) == (expected.kind, expected.hint), finding.message
    if expected.line is not None:
        assert finding.line == expected.line, finding.message
    assert finding.message
    assert finding.hints


def test_there_are_enough_of_them() -> None:
    wrong = [script for script in SCRIPTS if "wrong" in script.parts]
    right = [script for script in SCRIPTS if "right" in script.parts]
    assert len(wrong) >= 60
    assert len(right) >= 20
    assert {script.parent.name for script in wrong} == {f"exercise_{number}" for number in EXERCISES}
