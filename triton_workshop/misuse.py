"""How a command that was misused ends: with one line that says what to do, and status 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from triton_workshop.errors import MisuseError


@contextmanager
def misuse_told() -> Iterator[None]:
    try:
        yield
    except MisuseError as error:
        fail(str(error))


def fail(reason: str) -> NoReturn:
    """Ends the command with one line for the user, and status 2."""
    typer.echo(reason, err=True)
    raise typer.Exit(2)
