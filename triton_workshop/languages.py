"""Languages of a deck's code blocks, listed in `languages.toml`.

Each has the commands that run it.
"""

from __future__ import annotations

import functools
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class LanguageExecutor:
    """Way to run code.

    `package` is what must be installed.
    """

    extension: str
    commands: tuple[str, ...]
    package: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def command_lines(self, file: Path) -> list[list[str]]:
        """Return the commands, split into words, for a file that holds the code."""
        values = {"file": file, "program": file.with_suffix(""), "folder": file.parent, "python": sys.executable}
        return [[argument.format(**values) for argument in shlex.split(command)] for command in self.commands]

    def missing(self, search_path: str | None) -> str | None:
        """Return the first program that this machine lacks; None if all are there."""
        programs = (shlex.split(command)[0] for command in self.commands)
        needed = (program for program in programs if not program.startswith("{"))
        return next((program for program in needed if shutil.which(program, path=search_path) is None), None)


@dataclass(frozen=True)
class Language:
    """Language of a code block."""

    name: str
    executor: LanguageExecutor
    alternatives: Mapping[str, LanguageExecutor]
    """Further ways to run it, such as python's `uv`."""
    hidden_prefix: str
    """The prefix of a line that runs but is not shown; empty for none."""


@functools.cache
def languages() -> Mapping[str, Language]:
    """By each of their names."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    by_name: dict[str, Language] = {}
    for name, row in table.items():
        by_name |= dict.fromkeys((name, *row.pop("aliases", ())), _language(name, **row))
    return by_name


def _language(
    name: str, hidden_prefix: str = "/// ", alternatives: Mapping[str, Any] | None = None, **usual: Any
) -> Language:
    executors = {
        alternative: LanguageExecutor(**{**usual, **overrides})
        for alternative, overrides in (alternatives or {}).items()
    }
    return Language(name, LanguageExecutor(**usual), executors, hidden_prefix)


def runnable(language: str) -> bool:
    """Return True if code in this language can run.

    Its programs need not be installed.
    """
    return language in languages()
