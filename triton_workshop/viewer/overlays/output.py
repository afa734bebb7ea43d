"""The screen with a block's output, as far as it is stored."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen
from textual.strip import Strip

from triton_workshop.screen.lines import fitting, strip
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.overlays.pager import Pager
from triton_workshop.viewer.slides.outputs import run_status


@dataclass(frozen=True)
class NamedRun:
    """One run, and its name in the title bar."""

    name: str
    run: BlockRun


class OutputScreen(ModalScreen[None]):
    """One of several outputs, with the status of its run below."""

    AUTO_FOCUS = "Pager"
    CSS = "OutputScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,o,q", "dismiss", "Close"),
        ("tab", "switch(1)", "Next output"),
        ("shift+tab", "switch(-1)", "Previous output"),
        ("ctrl+x", "app.stop", "Stop"),
    ]

    def __init__(self, outputs: Sequence[NamedRun], chosen: int, palette: Palette, terminal: Terminal) -> None:
        super().__init__()
        self.outputs = outputs
        self.chosen = chosen
        self.palette = palette
        self.heading, self.status = Rows(name="heading"), Rows(name="status")
        self.pager = Pager(outputs[chosen].run, palette, terminal)

    def compose(self) -> ComposeResult:
        yield from (self.heading, self.pager, self.status)

    def on_mount(self) -> None:
        self.draw()
        self.watch(self.pager, "scroll_y", self._draw_frame, init=False)

    def on_resize(self) -> None:
        self.draw()

    def on_click(self, event: events.Click) -> None:
        """Hide the click from the slide below."""
        event.stop()

    def draw(self) -> None:
        """Show the output as it is now."""
        if self.is_mounted:
            self.pager.update(self._run_status()[1])
            self._draw_frame()

    def _draw_frame(self) -> None:
        """Draw the rows above and below the output."""
        width = max(self.app.size.width, 1)
        self.heading.show((self._heading(width),))
        self.status.show((self._status(width),))

    def _run_status(self) -> tuple[Text, str]:
        return run_status(self.outputs[self.chosen].run, time.monotonic(), self.palette)

    def _heading(self, width: int) -> Strip:
        palette = self.palette
        ground = Style(color=palette.on_bar, bgcolor=palette.bar, bold=True)
        count = f"{self.chosen + 1} of {len(self.outputs)} · Tab " if len(self.outputs) > 1 else ""
        name = Text(f" {self.outputs[self.chosen].name}")
        name.truncate(max(width - len(count) - 2, 1), overflow="ellipsis", pad=True)
        return strip(Text.assemble(name, count, " "), width, ground)

    def _status(self, width: int) -> Strip:
        """Draw the run's status, and the numbers of the visible rows."""
        pager, plain = self.pager, Style(color=self.palette.muted, bold=False)
        rows = pager.starts[-1]
        last = min(pager.top + pager.visible_rows, rows)
        text, _ = self._run_status()
        # `min`, as an empty output has no first row.
        text.append(f"   {min(pager.top + 1, last):,}–{last:,} of {rows:,}", plain)
        if pager.dropped:
            text.append(f"   {pager.dropped:,} earlier ones were dropped", plain)
        can_follow = pager.run.status is not Status.ENDED and not pager.follows
        if can_follow:
            text.append("   G follows the output", Style(color=self.palette.accent, bold=False))
        hint = fitting(("Esc back", ""), width - text.cell_len - 4)
        gap = max(width - text.cell_len - len(hint) - 2, 1)
        ground = Style(color=self.palette.muted, bgcolor=self.palette.background)
        return strip(Text.assemble(" ", text, " " * gap, Text(hint), " "), width, ground)

    # Keys

    def action_switch(self, steps: int) -> None:
        """Show the output that is so many further on."""
        self.chosen = (self.chosen + steps) % len(self.outputs)
        self.pager.open(self.outputs[self.chosen].run)
        self.draw()
