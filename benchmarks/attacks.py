"""Effects of attacks on a shared room.

`python -m benchmarks.attacks [--json]` measures what others feel of them.

The deck is shared over the loopback network, with 10 MB of random bytes in place of what kernels need. An attacker at
127.0.0.66 drops requests for pieces, opens connections that say nothing, or enters again and again, while others fetch
pages and pieces, follow the slides, and enter. The exit status is 1 if a bound is exceeded. It takes two minutes.
Linux. The bounds are for a machine that others use too.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.share import DECK, PATIENCE_SECONDS, Client, Figure, elsewhere, following, line
from triton_workshop.attendance.register import Register
from triton_workshop.deck import load_deck
from triton_workshop.page import bundle
from triton_workshop.room.addresses import LOOPBACK, Endpoint
from triton_workshop.room.share import Share
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.slides.slide_step import goto

ATTACKER = "127.0.0.66"
BLOBS, BLOB_BYTES = 5, 4 * 512 * 1024
PEOPLE = 20
"""People who load all pieces at once."""
SECONDS = 8.0
"""Seconds of an attack that goes on."""
WAVE, PAUSE_SECONDS = 550, 0.3


class Bench:
    """A shared deck, one page that follows, and people who ask for something."""

    def __init__(self, folder: Path) -> None:
        with zipfile.ZipFile(folder / "inside.zip", "w") as inside:
            inside.writestr(bundle.LICENCES, "")
            for number in range(BLOBS):
                inside.writestr(f"{number}.bin", os.urandom(BLOB_BYTES))
        blobs = bundle.read_bundle(folder / "inside.zip").blobs
        self.pieces = [f"/piece/{name}" for blob in blobs for name in blob.pieces()]
        self.file = folder / "room.sqlite"
        self.presentation = Presentation(load_deck(DECK))
        self.share = Share(Endpoint(port=0), self.file, folder / "inside.zip")
        self.port = int(self.share.ready().address.rsplit(":", 1)[1].strip("/"))
        self.word = self.share.invitation().word
        with closing(Register(self.file)) as room:
            self.tokens = [room.enter().token for _ in range(PEOPLE)]
            self.attacker = room.enter("Mallory").token
        self.client, self._place = Client(self.port, self.tokens[0]), 0
        self.share.tell(self.presentation)
        self.get("/", self.tokens[0])

    def close(self) -> None:
        self.share.close()
        self.presentation.live.close()

    def get(self, path: str, token: str, body: bytes | None = None, source: str = LOOPBACK) -> int:
        """The status of an answer that was read whole; 0 if none came."""
        with (
            suppress(OSError, http.client.HTTPException),
            closing(http.client.HTTPConnection(LOOPBACK, self.port, PATIENCE_SECONDS, (source, 0))) as connection,
        ):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            connection.request("GET" if body is None else "POST", path, body, headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        return 0

    def enter(self, source: str = LOOPBACK) -> int:
        return self.get("/enter", "", f"word={self.word}".encode(), source)

    def change(self) -> float:
        """Seconds until a page that follows has heard of the next slide."""
        self._place += 1
        self.presentation.go(goto(self._place % len(self.presentation.deck.slides) + 1, self.presentation.steps))
        place, began = (self.presentation.position.slide + 1, self.presentation.position.step), time.monotonic()
        self.client.heard.clear()
        self.share.tell(self.presentation)
        while place not in self.client.heard and time.monotonic() < began + PATIENCE_SECONDS:
            time.sleep(0.002)
        return time.monotonic() - began


def timed(act: Callable[[], object]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


# What others feel


def felt(bench: Bench, attack: str, seconds: float = SECONDS) -> Iterator[Figure]:
    """Pages, pieces, slides and entries while an attack goes on."""
    end = time.monotonic() + seconds
    asked: dict[str, list[tuple[float, bool]]] = {"page": [], "piece": [], "entry": []}

    def ask(what: str, act: Callable[[], int]) -> None:
        while time.monotonic() < end:
            began = time.monotonic()
            status = act()
            asked[what].append((time.monotonic() - began, status == 200))
            time.sleep(0.1)

    slides = list[float]()
    acts = {
        "page": lambda: bench.get("/", bench.tokens[1]),
        "piece": lambda: bench.get(bench.pieces[0], bench.tokens[2]),
        "entry": lambda: bench.enter("127.0.0.2"),
    }
    threads = [threading.Thread(target=ask, args=each) for each in acts.items()]
    for thread in threads:
        thread.start()
    while time.monotonic() < end:
        slides.append(bench.change())
        time.sleep(0.1)
    for thread in threads:
        thread.join()
    for what, answers in asked.items():
        yield Figure(f"{attack}: the next {what}, longest", max(seconds for seconds, _ in answers), "s", 8)
        refused = len([1 for _, granted in answers if not granted])
        yield Figure(f"{attack}: {what} requests refused, of {len(answers)}", refused, "", 0)
    yield Figure(f"{attack}: a slide reaches a page, longest", max(slides), "s", 4)


def dropped_at_once(bench: Bench) -> Iterator[Figure]:
    with elsewhere(drop, bench.port, bench.attacker, bench.pieces, 1000, 0.0) as attacker:
        seconds = attacker.recv()
        piece = timed(lambda: bench.get(bench.pieces[0], bench.tokens[1]))
        page = timed(lambda: bench.get("/", bench.tokens[1]))
    yield Figure(f"1000 dropped requests (in {seconds:.1f} s): then the next piece of others", piece, "s", 4)
    yield Figure("and their next page", page, "s", 4)


def dropped_again_and_again(bench: Bench) -> Iterator[Figure]:
    with elsewhere(drop, bench.port, bench.attacker, bench.pieces, 1900, SECONDS) as attacker:
        attacker.recv()
        yield from felt(bench, "120 dropped a second")
    with closing(Register(bench.file)) as room:
        named = any("Mallory" in warning for warning in getattr(room.board(), "warnings", ()))
    yield Figure("whether the presenter hears who it is (0: yes)", not named, "", 0)


def waves(bench: Bench) -> Iterator[Figure]:
    """Let people load everything during an attack.

    Meanwhile somebody without the word opens connections.
    """

    def load(number: int) -> list[int]:
        return [bench.enter(f"127.0.1.{number + 1}"), *(bench.get(path, bench.tokens[number]) for path in bench.pieces)]

    with elsewhere(open_waves, bench.port) as attacker, ThreadPoolExecutor(PEOPLE) as pool:
        attacker.recv()
        statuses = [status for each in pool.map(load, range(PEOPLE)) for status in each]
        cut = len([1 for status in statuses if status != 200])
        yield Figure(f"waves of {WAVE} connections: loads and entries cut, of {len(statuses)}", cut, "", 0)
        yield from felt(bench, f"waves of {WAVE}")


def entries(bench: Bench) -> Iterator[Figure]:
    with elsewhere(enter, bench.port, bench.word) as attacker:
        attacker.recv()
        for address, name in ((ATTACKER, "the same"), ("127.0.0.3", "another")):
            entered = list[int]()
            seconds = timed(lambda at=address, to=entered: to.append(bench.enter(at)))  # type: ignore[misc]
            yield Figure(f"beside a flood of entries, an entry from {name} address", seconds, "s", 8)
            yield Figure("which was refused", entered != [200], "", 0)


# The attacker


def drop(port: int, token: str, paths: Sequence[str], times: int, seconds: float, connection: Connection) -> None:
    """Drop so many requests at once, and then 120 a second."""

    async def one(number: int) -> None:
        with suppress(OSError):
            _, writing = await asyncio.open_connection(LOOPBACK, port, local_addr=(ATTACKER, 0))
            path = paths[number % len(paths)]
            writing.write(f"GET {path} HTTP/1.1\r\nHost: {LOOPBACK}\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            await writing.drain()
            writing.close()

    async def all_of_them() -> None:
        began = time.monotonic()
        for start in range(0, times, 100):
            await asyncio.gather(*map(one, range(start, start + 100)))
        connection.send(time.monotonic() - began)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.gather(*map(one, range(12)))
            await asyncio.sleep(0.1)

    asyncio.run(all_of_them())


def open_waves(port: int, connection: Connection) -> None:
    async def all_of_them() -> None:
        connection.send("begun")
        held: list[list[asyncio.StreamWriter]] = []
        while True:
            opening = (asyncio.open_connection(LOOPBACK, port, local_addr=(ATTACKER, 0)) for _ in range(WAVE))
            wave = await asyncio.gather(*opening, return_exceptions=True)
            held.append([each[1] for each in wave if not isinstance(each, BaseException)])
            for writing in held.pop(0) if len(held) > 5 else ():
                writing.close()
            await asyncio.sleep(PAUSE_SECONDS)

    asyncio.run(all_of_them())


def enter(port: int, word: str, connection: Connection) -> None:
    """Enter 101 times, and then without end, over ten connections at once."""
    body = f"word={word}&name=Mallory"
    head = f"POST /enter HTTP/1.1\r\nHost: {LOOPBACK}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    entered = 0

    async def again_and_again() -> None:
        nonlocal entered
        while True:
            with suppress(OSError):
                reading, writing = await asyncio.open_connection(LOOPBACK, port, local_addr=(ATTACKER, 0))
                writing.write((head + body).encode())
                await reading.read()
                writing.close()
            entered += 1
            if entered == 101:
                connection.send("begun")

    async def all_of_them() -> None:
        await asyncio.gather(*(again_and_again() for _ in range(10)))

    asyncio.run(all_of_them())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures: list[Figure] = []
    for attack in (
        lambda bench: felt(bench, "no attack", 3.0),
        dropped_at_once,
        dropped_again_and_again,
        waves,
        entries,
    ):
        with (
            tempfile.TemporaryDirectory() as folder,
            closing(Bench(Path(folder))) as bench,
            following([bench.client]),
        ):
            for figure in attack(bench):
                figures.append(figure)
                if not options.json:
                    print(line(figure), flush=True)
    if options.json:
        print(json.dumps([asdict(figure) | {"passed": figure.passed} for figure in figures]))
    sys.exit(not all(figure.passed for figure in figures))


if __name__ == "__main__":
    main()
