"""What is not in the page: a sentence for each name that PyTorch has and that is not here."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

LAPTOP_NAMES = Path(__file__).parent / "laptop_names.json"
"""Beside this module in a page: all names of PyTorch as it is locked, by their owner. See `archive`."""


class NotInThisPageError(AttributeError):
    """PyTorch has this and a page does not. An AttributeError, so that `hasattr` says no."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not in this page; on your laptop it works")


@functools.cache
def laptop_names() -> dict[str, Collection[str]]:
    """The names of PyTorch by their owner, such as torch.nn.functional; empty if they are not known here."""
    try:
        names_by_owner: dict[str, Collection[str]] = json.loads(LAPTOP_NAMES.read_text(encoding="utf-8"))
    except OSError:
        return {}
    return {owner: frozenset(names) for owner, names in names_by_owner.items()}


def missing_error(owner: str, name: str, message: str) -> AttributeError:
    """What to raise for a name that is not here: a sentence if PyTorch has it, else what PyTorch says."""
    known_names = laptop_names().get(owner)
    if name.startswith("__") or (known_names is not None and name not in known_names):
        return AttributeError(message, name=name)
    return NotInThisPageError(f"{owner}.{name}")


def explain_arguments(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function, with a sentence for arguments that PyTorch may take and that it does not."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            try:
                signature.bind(*arguments, **keywords)
            except TypeError:
                raise TypeError(
                    f"{name} is not in this page with these arguments; your laptop has all of PyTorch ({error})"
                ) from None
            raise

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    return call
