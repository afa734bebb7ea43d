"""The workers in a real browser, from one file on a disk: blocks, verdicts, a loop in C that only a watchdog ends."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.exercises import EXERCISES
from triton_workshop.page import bundle, parts
from triton_workshop.page.page import Page

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Opened

pytestmark = pytest.mark.browser
ASKED = """
async (request) => {
  const heard = [], from = performance.now(), python = await Parts.python(() => {}, asked.options);
  const listen = (data) => heard.push(...[data.printed ?? data.verdict].filter(Boolean));
  const done = await python.ask(request, listen);
  return { done, heard, seconds: (performance.now() - from) / 1000 };
}
"""


NOBODY = "http://127.0.0.1:9"
"""A server that is not there, whom a script tries to ask."""
BODY = '<header></header><nav></nav><div class="tools"></div><main></main>'


@pytest.fixture(scope="module")
def inside() -> bundle.PageBundle:
    if parts.cached_parts() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    return bundle.build_bundle()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, inside: bundle.PageBundle) -> str:
    """The address of a page on a disk."""
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(Page("a page", BODY, "").standalone(inside), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def opened(file: str, browser: Browser) -> Iterator[Opened]:
    """It is open, and asks nobody for anything."""
    page, asked = browser.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, file, spares=1)
    yield page
    page.close()
    assert [url for url in asked if not url.startswith(("blob:", "data:", file, NOBODY))] == []


def open_page(page: Opened, address: str, spares: int = 0) -> None:
    """A page where so many workers wait beside the one that works: one takes seconds to get ready."""
    page.set_default_timeout(300_000)
    page.goto(address)
    page.evaluate(f"globalThis.asked = {ASKED}")
    page.evaluate("(options) => { asked.options = options; }", {"timeoutMs": 20_000, "spares": spares})


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


def test_what_is_wrong_comes_before_the_search_for_its_line(opened: Opened) -> None:
    wrong = EXERCISES["3"].solution.replace(" - SIZE // 2", " + SIZE // 2", 1)
    first, *_, last = ask(opened, check={"number": "3", "text": wrong})["heard"]
    assert (first["described"]["isPreliminary"], first["findings"][0]["line"]) == (True, None)
    assert (last["described"]["isPreliminary"], last["findings"][0]["hint_name"]) == (False, "filter-off-centre")
    assert first["findings"][0]["message"] == last["findings"][0]["message"]


LOOP_IN_C = "sum(range(10**15))"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (LOOP_IN_C, "it did not come to an end"),
        ("import os; os._exit(3)", ""),
        ("import torch\ntorch.empty(10**10)", ""),
    ],
)
def test_after_the_worst_the_next_one_works(opened: Opened, text: str, why: str) -> None:
    ask(opened, run={"text": ""})  # the frame with the workers is there
    (frame,) = opened.frames[1:]
    limit = frame.evaluate("workers.timeoutMs")
    frame.evaluate("(limit) => { workers.timeoutMs = limit; }", 1000 if text is LOOP_IN_C else limit)
    found = ask(opened, run={"text": text})
    frame.evaluate("(limit) => { workers.timeoutMs = limit; }", limit)
    assert found["done"]["failed"]
    assert why in found["done"]["failed"]
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"


FLOODS = {
    "output": """import os
for _ in range(1000):
    print("x" * 10**6)
    os.write(1, b"x" * 10**6)  # past Python's own count""",
    "messages": "import js\nfor _ in range(2000): js.postMessage('x' * 10**6)",
}
"""Two gigabytes each."""


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_is_cut_before_the_page_and_the_next_one_works(opened: Opened, flood: str) -> None:
    found = ask(opened, owner="floods", run={"text": FLOODS[flood]})
    assert sum(map(len, found["heard"])) <= 2_000_000
    assert "".join(ask(opened, owner="floods", run={"text": "print(1)"})["heard"]) == "1\n"


FIELDS = ["done", "outdated", "result", "warm"]
"""Fields that iterators have, and messages between page, frame and worker."""


