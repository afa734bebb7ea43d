"""Paints a slide: its title, its body, the footer, and what is wrong with the deck as last saved."""

from __future__ import annotations

import time
import traceback
from collections.abc import Sequence
from dataclasses import replace

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
from triton_workshop.viewer.notes.channel import HEARTBEAT_SECONDS
from triton_workshop.viewer.overlays.output import NamedRun, OutputScreen
from triton_workshop.viewer.pictures.placed import PlacedPictures
from triton_workshop.viewer.sharing import Tell
from triton_workshop.viewer.show import Show
from triton_workshop.viewer.slides.deck_theme import palette_of
from triton_workshop.viewer.slides.fragment import BlockPart
from triton_workshop.viewer.slides.frame import footer
from triton_workshop.viewer.slides.page import broken_page, compose, slide_name
from triton_workshop.viewer.slides.prefetch import Prefetch
from triton_workshop.viewer.slides.shown_error import ShownError, error_rows
from triton_workshop.viewer.slides.view import View

FRAME_SECONDS = 0.05
"""Seconds between two checks for output of live blocks."""
BREATH = 3
"""While output streams, drawing may take this fraction (one in so many parts) of the time."""


class Stage(Screen[None]):
    """The screen of the slides. It shows what is known now, whenever it is told to draw."""

    CSS = """
    Stage { layers: default error; }
    #error { layer: error; dock: bottom; height: auto; display: none; }
    #title, #footer { height: auto; }
    """

    class Ready(Message):
        """There is a screen to show slides on."""

    def __init__(self, show: Show, terminal: Terminal, others: Sequence[Tell] = ()) -> None:
        """The `others` are told what is shown: the notes in another terminal, the browsers of a room."""
        super().__init__()
        self.show = show
        self.terminal = terminal
        self.others = others
        names = ("title", "footer", "error")
        self.title_rows, self.footer_rows, self.error_rows = (Rows(name=name) for name in names)
        self.body = Body(show, self.draw)
        self.pictures = PlacedPictures()
        self.prefetch = Prefetch()
        self.deck_error: ShownError | None = None
        """What is wrong with the deck as last saved."""
        self.typed = ""
        """Digits of a slide's number, or a first `g`."""
        self.message = ""
        self.grid = False
        self.settled = True
        """Whether this shows everything that the live blocks have printed."""
        self._next_frame = 0.0
        self.use_look(show.deck)

    def use_look(self, deck: Deck) -> None:
        """Draw in the colours that a deck asks for."""
        self.palette = palette_of(deck.front_matter.theme)

    def compose(self) -> ComposeResult:
        yield from (self.title_rows, self.body, self.footer_rows, self.error_rows)

    def on_mount(self) -> None:
        self.ticker = self.set_interval(FRAME_SECONDS, self._tick, pause=True)
        self.set_interval(HEARTBEAT_SECONDS / 2, self.tell_others)
        self.app.app_resume_signal.subscribe(self, self._come_back)
        self.watch(self.body, "scroll_y", self.draw_footer, init=False)
        self.post_message(self.Ready())

    def on_unmount(self) -> None:
        self.prefetch.close()

    def _come_back(self, _: App[object]) -> None:
        """Redraw after Ctrl+Z and `fg`, as the shell has had the screen meanwhile."""
        self.pictures.draw_again()
        self.app.refresh(layout=True)

    def fit(self) -> None:
        """Draw for another size of the terminal, also while another screen covers this one."""
        if self.terminal.shows_pictures:
            self.terminal = self.terminal.now()
        self.pictures.draw_again()
        self.draw()

    def view(self) -> View:
        """Everything that a page depends on besides the slide, as it is now."""
        return View(
            palette=self.palette,
            width=max(self.app.size.width, 1),
            height=max(self.app.size.height, 1),
            step=self.show.place.step,
            runs=self.show.live.runs,
            edited=self.show.edits.edited(),
            editor=self.body.open,
            grid=self.grid,
            now=time.monotonic(),
            terminal=self.terminal,
            theme=self.show.deck.front_matter.theme,
            consent=self.show.live.consent,
        )

    def draw(self, *, from_top: bool = False) -> None:
        """Show the slide as it is now, all at once."""
        if not self.body.canvas.is_attached:  # not there yet, or being closed
            return
        view = self.view()
        started = time.monotonic()
        try:
            page = compose(self.show.deck, self.show.slide, view)
        except Exception:  # a slide that cannot be drawn says so, and the others still work
            page = broken_page(traceback.format_exc(), view)
        with self.app.batch_update():
            self.title_rows.show(page.title)
            self.body.draw(page, from_top=from_top)
            self.pictures.place(page.pictures, self.body.canvas, self.terminal)
            self.draw_footer()
            self.error_rows.show(error_rows(self.deck_error, self.palette, view.width) if self.deck_error else ())
            self.error_rows.display = self.deck_error is not None
        for screen in self.app.screen_stack:
            if isinstance(screen, OutputScreen):
                screen.draw()
        self._next_frame = time.monotonic() + BREATH * (time.monotonic() - started)
        self.tell_others()

    def compose_neighbours(self) -> None:
        """Prepare the slides that the next keys will lead to, once this one is on the screen."""
        self.prefetch.compose(self.show.deck, self.show.neighbours(), replace(self.view(), step=0, runs={}))

    def draw_footer(self) -> None:
        """Show the footer; a message lies over it even where the slide has none."""
        view = self.view()
        lines: Lines = ()
        if self.show.slide.footer or self.message:
            hint = self.message or self.typed or ("▶ running" if self.show.live.running else "")
            if self.body.more and not self.message:
                hint = f"{hint}  ↓ more".strip()
            lines = footer(self.show.deck, self.show.place, view, hint)
        self.footer_rows.show(lines)

    def start(self, blocks: Sequence[Block]) -> None:
        """Run those of these blocks that may run, and show what they print."""
        if self.show.start(blocks, self._columns_of):
            self.message = ""
            self.body.follows = True
            self.settled = False
            self.ticker.resume()
            self.draw()

    def _columns_of(self, block: Block) -> int:
        area = self.body.page.live.get(block)
        return area.columns if area else max(self.app.size.width - 10, 20)

    def _tick(self) -> None:
        """Show new output, no more often than there is time to draw it."""
        self.show.live.update()
        busy = self.show.live.busy
        if busy and time.monotonic() < self._next_frame:
            return
        self.draw()
        self.body.keep_in_view(self.show.live.runs)
        if not busy:  # the last output is on the screen now
            self.ticker.pause()
        self.settled = not busy

    def tell_others(self) -> None:
        """Tell those who follow elsewhere what is shown."""
        for tell in self.others:
            tell(self.show)

    def say(self, message: str) -> None:
        """Show a message in the footer."""
        self.message = message
        self.draw_footer()

    def type(self, text: str) -> None:
        """Show what has been typed of a slide's number, in place of a message."""
        self.typed = text[-4:]
        self.say("")

    def outputs(self) -> dict[Block, NamedRun]:
        """What the blocks on the slide have printed."""
        slide = printable(plain(slide_name(self.show.deck, self.show.slide)))
        blocks = [spot.block for spot in self.body.page.spots if spot.target is BlockPart.OUTPUT]
        runs = {block: run for block in blocks if (run := self.show.live.runs.get(block)) is not None}
        return {block: NamedRun(f"{slide} · {language(block)}", run) for block, run in runs.items()}


def language(block: Block) -> str:
    return block.content.language if isinstance(block.content, Code) else ""


class Black(ModalScreen[None]):
    """Covers the slides, so that people look at the presenter. Any key or click ends it, and does nothing else."""

    CSS = "Black { background: #000000; }"

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.dismiss()
