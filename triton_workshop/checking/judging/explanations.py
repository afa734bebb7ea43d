"""Explains Triton's and Python's own error messages to somebody who is writing a first kernel."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from triton_workshop.checking.judging.habits import in_triton


@dataclass(frozen=True)
class Explanation:
    """What an error message means."""

    name: str
    hints: tuple[str, ...]
    pattern: str = ""
    """It is searched for in the type and message of each error in the chain. Empty if the script's text decides."""
    code: str = ""
    """It is searched for in the line where the script stops, if it is not empty."""
    where: str = ""
    """Whether it applies only "inside kernels" or only "outside kernels"; empty if it applies everywhere."""
    at_once: bool = False
    """Whether the mistake is on the very line where the script stops."""
    at_launch: bool = False
    """Whether the mistake was made where the kernel is launched, wherever it was noticed."""


@functools.cache
def explanations() -> dict[str, Explanation]:
    """By name, in the order in which they are tried."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: Explanation(name, tuple(entry.pop("hints")), **entry) for name, entry in table.items()}


def explain(chain: str, in_kernel: bool = False, code: str = "") -> Explanation | None:
    """Explain an error, given with one line per link of its chain, on this line of a kernel or of a launcher."""
    elsewhere = "outside kernels" if in_kernel else "inside kernels"
    known = (each for each in explanations().values() if each.pattern and each.where != elsewhere)
    alike = (each for each in known if re.search(each.pattern, chain, re.MULTILINE))
    return next((each for each in alike if re.search(each.code, code)), None)


def explain_in_kernel(error: str, code: str) -> Explanation | None:
    """Explain an error on this line of a kernel: by what Triton has for what is written there, or by the error."""
    if instead := in_triton(error, code):
        own = explanation_named("not-of-triton")
        return replace(own, hints=(instead, *own.hints))
    return explain(error, in_kernel=True, code=code)


def explanation_named(name: str) -> Explanation:
    return explanations()[name]
