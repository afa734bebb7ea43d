"""The screen of a slide: title, body, footer, and an error in the deck."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.screen import ModalScreen, Screen

from triton_workshop.deck.model import Block, Code, Deck, plain
from triton_workshop.printing import printable
from triton_workshop.screen.lines import Lines
from triton_workshop.screen.rows import Rows
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.body import Body
from triton_workshop.viewer.countdown import Countdown
from triton_workshop.viewer.notes.channel import HEARTBEAT_SECONDS
from triton_workshop.viewer.overlays.output import NamedRun, OutputScreen
from triton_workshop.viewer.pictures.placed import PlacedPictures
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.sharing import Observer
from triton_workshop.viewer.slides.deck_theme import palette_of
from triton_workshop.viewer.slides.error_panel import LocatedError, error_rows
from triton_workshop.viewer.slides.fragment import SpotTarget
from triton_workshop.viewer.slides.frame import footer
from triton_workshop.viewer.slides.page import broken_page, compose, slide_name
from triton_workshop.viewer.slides.prefetch import Prefetch
from triton_workshop.viewer.slides.view import View

FRAME_SECONDS = 0.05
"""Seconds between two checks for output of live blocks."""
COUNTDOWN_SECONDS = 1.0
"""Seconds between two draws of the time that is left for an exercise."""
DRAW_INTERVAL_FACTOR = 3
"""Time between two draws of streaming output, as a multiple of one draw."""


class NoticeKind(Enum):
    """Purposes of the text in the footer."""

    MESSAGE = "message"
    NUMBER = "number"
    """Digits of a slide's number, or a first `g`."""
    LEAVE_QUESTION = "leave question"


@dataclass(frozen=True)
class Notice:
    """Text in the footer, until another one takes its place."""

    text: str = ""
    kind: NoticeKind = NoticeKind.MESSAGE


