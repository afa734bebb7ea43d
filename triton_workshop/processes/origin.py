"""Where a script's code comes from. Its file is laid out so that each line has the number that it has there.

Then every traceback, warning and compile error is right by itself, whoever writes it.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

PADDED = frozenset({"python", "bash", "sh"})
"""The languages in which empty lines before the code mean nothing, and the file's name as little."""


@dataclass(frozen=True)
class Origin:
    """The name of the file that the code stands in, and the line of it on which the code begins, from 1."""

    name: str
    line: int

    def laid_out(self, source: str) -> str:
        return "\n" * (self.line - 1) + source


class PlainNames:
    """Takes the temporary folder out of a script's output wherever it names the script's file."""

    def __init__(self, file: Path) -> None:
        self._full = os.fsencode(file)
        self._name = os.fsencode(file.name)
        self._least = len(os.fsencode(tempfile.gettempdir())) + 2
        self._held = b""

    def pass_on(self, output: bytes) -> bytes:
        """What can be shown of it now: the beginning of the file's path, at the end, waits for what follows."""
        text = (self._held + output).replace(self._full, self._name)
        held = self._begun_at_the_end_of(text)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> bytes:
        """What still waits when there is no more output."""
        rest, self._held = self._held, b""
        return rest

    def _begun_at_the_end_of(self, text: bytes) -> int:
        """Bytes at the end of a text with which the path may begin; too few of them are not waited for."""
        lengths = range(min(len(text), len(self._full) - 1), self._least - 1, -1)
        return next((length for length in lengths if text.endswith(self._full[:length])), 0)
