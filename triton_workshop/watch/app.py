"""The terminal app that checks the open exercise at every save of its file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from rich.terminal_theme import TerminalTheme
from textual import events
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from triton_workshop.checking import desk
from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.verdict import Verdict
from triton_workshop.device import simulated, visible_gpus
from triton_workshop.saves import Saves
from triton_workshop.viewer.box import BOX_STYLE, Keys
from triton_workshop.viewer.leaving import leave_with_terminal
from triton_workshop.viewer.palette import DARK, LIGHT, Palette
from triton_workshop.viewer.screen_theme import use_palette
from triton_workshop.watch import editor, keeping
from triton_workshop.watch.checker import Checker, CheckFailedError, Checking, StoppedError
from triton_workshop.watch.screens import KEYS, Exercises, Introduction, Question, Solution
from triton_workshop.watch.view import EDGE, Checked, Room, Scene, body, foot, head, notice

FRAME = 0.1
"""Seconds between two turns of the spinner."""
NO_HINT_YET = "your file is being checked: hints come with the verdict"


@dataclass(frozen=True)
class Job:
    """A check that was begun, and the text that the file had then."""

    checking: Checking
    text: str
    begun: float
    full_size: bool


class Watch(App[int]):
    """Checks an exercise at every save, and says what came out."""

    TITLE = "Triton Workshop"
    ENABLE_COMMAND_PALETTE = False
    CSS = (
        """
        Screen { background: $background; color: $foreground; layout: vertical; overflow: hidden; }
        #head, #foot, #solution-head, #solution-foot { height: auto; }
        #notice { height: 1; }
        #body { height: 1fr; padding: 0 2; scrollbar-size: 0 0; background: $background; }
        #verdict { height: auto; }
        #verdict.before { opacity: 45%; }
        ModalScreen.whole { background: $background; }
        #solution { height: 1fr; padding: 1 0 0 0; scrollbar-size: 0 0; }
        """
        + BOX_STYLE
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("h", "hint", "Hint", show=False),
        Binding("n", "step(1)", "Next", show=False),
        Binding("p", "step(-1)", "Previous", show=False),
        Binding("l", "list", "List", show=False),
        Binding("x", "reset", "Reset", show=False),
        Binding("s", "solution", "Solution", show=False),
        Binding("e", "edit", "Edit", show=False),
        Binding("r", "check", "Check again", show=False),
        Binding("question_mark", "keys", "Keys", show=False),
        Binding("down,j", "scroll(1)", "Down", show=False),
        Binding("up,k", "scroll(-1)", "Up", show=False),
        Binding("pagedown,space", "scroll(15)", "Further down", show=False),
        Binding("pageup", "scroll(-15)", "Further up", show=False),
        Binding("home", "scroll(-9999)", "Top", show=False),
        Binding("end", "scroll(9999)", "Bottom", show=False),
        Binding("q", "leave", "Quit", show=False),
        Binding("ctrl+c,ctrl+q", "leave", "Quit", show=False, priority=True),
    ]

    class Ended(Message):
        """A check has come to a verdict, or will come to none: then `trouble` says why."""

        def __init__(self, job: Job, verdict: Verdict | None, trouble: str = "") -> None:
            super().__init__()
            self.job = job
            self.verdict = verdict
            self.trouble = trouble

    class Printed(Message):
        """All that a checked script has printed is there."""

        def __init__(self, job: Job) -> None:
            super().__init__()
            self.job = job

    def __init__(
        self,
        number: int | None = None,
        *,
        checker: Checker,
        palette: Palette = DARK,
        gpu: bool = False,
        clock: Callable[[], str] = lambda: time.strftime("%H:%M:%S"),
    ) -> None:
        """`number` is the exercise to open, the first open one unless given; `clock` tells the time of day."""
        super().__init__()
        self.checker = checker
        self.palette = palette
        self.gpu = gpu
        self.clock = clock
        entries, self.message = keeping.entries()
        opened = number or keeping.first_open(entries)
        self.scene = Scene(EXERCISES[opened], entries, "")
        self.job: Job | None = None
        self.introduced = False
        """Whether it has been said how to leave the editor that nobody has named."""
        self._threads: list[threading.Thread] = []
        self._use_palette(palette)

    def _use_palette(self, palette: Palette) -> None:
        use_palette(self, palette)
        # What the checker's reports name by the terminal's colours shows in the palette's.
        self.ansi_theme_dark = self.ansi_theme_light = terminal_theme(palette)

    # The screen

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield Static(id="notice")
        with VerticalScroll(id="body", can_focus=False):
            yield Static(id="verdict")
        yield Static(id="foot")

    def on_mount(self) -> None:
        # Kept, not looked up when drawing: a verdict may come while the app closes and its widgets are gone.
        self.head = self.query_one("#head", Static)
        self.notice = self.query_one("#notice", Static)
        self.verdict = self.query_one("#verdict", Static)
        self.foot = self.query_one("#foot", Static)
        self.body = self.query_one("#body", VerticalScroll)
        self.watch(self.body, "scroll_y", self._draw_foot, init=False)
        self.watch(self.body, "max_scroll_y", self._draw_foot, init=False)
        leave_with_terminal(self, self.close)
        self.ticker = self.set_interval(FRAME, self._turn, pause=True)
        self._open(self.scene.exercise)

    def on_resize(self) -> None:
        self._draw()

    def _room(self) -> Room:
        return Room(self.palette, max(self.size.width, 1), max(self.size.height, 1))

    def _draw(self) -> None:
        if not hasattr(self, "body"):
            return
        room = self._room()
        with self.batch_update():
            self._draw_head()
            self.verdict.set_class(self.scene.outdated, "before")
            self.verdict.update(body(self.scene, replace(room, width=max(room.width - 2 * EDGE, 1))))
            self._draw_foot()

    def _draw_head(self) -> None:
        self.head.update(head(self.scene, self._room()))
        self.notice.update(notice(self.scene, self._room()))

    def _draw_foot(self) -> None:
        more = self.body.max_scroll_y > self.body.scroll_offset.y
        self.foot.update(foot(self.scene, self._room(), self.message, more=more))

    def _say(self, message: str) -> None:
        self.message = message
        self._draw_foot()

    def _turn(self) -> None:
        """Shows how long the check has been going on."""
        if self.job is not None:
            self.scene = replace(self.scene, seconds=time.monotonic() - self.job.begun)
            if self.scene.checked is None:
                self._draw()
            else:
                self._draw_head()

    # Checking

    def _open(self, exercise: Exercise) -> None:
        """Shows an exercise, checks it, and follows its saves from now on."""
        entries, said = keeping.entries()
        self.message = said or self.message
        self.scene = Scene(exercise, entries, short(exercise.exercise_file))
        self.body.scroll_to(y=0, animate=False)
        saves = Saves(exercise.exercise_file)  # before the first check, so that no save comes between
        self.run_worker(self._follow(saves), group="saves", exclusive=True)
        self._check()

    async def _follow(self, saves: Saves) -> None:
        async for _ in saves:
            self.message = ""
            self._check()

    def _check(self, *, full_size: bool = False) -> None:
        """Begins a check of the file as it is now, and stops the one that runs."""
        if self.job is not None:
            self.job.checking.stop()
        file = self.scene.exercise.exercise_file
        try:
            text = file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            text = ""
        checking = self.checker.check(self.scene.exercise, file, full_size=full_size)
        self.job = Job(checking, text, time.monotonic(), full_size)
        self.scene = replace(self.scene, seconds=0.0, full_size=full_size, text=text)
        thread = threading.Thread(target=self._work, args=(self.job,), daemon=True)
        self._threads = [*(each for each in self._threads if each.is_alive()), thread]
        thread.start()
        self.ticker.resume()
        self._draw()

    def _work(self, job: Job) -> None:
        """In a thread of its own: wait for a verdict, then for what is left of the check."""
        with suppress(RuntimeError):  # the app has ended meanwhile
            try:
                self.post_message(self.Ended(job, job.checking.wait()))
            except StoppedError:
                pass
            except (CheckFailedError, OSError) as error:
                self.post_message(self.Ended(job, None, str(error)))
            finally:
                job.checking.finish()
            self.post_message(self.Printed(job))

    def on_watch_ended(self, event: Ended) -> None:
        if event.job is not self.job:  # a newer save has its own check
            return
        self.job = None
        self.ticker.pause()
        if self.message == NO_HINT_YET:
            self.message = ""
        if event.verdict is None:
            self.scene = replace(self.scene, seconds=None, trouble=event.trouble, checked=None)
            self._draw()
            return
        self._take_in(event.job, event.verdict)
        if event.verdict.passed and self.gpu and not event.job.full_size:
            self._check(full_size=True)

    def _take_in(self, job: Job, verdict: Verdict) -> None:
        shown, said = keeping.remember(verdict)
        entries, also = keeping.entries()
        before = self.scene.finding
        same = before is not None and bool(verdict.findings) and before.hints == verdict.findings[0].hints
        self.scene = replace(
            self.scene,
            entries=entries or self.scene.entries,
            missing=not self.scene.exercise.exercise_file.exists(),
            checked=Checked(verdict, job.text, self.clock(), job.checking.printed()),
            trouble="",
            hints=max(shown, self.scene.hints) if same else shown,
            seconds=None,
        )
        self.message = said or also or self.message
        if not same:
            self.body.scroll_to(y=0, animate=False)
        self._draw()

    def on_watch_printed(self, event: Printed) -> None:
        checked = self.scene.checked
        printed = event.job.checking.printed()
        if checked is not None and checked.text == event.job.text and checked.printed != printed:
            self.scene = replace(self.scene, checked=replace(checked, printed=printed))
            self._draw()

    def close(self) -> None:
        """Ends everything that runs."""
        if self.job is not None:
            self.job.checking.stop()
        for thread in self._threads:
            thread.join(timeout=5)
        self.checker.close()

    # Keys

    def action_check(self) -> None:
        self.message = ""
        self._check()

    def action_hint(self) -> None:
        finding = self.scene.finding
        if self.scene.awaited:
            self._say(NO_HINT_YET)
            return
        if finding is None or not finding.hints:
            self._say("nothing is wrong: no hint needed" if self.scene.passed else "there is no hint for this")
            return
        if self.scene.hints >= len(finding.hints):
            self._say("that was the last hint")
            return
        shown = self.scene.hints + 1
        self.scene = replace(self.scene, hints=shown)
        self.message = keeping.remember_hint(self.scene.exercise, shown)
        self._draw()

    def action_step(self, places: int) -> None:
        numbers = list(EXERCISES)
        place = numbers.index(self.scene.exercise.number) + places
        if not 0 <= place < len(numbers):
            self._say("this is the last exercise" if places > 0 else "this is the first exercise")
            return
        self._go(numbers[place])

    def _go(self, number: int | None) -> None:
        if number is not None and number != self.scene.exercise.number:
            self.message = ""
            self._open(EXERCISES[number])

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character.isdecimal() and int(event.character) in EXERCISES:
            self._go(int(event.character))

    def action_list(self) -> None:
        entries, said = keeping.entries()
        if entries:
            self.push_screen(Exercises(entries, self.scene.exercise.number, self.palette), self._go)
        if said:
            self._say(said)

    def action_reset(self) -> None:
        exercise, name = self.scene.exercise, self.scene.file
        lines = desk.changed_lines(exercise)
        if exercise.exercise_file.is_file() and not lines:
            self._say(f"{name} is as it was shipped")
            return
        yours = f"{lines} of its lines are yours. They are kept in a backup." if lines else "It is not there now."

        def answered(agreed: bool | None) -> None:
            if agreed:
                self._reset(exercise, name)

        self.push_screen(Question("Start anew", f"Put {name} back as it was shipped?\n{yours}", self.palette), answered)

    def _reset(self, exercise: Exercise, name: str) -> None:
        try:
            backup = desk.reset(exercise)
        except OSError as error:
            self._say(f"{error.filename or name}: cannot be written: {error.strerror or error}")
            return
        self._open(exercise)
        self._say(f"as it was shipped; yours is {short(backup)}" if backup else f"{name} is as it was shipped")

    def action_solution(self) -> None:
        exercise = self.scene.exercise
        record = next((e.record for e in self.scene.entries if e.exercise.number == exercise.number), None)
        if not self.scene.passed and (record is None or record.passed_at is None):
            self._say("the solution shows itself once yours has passed; h gives a hint")
            return
        try:
            mine = exercise.exercise_file.read_text(encoding="utf-8", errors="replace")
            theirs = exercise.solution_file.read_text(encoding="utf-8")
        except OSError as error:
            self._say(f"{error.filename}: cannot be read: {error.strerror or error}")
            return
        self.push_screen(Solution(exercise, mine, theirs, self.palette))

    def action_edit(self) -> None:
        finding = self.scene.finding
        line = finding.line if finding is not None else None
        try:
            command = editor.command(self.scene.exercise.exercise_file, line, os.environ)
        except ValueError:
            self._say("$EDITOR cannot be understood: its quotes do not match")
            return
        if command is None:
            self._say("no editor found: set $EDITOR to the command that starts yours, or open the file beside this")
            return
        usual = None if editor.named(os.environ) or self.introduced else editor.usual()
        if usual is None:
            self._edit(command)
            return

        def answered(agreed: bool | None) -> None:
            if agreed:
                self.introduced = True
                self._edit(command)

        self.push_screen(Introduction(usual.name, usual.leaving, self.palette), answered)

    def _edit(self, command: list[str]) -> None:
        try:
            with self.suspend():
                said = editor.run(command)  # it raises nothing: the terminal has to come back
        except SuspendNotSupported:
            said = "this terminal cannot be lent to an editor: open the file beside this"
        if said:
            self._say(said)
        self.refresh(layout=True)

    def action_keys(self) -> None:
        self.push_screen(Keys(KEYS, self.palette))

    def action_scroll(self, lines: int) -> None:
        self.body.scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        self.exit(0)


def terminal_theme(palette: Palette) -> TerminalTheme:
    """The terminal's eight colours in the palette's tones.

    The reports write in black on yellow, and in white on red and magenta: those stay bright, and dark, enough for it.
    """
    red, magenta = ("#c93a48", "#8b5cf6") if palette.dark else (palette.bad, palette.important)
    names = ("#10161d", red, palette.good, "#ffb454", palette.link, magenta, palette.accent, "#ffffff")
    normal = [Color.parse(name).rgb for name in names]
    return TerminalTheme(Color.parse(palette.background).rgb, Color.parse(palette.text).rgb, normal, normal)


def short(file: Path) -> str:
    """A file as it can be named from the current folder."""
    with suppress(OSError, ValueError):
        return str(file.relative_to(Path.cwd()))
    return str(file)


def watch(number: int | None = None, *, light: bool = False) -> int:
    """Watch an exercise until the learner leaves; the exit status."""
    gpu = not simulated() and any(each.runs_kernels for each in visible_gpus())
    app = Watch(number, checker=Checker(), palette=LIGHT if light else DARK, gpu=gpu)
    try:
        status = app.run()
    finally:
        app.close()
    # A crash has no status of its own, but it has a return code.
    return (app.return_code or 0) if status is None else status
