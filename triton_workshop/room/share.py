"""The viewer's side of sharing: starts the server, feeds it, and starts it again if it dies. It never waits."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from operator import is_
from pathlib import Path

from rich.text import Text

from triton_workshop.attendance.register import register_file
from triton_workshop.deck.model import Deck, code_blocks
from triton_workshop.errors import MisuseError
from triton_workshop.page.outputs import Output, ending
from triton_workshop.printing import printable
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError, start
from triton_workshop.room.addresses import Where
from triton_workshop.room.mailbox import Mailbox
from triton_workshop.room.messages import (
    Close,
    Edited,
    FromViewer,
    Listening,
    Printed,
    Refused,
    ShowDeck,
    ShownStep,
    key_of,
)
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.viewer.live.editing import shown_text
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.sharing import Invitation
from triton_workshop.viewer.show import Show

SERVER = "triton_workshop.room.server:serve"
LINES_SENT = 500
"""Lines of an output that a page shows: the last ones."""
PACE, SHORT = 0.1, 50
"""Seconds between two states of an output that grows, while it has no more than so many lines."""
STARTING_SECONDS = 30.0
"""Seconds that the server may take to import what it needs from a slow disk."""
LOOK_SECONDS = 0.1
"""Seconds between two looks whether the server still runs."""
SLIDE_FIRST_SECONDS = 0.02
"""Seconds that the viewer has to draw what it has told of, before the server and the pages ask for the same cores."""
AGAIN_SECONDS = 1.0
"""Seconds until the next try if the server cannot start again."""
FAREWELL_SECONDS = 2.0
"""Seconds that the server has to tell the pages that the slides are closed."""


class Share:
    """Shares what the viewer shows. `tell` belongs to the viewer's thread; all that takes time has one of its own."""

    def __init__(self, where: Where, room: Path | None = None, inside: Path | None = None) -> None:
        """Start the server, and return at once. `room` is the file of the room, by default the presenter's own.

        `inside` is the file of `bundle.gathered_file`, if kernels shall run in the room's pages.
        """
        self._where, self._room, self._inside = where, room or register_file(), inside
        self._told = Told()
        self._newest: Mailbox[FromViewer] = Mailbox()
        self._all: dict[str, FromViewer] = {}
        """What a server that starts again has to hear, by key."""
        self._lock = threading.Lock()
        self._first: Future[Listening | Refused] = Future()
        """What the server that was started first has answered."""
        self._invitation: Invitation | None = None
        """What the server has said last: a new room has another word."""
        self._closing = threading.Event()
        self._call: Call | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ready(self) -> Invitation:
        """Wait until the server listens; return how people get there. Raises MisuseError if it cannot."""
        answer = self._first.result()
        if isinstance(answer, Refused):
            self.close()
            raise MisuseError(f"the slides cannot be shared: {answer.reason}")
        return answer.invitation

    def invitation(self) -> Invitation:
        """How people get there now; once it was `ready`."""
        assert self._invitation is not None
        return self._invitation

    def tell(self, show: Show) -> None:
        """Send what is new of what is shown. A defect here must not reach the slides."""
        with suppress(Exception):
            self._put(self._told.news(show))

    def _put(self, messages: Mapping[str, FromViewer]) -> None:
        if not messages:
            return
        with self._lock:
            if "deck" in messages:
                self._all = {}
                self._newest.clear()
            self._all.update(messages)
            self._newest.put(messages)

    def close(self) -> None:
        """End the server, once it has told the pages that the slides are closed."""
        self._closing.set()
        self._newest.close()
        self._thread.join(FAREWELL_SECONDS)
        if self._thread.is_alive() and self._call is not None:  # it reads nothing: then it has to go
            self._call.kill()
            self._thread.join(FAREWELL_SECONDS)

    # The thread that talks to the server

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with Path(os.devnull).open("wb") as nothing, self._started(nothing.fileno()) as call:
                    self._call = call
                    answer = call.next_message(STARTING_SECONDS)
                    assert isinstance(answer, Listening | Refused)
                    self._answered(answer)
                    if isinstance(answer, Listening):
                        self._where = answer.where  # it keeps its port when it starts again
                        self._feed(call)
                        continue
            except (OSError, EndedError, TimeIsUpError) as error:
                self._answered(Refused(f"their server did not start: {error}"))
            self._closing.wait(AGAIN_SECONDS)

    def _started(self, output: int) -> Call:
        return start(SERVER, self._where, self._room, self._inside, output=output)

    def _answered(self, answer: Listening | Refused) -> None:
        if isinstance(answer, Listening):
            self._invitation = answer.invitation
        if not self._first.done():
            self._first.set_result(answer)

    def _feed(self, call: Call) -> None:
        """Send everything, and then what is new, until the server has ended."""
        with self._lock:
            self._newest.clear()
            self._newest.put(self._all)
        while not call.has_ended():
            for answer in call.waiting_messages():
                assert isinstance(answer, Listening)
                self._answered(answer)
            messages = self._newest.take(LOOK_SECONDS)
            if messages is None:
                call.send(Close())
                call.wait_for_end(FAREWELL_SECONDS)
                return
            if messages:
                time.sleep(SLIDE_FIRST_SECONDS)
            for message in messages.values():
                call.send(message)


