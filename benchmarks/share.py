"""Times of sharing a deck.

Run it by `python -m benchmarks.share [--clients 200] [--changes 50] [--slides] [--json]`.

Clients over the loopback network follow a deck that is shared as `workshop present --share` does it. It reports how
long a change takes to reach them, what `tell` costs the viewer, and what becomes of a client that never reads, one that
reconnects 1000 times, and of a server that is killed. The exit status is 1 if a bound is exceeded. It takes about ten
seconds. Linux and macOS. With --slides, the deck is also walked through in a pseudo-terminal, alone, shared, and shared
under attack, in turns, as `benchmarks.latency` does.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.latency import walk
from triton_workshop.attendance.register import Register
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import code_blocks, plain
from triton_workshop.page import bundle
from triton_workshop.repository import ROOT
from triton_workshop.room.addresses import LOOPBACK, Endpoint
from triton_workshop.room.share import Share
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.slides.slide_step import goto

DECK = ROOT / "slides" / "triton-workshop.md"
MEGABYTE = 10**6
PATIENCE_SECONDS = 20.0
"""Seconds after which a client that has not heard of a change counts as lost."""
RECONNECTS = 1000
FOLLOWING_PAGES = 40
"""Pages that follow while slides are timed; more would share the cores with the slides."""
ATTACKERS = 20


@dataclass(frozen=True)
class Figure:
    """What was measured, in its unit, and the most that it may be."""

    name: str
    value: float
    unit: str
    bound: float | None = None

    @property
    def passed(self) -> bool:
        return self.bound is None or self.value <= self.bound


class Client:
    """One page that follows.

    It notes when it heard of each place, and connects again when the connection ends.
    """

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token, self._last = port, token, ""
        self.heard: dict[tuple[int, int], float] = {}

    async def follow(self) -> None:
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reading, writing = await asyncio.open_connection(LOOPBACK, self._port, limit=2**24)
                try:
                    writing.write(events_request(self._token, self._last))
                    await self._read(reading)
                finally:
                    writing.close()
            await asyncio.sleep(0.1)

    async def _read(self, reading: asyncio.StreamReader) -> None:
        while line := await reading.readline():
            if line.startswith(b"id: "):
                self._last = line[4:].strip().decode()
            elif line.startswith(b'data: {"key": "place"'):
                place = json.loads(line[6:])["value"]
                self.heard.setdefault((place["slide"], place["step"]), time.monotonic())


class Bench:
    """A shared deck, and clients that follow it."""

    def __init__(self, folder: Path, clients: int) -> None:
        file = folder / "room.sqlite"
        self.presentation = Presentation(load_deck(DECK))
        self.share = Share(Endpoint(port=0), file, bundle.build_bundle_file())
        self.port = int(self.share.ready().address.rsplit(":", 1)[1].strip("/"))
        with closing(Register(file)) as room:
            self.token = room.enter().token
            self.clients = [Client(self.port, room.enter().token) for _ in range(clients)]
        self.share.tell(self.presentation)
        self.page()  # is there
        self._place = 0
        self._following = ExitStack()
        self._following.enter_context(following(self.clients))

    def close(self) -> None:
        self._following.close()
        self.share.close()
        self.presentation.live.close()

    @property
    def process(self) -> int:
        assert self.share._call is not None
        process = self.share._call._process
        return int(process._process.pid)  # type: ignore[attr-defined]

    def change(self) -> tuple[float, list[float]]:
        """Go to the next place; return the seconds that it takes.

        They are those for `tell`, and those until each client had heard of it.
        """
        self._place += 1
        self.presentation.go(goto(self._place % len(self.presentation.deck.slides) + 1, self.presentation.steps))
        place = (self.presentation.position.slide + 1, self.presentation.position.step)
        for client in self.clients:
            client.heard.clear()
        began = time.monotonic()
        self.share.tell(self.presentation)
        told = time.monotonic() - began
        while not all(place in client.heard for client in self.clients) and time.monotonic() < began + PATIENCE_SECONDS:
            time.sleep(0.002)
        return told, [client.heard.get(place, began + PATIENCE_SECONDS) - began for client in self.clients]

    def page(self) -> int:
        """Fetch the page; return the status of the answer."""
        with closing(http.client.HTTPConnection(LOOPBACK, self.port, timeout=PATIENCE_SECONDS)) as connection:
            connection.request("GET", "/", headers={"Authorization": f"Bearer {self.token}"})
            response = connection.getresponse()
            response.read()
            return response.status


@contextmanager
def following(clients: Sequence[Client]) -> Iterator[None]:
    """Let them follow meanwhile, in a thread of their own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    tasks = [asyncio.run_coroutine_threadsafe(each.follow(), loop) for each in clients]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


