"""What a page shows of a verdict: the words of every other screen, as plain data."""

from __future__ import annotations

import base64
from typing import Any

from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.checking.judging.verdict import Finding, TileMap, Verdict
from triton_workshop.checking.reporting.description import CELLS, Row, describe, hint_rows


def described(verdict: Verdict, exercise: Exercise, text: str) -> dict[str, Any]:
    """A verdict on this text: a headline, what stands below it, all hints, and the line to mark."""
    finding = next(iter(verdict.findings), None)
    hints = finding.hints if finding else ()
    description = describe(verdict, exercise, text, hints=0)
    return {
        "headline": description.headline,
        "tone": description.tone,
        "kind": description.kind,
        "line": finding and finding.line,
        "message": finding.message if finding else "",
        "parts": [_tiles(part) if isinstance(part, TileMap) else _rows(part, finding) for part in description.parts],
        "hints": hint_rows(hints),
        "pictures": [
            {**vars(picture), "rgb": base64.b64encode(picture.rgb).decode()} for picture in description.pictures
        ],
    }


def _rows(rows: tuple[Row, ...], finding: Finding | None) -> dict[str, Any]:
    """Rows of a table; those of a script have the numbers of lines before them."""
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
