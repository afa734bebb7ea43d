"""What attendees tell the room, and the presenter's board: Starlette's routes for both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from triton_workshop.attendance.board import Board, Count, Present, Progress, called
from triton_workshop.attendance.board_key import BoardKey
from triton_workshop.attendance.room import MOST_CALLS, Room
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.room.assets import room_asset
from triton_workshop.room.guard import address_of

COOKIE = "board"
MOST_TODOS = 99
"""TODOs, or hints, that an exercise can have at most."""
NO_KEY = (
    "This board is the presenter's. Press w and then b on the slides, or type: uv run workshop board "
    "(each link opens it once, within 30 seconds)"
)
TOO_MANY_CALLS = f"{MOST_CALLS} others ask for help already. Raise your hand, or try again later."
LONGEST_NUMBER = 10
"""Digits of an attendee's number."""


class MisshapenError(ValueError):
    """A message that no attendee of ours sends; `str(error)` says what is wrong with it."""


def routes(room: Room) -> list[Route]:
    """The routes; whoever mounts them has put who asks into `request.state.attendee`."""
    attendees, board = Attendees(room), BoardPage(room)
    return [
        Route("/report", attendees.report, methods=["POST"]),
        Route("/help", attendees.help, methods=["POST"]),
        Route("/leave", attendees.leave, methods=["POST"]),
        Route("/board", board.page),
        Route("/board.json", board.data),
        Route("/board/done/{number}", board.done, methods=["POST"]),
        Route("/board/remove/{number}", board.remove, methods=["POST"]),
    ]


class Attendees:
    """What an attendee tells. What is no coroutine is run in a thread."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def report(self, request: Request) -> Response:
        try:
            message = as_message(await request.body())
            progress, told = as_progress(message), as_told(message)
        except MisshapenError as error:
            return PlainTextResponse(f"This is not a report: {error}.", 400)
        await run_in_threadpool(self._room.report, request.state.attendee.number, progress, told)
        return Response(status_code=204)

    async def help(self, request: Request) -> Response:
        try:
            told = as_told(as_message(await request.body() or b"{}"))
        except MisshapenError as error:
            return PlainTextResponse(f"This is not a call for help: {error}.", 400)
        attendee = request.state.attendee
        if not await run_in_threadpool(self._room.ask, attendee.number, told, address_of(request)):
            return PlainTextResponse(TOO_MANY_CALLS, 429, {"Retry-After": "10"})
        return JSONResponse({"number": attendee.number, "name": attendee.name})

    def leave(self, request: Request) -> Response:
        self._room.leave(request.state.attendee.number)
        return Response(status_code=204)


class BoardPage:
    """The presenter's board. Its link's code comes once, and becomes a cookie."""

    def __init__(self, room: Room) -> None:
        self._room, self._key = room, BoardKey()

    async def page(self, request: Request) -> Response:
        answer = HTMLResponse(room_asset("board.html"))
        if (code := request.query_params.get("code")) is None:
            self._check(request)
        elif (cookie := self._key.cookie(self._room.key, code)) is None:
            raise HTTPException(403, NO_KEY)
        else:  # without a path, the cookie belongs to the folder that the browser sees, also behind a proxy
            answer.set_cookie(COOKIE, cookie, path=None, httponly=True, samesite="strict")
        return answer

    def data(self, request: Request) -> Response:
        self._check(request)
        return JSONResponse(as_json(self._room.board()))

    def done(self, request: Request) -> Response:
        self._check(request)
        self._room.done(number_in(request))
        return Response(status_code=204)

    def remove(self, request: Request) -> Response:
        self._check(request)
        self._room.leave(number_in(request))
        return Response(status_code=204)

    def _check(self, request: Request) -> None:
        if not self._key.opens(self._room.key, request.cookies.get(COOKIE, "")):
            raise HTTPException(403, NO_KEY)


# What comes in


def number_in(request: Request) -> int:
    """The number of an attendee in a path."""
    text = request.path_params["number"]
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER):
        raise HTTPException(404)
    return int(text)


def as_message(body: bytes) -> Mapping[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MisshapenError("expected JSON") from error
    if not isinstance(message, dict):
        raise MisshapenError("expected a JSON object")
    return message


def as_progress(message: Mapping[str, Any]) -> Progress:
    exercise, right = message.get("exercise"), message.get("right")
    if not isinstance(exercise, str) or exercise not in EXERCISES:
        raise MisshapenError(f"`exercise` has to be one of {', '.join(EXERCISES)}")
    if not isinstance(right, bool):
        raise MisshapenError("`right` has to be true or false")
    filled, todos, hints = (whole(message, name) for name in ("filled", "todos", "hints"))
    if filled > todos:
        raise MisshapenError(f"`filled` has to be at most `todos`, which is {todos}")
    return Progress(exercise, filled, todos, right, hints)


def as_told(message: Mapping[str, Any]) -> int | None:
    return whole(message, "told", most=2**62) if "told" in message else None


def whole(message: Mapping[str, Any], name: str, *, most: int = MOST_TODOS) -> int:
    number = message.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
        raise MisshapenError(f"`{name}` has to be a whole number from 0 to {most}")
    return number


# What goes out


def as_json(board: Board) -> dict[str, Any]:
    """The board for its page."""
    counts = {count.exercise: count for count in board.counts}
    halves = {1} | {EXERCISES[number].session for number in counts}
    required = [number for number, exercise in REQUIRED.items() if exercise.session in halves]
    shown = [number for number in EXERCISES if number in required or number in counts]
    return {
        "exercises": [
            asdict(counts.get(number, Count(number, 0, 0))) | {"title": EXERCISES[number].title} for number in shown
        ],
        "present": [_present(each) for each in board.present],
        "calls": [{"number": call.number, "called": called(call), "minutes": call.minutes} for call in board.calls],
        "guessed": " ".join(board.warnings),
    }


def _present(present: Present) -> dict[str, Any]:
    here = asdict(present.progress[-1]) if present.progress else None
    right = sorted(progress.exercise for progress in present.progress if progress.right)
    return {"number": present.number, "called": called(present), "here": here, "right": right}
