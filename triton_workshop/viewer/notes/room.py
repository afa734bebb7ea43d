"""What the presenter's screen says of the room, if there is one: who is where, and who asks for help."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.style import Style
from rich.text import Text

from triton_workshop.classroom.board import Board, Count, called
from triton_workshop.classroom.room import room_file, room_in_use
from triton_workshop.errors import WorkshopError
from triton_workshop.screen.palette import Palette


@dataclass(frozen=True)
class Asking:
    """Somebody who asks for help."""

    number: int
    name: str
    minutes: int
    """Since they first asked."""


@dataclass(frozen=True)
class RoomView:
    """What is shown of the room."""

    counts: tuple[Count, ...] = ()
    asking: tuple[Asking, ...] = ()
    """Who asked first comes first."""


NOBODY = RoomView()


class RoomWatcher:
    """Looks at the room of this machine, in its file: no server is needed. Without a room, nothing is shown."""

    def __init__(self, file: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._file, self._now = file or room_file(), now

    def look(self) -> RoomView:
        return self._seen(None)

    def done(self, number: int) -> RoomView:
        """Marks a call for help as answered."""
        return self._seen(number)

    def _seen(self, done: int | None) -> RoomView:
        try:
            room = room_in_use(self._file, self._now)
            if room is None:
                return NOBODY
            with closing(room):
                if done is not None:
                    room.done(done)
                return self._view(room.board())
        except WorkshopError:  # the notes are no place for the troubles of a store
            return NOBODY

    def _view(self, board: Board) -> RoomView:
        now = self._now()
        asking = (Asking(call.number, called(call), max(int(now - call.asked), 0) // 60) for call in board.calls)
        return RoomView(board.counts, tuple(asking))


def room_lines(room: RoomView, width: int, palette: Palette) -> list[Text]:
    """A line for those who ask for help, and one that counts who is where; none if there is nothing to say."""
    lines = []
    if room.asking:
        names = ", ".join(f"{each.name} ({f'{each.minutes} min' if each.minutes else 'now'})" for each in room.asking)
        style = Style(color=palette.warning, bold=True)
        lines.append(_between(Text(f"help: {names}", style), Text("d done", palette.muted), width))
    if room.counts:
        counted = "   ".join(f"{each.exercise}: {each.working} working, {each.right} right" for each in room.counts)
        lines.append(_between(Text(f"exercise {counted}", palette.muted), Text(), width))
    return lines


def _between(left: Text, right: Text, width: int) -> Text:
    left.truncate(max(width - right.cell_len - 2, 1), overflow="ellipsis", pad=True)
    return Text.assemble(left, "  ", right)
