"""Which commands run a block, by its language: presenterm's languages, run as presenterm runs them.

Languages, commands, environments and alternatives are those of presenterm 0.16.1 (its file `executors.yaml`), but for
Python, which runs in the interpreter that the viewer runs in: the one environment that has torch and Triton.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from triton_workshop.processes.script import CannotRunError

PYTHON = "{python}"


@dataclass(frozen=True)
class Executor:
    """How code is run: `commands` one after the other, each as long as the one before has succeeded.

    Of a command's words, `{file}` is the code's file, whose name ends with `.extension`; `{program}` stands for what a
    compiler makes of it, beside it, and `{folder}` for where both are. `package` is what must be installed.
    """

    extension: str
    commands: tuple[str, ...]
    package: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def command_lines(self, file: Path) -> list[list[str]]:
        """The commands as words, for a file that holds the code."""
        places = {
            "{file}": str(file),
            "{program}": str(file.with_suffix("")),
            "{folder}": str(file.parent),
            PYTHON: sys.executable,
        }
        return [[_filled(word, places) for word in shlex.split(command)] for command in self.commands]

    def missing(self, search_path: str | None) -> str | None:
        """The first program that this machine does not have; None where all are there."""
        programs = (shlex.split(command)[0] for command in self.commands)
        needed = (program for program in programs if not program.startswith("{"))
        return next((program for program in needed if shutil.which(program, path=search_path) is None), None)


def _filled(word: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        word = word.replace(name, value)
    return word


def _node(extension: str) -> Mapping[str, Executor]:
    """What runs JavaScript and its relatives."""
    colours = {"FORCE_COLOR": "true"}
    return {
        "": Executor(extension, ("node {file}",), "Node.js", colours),
        "deno": Executor(extension, ("deno run -A {file}",), "Deno", colours),
        "bun": Executor(extension, ("bun run {file}",), "Bun", colours),
    }


_CARGO_COLOURS = {"CARGO_TERM_COLOR": "always"}
_RUST_SCRIPT = Executor("rs", ("rust-script --debug {file}",), "rust-script", _CARGO_COLOURS)
_RUSTC = "rustc --crate-name presenterm_snippet {file} -o {program} --color always"
_GCC = "gcc {file} -fdiagnostics-color=always -o {program}"
_GXX = "g++ -std=c++20 -fdiagnostics-color=always {file} -o {program}"

EXECUTORS: Mapping[str, Mapping[str, Executor]] = {
    # Each language's executors by the name of the alternative, as in `+exec:uv`; "" is the one that needs no name.
    "bash": {"": Executor("sh", ("bash {file}",), "Bash")},
    "c": {"": Executor("c", (_GCC, "{program}"), "GCC")},
    "c++": {"": Executor("cpp", (_GXX, "{program}"), "GCC with C++")},
    "cmd": {"": Executor("cmd", ("cmd /q /c {file}",), "Windows")},
    "csharp": {"": Executor("cs", ("dotnet-script {file}",), "dotnet-script")},
    "elixir": {"": Executor("exs", ("elixir {file}",), "Elixir")},
    "fish": {"": Executor("fish", ("fish {file}",), "fish")},
    "fsharp": {"": Executor("fsx", ("dotnet fsi {file}",), ".NET")},
    "go": {"": Executor("go", ("go run {file}",), "Go", {"GO11MODULE": "off"})},
    "haskell": {"": Executor("hs", ("runhaskell -w {file}",), "GHC")},
    "java": {"": Executor("java", ("java {file}",), "a JDK")},
    "js": _node("js"),
    "jsonnet": {"": Executor("jsonnet", ("jsonnet {file}",), "Jsonnet")},
    "jsx": _node("jsx"),
    "julia": {"": Executor("jl", ("julia {file}",), "Julia")},
    "kotlin": {"": Executor("kts", ("kotlinc -script {file}",), "Kotlin's compiler")},
    "lua": {"": Executor("lua", ("lua {file}",), "Lua")},
    "nushell": {"": Executor("nu", ("nu {file}",), "Nushell")},
    "perl": {"": Executor("pl", ("perl {file}",), "Perl")},
    "php": {"": Executor("php", ("php -f {file}",), "PHP")},
    "pwsh": {"": Executor("ps1", ("pwsh {file}",), "PowerShell")},
    "python": {
        "": Executor("py", ("{python} -u {file}",), "Python"),
        "uv": Executor("py", ("uv run --script -q {file}",), "uv"),
    },
    "r": {"": Executor("R", ("Rscript {file}",), "R")},
    "ruby": {"": Executor("rb", ("ruby {file}",), "Ruby")},
    "rust": {
        "": Executor("rs", (_RUSTC, "{program}"), "Rust"),
        "rust-script": _RUST_SCRIPT,
        "rust-script-pedantic": Executor(
            "rs", _RUST_SCRIPT.commands, "rust-script", {"RUSTFLAGS": "--deny warnings", **_CARGO_COLOURS}
        ),
    },
    "rust-script": {"": _RUST_SCRIPT},
    "sh": {"": Executor("sh", ("sh {file}",), "a POSIX shell")},
    "ts": _node("ts"),
    "tsx": _node("tsx"),
    "wsl": {"": Executor("sh", ("wsl \"$(wslpath -u '{folder}')/block.sh\"",), "the Windows Subsystem for Linux")},
    "zsh": {"": Executor("sh", ("zsh {file}",), "zsh")},
}
ALIASES = {
    "bat": "cmd",
    "cpp": "c++",
    "javascript": "js",
    "nu": "nushell",
    "powershell": "pwsh",
    "shell": "sh",
    "typescript": "ts",
}


def runnable(language: str) -> bool:
    """Whether there is a way to run code in this language, where its programs are installed."""
    return ALIASES.get(language, language) in EXECUTORS


def executor(language: str, alternative: str | None = None) -> Executor:
    """How a language is run, by an alternative such as python's `uv` where one is named. Raises CannotRunError."""
    executors = EXECUTORS.get(ALIASES.get(language, language))
    if executors is None:
        raise CannotRunError(f"no way to run {language!r} here; expected one of {', '.join(EXECUTORS)}")
    found = executors.get(alternative or "")
    if found is None:
        known = ", ".join(filter(None, executors)) or "none: it runs one way only"
        raise CannotRunError(f"{language} has no alternative {alternative!r}; expected one of {known}")
    return found


def installed_executor(language: str, alternative: str | None, environment: Mapping[str, str]) -> Executor:
    """The executor, whose programs this machine has. Raises CannotRunError, and where they lack MissingProgramError."""
    found = executor(language, alternative)
    program = found.missing(environment.get("PATH", os.defpath))
    if program is not None:
        raise MissingProgramError(program, found.package)
    return found


class MissingProgramError(CannotRunError):
    """A program that a language needs is not on this machine."""

    def __init__(self, program: str, package: str) -> None:
        super().__init__(f"{program} was not found on this machine; install {package}, or add its folder to PATH")
