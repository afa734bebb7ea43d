"""The notes of a slide as paragraphs, and these in rows of the screen.

A line that begins with `Do:` is what the presenter does there; all others are what they say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rich.style import Style
from rich.text import Text

from triton_workshop.printing import printable
from triton_workshop.screen.lines import wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.notes.schedule import MINUTES

ENDS_A_SENTENCE = re.compile(r"""[.?!:]["')\]]*$""")
DONE = "Do:"
STARTS_A_PARAGRAPH = re.compile(rf"[-*•–+>#]|\d+[.)]\s|{DONE}")


def paragraphs(note: str) -> list[str]:
    """The paragraphs of a note. Each line is one, unless the author broke it only to fit the file."""
    found: list[str] = []
    for line in note.split("\n"):
        line = line.strip()
        goes_on = found and found[-1] and line and not ENDS_A_SENTENCE.search(found[-1])
        if goes_on and len(found[-1]) > 60 and not STARTS_A_PARAGRAPH.match(line):
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    return [line for line in found if line]


def said(notes: Sequence[str]) -> list[str]:
    """The paragraphs that are said: without the slide's minutes, and without what is done."""
    spoken = MINUTES.sub("", notes[0], count=1) if notes else ""
    found = (paragraph for note in (spoken, *notes[1:]) for paragraph in paragraphs(note))
    return [paragraph for paragraph in found if not paragraph.startswith(DONE)]


@lru_cache(maxsize=64)
def note_lines(notes: tuple[str, ...], width: int, rows: int, palette: Palette) -> tuple[Text, ...]:
    """Notes in rows, with space between paragraphs unless they only fit without it."""
    texts = [paragraph for note in notes for paragraph in paragraphs(printable(note))]
    if not texts:
        return (Text("No notes for this slide.", Style(color=palette.muted, italic=True)),)
    done = Style(color=palette.accent)
    written = [Text(text, done if text.startswith(DONE) else "") for text in texts]
    airy = [wrap(text, width) for text in written]
    if sum(map(len, airy)) + len(airy) - 1 > rows:  # without space, a hanging indent separates paragraphs
        tight = [hanging(wrap(text, width - 2)) for text in written]
        if sum(map(len, tight)) <= rows:
            return tuple(row for paragraph in tight for row in paragraph)
    return tuple(row for index, paragraph in enumerate(airy) for row in ([Text(), *paragraph] if index else paragraph))


def hanging(rows: Sequence[Text]) -> list[Text]:
    first, *others = rows
    return [first, *(Text("  ") + row for row in others)]
