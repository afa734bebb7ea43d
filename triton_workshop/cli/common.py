"""Steps that several commands share: misuse, and what kernels need."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from triton_workshop.errors import MisuseError, print_wrapped


@contextmanager
def report_misuse() -> Iterator[None]:
    """Report misuse in a sentence, with status 2."""
    try:
        yield
    except MisuseError as error:
        fail(str(error))


def fail(reason: str) -> NoReturn:
    """End the command with a sentence for the user, and status 2."""
    print_wrapped(reason, sys.stderr)
    raise typer.Exit(2)


def prepare_kernels(*, needed: bool = True) -> None:
    """Fetch what kernels need where Triton is not installed.

    This is done now: later nobody would see why all waits. If it is impossible, a command that needs kernels ends;
    slides can be shown all the same.
    """
    from triton_simulator.without_library import fetch_if_needed
    from triton_simulator.without_library.errors import NoTritonError

    try:
        fetch_if_needed()
    except NoTritonError as error:
        if needed:
            raise
        print_wrapped(f"The slides work, but their kernels cannot run. {error}", sys.stderr)


def refuse_dumb_terminal(command: str, instead: str) -> None:
    """End a command that draws on the whole screen of a dumb terminal.

    There, as in a shell inside Emacs, that would be escape codes.
    """
    if os.environ.get("TERM") == "dumb":
        fail(f"{command} draws on the whole screen, which this terminal cannot show (TERM=dumb); here, use: {instead}")
