"""Scripts and calls of each exercise, in a folder of its name."""

from __future__ import annotations

from pathlib import Path

from triton_workshop.exercises.exercise import Exercise


def data_file(exercise: Exercise, name: str) -> Path:
    """Return a file of the exercise's folder among the tests."""
    return Path(__file__).parent / exercise.folder.name / name
