"""The kernel runs in a process of its own, whose end is an answer too; the rest is asked meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import called
from triton_workshop.repository import ROOT
from triton_workshop.setup import machine
from triton_workshop.setup.machine import NO_GRAPHICS, KernelRun
from triton_workshop.terminal import GraphicsProtocol, Terminal


def run_instead_of_the_kernel(function: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> KernelRun:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setattr(machine, "KERNEL", function)
    with machine.kernel_process(simulate=True) as result:
        return result()


def test_facts_said_before_a_crash_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_instead_of_the_kernel(called.says_its_torch_and_crashes, monkeypatch)
    assert run.facts == {"torch": "2.15.0"}
    assert run.failure == "crashed (SIGABRT)"
    assert not run.worked


def test_a_kernel_that_fails_has_its_error_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_instead_of_the_kernel(called.fails, monkeypatch)
    assert run.failure == "failed"
    assert run.stderr.startswith("printed\n")
    assert "FileNotFoundError" in run.stderr


def test_a_kernel_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "KERNEL_SECONDS", 0)
    run = run_instead_of_the_kernel(called.hangs, monkeypatch)
    assert run.failure == "not finished after 0 s"


def test_the_misspelt_variable_does_not_reach_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRETER", "1")
    run = run_instead_of_the_kernel(called.says_its_variables, monkeypatch)
    assert run.facts == {"names": ["TRITON_INTERPRET"]}


@pytest.mark.parametrize("package", ["torch", "triton"])
def test_the_package_whose_import_fails_is_found_in_the_kernels_traceback(package: str) -> None:
    source = Path(machine.__file__).with_name("kernel.py")
    line = source.read_text().splitlines().index(f"import {package}") + 1
    traceback = f'  File "{source}", line {line}, in <module>\n    import {package}\nOSError: no such file'
    assert KernelRun({}, "failed", traceback).broken_package == package


@pytest.mark.parametrize(
    ("way", "said"), [*((way, f"{way} graphics") for way in GraphicsProtocol), (None, NO_GRAPHICS)]
)
def test_the_row_on_pictures_says_what_the_viewer_would_find(
    monkeypatch: pytest.MonkeyPatch, way: GraphicsProtocol | None, said: str
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(machine, "query_terminal", lambda: Terminal(way))
    assert machine.how_pictures_show() == said


def test_what_is_no_terminal_is_not_asked_about_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "query_terminal", lambda: pytest.fail("it was asked"))
    assert machine.how_pictures_show() == "not a terminal; pictures are written to files"
