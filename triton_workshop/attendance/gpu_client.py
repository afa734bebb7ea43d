"""A script's way to the GPUs of the room, on an attendee's side."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from urllib.parse import urlencode

from triton_workshop.attendance.jobs import CANCELLED, MAX_SCRIPT_BYTES, Answer, Outcome
from triton_workshop.attendance.membership import (
    MALFORMED_ERRORS,
    Membership,
    RefusedError,
    UnansweredError,
    ask,
    membership_file,
    read_membership,
)
from triton_workshop.errors import MisuseError

SUBMIT_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for the room to take a script."""
POLL_SECONDS = 20
"""Seconds after which the room answers, if nothing has changed."""
POLL_TIMEOUT_SECONDS = POLL_SECONDS + 10.0
RETRY_SECONDS = 1.0
"""Seconds before another try, while the room does not answer."""
PATIENCE_SECONDS = 120.0
"""Seconds after which nobody waits for a room that does not answer."""


@dataclass(frozen=True)
class JobState:
    """State of a script that was sent to the room's GPUs."""

    state: str
    """`waiting`, `unreachable` while it waits for a room without GPUs, `running` or `answered`."""
    place: int
    """Its place in the queue, from 1; 0 once it runs."""
    answer: Answer | None = None

    @property
    def sentence(self) -> str:
        """The state in a few words."""
        if self.state == "unreachable":
            return "waiting for the room's GPUs, which the presenter's machine does not reach now"
        if self.state == "waiting":
            before = self.place - 1
            return f"waiting for a GPU of the room, {before} before you" if before > 0 else "next on a GPU of the room"
        return "running on a GPU of the room"


def require_membership() -> Membership:
    """Return the room that was joined. Raises MisuseError if there is none."""
    joined = read_membership(membership_file())
    if joined is None:
        raise MisuseError(
            "you have not joined a room, whose GPUs this needs; to join one: uv run workshop join ADDRESS"
        )
    return joined


def run_on_a_gpu(
    joined: Membership, exercise: str, text: str, *, timed: bool, show: Callable[[str], None], stop: Event
) -> Answer:
    """Send a script to the room's GPUs, and wait for the answer.

    `show` gets a few words on each change. Once `stop` is set, the job is cancelled. Raises RefusedError if the room
    does not take the script, and UnansweredError if it does not answer for two minutes.
    """
    if len(text.encode()) > MAX_SCRIPT_BYTES:
        raise RefusedError(f"a GPU of the room takes scripts of at most {MAX_SCRIPT_BYTES // 1024} KB")
    # The sender chooses the identity, so that a second try is no second submission.
    identity, deadline, seen = uuid.uuid4().hex, time.monotonic() + PATIENCE_SECONDS, ""
    message = {"id": identity, "exercise": exercise, "text": text, "timed": timed}
    is_sent = False
    while not stop.is_set():
        try:
            if not is_sent:
                ask(joined, "gpus/submit", message, timeout_seconds=SUBMIT_TIMEOUT_SECONDS)
                is_sent = True
            state = _poll(joined, identity, seen)
        except UnansweredError as error:
            if time.monotonic() > deadline:
                raise
            show(f"the room does not answer ({error}); trying again")
            stop.wait(RETRY_SECONDS)
            continue
        deadline, seen = time.monotonic() + PATIENCE_SECONDS, f"{state.state}-{state.place}"
        if state.answer is not None:
            return state.answer
        show(state.sentence)
    with suppress(UnansweredError, RefusedError):
        ask(joined, "gpus/cancel", {"id": identity}, timeout_seconds=SUBMIT_TIMEOUT_SECONDS)
    return CANCELLED


def _poll(joined: Membership, identity: str, seen: str) -> JobState:
    """Return a job's state, as soon as it differs from what was seen."""
    query = urlencode({"wait": POLL_SECONDS, "seen": seen} if seen else {})
    fields = ask(joined, f"gpus/job/{identity}?{query}", timeout_seconds=POLL_TIMEOUT_SECONDS)
    with suppress(*MALFORMED_ERRORS):
        answer = fields["answer"]
        return JobState(str(fields["state"]), int(fields["place"]), answer and Answer.from_json(answer))
    raise UnansweredError("what it says of the script is malformed")


def describe_answer(answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield an answer's rows: a mark or a name, and a sentence or a figure."""
    mark = {Outcome.CORRECT: "✓", Outcome.WRONG: "✗"}.get(answer.outcome, "!")
    yield mark, answer.sentence
    findings = (answer.verdict or {}).get("findings") or []
    for finding in findings[:1]:
        line = f" (line {finding['line']})" if finding.get("line") else ""
        # The sentence may be the message, with a capital letter.
        if finding.get("message") and finding["message"].casefold() not in answer.sentence.casefold():
            yield "", f"{finding['message']}{line}"
        if finding.get("hint"):
            yield "hint", finding["hint"]
    if times := answer.times:
        yield "size", times.size
        rows = {"yours": times.script, "limit": times.limit, "plain solution": times.plain, "PyTorch": times.pytorch}
        for name, milliseconds in rows.items():
            yield name, f"{milliseconds:8.3f} ms   {milliseconds / times.limit:5.2f} × the limit"
