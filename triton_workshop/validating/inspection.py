"""What can be said about a deck without running it, beyond what its parser refuses or warns about."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from triton_workshop.deck.model import Block, Code, Deck, DeckProblem, Image, walk

MOST_MEGABYTES = 20
MOST_MEGAPIXELS = 50
"""The largest pictures, since decoding takes seconds each time a slide is shown; a 4K screen has 8 megapixels."""


def inspect(deck: Deck) -> tuple[DeckProblem, ...]:
    """The parser's warnings, pictures that cannot be shown, and hidden lines that are not hidden, by line."""
    blocks = [block for slide in deck.slides for block in walk(slide.blocks)]
    found = [
        DeckProblem(block.path or deck.path, line, message) for block in blocks for line, message in _defects(block)
    ]
    return tuple(sorted((*deck.warnings, *found), key=lambda problem: (problem.path != deck.path, problem.line)))


def _defects(block: Block) -> Iterator[tuple[int, str]]:
    """Line and message for each problem with a block."""
    match block.content:
        case Image(path):
            if problem := picture_defect(path):
                yield block.line, f"{path.name}: {problem}"
        case Code(language="python", file=None) as code:
            sources = zip(code.source.split("\n"), code.source_lines, strict=False)
            for text, line in sources:
                if text.startswith("///"):
                    yield line, "'///' needs a space after it; without one, the line is shown and breaks the code"
        case _:
            pass


def picture_defect(path: Path) -> str | None:
    """Why this picture cannot be shown, or only after a long wait; None if it can."""
    from PIL import Image as Pictures

    try:
        megabytes = path.stat().st_size / 1e6
        if megabytes > MOST_MEGABYTES:
            return f"{megabytes:.0f} MB, expected at most {MOST_MEGABYTES}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Pictures.DecompressionBombWarning)  # we count the pixels ourselves
            with Pictures.open(path) as picture:
                megapixels = picture.width * picture.height / 1e6
                if megapixels > MOST_MEGAPIXELS:
                    return f"{megapixels:.0f} megapixels, expected at most {MOST_MEGAPIXELS}"
                picture.load()
    except Pictures.DecompressionBombError:
        return f"hundreds of megapixels, expected at most {MOST_MEGAPIXELS}"
    except (OSError, ValueError, SyntaxError) as error:  # Pillow's PNG reader raises SyntaxError for a broken file
        return f"cannot be opened: {error}"
    return None
