"""Attendance on the presenter's screen: progress and calls for help."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rich.style import Style
from rich.text import Text

from triton_workshop.attendance.board import Board, CallForHelp, display_name
from triton_workshop.attendance.register import find_register, register_file
from triton_workshop.errors import WorkshopError
from triton_workshop.screen.palette import Palette

NO_ATTENDANCE = Board()


class AttendanceWatcher:
    """Reader of this machine's room.

    It reads the room's file, so it needs no server. Without a room, the attendance is empty.
    """

    def __init__(self, file: Path | None = None, now: Callable[[], float] = time.time) -> None:
        self._file, self._now = file or register_file(), now

    def read(self, answered: int | None = None) -> Board:
        """Return the attendance, after marking a call for help as answered."""
        try:
            room = find_register(self._file, self._now)
            if room is None:
                return NO_ATTENDANCE
            with closing(room):
                if answered is not None:
                    room.answer_call(answered)
                return room.board()
        except WorkshopError:  # the notes are no place for the troubles of a store
            return NO_ATTENDANCE


def attendance_lines(board: Board, width: int, palette: Palette) -> list[Text]:
    """Return lines for warnings, calls for help, and counts by exercise."""
    warning = Style(color=palette.warning, bold=True)
    lines = [_justify(Text(message, warning), Text(), width) for message in board.warnings]
    if board.calls:
        names = ", ".join(f"{display_name(call)} ({_waiting_time(call)})" for call in board.calls)
        lines.append(_justify(Text(f"help: {names}", warning), Text("d done", palette.muted), width))
    if board.counts:
        counts = "   ".join(f"{count.exercise}: {count.working} working, {count.right} right" for count in board.counts)
        lines.append(_justify(Text(f"exercise {counts}", palette.muted), Text(), width))
    return lines


def _waiting_time(call: CallForHelp) -> str:
    return f"{call.minutes} min" if call.minutes else "now"


def _justify(start: Text, end: Text, width: int) -> Text:
    start.truncate(max(width - end.cell_len - 2, 1), overflow="ellipsis", pad=True)
    return Text.assemble(start, "  ", end)
