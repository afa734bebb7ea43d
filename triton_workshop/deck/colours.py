"""The colours that a theme and a text may name: presenterm's own, and those of the theme's palette."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .errors import RefusedError
from .spelling import did_you_mean

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times as fast
TABLES: dict[str, Any] = yaml.load(Path(__file__).with_name("theme.yaml").read_text(encoding="utf-8"), _LOADER)
"""What `theme.yaml` lists."""
COLOURS = frozenset(TABLES["colours"])


@dataclass(frozen=True)
class PaletteNames:
    """The names that a theme's palette gives to colours, and to classes of text."""

    colours: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()


def check_colour_in_theme(colour: str, palette: frozenset[str], line: int) -> None:
    """A colour as a theme writes it, without the `#` that text needs. Raises RefusedError, with this line."""
    from_palette = re.fullmatch(r"(?:palette:)+(.*)|(?:p:)+(.*)", colour, re.DOTALL)
    if from_palette:
        name = from_palette[1] or from_palette[2]
        if not name:
            raise RefusedError("expected a colour's name after 'palette:'", line)
        check_name(name, "colour", palette, line)
    elif colour not in COLOURS and not re.fullmatch(r"(?:[0-9a-fA-F]{3}){1,2}", colour):
        raise _unknown(colour, "rrggbb", line)


def check_colour_in_text(colour: str, palette: frozenset[str], line: int) -> None:
    from_palette = re.fullmatch(r"(?:palette|p):(.+)", colour)
    if from_palette:
        check_name(from_palette[1], "colour", palette, line)
    elif colour not in COLOURS and not re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}", colour):
        raise _unknown(colour, "#rrggbb", line)


def check_name(name: str, kind: str, known: frozenset[str], line: int) -> None:
    if name not in known:
        valid = did_you_mean(name, sorted(known)) if known else "; it has none"
        raise RefusedError(f"the theme's palette has no {kind} '{name}'" + valid, line)


def _unknown(colour: str, digits: str, line: int) -> RefusedError:
    known = [*sorted(COLOURS), digits, "palette:NAME"]
    return RefusedError(f"unknown colour '{colour}'" + did_you_mean(colour, known), line)
