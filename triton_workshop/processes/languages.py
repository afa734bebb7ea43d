"""The executor of a language, if there is one and this machine has its programs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

from triton_workshop.languages import Executor, languages
from triton_workshop.processes.script import CannotRunError


def executor(language: str, alternative: str | None = None) -> Executor:
    """How a language is run, by an alternative such as python's `uv` if one is named. Raises CannotRunError."""
    found = languages().get(language)
    if found is None:
        known = ", ".join(dict.fromkeys(known.name for known in languages().values()))
        raise CannotRunError(f"cannot run {language!r}; expected one of {known}")
    if not alternative:
        return found.executor
    if alternative not in found.alternatives:
        others = ", ".join(found.alternatives)
        known = f"expected one of {others}" if others else "there is only one way to run it"
        raise CannotRunError(f"{language} has no alternative {alternative!r}; {known}")
    return found.alternatives[alternative]


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
