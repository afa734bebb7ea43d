"""Loads a deck: reads its file and the files that it includes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from .builder import DeckBuilder
from .commands import Directive, Ignored, read_comment
from .consent import EVERYTHING, Consent
from .errors import DeckError, NoSuchDeckError, RefusedError
from .front_matter import Opening, read_front_matter, split
from .markdown import Comment, Located, read_markdown
from .model import Deck
from .predictions import read_prediction


def load_deck(path: Path, allowed: Consent = EVERYTHING, replacements: Iterable[Sequence[str]] = ()) -> Deck:
    """Read a deck and every file that it includes.

    `replacements` are pairs of texts: the second stands in the deck for the first.

    `allowed` says what of its code may run, like presenterm's -x and -X. Blocks that may not run are shown without
    being checked.

    Raises DeckError (file, line, reason) if presenterm would refuse the deck, and NoSuchDeckError, a DeckError,
    if there is none at this path.
    """
    text = _read_deck(path)
    for old, new in replacements:
        text = text.replace(old, new)
    source, body = split(text)
    opening = Opening() if source is None else _read_opening(source, path)
    builder = DeckBuilder(path, opening, allowed)
    loader = _DeckReader(opening, builder)
    loader.read(body, path)
    slides = builder.finish()
    return Deck(
        path,
        opening.front_matter,
        slides,
        tuple(builder.warnings),
        tuple(loader.files),
        frozenset(loader.blank),
        tuple(builder.unsupported),
    )


def _read_opening(source: str, path: Path) -> Opening:
    try:
        return read_front_matter(source)
    except RefusedError as error:
        raise DeckError(path, error.line + 1, error.reason) from None


class _DeckReader:
    """Gives a deck's elements to its builder, file by file."""

    def __init__(self, opening: Opening, builder: DeckBuilder) -> None:
        self._opening = opening
        self._builder = builder
        self.files: list[Path] = []
        """The files that were read."""
        self.blank: set[Path] = set()
        """The files without any text."""
        self._open: list[Path] = []
        """The files being read: the deck, what it includes, what that includes."""

    def read(self, text: str, path: Path) -> None:
        """Add a file's elements to the deck.

        Each comment becomes its command, and an included file stands in its place.
        """
        self.files.append(path)
        if not text.strip():
            self.blank.add(path)
        self._open.append(path)
        for item in read_markdown(text, path):
            if isinstance(item.element, Comment):
                self._read_comment(item, item.element.text)
            else:
                self._builder.add(item)
        self._open.pop()

    def _read_comment(self, item: Located, comment: str) -> None:
        try:
            prediction = read_prediction(comment)
        except RefusedError as error:  # a remark to presenterm: no reason to refuse the deck
            position = replace(item.position, line=item.position.line + error.line)
            self._builder.warn(position, f"this prediction is ignored: {error.reason}")
            return
        if prediction is not None:
            self._builder.add_prediction(prediction, item.position)
            return
        directive = self._directive(item, comment)
        if isinstance(directive, Ignored):
            if directive.suspicion:
                self._builder.warn(item.position, directive.suspicion)
            return
        if directive.command.unreleased:
            self._builder.warn(item.position, f"presenterm 0.16.1 refuses '{directive.command.name}'")
        if directive.command.name == "include":
            self._include(item, str(directive.value))
        else:
            self._builder.add(replace(item, element=directive))

    def _directive(self, item: Located, comment: str) -> Directive | Ignored:
        try:
            return read_comment(comment, self._opening.options.command_prefix)
        except RefusedError as error:
            # `read_comment` strips the comment, and counts lines from what is left.
            leading = comment[: len(comment) - len(comment.lstrip())].count("\n")
            raise item.position.error(error.reason, leading + error.line) from None

    def _include(self, item: Located, name: str) -> None:
        path = item.position.path.parent / name
        try:
            text = _read_text(path)
        except (OSError, ValueError) as error:
            reason = "not found" if isinstance(error, FileNotFoundError) else "cannot be read"
            raise item.position.error(f"included file {reason}: {name}") from None
        # Only open files count: a deck may include the same file twice, one after the other.
        open_files = [file.resolve() for file in self._open]
        if path.resolve() in open_files:
            raise item.position.error(f"include: {name} includes itself")
        if split(text)[0] is not None:
            raise DeckError(path, 1, "an included file cannot have a front matter")
        self.read(text, path)


def _read_deck(path: Path) -> str:
    try:
        return _read_text(path)
    except FileNotFoundError:
        raise NoSuchDeckError(path) from None
    except (OSError, ValueError):  # Windows says of a folder that the access is denied
        raise NoSuchDeckError(path, "a folder, not a deck" if path.is_dir() else "cannot be read") from None


def _read_text(path: Path) -> str:
    """Return the text of a file, with line ends normalised.

    Raises DeckError if it is not UTF-8.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")  # a byte order mark is not part of the front matter
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DeckError(path, line, "not UTF-8 text") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
