"""What the presenter's screen says of the room, if there is one: who is where, and who asks for help."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rich.style import Style
from rich.text import Text

from triton_workshop.attendance.board import Board, display_name
from triton_workshop.attendance.register import find_register, register_file
from triton_workshop.errors import WorkshopError
from triton_workshop.screen.palette import Palette

NOBODY = Board()


class RoomWatcher:
    """Looks at the room of this machine, in its file: no server is needed. Without a room, nothing is shown."""

    def __init__(self, file: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._file, self._now = file or register_file(), now

    def look(self, done: int | None = None) -> Board:
        """Who is where; a call for help that has been `done` is marked as answered before."""
        try:
            register = find_register(self._file, self._now)
            if register is None:
                return NOBODY
            with closing(register):
                if done is not None:
                    register.answer_call(done)
                return register.board()
        except WorkshopError:  # the notes are no place for the troubles of a store
            return NOBODY


def room_lines(board: Board, width: int, palette: Palette) -> list[Text]:
    """Lines for those who ask for help, and those who disturb, and one that counts who is where; or none of these."""
    warning = Style(color=palette.warning, bold=True)
    lines = [_between(Text(each, warning), Text(), width) for each in board.warnings]
    if board.calls:
        names = ", ".join(
            f"{display_name(each)} ({f'{each.minutes} min' if each.minutes else 'now'})" for each in board.calls
        )
        lines.append(_between(Text(f"help: {names}", warning), Text("d done", palette.muted), width))
    if board.counts:
        counted = "   ".join(f"{each.exercise}: {each.working} working, {each.right} right" for each in board.counts)
        lines.append(_between(Text(f"exercise {counted}", palette.muted), Text(), width))
    return lines


def _between(left: Text, right: Text, width: int) -> Text:
    left.truncate(max(width - right.cell_len - 2, 1), overflow="ellipsis", pad=True)
    return Text.assemble(left, "  ", right)
