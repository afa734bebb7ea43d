"""Gives a script this process's terminal to itself, and takes it back at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from triton_workshop.processes.languages import command_for, write_file
from triton_workshop.processes.launcher import FOREGROUND, PIPE, come_to_the_front
from triton_workshop.processes.process import KILL, limit_memory, signal_group
from triton_workshop.processes.script import CannotRunError, Outcome, Script
from triton_workshop.slide_environment import SLIDE

LEAVE = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
SOFT_RESET = b"\x1b[!p"
"""DECSTR: resets keys, cursor, colours and margins (VT510 manual)."""


@contextmanager
def cleared_screen() -> Iterator[None]:
    """Show an empty screen for a program, then the previous one, with what its owner had typed before."""
    os.write(1, b"\x1b[?1049h\x1b[2J\x1b[H")
    try:
        yield
    finally:
        with suppress(OSError):  # the terminal may be gone
            os.write(1, b"\x1b[?1049l")


def run_in_foreground(script: Script, within: Path, more: Mapping[str, str]) -> Outcome:
    """Run a script on the terminal that is our standard input, and return when it has ended.

    It leads a separate process group, which Ctrl+C reaches and we do not share; if it is suspended (Ctrl+Z), it is
    ended, because nobody could resume it. Nothing in the group outlives it, and the terminal is left as it was. Call
    this from the main thread, after you have stopped reading keys. The script's file is in a new folder `within`
    another, and `more` are extra variables. Raises CannotRunError.
    """
    with tempfile.TemporaryDirectory(prefix="workshop-", dir=within, ignore_cleanup_errors=True) as folder:
        file = write_file(script, Path(folder))
        # It has the whole terminal, and can ask for its size.
        own = {name: value for name, value in script.environment(file).items() if name not in (SLIDE, "COLUMNS")}
        command, variables = command_for(script, file, {**own, **more}, PIPE if sys.platform == "win32" else FOREGROUND)
        started = time.monotonic()
        try:
            code, ended_by_us = _run(command, variables, script)
        except OSError as error:
            raise CannotRunError(f"{script.language} did not start: {error.strerror or error}") from error
        stopped = ended_by_us or code == -signal.SIGINT
        return Outcome(code, time.monotonic() - started, stopped)


def wait_for_enter(message: str) -> None:
    """Show a line on the terminal, and wait for Enter, Ctrl+C, or a signal that asks this process to leave."""

    def leave() -> None:
        raise InterruptedError

    with _on_signals(leave, signal.SIGINT, *LEAVE), suppress(OSError):
        os.write(1, f"\n{message} ".encode())
        while os.read(0, 1) not in (b"\n", b"\r", b""):
            pass


def _run(command: list[str], variables: Mapping[str, str], script: Script) -> tuple[int, bool]:
    """The exit status, or minus a signal's number; and whether we ended it."""
    if sys.platform == "win32":
        return subprocess.run(command, cwd=script.folder, env=variables, check=False).returncode, False
    process = subprocess.Popen(command, cwd=script.folder, env=variables, process_group=0)
    killed = False

    def kill() -> None:
        nonlocal killed
        killed = True
        signal_group(process.pid, KILL)

    try:
        if script.memory_limit is not None:
            limit_memory(process.pid, script.memory_limit)
        # asyncio learns of these signals through its wake-up descriptor, not their handlers; it acts when we return.
        with _terminal_as_it_was(), _on_signals(kill, *LEAVE):
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                kill()
                _, status = os.waitpid(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, killed
    finally:
        signal_group(process.pid, KILL)


@contextmanager
def _on_signals(act: Callable[[], None], *numbers: signal.Signals) -> Iterator[None]:
    before = [signal.signal(number, lambda *_: act()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Restore at the end what a killed program could not: its settings and its screen."""
    import termios

    try:
        settings = termios.tcgetattr(0)
    except termios.error:  # no terminal
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):  # not this session's
            come_to_the_front()
        with suppress(OSError, termios.error):  # gone
            termios.tcsetattr(0, termios.TCSADRAIN, settings)
            os.write(1, SOFT_RESET)
