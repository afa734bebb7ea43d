"""Pictures in a terminal.

They are characters anywhere, or the escape sequences of kitty, iTerm2 and sixel. This module imports no torch, and
Pillow only when there is a picture: the viewer starts without it.
"""

from __future__ import annotations

import base64
import io
import random
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from triton_workshop.terminal import GraphicsProtocol, Terminal

if TYPE_CHECKING:
    from PIL.Image import Image

Colour = tuple[int, int, int]
"""Red, green, blue, 0 to 255 each."""

UPPER_HALF_BLOCK = "▀"
MAX_PICTURE_COLUMNS = 96
"""Columns of the widest picture in an output.

A wider one would push everything else off the screen.
"""

CHUNK_BYTES = 4096
"""Bytes of one piece of a picture (kitty's protocol, "Remote client")."""
PLACEHOLDER = "\U0010eeee"
DIACRITICS = (
    "305 30d-30e 310 312 33d-33f 346 34a-34c 350-352 357 35b 363-36f 483-487 592-595 597-599 59c-5a1 "
    "5a8-5a9 5ab-5ac 5af 5c4 610-617 657-65b 65d-65e 6d6-6dc 6df-6e2 6e4 6e7-6e8 6eb-6ec 730 732-733 "
    "735-736 73a 73d 73f-741 743 745 747 749-74a 7eb-7f1 7f3 816-819 81b-823 825-827 829-82d 951 953-954 "
    "f82-f83 f86-f87 135d-135f 17dd 193a 1a17 1a75-1a7c 1b6b 1b6d-1b73 1cd0-1cd2 1cda-1cdb 1ce0 1dc0-1dc1 "
    "1dc3-1dc9 1dcb-1dcc 1dd1-1de6 1dfe 20d0-20d1 20d4-20d7 20db-20dc 20e1 20e7 20e9 20f0 2cef-2cf1 "
    "2de0-2dff a66f a67c-a67d a6f0-a6f1 a8e0-a8f1 aab0 aab2-aab3 aab7-aab8 aabe-aabf aac1 fe20-fe26 10a0f "
    "10a38 1d185-1d189 1d1aa-1d1ad 1d242-1d244 "
)
"""Diacritics, as hexadecimal ranges.

Each encodes its position among them (kitty's rowcolumn-diacritics.txt).
"""
IDENTIFIERS = 1 << 24
"""Number of pictures that colours can tell apart.

A placeholder names its picture by its colour.
"""


def half_block_colours(image: Image, columns: int, rows: int) -> Iterator[list[tuple[Colour, Colour]]]:
    """Yield the colours of each row of characters.

    They are those of the upper and the lower pixel that a character shows.
    """
    from PIL.Image import Resampling

    pixels = image.convert("RGB").resize((columns, 2 * rows), Resampling.LANCZOS, reducing_gap=3.0).tobytes()
    colours = list(zip(pixels[0::3], pixels[1::3], pixels[2::3], strict=True))
    lines = [colours[columns * y : columns * (y + 1)] for y in range(2 * rows)]
    for upper, lower in zip(lines[0::2], lines[1::2], strict=True):
        yield list(zip(upper, lower, strict=True))


def half_block_size(image: Image, columns: int) -> tuple[int, int]:
    """Return a picture's columns and rows, at most so many columns wide."""
    columns = max(1, min(columns, image.width))
    return columns, max(1, round(columns * image.height / image.width / 2))


def half_blocks(image: Image, columns: int) -> str:
    """Return the picture in 24-bit colour, `columns` wide.

    Each character shows two pixels, one above the other.
    """
    columns, rows = half_block_size(image, columns)

    def cell(upper: Colour, lower: Colour) -> str:
        """Return the character for two pixels."""
        over, under = (";".join(map(str, colour)) for colour in (upper, lower))
        return f"\x1b[38;2;{over};48;2;{under}m{UPPER_HALF_BLOCK}"

    return "\n".join(
        "".join(cell(upper, lower) for upper, lower in row) + "\x1b[0m"
        for row in half_block_colours(image, columns, rows)
    )


def resize(image: Image, width: int, height: int) -> Image:
    """Return the picture at another size.

    When it gets larger, each pixel stays square.
    """
    from PIL.Image import Resampling

    larger = width > image.width and height > image.height
    return image.resize((width, height), Resampling.NEAREST if larger else Resampling.LANCZOS)


