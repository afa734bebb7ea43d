"""What to write in a kernel instead of what PyTorch, NumPy or Python would have there: `habits.toml` has the table."""

from __future__ import annotations

import ast
import difflib
import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.checking.observing.source import called

LIBRARIES = ("torch", "np", "numpy", "math", "F", "nn", "functional", "cp", "jnp")
"""The names by which people call libraries that no kernel knows."""
_ATTRIBUTE = re.compile(r"(?:module 'triton(?:\.language)?'|'(?:tensor|constexpr)' object) has no attribute '(\w+)'")
_NAME = re.compile(r"name '(\w+)' is not defined|NameError: (\w+) is not defined")
"""How Python and Triton say that a block, or `tl`, has no such attribute, and that there is no such name."""
_CALLED = re.compile(rf"\b(?:{'|'.join(LIBRARIES)})(?:\.\w+)*?\.(\w+)\(")
_TYPE = re.compile(rf"\b(?:{'|'.join(LIBRARIES)})\.(\w+)\b(?![.(])")
"""A function and a type of a library in a line of code."""
_LIMIT = re.compile(r"\btl\.(?:b?float|fp|bf)\d+\.(?:min|max|lowest|smallest|eps|tiny)\b")
"""A type of Triton's, asked for its limits as PyTorch's `finfo` has them."""
_MADE_FLAT = re.compile(r"\.(reshape|view)\(\(?[^()]*-1")
"""What Triton has too, but not with a size that it would have to find."""
ALIKE = 0.7
"""How much alike, from 0 to 1, two names must be for one to be the other misspelt."""


@dataclass(frozen=True)
class Habits:
    """The table: names that Triton has, and by the names of others, what Triton has for them."""

    names: frozenset[str]
    code: dict[str, str]
    """By code for PyTorch or NumPy: the same for a kernel."""
    types: dict[str, str]
    words: dict[str, str]

    def lines_of(self, name: str) -> list[str]:
        """The code for PyTorch or NumPy in which a function or a method has this name."""
        return [left for left in self.code if name_of(left) == name]


@functools.cache
def habits() -> Habits:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return Habits(frozenset(table.pop("names").split()), **table)


def name_of(code: str) -> str:
    """The last part of the name that a piece of code calls: `clamp` for `x.clamp(max=1.0)`."""
    return code.partition("(")[0].rpartition(".")[2]


def in_triton(error: str, code: str) -> str:
    """What to write instead on this line of a kernel, of which this error came; empty if nothing is known."""
    return next(filter(None, _sentences(error, code)), "")


def _sentences(error: str, code: str) -> Iterator[str]:
    """What may be said, the likeliest first: about the name in the error, and about what the line has of libraries."""
    known = habits()
    if _LIMIT.search(code):
        yield known.words["finfo"]
    for name in _ATTRIBUTE.findall(error):
        yield _type(name) if re.search(rf"\btl\.{name}\b(?!\()", code) else ""
        yield _instead_of(name, code)
        if close := difflib.get_close_matches(name, known.names, 1, ALIKE):
            yield f"Triton has no {name}. Did you mean tl.{close[0]}?"
    missing = {first or second for first, second in _NAME.findall(error)}
    for name in missing.difference(LIBRARIES):
        yield known.words.get(name) or _instead_of(name, code)
        yield from (known.words[asked] for asked in re.findall(rf"\b{name}\.(shape|size|numel|stride|ndim)\b", code))
    yield from (_instead_of(name, code) for name in (*_CALLED.findall(code), *_MADE_FLAT.findall(code)))
    yield from map(_type, _TYPE.findall(code))
    for name in missing.intersection(LIBRARIES):
        yield from (_instead_of(attribute, code) for attribute in _TYPE.findall(code))
        yield f"{name} is a library of Python's, which a kernel cannot use."


def _type(name: str) -> str:
    own = habits().types.get(name)
    return f"A kernel's types are Triton's: write {own}." if own else ""


def _instead_of(name: str, code: str) -> str:
    known = habits()
    if lines := known.lines_of(name):
        typed = _call(code, name)
        left = max(lines, key=lambda line: _likeness(_call(line, name), typed))
        prefix = re.search(rf"\b((?:{'|'.join(LIBRARIES)}|tl)\.)(?:\w+\.)*{name}\(", code)
        shown = left.replace("torch.", prefix[1], 1) if prefix else left
        return f"In a kernel, write {known.code[left]} for {shown}."
    if name in known.names and not re.search(rf"\btl\.{name}\b", code):
        return f"{name} belongs to Triton's language: write tl.{name}."
    return known.words.get(name, "")


def _call(code: str, name: str) -> ast.Call | None:
    """The call of this name on a line; None if the line has none, or goes on on the next one."""
    try:
        nodes = list(ast.walk(ast.parse(code.strip())))
    except SyntaxError:
        return None
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return next((call for call in calls if called(call) == name), None)


def _likeness(one: ast.Call | None, other: ast.Call | None) -> tuple[bool, bool, float]:
    """How much alike two calls are: in what they name, in how much they pass, and as texts."""
    if one is None or other is None:
        return False, False, 0.0
    names, others = ({keyword.arg for keyword in call.keywords} for call in (one, other))
    first, second = (", ".join(map(ast.unparse, call.args)) for call in (one, other))
    alike = difflib.SequenceMatcher(None, first, second).ratio()
    return names == others, len(one.args) == len(other.args), alike
