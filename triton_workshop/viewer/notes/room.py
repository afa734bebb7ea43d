"""What the presenter's screen says of the room, if there is one: who is where, and who asks for help."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.style import Style
from rich.text import Text

from triton_workshop.classroom.board import Board, called
from triton_workshop.classroom.room import room_file, room_in_use
from triton_workshop.errors import WorkshopError
from triton_workshop.screen.palette import Palette


@dataclass(frozen=True)
class RoomView:
    """What is shown of the room, and when it was so, in seconds since 1970."""

    board: Board
    at: float


NOBODY = RoomView(Board(), 0.0)


class RoomWatcher:
    """Looks at the room of this machine, in its file: no server is needed. Without a room, nothing is shown."""

    def __init__(self, file: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._file, self._now = file or room_file(), now

    def look(self, helped: int | None = None) -> RoomView:
        """The room, after marking this attendee's call for help as answered."""
        try:
            room = room_in_use(self._file, self._now)
            if room is None:
                return NOBODY
            with closing(room):
                if helped is not None:
                    room.done(helped)
                return RoomView(room.board(), self._now())
        except WorkshopError:  # the notes are no place for the troubles of a store
            return NOBODY


def room_lines(room: RoomView, width: int, palette: Palette) -> list[Text]:
    """A line for those who ask for help, and one that counts who is where; none if there is nothing to say."""
    lines = []
    if room.board.calls:
        names = ", ".join(f"{called(call)} ({_since(call.asked, room.at)})" for call in room.board.calls)
        style = Style(color=palette.warning, bold=True)
        lines.append(_between(Text(f"help: {names}", style), Text("d done", palette.muted), width))
    if counts := room.board.counts:
        counted = "   ".join(f"{each.exercise}: {each.working} working, {each.right} right" for each in counts)
        lines.append(_between(Text(f"exercise {counted}", palette.muted), Text(), width))
    return lines


def _since(asked: float, now: float) -> str:
    minutes = int(now - asked) // 60
    return f"{minutes} min" if minutes > 0 else "now"


def _between(left: Text, right: Text, width: int) -> Text:
    left.truncate(max(width - right.cell_len - 2, 1), overflow="ellipsis", pad=True)
    return Text.assemble(left, "  ", right)
