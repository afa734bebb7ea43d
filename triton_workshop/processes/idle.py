"""Time that a warm process waits for something to do.

A warm process is one that has imported torch and Triton.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from triton_workshop.errors import MisuseError

IDLE = "TRITON_WORKSHOP_IDLE"
"""The variable with the seconds that a warm process waits before it ends.

It governs what `workshop run` leaves running, about 630 MB, and where nothing can fork, what the slides and watch keep
ready. With 0 none is started or used: every script imports what it needs.
"""
IDLE_SECONDS = 15 * 60
MAX_DIGITS = 6
"""Digits of the largest number accepted.

Nobody means more, and far larger numbers cannot be waited for.
"""


class IdleError(MisuseError):
    """`TRITON_WORKSHOP_IDLE` is not a valid time; the message says what to do."""


def idle_seconds(environment: Mapping[str, str]) -> int:
    """Return the seconds that a warm process waits.

    Without the variable, the default applies. Raises IdleError.
    """
    text = environment.get(IDLE, "").strip() or str(IDLE_SECONDS)
    if not re.fullmatch(rf"[0-9]{{1,{MAX_DIGITS}}}", text):
        raise IdleError(
            f"{IDLE}={text}: expected how many seconds a warm process stays after the last script, as a whole number: "
            f"60, or 0 for no such process; without this variable, it stays {IDLE_SECONDS // 60} minutes"
        )
    return int(text)
