"""An attendee's side: which room they have joined, kept beside their progress, and how that room is spoken to."""

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
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

from triton_workshop.atomic_write import write_atomically
from triton_workshop.attendance.names import as_name
from triton_workshop.attendance.room import KEPT_OPEN_SECONDS
from triton_workshop.checking.reporting.progress import state_folder
from triton_workshop.errors import MisuseError
from triton_workshop.printing import printable

PATIENCE_SECONDS = 10.0
"""Seconds to wait for the room's answer to somebody who joins."""
LEAVING_SECONDS = 2.0
"""Seconds to wait for an answer to somebody who leaves, and will not wait."""
LARGEST_ANSWER_BYTES = 64 * 1024
"""Bytes of an answer that are read."""
SHOWN_CHARACTERS = 200
"""Characters of what a room says that are shown."""
TOKEN = re.compile(r"[\w-]{1,99}", re.ASCII)
LARGEST_NUMBER = 2**31
"""No attendee has a larger number."""
MISSHAPEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What comes of reading JSON that is not what was expected."""
TOO_SLOW = "it does not answer in time"
EXAMPLE = "192.168.1.5:8000 or http://192.168.1.5:8000/?word=…"

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Membership:
    """Which room an attendee has joined, and as whom."""

    address: str
    """Ends with a slash; the room's paths go behind it."""
    token: str
    number: int
    name: str | None


class UnansweredError(Exception):
    """The room did not answer, or something else did; `str(error)` says what happened."""


class RefusedByRoomError(Exception):
    """The room answered with a refusal; `str(error)` is its sentence. `busy`: another try later may be taken."""

    def __init__(self, sentence: str, *, busy: bool = False) -> None:
        super().__init__(sentence)
        self.busy = busy


def membership_file() -> Path:
    return state_folder() / "room.json"


def membership(file: Path) -> Membership | None:
    """The room that was joined today; None if there is none. Later, its address may be anybody's."""
    with suppress(OSError, *MISSHAPEN):
        if time.time() - file.stat().st_mtime > KEPT_OPEN_SECONDS:
            return None
        kept = json.loads(file.read_text(encoding="utf-8"))
        return _checked(str(kept["address"]), kept)
    return None


def address_and_word(text: str) -> tuple[str, str | None]:
    """The address of a room, and the word if a link holds it. Raises MisuseError."""
    with suppress(ValueError):
        parts = urlsplit(text if "://" in text else f"http://{text}")
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0 and printable(text) == text:
            base = urlunsplit((parts.scheme, parts.netloc, f"{parts.path.rstrip('/')}/", "", ""))
            return base, next(iter(parse_qs(parts.query).get("word", [])), None)
    raise MisuseError(f"{text!r} is not the address of a room; expected something like {EXAMPLE}")


def join(address: str, word: str, name: str | None, file: Path) -> Membership:
    """Join a room, and leave the one that was joined before. Raises MisuseError if that is impossible."""
    before = membership(file)
    form = urlencode({"word": word, "name": name or ""}).encode()
    try:
        answer = _within(PATIENCE_SECONDS, lambda: _asked(address, "enter", form, {}, PATIENCE_SECONDS))
        joined = _checked(address, json.loads(answer))
    except RefusedByRoomError as error:
        raise MisuseError(f"{address} did not let you in: {error}") from error
    except UnansweredError as error:
        raise MisuseError(_no_answer(address, error)) from error
    except MISSHAPEN as error:
        raise MisuseError(f"{address} answers, but it is not the room of a workshop") from error
    _keep(joined, file)
    if before is not None:
        with suppress(UnansweredError, RefusedByRoomError):
            _say_goodbye(before)
    return joined


def see_whether_it_answers(address: str) -> None:
    """Ask for a room's first page, so that nobody is asked for a word in vain. Raises MisuseError."""
    try:
        _within(PATIENCE_SECONDS, lambda: _asked(address, "", None, {}, PATIENCE_SECONDS))
    except RefusedByRoomError:  # somebody is there
        pass
    except UnansweredError as error:
        raise MisuseError(_no_answer(address, error)) from error


def _no_answer(address: str, error: UnansweredError) -> str:
    return f"no room answers at {address}: {error}; is the address right, and is it shared?"


