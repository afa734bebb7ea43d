"""Chromium for the tests of pages, and what axe-core says of one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


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
