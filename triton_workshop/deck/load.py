"""Loads a deck: reads its file and the files that it includes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from .builder import DeckBuilder
from .commands import Directive, Ignored, read_comment
from .consent import EVERYTHING, Consent
from .errors import DeckError, NoSuchDeckError, RefusedError
from .front_matter import Opening, read_front_matter, split
from .markdown import CodeBlock, Comment, Located, read_markdown
from .model import Deck, DeckProblem


def load_deck(path: Path, allowed: Consent = EVERYTHING) -> Deck:
    """Read a deck and every file that it includes.

    `allowed` says what of its code may run, like presenterm's -x and -X. Blocks that may not run are shown without
    being checked, and their output cannot be shown elsewhere.

    Raises DeckError (file, line, reason) if presenterm would refuse the deck, and NoSuchDeckError, a DeckError,
    if there is none at this path.
    """
    return _Loader(path, allowed).load()


class _Loader:
    def __init__(self, path: Path, allowed: Consent) -> None:
        self._path = path
        self._allowed = allowed
        self._files: list[Path] = []
        """The files being read: the deck, what it includes, what that includes."""
        self._read: list[Path] = []
        self._warnings: list[DeckProblem] = []
        self._opening = Opening()

    def load(self) -> Deck:
        source, body = split(_read_deck(self._path))
        if source is not None:
            self._read_front_matter(source)
        opening = self._opening
        builder = DeckBuilder(self._path, opening, self._allowed)
        for item in self._items(body, self._path):
            builder.add(item)
        slides = builder.finish()
        problem = opening.footer_problem
        if problem and any(slide.footer and not slide.introduction for slide in slides):
            raise DeckError(self._path, problem.line + 1, problem.reason)
        return Deck(self._path, opening.front_matter, slides, (*self._warnings, *builder.warnings), tuple(self._read))

    def _read_front_matter(self, source: str) -> None:
        try:
            self._opening = read_front_matter(source, self._path.parent)
        except RefusedError as error:
            raise DeckError(self._path, error.line + 1, error.reason) from None
        if self._opening.options.incremental_tables:
            self._warnings.append(DeckProblem(self._path, 1, "presenterm 0.16.1 refuses 'incremental_tables'"))
        self._warnings += [DeckProblem(self._path, line + 1, reason) for reason, line in self._opening.ignored]

    def _items(self, text: str, path: Path) -> Iterator[Located]:
        """A file's elements, each comment as its command, and included files in their place."""
        self._files.append(path)
        self._read.append(path)
        for item in read_markdown(text, path, self._opening.palette):
            match item.element:
                case Comment(comment):
                    yield from self._commanded(item, comment)
                case CodeBlock(info):
                    self._warn_of_language(item, info.strip().partition(" ")[0])
                    yield item
                case _:
                    yield item
        self._files.pop()

    def _commanded(self, item: Located, comment: str) -> Iterator[Located]:
        """What a comment stands for: a command, the elements of another file, or nothing."""
        directive = self._directive(item, comment)
        if isinstance(directive, Ignored):
            if directive.suspicion:
                self._warn(item, directive.suspicion)
            return
        if directive.command.unreleased:
            self._warn(item, f"presenterm 0.16.1 refuses '{directive.command.name}'")
        if directive.command.name == "include":
            yield from self._included(item, str(directive.value))
        else:
            yield replace(item, element=directive)

    def _directive(self, item: Located, comment: str) -> Directive | Ignored:
        try:
            return read_comment(comment, self._opening.options.command_prefix)
        except RefusedError as error:
            leading = comment[: len(comment) - len(comment.lstrip())].count("\n")
            raise DeckError(item.path, item.line + leading + error.line, error.reason) from None

    def _included(self, item: Located, name: str) -> Iterator[Located]:
        path = item.path.parent / name
        try:
            text = _read_text(path)
        except (OSError, ValueError) as error:
            reason = "not found" if isinstance(error, FileNotFoundError) else "cannot be read"
            raise DeckError(item.path, item.line, f"included file {reason}: {name}") from None
        if path.resolve() in [file.resolve() for file in self._files]:
            raise DeckError(item.path, item.line, f"include: {name} includes itself")
        if split(text)[0] is not None:
            raise DeckError(path, 1, "an included file cannot have a front matter")
        yield from self._items(text, path)

    def _warn_of_language(self, item: Located, language: str) -> None:
        if "{" in language or "+" in language.rstrip("+"):
            self._warn(item, f"'{language}' is read as a language; put a space before its attributes")

    def _warn(self, item: Located, reason: str) -> None:
        self._warnings.append(DeckProblem(item.path, item.line, reason))


def _read_deck(path: Path) -> str:
    try:
        return _read_text(path)
    except FileNotFoundError:
        raise NoSuchDeckError(path) from None
    except (OSError, ValueError):  # Windows says of a folder that the access is denied
        raise NoSuchDeckError(path, "a folder, not a deck" if path.is_dir() else "cannot be read") from None


def _read_text(path: Path) -> str:
    """The text of a file, with line ends normalised. DeckError if it is not UTF-8."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")  # a byte order mark is not part of the front matter
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DeckError(path, line, "not UTF-8 text") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
