"""Defects of a deck that show without running it.

Its parser refuses or warns about others.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from triton_workshop.deck.model import Block, Code, Deck, DeckProblem, Image, walk

MAX_MEGABYTES = 20
MAX_MEGAPIXELS = 50
"""The largest pictures, since decoding one delays its slide by seconds.

A 4K screen has 8 megapixels.
"""


def find_defects(deck: Deck) -> tuple[DeckProblem, ...]:
    """Return the defects of a deck, by line.

    They are the parser's warnings, pictures that cannot be shown, and hidden lines that are not hidden.
    """
    blocks = [block for slide in deck.slides for block in walk(slide.blocks)]
    defects = [
        DeckProblem(block.path or deck.path, line, message) for block in blocks for line, message in _defects(block)
    ]
    # False sorts first: the deck's own defects come before those of included files.
    return tuple(sorted((*deck.warnings, *defects), key=lambda problem: (problem.path != deck.path, problem.line)))


def _defects(block: Block) -> Iterator[tuple[int, str]]:
    """Line and message for each problem with a block."""
    match block.content:
        case Image(path):
            if problem := picture_defect(path):
                yield block.line, f"{path.name}: {problem}"
        case Code(language="python", file=None) as code:
            # Not strict: after its last line feed, the source splits off an empty line.
            sources = zip(code.source.split("\n"), code.source_lines, strict=False)
            for text, line in sources:
                if text.startswith("///"):
                    yield line, "'///' needs a space after it; without one, the line is shown and breaks the code"
        case _:
            pass


def picture_defect(path: Path) -> str | None:
    """Return the reason why a picture cannot be shown soon, or None."""
    from PIL import Image as Pictures

    try:
        megabytes = path.stat().st_size / 1e6
        if megabytes > MAX_MEGABYTES:
            return f"{megabytes:.0f} MB, expected at most {MAX_MEGABYTES}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # we count the pixels ourselves
            with Pictures.open(path) as picture:
                megapixels = picture.width * picture.height / 1e6
                if megapixels > MAX_MEGAPIXELS:
                    return f"{megapixels:.0f} megapixels, expected at most {MAX_MEGAPIXELS}"
                picture.load()
    except Pictures.DecompressionBombError:
        return f"hundreds of megapixels, expected at most {MAX_MEGAPIXELS}"
    except (OSError, ValueError, SyntaxError) as error:  # Pillow's PNG reader raises SyntaxError for a broken file
        return f"cannot be opened: {error}"
    return None
