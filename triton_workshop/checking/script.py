"""A script that checks itself when it is run."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from rich.console import Console

from triton_workshop.checking.check import check
from triton_workshop.checking.exercise import Exercise, Launcher
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.report import print_verdict
from triton_workshop.device import resolve_device
from triton_workshop.images import load_image, show_image
from triton_workshop.streams import speak_utf8

PICTURE = Path(__file__).parents[2] / "slides" / "poseidon_triton.jpeg"
SIMULATED_WIDTH = 640
"""Pixels. Half the picture's width: a quarter of the work, and still more than a terminal can show."""


def check_this_script(exercise: int) -> None:
    """Check the running script as a solution of this exercise, say what came out, and exit: 0 right, 1 not."""
    speak_utf8()
    description = EXERCISES[exercise]
    main = sys.modules["__main__"]
    launcher: Launcher | None = getattr(main, description.launcher, None)
    device = resolve_device()
    verdict = check(description, Path(str(main.__file__)).resolve(), launcher, device)
    print_verdict(verdict, description, Console())
    if not verdict.passed or launcher is None:
        raise SystemExit(1)
    if description.showing is not None:
        _show(description, launcher, device)
    raise SystemExit(0)


def _show(exercise: Exercise, launcher: Launcher, device: str) -> None:
    assert exercise.showing is not None
    image = load_image(PICTURE, width=SIMULATED_WIDTH if device == "cpu" else None)
    results = exercise.showing.make(launcher, image)
    print(f"{exercise.showing.caption}:", flush=True)
    show_image(torch.cat((image, *results), dim=2))
