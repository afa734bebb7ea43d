"""Scripts that the words of a command name."""

from __future__ import annotations

import re
from pathlib import Path

from triton_workshop.checking.reporting.progress import entries, first_open_entry
from triton_workshop.errors import MisuseError
from triton_workshop.exercises import EXERCISES, get_exercise
from triton_workshop.repository import short_path
from triton_workshop.scripts import kind, read_source, reason


def named_exercise(argument: str | None) -> str:
    """Return the number of the exercise that an argument means.

    It is empty for any other script. An exercise's own file means it too, as it would check itself if it ran. Without
    an argument, it is the first exercise that has not passed.
    """
    if argument is None:
        following = first_open_entry(entries())
        return following.exercise.number if following else "1"
    if re.fullmatch(r"\d+[a-z]?", argument) and not Path(argument).exists():
        return get_exercise(argument).number
    file = Path(argument).resolve()
    for number, exercise in EXERCISES.items():
        is_meant = argument == number or exercise.exercise_file == file
        if is_meant:
            return number
    return ""


def find_script(argument: str) -> Path:
    """Return the script at this path.

    Raises MisuseError if there is none.
    """
    file = Path(argument)
    if not file.is_file():
        raise MisuseError(f"{file}: expected an exercise's number or a Python script, found {kind(file)}")
    return file.resolve()


def read_script(file: Path) -> str:
    """Return a script's text.

    Raises MisuseError if it cannot be read.
    """
    try:
        return read_source(file)
    except (OSError, SyntaxError, UnicodeDecodeError, LookupError) as error:
        raise MisuseError(f"{short_path(file)}: cannot be read: {reason(error)}") from error
