"""The terminal app that presents a deck: what paints it, and what the keys do."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.console import Console
from textual import events
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region, Size, Spacing
from textual.screen import ModalScreen

from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import EVERYTHING, NOTHING, Consent, flag
from triton_workshop.deck.errors import DeckError
from triton_workshop.deck.model import Block, Code, Deck, Execution, plain
from triton_workshop.processes.foreground import cleared_screen, wait_for_enter
from triton_workshop.saves import Saves
from triton_workshop.screen.box import BOX_STYLE, Keys
from triton_workshop.screen.few_colours import FewColours
from triton_workshop.screen.hangup import quit_on_hangup
from triton_workshop.screen.links import open_link
from triton_workshop.screen.rows import Rows
from triton_workshop.screen.theme import use_palette
from triton_workshop.streams import printable
from triton_workshop.terminal import PLAIN, Terminal, ask
from triton_workshop.viewer.asking import consent_to
from triton_workshop.viewer.live.editing import Displaced
from triton_workshop.viewer.live.live_blocks import Status, blocks_again
from triton_workshop.viewer.notes.channel import HEARTBEAT, Publisher
from triton_workshop.viewer.overlays.output import Output, OutputScreen
from triton_workshop.viewer.overlays.screens import KEYS, Black, Index
from triton_workshop.viewer.overlays.search import SlideSearch
from triton_workshop.viewer.pictures.drawing import PlacedPicture, ScaledPicture, forget_pictures
from triton_workshop.viewer.reloading import pictures, read, readings
from triton_workshop.viewer.show import Show
from triton_workshop.viewer.slides.deck_theme import look_of
from triton_workshop.viewer.slides.frame import footer, footer_pictures
from triton_workshop.viewer.slides.outputs import cell_shown
from triton_workshop.viewer.slides.page import EDITOR_INSET, Page, broken_page, compose, slide_name
from triton_workshop.viewer.slides.piece import Spot, Target
from triton_workshop.viewer.slides.place import Place, goto
from triton_workshop.viewer.slides.prefetch import Prefetch
from triton_workshop.viewer.slides.trouble import Trouble, trouble_rows
from triton_workshop.viewer.slides.view import OpenEditor, View
from triton_workshop.viewer.start import first_slide_shown

if TYPE_CHECKING:
    from textual.widgets import TextArea

    from triton_workshop.viewer.live.editor import Editor
    from triton_workshop.viewer.pictures.widget import Held, PictureWidget

FRAME = 0.05
"""Seconds between two checks for output of live blocks."""
TYPING = 1.0
"""Seconds after a letter within which the next one belongs to the same word."""
BREATH = 3
"""While output streams, drawing may take this fraction (one in so many parts) of the time."""


class Body(VerticalScroll, can_focus=False):
    """The part of a slide between title and footer; scrolls if the slide is taller."""


class Viewer(App[int]):
    """Presents a deck."""

    TITLE = "Triton Workshop"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None  # keys are for the slides, unless the presenter opens the editor
    CSS = (
        """
        Screen { background: $background; layout: vertical; overflow: hidden; layers: default trouble; }
        #trouble { layer: trouble; dock: bottom; height: auto; display: none; }
        #title, #footer { height: auto; }
        Body { height: 1fr; scrollbar-size: 0 0; background: $background; }
        #canvas { background: $background; min-height: 0; }
        Black { background: #000000; }
        """
        + BOX_STYLE
    )
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
        Binding("ctrl+o", "edit", "Edit", show=False),
        Binding("o", "output", "Output", show=False),
        Binding("slash", "search", "Search", show=False),
        Binding("b,full_stop", "black", "Black", show=False),
        Binding("r,ctrl+r", "reload", "Reload", show=False),
        Binding("ctrl+p", "index", "Slides", show=False),
        Binding("question_mark", "keys", "Keys", show=False),
        Binding("T,upper_t,shift+t", "grid", "Lines between columns", show=False),
        Binding("shift+down", "scroll(1)", "Scroll down", show=False),
        Binding("shift+up", "scroll(-1)", "Scroll up", show=False),
        Binding("ctrl+d", "scroll(0.5)", "Half a screen down", show=False),
        Binding("ctrl+u", "scroll(-0.5)", "Half a screen up", show=False),
        Binding("escape", "forget", "Cancel or restore", show=False),
        Binding("ctrl+z", "suspend_process", "Suspend to the shell", show=False),
        Binding("q", "leave", "Quit", show=False),
        Binding("ctrl+q", "leave", "Quit", show=False, priority=True),
        Binding("ctrl+c", "interrupt", "Quit", show=False, priority=True),
    ]

    def __init__(
        self,
        deck: Deck,
        slide: int = 1,
        terminal: Terminal = PLAIN,
        *,
        warm_up: bool = False,
        publisher: Publisher | None = None,
        consent: Consent = EVERYTHING,
        saves: Saves | None = None,
    ) -> None:
        """`slide` is the number to start on, from 1. With `warm_up`, blocks answer quickly a few seconds from now.

        The `publisher` tells the notes in another terminal what is shown. `consent` is what the presenter agreed to for
        code from elsewhere. With `saves`, which has followed the deck's file since before it was read, the deck is read
        again whenever it is saved.
        """
        super().__init__()
        self.show = Show(deck, slide, consent)
        self.editor: Editor | None = None
        self.grid = False
        self.saves = saves
        self._trouble: Trouble | None = None
        """What is wrong with the deck as last saved."""
        self.terminal = terminal
        self.warm_up = warm_up
        self.publisher = publisher
        self.prefetch = Prefetch()
        self.page = Page((), (), 0, (), {})
        self.typed = ""
        """Digits of a slide's number, or a first `g`."""
        self.message = ""
        self._follow = False
        """Whether to keep output in view while it grows."""
        self._next_frame = 0.0
        self.settled = True
        """Whether the screen shows everything that the live blocks have printed."""
        self._pictures: list[PictureWidget] = []
        self._footer_pictures: list[PictureWidget] = []
        self._held: Held | None = None
        self._output_screen: OutputScreen | None = None
        self._deaf_until = 0.0
        self._use_look(deck)
        if self.console.color_system == "256":
            self._filters.append(FewColours())

    @property
    def deck(self) -> Deck:
        """The deck as it is shown."""
        return self.show.deck

    def _use_look(self, deck: Deck) -> None:
        self.palette, self.deck_layout = look_of(deck.front_matter)
        use_palette(self, self.palette)

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
        self.app_resume_signal.subscribe(self, self._come_back)
        quit_on_hangup(self, self.show.live.close)
        self.ticker = self.set_interval(FRAME, self._tick, pause=True)
        self.set_interval(HEARTBEAT / 2, self._tell_notes)
        self._arrive()

    def on_ready(self) -> None:
        first_slide_shown()
        if self.warm_up:  # not before, as the first slide comes first
            self.show.live.warm_up(self.deck)
        if self.saves is not None:
            self.run_worker(self._follow_saves(self.saves), group="saves")

    def on_unmount(self) -> None:
        self.prefetch.close()

    def on_resize(self, event: events.Resize) -> None:
        if self.terminal.shows_pictures:
            self.terminal = self.terminal.now()
        self._draw_pictures_again()
        self._draw(event.size)

    def _draw_pictures_again(self) -> None:
        for picture in (*self._pictures, *self._footer_pictures):  # some terminals lose them
            picture.draw_again()

    def _come_back(self, _: App[object]) -> None:
        """Redraws after Ctrl+Z and `fg`, as the shell has had the screen meanwhile."""
        self._draw_pictures_again()
        self.refresh(layout=True)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and event.is_printable and self._types_on():
            return
        await super().on_event(event)

    def _types_on(self) -> bool:
        """Whether a letter is still meant for an editor that a save has just closed; as a key it might end the talk."""
        now = time.monotonic()
        if now > self._deaf_until:
            return False
        self._deaf_until = now + TYPING
        return True

    def _view(self, size: Size) -> View:
        return View(
            palette=self.palette,
            width=max(size.width, 1),
            height=max(size.height, 1),
            step=self.show.place.step,
            cells=self.show.live.cells,
            elsewhere=self.show.elsewhere,
            edited=self.show.edits.edited(),
            editor=OpenEditor(self.show.edits.shown(self.editor.block), self.editor.rows) if self.editor else None,
            grid=self.grid,
            now=time.monotonic(),
            terminal=self.terminal,
            layout=self.deck_layout,
            consent=self.show.live.consent,
        )

    def _draw(self, size: Size | None = None, *, from_top: bool = False) -> None:
        """Shows the slide as it is now, all at once."""
        if not hasattr(self, "body") or not self.body.is_attached:  # not there yet, or being closed
            return
        view = self._view(size or self.size)
        started = time.monotonic()
        try:
            self.page = compose(self.deck, self.show.slide, view)
        except Exception:  # a slide that cannot be drawn says so, and the others still work
            self.page = broken_page(traceback.format_exc(), view)
        with self.batch_update():
            if from_top:
                self.body.scroll_to(y=0, animate=False, force=True, immediate=True)
            self.title_rows.show(self.page.title)
            self.canvas.show(self.page.body)
            self._pictures = self._placed(self._pictures, self.page.pictures, self.canvas)
            self._place_editor()
            self._draw_footer()
            self._draw_trouble(view)
        if self._output_screen is not None:
            self._output_screen.draw()
        self._next_frame = time.monotonic() + BREATH * (time.monotonic() - started)
        self._tell_notes()

    def _tell_notes(self) -> None:
        if self.publisher is not None:
            self.publisher.tell(self.deck, self.show.place, self.show.live.cells)

    def _draw_footer(self) -> None:
        if not self.show.slide.footer and not self.message:
            self.footer_rows.show(())
            self._footer_pictures = self._placed(self._footer_pictures, (), self.footer_rows)
            return
        hint = self.message or self.typed
        if not hint and self.show.live.running:
            hint = "▶ running"
        if not self.message and len(self.page.body) - self.page.room > self.body.scroll_offset.y:
            hint = f"{hint}  ↓ more".strip()
        view = self._view(self.size)
        self.footer_rows.show(footer(self.deck, self.show.place, view, hint))
        shows = view.terminal.shows_pictures and self._trouble is None  # trouble lies over the footer
        pictures = footer_pictures(self.deck, view, hint) if shows else ()
        self._footer_pictures = self._placed(self._footer_pictures, pictures, self.footer_rows)

    def _draw_trouble(self, view: View) -> None:
        self.trouble_rows.show(trouble_rows(self._trouble, self.palette, view.width) if self._trouble else ())
        self.trouble_rows.display = self._trouble is not None

    def _placed(
        self, widgets: Sequence[PictureWidget], pictures: Sequence[PlacedPicture], rows: Rows
    ) -> list[PictureWidget]:
        """Puts the terminal's own pictures where these rows want them; pictures that only move are moved."""
        left, placed = list(widgets), []
        for at in pictures:
            widget = next((widget for widget in left if widget.picture == at.picture), None)
            if widget is not None:
                left.remove(widget)
            else:
                widget = self._new_picture(at.picture)
                rows.mount(widget)
            widget.styles.offset = (at.x, at.y)
            placed.append(widget)
        for widget in left:
            widget.display = False  # hidden now; it is removed a moment later
            widget.remove()
        return placed

    def _new_picture(self, picture: ScaledPicture) -> PictureWidget:
        from triton_workshop.viewer.pictures.widget import Held, PictureWidget  # not before there is a picture

        if self._held is None:
            self._held = Held()
        return PictureWidget(picture, self.terminal, self._held)

    # Moving

    def _move(self, place: Place) -> None:
        self.typed = self.message = ""
        before = self.show.place
        if place != before:
            self._close_editor()
        self.show.go(place)
        if place == before:
            self._draw_footer()
        elif place.slide != before.slide:
            self._arrive()
        else:
            above = len(self.page.body)
            self._draw()
            self._show_revealed(above)

    def _show_revealed(self, above: int) -> None:
        """Scrolls to what a step has added below so many rows; to its top where it is taller than the screen."""
        below = min(len(self.page.body) - self.page.room, above)
        if len(self.page.body) > above and below > self.body.scroll_offset.y:
            self.call_after_refresh(self.body.scroll_to, y=below, animate=False, force=True)

    def _arrive(self) -> None:
        """Shows a slide from its top, and starts its automatic blocks."""
        self._draw(from_top=True)
        cells = (self.show.live.cells.get(block) for block in self.page.live)
        self._follow = any(cell is not None and cell.status is not Status.ENDED for cell in cells)
        self._start(self.show.by_itself())
        self.call_after_refresh(self._compose_neighbours)

    def _compose_neighbours(self) -> None:
        """Prepares the slides that the next keys will lead to, once this one is on the screen."""
        self.prefetch.compose(self.deck, self.show.neighbours(), replace(self._view(self.size), step=0, cells={}))

    def action_go(self, where: str) -> None:
        self._move(self.show.leads_to(where))

    def action_first(self) -> None:
        if self.typed == "g":
            self._move(Place())
        else:
            self._type("g")

    def action_numbered(self) -> None:
        self._go_to(int(self.typed) if self.typed.isdecimal() else len(self.deck.slides))

    def _go_to(self, number: int) -> None:
        """Shows a slide by its number, from 1."""
        self._move(goto(number, self.show.steps))

    def action_forget(self) -> None:
        """Cancels the first of these that applies: the question whether to leave, the editor, an error, a number; or
        else shows the deck's own code again."""
        edited = self.show.edited()
        if self.message and self.message == asked_before_leaving(self.show.edits.unsaved()):
            self._type("")
        elif self.editor is not None:
            self._close_editor()
            self._draw()
        elif self._trouble is not None:
            self._type("")
            self.message = f"✗ {self._trouble.place}"
            self._trouble = None
            self._draw()
        elif edited and not self.typed:
            self._restore(edited[-1])
        else:
            self._type("")

    def on_key(self, event: events.Key) -> None:
        character = event.character or ""
        if character.isascii() and character.isdecimal():
            self._type((self.typed if self.typed.isdecimal() else "") + character)

    def _type(self, text: str) -> None:
        self.typed = text[-4:]
        self.message = ""
        self._draw_footer()

    def action_scroll(self, amount: float) -> None:
        """Scrolls by lines, or by a fraction of the screen."""
        self._follow = False
        rows = amount if isinstance(amount, int) else round(amount * self.body.size.height)
        self.body.scroll_relative(y=rows, animate=False)

    def on_mouse_scroll_up(self) -> None:
        self._follow = False

    # Live blocks

    def action_run(self) -> None:
        """Runs what the editor holds, or else what on the slide waits for the key."""
        blocks = self.show.for_key()
        if self.editor is not None:
            self._keep_edit()
            blocks = [self.show.edits.shown(self.editor.block)]
        refused = [block.content for block in blocks if not self.show.live.allows(block)]
        if not blocks:
            later = self.show.for_key_later()
            self._say("the code comes with the next step" if later else "nothing to run here")
        elif refused and isinstance(refused[0], Code):
            self._say(f"code from elsewhere did not run; to allow it, restart with {flag(refused[0].execution)}")
        self._run(blocks)

    def _run(self, blocks: list[Block]) -> None:
        for_terminal = [block for block in blocks if takes_terminal(block)]
        self._start([block for block in blocks if block not in for_terminal])
        for block in filter(self.show.live.allows, for_terminal):
            self._give_terminal(block)

    def _say(self, message: str) -> None:
        self.message = message
        self._draw_footer()

    def _start(self, blocks: list[Block]) -> None:
        if not self.show.start(blocks, self._columns_of, self.size.height):
            return
        self.message = ""
        self._follow = True
        self.settled = False
        self.ticker.resume()
        self._draw()

    def _give_terminal(self, block: Block) -> None:
        """Runs a block in the terminal itself; the slides come back when it ends."""
        try:
            with self.suspend(), cleared_screen():
                outcome = self.show.live.run_in_terminal(block)
                if outcome is not None and not outcome.succeeded and not outcome.stopped:
                    # Its output disappears when the slides come back.
                    wait_for_enter(f"✗ {outcome.reason} · press Enter to go back to the slides")
        except SuspendNotSupported:
            self.show.live.fail(block, "a program cannot take over this terminal")
        self._draw()

    def _columns_of(self, block: Block) -> int:
        area = self.page.live.get(block)
        return area.columns if area else max(self.size.width - 10, 20)

    def action_stop(self) -> None:
        if self.editor is not None and self.focused is self.editor and not self.show.live.running:
            self.editor.action_cut()
        self._follow = True
        self.show.live.stop()

    def _tick(self) -> None:
        """Shows new output, no more often than there is time to draw it."""
        self.show.live.update()
        busy = self.show.live.busy
        if busy and time.monotonic() < self._next_frame:
            return
        self._draw()
        self._keep_in_view()
        if not busy:  # the last output is on the screen now
            self.ticker.pause()
        self.settled = not busy

    def _keep_in_view(self) -> None:
        """Scrolls to the end of the newest output, unless the presenter has scrolled since."""
        cells = self.show.live.cells
        begun = [block for block in self.page.live if block in cells and cells[block].started]
        if not self._follow or not begun:
            return
        newest = max(begun, key=lambda block: cells[block].started)
        below = self.page.live[newest].bottom - self.page.room
        if below > self.body.scroll_offset.y:
            self.call_after_refresh(self.body.scroll_to, y=below, animate=False, force=True)

    # Editing

    def action_edit(self) -> None:
        """Opens the editor on the first live block, then on the next each time; after the last it closes."""
        blocks = self.show.editable()
        here = self.show.edits.shown(self.editor.block) if self.editor is not None else None
        if not blocks:
            self._say("nothing to edit here")
        elif here in blocks[:-1]:
            self._open_editor(blocks[blocks.index(here) + 1])
        elif here is not None:
            self._close_editor()
            self._draw()
        else:
            self._open_editor(blocks[0])

    def _open_editor(self, shown: Block) -> None:
        from triton_workshop.viewer.live.editor import Editor  # not before: the first slide does not wait for it

        self._close_editor()
        block = self.show.edits.source(shown)
        if isinstance(block.content, Code):
            self.message = ""
            self.editor = Editor(block, block.content, self.show.edits.draft(block), self.palette)
            self.canvas.mount(self.editor)
            self._draw()
            self.editor.focus(scroll_visible=False)
            self._follow = False
            self.call_after_refresh(self._show_all_of_editor)

    def _close_editor(self) -> None:
        if self.editor is not None:
            self._keep_edit()
            self._remove_editor(self.editor)

    def _remove_editor(self, editor: Editor) -> None:
        editor.screen.set_focus(None)  # now, so that the next key is not typed into it
        editor.remove()
        self.editor = None

    def _keep_edit(self) -> None:
        """Puts what the editor holds into the deck that is shown."""
        if self.editor is not None:
            self.show.edit(self.editor.block, self.editor.text, self.editor.history)

    def _restore(self, shown: Block) -> None:
        self.show.restore(shown)
        self.message = "showing the deck's own code · Ctrl+O, Ctrl+Z restores the edit"
        self._draw()

    def _editor_spot(self) -> Spot | None:
        """Where the code under the editor is."""
        if self.editor is None:
            return None
        block = self.show.edits.shown(self.editor.block)
        return next((spot for spot in self.page.spots if (spot.block, spot.target) == (block, Target.CODE)), None)

    def _place_editor(self) -> None:
        spot = self._editor_spot()
        if self.editor is None or spot is None:
            return
        width = max(spot.width - EDITOR_INSET, 1)
        self.editor.styles.width, self.editor.styles.height = width, self.editor.rows(width)
        self.editor.styles.offset = (spot.x + EDITOR_INSET, spot.y)

    def _show_all_of_editor(self) -> None:
        """Scrolls just far enough to show the header and the code, or their start if they are too tall."""
        spot = self._editor_spot()
        if spot is not None:
            whole = Region(0, spot.y - 1, 1, min(spot.height + 1, self.page.room))
            self.body.scroll_to_region(whole, animate=False, force=True)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        editor = self.editor
        if editor is not None and event.text_area is editor and editor.rows(editor.size.width) != editor.size.height:
            self._draw()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        spot = self._editor_spot()
        if self.editor is not None and event.text_area is self.editor and spot is not None:
            row = Region(0, spot.y + self.editor.cursor_row, 1, 1)
            around = Spacing(1, 0, 1, 0)
            self.call_after_refresh(self.body.scroll_to_region, row, spacing=around, animate=False, force=True)

    # Outputs, search, and the mouse

    def action_output(self) -> None:
        """Shows the newest output on the slide on the whole screen."""
        self._show_output(None)

    def _show_output(self, wanted: Block | None) -> None:
        view = self._view(self.size)
        blocks = [spot.block for spot in self.page.spots if spot.target is Target.OUTPUT]
        cells = [(block, cell) for block in blocks if (cell := cell_shown(block, view)) is not None]
        if not cells:
            self._say("no output here yet")
            return
        slide = printable(plain(slide_name(self.deck, self.show.slide)))
        outputs = [Output(f"{slide} · {self._language(block)}", cell) for block, cell in cells]
        newest = max(range(len(cells)), key=lambda index: cells[index][1].started)
        chosen = blocks.index(wanted) if wanted in blocks else newest
        self._output_screen = OutputScreen(outputs, chosen, self.palette, self.terminal)
        self.push_screen(self._output_screen, self._output_was_closed)

    def _output_was_closed(self, _: None) -> None:
        self._output_screen = None

    @staticmethod
    def _language(block: Block) -> str:
        return block.content.language if isinstance(block.content, Code) else ""

    def action_search(self) -> None:
        def go(number: int | None) -> None:
            if number is not None:
                self._go_to(number + 1)

        self.push_screen(SlideSearch(self.deck, self.palette), go)

    def on_click(self, event: events.Click) -> None:
        if event.style.link:
            self._say(open_link(event.style.link))
            return
        widget, region = self.screen.get_widget_at(*event.screen_offset)
        if widget is self.editor or self.screen.is_modal:
            return
        x, y = event.screen_offset - region.offset
        spots = self.page.spots if widget is self.canvas else ()
        spot = next((spot for spot in spots if spot.covers(x, y)), None)
        if spot is None:
            self._close_editor()
            self._draw()
        elif spot.target is Target.HEADER:
            self._click_header(spot.block)
        elif spot.target is Target.CODE:
            self._click_code(spot, x, y)
        else:
            self._show_output(spot.block)

    def _click_header(self, block: Block) -> None:
        if self.editor is not None and self.show.edits.shown(self.editor.block) == block:
            self.action_run()
        else:
            self._run([block])

    def _click_code(self, spot: Spot, x: int, y: int) -> None:
        self._open_editor(spot.block)
        if self.editor is not None:
            self.editor.put_cursor(x - spot.x - EDITOR_INSET, y - spot.y)

    # The rest

    def action_grid(self) -> None:
        self.grid = not self.grid
        self._draw()

    def action_black(self) -> None:
        self.push_screen(Black())

    def action_interrupt(self) -> None:
        """Quits, except in the editor, where Ctrl+C copies."""
        if isinstance(self.screen, Black):
            self.screen.dismiss()
        elif self.editor is None or self.focused is not self.editor:
            self.action_leave()
        elif self.editor.selected_text:
            self.editor.action_copy()
        else:
            self._say("select something to copy; Esc leaves the editor")

    def action_reload(self) -> None:
        self._forget_pictures()
        self._take_in(read(self.deck.path))
        if self._trouble is None:
            self.message = self.message or "✓ reloaded"
        self._draw_footer()

    async def _follow_saves(self, saves: Saves) -> None:
        """Shows the deck as saved."""
        try:
            async for reading in readings(saves, self.show.deck_read, self.show.doubtful):
                if reading.saved & pictures(self.deck):
                    self._forget_pictures()
                elif reading.result == self.show.deck_read and self._trouble is None:
                    continue
                self._take_in(reading.result)
        except Exception as error:  # a defect of ours must not end the talk
            self._say(f"the deck no longer reloads by itself ({error!r}); press r to reload it")

    def _take_in(self, result: Deck | DeckError) -> None:
        """Shows a deck that was read again, at the same place and with its outputs, or else what is wrong with it."""
        if isinstance(result, DeckError):
            self._trouble = Trouble.with_line(result)
            self._draw()
            return
        self._keep_edit()
        before = self.show.deck_read
        displaced = self.show.take_in(result)
        self._trouble = None
        self.message = said_of(displaced)
        self._use_look(result)
        self._carry_editor_over(before)
        self._draw(from_top=self.show.lost)
        self._start(self.show.by_itself())

    def _forget_pictures(self) -> None:
        """Forgets everything made from picture files, here and in the terminal, so that they are read again."""
        forget_pictures()
        if self.terminal.shows_pictures:
            from triton_workshop.viewer.pictures.widget import forget_prepared

            forget_prepared()
        if self._held is not None and self._driver is not None:
            self._driver.write(self._held.let_go(self.terminal))
        self._pictures = self._placed(self._pictures, (), self.canvas)
        self._footer_pictures = self._placed(self._footer_pictures, (), self.footer_rows)

    def _carry_editor_over(self, before: Deck) -> None:
        """Keeps the editor over the same code, wherever it is on the slide now, or else closes it."""
        if self.editor is None:
            return
        block = blocks_again(before, self.show.deck_read).get(self.editor.block)
        if block is not None and self.show.edits.shown(block) in self.show.editable():
            self.editor.block = block
            self.editor.use(self.palette)
        else:
            self._remove_editor(self.editor)
            self._deaf_until = time.monotonic() + TYPING

    def action_index(self) -> None:
        def go(number: int | None) -> None:
            if number is not None:
                self._go_to(number + 1)

        self.push_screen(Index(self.deck, self.show.place.slide, self.palette), go)

    def action_keys(self) -> None:
        self.push_screen(Keys(KEYS, self.palette))

    def action_leave(self) -> None:
        """Quits; if code was edited, only when asked twice in a row."""
        self._close_editor()
        question = asked_before_leaving(self.show.edits.unsaved())
        if not question or self.message == question:
            self.exit(0)
            return
        if isinstance(self.screen, ModalScreen):  # it may hide the question
            self.screen.dismiss(None)
        self.message, self._trouble = question, None
        self._draw()

    def let_pictures_go(self) -> None:
        """At the end, has the terminal forget what it holds for us."""
        if self._held is not None and sys.__stdout__ is not None:
            print(end=self._held.let_go(self.terminal), file=sys.__stdout__, flush=True)


def asked_before_leaving(edited: int) -> str:
    """The question before edits are given up; empty if there are none."""
    blocks = "1 block was edited" if edited == 1 else f"{edited} blocks were edited"
    return f"{blocks} · q again quits, Esc stays" if edited else ""


def said_of(displaced: Displaced) -> str:
    """What to tell the presenter about edits that did not stay over their code."""
    if displaced.aside:
        return "the code under an edit has changed · Ctrl+O, Ctrl+Z restores the edit"
    return "edited code is gone · if it comes back, so does the edit" if displaced.waiting else ""


def takes_terminal(block: Block) -> bool:
    return isinstance(block.content, Code) and block.content.execution is Execution.TERMINAL


def present(
    deck_path: Path, *, start: int = 1, given: Consent = NOTHING, terminal: Callable[[], Terminal] = ask
) -> int:
    """Shows the deck until the presenter leaves; returns the exit status. `terminal` says what the terminal can show.

    `given` is the consent to run code from elsewhere that came with the command; without any, the presenter is asked.
    Raises `DeckError` for a deck that cannot be read.
    """
    saves = Saves(deck_path)  # before the deck is read, so that no save is missed
    deck = load_deck(deck_path)
    shown_on = terminal()  # its answer comes before the presenter is asked
    consent = consent_to(deck, given, Console(highlight=False))
    publisher = Publisher(deck_path)
    viewer = Viewer(deck, start, shown_on, warm_up=True, publisher=publisher, consent=consent, saves=saves)
    try:
        status = viewer.run()
    finally:
        viewer.show.live.close()
        publisher.close()
        viewer.let_pictures_go()
    # A crash has no status of its own, but it has a return code.
    return (viewer.return_code or 0) if status is None else status
