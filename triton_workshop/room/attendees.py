"""Routes for attendees' messages, and for the presenter's board."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from triton_workshop.attendance.board import AttendeeStatus, Board, ExerciseCount, Progress, display_name
from triton_workshop.attendance.board_key import BoardKey
from triton_workshop.attendance.register import MAX_CALLS, Register
from triton_workshop.attendance.submissions import Submissions, entries_to_json
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.room.assets import room_asset
from triton_workshop.room.guard import client_address

COOKIE = "board"
MAX_TODOS = 99
"""TODOs, or hints, that an exercise can have at most."""
NO_KEY_MESSAGE = (
    "This board is the presenter's. Press w and then b on the slides, or type: uv run workshop board "
    "(each link opens it once, within 30 seconds)"
)
TOO_MANY_CALLS_MESSAGE = f"{MAX_CALLS} others ask for help already. Raise your hand, or try again later."
MAX_NUMBER_DIGITS = 10
"""Digits of an attendee's number."""


class MalformedError(ValueError):
    """A message is none of ours; `str(error)` says what is wrong with it."""


def routes(
    register: Register, times: Submissions | None = None, problem: Callable[[], str] = lambda: ""
) -> list[Route]:
    """Return the routes of attendees and of the board.

    In a room with GPUs, the board has `times`, and says what their `problem` is. `Guard` has put
    the sender into `request.state.attendee`.
    """
    attendees, board = Attendees(register), BoardPage(register, times, problem)
    of_times = [
        Route("/board/times/strike/{id}", board.strike, methods=["POST"]),
        Route("/board/times/{state:str}", board.turn_times, methods=["POST"]),
    ]
    return [
        Route("/report", attendees.report, methods=["POST"]),
        Route("/help", attendees.help, methods=["POST"]),
        Route("/leave", attendees.leave, methods=["POST"]),
        Route("/board", board.page),
        Route("/board.json", board.data),
        Route("/board/done/{number}", board.done, methods=["POST"]),
        Route("/board/remove/{number}", board.remove, methods=["POST"]),
        *(of_times if times else ()),
    ]


class Attendees:
    """Routes for messages of an attendee.

    Starlette runs those that are no coroutines in a thread.
    """

    def __init__(self, register: Register) -> None:
        self._register = register

    async def report(self, request: Request) -> Response:
        """Record how far the attendee is."""
        try:
            message = parse_message(await request.body())
            progress, sent_at = parse_progress(message), parse_sent_at(message)
        except MalformedError as error:
            return PlainTextResponse(f"This is not a report: {error}.", 400)
        await run_in_threadpool(self._register.report, request.state.attendee.number, progress, sent_at)
        return Response(status_code=204)

    async def help(self, request: Request) -> Response:
        """Record a call for help."""
        try:
            sent_at = parse_sent_at(parse_message(await request.body() or b"{}"))
        except MalformedError as error:
            return PlainTextResponse(f"This is not a call for help: {error}.", 400)
        attendee = request.state.attendee
        if not await run_in_threadpool(self._register.call_for_help, attendee.number, sent_at, client_address(request)):
            return PlainTextResponse(TOO_MANY_CALLS_MESSAGE, 429, {"Retry-After": "10"})
        return JSONResponse({"number": attendee.number, "name": attendee.name})

    def leave(self, request: Request) -> Response:
        """Delete what is known about the attendee."""
        self._register.leave(request.state.attendee.number)
        return Response(status_code=204)


class BoardPage:
    """Routes of the presenter's board.

    The code of its link comes once, and becomes a cookie.
    """

    def __init__(self, register: Register, times: Submissions | None, problem: Callable[[], str]) -> None:
        self._register, self._times, self._problem, self._key = register, times, problem, BoardKey()

    async def page(self, request: Request) -> Response:
        """Return the board, to a valid code or a cookie."""
        answer = HTMLResponse(room_asset("board.html"))
        if (code := request.query_params.get("code")) is None:
            self._check(request)
        elif (cookie := self._key.cookie(self._register.key, code)) is None:
            raise HTTPException(403, NO_KEY_MESSAGE)
        else:  # without a path, the cookie belongs to the folder that the browser sees, also behind a proxy
            answer.set_cookie(COOKIE, cookie, path=None, httponly=True, samesite="strict")
        return answer

    def data(self, request: Request) -> Response:
        """Return the state of the room as JSON."""
        self._check(request)
        board = board_to_json(self._register.board())
        board["guessed"] = " ".join(filter(None, (board["guessed"], self._problem())))
        return JSONResponse(board | {"times": self._times and times_to_json(self._times)})

    def done(self, request: Request) -> Response:
        """Record that a call for help has been answered."""
        self._check(request)
        self._register.answer_call(attendee_number(request))
        return Response(status_code=204)

    def remove(self, request: Request) -> Response:
        """Remove an attendee from the room."""
        self._check(request)
        self._register.leave(attendee_number(request))
        return Response(status_code=204)

    def strike(self, request: Request) -> Response:
        """Take an entry off the board of times."""
        self._check(request)
        assert self._times is not None
        self._times.strike(request.path_params["id"])
        return Response(status_code=204)

    def turn_times(self, request: Request) -> Response:
        """Show the board of times to attendees, or hide it."""
        self._check(request)
        assert self._times is not None
        if (state := request.path_params["state"]) not in ("on", "off"):
            raise HTTPException(404)
        self._times.turn_board(on=state == "on")
        return Response(status_code=204)

    def _check(self, request: Request) -> None:
        if not self._key.opens(self._register.key, request.cookies.get(COOKIE, "")):
            raise HTTPException(403, NO_KEY_MESSAGE)


