"""The terminal app that shows the presenter's view.

It only listens: nothing here controls the slides.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType

from triton_workshop.attendance.board import Board
from triton_workshop.deck import load_deck
from triton_workshop.deck.errors import DeckError
from triton_workshop.deck.model import Deck
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.screen.box import BOX_STYLE, KeyGroups, Keys, help_entries
from triton_workshop.screen.hangup import quit_on_hangup
from triton_workshop.screen.job_control import SUSPEND, suspend_job, take_job_signals
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows
from triton_workshop.screen.theme import use_palette
from triton_workshop.viewer.notes.attendance import NO_ATTENDANCE, AttendanceWatcher
from triton_workshop.viewer.notes.channel import Listener
from triton_workshop.viewer.notes.follower import Clock, Follower
from triton_workshop.viewer.notes.page import NotesView, compose_notes
from triton_workshop.viewer.notes.protocol import Address, Event
from triton_workshop.viewer.notes.schedule import schedule
from triton_workshop.viewer.pictures.drawing import clear_picture_caches
from triton_workshop.viewer.reloading import Reading, pictures, readings
from triton_workshop.viewer.slides.deck_theme import palette_of

POLL_SECONDS = 0.05
"""Seconds between two checks for messages from the slides."""
ATTENDANCE_POLL_SECONDS = 1.0
"""Seconds between two readings of the attendance."""

SCROLL = (
    Binding("down,j", "scroll(1)", key_display="↓ ↑  j k  pgdn pgup", tooltip="scroll"),
    Binding("up,k", "scroll(-1)"),
    Binding("pagedown,space", "scroll_page(1)"),
    Binding("pageup", "scroll_page(-1)"),
    Binding("home", "scroll(-9999)"),
    Binding("end", "scroll(9999)"),
)
CLOCK = (
    Binding("r", "restart_clock", tooltip="restart it at 0:00:00"),
    Binding("p", "clock_as_planned", tooltip="set it to this slide's time in the plan"),
    Binding("plus,equals_sign", "shift_clock(60)", key_display="+ -", tooltip="add or subtract a minute"),
    Binding("minus", "shift_clock(-60)"),
)
ATTENDANCE = (Binding("d", "finish_call", tooltip="the oldest call for help is done"),)
SCREEN = (
    Binding("question_mark", "keys", key_display="?  esc", tooltip="show or hide these keys"),
    SUSPEND,
    Binding("q", "leave", key_display="q  Ctrl+C", tooltip="quit; the slides go on"),
    Binding("ctrl+c,ctrl+q", "leave", priority=True),
)
HELP: KeyGroups = (
    ("Notes", help_entries(SCROLL)),
    ("Clock", help_entries(CLOCK)),
    ("Room", help_entries(ATTENDANCE)),
    ("Screen", help_entries(SCREEN)),
)


class Notes(App[int]):
    """The notes of the slide that is shown in another terminal."""

    TITLE = "Notes"
    ENABLE_COMMAND_PALETTE = False
    CSS = (
        """
        Screen { background: $background; overflow: hidden; }
        """
        + BOX_STYLE
    )
    BINDINGS: ClassVar[list[BindingType]] = [*SCROLL, *CLOCK, *ATTENDANCE, *SCREEN]

    def __init__(
        self,
        deck: Deck,
        receive: Callable[[], Iterable[tuple[Address, Event]]],
        command: str = "workshop present",
        *,
        saves: FileWatcher | None = None,
        watcher: AttendanceWatcher | None = None,
        now: Callable[[], float] = time.monotonic,
        today: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Follow the slides of a deck, whose new events `receive` returns.

        `command` starts the slides; `now` (in seconds) and `today` return the time. With `watcher`, attendees are
        shown, if there is a room on this machine.

        With `saves`, which has followed the deck's file since before it was read, the deck is read again whenever it is
        saved.
        """
        super().__init__()
        self.deck = deck
        self.schedule = schedule(deck)
        self.receive = receive
        self.command = command
        self.now = now
        self.today = today
        self.follower = Follower()
        self.clock = Clock()
        self.scrolled = 0
        self.max_scroll = 0
        self.visible_rows = 1
        self.drawn: NotesView | None = None
        self.message = ""
        self.saves = saves
        self.watcher = watcher
        self.attendance = NO_ATTENDANCE
        self.rows = Rows(name="notes")
        self._use_palette(palette_of(deck.front_matter.theme))

    def _use_palette(self, palette: Palette) -> None:
        self.palette = palette
        use_palette(self, palette)

    def compose(self) -> ComposeResult:
        yield self.rows

    def on_mount(self) -> None:
        quit_on_hangup(self, close=lambda: None)
        take_job_signals(self)
        self.set_interval(POLL_SECONDS, self.listen)
        if self.saves is not None:
            self.run_worker(self.follow_saves(self.saves), group="saves")
        if self.watcher is not None:
            self.run_worker(self.follow_attendance(self.watcher), group="attendance")
        self.draw()

    def on_resize(self) -> None:
        self.call_later(self.draw)  # until this event is over, Textual gives the size before

    # Drawing

    def draw(self) -> None:
        """Show the current state, if it has changed; mostly the clock's second."""
        view = self.view()
        if view == self.drawn:
            return
        self.drawn = view
        page = compose_notes(view)
        self.max_scroll, self.visible_rows = page.max_scroll, page.rows
        self.rows.show(page.lines)

    def view(self) -> NotesView:
        """Return the current state that the page depends on."""
        now = self.now()
        return NotesView(
            deck=self.deck,
            schedule=self.schedule,
            palette=self.palette,
            width=max(self.size.width, 1),
            height=max(self.size.height, 1),
            position=self.follower.position(self.deck),
            scrolled=self.scrolled,
            connection=self.follower.connection(now),
            silence=int(now - self.follower.last_received),
            elapsed=int(self.clock.elapsed(now)),
            time=f"{self.today():%H:%M}",
            running=self.follower.running_now(now),
            command=self.command,
            message=self.message,
            attendance=self.attendance,
        )

    def listen(self) -> None:
        """Apply the slides' events, and advance the clock."""
        now = self.now()
        slide = self.follower.position(self.deck).slide
        for sender, event in self.receive():
            self.follower = self.follower.apply(sender, event, now)
            self.clock = self.clock.apply(event, now)
        if self.follower.position(self.deck).slide != slide:
            self.scrolled = 0
            self.message = ""
        self.draw()

    async def follow_saves(self, saves: FileWatcher) -> None:
        """Show the notes after each save of the deck."""
        try:
            async for reading in readings(
                saves, self.deck, needs_confirmation=lambda result: isinstance(result, DeckError)
            ):
                self.show_reading(reading)
        except Exception as error:  # a defect of ours must not take the notes away
            self.message = f"the notes no longer reload by themselves ({error!r})"
            self.draw()

    def show_reading(self, reading: Reading) -> None:
        """Show a deck that was read again; an error leaves the notes as they are."""
        deck = reading.result
        if isinstance(deck, DeckError):
            self.message = f"✗ {Path(deck.path).name}:{deck.line}: {deck.reason}"
        else:
            if reading.saved & pictures(deck):
                clear_picture_caches()
            self.deck, self.schedule = deck, schedule(deck)
            self._use_palette(palette_of(deck.front_matter.theme))
            self.message = "✓ reloaded"
        self.drawn = None  # the same deck may have another picture now
        self.draw()

    async def follow_attendance(self, watcher: AttendanceWatcher) -> None:
        """Show the attendees' progress and their calls for help."""
        while True:
            await self.update_attendance(watcher.read)
            await asyncio.sleep(ATTENDANCE_POLL_SECONDS)

    async def update_attendance(self, read: Callable[[], Board]) -> None:
        """Show the attendance that `read` returns."""
        self.attendance = await asyncio.to_thread(read)  # which may have to wait for somebody who writes
        self.draw()

    # Keys

    async def action_finish_call(self) -> None:
        """Mark the oldest call for help as answered."""
        if self.watcher is not None and self.attendance.calls:
            await self.update_attendance(partial(self.watcher.read, self.attendance.calls[0].number))

    def action_scroll(self, rows: int) -> None:
        """Scroll the notes by rows."""
        # The limit shrinks when the terminal grows, so the old value is limited first.
        self.scrolled = min(max(min(self.scrolled, self.max_scroll) + rows, 0), self.max_scroll)
        self.draw()

    def action_scroll_page(self, pages: int) -> None:
        """Scroll the notes by screens, with one row in common."""
        self.action_scroll(pages * max(self.visible_rows - 1, 1))

    def on_mouse_scroll_down(self) -> None:
        self.action_scroll(2)

    def on_mouse_scroll_up(self) -> None:
        self.action_scroll(-2)

    def action_restart_clock(self) -> None:
        """Restart the clock at zero."""
        self.set_clock(0.0)

    def action_shift_clock(self, seconds: float) -> None:
        """Add seconds to the clock."""
        self.set_clock(self.clock.elapsed(self.now()) + seconds)

    def action_clock_as_planned(self) -> None:
        """Set the clock to the slide's time in the plan."""
        if self.schedule.windows:
            begins, _ = self.schedule.windows[self.follower.position(self.deck).slide]
            self.set_clock(60 * begins)

    def set_clock(self, elapsed: float) -> None:
        """Set the clock to a number of seconds."""
        self.clock = self.clock.set_to(elapsed, self.now())
        self.draw()

    def action_keys(self) -> None:
        """List the keys."""
        self.push_screen(Keys(HELP, self.palette))

    def action_suspend_process(self) -> None:
        """Return to the shell until `fg`."""
        self.message = suspend_job(self, close=lambda: None)
        self.draw()

    def action_leave(self) -> None:
        """Quit the notes; the slides go on."""
        self.exit(0)


def show_notes(deck_path: Path, command: str) -> int:
    """Show the notes until the presenter leaves, and return the exit status.

    `command` starts the slides. Raises `DeckError` for a deck that cannot be read, and `CannotListenError` if
    nothing can be received from the slides.
    """
    saves = FileWatcher(deck_path)  # before the deck is read, so that no save is missed
    deck = load_deck(deck_path)
    listener = Listener(deck_path)
    try:
        notes = Notes(deck, listener.receive, command, saves=saves, watcher=AttendanceWatcher())
        status = notes.run()
    finally:
        listener.close()
    if status is not None:
        return status
    return notes.return_code or 0