def events_request(token: str, last: str = "") -> bytes:
    seen = f"Last-Event-ID: {last}\r\n" if last else ""
    return f"GET /events HTTP/1.1\r\nHost: {LOOPBACK}\r\nAuthorization: Bearer {token}\r\n{seen}\r\n".encode()


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(int(len(values) * part), len(values) - 1)]


# What is measured


def follows(bench: Bench, changes: int, name: str = "") -> Iterator[Figure]:
    bench.change()  # everybody is connected
    told, heard = zip(*(bench.change() for _ in range(changes)), strict=True)
    seconds = [each for part in heard for each in part]
    beside = f", {name}" if name else ""
    yield Figure(f"a change reaches a client{beside}, p50", statistics.median(seconds), "s")
    yield Figure(f"a change reaches a client{beside}, p95", quantile(seconds, 0.95), "s", 0.2)
    if not name:
        yield Figure("a change reaches a client, longest", max(seconds), "s")
        yield Figure("tell of a change, p95", quantile(list(told), 0.95) * 1e6, "µs", 500)
        yield Figure("tell of nothing new", least(lambda: bench.share.tell(bench.presentation)) * 1e6, "µs", 50)


def least(act: Callable[[], None], times: int = 1000) -> float:
    began = time.perf_counter()
    for _ in range(times):
        act()
    return (time.perf_counter() - began) / times


def beside_one_that_never_reads(bench: Bench, changes: int) -> Iterator[Figure]:
    block = code_blocks(bench.presentation.deck)[0]
    cell = bench.presentation.live.runs[block] = BlockRun(status=Status.RUNNING)
    with closing(socket.socket()) as silent:
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        silent.connect((LOOPBACK, bench.port))
        silent.sendall(events_request(bench.token))
        printing = iter(range(10**6))

        def lines() -> None:
            cell.transcript.feed("".join(f"line {next(printing)} of an output\n" for _ in range(50)).encode())

        with repeated(lines):
            yield from follows(bench, changes, "beside an output and one that never reads")
    del bench.presentation.live.runs[block]


