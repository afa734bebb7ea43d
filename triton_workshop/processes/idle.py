"""How long a shared warm parent stays that has nothing to do."""

from __future__ import annotations

from collections.abc import Mapping

IDLE = "TRITON_WORKSHOP_IDLE"
"""Names the seconds for which the process that `workshop run` starts, about 630 MB, stays after the last script.

With 0 none is started, so that every script imports what it needs itself; one that is there runs this script, and
leaves. The last command decides.
"""
IDLE_SECONDS = 15 * 60
DIGITS = 6
"""A number with more is no time that anybody means, and at some length none that can be waited for."""


class IdleError(ValueError):
    """What `TRITON_WORKSHOP_IDLE` says is no time; the message says what to do."""


def idle_seconds(environment: Mapping[str, str]) -> int:
    """Seconds that a parent stays, as the variable says or else the usual ones. Raises IdleError."""
    text = environment.get(IDLE, "").strip()
    if not text:
        return IDLE_SECONDS
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS):
        raise IdleError(
            f"{IDLE}={text}: expected whole seconds for which a warm process stays after the last script, "
            f"such as 60, or 0 for none; unset, it stays {IDLE_SECONDS // 60} minutes"
        )
    return int(text)
