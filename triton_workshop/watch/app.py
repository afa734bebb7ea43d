"""The terminal app that checks the open exercise at every save of its file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Footer, Static

from triton_simulator.without_library import has_library
from triton_workshop.asm.requests import Request
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.checking.reporting.progress import entries, first_open, remember, remember_hints
from triton_workshop.checking.reporting.reset import is_shipped, reset
from triton_workshop.device import runs_on_a_gpu
from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.printing import printable
from triton_workshop.repository import short_path
from triton_workshop.screen.box import BOX_STYLE, Keys
from triton_workshop.screen.choice import Question
from triton_workshop.screen.hangup import quit_on_hangup
from triton_workshop.screen.job_control import suspend_job, take_job_signals
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.screen.reader import Reader
from triton_workshop.screen.start import first_picture_shown
from triton_workshop.screen.theme import use_palette
from triton_workshop.scripts import read_text
from triton_workshop.watch import editor
from triton_workshop.watch.checker import Checker, CheckFailedError, StoppedError
from triton_workshop.watch.keys import HELP, KEYS
from triton_workshop.watch.screens import Exercises, Solution, compiled_page
from triton_workshop.watch.view import Job, Watched, body, head, status, styles

if TYPE_CHECKING:
    from triton_workshop.attendance.telling import Teller

FRAME_SECONDS = 0.1
"""Seconds between two turns of the spinner."""


class Watch(App[int]):
    """Checks an exercise at every save, and shows the verdict."""

    TITLE = "Triton Workshop"
    ENABLE_COMMAND_PALETTE = False
    NOTIFICATION_TIMEOUT = 8
    CSS_PATH = "watch.tcss"
    CSS = BOX_STYLE
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        number: str | None = None,
        *,
        checker: Checker,
        palette: Palette = DARK,
        gpu: bool = False,
        clock: Callable[[], str] = lambda: time.strftime("%H:%M:%S"),
    ) -> None:
        """`number` is the exercise to open, by default the first unfinished one; `clock` tells the time of day."""
        super().__init__()
        self.checker, self.palette, self.gpu, self.clock = checker, palette, gpu, clock
        self.number = number
        self.watched = Watched(EXERCISES[number or "1"], ())
        self.right: dict[str, str] = {}
        """The last right version of each exercise's file, by the exercise's number."""
        self.introduced = False
        """Whether the learner, who has not chosen an editor, has been told how to leave the one that opens."""
        self._threads: list[threading.Thread] = []
        # Kept here, not looked up when drawing: a verdict may come while the app closes and its widgets are gone.
        self.head, self.status, self.verdict = Static(classes="bar"), Static(id="status"), Static(id="verdict")
        self.body = VerticalScroll(self.verdict, classes="body")
        use_palette(self, palette)
        self.console.push_theme(styles(palette))

    @cached_property
    def teller(self) -> Teller:
        """Tells the room. What reaches it over the network is imported after the first picture."""
        from triton_workshop.attendance.membership import membership_file
        from triton_workshop.attendance.telling import Teller

        return Teller(membership_file(), self._say_later)

    # The screen

    def compose(self) -> ComposeResult:
        yield self.head
        yield self.status
        yield self.body
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.begin_capture_print(self, stdout=False)  # the record of progress reports its problems there
        quit_on_hangup(self, self.close)
        take_job_signals(self)
        self.ticker = self.set_interval(FRAME_SECONDS, self._draw_head, pause=True)
        following = first_open(entries()) if self.number is None else None
        self._open(following.exercise if following else self.watched.exercise)

    def on_ready(self) -> None:
        first_picture_shown()

    def on_resize(self) -> None:
        self.call_later(self._draw)  # until this event is over, Textual gives the size before

    def on_print(self, event: events.Print) -> None:
        if event.text.strip():
            self._say(event.text.strip())

    def _now(self, **known: Any) -> None:
        """Show what is known now."""
        self.watched = replace(self.watched, **known)
        self._draw()

    def _draw(self) -> None:
        with self.batch_update():
            self._draw_head()
            self.verdict.set_class(self.watched.outdated, "before")
            self.verdict.update(body(self.watched, max(self.size.width - 4, 1)))

    def _draw_head(self) -> None:
        self.head.update(head(self.watched))
        self.status.update(status(self.watched))

    def _say(self, message: str) -> None:
        self.clear_notifications()
        self.notify(printable(message), markup=False)

    def _say_later(self, message: str) -> None:
        """The same, from another thread."""
        with suppress(RuntimeError):  # the app has ended in the meantime
            self.call_later(self._say, message)

    # Checking

    def _open(self, exercise: Exercise) -> None:
        """Show an exercise, check it, and check it again at every save."""
        self._stop()
        self.watched = Watched(exercise, entries())
        self.body.scroll_home(animate=False)
        saves = FileWatcher(exercise.exercise_file)  # before the first check, so that no save comes between
        self.run_worker(self._follow(saves), group="saves", exclusive=True)
        self._check()

    async def _follow(self, saves: FileWatcher) -> None:
        async for _ in saves:
            self._check()

    def _check(self, *, full_size: bool = False) -> None:
        """Begin a check of the file as it is now, and stop the one that is running."""
        self._stop()
        file = self.watched.exercise.exercise_file
        try:
            text = read_text(file)
        except OSError:
            text = ""
        checking = self.checker.check(self.watched.exercise, file, full_size=full_size)
        job = Job(checking, text, time.monotonic(), full_size)
        self._threads.append(threading.Thread(target=self._work, args=(job,), daemon=True))
        self._threads[-1].start()
        self.ticker.resume()
        self._now(job=job)

    def _stop(self) -> None:
        if self.watched.job is not None:
            self.watched.job.checking.stop()

    def _work(self, job: Job) -> None:
        """In a separate thread: wait for a verdict, then for the rest of the check."""
        with suppress(RuntimeError):  # the app has ended in the meantime
            try:
                for verdict in job.checking.verdicts():
                    self.call_later(self._known, job, verdict)
            except StoppedError:
                pass
            except (CheckFailedError, OSError) as error:
                self.call_later(self._known, job, None, str(error))
            finally:
                job.checking.finish()
            self.call_later(self._ended, job)
            self.call_later(self._draw)  # everything that the script printed has arrived

    def _known(self, job: Job, verdict: Verdict | None, trouble: str = "") -> None:
        """A check has a verdict, or will never have one: then `trouble` says why."""
        if job is not self.watched.job:  # a newer save has its own check
            return
        checked = replace(job, ended=self.clock(), verdict=verdict, trouble=trouble)
        if verdict is None:
            self._now(checked=checked)
            return
        shown = 0 if verdict.passed else remember(verdict).hints_shown
        before = self.watched.finding
        same = before is not None and bool(verdict.findings) and before.hints == verdict.findings[0].hints
        self._now(checked=checked, entries=entries(), hints=max(shown, self.watched.hints) if same else shown)
        if not same:
            self.body.scroll_home(animate=False)
        if not verdict.passed:  # a right one is still being compiled, and is told of at the end
            self._tell_the_room()

    def _ended(self, job: Job) -> None:
        """A check has nothing more to say."""
        if job is not self.watched.job:
            return
        self.ticker.pause()
        if self.watched.verdict is not None and self.watched.passed:
            remember(self.watched.verdict)
            self.right[self.watched.exercise.number] = job.text
        self._now(job=None, entries=entries())
        if self.watched.passed:
            self._tell_the_room()
        if self.watched.passed and self.gpu and not job.full_size:
            self._check(full_size=True)

    def _tell_the_room(self) -> None:
        """How far the learner is, if they have joined a room."""
        from triton_workshop.attendance.telling import progress_of

        if self.watched.entry is not None:
            self.teller.report(progress_of(self.watched.entry))

    def close(self) -> None:
        """End everything that runs."""
        self._stop()
        for thread in self._threads:
            thread.join(timeout=5)
        self.checker.close()
        from triton_workshop.attendance.telling import AT_ONCE_SECONDS

        self.teller.flush(AT_ONCE_SECONDS)

    # Keys

    def action_check(self) -> None:
        self._check()

    def action_hint(self) -> None:
        hints = self.watched.finding.hints if self.watched.finding is not None else ()
        shown = self.watched.hints + 1
        if self.watched.awaited:
            self._say("your file is being checked: hints come with the verdict")
        elif not hints:
            self._say("nothing is wrong, so you need no hint" if self.watched.passed else "there is no hint for this")
        elif shown > len(hints):
            self._say("that was the last hint")
        else:
            remember_hints(self.watched.exercise.number, shown)
            self._now(hints=shown, entries=entries())
            self._tell_the_room()
            self.call_after_refresh(self._scroll_to_hint, shown)

    def action_ask(self) -> None:
        if self.teller.ask():
            self._say("asking the room for help …")
        else:
            self._say("you have not joined a room; to join one: uv run workshop join ADDRESS")

    def _scroll_to_hint(self, number: int) -> None:
        """Bring a hint that has just been asked for into view, with what comes below it."""
        rows = range(self.verdict.size.height)
        row = next((row for row in rows if f"hint {number} of" in self.verdict.render_line(row).text), None)
        if row is not None and row + self.body.size.height // 2 > self.body.scroll_offset.y + self.body.size.height:
            self.body.scroll_to(y=row - 1, animate=False)

    def action_step(self, places: int) -> None:
        following = self.watched.neighbour(places)
        if following is not None:
            self._open(following)
        else:
            self._say("this is the last exercise" if places > 0 else "this is the first exercise")

    def action_variation(self) -> None:
        variations = variations_of(self.watched.exercise)
        if variations:
            self._open(variations[0])
        elif self.watched.exercise.warm_up:
            self._say("a warm-up has no variation; n goes on to its exercise")
        else:
            self._say("there is no other variation of this; p goes back to the exercise")

    def action_open(self, number: str) -> None:
        if number != self.watched.exercise.number:
            self._open(EXERCISES[number])

    def action_list(self) -> None:
        def go(place: int | None) -> None:
            if place is not None:
                self.action_open([*EXERCISES][place])

        self.push_screen(Exercises(entries(), self.watched.exercise.number), go)

    def action_reset(self) -> None:
        if is_shipped(self.watched.exercise):
            self._say(f"{self.watched.file} is as it was shipped")
            return
        question = f"Restore {self.watched.file} as it was shipped?\nYour file is kept as a backup."
        self.push_screen(Question("Start again", question, {"y": "yes", "n": "no"}, self.palette), self._reset)

    def _reset(self, answer: str | None) -> None:
        if answer != "y":
            return
        with self._told():
            backup = reset(self.watched.exercise)
            self._open(self.watched.exercise)
            self._say(f"restored; your file is now {short_path(backup)}" if backup else "restored as it was shipped")

    def action_solution(self) -> None:
        exercise, entry = self.watched.exercise, self.watched.entry
        if not (self.watched.passed or (entry and entry.record.passed_at)):
            self._say("you can see the solution once yours has passed; h gives a hint")
            return
        with self._told():
            mine = read_text(exercise.exercise_file)
            self.push_screen(Solution(exercise, mine, exercise.solution, self.palette))

    def action_made(self) -> None:
        exercise = self.watched.exercise
        text = self.right.get(exercise.number)
        if text is None:
            self._say("once yours is right, this key shows what the compiler made of it")
        elif not has_library():
            self._say("Triton's compiler is not on this machine")
        else:
            self._say("asking the compiler …")
            request = Request(exercise.exercise_file.resolve(), text, exercise.number)
            self.run_worker(lambda: self._build(request), thread=True, group="made", exclusive=True)

    def _build(self, request: Request) -> None:
        """In a separate thread: have the kernels compiled, and show what became of them."""
        try:
            build = self.checker.build(request)
            said = build.error(None) or compiled_page(request, build)
        except OSError as error:
            said = str(error)
        with suppress(RuntimeError):  # the app has ended in the meantime
            if isinstance(said, Reader):
                self.call_later(self._show, said)
            else:
                self.call_later(self._say, said)

    def _show(self, page: Reader) -> None:
        self.clear_notifications()
        self.push_screen(page)

    def action_edit(self) -> None:
        finding = self.watched.finding
        with self._told():
            words, leaving = editor.chosen(os.environ)
            if leaving and not self.introduced:
                self.introduced = True
                self._say(f"{words[0]}: {leaving}.\nPress e again to open it; $EDITOR names another one.")
                return
            with self.suspend():  # nothing may be raised in it: the app must get the terminal back
                said = editor.run(words, self.watched.exercise.exercise_file, finding.line if finding else None)
            self.refresh(layout=True)
            if said:
                self._say(said)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say that this cannot be done here."""
        try:
            yield
        except OSError as error:
            self._say(f"{error.filename}: {error.strerror}")
        except ValueError as error:
            self._say(str(error))
        except SuspendNotSupported:
            self._say("no editor can run in this terminal: open the file in another window")

    def action_suspend_process(self) -> None:
        if trouble := suspend_job(self, self.close):
            self._say(trouble)

    def action_keys(self) -> None:
        self.push_screen(Keys(HELP, self.palette))


def watch(number: str | None = None, *, light: bool = False) -> int:
    """Watch an exercise until the learner leaves, and return the exit status."""
    app = Watch(number, checker=Checker(), palette=LIGHT if light else DARK, gpu=runs_on_a_gpu())
    try:
        status = app.run()
    finally:
        app.close()
    # A crash has no status of its own, but it has a return code.
    return (app.return_code or 0) if status is None else status
