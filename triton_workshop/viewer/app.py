"""The terminal app that presents a deck: its screens and its keys."""

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
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.reloading import pictures, readings, reload_deck
from triton_workshop.viewer.sharing import Invitation, Observer
from triton_workshop.viewer.slide_screen import Black, Notice, NoticeKind, SlideScreen
from triton_workshop.viewer.slides.error_panel import LocatedError
from triton_workshop.viewer.slides.fragment import SpotTarget
from triton_workshop.viewer.slides.slide_step import SlideStep, goto

TYPING_SECONDS = 1.0
"""Time within which a letter belongs to the same word as the one before."""
CONFLICT_ANSWERS = {"k": "keep my edit", "d": "take the deck's"}
RESTORED_MESSAGE = "showing the deck's own code · Ctrl+O, Ctrl+Z restores the edit"

EDIT_WAITS = "edited code is gone · your edit waits for it to come back"


class Viewer(App[int]):
    """App that presents a deck."""

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
        observers: Sequence[Observer] = (),
        invitation: Callable[[], Invitation | None] = lambda: None,
        consent: Consent = EVERYTHING,
        saves: FileWatcher | None = None,
    ) -> None:
        """Present a deck from a slide on, given by its number from 1.

        With `warm_up`, blocks answer quickly a few seconds from now. The `observers` are called at every draw;
        `invitation` returns how a room gets there. `consent` is what the presenter agreed to for code from elsewhere.
        With `saves`, which has followed the deck's file since before it was read, the deck is read again whenever it
        is saved.
        """
        super().__init__()
        self.presentation = Presentation(deck, slide, consent)
        self.saves = saves
        self.warm_up = warm_up
        self.invitation = invitation
        self._ignores_letters_until = 0.0
        self.slide_screen = SlideScreen(self.presentation, terminal, observers)
        use_palette(self, self.slide_screen.palette)
        if self.console.color_system == "256":
            self._filters.append(Colours256Filter())

    @property
    def body(self) -> Body:
        """The part of the slide that is scrolled, and the editor over it."""
        return self.slide_screen.body

    @property
    def deck(self) -> Deck:
        """The deck as it is shown."""
        return self.presentation.deck

    # The screen

    def get_default_screen(self) -> SlideScreen:
        """Return the screen of the slides."""
        return self.slide_screen

    def on_mount(self) -> None:
        quit_on_hangup(self, self.presentation.live.close)
        take_job_signals(self)

    def on_slide_screen_ready(self) -> None:
        self.slide_screen.notice = Notice(differences_notice(self.deck))
        self._arrive()

    def on_resize(self) -> None:
        self.call_later(self.slide_screen.fit)  # until this event is over, Textual gives the size before

    def on_ready(self) -> None:
        resume_collection()
        if self.warm_up:  # not before, as the first slide comes first
            self.presentation.live.warm_up(self.deck)
        if self.saves is not None:
            self.run_worker(self._follow_saves(self.saves), group="saves")

    async def on_event(self, event: events.Event) -> None:
        is_letter = isinstance(event, events.Key) and event.is_printable
        belongs_to_editor = is_letter and self._is_meant_for_editor()
        if belongs_to_editor:
            return
        await super().on_event(event)

    def _is_meant_for_editor(self) -> bool:
        """Return True for a letter typed just after a save has closed the editor.

        As a key of the slides, it might end the talk.
        """
        now = time.monotonic()
        if now > self._ignores_letters_until:
            return False
        self._ignores_letters_until = now + TYPING_SECONDS
        return True

    # Moving

    def _move(self, position: SlideStep) -> None:
        previous, previous_rows = self.presentation.position, len(self.body.page.body)
        self.slide_screen.show_message("")
        if position == previous:
            return
        self.body.close_editor()
        self.presentation.go(position)
        if position.slide != previous.slide:
            self._arrive()
        else:
            self.slide_screen.draw()
            self.body.show_revealed(previous_rows)

    def _arrive(self) -> None:
        """Show a slide from its top, and start its automatic blocks."""
        self.slide_screen.draw(from_top=True)
        runs = self.presentation.live.runs
        shown = (runs[block] for block in self.body.page.live if block in runs)
        self.body.follows = any(run.status is not Status.ENDED for run in shown)
        self.slide_screen.start(self.presentation.automatic_blocks())
        self.presentation.live.stay_warm()
        self.call_after_refresh(self.slide_screen.compose_neighbours)

    def _go_to(self, number: int) -> None:
        """Show a slide by its number, from 1."""
        self._move(goto(number, self.presentation.steps))

    def _go_to_chosen(self, index: int | None) -> None:
        if index is not None:
            self._go_to(index + 1)

    def action_go(self, move: str) -> None:
        """Make one of the moves in `MOVES`."""
        self._move(self.presentation.destination(move))

    def action_first(self) -> None:
        """Show the first slide after a second `g`."""
        if self.slide_screen.number == "g":
            self._move(SlideStep())
        else:
            self.slide_screen.show_number("g")

    def action_numbered(self) -> None:
        """Show the slide whose number was typed, or else the last one."""
        number = self.slide_screen.number
        self._go_to(int(number) if number.isdecimal() else len(self.deck.slides))

    def on_key(self, event: events.Key) -> None:
        if self.screen.is_modal:  # a key for the box over the slides
            return
        character, number = event.character or "", self.slide_screen.number
        is_digit = character.isascii() and character.isdecimal()
        if is_digit:
            self.slide_screen.show_number((number if number.isdecimal() else "") + character)

    def action_scroll(self, amount: float) -> None:
        """Scroll by lines, or by a fraction of the screen."""
        self.body.scroll_by(amount)

    def action_index(self) -> None:
        """List the slides."""
        self.push_screen(Index(self.deck, self.presentation.position.slide), self._go_to_chosen)

    def action_search(self) -> None:
        """Search the slides."""
        self.push_screen(SlideSearch(self.deck, self.slide_screen.palette), self._go_to_chosen)

    # Live blocks

    def action_run(self) -> None:
        """Run the block in the editor, or else the slide's blocks for this key."""
        self.body.save_edit()  # first, as the editor's text decides which blocks there are
        blocks = self.presentation.blocks_for_key() if self.body.edited is None else [self.body.edited]
        refused = [block.content for block in blocks if not self.presentation.live.allows(block)]
        first_refused = refused[0] if refused else None
        if not blocks:
            later = self.presentation.blocks_for_key(all_steps=True)
            self.slide_screen.show_message("the code comes with the next step" if later else "nothing to run here")
        elif isinstance(first_refused, Code):
            allow = flag(first_refused.execution)
            self.slide_screen.show_message(f"code from elsewhere did not run; to allow it, restart with {allow}")
        self.slide_screen.start(blocks)

    def action_stop(self) -> None:
        """Stop everything that runs."""
        if not self.presentation.live.running:
            self.slide_screen.show_message("nothing is running")
        self.body.follows = True
        self.presentation.live.stop()

    def action_output(self) -> None:
        """Show the newest output on the slide on the whole screen."""
        self._show_output(None)

    def _show_output(self, block: Block | None) -> None:
        outputs = self.slide_screen.outputs()
        if not outputs:
            self.slide_screen.show_message("no output here yet")
            return
        newest = max(outputs, key=lambda candidate: outputs[candidate].run.started)
        chosen = [*outputs].index(block if block in outputs else newest)
        self.push_screen(
            OutputScreen([*outputs.values()], chosen, self.slide_screen.palette, self.slide_screen.terminal)
        )

    def action_look(self) -> None:
        """Look inside the kernels of the block that has run last on the slide."""
        outputs = self.slide_screen.outputs()
        ran = [block for block in outputs if self.presentation.live.can_look(block)]
        if not ran:
            self.slide_screen.show_message("run a block with a kernel first: Ctrl+E")
            return
        from triton_workshop.look.screen import LookScreen

        block = max(ran, key=lambda candidate: outputs[candidate].run.started)
        live = self.presentation.live
        self.push_screen(
            LookScreen(outputs[block].name, live.look_request(block), live.look, self.slide_screen.palette)
        )

    # Editing, and the mouse

    def action_edit(self) -> None:
        """Open the editor on the next block."""
        self.slide_screen.show_message("" if self.body.edit_next(self.slide_screen.palette) else "nothing to edit here")

    def action_cancel(self) -> None:
        """Cancel the first of these that applies, and nothing else.

        It is the question whether to leave, the editor, an error, or a number; without any of these, the deck's own
        code is shown again.
        """
        edited, kind = self.presentation.edited(), self.slide_screen.notice.kind
        can_restore = edited and kind is not NoticeKind.NUMBER
        if kind is NoticeKind.LEAVE_QUESTION:
            self.slide_screen.show_message("")
        elif self.body.editor is not None:
            self.body.close_editor()
        elif self.slide_screen.deck_error is not None:
            self.slide_screen.hide_error()
        elif can_restore:
            self.presentation.restore(edited[-1])
            self.slide_screen.notice = Notice(RESTORED_MESSAGE)
            self.slide_screen.draw()
        else:
            self.slide_screen.show_message("")

    def on_click(self, event: events.Click) -> None:
        if event.style.link:
            self.slide_screen.show_message(open_link(event.style.link))
            return
        widget, region = self.screen.get_widget_at(*event.screen_offset)
        if self.screen.is_modal:
            return
        if widget is self.body.editor:
            return
        x, y = event.screen_offset - region.offset
        spot = self.body.spot_at(x, y) if widget is self.body.canvas else None
        if spot is None:
            self.body.close_editor()
        elif spot.target is SpotTarget.CODE:
            self.slide_screen.notice = Notice()
            self.body.open_editor(spot.block, self.slide_screen.palette, x - spot.x, y - spot.y)
        elif spot.target is SpotTarget.OUTPUT:
            self._show_output(spot.block)
        elif spot.block == self.body.edited:  # its header: run the text in the editor, and not the code below it
            self.action_run()
        else:
            self.slide_screen.start([spot.block])

    # The deck as it is saved

    def action_reload(self) -> None:
        """Read the deck and its pictures again."""
        self._forget_pictures()
        self._show_result(reload_deck(self.presentation.deck_read))
        is_reloaded = self.slide_screen.deck_error is None and not self.slide_screen.notice.text
        if is_reloaded:
            self.slide_screen.notice = Notice("✓ reloaded")
        self.slide_screen.draw_footer()

    async def _follow_saves(self, saves: FileWatcher) -> None:
        """Show the deck after each save."""
        try:
            async for reading in readings(saves, self.presentation.deck_read, self.presentation.needs_confirmation):
                is_same = reading.result == self.presentation.deck_read and self.slide_screen.deck_error is None
                if reading.saved & pictures(self.deck):
                    self._forget_pictures()
                elif is_same:
                    continue
                self._show_result(reading.result)
        except Exception as error:  # a defect of ours must not end the talk
            self.slide_screen.show_message(f"press r to reload the deck: it no longer does by itself ({error!r})")

    def _show_result(self, result: Deck | DeckError) -> None:
        """Show a deck that was read again, or the error in it.

        The position and the outputs stay.
        """
        if isinstance(result, DeckError):
            self.slide_screen.deck_error = LocatedError.with_line(result)
            self.slide_screen.draw()
            return
        # First, so that what is in the editor moves to the new deck like any other edit.
        self.body.save_edit()
        old_deck = self.presentation.deck_read
        edit_waits = self.presentation.reload(result)
        self.slide_screen.deck_error = None
        self.slide_screen.notice = Notice(EDIT_WAITS if edit_waits else "")
        self.slide_screen.use_theme(result)
        use_palette(self, self.slide_screen.palette)
        if self.body.follow_reload(old_deck, self.slide_screen.palette):
            self._ignores_letters_until = time.monotonic() + TYPING_SECONDS
        self.slide_screen.draw(from_top=self.presentation.lost)
        self.slide_screen.start(self.presentation.automatic_blocks())
        self._ask_about_conflicts()

    def _ask_about_conflicts(self) -> None:
        """Ask whether to show edits whose code a save has changed."""
        slides = ", ".join(map(str, self.presentation.conflicts()))
        if not slides:
            return
        # A question that is open already settles these conflicts, too.
        if isinstance(self.screen, Question):
            return
        question = f"The code under your edit has changed (slide {slides}). Show your edit, or the deck's code?"
        self.push_screen(
            Question("The deck was saved", question, CONFLICT_ANSWERS, self.slide_screen.palette),
            self._resolve_conflicts,
        )

    def _resolve_conflicts(self, answer: str | None) -> None:
        """Keep the edits, unless the answer is to show the deck's own code."""
        self.presentation.resolve_conflicts(keep=answer != "d")
        if answer == "d":
            self.slide_screen.notice = Notice(RESTORED_MESSAGE)
        self.slide_screen.draw()
        self.slide_screen.start(self.presentation.automatic_blocks())

    def _forget_pictures(self) -> None:
        sequence = self.slide_screen.pictures.forget(self.slide_screen.terminal)
        if self._driver is not None:
            self._driver.write(sequence)

    # The rest

    def action_grid(self) -> None:
        """Show or hide lines between columns."""
        self.slide_screen.grid = not self.slide_screen.grid
        self.slide_screen.draw()

    def action_black(self) -> None:
        """Cover the slides with a black screen."""
        self.push_screen(Black())

    def action_invite(self) -> None:
        """Show the room's address and its word."""
        self.push_screen(InvitationBox(self.invitation, self.slide_screen.palette))

    def action_mistakes(self) -> None:
        """Show the room's most frequent mistakes in the debriefed exercise."""
        from triton_workshop.viewer.notes.attendance import AttendanceWatcher  # the first slide does not wait for it
        from triton_workshop.viewer.overlays.mistakes import MistakesBox, debriefed_exercise

        exercise = debriefed_exercise(self.presentation.slide.name)
        if exercise is None:
            self.slide_screen.show_message("m shows the room's mistakes on a debrief slide")
        elif counts := AttendanceWatcher().read().frequent_mistakes(exercise):
            self.push_screen(MistakesBox(exercise, counts, self.slide_screen.palette))
        else:
            self.slide_screen.show_message("nobody has sent a mistake: take the one on the slide")

    def action_keys(self) -> None:
        """List the keys."""
        self.push_screen(Keys(HELP, self.slide_screen.palette))

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
            self.slide_screen.show_message("select something to copy; Esc leaves the editor")

    def action_suspend_process(self) -> None:
        """Return to the shell until `fg`."""
        self.slide_screen.show_message(suspend_job(self, self.presentation.live.close))

    def action_leave(self) -> None:
        """Quit; if code was edited, only at the second key in a row."""
        self.body.close_editor()
        question = Notice(leave_question(self.presentation.edits.unsaved()), NoticeKind.LEAVE_QUESTION)
        may_leave = not question.text or self.slide_screen.notice == question
        if may_leave:
            self.exit(0)
            return
        if isinstance(self.screen, ModalScreen):  # it may hide the question
            self.screen.dismiss(None)
        self.slide_screen.notice, self.slide_screen.deck_error = question, None
        self.slide_screen.draw()


def differences_notice(deck: Deck) -> str:
    """Count the differences from presenterm; empty if there are none.

    The footer is too short to list them.
    """
    count = len(deck.unsupported)
    if not count:
        return ""
    differ, them = ("1 thing differs", "it") if count == 1 else (f"{count} things differ", "them")
    return f"{differ} from presenterm · workshop validate lists {them}"


def leave_question(edited: int) -> str:
    """Return the question before edits are lost; empty if there are none."""
    blocks = "1 block was edited" if edited == 1 else f"{edited} blocks were edited"
    return f"{blocks} · q again quits, Esc stays" if edited else ""
