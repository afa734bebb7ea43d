"""The notes of a slide as paragraphs, and these in rows of the screen.

A line that begins with `Do:` is an action of the presenter; they say all others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from rich.style import Style
from rich.text import Text

from triton_workshop.printing import printable
from triton_workshop.screen.lines import wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.viewer.notes.schedule import MINUTES

ENDS_A_SENTENCE = re.compile(r"""[.?!:]["')\]]*$""")
ACTION_PREFIX = "Do:"
STARTS_A_PARAGRAPH = re.compile(rf"[-*•–+>#]|\d+[.)]\s|{ACTION_PREFIX}")


def paragraphs(note: str) -> list[str]:
    """Split a note into paragraphs.

    Each line is one, unless the author broke it only to fit the file.
    """
    result: list[str] = []
    for line in note.split("\n"):
        line = line.strip()
        previous = result[-1] if result else ""
        # A short line was not broken to fit the file.
        is_broken = len(previous) > 60 and not ENDS_A_SENTENCE.search(previous)
        is_continuation = line != "" and not STARTS_A_PARAGRAPH.match(line)
        if is_broken and is_continuation:
            result[-1] = f"{previous} {line}"
        else:
            result.append(line)
    return [line for line in result if line]


def spoken_paragraphs(notes: Sequence[str]) -> list[str]:
    """Return the notes without the slide's minutes and the actions."""
    first = MINUTES.sub("", notes[0], count=1) if notes else ""
    result = chain.from_iterable(map(paragraphs, (first, *notes[1:])))
    return [paragraph for paragraph in result if not paragraph.startswith(ACTION_PREFIX)]


@lru_cache(maxsize=64)
def note_lines(notes: tuple[str, ...], width: int, rows: int, palette: Palette) -> tuple[Text, ...]:
    """Wrap notes, with space between paragraphs if they fit."""
    texts = list(chain.from_iterable(paragraphs(printable(note)) for note in notes))
    if not texts:
        return (Text("No notes for this slide.", Style(color=palette.muted, italic=True)),)
    action = Style(color=palette.accent)
    styled = [Text(text, action if text.startswith(ACTION_PREFIX) else "") for text in texts]
    airy = [wrap(text, width) for text in styled]
    if sum(map(len, airy)) + len(airy) - 1 > rows:  # without space, a hanging indent separates paragraphs
        tight = [hanging(wrap(text, width - 2)) for text in styled]
        if sum(map(len, tight)) <= rows:
            return tuple(chain.from_iterable(tight))
    # Notes that do not fit either way are scrolled, so they may as well have space.
    first, *others = airy
    return (*first, *chain.from_iterable([Text(), *paragraph] for paragraph in others))


def hanging(rows: Sequence[Text]) -> list[Text]:
    """Indent all rows but the first."""
    first, *rest = rows
    return [first, *(Text("  ") + row for row in rest)]
