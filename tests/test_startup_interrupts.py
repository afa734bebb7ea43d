"""Ctrl+C while a command is still loading: it ends, and prints nothing."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.conftest import RunPython
from triton_workshop.repository import ROOT

INTERRUPTED = (130, -signal.SIGINT)
"""As a program says it itself, and as the signal ends it: a shell sees 130 in both cases."""

# Python 3.11 makes another error of an exception that comes where a class names its fields.
LOAD = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Field:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGINT)

class Finder:
    def find_spec(name, path, target=None):
        if name == MODULE:
            class Table:
                field = Field()

sys.meta_path.insert(0, Finder)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")
@pytest.mark.parametrize(
    ("commands", "module", "words"),
    [
        ("triton_workshop.cli", "typer", ["list"]),
        ("triton_workshop.cli", "triton_workshop.cli.slides", ["list"]),
        ("triton_workshop.cli", "triton_workshop.checking.commands", ["list"]),
        ("triton_workshop.setup.commands", "rich.console", []),
    ],
    ids=["a library", "the commands", "what one command needs", "setup-check"],
)
def test_an_interrupt_while_a_command_loads_shows_nothing(
    commands: str, module: str, words: list[str], run_python: RunPython
) -> None:
    outcome = run_python("-c", f"MODULE = {module!r}\n{LOAD}\nfrom {commands} import main\nmain()", *words)
    assert outcome.returncode in INTERRUPTED
    assert outcome.stdout + outcome.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")
@pytest.mark.parametrize("words", [["check", "--solutions", "1"], ["bench", "1", "--plain"]], ids=["check", "bench"])
@pytest.mark.parametrize("module", ["numpy.linalg", "torch._C"])
def test_an_interrupt_while_torch_loads_ends_the_command_at_once(
    module: str, words: list[str], run_python: RunPython
) -> None:
    source = f"MODULE = {module!r}\n{LOAD}\nfrom triton_workshop.cli import main\nmain()"
    outcome = run_python("-c", source, *words)
    assert outcome.returncode == -signal.SIGINT  # an exception could leave torch half imported
    assert outcome.stdout + outcome.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")
@pytest.mark.parametrize("module", ["triton", "torch", "triton_workshop.checking.script"])
def test_an_interrupt_while_an_exercise_loads_shows_nothing(module: str, run_python: RunPython) -> None:
    file = ROOT / "exercises" / "exercise_1.py"
    source = f"MODULE = {module!r}\n{LOAD}\n__file__ = {str(file)!r}\nexec(open(__file__).read())"
    outcome = run_python("-c", source, env={"TRITON_INTERPRET": "1"})
    assert outcome.returncode in INTERRUPTED
    assert outcome.stdout + outcome.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_once_loaded_an_interrupt_is_an_exception_again(run_python: RunPython) -> None:
    # First as Python has it in a terminal: where a shell has started this in the background, it is ignored.
    source = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {}; "
        "print(signal.getsignal(signal.SIGINT).__name__)"
    )
    for commands in ("triton_workshop.cli", "triton_workshop.setup.commands"):
        outcome = run_python("-c", source.format(f"import {commands}"))
        assert outcome.stdout == "default_int_handler\n"
