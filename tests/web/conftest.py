"""A deck in a file, as its page."""

from __future__ import annotations

import html
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import EVERYTHING
from triton_workshop.web.outputs import run_all
from triton_workshop.web.page import links_to, make_page
from triton_workshop.web.slides import Writer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MakePage = Callable[..., str]


INLINE = ("span", "code", "a", "sup", "mark")


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


@pytest.fixture
def page_of(tmp_path: Path) -> MakePage:
    """The page of a deck with this text, its code run if that is wanted, with scripts beside it."""

    def make(text: str, *, run: bool = False, scripts: dict[str, str] | None = None) -> str:
        file = tmp_path / "deck.md"
        file.write_text(text, encoding="utf-8")
        deck = load_deck(file)
        recordings = run_all(deck, EVERYTHING, lambda *_: None) if run else {}
        outputs = {block: recording.output() for block, recording in recordings.items()}
        scripts_beside = scripts or {}
        return make_page(Writer(deck, outputs, links_to(scripts_beside)), scripts_beside).whole()

    return make


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The machine's Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        file = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=file, args=["--no-sandbox"])
        yield browser
        browser.close()
