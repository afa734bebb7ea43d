"""`check` and `bench` on the GPUs of the room that was joined."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Event

from rich.console import Console
from rich.table import Table
from rich.text import Text

from triton_workshop.attendance.gpu_client import describe_answer, require_membership, run_on_a_gpu
from triton_workshop.attendance.jobs import Answer, Outcome
from triton_workshop.attendance.membership import Membership, RefusedError, UnansweredError
from triton_workshop.checking.reporting.description import title
from triton_workshop.errors import MisuseError
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.printing import printable, use_utf8
from triton_workshop.scripts import read_text

ALL_CORRECT, NOT_ALL_CORRECT = 0, 1


def run_on_room_gpus(scripts: Sequence[tuple[Exercise, Path]], *, timed: bool, as_json: bool) -> int:
    """Run scripts on the room's GPUs, and print the answers.

    With `as_json`, each is a JSON object on a line. Returns the status of the command. Raises MisuseError.
    """
    use_utf8()
    joined, console = require_membership(), Console(stderr=as_json)
    answers: list[Answer] = []
    for exercise, file in scripts:
        if answers and not as_json:
            console.print()
        console.print(Text(f"{title(exercise)}, on a GPU of the room", "bold"))
        answers.append(_answer(joined, exercise, file, console, timed=timed))
        if as_json:
            print(json.dumps({"exercise": exercise.number, "file": str(file), **answers[-1].as_json()}), flush=True)
        else:
            console.print(answer_table(answers[-1]))
    return ALL_CORRECT if all(answer.outcome is Outcome.CORRECT for answer in answers) else NOT_ALL_CORRECT


def _answer(joined: Membership, exercise: Exercise, file: Path, console: Console, *, timed: bool) -> Answer:
    """Return the answer on one script, and show meanwhile what it waits for."""
    try:
        text = read_text(file)
    except (OSError, ValueError) as error:
        raise MisuseError(f"{file} cannot be read: {error}") from error
    stop = Event()
    try:
        with console.status("sending the script to the room") as status:
            return run_on_a_gpu(
                joined,
                exercise.number,
                text,
                timed=timed,
                show=lambda state: status.update(Text(printable(state))),
                stop=stop,
            )
    except RefusedError as error:
        raise MisuseError(f"the room does not run it: {error}") from error
    except UnansweredError as error:
        raise MisuseError(f"the room at {joined.address} does not answer: {error}") from error


def answer_table(answer: Answer) -> Table:
    """Draw an answer: a mark or a name, and what it says."""
    table = Table.grid(padding=(0, 2))
    for name, words in describe_answer(answer):
        table.add_row(Text(name, "bold"), Text(printable(words), overflow="fold"))
    return table
