"""Key of the presenter's board.

A link to the board holds a code that works once, since links stand in the list of processes, where others can read
them.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable

VALID_SECONDS = 30.0
"""Seconds that a browser has to start."""


def board_link(address: str, key: str, now: Callable[[], float] = time.time) -> str:
    """Return a link to the board that opens once, within 30 seconds.

    The room's address ends with a slash.
    """
    code = f"{int(now())}.{secrets.token_hex(8)}"
    return f"{address}board?code={code}.{_signature(key, code)}"


class BoardKey:
    """Exchanges codes for cookies, and recognizes those cookies.

    It keeps no list of them, so cookies survive a restart of the server.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._used: set[str] = set()
        self._closed: set[str] = set()

    def cookie(self, key: str, link_code: str) -> str | None:
        """Return the cookie for a link's code; None if the code is not valid.

        Whoever has read the code in the list of processes may be faster than the presenter's browser. So a code that
        comes twice closes what it has opened.
        """
        code, _, signature = link_code.rpartition(".")
        at = code.partition(".")[0]
        # The signature first: only what this room has signed is known to begin with a number.
        if not _is_signed(key, code, signature) or not -VALID_SECONDS < self._now() - int(at) < VALID_SECONDS:
            return None
        if code in self._used:
            self._closed.add(code)
            return None
        self._used.add(code)
        return f"{code}.{_signature(key, f'cookie {code}')}"

    def opens(self, key: str, cookie: str) -> bool:
        """Return whether a cookie opens the board."""
        code, _, signature = cookie.rpartition(".")
        return _is_signed(key, f"cookie {code}", signature) and code not in self._closed


def _signature(key: str, text: str) -> str:
    return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()


def _is_signed(key: str, text: str, signature: str) -> bool:
    return hmac.compare_digest(signature.encode(), _signature(key, text).encode())
