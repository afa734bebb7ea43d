"""Restores an exercise as it was shipped."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

from triton_workshop.atomic_write import write_whole
from triton_workshop.checking.reporting.progress import state_folder
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.scripts import read_text


def is_shipped(exercise: Exercise) -> bool:
    """Whether the learner's file is still as it was shipped, so that there is nothing to reset."""
    try:
        return read_text(exercise.exercise_file) == exercise.shipped_text
    except OSError:
        return False


def reset(exercise: Exercise) -> Path | None:
    """Restore the shipped file. The learner's file becomes a backup, whose path is returned. Raises OSError."""
    backup, file = None, exercise.exercise_file
    if file.exists():
        now = datetime.now().strftime("%Y%m%d-%H%M%S-%f")  # two resets within one second keep two backups
        backup = state_folder() / "backups" / f"{file.stem}-{now}{file.suffix}"
        if file.is_file():
            write_whole(backup, file.read_bytes())
        else:
            backup.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(file, backup)
    write_whole(file, exercise.shipped_text.encode())
    return backup
