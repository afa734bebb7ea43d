"""The keys of the watcher.

The help lists those with a tooltip, which explains the others too.
"""

from __future__ import annotations

from textual.binding import Binding, BindingType

from triton_workshop.exercises import REQUIRED
from triton_workshop.screen.box import KeyGroups, help_entries
from triton_workshop.screen.job_control import SUSPEND

KEYS: list[BindingType] = [
    Binding("question_mark", "keys", "keys", key_display="?", tooltip="show these keys; esc hides them"),
    Binding("h", "hint", "hint", tooltip="show a hint; press again for one that says more"),
    Binding("s", "solution", "solution", tooltip="compare yours with the solution, once yours has passed"),
    Binding("i", "look", "look", tooltip="look inside: every value, at the line and program of the verdict"),
    Binding("m", "compiled", "made of it", tooltip="what the compiler generated for your last pass", show=False),
    Binding("n", "step(1)", "next", tooltip="next exercise"),
    Binding("p", "step(-1)", "previous", tooltip="previous exercise", show=False),
    Binding("b", "variation", "variation", tooltip="a variation of this exercise, if you finish early", show=False),
    Binding("e", "edit", "edit", tooltip="open the file in your editor ($EDITOR)"),
    Binding("l", "list", "list", tooltip="list of exercises, and how far you are"),
    Binding("r", "check", "check", tooltip="check again", show=False),
    Binding("g", "gpu", "on a GPU", tooltip="run it on a GPU of the room, if you have joined one", show=False),
    Binding("a", "ask", "ask", tooltip="ask the presenter for help, if you have joined the room", show=False),
    Binding("x", "reset", "reset", tooltip="restore the file as shipped; yours is kept as a backup"),
    SUSPEND,
    Binding("q", "quit", "quit", tooltip="quit; also Ctrl+C"),
    Binding("ctrl+c,ctrl+q", "quit", "quit", show=False, priority=True),
    *(Binding(number, f"open('{number}')", show=False) for number in REQUIRED),
]
_UNBOUND = ((" ".join(REQUIRED), "exercise by number"), ("↑ ↓", "scroll; pgup and pgdn by more"))
HELP: KeyGroups = (("This exercise, and the others", (*help_entries(KEYS), *_UNBOUND)),)