@contextmanager
def repeated(act: Callable[[], None]) -> Iterator[None]:
    """Do something twenty times per second meanwhile."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(0.05):
            act()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def reconnects(bench: Bench) -> Iterator[Figure]:
    before = memory_of(bench.process)
    began = time.monotonic()
    for _ in range(RECONNECTS):
        with socket.create_connection((LOOPBACK, bench.port), timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(events_request(bench.token))
            if not connection.recv(4096):
                break
    else:
        yield Figure(f"{RECONNECTS} connections, one after another", time.monotonic() - began, "s", 30)
        yield Figure("memory of the server that they leave", (memory_of(bench.process) - before) / MEGABYTE, "MB", 50)
        return
    yield Figure("connections refused", 1, "", 0)


def loads(bench: Bench) -> Iterator[Figure]:
    """Load all that kernels need in a whole room at once.

    Each page has one connection.
    """
    names = piece_names()
    with elsewhere(
        load_once, bench.port, [client._token for client in bench.clients[:FOLLOWING_PAGES]], names
    ) as pages:
        pages.recv()
        pages.send("now")
        seconds, size = pages.recv()
    yield Figure(f"{FOLLOWING_PAGES} pages load what kernels need, {size / MEGABYTE:.1f} MB each", seconds, "s")


def piece_names() -> list[str]:
    inside = bundle.read_bundle(bundle.build_bundle_file())
    return [name for blob in inside.blobs for name in blob.pieces()]


async def load(port: int, token: str, names: Sequence[str]) -> int:
    """Fetch these pieces over one connection; return their bytes.

    They come one after another, as to a page.
    """
    reading, writing = await asyncio.open_connection(LOOPBACK, port)
    size = 0
    try:
        for name in names:
            head = f"GET /piece/{name} HTTP/1.1\r\nHost: {LOOPBACK}\r\nAuthorization: Bearer {token}\r\n\r\n"
            writing.write(head.encode())
            answer = (await reading.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            assert answer.startswith("http/1.1 200"), answer
            length = int(answer.partition("content-length: ")[2].partition("\r")[0])
            await reading.readexactly(length)
            size += length
    finally:
        writing.close()
    return size


def load_once(port: int, tokens: list[str], names: Sequence[str], connection: Connection) -> None:
    """Wait for a word, load, and report seconds and bytes of one load.

    Before, it says that all is imported.
    """

    async def all_of_them() -> list[int]:
        return await asyncio.gather(*(load(port, token, names) for token in tokens))

    connection.send("ready")
    connection.recv()
    began = time.monotonic()
    sizes = asyncio.run(all_of_them())
    connection.send((time.monotonic() - began, min(sizes)))


def load_again(port: int, tokens: list[str], names: Sequence[str], connection: Connection) -> None:
    """Load everything again and again, all of them at once.

    When somebody asks, it says how often it was whole.
    """
    os.nice(19)  # on machines of their own, they would take nothing from the slides
    whole = 0

    async def forever(token: str) -> None:
        nonlocal whole
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                await load(port, token, names)
                whole += 1
            await asyncio.sleep(0.1)

    async def until_asked() -> None:
        pages = [asyncio.create_task(forever(token)) for token in tokens]
        await asyncio.to_thread(connection.recv)
        connection.send(whole)
        for page in pages:
            page.cancel()

    asyncio.run(until_asked())


def memory_of(process: int) -> int:
    """Bytes in memory; 0 where there is no /proc."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def killed(bench: Bench) -> Iterator[Figure]:
    os.kill(bench.process, signal.SIGKILL)
    _, heard = bench.change()
    yield Figure("kill -9: the last client follows again", max(heard), "s", 3)
    began = time.monotonic()
    status = bench.page()
    yield Figure("kill -9: then the page is there again", time.monotonic() - began, "s", 3)
    yield Figure("kill -9: sessions lost", status != 200, "", 0)


def slide_changes(clients: int, rounds: int = 5) -> Iterator[Figure]:
    """Measure the wait for the next slide, alone and with a room.

    Both are measured in turns.
    """
    deck = load_deck(DECK)
    titles = [plain(slide.title or ()) for slide in deck.slides]
    with tempfile.TemporaryDirectory() as folder, socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
        free.close()
        with closing(Register(Path(folder, "room.sqlite"))) as room:
            tokens = [room.enter().token for _ in range(clients)]
        variables = {**os.environ, "TERM": "xterm-256color", "TRITON_WORKSHOP_ROOM": folder}
        alone: list[list[float]] = []
        shared: list[list[float]] = []
        attacked: list[list[float]] = []
        loaded: list[list[float]] = []
        heard: list[int] = []
        whole: list[int] = []
        names = piece_names()

        def walked(*options: str) -> list[float]:
            return [*walk(deck.title, titles[1:], variables, *options)][1:]

        for _ in range(rounds):
            alone.append(walked())
            for seconds, attackers in ((shared, 0), (attacked, ATTACKERS)):
                with elsewhere(attack, port, attackers), elsewhere(follow_until_told, port, tokens) as pages:
                    seconds.append(walked("--share", "--port", str(port)))
                    pages.send("enough")
                    heard.append(pages.recv())
            with elsewhere(load_again, port, tokens, names) as pages:
                loaded.append(walked("--share", "--port", str(port)))
                pages.send("enough")
                whole.append(pages.recv())
    yield Figure(f"slides of {len(titles)} that every page heard of, at least", min(heard), "")
    yield Figure("the next slide, alone, median", statistics.median(each for walk in alone for each in walk), "s")
    ratio = as_long(shared, alone)
    yield Figure(f"the next slide with {clients} pages that follow, in parts of that", ratio, "", 1.1)
    yield Figure(f"pages that {clients} load again and again during a walk, at least", min(whole), "")
    ratio = as_long(loaded, alone)
    yield Figure(f"the next slide with {clients} that load everything, in parts of that", ratio, "", 1.1)
    ratio = as_long(attacked, alone)
    yield Figure(f"the next slide with {clients} pages and {ATTACKERS} attackers, in parts of that", ratio, "", 2)


