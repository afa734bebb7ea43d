"""Viewer's side of sharing.

It starts the server, feeds it, and starts it again if it dies. It never waits.
"""

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
from triton_workshop.page.outputs import Output, outcome_text
from triton_workshop.printing import printable
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError, start
from triton_workshop.room.addresses import Endpoint
from triton_workshop.room.mailbox import Mailbox
from triton_workshop.room.messages import (
    BlockEdit,
    BlockOutput,
    Close,
    DeckUpdate,
    GpuPool,
    ServerReady,
    ServerRefused,
    SlidePosition,
    ViewerMessage,
    message_key,
)
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.viewer.live.editing import visible_text
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.sharing import Invitation

SERVER = "triton_workshop.room.server:serve"
MAX_LINES = 500
"""Lines of an output that a page shows: the last ones."""
UPDATE_SECONDS, SHORT_LINES = 0.1, 50
"""Seconds between two states of a growing output, up to so many lines."""
START_TIMEOUT_SECONDS = 30.0
"""Seconds that the server may take to import from a slow disk."""
POLL_SECONDS = 0.1
"""Seconds between two looks whether the server still runs."""
DRAW_SECONDS = 0.02
"""Seconds that the viewer has to draw a change before it is sent.

Then the server and the pages ask for the same cores.
"""
RETRY_SECONDS = 1.0
"""Seconds until the next try if the server cannot start again."""
SHUTDOWN_SECONDS = 2.0
"""Seconds that the server has to send the end of the slides."""


class Share:
    """Shares what the viewer shows.

    `tell` belongs to the viewer's thread; everything that takes time has one of its own.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        register_path: Path | None = None,
        bundle: Path | None = None,
        pool: GpuPool | None = None,
    ) -> None:
        """Start the server, and return at once.

        `register_path` is the room's register, by default the presenter's own. `bundle` is the file by
        `bundle.build_bundle_file`, if kernels shall run in the room's pages, and `pool` has the GPUs that serve them.
        """
        self._pool = pool
        self._endpoint, self._register_path, self._bundle = endpoint, register_path or register_file(), bundle
        self._sent = SentState()
        self._outbox: Mailbox[ViewerMessage] = Mailbox()
        self._latest: dict[str, ViewerMessage] = {}
        """Messages for a server that starts again, by key."""
        self._lock = threading.Lock()
        self._first: Future[ServerReady | ServerRefused] = Future()
        """Answer of the server that was started first."""
        self._invitation: Invitation | None = None
        """Invitation that the server has sent last: a new room has another word."""
        self._closing = threading.Event()
        self._call: Call | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def ready(self) -> Invitation:
        """Wait until the server listens; return the invitation.

        Raises MisuseError if it cannot listen.
        """
        answer = self._first.result()
        if isinstance(answer, ServerRefused):
            self.close()
            raise MisuseError(f"the slides cannot be shared: {answer.reason}")
        return answer.invitation

    def invitation(self) -> Invitation:
        """Return the current invitation, once the server was `ready`."""
        assert self._invitation is not None
        return self._invitation

    def tell(self, show: Presentation) -> None:
        """Send what has changed on the slides.

        A defect here must not reach the slides.
        """
        with suppress(Exception):
            self._queue(self._sent.changes(show))

    def _queue(self, messages: Mapping[str, ViewerMessage]) -> None:
        if not messages:
            return
        with self._lock:
            if "deck" in messages:
                self._latest = {}
                self._outbox.clear()
            self._latest.update(messages)
            self._outbox.put(messages)

    def close(self) -> None:
        """End the server, once it has told the pages that the slides are closed."""
        self._closing.set()
        self._outbox.close()
        self._thread.join(SHUTDOWN_SECONDS)
        if self._thread.is_alive() and self._call is not None:  # it reads nothing: then it has to go
            self._call.kill()
            self._thread.join(SHUTDOWN_SECONDS)

    # The thread that talks to the server

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with Path(os.devnull).open("wb") as nothing, self._start_server(nothing.fileno()) as call:
                    self._call = call
                    answer = call.next_message(START_TIMEOUT_SECONDS)
                    assert isinstance(answer, ServerReady | ServerRefused)
                    self._handle_answer(answer)
                    if isinstance(answer, ServerReady):
                        self._endpoint = answer.endpoint  # it keeps its port when it starts again
                        self._feed(call)
                        continue
            except (OSError, EndedError, TimeIsUpError) as error:
                self._handle_answer(ServerRefused(f"their server did not start: {error}"))
            # Only a server that could not start is given time: one that has run starts again at once.
            self._closing.wait(RETRY_SECONDS)

    def _start_server(self, output: int) -> Call:
        return start(SERVER, self._endpoint, self._register_path, self._bundle, self._pool, output=output)

    def _handle_answer(self, answer: ServerReady | ServerRefused) -> None:
        if isinstance(answer, ServerReady):
            self._invitation = answer.invitation
        if not self._first.done():
            self._first.set_result(answer)

    def _feed(self, call: Call) -> None:
        """Send everything, and then changes, until the server has ended."""
        with self._lock:
            self._outbox.clear()
            self._outbox.put(self._latest)
        while not call.has_ended():
            for answer in call.waiting_messages():
                assert isinstance(answer, ServerReady)
                self._handle_answer(answer)
            messages = self._outbox.take(POLL_SECONDS)
            if messages is None:
                call.send(Close())
                call.wait_for_end(SHUTDOWN_SECONDS)
                return
            if messages:
                time.sleep(DRAW_SECONDS)
            for message in messages.values():
                call.send(message)


class SentState:
    """State that was sent, so that changes are found in microseconds.

    Identities are compared, and little else.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._source_deck: Deck | None = None
        self._deck: Deck | None = None
        self._position: SlidePosition | None = None
        self._runs: tuple[BlockRun, ...] = ()
        self._by_index: dict[int, BlockRun] = {}
        self._outputs: dict[int, tuple[object, ...]] = {}
        self._printed_at: dict[int, float] = {}
        self._edits: dict[int, str] = {}

    def changes(self, show: Presentation) -> dict[str, ViewerMessage]:
        """Return messages about changes since the last call, by key."""
        changes: list[ViewerMessage] = []
        if show.deck_read is not self._source_deck:
            # With a new deck, all is sent again: what was said of the one before is dropped on the way.
            self._source_deck, self._deck, self._position = show.deck_read, None, None
            self._outputs, self._edits = {}, {}
            changes.append(DeckUpdate(show.deck_read))
        position = SlidePosition(show.position.slide + 1, show.position.step)
        if position != self._position:
            self._position = position
            changes.append(position)
        runs = tuple(show.live.runs.values())
        has_changed = show.deck is not self._deck or not same_runs(runs, self._runs)
        if has_changed:
            self._deck, self._runs = show.deck, runs
            changes += self._match_blocks(show)
        changes += self._output_changes()
        return {message_key(message): message for message in changes}

    def _output_changes(self) -> Iterator[BlockOutput]:
        """Yield outputs that have changed.

        One that grows comes no more often than a page can show it.
        """
        for index, run in self._by_index.items():
            state = output_state(run)
            previous = self._outputs.get(index)
            if previous == state:
                continue
            now = self._now()
            # The first two are the run and its status: a change of these is shown at once.
            is_same_run = previous is not None and previous[:2] == state[:2]
            grows = is_same_run and run.status is Status.RUNNING
            is_due = not grows or now >= self._printed_at[index] + update_interval(run)
            if is_due:
                self._outputs[index], self._printed_at[index] = state, now
                yield BlockOutput(index, to_output(run))

    def _match_blocks(self, show: Presentation) -> list[ViewerMessage]:
        """Find the run that each block shows, and what was typed over it."""
        original, edited = code_blocks(show.deck_read), show.edits.edited()
        current = code_blocks(show.deck)
        typed = {
            index: visible_text(block)
            for index, block in enumerate(current)
            if block is not original[index] and block in edited
        }
        edits: list[ViewerMessage] = [
            BlockEdit(index, typed.get(index))
            # Also what was typed before and is no longer: None takes pages back to the deck's own code.
            for index in sorted({*typed, *self._edits})
            if typed.get(index) != self._edits.get(index)
        ]
        runs = ((index, show.live.runs.get(block)) for index, block in enumerate(current))
        self._edits, self._by_index = typed, {index: run for index, run in runs if run is not None}
        removed = [index for index in self._outputs if index not in self._by_index]
        for index in removed:
            del self._outputs[index]
        return [*edits, *(BlockOutput(index, None) for index in removed)]


