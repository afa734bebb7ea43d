"""What benchmarks.kernels has measured on one NVIDIA H200."""

from __future__ import annotations

import json

from triton_workshop.repository import ROOT

RESULTS = json.loads((ROOT / "benchmarks" / "results" / "h200.json").read_text(encoding="utf-8"))


def figure(name: str) -> float:
    """One of the deck's own figures, in the unit that the results give."""
    [found] = [each["value"] for each in RESULTS["deck"] if each["name"] == name]
    return float(found)
