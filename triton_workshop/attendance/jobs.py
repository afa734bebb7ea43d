"""Jobs for the room's GPUs, and their answers, as plain data.

This module needs neither torch nor Ray: the presenter's server and attendees use it, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

MAX_SCRIPT_BYTES = 64 * 1024
"""Bytes of the largest script that a job may have."""


@dataclass(frozen=True)
class Job:
    """A script of an attendee, to be run on a GPU."""

    id: str
    """A UUID in hexadecimal digits."""
    exercise: str
    """The number of an exercise."""
    text: str
    timed: bool = True
    """A correct script is timed, too."""


class Outcome(StrEnum):
    """The outcome of a job."""

    CORRECT = "correct"
    WRONG = "wrong"
    FAILED = "failed"
    """Nothing is known of the script: the sentence says why."""
    SUPERSEDED = "superseded"
    """A newer job of the same attendee has taken its place."""
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Times:
    """Milliseconds of one call at one size, taken in one run on one GPU."""

    size: str
    script: float
    limit: float
    """A copy of as many bytes as the work must move, or a matrix product of as many operations."""
    plain: float
    """The exercise's solution."""
    pytorch: float

    @property
    def ratio(self) -> float:
        """The script's time over the limit."""
        return self.script / self.limit


@dataclass(frozen=True)
class Answer:
    """What a room's GPU says of a job."""

    outcome: Outcome
    sentence: str
    """All of it in one plain sentence or two."""
    gpu: str = ""
    """The name of the GPU, or "the simulator"."""
    verdict: Mapping[str, Any] | None = None
    """The fields of `Verdict.as_json`, for a script that ran."""
    times: Times | None = None
    """Only of a correct script."""

    def as_json(self) -> dict[str, Any]:
        """Return plain data. `times` has its `ratio`, too."""
        times = None if self.times is None else asdict(self.times) | {"ratio": self.times.ratio}
        return {**vars(self), "outcome": str(self.outcome), "times": times}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Answer:
        """Return the answer with these fields.

        Raises KeyError, TypeError and ValueError.
        """
        times = fields["times"]
        if times is not None:
            times = Times(**{name: value for name, value in times.items() if name != "ratio"})
        return cls(Outcome(fields["outcome"]), str(fields["sentence"]), str(fields["gpu"]), fields["verdict"], times)


CANCELLED = Answer(Outcome.CANCELLED, "You have cancelled it.")


# Messages of the process that speaks to Ray: see `triton_workshop.pool.driver`


@dataclass(frozen=True)
class Cancel:
    """Request to end a job, if it still runs. It is answered all the same."""

    id: str


@dataclass(frozen=True)
class PoolStatus:
    """The GPUs that serve the room now."""

    gpus: tuple[str, ...]
    """Their names; empty while there is none."""
    slots: int
    """Jobs that run at a time."""


@dataclass(frozen=True)
class Answered:
    """A job has its answer."""

    id: str
    answer: Answer


@dataclass(frozen=True)
class Lost:
    """A lost job: its GPU, machine or process has gone. Send it again."""

    id: str
    reason: str
    """A plain sentence."""


@dataclass(frozen=True)
class Unreachable:
    """There is no way to the GPUs.

    It is the last message of the process that speaks to Ray.
    """

    reason: str
    """What was expected, what came and what to do, in plain sentences."""
