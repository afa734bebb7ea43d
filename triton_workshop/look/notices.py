"""Sentences on a launch: what went wrong, and what is missing."""

from __future__ import annotations

from triton_workshop.look.coverage import describe_stores
from triton_workshop.look.pictures import Span
from triton_workshop.look.timeline import Position


def notices(position: Position) -> list[Span]:
    """Return what there is to say at a position; nothing if all is there."""
    launch, fault = position.track.launch, position.fault
    number = f"Fault {launch.faults.index(fault) + 1} of {len(launch.faults)}: " if fault else ""
    stores = [] if launch.faults else describe_stores(launch)
    printed = position.recording.printed.strip().splitlines()[-1:]
    sentences: list[Span] = [
        (f"{number * (len(launch.faults) > 1)}{fault.sentence}" if fault else "", "bad"),
        (position.recording.failure, "bad"),
        *((text, "warning") for text in stores),
        (launch.steps.omitted, "muted"),
        *((f"Printed: {line}", "muted") for line in printed),
    ]
    return [sentence for sentence in sentences if sentence[0]]
