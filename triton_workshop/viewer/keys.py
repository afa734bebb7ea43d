"""The keys of the viewer.

The help lists those with a tooltip, which explains the others too. It has no free row at 80 × 24: a new key shares one,
as `b . w m` do.
"""

from __future__ import annotations

from textual.binding import Binding, BindingType

from triton_workshop.screen.box import KeyGroups, help_entries
from triton_workshop.screen.job_control import SUSPEND

MOVE = (
    Binding("right,l,j,down,space,pagedown", "go('next')", key_display="→  l  j  ↓  space  pgdn", tooltip="next step"),
    Binding("left,h,k,up,pageup", "go('previous')", key_display="←  h  k  ↑  pgup", tooltip="step back"),
    Binding("n", "go('next_slide')", key_display="n   p", tooltip="next slide, previous slide"),
    Binding("p", "go('previous_slide')"),
    Binding("home", "go('first')", key_display="g g  home    G  end", tooltip="first slide, last slide"),
    Binding("end", "go('last')"),
    Binding("g", "first"),
    Binding("G,upper_g,shift+g", "numbered", key_display="12 G", tooltip="slide 12"),
    Binding("s", "go('complete')", key_display="s", tooltip="show every step"),
    Binding("ctrl+p", "index", key_display="Ctrl+P    /", tooltip="list of slides, search"),
    Binding("slash", "search"),
)
CODE = (
    Binding("ctrl+e", "run", key_display="Ctrl+E", tooltip="run the code on the slide"),
    Binding("ctrl+x", "stop", key_display="Ctrl+X", tooltip="stop it"),
    Binding("ctrl+o", "edit", key_display="Ctrl+O", tooltip="edit it; again, the next block"),
    Binding("escape", "cancel", key_display="esc", tooltip="leave editor; again, original code"),
    Binding("o", "output", key_display="o    i", tooltip="output on the whole screen; look inside"),
    Binding("i", "look"),
)
CLICK = ("click", "run, edit or open what you click")
SCREEN = (
    Binding("shift+down", "scroll(1)", key_display="shift+↑↓  Ctrl+U  Ctrl+D", tooltip="scroll a long slide"),
    Binding("shift+up", "scroll(-1)"),
    Binding("ctrl+d", "scroll(0.5)"),
    Binding("ctrl+u", "scroll(-0.5)"),
    Binding("b,full_stop", "black", key_display="b . w m", tooltip="black; room: address, mistakes"),
    Binding("w", "invite"),
    Binding("m", "mistakes"),
    Binding("r,ctrl+r", "reload", key_display="r  Ctrl+R   T", tooltip="reload; lines between columns"),
    Binding("T,upper_t,shift+t", "grid"),
    Binding("question_mark", "keys", key_display="?  esc", tooltip="show or hide these keys"),
    Binding("q", "leave", key_display="q  Ctrl+C", tooltip="quit; asks once after edits"),
    Binding("ctrl+q", "leave", priority=True),
    Binding("ctrl+c", "interrupt", priority=True),
    SUSPEND,
)
KEYS: list[BindingType] = [*MOVE, *CODE, *SCREEN]
HELP: KeyGroups = (
    ("Move", help_entries(MOVE)),
    ("Code", (*help_entries(CODE), CLICK)),
    ("Screen", help_entries(SCREEN)),
)
