"""Explains Triton's and Python's own error messages to somebody who is writing a first kernel."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Explanation:
    """What an error message means."""

    name: str
    hints: tuple[str, ...]
    pattern: str = ""
    """It is searched for in the type and message of each error in the chain. Empty if the script's text decides."""
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


def explain(chain: str, in_kernel: bool = False) -> Explanation | None:
    """Explain an error, given with one line per link of its chain, in a kernel or at a launch."""
    elsewhere = "outside kernels" if in_kernel else "inside kernels"
    known = (each for each in explanations().values() if each.pattern and each.where != elsewhere)
    return next((each for each in known if re.search(each.pattern, chain, re.MULTILINE)), None)


def explanation_named(name: str) -> Explanation:
    return explanations()[name]
