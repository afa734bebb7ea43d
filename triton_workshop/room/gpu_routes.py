"""Routes for scripts that attendees send to the room's GPUs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from triton_workshop.attendance.jobs import MAX_SCRIPT_BYTES, Job
from triton_workshop.attendance.submissions import Submission, Submissions, TakenError
from triton_workshop.exercises import EXERCISES
from triton_workshop.room.attendees import MalformedError, parse_message, times_to_json
from triton_workshop.room.gpus import Dispatcher, pool_to_json
from triton_workshop.room.guard import too_many_requests
from triton_workshop.room.rate_limiter import RateLimiter

SUBMIT = "/gpus/submit"
MAX_SUBMISSION_BYTES = 6 * MAX_SCRIPT_BYTES + 1024
"""Bytes of a body with a script: JSON may need six for one of it."""
SUBMISSION_BURST, SUBMISSIONS_PER_SECOND = 10, 1 / 3
"""Scripts of one attendee at once, and per second from then on."""
MAX_WAIT_SECONDS = 25
"""Seconds for which a request may wait for news: less than a connection may be silent."""
IDENTIFIER = re.compile(r"[0-9a-f]{32}", re.ASCII)
NO_GPUS = "This room has no GPUs: the presenter starts them with the command `workshop gpus`."
NOT_REACHED = "The room's GPUs are not in reach yet. Try again in a few seconds."
TOO_MANY_SCRIPTS = "You send scripts to the GPUs too fast. Try again in a few seconds."
UNKNOWN_JOB = "The room knows no such script of yours."


class TooLargeError(ValueError):
    """The script is too large."""


def routes(dispatcher: Dispatcher | None, submissions: Submissions) -> list[Route]:
    """Return the routes; without a dispatcher they say that there are no GPUs.

    `Guard` has put the sender into `request.state.attendee`.
    """
    if dispatcher is None:
        return [Route(path, no_gpus, methods=["GET", "POST"]) for path in ("/gpus", "/gpus/{rest:path}")]
    gpus = GpuRoutes(dispatcher, submissions)
    return [
        Route("/gpus", gpus.status),
        Route(SUBMIT, gpus.submit, methods=["POST"]),
        Route("/gpus/job", gpus.job),
        Route("/gpus/job/{id}", gpus.job),
        Route("/gpus/cancel", gpus.cancel, methods=["POST"]),
        Route("/gpus/times", gpus.times),
    ]


async def no_gpus(_: Request) -> Response:
    """Say that the room has no GPUs."""
    return PlainTextResponse(NO_GPUS, 404)


class GpuRoutes:
    """Routes of a room with GPUs."""

    def __init__(self, dispatcher: Dispatcher, submissions: Submissions) -> None:
        self._dispatcher, self._submissions = dispatcher, submissions
        self._limiter = RateLimiter(SUBMISSION_BURST, per_second=SUBMISSIONS_PER_SECOND)

    async def status(self, _: Request) -> Response:
        """Return the GPUs, once they are known."""
        if (status := self._dispatcher.status) is None:
            return PlainTextResponse(NOT_REACHED, 404)
        return JSONResponse(pool_to_json(status))

    async def submit(self, request: Request) -> Response:
        """Store a script, then acknowledge it."""
        number = request.state.attendee.number
        try:
            job = parse_job(parse_message(await request.body()))
        except TooLargeError as error:
            return PlainTextResponse(str(error), 413)
        except MalformedError as error:
            return PlainTextResponse(f"This is no script for a GPU: {error}.", 400)
        # A page sends a script again if no answer came: that uses up nothing of its limit.
        is_new = await asyncio.to_thread(self._submissions.find, number, job.id) is None
        is_refused = is_new and not self._limiter.acquire(number)
        if is_refused:
            return too_many_requests(TOO_MANY_SCRIPTS)
        try:
            await asyncio.to_thread(self._submissions.submit, number, job)
        except TakenError:
            return PlainTextResponse("This is no script for a GPU: `id` is in use.", 400)
        self._dispatcher.wake()
        return JSONResponse({"id": job.id, "place": self._dispatcher.place(job.id)}, 202)

    async def job(self, request: Request) -> Response:
        """Return the state of a submission, at the latest after `wait` seconds."""
        number, id = request.state.attendee.number, request.path_params.get("id")
        seen, deadline = request.query_params.get("seen"), asyncio.get_running_loop().time() + wait_seconds(request)
        while True:
            # Before the look-up: a change meanwhile would be missed otherwise.
            changed = self._dispatcher.changed
            submission = await asyncio.to_thread(self._submissions.find, number, id)
            if submission is None:
                return PlainTextResponse(UNKNOWN_JOB, 404)
            state = self._state(submission)
            is_over = asyncio.get_running_loop().time() >= deadline or submission.answer is not None
            is_due = is_over or seen != f"{state['state']}-{state['place']}"
            if is_due:
                return JSONResponse(state)
            await self._wait_for_news(state, changed, deadline)

    async def _wait_for_news(self, state: dict[str, Any], changed: asyncio.Event, deadline: float) -> None:
        """Wait until a submission has another state or place.

        This reads no file, as everybody's submissions wake it.
        """
        id = state["id"]
        with suppress(TimeoutError):
            async with asyncio.timeout_at(deadline):
                await changed.wait()
                while self._dispatcher.is_unanswered(id):
                    # The state has these fields and others: while it contains them, nothing has changed.
                    is_same = state.items() >= self._progress(id).items()
                    if not is_same:
                        return
                    await self._dispatcher.changed.wait()

    def _state(self, submission: Submission) -> dict[str, Any]:
        subject = {"id": submission.id, "exercise": submission.exercise}
        if submission.answer is not None:
            return {**subject, "state": "answered", "place": 0, "answer": submission.answer.as_json()}
        return {**subject, **self._progress(submission.id), "answer": None}

    def _progress(self, id: str) -> dict[str, Any]:
        """Return how far a submission without an answer is."""
        place = self._dispatcher.place(id)
        waiting = "waiting" if self._dispatcher.is_reachable else "unreachable"
        return {"state": waiting if place else "running", "place": place}

    async def cancel(self, request: Request) -> Response:
        """Answer a submission as cancelled."""
        try:
            id = parse_identifier(parse_message(await request.body()))
        except MalformedError as error:
            return PlainTextResponse(f"This cancels nothing: {error}.", 400)
        await asyncio.to_thread(self._submissions.cancel, request.state.attendee.number, id)
        self._dispatcher.wake()
        return Response(status_code=204)

    def times(self, request: Request) -> Response:
        """Return the board of times, while it is on."""
        return JSONResponse(times_to_json(self._submissions, request.state.attendee.number))


def wait_seconds(request: Request) -> int:
    """Return the seconds that a request wants to wait, as far as it may."""
    text = request.query_params.get("wait", "")
    match = re.fullmatch(r"[0-9]{1,3}", text)
    return min(int(text), MAX_WAIT_SECONDS) if match else 0


def parse_job(message: Mapping[str, Any]) -> Job:
    """Parse a submission. Raises MalformedError and TooLargeError."""
    exercise, text, timed = message.get("exercise"), message.get("text"), message.get("timed", True)
    if not isinstance(exercise, str) or exercise not in EXERCISES:
        raise MalformedError(f"`exercise` has to be one of {', '.join(EXERCISES)}")
    if not isinstance(text, str):
        raise MalformedError("`text` has to be a script")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise MalformedError("`text` has half a character") from None
    if size > MAX_SCRIPT_BYTES:
        raise TooLargeError(f"A script may have at most {MAX_SCRIPT_BYTES:,} bytes; this one has {size:,}.")
    if not isinstance(timed, bool):
        raise MalformedError("`timed` has to be true or false")
    return Job(parse_identifier(message) if "id" in message else uuid4().hex, exercise, text, timed)


def parse_identifier(message: Mapping[str, Any]) -> str:
    """Parse the identifier of a submission. Raises MalformedError."""
    id = message.get("id")
    if not isinstance(id, str) or not IDENTIFIER.fullmatch(id):
        raise MalformedError("`id` has to be 32 hexadecimal digits")
    return id