def as_long(walks: Sequence[Sequence[float]], alone: Sequence[Sequence[float]]) -> float:
    """Return how many times as long a slide takes, slide by slide.

    Slides differ from each other more than these walks do.
    """
    those, these = ([statistics.median(rounds) for rounds in zip(*each, strict=True)] for each in (walks, alone))
    return float(statistics.median(that / this for that, this in zip(those, these, strict=True)))


@contextmanager
def elsewhere(work: Callable[..., None], *arguments: object) -> Iterator[Connection]:
    """Run clients in a process of their own.

    In this one they would keep it from seeing the slide.
    """
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(*arguments, theirs))
    process.start()
    try:
        yield ours
    finally:
        process.kill()


def follow_until_told(port: int, tokens: list[str], connection: Connection) -> None:
    """Follow, and then say of how many places each client has heard at least."""
    clients = [Client(port, token) for token in tokens]
    with following(clients):
        connection.recv()
        connection.send(min(len(client.heard) for client in clients))


def attack(port: int, attackers: int, _: Connection) -> None:
    """Type wrong words and open silent connections, until ended.

    So many do it as fast as they can.
    """
    os.nice(19)  # on machines of their own, they would take nothing from the slides

    async def guess() -> None:
        silent: deque[asyncio.StreamWriter] = deque(maxlen=100)
        while True:
            with suppress(OSError):
                silent.append((await asyncio.open_connection(LOOPBACK, port))[1])
                reading, writing = await asyncio.open_connection(LOOPBACK, port)
                writing.write(f"GET /?word=AAAAA HTTP/1.1\r\nHost: {LOOPBACK}\r\nConnection: close\r\n\r\n".encode())
                await reading.read()
                writing.close()

    async def all_of_them() -> None:
        await asyncio.gather(*(guess() for _ in range(attackers)))
        await asyncio.Event().wait()

    asyncio.run(all_of_them())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200, choices=range(1, 400), metavar="1…399")
    parser.add_argument("--changes", type=int, default=50, choices=range(1, 201), metavar="1…200")
    parser.add_argument("--slides", action="store_true", help="also walk through the deck, which takes six minutes")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder, closing(Bench(Path(folder), options.clients)) as bench:
        for part in (
            follows(bench, options.changes),
            beside_one_that_never_reads(bench, options.changes),
            reconnects(bench),
            loads(bench),
            killed(bench),
            slide_changes(FOLLOWING_PAGES) if options.slides else (),
        ):
            for figure in part:
                figures.append(figure)
                if not options.json:
                    print(line(figure), flush=True)
    if options.json:
        told = [asdict(figure) | {"passed": figure.passed} for figure in figures]
        print(json.dumps({"clients": options.clients, "changes": options.changes, "figures": told}))
    sys.exit(not all(figure.passed for figure in figures))


def line(figure: Figure) -> str:
    bound = "" if figure.bound is None else f"at most {figure.bound:g}"
    return f"{figure.name:<78} {figure.value:9.3f} {figure.unit:<3} {bound:<12} {'' if figure.passed else 'EXCEEDED'}"


if __name__ == "__main__":
    main()
