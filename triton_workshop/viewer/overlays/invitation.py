"""The box that invites the room to follow the slides: address, word, and both as a QR code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType

from triton_workshop.screen.box import TextBox
from triton_workshop.screen.lines import wrap
from triton_workshop.screen.links import has_browser, open_link
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.sharing import Invitation

QUIET_ZONE = 4
"""Modules of light around a QR code (ISO/IEC 18004)."""
INK, PAPER = "#000000", "#ffffff"
"""Of the QR code, in dark rooms and bright ones: cameras expect dark on light."""
GAP = 3
NARROWEST = 24
"""Columns that the text needs beside the code."""
BLOCKS = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
GLYPHS = {
    "F": "##### #.... ####. #.... #....",
    "H": "#...# #...# ##### #...# #...#",
    "K": "#...# #..#. ###.. #..#. #...#",
    "L": "#.... #.... #.... #.... #####",
    "M": "#...# ##.## #.#.# #...# #...#",
    "R": "####. #...# ####. #..#. #...#",
    "T": "##### ..#.. ..#.. ..#.. ..#..",
    "W": "#...# #...# #.#.# ##.## #...#",
    "X": "#...# .#.#. ..#.. .#.#. #...#",
    "Y": "#...# .#.#. ..#.. ..#.. ..#..",
    "Z": "##### ...#. ..#.. .#... #####",
}
"""The letters of which rooms' words are made, large."""
HOW_TO_SHARE = """\
These slides are not shared. To let the room follow them in its browsers, quit and start them with:

uv run --extra room workshop present --share

--share lan listens in the network of this machine, --share alone on this machine only, and --url gives the address \
of a tunnel or a proxy in front of it."""
GUESSED = "Somebody is guessing words, so this one is longer."
ONLY_HERE = "Only this machine can open it. To let the room in, start with --share lan."
NO_KERNELS = "Kernels do not run in the pages. To fetch what they need: uv run workshop handout --live"
LOOK_SECONDS = 1.0
"""Seconds between two looks at whether there is another word."""
BOARD = "b opens the board · esc closes this"
NO_BROWSER = "no browser here · workshop board, in another terminal, shows the board"


class InvitationBox(TextBox):
    """Shows how to follow, or how to share where nothing is shared."""

    MAX_COLUMNS = 92
    BINDINGS: ClassVar[list[BindingType]] = [
        ("w,enter,space,n,l,right,pagedown", "dismiss", "Close"),  # a clicker sends one of the last
        ("b", "board", "Open the board"),
    ]

    def __init__(self, invite: Callable[[], Invitation | None], palette: Palette) -> None:
        super().__init__("Follow the slides", palette)
        self.invite, self.invitation = invite, invite()

    def on_mount(self) -> None:
        self.set_interval(LOOK_SECONDS, self.look)

    def look(self) -> None:
        """Show another word as soon as the room has one."""
        if (invitation := self.invite()) != self.invitation:
            self.invitation = invitation
            self.on_resize()

    def hint(self) -> str:
        return BOARD if self.invitation is not None else super().hint()

    def texts(self, width: int) -> list[Text]:
        """The lines: text beside the code where there is room, else above it."""
        if self.invitation is None:
            return [row for line in HOW_TO_SHARE.split("\n") for row in wrap(Text(line), width)]
        if self.invitation.only_here:  # no phone gets there
            return self._told(self.invitation, width)
        code = qr_code(self.invitation.code)
        columns = code[0].cell_len
        beside = width - columns - GAP
        if beside < NARROWEST:
            return [*self._told(self.invitation, width), Text(), *code]
        told = self._told(self.invitation, beside)
        above = [Text()] * max((len(code) - len(told)) // 2, 0)
        pairs = zip_longest(code, above + told, fillvalue=Text())
        return [Text.assemble(left, " " * (columns - left.cell_len + GAP), right) for left, right in pairs]

    def _told(self, invitation: Invitation, width: int) -> list[Text]:
        muted, accent = Style(color=self.palette.muted), Style(color=self.palette.accent, bold=True)
        warning = Style(color=self.palette.warning)
        strong = Style(color=self.palette.emphasis, bold=True)
        return [
            *wrap(Text("Open this address:", muted), width),
            *wrap(Text(invitation.address, strong), width),
            Text(),
            *wrap(Text("The room's word:", muted), width),
            Text(),
            *(Text(row, accent) for row in large(invitation.word, width)),
            *(wrap(Text(GUESSED, muted), width) if " " in invitation.word else ()),
            Text(),
            *wrap(Text(ONLY_HERE if invitation.only_here else "Or scan the code: it contains both.", muted), width),
            *(() if invitation.kernels else (Text(), *wrap(Text(NO_KERNELS, warning), width))),
        ]

    def action_board(self) -> None:
        """Open the board, whose link the wall must not show."""
        if self.invitation is not None:
            from triton_workshop.attendance.board_key import board_link  # the first slide does not wait for it

            said = open_link(board_link(self.invitation.own, self.invitation.key)) if has_browser() else ""
            self.content.border_subtitle = "the board opens in your browser" if said.startswith("↗") else NO_BROWSER


def half_blocks(rows: Sequence[Sequence[bool]]) -> list[str]:
    """A picture of two colours in characters, each of which holds two of its rows."""
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=[False] * len(rows[0]))
    return ["".join(BLOCKS[upper, lower] for upper, lower in zip(*pair, strict=True)) for pair in pairs]


def qr_code(modules: Sequence[Sequence[bool]]) -> list[Text]:
    """A QR code with its quiet zone."""
    side = [False] * QUIET_ZONE
    empty = [[False] * (len(modules[0]) + 2 * QUIET_ZONE)] * QUIET_ZONE
    rows = [*empty, *([*side, *row, *side] for row in modules), *empty]
    return [Text(row, Style(color=INK, bgcolor=PAPER)) for row in half_blocks(rows)]


def large(word: str, width: int) -> list[str]:
    """A word in large letters, each part on lines of its own, if they are known and there is room; else spaced."""
    parts = word.split(" ")
    if not set("".join(parts)) <= GLYPHS.keys() or max(map(len, parts)) * 7 - 2 > width:
        return [" ".join(word) if len(word) * 2 <= width else word]
    return [row for part in parts for row in _large(part)]


def _large(part: str) -> list[str]:
    letters = [GLYPHS[letter].split(" ") for letter in part]
    return half_blocks([[dot == "#" for dot in "..".join(row)] for row in zip(*letters, strict=True)])
