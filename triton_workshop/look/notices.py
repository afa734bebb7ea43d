"""Sentences on a launch: what went wrong, and what is missing."""

from __future__ import annotations

from triton_workshop.look.coverage import describe_stores
from triton_workshop.look.pictures import Span
from triton_workshop.look.timeline import Place


def notices(place: Place) -> list[Span]:
    """Return what there is to say at a place; nothing if all is there."""
    launch, fault = place.track.launch, place.fault
    number = f"Fault {launch.faults.index(fault) + 1} of {len(launch.faults)}: " if fault else ""
    printed = place.recording.printed.strip().splitlines()[-1:]
    sentences: list[Span] = [
        (f"{number * (len(launch.faults) > 1)}{fault.sentence}" if fault else "", "bad"),
        (place.recording.failure, "bad"),
        *((text, "warning") for text in ([] if launch.faults else describe_stores(launch))),
        (launch.steps.omitted, "muted"),
        *((f"Printed: {line}", "muted") for line in printed),
    ]
    return [sentence for sentence in sentences if sentence[0]]