@pytest.mark.parametrize("name", FIELDS)
def test_no_script_gives_all_objects_a_field(opened: Opened, name: str) -> None:
    done = ask(opened, owner="fields", run={"text": f"import js\njs.Object.prototype.{name} = 1\nprint('done')"})
    assert "".join(done["heard"]) == "done\n"
    next_one = ask(opened, owner="fields", run={"text": f"import js\nprint(hasattr(js.Object.prototype, '{name}'))"})
    assert (next_one["done"]["failed"], "".join(next_one["heard"])) == ("", "False\n")
    for frame in opened.frames:
        assert frame.evaluate("(name) => ({})[name] === undefined", name)


def test_a_message_of_the_frame_changes_no_object_of_the_page(opened: Opened) -> None:
    ask(opened, run={"text": ""})  # the frame with the workers is there
    (frame,) = opened.frames[1:]
    send = """() => {
      const data = JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}');
      for (const message of [data, { id: 1, result: data }, { id: 1, message: data }]) parent.postMessage(message, "*");
    }"""
    frame.evaluate(send)
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"
    assert opened.evaluate("({}).polluted === undefined && [].polluted === undefined")


SECRET = "of nobody else"
HEAR = "sys.heard = []\nhear = create_proxy(lambda event: sys.heard.append(str(getattr(event, 'data', event).to_py())))"
SPIES = {
    "an audit hook": "sys.addaudithook(lambda name, found: sys.heard.append(str(found)))",
    "a compiler of its own": """real = builtins.exec
builtins.exec = lambda code, *rest: (sys.heard.append(str(code)), real(code, *rest))[1]""",
    "a listener": "js.addEventListener('message', hear)",
    "a handler": "js.onmessage = hear",
}
"""What a script may leave behind to hear the next text, which `sys.heard` keeps."""
OVERHEARD = "import sys\nprint(getattr(sys, 'heard', None))"
FORGE = """
import js, sys
from pyodide.ffi import create_proxy, to_js
def forge(*_):
    right = {"passed": True, "described": {"headline": "forged"}}
    for number in range(200):
        for answer in ({"verdict": right}, {"result": {"changed": [], "failed": "", "forged": True}}):
            js.postMessage(to_js({"id": number} | answer, dict_converter=js.Object.fromEntries))
forge()
js.onmessage = create_proxy(forge)
js.addEventListener("message", js.onmessage)
def steal(this, *_):
    sys.stolen = True
for owner, name, kind in (("Port", "postMessage", "value"), ("Event", "data", "get"), ("Event", "ports", "get")):
    changed = to_js({kind: create_proxy(steal)}, dict_converter=js.Object.fromEntries)
    js.Object.defineProperty(getattr(js, f"Message{owner}").prototype, name, changed)
"""
"""Answers whatever may be asked next, before and after it is asked, and takes each port that it meets."""


@pytest.mark.parametrize("spy", SPIES)
@pytest.mark.parametrize("others", ["slides", "2"])
def test_no_script_reads_the_text_of_another_owner(opened: Opened, spy: str, others: str) -> None:
    text = f"import builtins, js, sys\nfrom pyodide.ffi import create_proxy\n{HEAR}\n{SPIES[spy]}\nprint('spies')"
    assert "".join(ask(opened, owner=others, run={"text": text})["heard"]) == "spies\n"
    ask(opened, owner="1", check={"number": "1", "text": f"{EXERCISES['1'].solution}\n# {SECRET}"})
    for owner in ("1", others):
        assert SECRET not in "".join(ask(opened, owner=owner, run={"text": OVERHEARD})["heard"])


def test_no_script_hears_what_comes_to_its_worker(opened: Opened) -> None:
    for spy in ("a listener", "a handler"):
        text = f"import js, sys\nfrom pyodide.ffi import create_proxy\n{HEAR}\n{SPIES[spy]}"
        ask(opened, owner=spy, run={"text": text})
        ask(opened, owner=spy, run={"text": f"# {SECRET}"})
        assert "".join(ask(opened, owner=spy, run={"text": OVERHEARD})["heard"]) == "[]\n"


