"""Explanations of error messages and of results, by name."""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass, replace
from typing import Any

from triton_workshop.checking.judging.habits import suggest_triton_code
from triton_workshop.hints import table

SUBJECTS = ("errors", "compiler", "results", "slips")
"""Tables of explanations, in the order in which their patterns are tried."""


@dataclass(frozen=True)
class Explanation:
    """Explanation of an error or of a result."""

    name: str
    hints: tuple[str, ...]
    pattern: str = ""
    """A pattern for the type and message of an error in the chain.

    It is empty if the script's text decides.
    """
    code: str = ""
    """A pattern for the line where the script stops, if it is not empty."""
    where: str = ""
    """Either "inside kernels" or "outside kernels"; empty for everywhere."""
    at_once: bool = False
    """True if the mistake is on the very line where the script stops."""
    at_launch: bool = False
    """True if the mistake is in the launch, wherever it was noticed."""


@functools.cache
def explanations() -> dict[str, Explanation]:
    """Return all explanations by name, in the order in which they are tried."""
    entries = itertools.chain.from_iterable(table(subject).items() for subject in SUBJECTS)
    return {name: _explanation(name, **entry) for name, entry in entries}


def _explanation(name: str, hints: list[str], **conditions: Any) -> Explanation:
    return Explanation(name, tuple(hints), **conditions)


def explanation_named(name: str) -> Explanation:
    """Return the explanation of this name. Raises KeyError if there is none."""
    return explanations()[name]


def find_explanation(chain: str, in_kernel: bool = False, code: str = "") -> Explanation | None:
    """Return the first explanation that fits an error on a line.

    `chain` has a line for each error that led to the one before it, and `code` is the line where the script stops.
    """
    excluded = "outside kernels" if in_kernel else "inside kernels"
    candidates = (explanation for explanation in explanations().values() if explanation.where != excluded)
    return next((explanation for explanation in candidates if _fits(explanation, chain, code)), None)


def _fits(explanation: Explanation, chain: str, code: str) -> bool:
    """Return whether both patterns of an explanation fit an error."""
    if not explanation.pattern:
        return False
    if not re.search(explanation.pattern, chain, re.MULTILINE):
        return False
    return re.search(explanation.code, code) is not None


def find_kernel_explanation(error: str, code: str) -> Explanation | None:
    """Return an explanation of an error on this line of a kernel.

    What Triton has for the code on that line says more than the error.
    """
    if suggestion := suggest_triton_code(error, code):
        explanation = explanation_named("not-of-triton")
        return replace(explanation, hints=(suggestion, *explanation.hints))
    return find_explanation(error, in_kernel=True, code=code)
