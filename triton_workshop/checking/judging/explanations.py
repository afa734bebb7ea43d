"""Triton's and Python's own error messages, in words for somebody who writes a first kernel."""

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
    """Is searched for in the type and the message of each error in the chain. Empty where the script's text tells."""
    where: str = ""
    """Means this only "inside kernels", or only "outside kernels"; empty where it means it everywhere."""
    at_once: bool = False
    """Whether the mistake is on the very line where the script stops."""
    at_launch: bool = False
    """Whether the mistake was made where the kernel is launched, wherever it came to light."""


@functools.cache
def explanations() -> dict[str, Explanation]:
    """By name, in the order in which they are tried."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: Explanation(name, tuple(entry.pop("hints")), **entry) for name, entry in table.items()}


def explain(chain: str, in_kernel: bool = False) -> Explanation | None:
    """What an error, each link of its chain on a line of its own, means for a kernel or a launch."""
    elsewhere = "outside kernels" if in_kernel else "inside kernels"
    known = (each for each in explanations().values() if each.pattern and each.where != elsewhere)
    return next((each for each in known if re.search(each.pattern, chain, re.MULTILINE)), None)


def explanation_named(name: str) -> Explanation:
    return explanations()[name]
