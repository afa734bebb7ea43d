"""Starting an exercise anew."""

from __future__ import annotations

import difflib
import time
from itertools import chain, count
from pathlib import Path

from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.checking.reporting.progress import state_folder, write_whole


def changed_lines(exercise: Exercise) -> int:
    """How many lines of the learner's file a reset would take away."""
    try:
        mine = exercise.exercise_file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return 0
    return sum(line.startswith("+ ") for line in difflib.ndiff(exercise.shipped().splitlines(), mine))


def reset(exercise: Exercise) -> Path | None:
    """Put the shipped file back. What was there is kept in a file of its own, which is returned. Raises OSError."""
    backup, file = None, exercise.exercise_file
    if file.exists():
        # Two resets within one second keep two backups.
        name = f"{file.stem}-{time.strftime('%Y%m%d-%H%M%S')}"
        names = chain([name], (f"{name}-{number}" for number in count(2)))
        paths = (state_folder() / "backups" / f"{name}{file.suffix}" for name in names)
        backup = next(path for path in paths if not path.exists())
        write_whole(backup, file.read_bytes().decode("utf-8", "surrogateescape"))
    write_whole(file, exercise.shipped())
    return backup
