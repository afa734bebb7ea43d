"""Membership of a room, on an attendee's side.

It is kept beside the attendee's progress; this module also sends requests to the room.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import re
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from triton_workshop.atomic_write import write_atomically
from triton_workshop.attendance.names import clean_name
from triton_workshop.attendance.register import ROOM_LIFETIME_SECONDS
from triton_workshop.checking.reporting.progress import state_folder
from triton_workshop.errors import MisuseError
from triton_workshop.printing import printable

JOIN_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for the room's answer to somebody who joins."""
LEAVE_TIMEOUT_SECONDS = 2.0
"""Seconds to wait for an answer to somebody who leaves, and is in a hurry."""
MAX_ANSWER_BYTES = 64 * 1024
"""Bytes of an answer that are read."""
MAX_SENTENCE_CHARACTERS = 200
"""Characters of the room's sentences that are shown."""
TOKEN = re.compile(r"[\w-]{1,99}", re.ASCII)
MAX_NUMBER = 2**31
"""No attendee has a larger number."""
MALFORMED_ERRORS = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""Errors of reading JSON that has another shape than expected."""
REFUSALS = (400, 401, 403, 413, 421, 429)
"""Status codes with which a room refuses a request, and says why."""
TOO_SLOW = "it does not answer in time"
SOMETHING_ELSE = "something else answers in its place"
EXAMPLE = "192.168.1.5:8000 or http://192.168.1.5:8000/?word=…"

Result = TypeVar("Result")


@dataclass(frozen=True)
class Membership:
    """Room that an attendee has joined, and their identity there."""

    address: str
    """Ends with a slash; the room's paths follow it."""
    token: str
    number: int
    name: str | None


class UnansweredError(Exception):
    """The room did not answer, or something else did.

    `str(error)` says what happened.
    """


class RefusedError(Exception):
    """The room answered with a refusal; `str(error)` is its sentence.

    If `busy`, another try later may succeed.
    """

    def __init__(self, sentence: str, *, busy: bool = False) -> None:
        super().__init__(sentence)
        self.busy = busy


def membership_file() -> Path:
    """Return the file that holds the membership."""
    return state_folder() / "room.json"


def read_membership(file: Path) -> Membership | None:
    """Return the room that was joined today, or None.

    An older address may be anybody's by now.
    """
    with suppress(OSError, *MALFORMED_ERRORS):
        if time.time() - file.stat().st_mtime > ROOM_LIFETIME_SECONDS:
            return None
        fields = json.loads(file.read_text(encoding="utf-8"))
        return _parse_membership(str(fields["address"]), fields)
    return None


def parse_link(text: str) -> tuple[str, str | None]:
    """Return the address of a room, and the word if the link holds it.

    Raises MisuseError.
    """
    with suppress(ValueError):
        url = urlsplit(text if "://" in text else f"http://{text}")
        is_web_address = url.scheme in ("http", "https") and url.hostname and url.port != 0
        if is_web_address and printable(text) == text:
            base = urlunsplit((url.scheme, url.netloc, f"{url.path.rstrip('/')}/", "", ""))
            return base, next(iter(parse_qs(url.query).get("word", [])), None)
    raise MisuseError(f"{text!r} is not the address of a room; expected something like {EXAMPLE}")


def join(address: str, word: str, name: str | None, file: Path) -> Membership:
    """Join a room, and leave the previous one.

    Raises MisuseError if that is impossible.
    """
    previous = read_membership(file)
    form = urlencode({"word": word, "name": name or ""}).encode()
    try:
        answer = _call_with_timeout(
            JOIN_TIMEOUT_SECONDS, lambda: _request(address, "enter", form, {}, JOIN_TIMEOUT_SECONDS)
        )
        joined = _parse_membership(address, json.loads(answer))
    except RefusedError as error:
        raise MisuseError(f"{address} did not let you in: {error}") from error
    except UnansweredError as error:
        raise MisuseError(_no_answer(address, error)) from error
    except MALFORMED_ERRORS as error:
        raise MisuseError(f"{address} answers, but it is not the room of a workshop") from error
    _save(joined, file)
    if previous is not None:
        # The new membership is on disk already: that the old room cannot be reached changes nothing.
        with suppress(UnansweredError, RefusedError):
            _send_leave(previous)
    return joined


def check_reachable(address: str) -> None:
    """Request a room's first page, so that nobody types a word in vain.

    Raises MisuseError if nothing answers.
    """
    try:
        _call_with_timeout(JOIN_TIMEOUT_SECONDS, lambda: _request(address, "", None, {}, JOIN_TIMEOUT_SECONDS))
    except RefusedError:  # somebody is there
        pass
    except UnansweredError as error:
        raise MisuseError(_no_answer(address, error)) from error


def _no_answer(address: str, error: UnansweredError) -> str:
    return f"no room answers at {address}: {error}; is the address right, and is it shared?"


def _parse_membership(address: str, fields: Mapping[str, Any]) -> Membership:
    """Parse the room's answer to somebody who joins.

    It may be anything: raises one of MALFORMED_ERRORS if it is something else.
    """
    token, number = fields["token"], fields["number"]
    # A bool is an int, too.
    is_number = type(number) is int and 0 < number <= MAX_NUMBER
    if not TOKEN.fullmatch(token) or not is_number:
        raise ValueError("not a session of a room")
    return Membership(address, token, number, clean_name(fields["name"]))


