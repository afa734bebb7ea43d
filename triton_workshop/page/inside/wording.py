"""Wording of a verdict in a page: that of every other screen, as data."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from triton_workshop.checking.judging.verdict import Finding, FindingKind, TileMap, TileState, Verdict
from triton_workshop.checking.large_cases import fit_to_memory, substitution_notes
from triton_workshop.checking.reporting.description import CELLS, Row, describe
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.hints import sentence

HINT_WITH_CODE = re.compile(
    r"(The solution has:|The exercise gives this:|With this instead, the result is right:)\s(.*)", re.DOTALL
)
"""Hint that ends with code."""


def describe_verdict(verdict: Verdict, exercise: Exercise, text: str) -> dict[str, Any]:
    """Return a verdict on this text as the page shows it.

    It has a headline, what stands below it, all hints, and the line to mark.
    """
    finding = next(iter(verdict.findings), None)
    explanation, hints = _explanation(finding) if finding else ("", ())
    message = finding.message if finding else ""
    # No page has the gigabytes of some cases, which is no matter for who has written the script.
    remarks = tuple(remark for remark in verdict.remarks if remark not in substitution_notes(fit_to_memory(exercise)))
    # Without hints, which the page has apart, to open them one after the other.
    description = describe(replace(verdict, remarks=remarks), exercise, text, hints=0)
    reward = (((verdict.traffic, "plain"),), ((sentence(f"learnt.{exercise.number}"), "plain"),))
    parts = [_part(detail, finding, explanation) for detail in description.sections]
    has_reward = verdict.passed and bool(verdict.traffic)
    if has_reward:
        parts.insert(0, {"rows": reward, "code": False})
    return {
        "headline": description.headline,
        "tone": description.tone,
        "kind": description.kind,
        "line": finding and finding.line,
        "message": explanation or message,
        "parts": parts,
        "hints": [_hint(hint) for hint in hints],
        "toCome": verdict.to_come,
        "isPreliminary": verdict.is_preliminary,
        "pictures": [
            {**vars(picture), "rgb": base64.b64encode(picture.rgb).decode()} for picture in description.pictures
        ],
    }


def _explanation(finding: Finding) -> tuple[str, tuple[str, ...]]:
    """Return what an error means, and the hints after that.

    A first hint that is a question explains nothing.
    """
    if finding.kind is not FindingKind.CRASH:
        return "", finding.hints
    first, *remaining = finding.hints or ("",)
    is_statement = first and not re.split(r"(?<=[.?!:])\s", first)[0].endswith("?")
    return (first, tuple(remaining)) if is_statement else ("", finding.hints)


def _hint(hint: str) -> dict[str, str]:
    """Return the words of a hint, and the code that it ends with."""
    words, code = match.groups() if (match := HINT_WITH_CODE.fullmatch(hint)) else (hint, "")
    return {"words": words, "code": code}


def _part(section: TileMap | tuple[Row, ...], finding: Finding | None, explanation: str) -> dict[str, Any]:
    """Return a section of a description: a map or rows."""
    return _tiles(section) if isinstance(section, TileMap) else _rows(section, finding, explanation)


def _rows(rows: tuple[Row, ...], finding: Finding | None, explanation: str) -> dict[str, Any]:
    """Return rows of a table; those of a script begin with line numbers."""
    if finding is None:
        return {"rows": rows, "code": False}
    is_message = rows == (((finding.message, "plain"),),)
    if explanation and is_message:
        rows = (((explanation, "plain"),), ((finding.message, "muted"),))
    is_code = all(row[0][0].lstrip("❱ ").isdigit() for row in rows)
    return {"rows": rows, "code": is_code}


def _cells(plane: Sequence[Sequence[TileState]]) -> list[list[tuple[str, str]]]:
    return [[CELLS[state] for state in row] for row in plane]


def _tiles(tiles: TileMap) -> dict[str, Any]:
    """Return the map, with the letter and tone of each cell, and a legend.

    It is one plane where all are alike.
    """
    planes = tiles.planes if len(set(tiles.planes)) > 1 else tiles.planes[:1]
    return {
        "planes": [_cells(plane) for plane in planes],
        "what": tiles.cell,
        "legend": [(*CELLS[state], str(state)) for state in tiles.states],
    }