class Told:
    """What has been told, so that what is new is found in microseconds. Identities are compared, and little else."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._read: Deck | None = None
        self._shown: Deck | None = None
        self._place: ShownStep | None = None
        self._runs: tuple[BlockRun, ...] = ()
        self._by_index: dict[int, BlockRun] = {}
        self._outputs: dict[int, tuple[object, ...]] = {}
        self._printed_at: dict[int, float] = {}
        self._edits: dict[int, str] = {}

    def news(self, show: Show) -> dict[str, FromViewer]:
        """Messages about what has changed since the last call, by key."""
        news: list[FromViewer] = []
        if show.deck_read is not self._read:
            self._read, self._shown, self._place = show.deck_read, None, None
            self._outputs, self._edits = {}, {}
            news.append(ShowDeck(show.deck_read))
        place = ShownStep(show.place.slide + 1, show.place.step)
        if place != self._place:
            self._place = place
            news.append(place)
        runs = tuple(show.live.runs.values())
        changed = show.deck is not self._shown
        if changed or not same(runs, self._runs):
            self._shown, self._runs = show.deck, runs
            news += self._matched(show)
        news += self._printed()
        return {key_of(message): message for message in news}

    def _printed(self) -> Iterator[Printed]:
        """What is new of outputs; of one that grows, no more often than a page can show it."""
        for index, run in self._by_index.items():
            state = state_of(run)
            before = self._outputs.get(index)
            if before == state:
                continue
            now = self._now()
            grows = before is not None and before[:2] == state[:2] and run.status is Status.RUNNING
            if not grows or now >= self._printed_at[index] + pace(run):
                self._outputs[index], self._printed_at[index] = state, now
                yield Printed(index, output_of(run))

    def _matched(self, show: Show) -> list[FromViewer]:
        """Find the run that each block shows, and what was typed over it."""
        before, edited = code_blocks(show.deck_read), show.edits.edited()
        now = code_blocks(show.deck)
        typed = {
            index: shown_text(block)
            for index, block in enumerate(now)
            if block is not before[index] and block in edited
        }
        news: list[FromViewer] = [
            Edited(index, typed.get(index))
            for index in sorted({*typed, *self._edits})
            if typed.get(index) != self._edits.get(index)
        ]
        runs = ((index, show.live.runs.get(block)) for index, block in enumerate(now))
        self._edits, self._by_index = typed, {index: run for index, run in runs if run is not None}
        gone = [index for index in self._outputs if index not in self._by_index]
        for index in gone:
            del self._outputs[index]
        return [*news, *(Printed(index, None) for index in gone)]


def same(some: tuple[BlockRun, ...], others: tuple[BlockRun, ...]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def pace(run: BlockRun) -> float:
    """Seconds between two states of an output that grows: forty laptops on slow Wi-Fi get all its lines each time."""
    return PACE * max(len(run.transcript.shown()[-LINES_SENT:]) / SHORT, 1)


def state_of(run: BlockRun) -> tuple[object, ...]:
    """What decides what an output looks like: as long as it is equal, there is nothing new."""
    return id(run), run.status, run.transcript.changes, run.outcome, run.failure, run.compiled, run.picture


def output_of(run: BlockRun) -> Output:
    """What a block has printed so far, and how it stands. Its last lines may still change, so they are copied."""
    shown = run.transcript.shown()
    lines = tuple(line if isinstance(line, PictureLine) else line.copy() for line in shown[-LINES_SENT:])
    left_out = run.transcript.dropped + len(shown) - len(lines)
    if left_out:
        lines = (Text(f"[the first {left_out:,} lines are not shown here]"), *lines)
    running = run.failure is None and run.status is not Status.ENDED
    failed = not running and (run.outcome is None or not run.outcome.succeeded)
    picture = None
    if run.picture is not None:
        with suppress(OSError):
            picture = run.picture.read_bytes()
    return Output(lines, ending_of(run), failed, picture, running)


def ending_of(run: BlockRun) -> str:
    """How a run ended, or stands."""
    outcome = run.outcome
    if run.failure is not None:
        return printable(run.failure)
    if outcome is None:
        words = {Status.WAITING: "waiting for the block before", Status.RUNNING: "running", Status.ENDED: "not started"}
        return words[run.status]
    return f"{ending(outcome)} · {printable(run.compiled)}" if run.compiled else ending(outcome)
