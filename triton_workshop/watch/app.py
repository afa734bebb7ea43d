"""The terminal app that checks an exercise at every save of its file."""

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
from triton_workshop.checking.reporting.description import title
from triton_workshop.checking.reporting.progress import entries, first_open_entry, record_check, record_hints
from triton_workshop.checking.reporting.reset import is_shipped, reset
from triton_workshop.device import runs_on_a_gpu
from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.printing import printable
from triton_workshop.repository import short_path
from triton_workshop.screen.box import BOX_STYLE, Keys
from triton_workshop.screen.choice import Question
from triton_workshop.screen.garbage_collection import resume_collection
from triton_workshop.screen.hangup import quit_on_hangup
from triton_workshop.screen.job_control import suspend_job, take_job_signals
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.screen.reader import Reader
from triton_workshop.screen.theme import report_styles, use_palette
from triton_workshop.scripts import read_text
from triton_workshop.watch import editor
from triton_workshop.watch.checker import Checker, CheckFailedError, StoppedError
from triton_workshop.watch.keys import HELP, KEYS
from triton_workshop.watch.screens import Exercises, Solution, compiled_page
from triton_workshop.watch.view import Job, WatchState, body, head, status

if TYPE_CHECKING:
    from triton_workshop.attendance.reporter import Reporter
    from triton_workshop.watch.gpu_screen import GpuScreen

FRAME_SECONDS = 0.1
"""Seconds between two frames of the spinner."""


