"""The terminal app that presents a deck: what paints it, and what the keys do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.screen import ModalScreen

from triton_workshop.deck.consent import EVERYTHING, Consent, flag
from triton_workshop.deck.errors import DeckError
from triton_workshop.deck.model import Block, Code, Deck
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.screen.box import BOX_STYLE, Keys
from triton_workshop.screen.choice import Question
from triton_workshop.screen.colours_256 import Colours256Filter
from triton_workshop.screen.garbage_collection import resume_collection
from triton_workshop.screen.hangup import quit_on_hangup
from triton_workshop.screen.job_control import suspend_job, take_job_signals
from triton_workshop.screen.links import open_link
from triton_workshop.screen.theme import use_palette
from triton_workshop.terminal import PLAIN, Terminal
from triton_workshop.viewer.body import Body
from triton_workshop.viewer.keys import HELP, KEYS
from triton_workshop.viewer.live.live_blocks import Status
from triton_workshop.viewer.overlays.invitation import InvitationBox
from triton_workshop.viewer.overlays.output import OutputScreen
from triton_workshop.viewer.overlays.search import Index, SlideSearch
from triton_workshop.viewer.reloading import pictures, read_again, readings
from triton_workshop.viewer.sharing import Invitation, Tell
from triton_workshop.viewer.show import Show
from triton_workshop.viewer.slides.fragment import BlockPart
from triton_workshop.viewer.slides.shown_error import ShownError
from triton_workshop.viewer.slides.slide_step import SlideStep, goto
from triton_workshop.viewer.stage import Black, Stage

TYPING_SECONDS = 1.0
"""Seconds after a letter within which the next one belongs to the same word."""
ANSWERS = {"k": "keep my edit", "d": "take the deck's"}
RESTORES = "showing the deck's own code · Ctrl+O, Ctrl+Z restores the edit"

EDIT_WAITS = "edited code is gone · your edit waits for it to come back"


class Viewer(App[int]):
    """Presents a deck."""

    TITLE = "Triton Workshop"
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None  # keys are for the slides, unless the presenter opens the editor
    CSS = "Screen { background: $background; layout: vertical; overflow: hidden; }" + BOX_STYLE
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        deck: Deck,
        slide: int = 1,
        terminal: Terminal = PLAIN,
        *,
        warm_up: bool = False,
        others: Sequence[Tell] = (),
        invitation: Callable[[], Invitation | None] = lambda: None,
        consent: Consent = EVERYTHING,
        saves: FileWatcher | None = None,
    ) -> None:
        """`slide` is the number to start on, from 1. With `warm_up`, blocks answer quickly a few seconds from now.

        The `others` are told what is shown; `invitation` says how a room gets there. `consent` is what the presenter
        agreed to for code from elsewhere. With `saves`, which has followed the deck's file since before it was read,
        the deck is read again whenever it is saved.
        """
        super().__init__()
        self.show = Show(deck, slide, consent)
        self.saves = saves
        self.warm_up = warm_up
        self.invitation = invitation
        self._ignores_letters_until = 0.0
        self.stage = Stage(self.show, terminal, others)
        use_palette(self, self.stage.palette)
        if self.console.color_system == "256":
            self._filters.append(Colours256Filter())

    @property
    def body(self) -> Body:
        """The part of the slide that is scrolled, and the editor over it."""
        return self.stage.body

    @property
    def deck(self) -> Deck:
        """The deck as it is shown."""
        return self.show.deck

    # The screen

    def get_default_screen(self) -> Stage:
        return self.stage

    def on_mount(self) -> None:
        quit_on_hangup(self, self.show.live.close)
        take_job_signals(self)

    def on_stage_ready(self) -> None:
        self.stage.message = undrawn_told(self.deck)
        self._arrive()

    def on_resize(self) -> None:
        self.call_later(self.stage.fit)  # until this event is over, Textual gives the size before

    def on_ready(self) -> None:
        resume_collection()
        if self.warm_up:  # not before, as the first slide comes first
            self.show.live.warm_up(self.deck)
        if self.saves is not None:
            self.run_worker(self._follow_saves(self.saves), group="saves")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and event.is_printable and self._types_on():
            return
        await super().on_event(event)

    def _types_on(self) -> bool:
        """Whether a letter is still meant for an editor that a save has just closed; as a key it might end the talk."""
        now = time.monotonic()
        if now > self._ignores_letters_until:
            return False
        self._ignores_letters_until = now + TYPING_SECONDS
        return True

    # Moving

    def _move(self, place: SlideStep) -> None:
        before, above = self.show.place, len(self.body.page.body)
        self.stage.type("")
        if place == before:
            return
        self.body.close_editor()
        self.show.go(place)
        if place.slide != before.slide:
            self._arrive()
        else:
            self.stage.draw()
            self.body.show_revealed(above)

    def _arrive(self) -> None:
        """Show a slide from its top, and start its automatic blocks."""
        self.stage.draw(from_top=True)
        runs = (self.show.live.runs.get(block) for block in self.body.page.live)
        self.body.follows = any(run is not None and run.status is not Status.ENDED for run in runs)
        self.stage.start(self.show.by_itself())
        self.show.live.stay_warm()
        self.call_after_refresh(self.stage.compose_neighbours)

    def _go_to(self, number: int) -> None:
        """Show a slide by its number, from 1."""
        self._move(goto(number, self.show.steps))

    def _go_to_chosen(self, index: int | None) -> None:
        if index is not None:
            self._go_to(index + 1)

    def action_go(self, where: str) -> None:
        self._move(self.show.leads_to(where))

    def action_first(self) -> None:
        if self.stage.typed == "g":
            self._move(SlideStep())
        else:
            self.stage.type("g")

    def action_numbered(self) -> None:
        self._go_to(int(self.stage.typed) if self.stage.typed.isdecimal() else len(self.deck.slides))

    def on_key(self, event: events.Key) -> None:
        if self.screen.is_modal:  # a key for the box over the slides
            return
        character, typed = event.character or "", self.stage.typed
        if character.isascii() and character.isdecimal():
            self.stage.type((typed if typed.isdecimal() else "") + character)

    def action_scroll(self, amount: float) -> None:
        """Scroll by lines, or by a fraction of the screen."""
        self.body.scroll_by(amount)

    def action_index(self) -> None:
        self.push_screen(Index(self.deck, self.show.place.slide), self._go_to_chosen)

    def action_search(self) -> None:
        self.push_screen(SlideSearch(self.deck, self.stage.palette), self._go_to_chosen)

    # Live blocks

    def action_run(self) -> None:
        """Run what the editor holds, or else what on the slide waits for the key."""
        self.body.keep_edit()
        blocks = self.show.for_key() if self.body.edited is None else [self.body.edited]
        refused = [block.content for block in blocks if not self.show.live.allows(block)]
        if not blocks:
            later = self.show.for_key_later()
            self.stage.say("the code comes with the next step" if later else "nothing to run here")
        elif refused and isinstance(refused[0], Code):
            allow = flag(refused[0].execution)
            self.stage.say(f"code from elsewhere did not run; to allow it, restart with {allow}")
        self.stage.start(blocks)

    def action_stop(self) -> None:
        if not self.show.live.running:
            self.stage.say("nothing is running")
        self.body.follows = True
        self.show.live.stop()

    def action_output(self) -> None:
        """Show the newest output on the slide on the whole screen."""
        self._show_output(None)

    def _show_output(self, wanted: Block | None) -> None:
        outputs = self.stage.outputs()
        if not outputs:
            self.stage.say("no output here yet")
            return
        newest = max(outputs, key=lambda block: outputs[block].run.started)
        chosen = [*outputs].index(wanted if wanted in outputs else newest)
        self.push_screen(OutputScreen([*outputs.values()], chosen, self.stage.palette, self.stage.terminal))

    # Editing, and the mouse

    def action_edit(self) -> None:
        self.stage.say("" if self.body.edit_next(self.stage.palette) else "nothing to edit here")

    def action_forget(self) -> None:
        """Cancel the first of these that applies: the question whether to leave, the editor, an error, a number; or
        else show the deck's own code again."""
        edited = self.show.edited()
        if self.stage.message and self.stage.message == asked_before_leaving(self.show.edits.unsaved()):
            self.stage.type("")
        elif self.body.editor is not None:
            self.body.close_editor()
        elif self.stage.deck_error is not None:
            self.stage.typed, self.stage.message = "", f"✗ {self.stage.deck_error.place}"
            self.stage.deck_error = None
            self.stage.draw()
        elif edited and not self.stage.typed:
            self.show.restore(edited[-1])
            self.stage.message = RESTORES
            self.stage.draw()
        else:
            self.stage.type("")

    def on_click(self, event: events.Click) -> None:
        if event.style.link:
            self.stage.say(open_link(event.style.link))
            return
        widget, region = self.screen.get_widget_at(*event.screen_offset)
        if widget is self.body.editor or self.screen.is_modal:
            return
        x, y = event.screen_offset - region.offset
        spot = self.body.spot_at(x, y) if widget is self.body.canvas else None
        if spot is None:
            self.body.close_editor()
        elif spot.target is BlockPart.CODE:
            self.stage.message = ""
            self.body.open_editor(spot.block, self.stage.palette, x - spot.x, y - spot.y)
        elif spot.target is BlockPart.OUTPUT:
            self._show_output(spot.block)
        elif spot.block == self.body.edited:
            self.action_run()
        else:
            self.stage.start([spot.block])

    # The deck as it is saved

    def action_reload(self) -> None:
        self._forget_pictures()
        self._take_in(read_again(self.show.deck_read))
        if self.stage.deck_error is None:
            self.stage.message = self.stage.message or "✓ reloaded"
        self.stage.draw_footer()

    async def _follow_saves(self, saves: FileWatcher) -> None:
        """Show the deck as saved."""
        try:
            async for reading in readings(saves, self.show.deck_read, self.show.doubtful):
                if reading.saved & pictures(self.deck):
                    self._forget_pictures()
                elif reading.result == self.show.deck_read and self.stage.deck_error is None:
                    continue
                self._take_in(reading.result)
        except Exception as error:  # a defect of ours must not end the talk
            self.stage.say(f"press r to reload the deck: it no longer does by itself ({error!r})")

    def _take_in(self, result: Deck | DeckError) -> None:
        """Show a deck that was read again, at the same place and with its outputs, or else what is wrong with it."""
        if isinstance(result, DeckError):
            self.stage.deck_error = ShownError.with_line(result)
            self.stage.draw()
            return
        self.body.keep_edit()
        before = self.show.deck_read
        edit_waits = self.show.take_in(result)
        self.stage.deck_error = None
        self.stage.message = EDIT_WAITS if edit_waits else ""
        self.stage.use_look(result)
        use_palette(self, self.stage.palette)
        if self.body.carry_over(before, self.stage.palette):
            self._ignores_letters_until = time.monotonic() + TYPING_SECONDS
        self.stage.draw(from_top=self.show.lost)
        self.stage.start(self.show.by_itself())
        self._ask_about_edits()

    def _ask_about_edits(self) -> None:
        """Ask which to show where a save has changed the code under an edit."""
        slides = ", ".join(map(str, self.show.in_question()))
        if slides and not isinstance(self.screen, Question):
            question = f"The code under your edit has changed (slide {slides}). Show your edit, or the deck's code?"
            self.push_screen(Question("The deck was saved", question, ANSWERS, self.stage.palette), self._decide)

    def _decide(self, answer: str | None) -> None:
        """Show the deck's own code in place of edits, if that is the answer; no answer keeps them."""
        self.show.decide(keep=answer != "d")
        if answer == "d":
            self.stage.message = RESTORES
        self.stage.draw()
        self.stage.start(self.show.by_itself())

    def _forget_pictures(self) -> None:
        sequence = self.stage.pictures.forget(self.stage.terminal)
        if self._driver is not None:
            self._driver.write(sequence)

    # The rest

    def action_grid(self) -> None:
        self.stage.grid = not self.stage.grid
        self.stage.draw()

    def action_black(self) -> None:
        self.push_screen(Black())

    def action_invite(self) -> None:
        """Show how the room follows the slides."""
        self.push_screen(InvitationBox(self.invitation, self.stage.palette))

    def action_keys(self) -> None:
        self.push_screen(Keys(HELP, self.stage.palette))

    def action_interrupt(self) -> None:
        """Quit, except in the editor, where Ctrl+C copies."""
        editor = self.body.editor
        if isinstance(self.screen, Black):
            self.screen.dismiss()
        elif editor is None or self.focused is not editor:
            self.action_leave()
        elif editor.selected_text:
            editor.action_copy()
        else:
            self.stage.say("select something to copy; Esc leaves the editor")

    def action_suspend_process(self) -> None:
        self.stage.say(suspend_job(self, self.show.live.close))

    def action_leave(self) -> None:
        """Quit; if code was edited, only when asked twice in a row."""
        self.body.close_editor()
        question = asked_before_leaving(self.show.edits.unsaved())
        if not question or self.stage.message == question:
            self.exit(0)
            return
        if isinstance(self.screen, ModalScreen):  # it may hide the question
            self.screen.dismiss(None)
        self.stage.message, self.stage.deck_error = question, None
        self.stage.draw()


def undrawn_told(deck: Deck) -> str:
    """How many things presenterm draws otherwise; empty if there are none. For more the footer is too short."""
    count = len(deck.undrawn)
    if not count:
        return ""
    differ, them = ("1 thing differs", "it") if count == 1 else (f"{count} things differ", "them")
    return f"{differ} from presenterm · workshop validate lists {them}"


def asked_before_leaving(edited: int) -> str:
    """The question before edits are given up; empty if there are none."""
    blocks = "1 block was edited" if edited == 1 else f"{edited} blocks were edited"
    return f"{blocks} · q again quits, Esc stays" if edited else ""