# What comes in


def attendee_number(request: Request) -> int:
    """Parse the number of an attendee in a path."""
    text = request.path_params["number"]
    if not re.fullmatch(rf"[0-9]{{1,{MAX_NUMBER_DIGITS}}}", text):
        raise HTTPException(404)
    return int(text)


def parse_message(body: bytes) -> Mapping[str, Any]:
    """Parse the body of a message as a JSON object. Raises MalformedError."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MalformedError("expected JSON") from error
    if not isinstance(message, dict):
        raise MalformedError("expected a JSON object")
    return message


def parse_progress(message: Mapping[str, Any]) -> Progress:
    """Parse a report. Raises MalformedError."""
    exercise, right = message.get("exercise"), message.get("right")
    if not isinstance(exercise, str) or exercise not in EXERCISES:
        raise MalformedError(f"`exercise` has to be one of {', '.join(EXERCISES)}")
    if not isinstance(right, bool):
        raise MalformedError("`right` has to be true or false")
    filled, todos, hints = (parse_integer(message, name) for name in ("filled", "todos", "hints"))
    if filled > todos:
        raise MalformedError(f"`filled` has to be at most `todos`, which is {todos}")
    mistake = message.get("mistake", "")
    # The board shows no words of a sender's own: another version's page may know other mistakes.
    known = isinstance(mistake, str) and EXERCISES[exercise].knows(mistake)
    return Progress(exercise, filled, todos, right, hints, mistake if known else "")


def parse_sent_at(message: Mapping[str, Any]) -> int | None:
    """Return when a message was sent, in nanoseconds, if it says so."""
    return parse_integer(message, "told", maximum=2**62) if "told" in message else None


def parse_integer(message: Mapping[str, Any], name: str, *, maximum: int = MAX_TODOS) -> int:
    """Return a field that is an integer from 0 to a maximum.

    Raises MalformedError.
    """
    number: Any = message.get(name)
    is_integer = isinstance(number, int) and not isinstance(number, bool)
    is_in_range = is_integer and 0 <= number <= maximum
    if not is_in_range:
        raise MalformedError(f"`{name}` has to be a whole number from 0 to {maximum}")
    return int(number)


# What goes out


def board_to_json(board: Board) -> dict[str, Any]:
    """Return the board as its page reads it."""
    counts = {count.exercise: count for count in board.counts}
    # The second half is listed as soon as somebody has begun it.
    halves = {1} | {EXERCISES[number].session for number in counts}
    required = [number for number, exercise in REQUIRED.items() if exercise.session in halves]
    shown = {*required, *counts}
    listed = [number for number in EXERCISES if number in shown]
    return {
        "exercises": [
            asdict(counts.get(number, ExerciseCount(number, 0, 0)))
            | {"title": EXERCISES[number].title}
            | {"mistakes": [[count.words, count.attendees] for count in board.frequent_mistakes(number)]}
            for number in listed
        ],
        "present": [_attendee_to_json(attendee) for attendee in board.attendees],
        "calls": [
            {"number": call.number, "called": display_name(call), "minutes": call.minutes} for call in board.calls
        ],
        "guessed": " ".join(board.warnings),
    }


def times_to_json(times: Submissions, reader: int | None = None) -> dict[str, Any]:
    """Return the board of times; to an attendee only while it is on."""
    on = times.board_is_on
    is_shown = on or reader is None
    return {"on": on, "exercises": entries_to_json(times.entries(), reader) if is_shown else []}


def _attendee_to_json(attendee: AttendeeStatus) -> dict[str, Any]:
    latest = asdict(attendee.progress[-1]) if attendee.progress else {}
    latest.pop("mistake", None)  # it counts for the room, and nobody is named
    right = sorted(progress.exercise for progress in attendee.progress if progress.right)
    return {"number": attendee.number, "called": display_name(attendee), "here": latest or None, "right": right}
