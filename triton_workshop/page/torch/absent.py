"""Errors for names of PyTorch that a page does not have."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

LAPTOP_NAMES = Path(__file__).parent / "laptop_names.json"
"""All names of PyTorch as it is locked, by their owner.

The file lies beside this module in a page only: `archive` writes it.
"""


class NotInThisPageError(AttributeError):
    """PyTorch has this, and a page does not.

    It is an AttributeError, so that `hasattr` says no.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not in this page; on your laptop it works")


@functools.cache
def laptop_names() -> dict[str, Collection[str]]:
    """Return the names of PyTorch by owner, such as torch.nn.functional.

    Empty where they are not known.
    """
    try:
        names_by_owner: dict[str, Collection[str]] = json.loads(LAPTOP_NAMES.read_text(encoding="utf-8"))
    except OSError:
        return {}
    return {owner: frozenset(names) for owner, names in names_by_owner.items()}


def missing_error(owner: str, name: str, message: str) -> AttributeError:
    """Return the error for a name that a page does not have.

    It is a sentence if PyTorch has the name, else PyTorch's own message.
    """
    # Where the names of an owner are not known, any may be PyTorch's.
    laptop = laptop_names().get(owner, (name,))
    if name.startswith("__") or name not in laptop:
        return AttributeError(message, name=name)
    return NotInThisPageError(f"{owner}.{name}")


def explain_arguments(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wrap a function so that arguments that it lacks are a sentence."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            # A TypeError from inside the function is its own: only arguments that do not fit are explained.
            try:
                signature.bind(*arguments, **keywords)
            except TypeError:
                raise TypeError(
                    f"{name} is not in this page with these arguments; your laptop has all of PyTorch ({error})"
                ) from None
            raise

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    return call
