"""The languages that a deck's code blocks may be in, with the commands that run them: `languages.toml` lists them."""

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
    """How code is run. `package` is what must be installed."""

    extension: str
    commands: tuple[str, ...]
    package: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def command_lines(self, file: Path) -> list[list[str]]:
        """The commands, split into words, for a file that holds the code."""
        places = {"file": file, "program": file.with_suffix(""), "folder": file.parent, "python": sys.executable}
        return [[word.format(**places) for word in shlex.split(command)] for command in self.commands]

    def missing(self, search_path: str | None) -> str | None:
        """The first program that this machine lacks; None if all are there."""
        programs = (shlex.split(command)[0] for command in self.commands)
        needed = (program for program in programs if not program.startswith("{"))
        return next((program for program in needed if shutil.which(program, path=search_path) is None), None)


@dataclass(frozen=True)
class Language:
    name: str
    executor: LanguageExecutor
    alternatives: Mapping[str, LanguageExecutor]
    """Further ways to run it, such as python's `uv`."""
    hidden_prefix: str
    """What a line begins with that runs but is not shown; empty if there are none."""


@functools.cache
def languages() -> Mapping[str, Language]:
    """By each of their names."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    found: dict[str, Language] = {}
    for name, row in table.items():
        found |= dict.fromkeys((name, *row.pop("aliases", ())), _language(name, **row))
    return found


def _language(
    name: str, hidden_prefix: str = "/// ", alternatives: Mapping[str, Any] | None = None, **usual: Any
) -> Language:
    others = {other: LanguageExecutor(**{**usual, **changed}) for other, changed in (alternatives or {}).items()}
    return Language(name, LanguageExecutor(**usual), others, hidden_prefix)


def runnable(language: str) -> bool:
    """Whether code in this language can run, provided its programs are installed."""
    return language in languages()
