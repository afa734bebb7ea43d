"""The workers in a real browser, from one file on a disk: blocks, verdicts, a loop in C that only a watchdog ends."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from triton_workshop.browser import bundle, parts
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.web.page import Page

if TYPE_CHECKING:
    from playwright.sync_api import Page as Opened

pytestmark = pytest.mark.browser
ASKED = """
async (request) => {
  const heard = [], from = performance.now(), python = await Parts.python(() => {}, { limit: 20_000 });
  const done = await python.ask(request, (data) => heard.push(data.printed ?? data.verdict));
  return { done, heard, seconds: (performance.now() - from) / 1000 };
}
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A page as opened from a disk, which asks nobody for anything."""
    from playwright.sync_api import sync_playwright

    if parts.here() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.browser.parts` fetches them")
    file = tmp_path_factory.mktemp("page") / "page.html"
    body = '<header></header><nav></nav><div class="tools"></div><main></main>'
    file.write_text(Page("a page", body, "").whole(bundle.gathered()), encoding="utf-8")
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page, asked = browser.new_page(), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.set_default_timeout(300_000)
        page.goto(file.as_uri())
        page.evaluate(f"globalThis.asked = {ASKED}")
        yield page
        browser.close()
    assert [url for url in asked if not url.startswith(("blob:", "data:", file.as_uri()))] == []


def ask(page: Opened, **request: Any) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(f"asked({json.dumps(request)})")
    return found


def test_a_block_prints_and_shows_its_picture(opened: Opened) -> None:
    text = "from triton_workshop import load_image, show_image\nshow_image(load_image('poseidon_triton.jpeg', width=8))"
    found = ask(opened, run={"text": f"print('first')\n{text}\nprint('last')"})
    assert found["done"]["failed"] == ""
    assert "".join(found["heard"]).startswith("first\n")
    (name,) = found["done"]["pictures"]
    assert name in "".join(found["heard"])


def test_a_right_script_is_right_and_a_wrong_one_is_not(opened: Opened) -> None:
    solution = EXERCISES["1"].solution
    verdicts = ask(opened, check={"number": "1", "text": solution})["heard"]
    assert all(verdict["passed"] for verdict in verdicts)
    without = solution.replace("tl.load(x_ptr + offsets, mask=mask)", "tl.load(x_ptr + offsets)")
    (finding,) = ask(opened, check={"number": "1", "text": without})["heard"][-1]["findings"]
    assert finding["kind"] == "out-of-bounds-load"
    assert "tl.load(x_ptr + offsets)" in finding["source"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sum(range(10**15))", "it did not come to an end"),
        ("import os; os._exit(3)", ""),
        ("import torch\ntorch.empty(10**10)", ""),
    ],
)
def test_after_the_worst_the_next_one_works(opened: Opened, text: str, why: str) -> None:
    found = ask(opened, run={"text": text})
    assert found["done"]["failed"]
    assert why in found["done"]["failed"]
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"


def test_endless_recursion_is_an_error_like_another(opened: Opened) -> None:
    found = ask(opened, run={"text": "def f(): f()\nf()"})
    assert "RecursionError" in "".join(found["heard"])
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"