class Watch(App[int]):
    """App that checks an exercise at every save, and shows the verdict."""

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
        """Open an exercise by its number, by default the first unfinished one.

        `clock` returns the time of day.
        """
        super().__init__()
        self.checker, self.palette, self.gpu, self.clock = checker, palette, gpu, clock
        self.number = number
        self.state = WatchState(EXERCISES[number or "1"], ())
        self.passing_texts: dict[str, str] = {}
        """The last text of each exercise's file that passed, by the number."""
        self.room_gpu_consented = False
        """True once the learner has sent a file to the room's GPUs."""
        self.editor_explained = False
        """True once the learner has read how to leave the default editor."""
        self._threads: list[threading.Thread] = []
        # Kept here, not looked up when drawing: a verdict may come while the app closes and its widgets are gone.
        self.head, self.status, self.verdict = Static(classes="bar"), Static(id="status"), Static(id="verdict")
        self.body = VerticalScroll(self.verdict, classes="body")
        use_palette(self, palette)
        self.console.push_theme(report_styles(palette))

    @cached_property
    def reporter(self) -> Reporter:
        """Reports to the room, with imports that wait until the first picture."""
        from triton_workshop.attendance.membership import membership_file
        from triton_workshop.attendance.reporter import Reporter

        return Reporter(membership_file(), self._show_message_later)

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
        following = first_open_entry(entries()) if self.number is None else None
        self._open(following.exercise if following else self.state.exercise)

    def on_ready(self) -> None:
        resume_collection()

    def on_resize(self) -> None:
        self.call_later(self._draw)  # until this event is over, Textual gives the size before

    def on_print(self, event: events.Print) -> None:
        if event.text.strip():
            self._show_message(event.text.strip())

    def _update(self, **changes: Any) -> None:
        """Change the state, and show it."""
        self.state = replace(self.state, **changes)
        self._draw()

    def _draw(self) -> None:
        with self.batch_update():
            self._draw_head()
            self.verdict.set_class(self.state.outdated, "before")
            self.verdict.update(body(self.state, max(self.size.width - 4, 1)))

    def _draw_head(self) -> None:
        self.head.update(head(self.state))
        self.status.update(status(self.state))

    def _show_message(self, message: str) -> None:
        self.clear_notifications()
        self.notify(printable(message), markup=False)

    def _show_message_later(self, message: str) -> None:
        """Show a message from another thread."""
        with suppress(RuntimeError):  # the app has ended in the meantime
            self.call_later(self._show_message, message)

    # Checking

    def _open(self, exercise: Exercise) -> None:
        """Show an exercise, check it, and check it again at every save."""
        self._stop()
        self.state = WatchState(exercise, entries())
        self.body.scroll_home(animate=False)
        saves = FileWatcher(exercise.exercise_file)  # before the first check, so that no save comes between
        self.run_worker(self._follow(saves), group="saves", exclusive=True)
        self._check()

    async def _follow(self, saves: FileWatcher) -> None:
        async for _ in saves:
            self._check()

    def _check(self, *, full_size: bool = False) -> None:
        """Begin a check of the current file, instead of the one that is running."""
        self._stop()
        file = self.state.exercise.exercise_file
        try:
            text = read_text(file)
        except OSError:
            # The check reads the file itself, and reports that it cannot.
            text = ""
        checking = self.checker.check(self.state.exercise, file, full_size=full_size)
        job = Job(checking, text, time.monotonic(), full_size)
        thread = threading.Thread(target=self._work, args=(job,), daemon=True)
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]
        thread.start()
        self.ticker.resume()
        self._update(job=job)

    def _stop(self) -> None:
        if self.state.job is not None:
            self.state.job.checking.stop()

    def _work(self, job: Job) -> None:
        """Wait for a verdict, then for the rest of the check, in a thread."""
        with suppress(RuntimeError):  # the app has ended in the meantime
            try:
                for verdict in job.checking.verdicts():
                    self.call_later(self._receive_verdict, job, verdict)
            except StoppedError:
                pass
            except (CheckFailedError, OSError) as error:
                self.call_later(self._receive_verdict, job, None, str(error))
            finally:
                job.checking.finish()
            self.call_later(self._finish_job, job)
            self.call_later(self._draw)  # everything that the script printed has arrived

    def _receive_verdict(self, job: Job, verdict: Verdict | None, error: str = "") -> None:
        """Show a check's verdict, or the error because of which there is none."""
        if job is not self.state.job:  # a newer save has its own check
            return
        checked = replace(job, ended=self.clock(), verdict=verdict, error=error)
        if verdict is None:
            self._update(checked=checked)
            return
        is_wrong = not verdict.passed and not verdict.is_preliminary
        hints = record_check(verdict).hints_shown if is_wrong else 0
        previous = self.state.finding
        old_hints = None if previous is None else previous.hints
        same = bool(verdict.findings) and verdict.findings[0].hints == old_hints
        if same:  # hints that are on the screen stay there
            hints = max(hints, self.state.hints)
        self._update(checked=checked, entries=entries(), hints=hints)
        if not same:
            self.body.scroll_home(animate=False)
        # A right one is still being compiled, and is reported at the end.
        if is_wrong:
            self._report_progress()

    def _finish_job(self, job: Job) -> None:
        """Show that a check has ended; check at full size after a right one."""
        if job is not self.state.job:
            return
        self.ticker.pause()
        self.state = replace(self.state, job=None)
        verdict = self.state.verdict
        if verdict is not None:
            if self.state.passed:
                record_check(verdict)
            is_complete = verdict.is_correct and not verdict.to_come
            if is_complete:
                self.passing_texts[self.state.exercise.number] = job.text
        self._update(entries=entries())
        if not self.state.passed:
            return
        self._report_progress()
        # Full sizes take seconds, so they come after the verdict on small ones.
        needs_full_size = self.gpu and not job.full_size
        if needs_full_size:
            self._check(full_size=True)

    def _report_progress(self) -> None:
        """Send the learner's progress to the room, if they have joined one."""
        from triton_workshop.attendance.reporter import to_progress

        if self.state.entry is not None:
            self.reporter.report(to_progress(self.state.entry))

    def close(self) -> None:
        """End the running check, its processes, and the reports to the room."""
        self._stop()
        for thread in self._threads:
            thread.join(timeout=5)
        self.checker.close()
        from triton_workshop.attendance.reporter import FLUSH_SECONDS

        self.reporter.flush(FLUSH_SECONDS)

    # Keys

    def action_check(self) -> None:
        """Check the file again."""
        self._check()

    def action_hint(self) -> None:
        """Show one more hint."""
        hints = self.state.finding.hints if self.state.finding is not None else ()
        number = self.state.hints + 1
        if self.state.awaited:
            self._show_message("your file is being checked: hints come with the verdict")
        elif not hints:
            self._show_message(
                "it is correct, so there is no hint" if self.state.passed else "there is no hint for this"
            )
        elif number > len(hints):
            self._show_message("that was the last hint")
        else:
            record_hints(self.state.exercise.number, number)
            self._update(hints=number, entries=entries())
            self._report_progress()
            self.call_after_refresh(self._scroll_to_hint, number)

    def action_ask(self) -> None:
        """Ask the presenter for help."""
        if self.reporter.call_for_help():
            self._show_message("asking the room for help …")
        else:
            self._show_message("you have not joined a room; to join one: uv run workshop join ADDRESS")

    def _scroll_to_hint(self, number: int) -> None:
        """Scroll to a hint that has just been shown, with the text below it."""
        # Only the drawn verdict tells in which row a hint is, as the lines above it may wrap.
        rows = range(self.verdict.size.height)
        row = next((row for row in rows if f"hint {number} of" in self.verdict.render_line(row).text), None)
        if row is None:
            return
        end = self.body.scroll_offset.y + self.body.size.height
        if row + self.body.size.height // 2 > end:
            self.body.scroll_to(y=row - 1, animate=False)

    def action_step(self, offset: int) -> None:
        """Open the exercise that is so many further on."""
        following = self.state.neighbour(offset)
        if following is not None:
            self._open(following)
        else:
            self._show_message("this is the last exercise" if offset > 0 else "this is the first exercise")

    def action_variation(self) -> None:
        """Open the next variation of the exercise."""
        variations = variations_of(self.state.exercise)
        if variations:
            self._open(variations[0])
        elif self.state.exercise.is_warm_up:
            self._show_message("a warm-up has no variation; n goes on to its exercise")
        else:
            self._show_message("there is no other variation of this; p goes back to the exercise")

    def action_open(self, number: str) -> None:
        """Open an exercise by its number."""
        if number != self.state.exercise.number:
            self._open(EXERCISES[number])

    def action_list(self) -> None:
        """List the exercises."""

        def open_chosen(index: int | None) -> None:
            if index is not None:
                self.action_open([*EXERCISES][index])

        self.push_screen(Exercises(entries(), self.state.exercise.number), open_chosen)

    def action_reset(self) -> None:
        """Restore the file as it was shipped, after a question."""
        if is_shipped(self.state.exercise):
            self._show_message(f"{self.state.file} is as it was shipped")
            return
        question = f"Restore {self.state.file} as it was shipped?\nYour file is kept as a backup."
        self.push_screen(Question("Start again", question, {"y": "yes", "n": "no"}, self.palette), self._reset)

    def _reset(self, answer: str | None) -> None:
        if answer != "y":
            return
        with self._catch_errors():
            backup = reset(self.state.exercise)
            self._open(self.state.exercise)
            self._show_message(
                f"restored; your file is now {short_path(backup)}" if backup else "restored as it was shipped"
            )

    def action_solution(self) -> None:
        """Compare the learner's file with the solution, once it has passed."""
        exercise, entry = self.state.exercise, self.state.entry
        has_passed_before = entry and entry.record.passed_at
        has_passed = self.state.passed or has_passed_before
        if not has_passed:
            self._show_message("you can see the solution once yours has passed; h gives a hint")
            return
        with self._catch_errors():
            mine = read_text(exercise.exercise_file)
            self.push_screen(Solution(exercise, mine, exercise.solution, self.palette))

    def action_look(self) -> None:
        """Look inside the checked file, where the verdict says it is wrong."""
        from triton_workshop.look.screen import LookScreen
        from triton_workshop.look.verdicts import case_names, request_for, target_of

        job = self.state.checked or self.state.job
        if job is None or self.state.missing:
            self._show_message("there is no file to look into")
            return
        exercise, verdict = self.state.exercise, self.state.verdict
        request = request_for(exercise, exercise.exercise_file.resolve(), job.text, verdict)
        target, cases = target_of(verdict), case_names(exercise)
        self.push_screen(LookScreen(title(exercise), request, self.checker.look, self.palette, target, cases))

    def action_gpu(self) -> None:
        """Run the file on a GPU of the room, after a question the first time."""
        from triton_workshop.attendance.membership import membership_file, read_membership
        from triton_workshop.watch.gpu_screen import GpuScreen

        joined = read_membership(membership_file())
        if joined is None:
            self._show_message("you have not joined a room; to join one: uv run workshop join ADDRESS")
            return
        with self._catch_errors():
            text = read_text(self.state.exercise.exercise_file)
            screen = GpuScreen(joined, self.state.exercise, text, consented=self.room_gpu_consented)
            self.push_screen(screen, lambda _: self._remember_consent(screen))

    def _remember_consent(self, screen: GpuScreen) -> None:
        self.room_gpu_consented |= screen.sent

    def action_compiled(self) -> None:
        """Show the compiler's result for the last text that passed."""
        exercise = self.state.exercise
        text = self.passing_texts.get(exercise.number)
        if text is None:
            self._show_message("once yours is correct, this key shows what the compiler generated")
        elif not has_library():
            self._show_message("Triton's compiler is not on this machine")
        else:
            self._show_message("asking the compiler …")
            request = Request(exercise.exercise_file.resolve(), text, exercise.number)
            self.run_worker(lambda: self._build(request), thread=True, group="build", exclusive=True)

    def _build(self, request: Request) -> None:
        """Compile the kernels, and show the result, in a thread."""
        try:
            build = self.checker.build(request)
            result = build.error(None) or compiled_page(request, build)
        except OSError as error:
            result = str(error)
        with suppress(RuntimeError):  # the app has ended in the meantime
            if isinstance(result, Reader):
                self.call_later(self._show, result)
            else:
                self.call_later(self._show_message, result)

    def _show(self, page: Reader) -> None:
        self.clear_notifications()
        self.push_screen(page)

    def action_edit(self) -> None:
        """Open the file in the learner's editor, at the finding's line."""
        finding = self.state.finding
        with self._catch_errors():
            command, leaving = editor.choose_editor(os.environ)
            needs_advice = leaving and not self.editor_explained
            if needs_advice:
                self.editor_explained = True
                self._show_message(f"{command[0]}: {leaving}.\nPress e again to open it; $EDITOR names another one.")
                return
            with self.suspend():  # nothing may be raised in it: the app must get the terminal back
                error = editor.run_editor(command, self.state.exercise.exercise_file, finding.line if finding else None)
            self.refresh(layout=True)
            if error:
                self._show_message(error)

    @contextmanager
    def _catch_errors(self) -> Iterator[None]:
        """Show an error as a message."""
        try:
            yield
        except OSError as error:
            self._show_message(f"{error.filename}: {error.strerror}")
        except ValueError as error:
            self._show_message(str(error))
        except SuspendNotSupported:
            self._show_message("no editor can run in this terminal: open the file in another window")

    def action_suspend_process(self) -> None:
        """Return to the shell until `fg`."""
        if error := suspend_job(self, self.close):
            self._show_message(error)

    def action_keys(self) -> None:
        """List the keys."""
        self.push_screen(Keys(HELP, self.palette))


def watch(number: str | None = None, *, light: bool = False) -> int:
    """Watch an exercise until the learner leaves; return the exit status."""
    app = Watch(number, checker=Checker(), palette=LIGHT if light else DARK, gpu=runs_on_a_gpu())
    try:
        status = app.run()
    finally:
        app.close()
    if status is not None:
        return status
    # A crash has no status of its own, but it has a return code.
    return app.return_code or 0
