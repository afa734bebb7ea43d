"""The workers in a real browser, from one file on a disk: blocks, verdicts, a loop in C that only a watchdog ends."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from triton_workshop.browser import archive, parts
from triton_workshop.checking.exercises import EXERCISES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
ROOM = Path(archive.__file__).parent
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src 'none'"
OPEN = """
async function opened() {
  const files = {};
  let module;
  for (const each of document.querySelectorAll("script[data-file]")) {
    const bytes = Uint8Array.from(atob(each.textContent), (letter) => letter.charCodeAt(0));
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const response = new Response(plain, { headers: { "Content-Type": "application/wasm" } });
    if (each.dataset.file.endsWith(".wasm")) module = await WebAssembly.compileStreaming(response);
    else files[each.dataset.file] = new Uint8Array(await response.arrayBuffer());
    each.remove();
  }
  const names = Object.keys(files), boot = { files, module, folder: "/page", archives: ["page.zip"] };
  boot.libraries = names.filter((name) => name.endsWith(".whl"));
  globalThis.workers = new Workers(document.getElementById("worker").textContent, boot, { limit: 20_000 });
}
async function asked(request) {
  const heard = [], from = performance.now();
  const done = await workers.ask(request, (data) => heard.push(data.printed ?? data.verdict));
  return { done, heard, seconds: (performance.now() - from) / 1000 };
}
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page as opened from a disk, which asks nobody for anything."""
    from playwright.sync_api import sync_playwright

    files = parts.here()
    if files is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.browser.parts` fetches them")
    wheels = [name for name in files if name.endswith(".whl")]
    data = {name: files[name].read_bytes() for name in (*CORE, *wheels)}
    packed = archive.packed()
    data["page.zip"] = archive.compiled(packed, files["pyodide.mjs"].parent) or packed
    inside = "".join(
        f'<script type="text/plain" data-file="{name}">{base64.b64encode(gzip.compress(each, 1)).decode()}</script>'
        for name, each in data.items()
    )
    workers, worker = ((ROOM / name).read_text(encoding="utf-8") for name in ("workers.js", "worker.js"))
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">{inside}'
        f'<script type="text/plain" id="worker">{worker}</script><script>{workers}{OPEN}</script>',
        encoding="utf-8",
    )
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page, asked = browser.new_page(), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.set_default_timeout(300_000)
        page.goto(file.as_uri())
        page.evaluate("opened()")
        yield page
        browser.close()
    assert [url for url in asked if not url.startswith(("blob:", "data:", file.as_uri()))] == []


def ask(page: Page, **request: Any) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(f"asked({json.dumps(request)})")
    return found


def test_a_block_prints_and_shows_its_picture(opened: Page) -> None:
    text = "from triton_workshop import load_image, show_image\nshow_image(load_image('poseidon_triton.jpeg', width=8))"
    found = ask(opened, run={"text": f"print('first')\n{text}\nprint('last')"})
    assert found["done"]["failed"] == ""
    assert "".join(found["heard"]).startswith("first\n")
    (name,) = found["done"]["pictures"]
    assert name in "".join(found["heard"])


def test_a_right_script_is_right_and_a_wrong_one_is_not(opened: Page) -> None:
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
def test_after_the_worst_the_next_one_works(opened: Page, text: str, why: str) -> None:
    found = ask(opened, run={"text": text})
    assert found["done"]["failed"]
    assert why in found["done"]["failed"]
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"


def test_endless_recursion_is_an_error_like_another(opened: Page) -> None:
    found = ask(opened, run={"text": "def f(): f()\nf()"})
    assert "RecursionError" in "".join(found["heard"])
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"
