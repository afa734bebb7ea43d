"""The app of `workshop look`: one screen, until it is closed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from triton_workshop.look.screen import LookScreen
from triton_workshop.screen.box import BOX_STYLE
from triton_workshop.screen.colours_256 import Colours256Filter
from triton_workshop.screen.garbage_collection import resume_collection
from triton_workshop.screen.hangup import quit_on_hangup
from triton_workshop.screen.job_control import SUSPEND, suspend_job, take_job_signals
from triton_workshop.screen.theme import use_palette


class Look(App[int]):
    """Shows one screen, and ends with it."""

    TITLE = "Triton Workshop"
    ENABLE_COMMAND_PALETTE = False
    CSS = BOX_STYLE
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True),
        Binding(SUSPEND.key, SUSPEND.action, show=False, priority=True),
    ]

    def __init__(self, page: LookScreen) -> None:
        super().__init__()
        self.page = page
        use_palette(self, page.palette)
        if self.console.color_system == "256":
            self._filters.append(Colours256Filter())

    def on_mount(self) -> None:
        quit_on_hangup(self, lambda: None)
        take_job_signals(self)
        self.push_screen(self.page, lambda _: self.exit(0))

    def on_ready(self) -> None:
        resume_collection()

    def action_suspend_process(self) -> None:
        """Return to the shell until `fg`."""
        if error := suspend_job(self, lambda: None):
            self.notify(error, markup=False)
