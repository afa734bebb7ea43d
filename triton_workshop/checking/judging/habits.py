"""Suggestions for habits of PyTorch, NumPy and Python in a kernel."""

from __future__ import annotations

import ast
import difflib
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from triton_workshop.checking.observing.source import callee_name
from triton_workshop.hints import sentence, table

LIBRARIES = ("torch", "np", "numpy", "math", "F", "nn", "functional", "cp", "jnp")
"""The names by which people call libraries that no kernel knows."""
_LIBRARY = "|".join(LIBRARIES)
_ATTRIBUTE = re.compile(r"(?:module 'triton(?:\.language)?'|'(?:tensor|constexpr)' object) has no attribute '(\w+)'")
_NAME = re.compile(r"name '(\w+)' is not defined|NameError: (\w+) is not defined")
"""Errors of Python's and Triton's about a missing attribute or name."""
_CALL = re.compile(rf"\b(?:{_LIBRARY})(?:\.\w+)*?\.(\w+)\(")
_TYPE = re.compile(rf"\b(?:{_LIBRARY})\.(\w+)\b(?![.(])")
"""A function and a type of a library in a line of code."""
_TYPE_LIMIT = re.compile(r"\btl\.(?:b?float|fp|bf)\d+\.(?:min|max|lowest|smallest|eps|tiny)\b")
"""A type of Triton's, asked for its limits as PyTorch's `finfo` has them."""
_FLATTENING = re.compile(r"\.(reshape|view)\(\(?[^()]*-1")
"""A reshape to a size that Triton would have to find."""
MIN_SIMILARITY = 0.7
"""The least ratio of difflib's of a misspelt name to the right one."""


@dataclass(frozen=True)
class Habits:
    """Triton's names, and what it has for the names of others."""

    names: frozenset[str]
    code: dict[str, str]
    """By code for PyTorch or NumPy: the same for a kernel."""
    types: dict[str, str]
    advice: dict[str, str]
    """By name: a sentence, where no piece of code does it."""

    def calls_named(self, name: str) -> list[str]:
        """Return the code for PyTorch or NumPy with a call of this name."""
        return [code for code in self.code if function_name(code) == name]


@functools.cache
def habits() -> Habits:
    """Return the table of habits."""
    entries = table("habits")
    return Habits(frozenset(entries["names"].split()), entries["code"], entries["types"], entries["advice"])


def function_name(code: str) -> str:
    """Return the name of the function that a piece of code calls.

    It is `clamp` for `x.clamp(max=1.0)`.
    """
    return code.partition("(")[0].rpartition(".")[2]


def suggest_triton_code(error: str, code: str) -> str:
    """Return what to write on a line of a kernel; empty if nothing is known."""
    return next(filter(None, _suggestions(error, code)), "")


def _suggestions(error: str, code: str) -> Iterator[str]:
    """Yield suggestions, the likeliest first.

    Those on the name in the error come before those on the line's libraries.
    """
    triton = habits()
    if _TYPE_LIMIT.search(code):
        yield triton.advice["finfo"]
    for name in _ATTRIBUTE.findall(error):
        # A name that is not called is likely to be a type, such as tl.float.
        yield _suggest_type(name) if re.search(rf"\btl\.{name}\b(?!\()", code) else ""
        yield _suggest_call(name, code)
        if close := difflib.get_close_matches(name, triton.names, 1, MIN_SIMILARITY):
            yield sentence("names.not-in-triton", name=name, lookalike=close[0])
    # Each match has its name in one of two groups.
    undefined = set(map("".join, _NAME.findall(error)))
    for name in undefined.difference(LIBRARIES):
        yield triton.advice.get(name) or _suggest_call(name, code)
        attributes = re.findall(rf"\b{name}\.(shape|size|numel|stride|ndim)\b", code)
        yield from (triton.advice[attribute] for attribute in attributes)
    yield from (_suggest_call(name, code) for name in (*_CALL.findall(code), *_FLATTENING.findall(code)))
    yield from map(_suggest_type, _TYPE.findall(code))
    for name in undefined.intersection(LIBRARIES):
        yield from (_suggest_call(attribute, code) for attribute in _TYPE.findall(code))
        # Last: that a kernel cannot use a library says less than what to write instead.
        yield sentence("names.library", name=name)


def _suggest_type(name: str) -> str:
    triton_type = habits().types.get(name)
    return sentence("names.type", type=triton_type) if triton_type else ""


def _suggest_call(name: str, code: str) -> str:
    triton = habits()
    if calls := triton.calls_named(name):
        # Of several calls of this name, the one that is written most like the learner's.
        learners = _find_call(code, name)
        habit = max(calls, key=lambda call: _similarity(_find_call(call, name), learners))
        prefix = re.search(rf"\b((?:{_LIBRARY}|tl)\.)(?:\w+\.)*{name}\(", code)
        # Quote it with the learner's own prefix, such as `np.`.
        written = habit.replace("torch.", prefix[1], 1) if prefix else habit
        return sentence("names.write-instead", code=triton.code[habit], habit=written)
    if name in triton.names and not re.search(rf"\btl\.{name}\b", code):
        return sentence("names.without-tl", name=name)
    return triton.advice.get(name, "")


def _find_call(code: str, name: str) -> ast.Call | None:
    """Return the call of this name on a line, if it is all on that line."""
    try:
        nodes = list(ast.walk(ast.parse(code.strip())))
    except SyntaxError:
        return None
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return next((call for call in calls if callee_name(call) == name), None)


def _similarity(one: ast.Call | None, two: ast.Call | None) -> tuple[bool, bool, float]:
    """Return how much alike two calls are: keywords, arguments, text."""
    if one is None or two is None:
        return False, False, 0.0
    first_keywords = {keyword.arg for keyword in one.keywords}
    second_keywords = {keyword.arg for keyword in two.keywords}
    first_text, second_text = (", ".join(map(ast.unparse, call.args)) for call in (one, two))
    ratio = difflib.SequenceMatcher(None, first_text, second_text).ratio()
    return first_keywords == second_keywords, len(one.args) == len(two.args), ratio