@pytest.mark.parametrize("owner", ["slides", "1"])
def test_no_script_answers_for_the_next(opened: Opened, owner: str) -> None:
    """Nor for the next text of its own exercise, by messages."""
    assert ask(opened, owner=owner, run={"text": FORGE})["done"]["failed"] == ""
    wrong = EXERCISES["1"].solution.replace("x + y", "x - y")
    checked = ask(opened, owner="1", check={"number": "1", "text": wrong})
    assert "forged" not in json.dumps(checked)
    assert [verdict["passed"] for verdict in checked["heard"]] == [False, False], "the second one has its line"
    stolen = ask(opened, owner=owner, run={"text": "import sys\nprint(hasattr(sys, 'stolen'))"})
    assert "".join(stolen["heard"]) == "False\n"


def test_stop_while_python_starts_ends_all_that_waits_and_not_the_next(file: str, browser: Browser) -> None:
    page = browser.new_page()
    open_page(page, file)
    found = page.evaluate(STOPPED_EARLY)
    page.close()
    assert found == ["stopped", "stopped", ""]


def test_the_first_check_of_another_owner_finds_its_interpreter_warm(opened: Opened) -> None:
    """It has checked scripts of ours, and what is asked of it comes after that."""
    ask(opened, owner="1", run={"text": "print(1)"})
    (frame,) = opened.frames[1:]
    frame.evaluate(WARM)
    assert "".join(ask(opened, owner="nobody yet", run={"text": IMPORTED})["heard"]) == "True\n"


WARM = """async () => {
  const until = performance.now() + 60_000, warm = ({ spares }) => spares.length && spares.every((spare) => spare.warm);
  while (!warm(workers) && performance.now() < until) await new Promise((next) => setTimeout(next, 50));
}"""
IMPORTED = """
from triton_workshop.page.inside import front_end
print("triton.compiler.code_generator" in front_end._compiler_copies)
"""
STOPPED_EARLY = """async () => {
  const python = await Parts.python(), early = [1, 2].map(() => python.ask({ run: { text: "print(1)" } }));
  python.stop();
  return [...await Promise.all(early), await python.ask({ run: { text: "print(2)" } })].map(({ failed }) => failed);
}"""


def test_endless_recursion_is_an_error_like_another(opened: Opened) -> None:
    found = ask(opened, run={"text": "def f(): f()\nf()"})
    assert "RecursionError" in "".join(found["heard"])
    assert "".join(ask(opened, run={"text": "print(1)"})["heard"]) == "1\n"


