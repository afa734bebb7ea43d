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
from triton_workshop.web.page import links_to, make_page
from triton_workshop.web.slides import Writer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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


@pytest.fixture
def page_of(tmp_path: Path) -> MakePage:
    """The page of a deck with this text, whose code has not run, with scripts beside it."""

    def make(text: str, *, scripts: dict[str, str] | None = None) -> str:
        file = tmp_path / "deck.md"
        file.write_text(text, encoding="utf-8")
        deck = load_deck(file)
        scripts_beside = scripts or {}
        return make_page(Writer(deck, {}, links_to(scripts_beside)), scripts_beside).whole()

    return make


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The machine's Chromium, for one file: Playwright keeps an event loop, and other files run one of their own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        file = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=file, args=["--no-sandbox"])
        yield browser
        browser.close()


MARK_LOOKS = """() => {
    const looks = new Set(), clear = "rgba(0, 0, 0, 0)";
    for (const element of document.querySelectorAll("body *")) {
        if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
        let ground = element;
        while (ground && getComputedStyle(ground).backgroundColor === clear) ground = ground.parentElement;
        const { color, fontSize, fontWeight, opacity } = getComputedStyle(element);
        const look = [color, ground && getComputedStyle(ground).backgroundColor, fontSize, fontWeight, opacity].join();
        if (!looks.has(look)) element.dataset.look = "";
        looks.add(look);
    }
    return looks.size;
}"""
"""Marks one element of each look: colour, ground, size, weight. Returns how many there are."""


def axe_findings(page: Page, where: str, options: str) -> list[tuple[str, str, str]]:
    """What axe-core objects to: how bad it is, the rule, and the first element."""
    from axe_core_python.sync_playwright import Axe

    page.evaluate(f"{Axe().axe_script}; 0")
    found = page.evaluate(f"axe.run({where}, {{ resultTypes: ['violations'], ...{options} }})")["violations"]
    return [(each["impact"], each["id"], each["nodes"][0]["html"][:200]) for each in found]
