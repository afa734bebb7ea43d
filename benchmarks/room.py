"""Whether the board tells the truth: `python -m benchmarks.room [--attendees 40] [--seconds 300]`.

So many attendees join a room over the loopback network, and tell it for so many seconds how far they are and that they
need help, with the code of `workshop join` and `watch`. The presenter answers their calls, oldest first. Halfway, the
server is killed (SIGKILL), and has to be back within 3 seconds. At the end a few leave, and the board has to equal
what was told. The exit status is 1 if it does not. It needs the extra: `uv run --extra room python -m benchmarks.room`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.classroom.board import Progress
from triton_workshop.classroom.board_key import board_link
from triton_workshop.classroom.membership import address_and_word, join, leave
from triton_workshop.classroom.room import room_in_use
from triton_workshop.classroom.telling import Teller
from triton_workshop.web.addresses import Where
from triton_workshop.web.share import Share

PAUSES = (0.3, 3.0)
"""Seconds between two things that an attendee tells."""
ANSWERING = 1.0
"""Seconds between two calls that the presenter answers."""
BACK = 3.0
"""Seconds after which a server that was killed has to answer again."""
HEARD = 15.0
"""Seconds in which a server that is back has to hear all that it missed."""
LEAVING = 3
"""How many leave at the end."""
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Learner:
    """An attendee at work, and what the board should say of them."""

    def __init__(self, number: int, link: str, folder: Path) -> None:
        self._random = random.Random(number)
        self.file = folder / f"{number}.json"
        address, word = address_and_word(link)
        self.joined = join(address, word or "", f"Learner {number}" if number % 2 else None, self.file)
        self.teller = Teller(self.file)
        self.told: dict[str, Progress] = {}
        self.asking = False
        self.lock = threading.Lock()
        """Held while they tell something, and while the presenter helps them."""
        self.calls = 0
        self.seconds: list[float] = []
        """How long each report kept its caller."""

    def work(self, end: threading.Event) -> None:
        while not end.wait(self._random.uniform(*PAUSES)):
            with self.lock:
                if self._random.random() < 0.05:
                    self.asking = self.teller.ask()
                    self.calls += 1
                else:
                    self._report(self._next())

    def _next(self) -> Progress:
        """The next state of the exercise that they are at; of another one, once it is right."""
        here = next(reversed(self.told.values()), None)
        if here is None or here.right:
            number = self._random.choice([*EXERCISES])
            return Progress(number, 0, len(EXERCISES[number].hints), right=False, hints=0)
        if self._random.random() < 0.3:
            return replace(here, hints=here.hints % 3 + 1)
        filled = min(here.filled + 1, here.todos)
        return replace(here, filled=filled, right=filled == here.todos and self._random.random() < 0.5)

    def _report(self, progress: Progress) -> None:
        self.told.pop(progress.exercise, None)
        self.told[progress.exercise] = progress
        started = time.perf_counter()
        self.teller.report(progress)
        self.seconds.append(time.perf_counter() - started)

    @property
    def expected(self) -> dict[str, Any] | None:
        """Their entry on the board; None if they do not stand there."""
        if not (self.joined.name or self.told or self.calls):
            return None
        here = asdict([*self.told.values()][-1]) if self.told else None
        right = sorted(progress.exercise for progress in self.told.values() if progress.right)
        called = self.joined.name or f"number {self.joined.number}"
        return {"number": self.joined.number, "called": called, "here": here, "right": right}


class Presenter:
    """Reads the board over HTTP, and answers calls."""

    def __init__(self, address: str, key: str) -> None:
        self._address, self.answered = address, 0
        with DIRECT.open(board_link(address, key), timeout=5) as answer:
            self._cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}

    def board(self) -> dict[str, Any]:
        board: dict[str, Any] = json.loads(self._asked("board.json", None))
        return board

    def work(self, learners: Sequence[Learner], end: threading.Event) -> None:
        by_number = {learner.joined.number: learner for learner in learners}
        while not end.wait(ANSWERING):
            try:
                calls = self.board()["calls"]
                if calls:
                    self._answer(by_number[calls[0]["number"]])
            except OSError:  # the server was killed; nothing is answered meanwhile
                continue

    def _answer(self, learner: Learner) -> None:
        with learner.lock:
            if learner.teller.flush(HEARD):
                self._asked(f"board/done/{learner.joined.number}", b"")
                learner.asking = False
                self.answered += 1

    def _asked(self, path: str, body: bytes | None) -> bytes:
        request = urllib.request.Request(self._address + path, body, self._cookie)
        with DIRECT.open(request, timeout=5) as answer:
            content: bytes = answer.read()
            return content

    def seconds_until_back(self) -> float:
        started = time.perf_counter()
        while time.perf_counter() - started < 10 * BACK:
            try:
                self.board()
                break
            except OSError:
                time.sleep(0.02)
        return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attendees", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--json", action="store_true", help="print one object: figure → value")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workshop-room-") as folder:
        figures = measured(Path(folder), options.attendees, options.seconds)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:<42}{value:>10}")
    sys.exit(figures["wrong on the board"] > 0 or figures["back after kill -9 (s)"] > BACK)


def measured(folder: Path, attendees: int, seconds: float) -> dict[str, float]:
    file = folder / "room.sqlite"
    with closing(Share(Where(port=0), file)) as share:
        invitation = share.ready()
        learners = [Learner(number, invitation.link, folder) for number in range(attendees)]
        presenter, end = Presenter(invitation.own, invitation.key), threading.Event()
        threads = [threading.Thread(target=learner.work, args=(end,)) for learner in learners]
        threads.append(threading.Thread(target=presenter.work, args=(learners, end)))
        for thread in threads:
            thread.start()
        try:
            time.sleep(seconds / 2)
            killed(share)
            back = presenter.seconds_until_back()
            time.sleep(max(seconds / 2 - back, 0))
        finally:
            end.set()
        for thread in threads:
            thread.join()
        ended = time.perf_counter()
        unheard = sum(not learner.teller.flush(HEARD) for learner in learners)
        heard_after = time.perf_counter() - ended
        for learner in learners[:LEAVING]:
            leave(learner.file)
        wrong = [*differences(learners[LEAVING:], presenter.board()), *missing(learners[LEAVING:], file)]
    for line in wrong:
        print(line, file=sys.stderr)
    waited = sorted(each for learner in learners for each in learner.seconds)
    return {
        "attendees": attendees,
        "reports": len(waited),
        "calls for help": sum(learner.calls for learner in learners),
        "answered": presenter.answered,
        "a report keeps its caller, median (ms)": round(1000 * statistics.median(waited), 2),
        "a report keeps its caller, p99 (ms)": round(1000 * waited[int(len(waited) * 0.99)], 2),
        "back after kill -9 (s)": round(back, 2),
        "all heard after the end (s)": round(heard_after, 2),
        "wrong on the board": len(wrong) + unheard,
    }


def killed(share: Share) -> None:
    assert share._call is not None
    share._call.kill()


def differences(learners: Sequence[Learner], board: dict[str, Any]) -> list[str]:
    """Where the board that the presenter sees differs from what was told."""
    expected = {entry["number"]: entry for learner in learners if (entry := learner.expected)}
    shown = {entry["number"]: entry for entry in board["present"]}
    wrong = [
        f"number {number}: told {expected.get(number)}, the board says {shown.get(number)}"
        for number in sorted(expected.keys() | shown.keys())
        if expected.get(number) != shown.get(number)
    ]
    asking = {learner.joined.number for learner in learners if learner.asking}
    calls = [call["number"] for call in board["calls"]]
    if asking != {*calls} or len(calls) != len(asking):
        wrong.append(f"asking: {sorted(asking)}, the board says {calls}")
    return wrong


def missing(learners: Sequence[Learner], file: Path) -> list[str]:
    """Where what is kept differs from what was told, in any exercise and in its order."""
    room = room_in_use(file)
    assert room is not None
    with closing(room):
        kept = {present.number: present.progress for present in room.board().present}
    return [
        f"number {number}: told {told}, the room keeps {kept.get(number)}"
        for learner in learners
        if kept.get(number := learner.joined.number, ()) != (told := tuple(learner.told.values()))
    ]


if __name__ == "__main__":
    main()
