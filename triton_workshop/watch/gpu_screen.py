"""The screen on which a script runs on a GPU of the room."""

from __future__ import annotations

from contextlib import suppress
from threading import Event
from typing import ClassVar

from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import Static

from triton_workshop.attendance.gpu_client import run_on_a_gpu
from triton_workshop.attendance.gpu_commands import answer_table
from triton_workshop.attendance.jobs import Answer
from triton_workshop.attendance.membership import Membership, RefusedError, UnansweredError
from triton_workshop.checking.reporting.description import title
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.printing import printable
from triton_workshop.screen.reader import Reader

CONSENT = (
    "This sends your file of the exercise, and nothing else, to the presenter's machine and its GPUs.\n"
    "It is deleted there once it has run; its result stays with the room.\n\n"
    "Press enter to send it, or esc to go back."
)


class GpuScreen(Reader):
    """Sends a script to the room, and shows the queue and then the answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "cancel, back", key_display="q/esc"),
        Binding("enter", "send", "send"),
    ]

    def __init__(self, joined: Membership, exercise: Exercise, text: str, *, consented: bool) -> None:
        """Show the screen for a script.

        Without consent, nothing is sent until somebody presses enter.
        """
        super().__init__(f"{title(exercise)} · on a GPU of the room", Padding(Text(CONSENT), (0, 2)))
        self._joined, self._exercise, self._text = joined, exercise, text
        self.sent, self._stop = False, Event()
        self._consented = consented

    def on_mount(self) -> None:
        if self._consented:
            self.action_send()

    def action_send(self) -> None:
        """Send the script, once."""
        if not self.sent:
            self.sent = True
            self._show("sending the script to the room …")
            self.run_worker(self._run, thread=True)

    def action_leave(self) -> None:
        """Cancel the job if it has no answer yet, and go back."""
        self._stop.set()
        self.dismiss()

    def _run(self) -> None:
        """Wait for the answer, in a thread."""
        try:
            answer = run_on_a_gpu(
                self._joined,
                self._exercise.number,
                self._text,
                timed=True,
                show=lambda state: self._show_later(f"{state} …"),
                stop=self._stop,
            )
        except (RefusedError, UnansweredError) as error:
            self._show_later(f"The room does not run it: {error}")
        else:
            with suppress(RuntimeError):  # the app has ended in the meantime
                self.app.call_later(self._show_answer, answer)

    def _show_later(self, words: str) -> None:
        with suppress(RuntimeError):  # the app has ended in the meantime
            self.app.call_later(self._show, words)

    def _show(self, words: str) -> None:
        self._update(Text(printable(words)))

    def _show_answer(self, answer: Answer) -> None:
        self._update(answer_table(answer))

    def _update(self, contents: Text | Table) -> None:
        self.body.query_one(Static).update(Padding(contents, (0, 2)))
