"""A site in a real browser: it opens again without a network, and does not share its records with other sites."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from triton_workshop.deck.consent import NOTHING
from triton_workshop.page.bundle import Blob, PageBundle
from triton_workshop.page.handout import run_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, ThreadingHTTPServer]]:
    """A host of static files, and its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sites of one host."""
    folder = tmp_path_factory.mktemp("host")
    for name in ("one", "two"):
        deck = folder / f"{name}.md"
        deck.write_text(f"Site {name}\n===\n", encoding="utf-8")
        inside = PageBundle((Blob("worker.js", name.encode()),), "A licence")
        run_site(deck, folder / name, NOTHING, (), lambda: inside, url=f"https://example.org/{name}")  # noqa: B023
    return folder


def test_a_site_opens_again_without_a_network(browser: Browser, sites: Path) -> None:
    page = browser.new_context().new_page()
    with served(sites) as (address, _):
        page.goto(f"{address}/one/")
        page.evaluate("navigator.serviceWorker.ready.then(() => 0)")
        page.reload()
        part = next((sites / "one" / "parts").iterdir()).name
        page.evaluate("(name) => fetch(`parts/${name}`).then((answer) => answer.ok)", part)
    page.reload()
    assert page.title() == "Site one"
    assert page.evaluate("(name) => fetch(`parts/${name}`).then((answer) => answer.ok)", part)
    page.context.close()


def test_two_sites_of_one_host_do_not_share_texts(browser: Browser, sites: Path) -> None:
    context = browser.new_context()
    with served(sites) as (address, _):
        one, two = context.new_page(), context.new_page()
        one.goto(f"{address}/one/")
        two.goto(f"{address}/two/")
        one.evaluate("Store.update('1', { text: 'mine' })")
        assert one.evaluate("Store.read('1').text") == "mine"
        assert two.evaluate("Store.read('1').text ?? null") is None
    context.close()


def test_what_an_older_edition_has_kept_is_still_there(browser: Browser, sites: Path) -> None:
    context = browser.new_context()
    context.add_init_script("""localStorage.setItem("triton-workshop-exercise-1", '{"text": "older"}')""")
    with served(sites) as (address, _):
        page = context.new_page()
        page.goto(f"{address}/one/")
        assert page.evaluate("Store.read('1').text") == "older"
    context.close()


def test_a_link_to_a_site_has_a_picture(sites: Path) -> None:
    page = (sites / "one" / "index.html").read_text(encoding="utf-8")
    assert '<meta property="og:image" content="https://example.org/one/preview.jpeg">' in page
    assert (sites / "one" / "preview.jpeg").stat().st_size > 10_000