class SlideScreen(Screen[None]):
    """The screen of the slides, which shows the current state at every `draw`."""

    DEFAULT_CSS = """
    SlideScreen { layers: default question; }
    SlideScreen > #question { layer: question; dock: top; height: auto; display: none; }
    """

    class Ready(Message):
        """There is a screen to show slides on."""

    def __init__(self, presentation: Presentation, terminal: Terminal, observers: Sequence[Observer] = ()) -> None:
        """Call the observers at every draw: notes in another terminal, a room."""
        super().__init__()
        self.presentation = presentation
        self.terminal = terminal
        self.observers = observers
        names = ("title", "footer", "error")
        self.title_rows, self.footer_rows, self.error_rows = (Rows(name=name) for name in names)
        self.question_rows = Rows(name="question")
        self.body = Body(presentation, self.draw)
        self.pictures = PlacedPictures()
        self.prefetch = Prefetch()
        self.deck_error: LocatedError | None = None
        """The error in the deck as last saved."""
        self.notice = Notice()
        self.countdown = Countdown()
        self.grid = False
        self.settled = True
        """True while the screen shows all output of the live blocks."""
        self._next_frame = 0.0
        self.use_theme(presentation.deck)

    def use_theme(self, deck: Deck) -> None:
        """Draw in the colours of a deck's theme."""
        self.palette = palette_of(deck.front_matter.theme)

    def compose(self) -> ComposeResult:
        yield from (self.title_rows, self.body, self.footer_rows, self.question_rows, self.error_rows)

    def on_mount(self) -> None:
        self.ticker = self.set_interval(FRAME_SECONDS, self._tick, pause=True)
        self.set_interval(HEARTBEAT_SECONDS / 2, self.notify_observers)
        self.set_interval(COUNTDOWN_SECONDS, self._draw_countdown)
        self.app.app_resume_signal.subscribe(self, self._redraw_after_resume)
        self.watch(self.body, "scroll_y", self._follow_scrolling, init=False)
        self.post_message(self.Ready())

    def on_unmount(self) -> None:
        self.prefetch.close()

    def _redraw_after_resume(self, _: App[object]) -> None:
        """Redraw after Ctrl+Z and `fg`, since the shell has had the screen."""
        self.pictures.redraw()
        self.app.refresh(layout=True)

    def fit(self) -> None:
        """Draw for the terminal's new size, even below another screen."""
        if self.terminal.shows_pictures:
            self.terminal = self.terminal.now()
        self.pictures.redraw()
        self.draw()

    def view(self) -> View:
        """Return the current state that a page depends on besides the slide."""
        return View(
            palette=self.palette,
            width=max(self.app.size.width, 1),
            height=max(self.app.size.height, 1),
            step=self.presentation.position.step,
            runs=self.presentation.live.runs,
            edited=self.presentation.edits.edited(),
            editor=self.body.open,
            grid=self.grid,
            now=time.monotonic(),
            terminal=self.terminal,
            theme=self.presentation.deck.front_matter.theme,
            consent=self.presentation.live.consent,
        )

    def draw(self, *, from_top: bool = False) -> None:
        """Show the slide as it is now, all at once."""
        if not self.body.canvas.is_attached:  # not there yet, or being closed
            return
        view = self.view()
        started = time.monotonic()
        try:
            page = compose(self.presentation.deck, self.presentation.slide, view)
        except Exception:  # a slide that cannot be drawn says so, and the others still work
            page = broken_page(traceback.format_exc(), view)
        with self.app.batch_update():
            self.title_rows.show(page.title)
            self.body.draw(page, from_top=from_top)
            self.pictures.place(page.pictures, self.body.canvas, self.terminal)
            self._follow_scrolling()
            self.error_rows.show(error_rows(self.deck_error, self.palette, view.width) if self.deck_error else ())
            self.error_rows.display = self.deck_error is not None
        for screen in self.app.screen_stack:
            if isinstance(screen, OutputScreen):
                screen.draw()
        self._next_frame = time.monotonic() + DRAW_INTERVAL_FACTOR * (time.monotonic() - started)
        self.notify_observers()

    def _follow_scrolling(self) -> None:
        """Show how much is below, and keep the question above its answer."""
        page = self.body.page
        self.question_rows.show(page.question)
        self.question_rows.styles.offset = (0, len(page.title))
        self.question_rows.display = bool(page.question) and self.body.scroll_offset.y > 0
        self.draw_footer()

    def compose_neighbours(self) -> None:
        """Prepare the slides that the next keys will lead to."""
        self.prefetch.compose(
            self.presentation.deck, self.presentation.neighbours(), replace(self.view(), step=0, runs={})
        )

    def draw_footer(self) -> None:
        """Show the footer; a message lies over it even where the slide has none."""
        view = self.view()
        lines: Lines = ()
        # A number only stands in a footer that is there; a message or a question must be read.
        is_message = self.notice.text != "" and self.notice.kind is not NoticeKind.NUMBER
        is_visible = self.presentation.slide.footer or is_message
        if is_visible:
            hint = self.notice.text or self._activity()
            has_more = self.body.more and not is_message
            if has_more:
                hint = f"{hint}  ↓ more".strip()
            lines = footer(self.presentation.deck, self.presentation.position, view, hint)
        self.footer_rows.show(lines)

    def _activity(self) -> str:
        """Return that code runs, or else what an exercise has left of its time."""
        return "▶ running" if self.presentation.live.running else self._time_left()

    def _time_left(self) -> str:
        """Return what an exercise on this slide has left of its time."""
        return self.countdown.text(self.presentation.deck.slides, self.presentation.position.slide)

    def _draw_countdown(self) -> None:
        if self._time_left():
            self.draw_footer()

    def start(self, blocks: Sequence[Block]) -> None:
        """Run the blocks for which there is consent, and follow their output."""
        allowed = [block for block in blocks if self.presentation.live.allows(block)]
        if allowed:
            self.presentation.live.start([(block, self._output_columns(block)) for block in allowed])
            self.notice = Notice()
            self.body.follows = True
            self.settled = False
            self.ticker.resume()
            self.draw()

    def _output_columns(self, block: Block) -> int:
        area = self.body.page.live.get(block)
        return area.columns if area else max(self.app.size.width - 10, 20)

    def _tick(self) -> None:
        """Show new output, as often as there is time to draw it."""
        self.presentation.live.update()
        busy = self.presentation.live.busy
        is_too_early = busy and time.monotonic() < self._next_frame
        if is_too_early:
            return
        self.draw()
        self.body.follow_output(self.presentation.live.runs)
        if not busy:  # the last output is on the screen now
            self.ticker.pause()
        self.settled = not busy

    def notify_observers(self) -> None:
        """Pass the presentation to those who follow it elsewhere."""
        for notify in self.observers:
            notify(self.presentation)

    def show_message(self, message: str) -> None:
        """Show a message in the footer."""
        self.notice = Notice(message)
        self.draw_footer()

    @property
    def number(self) -> str:
        """The digits of a slide's number that have been typed, or a first `g`."""
        return self.notice.text if self.notice.kind is NoticeKind.NUMBER else ""

    def show_number(self, text: str) -> None:
        """Show the last digits of a slide's number in the footer."""
        self.notice = Notice(text[-4:], NoticeKind.NUMBER)
        self.draw_footer()

    def hide_error(self) -> None:
        """Hide the error in the deck; the footer still names its line."""
        if self.deck_error is not None:
            self.notice = Notice(f"✗ {self.deck_error.location}")
            self.deck_error = None
            self.draw()

    def outputs(self) -> dict[Block, NamedRun]:
        """Return the runs of the blocks whose output is on the slide."""
        slide = printable(plain(slide_name(self.presentation.deck, self.presentation.slide)))
        blocks = [spot.block for spot in self.body.page.spots if spot.target is SpotTarget.OUTPUT]
        runs = {block: run for block in blocks if (run := self.presentation.live.runs.get(block)) is not None}
        return {block: NamedRun(f"{slide} · {language(block)}", run) for block, run in runs.items()}


def language(block: Block) -> str:
    """Return a code block's language, or an empty string for another block."""
    return block.content.language if isinstance(block.content, Code) else ""


class Black(ModalScreen[None]):
    """A black screen over the slides, so that people look at the presenter.

    Any key or click ends it, and does nothing else.
    """

    CSS = "Black { background: #000000; }"

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.dismiss()