def same_runs(left: tuple[BlockRun, ...], right: tuple[BlockRun, ...]) -> bool:
    """Return whether two tuples hold the same runs."""
    return len(left) == len(right) and all(map(is_, left, right))


def update_interval(run: BlockRun) -> float:
    """Return the seconds between two states of an output that grows.

    Forty laptops on slow Wi-Fi get all its lines each time.
    """
    return UPDATE_SECONDS * max(len(run.transcript.visible_lines()[-MAX_LINES:]) / SHORT_LINES, 1)


def output_state(run: BlockRun) -> tuple[object, ...]:
    """Return a state that is equal as long as the output looks the same."""
    return id(run), run.status, run.transcript.changes, run.outcome, run.failure, run.compiled, run.picture


def to_output(run: BlockRun) -> Output:
    """Return the output of a block as pages show it.

    Its last lines may still change, so they are copied.
    """
    printed = run.transcript.visible_lines()
    lines = tuple(line if isinstance(line, PictureLine) else line.copy() for line in printed[-MAX_LINES:])
    omitted = run.transcript.dropped + len(printed) - len(lines)
    if omitted:
        lines = (Text(f"[the first {omitted:,} lines are not shown here]"), *lines)
    running = run.failure is None and run.status is not Status.ENDED
    succeeded = run.outcome is not None and run.outcome.succeeded
    failed = not running and not succeeded
    picture = None
    if run.picture is not None:
        with suppress(OSError):
            picture = run.picture.read_bytes()
    return Output(lines, describe_ending(run), failed, picture, running)


def describe_ending(run: BlockRun) -> str:
    """Return how a run ended, or its current status."""
    outcome = run.outcome
    if run.failure is not None:
        return printable(run.failure)
    if outcome is None:
        phrases = {
            Status.WAITING: "waiting for the block before",
            Status.RUNNING: "running",
            Status.ENDED: "not started",
        }
        return phrases[run.status]
    return f"{outcome_text(outcome)} · {printable(run.compiled)}" if run.compiled else outcome_text(outcome)
