"""The keys of a look inside. The help lists those with a tooltip."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from triton_workshop.screen.box import KeyGroups, help_entries

MOVE: list[BindingType] = [
    Binding("down,j", "step(1)", "step", key_display="↓ ↑", tooltip="next step, previous step"),
    Binding("up,k", "step(-1)", show=False),
    Binding("right,l", "program(1)", "program", key_display="→ ←", tooltip="next program, previous program"),
    Binding("left,h", "program(-1)", show=False),
    Binding("g", "grid", "grid", key_display="g", tooltip="choose a program on a map of the grid"),
    Binding(
        "n", "iteration(1)", "iteration", key_display="n p", tooltip="this line in the next iteration, the previous"
    ),
    Binding("p", "iteration(-1)", show=False),
    Binding("home", "end(0)", show=False, key_display="home end", tooltip="first step, last step"),
    Binding("end", "end(-1)", show=False),
    Binding("f", "fault", "fault", key_display="f", tooltip="the program and the line of the next fault", show=False),
    Binding("tab", "launch(1)", show=False, key_display="tab", tooltip="the next launch, if there are several"),
    Binding("shift+tab", "launch(-1)", show=False),
    Binding("c", "case", show=False, key_display="c", tooltip="another case of the exercise"),
]
VALUE: list[BindingType] = [
    Binding("a", "arguments", show=False, key_display="a", tooltip="the kernel's arguments"),
    Binding("pagedown,space", "scroll_value(1)", show=False, key_display="pgdn pgup", tooltip="scroll the value"),
    Binding("pageup", "scroll_value(-1)", show=False),
    Binding("greater_than_sign", "columns(1)", show=False, key_display="> <", tooltip="more columns of a wide table"),
    Binding("less_than_sign", "columns(-1)", show=False),
]
REST: list[BindingType] = [
    Binding("question_mark", "keys", "keys", key_display="?", tooltip="show or hide these keys"),
    Binding("q,escape", "dismiss", "back", key_display="q", tooltip="back; also esc"),
]
KEYS: list[BindingType] = [*MOVE, *VALUE, *REST]
CLICK = ("click", "a line: what it made; the arrows move on from there")
ARROWS = ("← → ⇄", "after a value: read from there, stored there, changed there")
HELP: KeyGroups = (
    ("Where", (*help_entries(MOVE), CLICK)),
    ("The value", (*help_entries(VALUE), ARROWS)),
    ("Screen", help_entries(REST)),
)
