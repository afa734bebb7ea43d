"""The box with the room's address, its word, and both as a QR code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
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
"""Colours of the QR code; cameras expect dark on light."""
GAP = 3
MIN_TEXT_COLUMNS = 24
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
"""The letters of rooms' words in a large font."""
HOW_TO_SHARE = """\
These slides are not shared. To let the room follow them in its browsers, quit and start them with:

uv run --extra room workshop present --share

--share lan listens in the network of this machine, --share alone on this machine only, and --url gives the address \
of a tunnel or a proxy in front of it."""
GUESSED = "Somebody is guessing words, so this one is longer."
ONLY_HERE = "Only this machine can open it. To let the room in, start with --share lan."
NO_KERNELS = "Kernels do not run in the pages. To fetch what they need: uv run workshop handout --live"
POLL_SECONDS = 1.0
"""Seconds between two checks for another word."""
BOARD = "b opens the board · esc closes this"
NO_BROWSER = "no browser here · workshop board, in another terminal, shows the board"


class InvitationBox(TextBox):
    """Directions for the room, or for sharing if nothing is shared."""

    MAX_COLUMNS = 92
    BINDINGS: ClassVar[list[BindingType]] = [
        ("w,enter,space,n,l,right,pagedown", "dismiss", "Close"),  # a clicker sends one of the last
        ("b", "board", "Open the board"),
    ]

    def __init__(self, invite: Callable[[], Invitation | None], palette: Palette) -> None:
        super().__init__("Follow the slides", palette)
        self.invite, self.invitation = invite, invite()

    def on_mount(self) -> None:
        self.set_interval(POLL_SECONDS, self.refresh_invitation)

    def refresh_invitation(self) -> None:
        """Show another word as soon as the room has one."""
        if (invitation := self.invite()) != self.invitation:
            self.invitation = invitation
            self.on_resize()

    def hint(self) -> str:
        """Return the keys for the box's frame."""
        return BOARD if self.invitation is not None else super().hint()

    def texts(self, width: int) -> list[Text]:
        """Return the lines: text beside the code if it fits, else above it."""
        if self.invitation is None:
            return list(chain.from_iterable(wrap(Text(line), width) for line in HOW_TO_SHARE.split("\n")))
        if self.invitation.local_only:  # no phone gets there
            return self._directions(self.invitation, width)
        code = qr_code(self.invitation.code)
        columns = code[0].cell_len
        text_columns = width - columns - GAP
        if text_columns < MIN_TEXT_COLUMNS:
            return [*self._directions(self.invitation, width), Text(), *code]
        directions = self._directions(self.invitation, text_columns)
        above = [Text()] * max((len(code) - len(directions)) // 2, 0)
        pairs = zip_longest(code, above + directions, fillvalue=Text())
        return [Text.assemble(row, " " * (columns - row.cell_len + GAP), text) for row, text in pairs]

    def _directions(self, invitation: Invitation, width: int) -> list[Text]:
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
            # A room's word has a space only once it was made longer.
            *(wrap(Text(GUESSED, muted), width) if " " in invitation.word else ()),
            Text(),
            *wrap(Text(ONLY_HERE if invitation.local_only else "Or scan the code: it contains both.", muted), width),
            *(() if invitation.kernels else (Text(), *wrap(Text(NO_KERNELS, warning), width))),
        ]

    def action_board(self) -> None:
        """Open the board, whose link the wall must not show."""
        if self.invitation is not None:
            from triton_workshop.attendance.board_key import board_link  # the first slide does not wait for it

            result = open_link(board_link(self.invitation.local_address, self.invitation.key)) if has_browser() else ""
            opened = result.startswith("↗")
            self.content.border_subtitle = "the board opens in your browser" if opened else NO_BROWSER


def half_blocks(rows: Sequence[Sequence[bool]]) -> list[str]:
    """Draw a picture of two colours in characters of two pixels each."""
    pairs = zip_longest(rows[::2], rows[1::2], fillvalue=[False] * len(rows[0]))
    lines = []
    for upper_row, lower_row in pairs:
        pixels = zip(upper_row, lower_row, strict=True)
        lines.append("".join(BLOCKS[pixel] for pixel in pixels))
    return lines


def qr_code(modules: Sequence[Sequence[bool]]) -> list[Text]:
    """Draw a QR code with its quiet zone."""
    side = [False] * QUIET_ZONE
    empty = [[False] * (len(modules[0]) + 2 * QUIET_ZONE)] * QUIET_ZONE
    rows = [*empty, *([*side, *row, *side] for row in modules), *empty]
    return [Text(row, Style(color=INK, bgcolor=PAPER)) for row in half_blocks(rows)]


def large(text: str, width: int) -> list[str]:
    """Draw a room's word in large letters, split at its spaces.

    A word with unknown letters, or one that is too wide, is only spaced out.
    """
    groups = [group for group in text.split(" ") if group]
    has_all_letters = set("".join(groups)) <= GLYPHS.keys()
    # A letter takes 5 columns, with 2 between it and the next.
    columns = max(map(len, groups), default=0) * 7 - 2
    is_drawable = has_all_letters and columns <= width
    if not is_drawable:
        return [" ".join(text) if len(text) * 2 <= width else text]
    return list(chain.from_iterable(map(_large, groups)))


def _large(group: str) -> list[str]:
    letters = [GLYPHS[letter].split(" ") for letter in group]
    return half_blocks([[dot == "#" for dot in "..".join(row)] for row in zip(*letters, strict=True)])
