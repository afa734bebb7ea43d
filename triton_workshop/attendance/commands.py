"""`workshop join`, `leave` and `board`: what they do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from triton_workshop.attendance.board import Board, Present, called
from triton_workshop.attendance.board_key import board_link
from triton_workshop.attendance.membership import (
    address_and_word,
    join,
    leave,
    membership_file,
    see_whether_it_answers,
)
from triton_workshop.attendance.room import forget, room_file, room_in_use
from triton_workshop.errors import wrapped
from triton_workshop.exercises import EXERCISES
from triton_workshop.printing import speak_utf8
from triton_workshop.slide_environment import columns_of


def run_join(link: str, word: str | None, name: str | None, ask_word: Callable[[], str]) -> None:
    """Join a room, by its word or by a link that holds it, and say what it is told from now on."""
    speak_utf8()
    address, given = address_and_word(link)
    if not (word := word or given):
        see_whether_it_answers(address)
        word = ask_word()
    joined = join(address, word, name, membership_file())
    said = (
        f"You have joined as {joined.name or 'an attendee without a name'}, number {joined.number}. "
        "From now on, `workshop watch` and `workshop check` tell the room which exercise you are at, "
        "how many TODOs are filled in, whether it is right and how many hints you have used, but never your code. "
        "To end this: uv run workshop leave\n"
        "The key a in watch asks the presenter for help."
    )
    print(wrapped(said, columns_of(sys.stdout)))
    print(f"The slides, for you alone: {joined.address}?session={joined.token}")


def run_leave() -> None:
    speak_utf8()
    print(leave(membership_file()))


def run_board(*, forgetting: bool) -> None:
    """Print the board of the room on this machine, or delete what is known about everybody."""
    speak_utf8()
    file = room_file()
    if forgetting:
        forget(file)
        print("Deleted what was known about all attendees, including those of earlier days.")
    elif (room := room_in_use(file)) is None:
        print("No room is open on this machine.")
    else:
        print("\n".join((f"The room {room.word}", *board_lines(room.board()))))
        if room.address:
            print(f"In a browser, once and within 30 seconds: {board_link(room.address, room.key)}")


def board_lines(board: Board) -> Iterator[str]:
    """The board as text."""
    for warning in board.warnings:
        yield f"! {warning}"
    if not board.present:
        yield "Nobody has given a name, reported progress or asked for help yet."
    for call in board.calls:
        yield f"! {called(call)} asked for help {call.minutes} min ago"
    for count in board.counts:
        yield f"exercise {count.exercise}: {count.working} working, {count.right} right"
    width = max((len(called(each)) for each in board.present), default=0)
    for each in board.present:
        yield f"{called(each):<{width}}  {place_of(each)}".rstrip()


def place_of(present: Present) -> str:
    """Where an attendee is, in words."""
    if not present.progress:
        return ""
    right = " ".join(sorted(each.exercise for each in present.progress if each.right))
    here = present.progress[-1]
    hints = f", {here.hints} hint{'s' if here.hints > 1 else ''}" if here.hints else ""
    at = (
        ""
        if here.right
        else f"at {here.exercise}: {here.filled} of {here.todos} {EXERCISES[here.exercise].task_noun}{hints}"
    )
    return "   ".join(filter(None, (f"✓ {right}" if right else "", at)))
