"""What the checker found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What can be wrong with a script."""

    UNFINISHED = "unfinished"
    CRASH = "crash"
    OUT_OF_BOUNDS_LOAD = "out-of-bounds-load"
    OUT_OF_BOUNDS_STORE = "out-of-bounds-store"
    RACE = "race"
    INPUT_MODIFIED = "input-modified"
    WRONG_SHAPE = "wrong-shape"
    WRONG_DTYPE = "wrong-dtype"
    UNWRITTEN = "unwritten"
    WRONG_VALUES = "wrong-values"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. `line` and `source` point into the script, where that is known."""

    kind: Kind
    message: str
    hint: str = ""
    line: int | None = None
    source: str = ""
    case: str = ""


@dataclass(frozen=True)
class CaseResult:
    name: str
    passed: bool


@dataclass(frozen=True)
class Verdict:
    """The first finding is the cause; none means that the script is right."""

    exercise: int
    file: Path
    device: str
    seconds: float
    cases: tuple[CaseResult, ...]
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        return not self.findings