def move_to(x: int, y: int) -> str:
    """Return the sequence that moves the cursor to a cell, counted from 0."""
    return f"\x1b[{y + 1};{x + 1}H"


def step_over(columns: int) -> str:
    """Move the cursor right, and leave what it passes as it is."""
    return f"\x1b[{columns}C"


def sixel(image: Image) -> str:
    """Return the picture as sixels."""
    from textual_image._sixel import image_to_sixels

    return image_to_sixels(image)


def iterm2(image: Image, size: str) -> str:
    """Return iTerm2's inline image.

    The size is in its words (its documentation, "Inline Images Protocol").
    """
    data = _png(image)
    return f"\x1b]1337;File=inline=1;{size};size={len(data)}:{base64.b64encode(data).decode()}\x07"


def kitty(image: Image, identifier: int, columns: int, rows: int) -> Iterator[str]:
    """Yield the sequences that send a picture to the terminal.

    It shows the picture over these cells wherever placeholders name it. From kitty's graphics protocol, "Unicode
    placeholders".
    """
    data = base64.b64encode(_png(image)).decode()
    pieces = [data[start : start + CHUNK_BYTES] for start in range(0, len(data), CHUNK_BYTES)]
    for number, piece in enumerate(pieces, 1):
        first = f"i={identifier},f=100," if number == 1 else ""
        # With q=2 the terminal does not answer: its answer would be read as keys.
        yield f"\x1b_G{first}q=2,m={int(number < len(pieces))};{piece}\x1b\\"
    yield f"\x1b_Ga=p,U=1,i={identifier},c={columns},r={rows},q=2\x1b\\"


def kitty_forget(identifier: int) -> str:
    """Remove a picture from the terminal's memory."""
    return f"\x1b_Ga=d,d=I,i={identifier},q=2\x1b\\"


def placeholders(identifier: int, row: int, columns: range) -> tuple[str, str]:
    """Return the letters that stand for a part of one row of a picture.

    With them comes the colour that names the picture.
    """
    diacritics = _diacritics()
    letters = "".join(PLACEHOLDER + diacritics[row] + diacritics[column] for column in columns)
    return letters, f"\x1b[0;38;2;{identifier >> 16};{identifier >> 8 & 255};{identifier & 255}m"


def max_cells() -> int:
    """Return the number of rows, and of columns, that placeholders can count."""
    return len(_diacritics())


@lru_cache(maxsize=1)
def _diacritics() -> tuple[str, ...]:
    ranges = ([int(end, 16) for end in item.split("-")] for item in DIACRITICS.split())
    return tuple(chr(mark) for ends in ranges for mark in range(ends[0], ends[-1] + 1))


def wrap_for_tmux(sequence: str, terminal: Terminal) -> str:
    """Return the sequence, wrapped if tmux has to pass it on.

    The source is tmux(1), "allow-passthrough".
    """
    if not terminal.through_tmux:
        return sequence
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def picture_output(image: Image, terminal: Terminal, columns: int) -> str:
    """Return the text that prints a picture of that many columns.

    It leaves the cursor on the line below the picture.
    """
    if terminal.graphics is GraphicsProtocol.ITERM2:
        return iterm2(image, f"width={columns};preserveAspectRatio=1") + "\n"
    columns, rows = terminal.cells_for(image.size, 100, columns, max_cells())
    picture = resize(image, columns * terminal.cell[0], rows * terminal.cell[1])
    if terminal.graphics is GraphicsProtocol.SIXEL:
        # The lines come first: if the picture itself scrolled, the saved position would be wrong.
        return "\n" * rows + f"\x1b7\x1b[{rows}A{sixel(picture)}\x1b8"
    number = new_identifier()
    sent = "".join(wrap_for_tmux(sequence, terminal) for sequence in kitty(picture, number, columns, rows))
    lines = (placeholders(number, row, range(columns)) for row in range(rows))
    return sent + "".join(f"{colour}{letters}\x1b[0m\n" for letters, colour in lines)


def new_identifier() -> int:
    """Return a random number for a picture in kitty's memory.

    Nobody else has it, as far as chance goes.
    """
    return random.randrange(1 << 16, IDENTIFIERS // 2)


def _png(image: Image) -> bytes:
    file = io.BytesIO()
    image.save(file, format="PNG", compress_level=1)
    return file.getvalue()
