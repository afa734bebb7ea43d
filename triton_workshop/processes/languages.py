"""The commands that run a block, by language: `languages.toml` lists them, as presenterm runs them."""

from __future__ import annotations

import functools
import os
import shlex
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from triton_workshop.processes.script import CannotRunError

ALIASES = {
    "bat": "cmd",
    "cpp": "c++",
    "javascript": "js",
    "nu": "nushell",
    "powershell": "pwsh",
    "shell": "sh",
    "typescript": "ts",
}


@dataclass(frozen=True)
class Executor:
    """How code is run, as in `languages.toml`. `package` is what must be installed."""

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


@functools.cache
def executors() -> Mapping[str, Executor]:
    """By language, or language:alternative."""
    table = tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))
    return {name: Executor(**fields) for name, fields in table.items()}


def runnable(language: str) -> bool:
    """Whether code in this language can run, provided its programs are installed."""
    return ALIASES.get(language, language) in executors()


def executor(language: str, alternative: str | None = None) -> Executor:
    """How a language is run, by an alternative such as python's `uv` if one is named. Raises CannotRunError."""
    name = ALIASES.get(language, language)
    if name not in executors():
        known = ", ".join(name for name in executors() if ":" not in name)
        raise CannotRunError(f"cannot run {language!r}; expected one of {known}")
    found = executors().get(f"{name}:{alternative}" if alternative else name)
    if found is None:
        others = [each.partition(":")[2] for each in executors() if each.startswith(f"{name}:")]
        known = f"expected one of {', '.join(others)}" if others else "there is only one way to run it"
        raise CannotRunError(f"{language} has no alternative {alternative!r}; {known}")
    return found


def installed_executor(language: str, alternative: str | None, environment: Mapping[str, str]) -> Executor:
    """The executor, if this machine has its programs. Raises CannotRunError, and MissingProgramError if it does not."""
    found = executor(language, alternative)
    program = found.missing(environment.get("PATH", os.defpath))
    if program is not None:
        raise MissingProgramError(program, found.package)
    return found


def as_found(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """A command whose program is named by its path.

    Windows by itself looks in its own folder before PATH, where bash is that of the Windows Subsystem for Linux, and
    finds no `.cmd`, as which npm installs programs.
    """
    program, *words = command
    return [shutil.which(program, path=environment.get("PATH", os.defpath)) or program, *words]


class MissingProgramError(CannotRunError):
    """A program that a language needs is not on this machine."""

    def __init__(self, program: str, package: str) -> None:
        super().__init__(f"{program} was not found on this machine; install {package}, or add its folder to PATH")
