"""The terminal app that presents a deck. Its state is small: a deck, a place in it, and its live blocks."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Size

from triton_workshop.consent import EVERYTHING, NOTHING, Consent, flag, in_force
from triton_workshop.deck import load_deck
from triton_workshop.deck.errors import DeckError
from triton_workshop.deck.model import Block, Code, Deck, Execution
from triton_workshop.saves import Saves
from triton_workshop.viewer.ahead import Ahead
from triton_workshop.viewer.asking import consent_to
from triton_workshop.viewer.leaving import leave_with_terminal
from triton_workshop.viewer.live import LiveBlocks, Status, blocks_to_run, shown_elsewhere
from triton_workshop.viewer.notes.channel import HEARTBEAT, Publisher
from triton_workshop.viewer.page import Page, View, broken_page, compose, footer
from triton_workshop.viewer.palette import Palette, palette_named
from triton_workshop.viewer.pictures import HALF_BLOCKS, Graphics, Look, forget_pictures
from triton_workshop.viewer.place import Place, goto
from triton_workshop.viewer.reloading import pictures, read, readings, slide_again
from triton_workshop.viewer.rows import Rows
from triton_workshop.viewer.screen_theme import screen_theme
from triton_workshop.viewer.screens import Index, Keys
from triton_workshop.viewer.start import first_slide_shown
from triton_workshop.viewer.terminal import Terminal, ask
from triton_workshop.viewer.trouble import Trouble, trouble_rows

if TYPE_CHECKING:
    from triton_workshop.viewer.picture_widget import Held, PictureWidget

FRAME = 0.05
"""Seconds between two looks at the output of live blocks."""
BREATH = 3
"""While output streams, drawing may take one part in so many of the time."""


class Body(VerticalScroll, can_focus=False):
    """The part of a slide between title and footer; scrolls where the slide is taller."""


class Viewer(App[int]):
    """Presents a deck."""

    TITLE = "Triton Workshop"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: $background; layout: vertical; overflow: hidden; layers: default trouble; }
    #trouble { layer: trouble; dock: bottom; height: auto; display: none; }
    #title, #footer { height: auto; }
    Body { height: 1fr; scrollbar-size: 0 0; background: $background; }
    #canvas { background: $background; min-height: 0; }
    ModalScreen { align: center middle; background: $background 70%; }
    .box {
        width: 72; max-width: 100%; height: auto; max-height: 100%; padding: 0 2; background: $panel;
        border: round $accent; border-title-color: $accent; border-title-style: bold; scrollbar-size: 0 0;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,j,down,space,pagedown", "go('next')", "Next", show=False),
        Binding("left,h,k,up,pageup", "go('previous')", "Back", show=False),
        Binding("n", "go('next_slide')", "Next slide", show=False),
        Binding("p", "go('previous_slide')", "Previous slide", show=False),
        Binding("home", "go('first')", "First slide", show=False),
        Binding("end", "go('last')", "Last slide", show=False),
        Binding("g", "first", "First slide", show=False),
        Binding("G,upper_g,shift+g", "numbered", "Slide by number", show=False),
        Binding("s", "go('complete')", "Show every step", show=False),
        Binding("ctrl+e", "run", "Run", show=False),
        Binding("ctrl+x", "stop", "Stop", show=False),
        Binding("r,ctrl+r", "reload", "Read again", show=False),
        Binding("ctrl+p", "index", "Slides", show=False),
        Binding("question_mark", "keys", "Keys", show=False),
        Binding("shift+down", "scroll(1)", "Scroll down", show=False),
        Binding("shift+up", "scroll(-1)", "Scroll up", show=False),
        Binding("ctrl+d", "scroll(0.5)", "Half a screen down", show=False),
        Binding("ctrl+u", "scroll(-0.5)", "Half a screen up", show=False),
        Binding("escape", "forget", "Forget what was typed", show=False),
        Binding("q", "leave", "Quit", show=False),
        Binding("ctrl+c,ctrl+q", "leave", "Quit", show=False, priority=True),
    ]

    def __init__(
        self,
        deck: Deck,
        slide: int = 1,
        graphics: Graphics = HALF_BLOCKS,
        *,
        warm_up: bool = False,
        publisher: Publisher | None = None,
        consent: Consent = EVERYTHING,
        saves: Saves | None = None,
    ) -> None:
        """`slide` is the number to start on, from 1. With `warm_up`, blocks answer at once, some seconds from now.

        The `publisher` tells the notes in another terminal what is shown. `consent` is what the presenter agreed to for
        code from elsewhere. With `saves`, which follows the deck's file since before it was read, the deck is read
        again whenever it is saved.
        """
        super().__init__()
        self.deck = deck
        self.consent = consent
        self.saves = saves
        self._lost: tuple[Deck, Place] | None = None
        """Where the presenter was when a save took that slide away: it may come back."""
        self._trouble: Trouble | None = None
        """What is wrong with the deck as it was saved last."""
        self.graphics = graphics
        self.warm_up = warm_up
        self.publisher = publisher
        self.steps = [slide.steps for slide in deck.slides]
        self.place = goto(slide, self.steps)
        self.live = LiveBlocks(deck.path, in_force(deck, consent))
        self.elsewhere = shown_elsewhere(deck)
        self.ahead = Ahead()
        self.page = Page((), (), 0, (), {})
        self.typed = ""
        """Digits of a slide's number, or a first `g`."""
        self.message = ""
        self._follow = False
        """Whether output is kept in view while it grows."""
        self._next_frame = 0.0
        self.settled = True
        """Whether the screen shows all that the live blocks have printed."""
        self._pictures: list[PictureWidget] = []
        self._held: Held | None = None
        self._use_palette(palette_named(deck.front_matter.theme_name))

    def _use_palette(self, palette: Palette) -> None:
        self.palette = palette
        self.register_theme(screen_theme(palette))
        self.theme = palette.name

    # The screen

    def compose(self) -> ComposeResult:
        yield Rows(name="title")
        with Body():
            yield Rows(name="canvas")
        yield Rows(name="footer")
        yield Rows(name="trouble")

    def on_mount(self) -> None:
        self.title_rows = self.query_one("#title", Rows)
        self.canvas = self.query_one("#canvas", Rows)
        self.footer_rows = self.query_one("#footer", Rows)
        self.trouble_rows = self.query_one("#trouble", Rows)
        self.body = self.query_one(Body)
        self.watch(self.body, "scroll_y", self._draw_footer, init=False)
        leave_with_terminal(self, self.live.close)
        self.ticker = self.set_interval(FRAME, self._tick, pause=True)
        self.set_interval(HEARTBEAT / 2, self._tell_notes)
        self._arrive()

    def on_ready(self) -> None:
        first_slide_shown()
        if self.warm_up:  # not before: the first slide comes first
            self.live.warm_up(self.deck)
        if self.saves is not None:
            self.run_worker(self._follow_saves(self.saves), group="saves")

    def on_unmount(self) -> None:
        self.ahead.close()

    def on_resize(self, event: events.Resize) -> None:
        if self.graphics.real:
            self.graphics = self.graphics.now()
            for picture in self._pictures:  # some terminals lose them
                picture.draw_again()
        self._draw(event.size)

    def _view(self, size: Size) -> View:
        return View(
            palette=self.palette,
            width=max(size.width, 1),
            height=max(size.height, 1),
            step=self.place.step,
            cells=self.live.cells,
            elsewhere=self.elsewhere,
            now=time.monotonic(),
            graphics=self.graphics,
            consent=self.live.consent,
        )

    def _draw(self, size: Size | None = None, *, from_top: bool = False) -> None:
        """Shows the slide as it is now, all of it in one go."""
        if not hasattr(self, "body"):
            return
        view = self._view(size or self.size)
        started = time.monotonic()
        slide = self.deck.slides[self.place.slide]
        try:
            self.page = compose(self.deck, slide, view)
        except Exception:  # a slide that cannot be drawn says so, and the others go on
            self.page = broken_page(traceback.format_exc(), view)
        with self.batch_update():
            if from_top:
                self.body.scroll_to(y=0, animate=False, force=True, immediate=True)
            self.title_rows.show(self.page.title)
            self.canvas.show(self.page.body)
            self._place_pictures()
            self._draw_footer()
            self._draw_trouble(view)
        self._next_frame = time.monotonic() + BREATH * (time.monotonic() - started)
        self._tell_notes()

    def _tell_notes(self) -> None:
        if self.publisher is not None:
            self.publisher.tell(self.deck, self.place, self.live.cells)

    def _draw_footer(self) -> None:
        slide = self.deck.slides[self.place.slide]
        if not slide.footer and not self.message:
            self.footer_rows.show(())
            return
        hint = self.message or self.typed
        if not hint and self.live.running:
            hint = "▶ running"
        if len(self.page.body) - self.page.room > self.body.scroll_offset.y:
            hint = f"{hint}  ↓ more".strip()
        self.footer_rows.show(footer(self.deck, self.place, self._view(self.size), hint))

    def _draw_trouble(self, view: View) -> None:
        self.trouble_rows.show(trouble_rows(self._trouble, self.palette, view.width) if self._trouble else ())
        self.trouble_rows.display = self._trouble is not None

    def _place_pictures(self) -> None:
        """Puts the terminal's own pictures where the page wants them; those that only move are moved."""
        left, self._pictures = self._pictures, []
        for picture in self.page.pictures:
            widget = next((widget for widget in left if widget.look == picture.look), None)
            if widget is not None:
                left.remove(widget)
            else:
                widget = self._new_picture(picture.look)
                self.canvas.mount(widget)
            widget.styles.offset = (picture.x, picture.y)
            self._pictures.append(widget)
        for widget in left:
            widget.display = False  # at once; it goes a moment later
            widget.remove()

    def _new_picture(self, look: Look) -> PictureWidget:
        from triton_workshop.viewer.picture_widget import Held, PictureWidget  # not before there is a picture

        if self._held is None:
            self._held = Held()
        return PictureWidget(look, self.graphics.terminal, self._held)

    # Moving

    def _move(self, place: Place) -> None:
        self.typed = self.message = ""
        self._lost = None
        if place == self.place:
            self._draw_footer()
            return
        other_slide = place.slide != self.place.slide
        self.place = place
        if other_slide:
            self._arrive()
        else:
            self._draw()

    def _arrive(self) -> None:
        """Shows a slide from its top, and starts what runs by itself there."""
        self._draw(from_top=True)
        cells = (self.live.cells.get(block) for block in self.page.live)
        self._follow = any(cell is not None and cell.status is not Status.ENDED for cell in cells)
        self._start_by_itself()
        self.call_after_refresh(self._compose_neighbours)

    def _compose_neighbours(self) -> None:
        """Prepares the slides that the next keys will lead to, now that this one is on the screen."""
        places = (self.place.next_slide(self.steps), self.place.previous_slide())
        slides = [self.deck.slides[place.slide] for place in places if place.slide != self.place.slide]
        self.ahead.compose(self.deck, slides, replace(self._view(self.size), step=0, cells={}))

    def _start_by_itself(self) -> None:
        """Starts the slide's automatic blocks, all but those that have been started before."""
        slide = self.deck.slides[self.place.slide]
        blocks = blocks_to_run(slide, slide.steps - 1, Execution.AUTOMATIC)
        self._start([block for block in blocks if block not in self.live.cells])

    def action_go(self, where: str) -> None:
        match where:
            case "next":
                self._move(self.place.next(self.steps))
            case "previous":
                self._move(self.place.previous(self.steps))
            case "next_slide":
                self._move(self.place.next_slide(self.steps))
            case "previous_slide":
                self._move(self.place.previous_slide())
            case "complete":
                self._move(self.place.complete(self.steps))
            case "first":
                self._move(Place())
            case "last":
                self._move(goto(len(self.steps), self.steps))

    def action_first(self) -> None:
        if self.typed == "g":
            self._move(Place())
        else:
            self._type("g")

    def action_numbered(self) -> None:
        number = int(self.typed) if self.typed.isdecimal() else len(self.steps)
        self._move(goto(number, self.steps))

    def action_forget(self) -> None:
        self._type("")
        if self._trouble is not None:
            self.message = f"✗ {self._trouble.place}"
            self._trouble = None
            self._draw()

    def on_key(self, event: events.Key) -> None:
        character = event.character or ""
        if character.isascii() and character.isdecimal():
            self._type((self.typed if self.typed.isdecimal() else "") + character)

    def _type(self, text: str) -> None:
        self.typed = text[-4:]
        self.message = ""
        self._draw_footer()

    def action_scroll(self, amount: float) -> None:
        """Scrolls by lines, or by a part of the screen where the amount is a fraction."""
        self._follow = False
        rows = amount if isinstance(amount, int) else round(amount * self.body.size.height)
        self.body.scroll_relative(y=rows, animate=False)

    def on_mouse_scroll_up(self) -> None:
        self._follow = False

    # Live blocks

    def action_run(self) -> None:
        slide = self.deck.slides[self.place.slide]
        blocks = blocks_to_run(slide, self.place.step, Execution.ON_KEY, Execution.AUTOMATIC)
        refused = [block for block in blocks if not self.live.allows(block)]
        if not blocks:
            self.message = "nothing to run here"
        elif refused:
            wanted = flag(refused[0].content.execution) if isinstance(refused[0].content, Code) else ""
            self.message = f"code from elsewhere: to let it run, start again with {wanted}"
        self._draw_footer()
        self._start(blocks)

    def _start(self, blocks: list[Block]) -> None:
        blocks = [block for block in blocks if self.live.allows(block)]
        if not blocks:
            return
        self.live.start([(block, self._columns_of(block)) for block in blocks])
        self._follow = True
        self.settled = False
        self.ticker.resume()
        self._draw()

    def _columns_of(self, block: Block) -> int:
        area = self.page.live.get(block)
        return area.columns if area else max(self.size.width - 10, 20)

    def action_stop(self) -> None:
        self._follow = True
        self.live.stop()

    def _tick(self) -> None:
        """Brings new output into view, no more often than there is time to draw it."""
        self.live.update()
        busy = self.live.busy
        if busy and time.monotonic() < self._next_frame:
            return
        self._draw()
        self._keep_in_view()
        if not busy:  # what came last is on the screen now
            self.ticker.pause()
        self.settled = not busy

    def _keep_in_view(self) -> None:
        """Scrolls so that the end of the newest output can be seen, unless the presenter has scrolled since."""
        cells = self.live.cells
        begun = [block for block in self.page.live if block in cells and cells[block].started]
        if not self._follow or not begun:
            return
        newest = max(begun, key=lambda block: cells[block].started)
        below = self.page.live[newest].bottom - self.page.room
        if below > self.body.scroll_offset.y:
            self.call_after_refresh(self.body.scroll_to, y=below, animate=False, force=True)

    # The rest

    def action_reload(self) -> None:
        self._forget_pictures()
        self._take_in(read(self.deck.path))
        if self._trouble is None:
            self.message = "✓ read again"
        self._draw_footer()

    async def _follow_saves(self, saves: Saves) -> None:
        """Shows the deck as it is saved."""
        async for reading in readings(saves, self.deck, self._doubtful):
            if reading.saved & pictures(self.deck):
                self._forget_pictures()
            elif reading.result == self.deck and self._trouble is None:
                continue
            self._take_in(reading.result)

    def _doubtful(self, result: Deck | DeckError) -> bool:
        """Whether what was read may be a file that is only half written: broken, or without the slide shown here."""
        return isinstance(result, DeckError) or slide_again(self.deck, self.place.slide, result) is None

    def _take_in(self, result: Deck | DeckError) -> None:
        """Shows a deck that was read again, at the same place and with its outputs; or what is wrong with it."""
        if isinstance(result, DeckError):
            self._trouble = Trouble.with_line(result)
            self._draw()
            return
        before, place = self._lost or (self.deck, self.place)
        slide = slide_again(before, place.slide, result)
        self._lost = (before, place) if slide is None else None
        self.live.carry_over(self.deck, result)
        self.live.consent = in_force(result, self.consent)
        self.deck, self._trouble, self.message = result, None, ""
        self.steps = [slide.steps for slide in result.slides]
        self.elsewhere = shown_elsewhere(result)
        self._use_palette(palette_named(result.front_matter.theme_name))
        self.place = (self.place if slide is None else Place(slide, place.step)).within(self.steps)
        self._draw(from_top=slide is None)
        self._start_by_itself()

    def _forget_pictures(self) -> None:
        """Forgets all that was made of the picture files, so that it is made anew: here, and in the terminal."""
        forget_pictures()
        if self.graphics.real:
            from triton_workshop.viewer.picture_widget import forget_prepared

            forget_prepared()
        if self._held is not None and self._driver is not None:
            self._driver.write(self._held.let_go(self.graphics.terminal))
        for widget in self._pictures:
            widget.display = False  # at once; it goes a moment later
            widget.remove()
        self._pictures = []

    def action_index(self) -> None:
        def go(number: int | None) -> None:
            if number is not None:
                self._move(goto(number + 1, self.steps))

        self.push_screen(Index(self.deck, self.place.slide, self.palette), go)

    def action_keys(self) -> None:
        self.push_screen(Keys(self.palette))

    def action_leave(self) -> None:
        self.exit(0)

    def let_pictures_go(self) -> None:
        """After the end: has the terminal forget what it holds for us."""
        if self._held is not None and sys.__stdout__ is not None:
            print(end=self._held.let_go(self.graphics.terminal), file=sys.__stdout__, flush=True)


def present(
    deck_path: Path, *, start: int = 1, given: Consent = NOTHING, terminal: Callable[[], Terminal] = ask
) -> int:
    """Shows the deck in the terminal until the presenter leaves; the exit status. `terminal` says what that can show.

    `given` is the leave to run code from elsewhere that came with the command; without any, the presenter is asked.
    Raises `DeckError` for a deck that cannot be read.
    """
    saves = Saves(deck_path)  # before the deck is read, so that no save comes between
    deck = load_deck(deck_path)
    graphics = Graphics(terminal())  # its answer comes before the question to the presenter
    consent = consent_to(deck, given, Console(highlight=False))
    publisher = Publisher(deck_path)
    viewer = Viewer(deck, start, graphics, warm_up=True, publisher=publisher, consent=consent, saves=saves)
    try:
        status = viewer.run()
    finally:
        viewer.live.close()
        publisher.close()
        viewer.let_pictures_go()
    # A crash has no status of its own, but it has a return code.
    return (viewer.return_code or 0) if status is None else status
