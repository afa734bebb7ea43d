"""The line that opens a code block, "```python +exec {1,3-5|all}", and its attributes as one table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .model import Execution, Pty
from .spelling import did_you_mean


class FenceError(Exception):
    """Why presenterm would refuse a code block."""


RENDERED_LANGUAGES = ("mermaid", "latex", "typst", "d2")

Highlight = tuple[range, ...] | None
"""Ranges of line numbers; None for all."""


@dataclass(frozen=True)
class Fence:
    """A code block's opening line, parsed."""

    language: str
    line_numbers: bool = False
    background: bool = True
    highlights: tuple[Highlight, ...] = (None,)
    runs: bool = False
    automatic: bool = False
    representation: Execution | None = None
    """REPLACE, IMAGE or TERMINAL; None shows the code with its output under it."""
    alternative: str | None = None
    pty: Pty | None = None
    identifier: str | None = None
    validate: bool = False
    validate_alternative: str | None = None
    expect_failure: bool = False
    render: bool = False
    width_percent: int | None = None
    given: frozenset[str] = field(default=frozenset())

    @property
    def execution(self) -> Execution:
        if not self.runs:
            return Execution.NONE
        if self.representation:
            return self.representation
        return Execution.AUTOMATIC if self.automatic else Execution.ON_KEY


Apply = Callable[[Fence, str | None], Fence]


@dataclass(frozen=True)
class Attribute:
    """A row of the table: what follows `+name`, and how it changes the fence."""

    name: str
    value: str | None
    """How the value is written, in brackets if it is optional; None if there is no value."""
    effect: str
    apply: Apply

    @property
    def spelling(self) -> str:
        return f"+{self.name}{self.value or ''}"


def _run(fence: Fence, alternative: str | None, representation: Execution | None = None) -> Fence:
    if fence.render:
        raise FenceError("+render cannot be used with an attribute that runs the block")
    if representation and fence.representation:
        raise FenceError("only one of +exec_replace, +image and +acquire_terminal can be used")
    return replace(
        fence,
        runs=True,
        alternative=fence.alternative or alternative,
        representation=representation or fence.representation,
    )


def _render(fence: Fence, _value: str | None) -> Fence:
    if fence.runs:
        raise FenceError("+render cannot be used with an attribute that runs the block")
    return replace(fence, render=True)


def _pty(fence: Fence, value: str | None) -> Fence:
    match = re.fullmatch(r"(standby)?(?:(?:^|:)(?:([0-9]{1,5}):([0-9]{1,5}))?)?", value or "")
    if not match:
        raise FenceError(f"+pty:{value}: expected [standby:]COLUMNS:ROWS, as in +pty:80:24")
    columns, rows = (int(size) if size else None for size in match.group(2, 3))
    if max(columns or 0, rows or 0) > 65535:
        raise FenceError(f"+pty:{value}: at most 65535 columns and rows")
    return replace(_run(fence, None), pty=Pty(columns, rows, bool(match[1])))


def _expect(fence: Fence, value: str | None) -> Fence:
    if value not in ("success", "failure", "fail"):
        raise FenceError(f"+expect:{value}: expected success or failure")
    return replace(fence, expect_failure=value != "success")


def percent(value: str) -> int:
    """`50%` as 50. FenceError if it is not a percentage from 1% to 100%."""
    match = re.fullmatch(r"([0-9]{1,3})%", value)
    if not match or not 1 <= int(match[1]) <= 100:
        raise FenceError(f"expected a width from 1% to 100%, got '{value}'")
    return int(match[1])


