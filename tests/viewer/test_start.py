"""The way to the first slide, and to the next: nothing heavy on it. How long it takes is benchmarks/latency.py's."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from textual.pilot import Pilot

from tests.apps import until
from tests.conftest import RunPython
from triton_workshop.deck import Deck, load_deck
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.pictures.drawing import half_blocks
from triton_workshop.viewer.slides import prefetch as prefetch_module
from triton_workshop.viewer.slides.prefetch import Prefetch
from triton_workshop.viewer.slides.view import View

from .test_viewer import drive

VIEW = View(DARK, 80, 24)
FIRST_SLIDE = """
import gc, sys
from pathlib import Path
import triton_workshop.cli
from triton_workshop.viewer.start import starting
with starting() as terminal:
    from triton_workshop.viewer.present import Viewer, load_deck
    from triton_workshop.viewer.slides.page import compose
    from triton_workshop.viewer.slides.view import View
    from triton_workshop.screen.palette import DARK
    deck = load_deck(Path(sys.argv[1]))
    viewer = Viewer(deck, terminal=terminal())
    compose(deck, deck.slides[0], View(DARK, 120, 36, terminal=viewer.slide_screen.terminal))
    print(gc.isenabled(), *sorted(set(sys.argv[2:]) & set(sys.modules)))
print(gc.isenabled())
"""
WAITS = (
    "torch", "torchvision", "triton", "numpy", "matplotlib", "PIL", "textual_image", "pygments.lexers", "watchfiles",
    "textual.widgets._text_area",
)  # fmt: skip


def test_the_first_slide_waits_for_nothing_that_it_does_not_need(run_python: RunPython, deck: Deck) -> None:
    result = run_python("-c", FIRST_SLIDE, deck.path, *WAITS)
    # No garbage is collected before the first slide, and none of the modules has been imported.
    assert result.stdout.splitlines() == ["False", "True"], result.stderr


READ = """
import sys
from triton_workshop.cli import main
try:
    main()
finally:
    print(*{"pydantic", "yaml", "torch"} & set(sys.modules))
"""


def test_reading_the_command_line_takes_nothing_heavy(run_python: RunPython) -> None:
    result = run_python("-c", READ, "hint", "0")
    assert result.stdout == "\n", result.stderr


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    """A title, then a picture."""
    Image.linear_gradient("L").save(tmp_path / "picture.png")
    path = tmp_path / "deck.md"
    path.write_text("One\n===\n\n<!-- end_slide -->\n\nTwo\n===\n\n![](picture.png)\n")
    return load_deck(path)


def test_the_next_slide_is_composed_while_this_one_is_shown(deck: Deck) -> None:
    half_blocks.cache_clear()

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: half_blocks.cache_info().currsize == 1)
        await pilot.press("n")
        assert viewer.presentation.position.slide == 1

    drive(deck.path, steps)
    assert half_blocks.cache_info().misses == 1


def test_a_slide_that_cannot_be_drawn_does_not_keep_the_others_from_it(
    deck: Deck, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def fail_on_the_first(deck: Deck, slide: object, view: View) -> None:
        if slide is deck.slides[0]:
            raise ValueError("no such colour")
        drawn.append(slide)

    monkeypatch.setattr(prefetch_module, "draw", fail_on_the_first)
    prefetch = Prefetch()
    prefetch.compose(deck, deck.slides, VIEW)
    prefetch._thread.shutdown()
    assert drawn == [deck.slides[1]]


def test_once_closed_nothing_is_composed_ahead(deck: Deck, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(prefetch_module, "draw", lambda deck, slide, view: drawn.append(slide))
    prefetch = Prefetch()
    prefetch.close()
    prefetch.compose(deck, deck.slides, VIEW)
    assert drawn == []