def _send_leave(joined: Membership) -> None:
    _call_with_timeout(LEAVE_TIMEOUT_SECONDS, lambda: send(joined, "leave", {}, LEAVE_TIMEOUT_SECONDS))


def _call_with_timeout(seconds: float, act: Callable[[], Result]) -> Result:
    """Call a function in a thread, and wait for its result.

    A timeout of a socket is for each read, and a slow sender may send byte by byte. Raises UnansweredError after so
    many seconds.
    """
    result: Future[Result] = Future()

    def run() -> None:
        try:
            result.set_result(act())
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return result.result(seconds)
    except TimeoutError:
        raise UnansweredError(TOO_SLOW) from None


def _save(joined: Membership, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)  # a file keeps its mode when it is written again
        write_atomically(file, json.dumps(asdict(joined), indent=2).encode())
    except OSError as error:
        with suppress(UnansweredError, RefusedError):
            _send_leave(joined)
        raise MisuseError(f"you have not joined: {file} cannot be written: {error.strerror}") from error


def leave(file: Path) -> str:
    """Leave the room; return a sentence that says what happened.

    Raises MisuseError if the file cannot be deleted.
    """
    joined = read_membership(file)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise MisuseError(f"you have not left: {file} cannot be deleted: {error.strerror}") from error
    if joined is None:
        return "You have not joined a room, so nothing is sent."
    try:
        _send_leave(joined)
    except UnansweredError as error:
        return f"Nothing is sent any more. The room could not be told, and keeps what it knows: {error}."
    except RefusedError:  # it has forgotten us already
        pass
    return "You have left the room: nothing is sent any more, and the room has forgotten you."


def send(joined: Membership, path: str, message: Mapping[str, Any], timeout_seconds: float) -> None:
    """Send a message to the room.

    Raises UnansweredError and RefusedError.
    """
    answer = _member_request(joined, path, message, timeout_seconds)
    if answer and not answer.startswith(b"{"):  # a network's own page, perhaps
        raise UnansweredError(SOMETHING_ELSE)


def ask(
    joined: Membership, path: str, message: Mapping[str, Any] | None = None, *, timeout_seconds: float
) -> Mapping[str, Any]:
    """Return the room's answer to a message, or to a question without one.

    Raises UnansweredError and RefusedError, the latter also for what the room does not have.
    """
    with suppress(*MALFORMED_ERRORS):
        answer = json.loads(_member_request(joined, path, message, timeout_seconds, (*REFUSALS, 404)) or b"{}")
        if isinstance(answer, dict):
            return answer
    raise UnansweredError(SOMETHING_ELSE)


def _member_request(
    joined: Membership,
    path: str,
    message: Mapping[str, Any] | None,
    timeout_seconds: float,
    refusals: Collection[int] = REFUSALS,
) -> bytes:
    """Return the room's answer to one of its members."""
    headers = {"Authorization": f"Bearer {joined.token}", "Content-Type": "application/json"}
    body = None if message is None else json.dumps(message).encode()
    return _request(joined.address, path, body, headers, timeout_seconds, refusals)


def _request(
    address: str,
    path: str,
    body: bytes | None,
    headers: Mapping[str, str],
    timeout_seconds: float,
    refusals: Collection[int] = REFUSALS,
) -> bytes:
    """Return the room's answer to a POST, or to a GET without a body."""
    try:
        request = urllib.request.Request(address + path, body, {"Accept": "application/json", **headers})
        with _opener(address).open(request, timeout=timeout_seconds) as answer:
            read: bytes = answer.read(MAX_ANSWER_BYTES)
            return read
    except urllib.error.HTTPError as error:
        with error:
            if error.code in refusals:
                raise RefusedError(_refusal_sentence(error), busy=error.code == 429) from error
        raise UnansweredError(f"it says {_status_line(error)}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnansweredError(_failure_reason(error)) from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: a token is for the room alone."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(address: str) -> urllib.request.OpenerDirector:
    """Return an opener for an address.

    An address in a private network is not reached by way of a proxy.
    """
    host = urlsplit(address).hostname or ""
    direct = host == "localhost"
    with suppress(ValueError):
        direct = ipaddress.ip_address(host).is_private
    proxies = [urllib.request.ProxyHandler({})] if direct else []
    return urllib.request.build_opener(_NoRedirects, *proxies)


def _refusal_sentence(error: urllib.error.HTTPError) -> str:
    """Return the sentence of a refusal, in one line."""
    sentence = ""
    with suppress(OSError, http.client.HTTPException):
        sentence = _as_line(error.read(MAX_ANSWER_BYTES).decode(errors="replace"))
    return sentence if sentence and not sentence.startswith("<") else _status_line(error)


def _status_line(error: urllib.error.HTTPError) -> str:
    return _as_line(f"{error.code} {error.reason}")


def _failure_reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return TOO_SLOW
    if isinstance(cause, ssl.SSLError):
        return f"no secure connection ({cause.reason or cause})"
    return _as_line(str(getattr(cause, "strerror", None) or cause or type(error).__name__))


def _as_line(text: str) -> str:
    """Return foreign text as part of one of our lines."""
    return " ".join(printable(text).split())[:MAX_SENTENCE_CHARACTERS]
