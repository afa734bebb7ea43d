"""What presenterm answered to each case of the dialect's table, so that machines without presenterm know it, too.

tests/record_presenterm.py writes it: a line that says what was asked, and then a line for each case.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .conftest import FILES
from .dialect import CASES

RECORDING = Path(__file__).parent / "presenterm.jsonl"
VERSION = (Path(__file__).parent / "presenterm-version").read_text(encoding="utf-8").strip()
"""The presenterm that we stand beside. .ci/presenterm installs it."""
RECORD = "uv run python -m tests.record_presenterm"
FLAGS = {"with -x -X": ("-x", "-X"), "without": ()}
"""The ways in which presenterm is asked: a deck's code may run, or not."""

Answer = Literal["refused", "draws later"] | list[str]
"""The words of each step, slide after slide. A deck whose code runs at once draws at any time: nobody waits for its
words."""


@dataclass(frozen=True)
class Recorded:
    deck: str
    """The digest of the deck that presenterm was asked about."""
    answers: Mapping[str, Answer]
    """By the ways to ask."""


@dataclass(frozen=True)
class Recording:
    asked: Mapping[str, str]
    cases: Mapping[str, Recorded]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def asked_now() -> dict[str, str]:
    """What all answers depend on: the program, and the files that stand beside a deck."""
    return {"presenterm": VERSION, "files": digest(json.dumps(FILES, sort_keys=True))}


def recording_of(answers: Mapping[str, Mapping[str, Answer]]) -> str:
    """The recording as a text; the answers by the ways to ask, and then by case."""
    cases = (
        {"case": name, "deck": digest(CASES[name].deck)} | {way: answers[way][name] for way in FLAGS}
        for name in sorted(CASES)
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (asked_now(), *cases))


def read_recording() -> Recording:
    with RECORDING.open(encoding="utf-8") as file:
        asked, *lines = map(json.loads, file)
    cases = {line["case"]: Recorded(line["deck"], {way: line[way] for way in FLAGS}) for line in lines}
    return Recording(asked, cases)
