"""A deck in a file as its page, and the page's Python in node, from the parts in the cache."""

from __future__ import annotations

import gzip
import html
import os
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from benchmarks.in_node import PageInNode, page_in_node
from tests.chromium import browser  # noqa: F401
from triton_workshop.deck import load_deck
from triton_workshop.page import bundle, codemirror, parts
from triton_workshop.page.page import make_page, script_links
from triton_workshop.page.signatures import signatures
from triton_workshop.page.slides import Writer

MakePage = Callable[..., str]


INLINE = ("span", "code", "a", "sup")


class Words(HTMLParser):
    """The text of a page, without its style and its script."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  # as HTMLParser calls it
        self._inside = tag
        if tag not in INLINE:
            self.said.append(" ")

    def handle_data(self, data: str) -> None:
        if self._inside not in ("style", "script"):
            self.said.append(data)


def words(text: str) -> str:
    """What a page says, with its white space made single spaces."""
    parser = Words()
    parser.feed(text)
    return " ".join(html.unescape("".join(parser.said)).split())


def editor_bundle() -> bundle.PageBundle:
    """The editor without Python, for pages that open at once. Skips where its parts are missing."""
    if (files := parts.cached_parts()) is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    contents = {"codemirror.mjs": codemirror.join_modules(files), "signatures.json": signatures()}
    return bundle.PageBundle(tuple(bundle.Blob(name, gzip.compress(data)) for name, data in contents.items()), "")


@pytest.fixture
def page_of(tmp_path: Path) -> MakePage:
    """The page of a deck with this text, whose code has not run, with scripts beside it."""

    def make(text: str, *, scripts: dict[str, str] | None = None) -> str:
        file = tmp_path / "deck.md"
        file.write_text(text, encoding="utf-8")
        deck = load_deck(file)
        linked_scripts = scripts or {}
        return make_page(Writer(deck, {}, script_links(linked_scripts)), linked_scripts).standalone()

    return make


@pytest.fixture(scope="session")
def page() -> Iterator[PageInNode]:
    """A page that answers. Skips where its parts or node are missing, unless WORKSHOP_NEEDS_PAGE is set, as in CI."""
    missing = []
    if shutil.which("node") is None:
        missing.append("node is not installed")
    if parts.cached_parts() is None:
        missing.append("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    if missing and "WORKSHOP_NEEDS_PAGE" not in os.environ:
        pytest.skip(" and ".join(missing))
    assert not missing, missing
    with page_in_node() as found:
        yield found