def test_a_site_gives_the_same_page_to_any_host(tmp_path: Path, inside: bundle.PageBundle, browser: Browser) -> None:
    """A host without headers of ours, as Python's own server; it keeps what a script in the page tries to fetch."""
    (tmp_path / "parts").mkdir()
    for blob in inside.blobs:
        (tmp_path / blob.address("parts/")).write_bytes(blob.data)
    (tmp_path / "index.html").write_text(Page("a page", BODY, "").standalone(inside, folder="parts/"), encoding="utf-8")
    asked = list[str]()

    class Host(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        page = browser.new_page()
        open_page(page, f"http://127.0.0.1:{server.server_port}/")
        assert "".join(ask(page, run={"text": "print(1)"})["heard"]) == "1\n"
        keep_secrets(page)
        asked.clear()
        assert successes(attacks(page)) == {}
        assert asked == []
        of_the_page = json.loads(page.evaluate(OF_THE_PAGE, attacker(page)))
        page.close()
        server.shutdown()
    assert of_the_page["the database"] == "got the text of exercise 2"
    assert of_the_page["a request"] == "got 501"
    assert "/report" in asked


def test_a_room_runs_kernels_tells_how_far_it_is_and_goes_on_without_its_server(
    tmp_path: Path, inside: bundle.PageBundle, browser: Browser
) -> None:
    """Scripts that run there can neither tell the room anything, nor ask it."""
    pytest.importorskip("starlette")
    from tests.room.loopback import served
    from triton_workshop.attendance.register import Register
    from triton_workshop.room.server import Server

    (tmp_path / "deck.md").write_text("One\n===\n\n```python +exec\nprint(1)\n```\n", encoding="utf-8")
    room = Register(tmp_path / "room.sqlite")
    server = Server(room, "", inside)
    server.page.set_deck(load_deck(tmp_path / "deck.md"))
    page, asked = browser.new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    with served(server.app) as address, closing(server.stream):
        open_page(page, f"{address}?word={room.word}")
        assert "".join(ask(page, run={"text": "print(1)"})["heard"]) == "1\n"
        keep_secrets(page)
        assert successes(attacks(page)) == {}
        assert not room.board().attendees
        of_the_page = json.loads(page.evaluate(OF_THE_PAGE, attacker(page)))
        assert of_the_page["a request"] == "got 400"  # which says that the room has heard what is no report
        solved = {"exercise": "2", "filled": 3, "todos": 3, "right": True, "hints": 1, "mistake": ""}
        page.evaluate("(detail) => document.dispatchEvent(new CustomEvent('progress', { detail }))", solved)
        assert not room.board().attendees
        with page.expect_response(lambda answer: answer.url.endswith("/report")):
            page.get_by_role("button", name="Tell the room").click()
        (told,) = room.board().attendees[0].progress
        assert asdict(told) == solved
    assert "".join(ask(page, run={"text": "print(2)"})["heard"]) == "2\n"
    page.close()
    assert [url for url in asked if not url.startswith(("blob:", "data:", address, NOBODY))] == []


def test_what_a_script_tries_against_its_page_on_a_disk_fails(opened: Opened) -> None:
    keep_secrets(opened)
    assert successes(attacks(opened)) == {}


def successes(found: dict[str, str]) -> dict[str, str]:
    return {name: got for name, got in found.items() if not got.startswith("failed: ")}


def keep_secrets(page: Opened) -> None:
    """Keep in the page what nobody else may read."""
    page.evaluate(SECRETS)


SECRETS = """async () => {
  const made = (request) => new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onupgradeneeded = () => request.result.createObjectStore("texts");
    request.onerror = () => failed(request.error);
  });
  const texts = await made(indexedDB.open("workshop", 1));
  await made(texts.transaction("texts", "readwrite").objectStore("texts").put("the text of exercise 2", "2"));
  texts.close();
  new BroadcastChannel("workshop").onmessage = ({ target }) => target.postMessage("the page");
}"""
ATTACKS = {
    "the database": """const texts = await made(indexedDB.open("workshop", 1));
        return made(texts.transaction("texts").objectStore("texts").get("2"))""",
    "the databases' names": "return JSON.stringify(await indexedDB.databases())",
    "caches": "return JSON.stringify(await caches.keys())",
    "private files": "return (await navigator.storage.getDirectory()).kind",
    "a request": "return (await fetch(at('/report'), { method: 'POST', credentials: 'include' })).status",
    "a request to another host": "return (await fetch('http://127.0.0.1:9/', { mode: 'no-cors' })).status",
    "an older request": """const asked = new XMLHttpRequest();
        asked.open("POST", at("/report"), false);
        asked.send("x");
        return asked.status""",
    "a socket": "return heard(new WebSocket(at('/').replace(/^http/, 'ws')), 'open')",
    "a stream": "return heard(new EventSource(at('/report')), 'open')",
    "a module of the server": "return typeof await import(at('/report'))",
    "a script of the server": "importScripts(at('/report')); return 'ran'",
    "a worker of the server": "return heard(new Worker(at('/report')), 'message')",
    "a font": "return (await new FontFace('mine', `url(${at('/report')})`).load()).status",
    "a transport": "return heard(new WebTransport(at('/').replace(/^http:/, 'https:')), 'message')",
    "eval": "return eval('1 + 1')",
    "a function of a text": "return new Function('return 1 + 1')()",
    "storage": "return localStorage.length",
    "cookies": "return (await cookieStore.getAll()).length",
    "the document": "return document.title",
    "the frame above": "return parent.location.href",
    "a worker of its own": """const text = "fetch(" + JSON.stringify(at("/report")) + ", { mode: 'no-cors' })"
          + ".then(() => postMessage('got it'), () => postMessage(0))";
        const answer = await heard(new Worker(URL.createObjectURL(new Blob([text]))), "message");
        if (answer === "0") throw new Error("refused");
        return answer""",
    "a channel to the page": """const channel = new BroadcastChannel("workshop"), answer = heard(channel, "message");
        channel.postMessage("who is there?");
        return answer""",
}
"""What somebody may try in a worker of their own, which a kernel script can start: each returns what it got."""
IN_A_WORKER = """
const at = (path) => new URL(path, HOST).href;
const made = (request) => heard(request, "success").then(() => request.result);
const heard = (target, kind) => new Promise((done, failed) => {
  target.addEventListener(kind, ({ data }) => done(String(data ?? kind)));
  target.addEventListener("error", () => failed(new Error("refused")));
  setTimeout(() => failed(new Error("nobody answers")), 1000);
});
const attacks = { ALL };
const found = {};
for (const [name, attack] of Object.entries(attacks)) {
  found[name] = await attack().then((got) => `got ${got}`, (error) => `failed: ${error}`);
}
postMessage(JSON.stringify(found));
"""
START_IT = """
import js
from pyodide.ffi import create_proxy, to_js
blob = js.Blob.new(to_js([{source!r}]))
attacker = js.Worker.new(js.URL.createObjectURL(blob))
attacker.onmessage = create_proxy(lambda event: setattr(js.globalThis, "found", event.data))
"""
OF_THE_PAGE = """(source) => new Promise((done) => {  // what the same worker gets that is not kept apart
  const worker = new Worker(URL.createObjectURL(new Blob([source])));
  worker.onmessage = ({ data }) => done(data);
})"""
PYTHON_ASKS = {
    "Python's own request": "import urllib.request; print(urllib.request.urlopen({address!r}, timeout=1).status)",
    "a socket of Python's": "import socket; print(socket.create_connection(({host!r}, {port}), 1).send(b'x'))",
    "JavaScript from a text": "from pyodide.code import run_js; print(run_js('1 + 1'))",
    "the page's database": "import js; print(js.indexedDB.open('workshop', 1))",
}


def attacks(page: Opened) -> dict[str, str]:
    """What each attack gets, from JavaScript that a kernel script starts, and from Python itself."""
    ask(page, run={"text": START_IT.format(source=attacker(page))})
    told = ""
    while not told.startswith("{"):  # the worker has a second for each
        told = "".join(ask(page, run={"text": "import js\nprint(getattr(js.globalThis, 'found', ''))"})["heard"])
    found: dict[str, str] = json.loads(told)
    assert set(found) == set(ATTACKS)
    _, name, port = (host := host_of(page)).replace("//", "").split(":")
    for each, text in PYTHON_ASKS.items():
        ran = ask(page, run={"text": text.format(address=f"{host}/report", host=name, port=port)})
        found[each] = "failed: " + ran["done"]["failed"] if ran["done"]["failed"] else "".join(ran["heard"])
    return found


def attacker(page: Opened) -> str:
    """The worker that tries everything."""
    named = ", ".join(f"{json.dumps(name)}: async () => {{ {body} }}" for name, body in ATTACKS.items())
    source = IN_A_WORKER.replace("HOST", json.dumps(host_of(page))).replace("ALL", named)
    return f"(async () => {{ {source} }})()"


def host_of(page: Opened) -> str:
    """The server to ask: the page's own, or, for a page on a disk, any."""
    return str(page.evaluate("(nobody) => (location.protocol === 'file:' ? nobody : location.origin)", NOBODY))