ATTRIBUTES = (
    Attribute("line_numbers", None, "numbers the lines", lambda f, _: replace(f, line_numbers=True)),
    Attribute("no_background", None, "no background", lambda f, _: replace(f, background=False)),
    Attribute("exec", "[:ALTERNATIVE]", "runs on Ctrl+E", _run),
    Attribute(
        "auto_exec",
        "[:ALTERNATIVE]",
        "runs when the deck loads",
        lambda f, v: replace(_run(f, v), automatic=True),
    ),
    Attribute(
        "exec_replace",
        "[:ALTERNATIVE]",
        "runs when the deck loads; the output replaces the code",
        lambda f, v: _run(f, v, Execution.REPLACE),
    ),
    Attribute("image", None, "the same; the output is a picture", lambda f, v: _run(f, v, Execution.IMAGE)),
    Attribute(
        "acquire_terminal",
        "[:ALTERNATIVE]",
        "runs with the real terminal",
        lambda f, v: _run(f, v, Execution.TERMINAL),
    ),
    Attribute("pty", "[:[standby:]COLUMNS:ROWS]", "runs in a pseudo-terminal", _pty),
    Attribute("id", ":NAME", "names the block for snippet_output", lambda f, v: replace(f, identifier=v)),
    Attribute(
        "validate",
        "[:ALTERNATIVE]",
        "checked, not shown as runnable",
        lambda f, v: replace(f, validate=True, validate_alternative=v),
    ),
    Attribute("expect", ":success|failure", "how the block should end", _expect),
    Attribute("render", None, "drawn as a picture: mermaid, latex, typst, d2", _render),
    Attribute(
        "width",
        ":N%",
        "the width of what +render draws",
        lambda f, v: replace(f, width_percent=percent(v or "")),
    ),
)

_BY_NAME = {attribute.name: attribute for attribute in ATTRIBUTES}


def read_fence(info: str) -> Fence:
    """Read the text after the backticks. FenceError says why presenterm would refuse it."""
    language, rest = _next_word(info.strip())
    fence = Fence(language.lower())
    rest = rest.lstrip(" ")
    while rest:
        if rest.startswith("{"):
            inside, bracket, rest = rest[1:].partition("}")
            if not bracket:
                raise FenceError("a '{' is not closed with '}'")
            name = "{}"
            applied = replace(fence, highlights=_highlights(inside))
        else:
            word, rest = _next_word(rest)
            name, applied = _attribute(fence, word)
        if name in fence.given:
            raise FenceError(f"{'+' * (name != '{}')}{name} is given twice")
        fence = replace(applied, given=fence.given | {name})
        rest = rest.lstrip(" ")
    if fence.width_percent is not None and not fence.render:
        raise FenceError("+width can only be used with +render")
    return fence


def _next_word(text: str) -> tuple[str, str]:
    word, _, rest = text.partition(" ")
    return word, rest


def _attribute(fence: Fence, word: str) -> tuple[str, Fence]:
    if not word.startswith("+"):
        raise FenceError(f"unknown attribute '{word}'" + did_you_mean(f"+{word}", _spellings()))
    name, colon, value = word[1:].partition(":")
    attribute = _BY_NAME.get(name)
    if attribute is None:
        raise FenceError(f"unknown attribute '+{name}'" + did_you_mean(f"+{name}", _spellings()))
    if bool(colon) and attribute.value is None:
        raise FenceError(f"+{name} takes no value")
    if not colon and attribute.value and not attribute.value.startswith("["):
        raise FenceError(f"+{name} needs a value: {attribute.spelling}")
    return name, attribute.apply(fence, value if colon else None)


def _spellings() -> list[str]:
    return [f"+{attribute.name}" for attribute in ATTRIBUTES]


def _highlights(text: str) -> tuple[Highlight, ...]:
    if not text.strip():
        return (None,)
    return tuple(_highlight(group) for group in text.split("|"))


def _highlight(group: str) -> Highlight:
    pieces = [piece.strip() for piece in group.split(",")]
    lines = tuple(_lines(piece) for piece in pieces if piece != "all")
    return None if "all" in pieces else lines


def _lines(piece: str) -> range:
    match = re.fullmatch(r"\+?([0-9]{1,5})(?:\s*-\s*\+?([0-9]{1,5}))?", piece)
    if not match or max(int(match[1]), int(match[2] or 0)) > 65534:
        raise FenceError(f"highlighted lines: expected numbers as in {{1,3-5|all}}, got '{piece}'")
    first = int(match[1])
    return range(first, int(match[2] or first) + 1)
