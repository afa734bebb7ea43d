"""File and command of a script, by its language."""

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
"""Languages that ignore a file's name and empty lines before the code."""


def write_file(script: Script, folder: Path) -> Path:
    """Write the script's file, and return its path.

    If the language allows it, each line has the number that it has in the deck, and the file has the deck's name, so
    every traceback, warning and compile error is right.
    """
    name, source = f"block.{executor(script.language, script.alternative).extension}", script.source
    origin = script.origin if script.language in PADDED else None
    if origin is not None:
        name, source = origin.name, "\n" * (origin.line - 1) + source
    file = folder / name
    # Bash, on Windows too, takes the carriage return before a line feed for part of a word; cmd wants it.
    ends = "\r\n" if file.suffix == ".cmd" else "\n"
    file.write_text(source, encoding="utf-8", errors="replace", newline=ends)
    return file


def command_for(script: Script, file: Path, variables: Mapping[str, str]) -> tuple[list[str], Mapping[str, str]]:
    """Return the one command that runs a script's file, and its variables.

    Raises CannotRunError; MissingProgramError if a program is not on this machine.
    """
    language_executor = executor(script.language, script.alternative)
    program = language_executor.missing(variables.get("PATH", os.defpath))
    if program is not None:
        raise MissingProgramError(program, language_executor.package)
    *earlier, last = language_executor.command_lines(file)
    if WINDOWS:
        earlier, last = [resolve_program(command, variables) for command in earlier], resolve_program(last, variables)
    if script.plain_python:
        last = python_command([str(file)])
    variables = {**variables, **language_executor.environment}
    # A process that ignores interrupts, as under `COMMAND &` in a shell script, passes that on to its children.
    ignores_interrupts = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    needs_launcher = bool(earlier) or ignores_interrupts
    if not needs_launcher:
        return last, variables
    # -I and -S: it imports only the standard library, so it starts faster.
    launcher = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py"))]
    return [*launcher, *(json.dumps(command) for command in (*earlier, last))], variables


def executor(language: str, alternative: str | None = None) -> LanguageExecutor:
    """Return the way to run a language, or the alternative that is named.

    Python's `uv` is such an alternative. Raises CannotRunError.
    """
    entry = languages().get(language)
    if entry is None:
        valid = ", ".join(dict.fromkeys(valid.name for valid in languages().values()))
        raise CannotRunError(f"cannot run {language!r}; expected one of {valid}")
    if not alternative:
        return entry.executor
    if alternative not in entry.alternatives:
        alternatives = ", ".join(entry.alternatives)
        valid = f"expected one of {alternatives}" if alternatives else "there is only one way to run it"
        raise CannotRunError(f"{language} has no alternative {alternative!r}; {valid}")
    return entry.alternatives[alternative]


def resolve_program(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Return a command with its program named by its path.

    Windows by itself looks in its own folder before PATH, where bash is that of the Windows Subsystem for Linux, and
    finds no `.cmd`, as which npm installs programs.
    """
    program, *arguments = command
    return [shutil.which(program, path=environment.get("PATH", os.defpath)) or program, *arguments]


class MissingProgramError(CannotRunError):
    """A program that a language needs is not on this machine."""

    def __init__(self, program: str, package: str) -> None:
        super().__init__(f"{program} was not found on this machine; install {package}, or add its folder to PATH")
