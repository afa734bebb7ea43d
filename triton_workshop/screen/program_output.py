"""What a program prints for a terminal, cut into text and control sequences (ECMA-48; "XTerm Control Sequences")."""

from __future__ import annotations

import codecs
import re
import threading

SLICE_BYTES = 8 * 1024
"""Bytes processed per call, so that a call stays short."""
BACKLOG_BYTES = 64 * 1024
"""Bytes waiting beyond which those that could never be seen are dropped unread."""
SEQUENCE_CHARACTERS = 64 * 1024
"""Characters that are waited for before an unfinished sequence is taken for text."""
TAB = 8

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
    """The text without colours and whatever else a terminal would not print."""
    return SEQUENCE.sub("", text)


class ProgramOutput:
    """What a program has printed, kept up to date as bytes arrive. Subclasses say what each token does.

    `receive` may be called from another thread than `take_in`; everything else belongs to one thread. Bytes that are
    not UTF-8 show as replacement characters.
    """

    def __init__(self) -> None:
        self.empty = True
        """Whether nothing has been printed yet."""
        self.changes = 0
        """How many times something was taken in: what has as many shows the same."""
        self.skipped = 0
        """Lines that were dropped unread."""
        self._lock = threading.Lock()
        self._waiting = bytearray()
        self._limit = BACKLOG_BYTES
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._unfinished = ""

    @property
    def behind(self) -> bool:
        """Whether bytes have arrived that `take_in` has not read yet."""
        return bool(self._waiting)

    def receive(self, data: bytes) -> None:
        """Accept bytes, cheaply: they are processed when `take_in` is called."""
        with self._lock:
            self._waiting += data
            if len(self._waiting) > self._limit:
                self._skip()
                self._limit = 2 * max(len(self._waiting), BACKLOG_BYTES)

    def _skip(self) -> None:
        kept = self.tail(bytes(self._waiting))
        dropped = self._waiting[: len(self._waiting) - len(kept)]
        if dropped:
            self.skipped += dropped.count(b"\n")
            self._waiting = bytearray(b"\x1b[0m" + kept)  # which colours these would have had is now unknown

    def tail(self, data: bytes) -> bytes:
        """The end of a backlog that may still be seen."""
        return data[-BACKLOG_BYTES:]

    def take_in(self) -> bool:
        """Processes a slice of what has arrived; returns whether there was any, and so perhaps something to show."""
        with self._lock:
            data = bytes(self._waiting[:SLICE_BYTES])
            del self._waiting[:SLICE_BYTES]
        if data:
            self.feed(data)
        return bool(data)

    def feed(self, data: bytes) -> None:
        """Processes bytes now. A sequence or character may be split between two calls."""
        self.empty = False
        self.changes += 1
        text = self._unfinished + self._decode.decode(data)
        tail = UNFINISHED.search(text, max(len(text) - SEQUENCE_CHARACTERS, 0))
        self._unfinished = tail.group() if tail else ""
        for token in TOKENS.finditer(text, 0, tail.start() if tail else len(text)):
            self.process(token)

    def process(self, token: re.Match[str]) -> None:
        """Do what a token says; `token.lastgroup` is its kind, None for one that changes nothing here."""
        raise NotImplementedError


def numbers(parameters: str) -> list[int]:
    """The numbers of a control sequence; 0 for those that are missing, and for what is not a number."""
    return [int(number) if number.isdecimal() and len(number) < 6 else 0 for number in parameters.split(";")]
