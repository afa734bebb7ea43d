"""The commands `workshop join`, `leave` and `board`."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from triton_workshop.atomic_write import write_atomically
from triton_workshop.attendance.board import AttendeeStatus, Board, display_name
from triton_workshop.attendance.board_key import board_link
from triton_workshop.attendance.membership import (
    check_reachable,
    join,
    leave,
    membership_file,
    parse_link,
)
from triton_workshop.attendance.register import find_register, forget_attendees, register_file
from triton_workshop.attendance.submissions import CSV_COLUMNS, Submissions, csv_rows
from triton_workshop.errors import MisuseError, wrapped
from triton_workshop.exercises import EXERCISES
from triton_workshop.printing import use_utf8
from triton_workshop.slide_environment import columns_of


def run_join(link: str, word: str | None, name: str | None, prompt_word: Callable[[], str]) -> None:
    """Join a room, and print what it learns from now on.

    The room's word comes from the option, from the link, or from `prompt_word`.
    """
    use_utf8()
    address, link_word = parse_link(link)
    if not (word := word or link_word):
        check_reachable(address)
        word = prompt_word()
    joined = join(address, word, name, membership_file())
    sentences = (
        f"You have joined as {joined.name or 'an attendee without a name'}, number {joined.number}. "
        "From now on, `workshop watch` and `workshop check` tell the room which exercise you are at, "
        "how many TODOs are filled in, whether it is correct, how many hints you have used, and the name of a mistake "
        "that the check knows, such as floor-grid. Your code stays with you, unless you send it to a GPU of the room: "
        "with the key g in watch, or with --room-gpu. "
        "To end this: uv run workshop leave\n"
        "The key a in watch asks the presenter for help."
    )
    print(wrapped(sentences, columns_of(sys.stdout)))
    print(f"The slides, for you alone: {joined.address}?session={joined.token}")


def run_leave() -> None:
    """Leave the room, and print what became of it."""
    use_utf8()
    print(leave(membership_file()))


def run_board(*, forgetting: bool) -> None:
    """Print the board of the room on this machine, or forget everybody."""
    use_utf8()
    file = register_file()
    if forgetting:
        forget_attendees(file)
        print("Deleted what was known about all attendees, including those of earlier days.")
    elif (register := find_register(file)) is None:
        print("No room is open on this machine.")
    else:
        print("\n".join((f"The room {register.word}", *format_board(register.board()))))
        if register.address:
            print(f"In a browser, once and within 30 seconds: {board_link(register.address, register.key)}")


def run_export(file: Path) -> None:
    """Write the board of times of the room on this machine as CSV.

    Raises MisuseError if there is no room, or the file cannot be written.
    """
    use_utf8()
    if (register := find_register(register_file())) is None:
        raise MisuseError("no room is open on this machine, so there are no times to export")
    entries = Submissions(register).entries()
    # In memory, so that the file is written in full or not at all.
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([CSV_COLUMNS, *csv_rows(entries)])
    try:
        write_atomically(file, text.getvalue().encode())
    except OSError as error:
        raise MisuseError(f"{file}: cannot be written: {error.strerror or error}") from error
    print(f"Wrote {len(entries)} time{'' if len(entries) == 1 else 's'} to {file}.")


def format_board(board: Board) -> Iterator[str]:
    """Yield the lines of the board as text."""
    for warning in board.warnings:
        yield f"! {warning}"
    if not board.attendees:
        yield "Nobody has given a name, reported progress or asked for help yet."
    for call in board.calls:
        yield f"! {display_name(call)} asked for help {call.minutes} min ago"
    for count in board.counts:
        yield f"exercise {count.exercise}: {count.working} working, {count.right} right"
        for mistake in board.frequent_mistakes(count.exercise):
            yield f"  {mistake.attendees} × {mistake.words}"
    width = max((len(display_name(attendee)) for attendee in board.attendees), default=0)
    for attendee in board.attendees:
        yield f"{display_name(attendee):<{width}}  {describe_progress(attendee)}".rstrip()


def describe_progress(attendee: AttendeeStatus) -> str:
    """Return where an attendee is, in words."""
    if not attendee.progress:
        return ""
    right = " ".join(sorted(progress.exercise for progress in attendee.progress if progress.right))
    latest = attendee.progress[-1]
    noun = "hint" if latest.hints == 1 else "hints"
    hints = f", {latest.hints} {noun}" if latest.hints else ""
    position = (
        ""
        if latest.right
        else f"at {latest.exercise}: {latest.filled} of {latest.todos} {EXERCISES[latest.exercise].task_noun}{hints}"
    )
    return "   ".join(filter(None, (f"✓ {right}" if right else "", position)))
