"""Tests that are tables, where a row is one test, and how many of its rows are tried."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
"""The folder in which `python -m simulator.tests.…` finds these tests."""
if any(word.startswith("-k") or "[" in word for word in sys.argv[1:]):
    for variable in ("WORKSHOP_EVERY", "WORKSHOP_SLOW_EVERY"):
        os.environ.setdefault(variable, "1")  # so that a row which pytest is asked for by name is there
EVERY = int(os.environ.get("WORKSHOP_EVERY", "8"))
"""Of the rows that take minutes together, one of so many is tested. CI tests each (1), as does `-k`."""
SLOW_EVERY = int(os.environ.get("WORKSHOP_SLOW_EVERY", "8"))
"""The same, of rows that take seconds each: all of them are in `.ci/soaks`."""


def across(name: str, values: Sequence[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """In place of `parametrize`: one test goes through all values, and names each at which something is wrong.

    A launch takes a millisecond or two, and a test of its own as much again.
    """

    def one_test(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_values(**arguments: Any) -> None:
            errors = []
            for value in values:
                try:
                    test(**arguments, **{name: value})
                except Exception as error:
                    error.add_note(f"{name} = {value}")
                    errors.append(error)
            if errors:
                raise ExceptionGroup(f"wrong for {len(errors)} of {len(values)} values of {name}", errors)

        signature = inspect.signature(test)
        others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        all_values.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return all_values

    return one_test