def _checked(address: str, told: Mapping[str, Any]) -> Membership:
    """What a room has told somebody who joins. It may be anything: raises one of MISSHAPEN if it is something else."""
    token, number = told["token"], told["number"]
    if not TOKEN.fullmatch(token) or type(number) is not int or not 0 < number <= LARGEST_NUMBER:
        raise ValueError("not a session of a room")
    return Membership(address, token, number, as_name(told["name"]))


def _say_goodbye(joined: Membership) -> None:
    _within(LEAVING_SECONDS, lambda: tell(joined, "leave", {}, LEAVING_SECONDS))


def _within(seconds: float, act: Callable[[], Answer]) -> Answer:
    """What this returns or raises; UnansweredError if it takes longer, as each of many bytes may come late."""
    result: Future[Answer] = Future()

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


def _keep(joined: Membership, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)  # a file keeps its mode when it is written again
        write_atomically(file, json.dumps(asdict(joined), indent=2).encode())
    except OSError as error:
        with suppress(UnansweredError, RefusedByRoomError):
            _say_goodbye(joined)
        raise MisuseError(f"you have not joined: {file} cannot be written: {error.strerror}") from error


def leave(file: Path) -> str:
    """Forget the room, and have it forget this attendee; returns a sentence that says what happened."""
    joined = membership(file)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise MisuseError(f"you have not left: {file} cannot be deleted: {error.strerror}") from error
    if joined is None:
        return "You have not joined a room, so nothing is sent."
    try:
        _say_goodbye(joined)
    except UnansweredError as error:
        return f"Nothing is sent any more. The room could not be told, and keeps what it knows: {error}."
    except RefusedByRoomError:  # it has forgotten us already
        pass
    return "You have left the room: nothing is sent any more, and the room has forgotten you."


def tell(joined: Membership, path: str, message: Mapping[str, Any], patience: float) -> None:
    """Send a message to the room. Raises UnansweredError and RefusedByRoomError."""
    headers = {"Authorization": f"Bearer {joined.token}", "Content-Type": "application/json"}
    answer = _asked(joined.address, path, json.dumps(message).encode(), headers, patience)
    if answer and not answer.startswith(b"{"):  # a network's own page, perhaps
        raise UnansweredError("something else answers in its place")


def _asked(address: str, path: str, body: bytes | None, headers: Mapping[str, str], patience: float) -> bytes:
    """The room's answer to a POST; to a GET where there is no body."""
    try:
        request = urllib.request.Request(address + path, body, {"Accept": "application/json", **headers})
        with _opener(address).open(request, timeout=patience) as answer:
            read: bytes = answer.read(LARGEST_ANSWER_BYTES)
            return read
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (400, 401, 403, 413, 421, 429):
                raise RefusedByRoomError(_sentence(error), busy=error.code == 429) from error
        raise UnansweredError(f"it says {_status(error)}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise UnansweredError(_reason(error)) from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token is for the room alone, not for where something in between would send us."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _opener(address: str) -> urllib.request.OpenerDirector:
    """What opens an address; one in a private network is not reached by way of a proxy."""
    host = urlsplit(address).hostname or ""
    direct = host == "localhost"
    with suppress(ValueError):
        direct = ipaddress.ip_address(host).is_private
    proxies = [urllib.request.ProxyHandler({})] if direct else []
    return urllib.request.build_opener(_NoRedirects, *proxies)


def _sentence(error: urllib.error.HTTPError) -> str:
    """What a refusal says, in one line."""
    said = ""
    with suppress(OSError, http.client.HTTPException):
        said = _line(error.read(LARGEST_ANSWER_BYTES).decode(errors="replace"))
    return said if said and not said.startswith("<") else _status(error)


def _status(error: urllib.error.HTTPError) -> str:
    return _line(f"{error.code} {error.reason}")


def _reason(error: Exception) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return TOO_SLOW
    if isinstance(cause, ssl.SSLError):
        return f"no secure connection ({cause.reason or cause})"
    return _line(str(getattr(cause, "strerror", None) or cause or type(error).__name__))


def _line(said: str) -> str:
    """What somebody else has said, as part of a line of ours."""
    return " ".join(printable(said).split())[:SHOWN_CHARACTERS]
