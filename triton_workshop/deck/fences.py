"""Opening line of a code block, as in "```python +exec {1,3-5|all}".

Its attributes are one table, `ATTRIBUTES`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from .errors import RefusedError
from .model import Code, Execution
from .spelling import did_you_mean

RENDERED_LANGUAGES = ("mermaid", "latex", "typst", "d2")

Highlight = tuple[range, ...] | None
"""Ranges of line numbers; None for all."""


@dataclass(frozen=True)
class Fence:
    """A code block's opening line, parsed."""

    code: Code
    """The block as far as its opening line describes it, without lines."""
    highlights: tuple[Highlight, ...] = (None,)
    validate_alternative: str | None = None


Apply = Callable[[Fence, str | None], Fence]


@dataclass(frozen=True)
class Attribute:
    """A row of the table: what follows `+name`, and how it changes the fence."""

    name: str
    value: str | None
    """The spelling of the value, or None if there is no value.

    Brackets mark a value that is optional.
    """
    apply: Apply

    @property
    def needs_value(self) -> bool:
        """True if the value must not be omitted."""
        return self.value is not None and not self.value.startswith("[")


def _with(fence: Fence, **changed: object) -> Fence:
    return replace(fence, code=replace(fence.code, **changed))  # type: ignore[arg-type]


_REPRESENTATIONS = frozenset({Execution.REPLACE, Execution.IMAGE})


def _run(fence: Fence, alternative: str | None, execution: Execution = Execution.ON_KEY) -> Fence:
    code = fence.code
    if code.render:
        raise RefusedError("+render cannot be used with an attribute that runs the block")
    if {execution, code.execution} <= _REPRESENTATIONS:
        raise RefusedError("only one of +exec_replace and +image can be used")
    # A block may have several of them; `Execution` lists them from weak to strong.
    stronger = max(code.execution, execution, key=list(Execution).index)
    return _with(fence, execution=stronger, alternative=code.alternative or alternative)


def _render(fence: Fence, _value: str | None) -> Fence:
    if fence.code.execution is not Execution.NONE:
        raise RefusedError("+render cannot be used with an attribute that runs the block")
    return _with(fence, render=True)


def _in_terminal(fence: Fence, alternative: str | None) -> Fence:
    return _with(_run(fence, alternative), terminal=True)


def _pty(fence: Fence, size: str | None) -> Fence:
    match = re.fullmatch(r"(standby(:|$))?([0-9]{1,5}:[0-9]{1,5})?", size or "")
    if match is None:
        raise RefusedError(f"+pty:{size}: expected [standby:]COLUMNS:ROWS, as in +pty:80:24")
    return _in_terminal(fence, None)


def _validate(fence: Fence, value: str | None) -> Fence:
    return replace(_with(fence, validate=True), validate_alternative=value)


def _expect(fence: Fence, value: str | None) -> Fence:
    if value not in ("success", "failure", "fail"):
        raise RefusedError(f"+expect:{value}: expected success or failure")
    return _with(fence, expect_failure=value != "success")


def percent(value: str) -> int:
    """Return 50 for `50%`, or raise RefusedError.

    The percentage must be from 1% to 100%.
    """
    match = re.fullmatch(r"([0-9]{1,3})%", value)
    percentage = int(match[1]) if match else 0
    if not 1 <= percentage <= 100:
        raise RefusedError(f"expected a width from 1% to 100%, got '{value}'")
    return percentage


ATTRIBUTES = (
    Attribute("line_numbers", None, lambda fence, _: _with(fence, line_numbers=True)),
    Attribute("no_background", None, lambda fence, _: _with(fence, background=False)),
    Attribute("exec", "[:ALTERNATIVE]", _run),
    Attribute("auto_exec", "[:ALTERNATIVE]", lambda fence, value: _run(fence, value, Execution.AUTOMATIC)),
    Attribute("exec_replace", "[:ALTERNATIVE]", lambda fence, value: _run(fence, value, Execution.REPLACE)),
    Attribute("image", None, lambda fence, value: _run(fence, value, Execution.IMAGE)),
    Attribute("acquire_terminal", "[:ALTERNATIVE]", _in_terminal),
    Attribute("pty", "[:[standby:]COLUMNS:ROWS]", _pty),
    Attribute("id", ":NAME", lambda fence, _: fence),  # for snippet_output, where a line says what is not drawn
    Attribute("validate", "[:ALTERNATIVE]", _validate),
    Attribute("expect", ":success|failure", _expect),
    Attribute("render", None, _render),
    Attribute("width", ":N%", lambda fence, value: _with(fence, render_width_percent=percent(value or ""))),
)
_BY_NAME = {attribute.name: attribute for attribute in ATTRIBUTES}


def read_fence(info: str) -> Fence:
    """Read the text after the backticks.

    Raises RefusedError if presenterm would refuse it.
    """
    language, _, rest = info.strip().partition(" ")
    fence = Fence(Code(language.lower(), (), "", ()))
    names: set[str] = set()
    while rest := rest.lstrip(" "):
        if rest.startswith("{"):
            inside, bracket, rest = rest[1:].partition("}")
            if not bracket:
                raise RefusedError("a '{' is not closed with '}'")
            # It has a name like an attribute, so that a second one is noticed.
            name, fence = "{}", replace(fence, highlights=_highlights(inside))
        else:
            token, _, rest = rest.partition(" ")
            name, fence = _attribute(fence, token)
        if name in names:
            raise RefusedError(f"{name} is given twice")
        names.add(name)
    # Only now, as +render may stand after +width.
    if fence.code.render_width_percent is not None and not fence.code.render:
        raise RefusedError("+width can only be used with +render")
    return fence


def _attribute(fence: Fence, token: str) -> tuple[str, Fence]:
    """Return the attribute's name, with its plus, and the fence with it."""
    spellings = [f"+{name}" for name in _BY_NAME]
    if not token.startswith("+"):
        # The plus may be all that is missing.
        raise RefusedError(f"unknown attribute '{token}'" + did_you_mean(f"+{token}", spellings))
    name, colon, value = token.partition(":")
    attribute = _BY_NAME.get(name[1:])
    if attribute is None:
        raise RefusedError(f"unknown attribute '{name}'" + did_you_mean(name, spellings))
    if colon:
        if attribute.value is None:
            raise RefusedError(f"{name} takes no value")
        return name, attribute.apply(fence, value)
    if attribute.needs_value:
        raise RefusedError(f"{name} needs a value: {name}{attribute.value}")
    return name, attribute.apply(fence, None)


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
    if match:
        first = int(match[1])
        last = int(match[2] or first)
        # presenterm's line numbers have 16 bits.
        if max(first, last) <= 65534:
            return range(first, last + 1)
    raise RefusedError(f"highlighted lines: expected numbers as in {{1,3-5|all}}, got '{piece}'")
