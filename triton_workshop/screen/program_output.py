"""Output of a program for a terminal, as text and control sequences.

Sources are ECMA-48 and "XTerm Control Sequences".
"""

from __future__ import annotations

import codecs
import re
import threading

SLICE_BYTES = 8 * 1024
"""Bytes processed per call, so that a call stays short."""
BACKLOG_BYTES = 64 * 1024
"""Bytes waiting beyond which those that cannot be seen are dropped unread."""
SEQUENCE_CHARACTERS = 64 * 1024
"""Characters after which an unfinished sequence is taken for text."""
TAB_COLUMNS = 8

SEQUENCES = r"""
      \x1b\[(?P<parameters>[0-?]*)(?P<final>[@-~])                  # CSI: colours, cursor movements
    | \x1b\[[0-?]*[ -/]+[@-~]
    | \x1b_triton-workshop:picture;(?P<picture>[\w-]+\.png)\x1b\\   # as `show_image` says where a picture is
    | \x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)                       # OSC, DCS, APC: titles, links, other pictures
    | \x1b(?P<escape>[ -/]*[0-Z\\`-~])
"""
TOKENS = re.compile(r"(?P<text>[^\x00-\x1f\x7f-\x9f]+) | (?P<control>[^\x1b]) | " + SEQUENCES, re.VERBOSE)
SEQUENCE = re.compile(SEQUENCES, re.VERBOSE)
UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)\Z")


def without_sequences(text: str) -> str:
    """Return the text without its control sequences, such as colours."""
    return SEQUENCE.sub("", text)


class ProgramOutput:
    """Output of a program, kept up to date as bytes arrive.

    Subclasses say what each token does. `receive` may be called from another thread than `process_pending`; everything
    else belongs to one thread. Bytes that are not UTF-8 show as replacement characters.
    """

    def __init__(self) -> None:
        self.empty = True
        """True until something is printed."""
        self.changes = 0
        """Number of changes; outputs with the same number show the same."""
        self.skipped = 0
        """Lines that were dropped unread."""
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._limit = BACKLOG_BYTES
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._unfinished = ""

    @property
    def has_pending(self) -> bool:
        """True if bytes have arrived that `process_pending` has not read yet."""
        return bool(self._waiting)

    def receive(self, data: bytes) -> None:
        """Accept bytes for `process_pending`, cheaply."""
        with self._lock:
            self._waiting += data
            if len(self._waiting) > self._limit:
                self._skip()
                self._limit = 2 * max(len(self._waiting), BACKLOG_BYTES)

    def _skip(self) -> None:
        tail = self.tail(bytes(self._waiting))
        dropped = self._waiting[: len(self._waiting) - len(tail)]
        if dropped:
            self.skipped += dropped.count(b"\n")
            self._waiting = bytearray(b"\x1b[0m" + tail)  # which colours these would have had is now unknown

    def tail(self, data: bytes) -> bytes:
        """Return the end of a backlog that may still be seen."""
        return data[-BACKLOG_BYTES:]

    def process_pending(self) -> bool:
        """Process a slice of the bytes that have arrived.

        Return True if there were any, and so perhaps something to show.
        """
        with self._lock:
            data = bytes(self._waiting[:SLICE_BYTES])
            del self._waiting[:SLICE_BYTES]
        if data:
            self.feed(data)
        return bool(data)

    def feed(self, data: bytes) -> None:
        """Process bytes now.

        A sequence or character may be split between two calls.
        """
        self.empty = False
        self.changes += 1
        text = self._unfinished + self._decode.decode(data)
        tail = UNFINISHED.search(text, max(len(text) - SEQUENCE_CHARACTERS, 0))
        self._unfinished = tail.group() if tail else ""
        end = tail.start() if tail else len(text)
        for token in TOKENS.finditer(text, 0, end):
            self.process(token)

    def process(self, token: re.Match[str]) -> None:
        """Carry out a token.

        `token.lastgroup` is its kind, None for one that changes nothing here.
        """
        raise NotImplementedError


def numbers(parameters: str) -> list[int]:
    """Return the numbers of a control sequence.

    A number that is missing or malformed is 0.
    """
    result = []
    for number in parameters.split(";"):
        is_valid = number.isdecimal() and len(number) < 6
        result.append(int(number) if is_valid else 0)
    return result
