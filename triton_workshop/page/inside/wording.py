"""What a page shows of a verdict: the words of every other screen, as plain data."""

from __future__ import annotations

import base64
import re
from typing import Any

from triton_workshop.checking.judging.verdict import Finding, FindingKind, TileMap, Verdict
from triton_workshop.checking.reporting.description import CELLS, Row, describe
from triton_workshop.exercises.exercise import Exercise

GIVES_CODE = re.compile(
    r"(The solution has:|The exercise gives this:|With this instead, the result is right:)\s(.*)", re.DOTALL
)
"""A hint that ends with code."""


def described(verdict: Verdict, exercise: Exercise, text: str) -> dict[str, Any]:
    """A verdict on this text: a headline, what stands below it, all hints, and the line to mark."""
    finding = next(iter(verdict.findings), None)
    explained, hints = _explained(finding) if finding else ("", ())
    description = describe(verdict, exercise, text, hints=0)
    return {
        "headline": description.headline,
        "tone": description.tone,
        "kind": description.kind,
        "line": finding and finding.line,
        "message": explained or (finding.message if finding else ""),
        "parts": [
            _tiles(part) if isinstance(part, TileMap) else _rows(part, finding, explained) for part in description.parts
        ],
        "hints": [_hint(hint) for hint in hints],
        "toCome": verdict.to_come,
        "pictures": [
            {**vars(picture), "rgb": base64.b64encode(picture.rgb).decode()} for picture in description.pictures
        ],
    }


def _explained(finding: Finding) -> tuple[str, tuple[str, ...]]:
    """What an error means, unless its first hint is a question, and the other hints."""
    first, *others = finding.hints or ("",)
    says = first and not re.split(r"(?<=[.?!:])\s", first)[0].endswith("?")
    return (first, tuple(others)) if says and finding.kind is FindingKind.CRASH else ("", finding.hints)


def _hint(hint: str) -> dict[str, str]:
    """The words of a hint, and the code that it ends with."""
    words, code = found.groups() if (found := GIVES_CODE.fullmatch(hint)) else (hint, "")
    return {"words": words, "code": code}


def _rows(rows: tuple[Row, ...], finding: Finding | None, explained: str) -> dict[str, Any]:
    """Rows of a table; those of a script have the numbers of lines before them."""
    if explained and finding and rows == (((finding.message, "plain"),),):
        rows = (((explained, "plain"),), ((finding.message, "muted"),))
    is_code = finding is not None and all(row[0][0].lstrip("❱ ").isdigit() for row in rows)
    return {"rows": rows, "code": is_code}


def _tiles(tiles: TileMap) -> dict[str, Any]:
    """The map, one plane where all are alike, each cell as its letter and tone; and what the letters mean."""
    planes = tiles.planes if len(set(tiles.planes)) > 1 else tiles.planes[:1]
    return {
        "planes": [[[CELLS[state] for state in row] for row in plane] for plane in planes],
        "what": tiles.what,
        "legend": [(*CELLS[state], str(state)) for state in tiles.states],
    }
