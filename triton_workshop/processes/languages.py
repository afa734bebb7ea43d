"""A script in its language: the file that holds it, and the command that runs it, if this machine has its programs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from triton_workshop.languages import LanguageExecutor, languages
from triton_workshop.processes.process import WINDOWS
from triton_workshop.processes.script import CannotRunError, Script
from triton_workshop.processes.slide_pictures import python_command

PADDED = frozenset({"python", "bash", "sh"})
"""The languages in which empty lines before the code, and the file's name, do not matter."""


def write_file(script: Script, folder: Path) -> Path:
    """The script's file: a block of that language or, if the language allows it, a copy with its place in the deck.

    There each line has the number that it has here, so every traceback, warning and compile error is right.
    """
    name, source = f"block.{executor(script.language, script.alternative).extension}", script.source
    if script.origin is not None and script.language in PADDED:
        name, source = script.origin.name, "\n" * (script.origin.line - 1) + source
    file = folder / name
    # Bash, on Windows too, takes the carriage return before a line feed for part of a word; cmd wants it.
    ends = "\r\n" if file.suffix == ".cmd" else "\n"
    file.write_text(source, encoding="utf-8", errors="replace", newline=ends)
    return file


def command_for(script: Script, file: Path, variables: Mapping[str, str]) -> tuple[list[str], Mapping[str, str]]:
    """The one command that runs a script, whose source is in that file, and its variables.

    Raises CannotRunError; MissingProgramError if a program is not on this machine.
    """
    found = executor(script.language, script.alternative)
    program = found.missing(variables.get("PATH", os.defpath))
    if program is not None:
        raise MissingProgramError(program, found.package)
    *earlier, last = found.command_lines(file)
    if WINDOWS:
        earlier, last = [as_found(each, variables) for each in earlier], as_found(last, variables)
    if script.plain_python:
        last = python_command([str(file)])
    variables = {**variables, **found.environment}
    # A process that ignores interrupts, as under `COMMAND &` in a shell script, passes that on to its children.
    ignores_interrupts = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if not earlier and not ignores_interrupts:
        return last, variables
    # -I and -S: it imports only the standard library, so it starts faster.
    launcher = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py"))]
    return [*launcher, *(json.dumps(command) for command in (*earlier, last))], variables


def executor(language: str, alternative: str | None = None) -> LanguageExecutor:
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
