"""The deck's diagrams: what is committed is what slides/draw_images.py draws, and a room can read it."""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox
from PIL import Image
from rich.cells import cell_len

from tests.conftest import RunPython
from triton_workshop.deck import load_deck
from triton_workshop.repository import ROOT
from triton_workshop.viewer.slides.view import margin

IMAGES = ROOT / "slides" / "images"
DRAWN_ELSEWHERE = {"terminal.png"} | {f"poseidon_{name}.jpeg" for name in ("blocks", "sepia", "edges", "tiles")}
"""The first by slides/draw_terminal.py; CONTRIBUTING.md says where Poseidon comes from."""

NAMES = (
    "gpu_sms_programs",
    "programs_vector", "scalar_block", "grid_program_tile", "memory_hierarchy", "row_major", "offsets_2d",
    "image_planes", "sliding_window", "matmul_tiles", "grouped_order", "attention_tiles", "leaky_relu", "fusion",
    "roofline",
)  # fmt: skip


@dataclass(frozen=True)
class Redrawn:
    axes: Axes
    path: Path


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    """slides/draw_images.py, which is a script and in no package."""
    sys.path.insert(0, str(ROOT / "slides"))
    try:
        return importlib.import_module("draw_images")
    finally:
        sys.path.remove(str(ROOT / "slides"))


@pytest.fixture(scope="module")
def redrawn(drawing: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Redrawn]:
    """A picture, drawn anew: once for all tests."""
    folder = tmp_path_factory.mktemp("images")

    @functools.cache
    def redraw(name: str) -> Redrawn:
        canvas = drawing.picture(name)
        canvas.save(folder / f"{name}.png")
        return Redrawn(canvas.axes, folder / f"{name}.png")

    return redraw


def difference(one: Path, other: Path) -> float:
    """Mean absolute difference of two pictures of one size, 0 to 255, in the block of 25 x 25 pixels where it is most.

    By blocks, so that one changed digit counts; by means, so that another version's rendering of edges does not.
    """
    pixels = [np.asarray(Image.open(path).convert("RGB"), dtype=float) for path in (one, other)]
    apart = np.abs(pixels[0] - pixels[1]).mean(axis=2)
    blocks = apart.reshape(apart.shape[0] // 25, 25, apart.shape[1] // 25, 25).mean(axis=(1, 3))
    return float(blocks.max())


TOLERANCE = 8.0
"""Of 255: other rendering of the edges of letters stays below it, another digit does not."""


def test_every_picture_of_the_deck_has_its_drawing(drawing: ModuleType) -> None:
    assert tuple(drawing.DRAWINGS) == NAMES
    forms = {f"{name}.{form}" for name in NAMES for form in ("png", "76.ans", "116.ans")}
    assert {path.name for path in IMAGES.iterdir()} == forms | DRAWN_ELSEWHERE


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_picture_is_what_the_script_draws(redrawn: Callable[[str], Redrawn], name: str) -> None:
    apart = difference(IMAGES / f"{name}.png", redrawn(name).path)
    assert apart < TOLERANCE, f"draw it anew: uv run slides/draw_images.py {name}"


def test_another_digit_is_a_difference(drawing: ModuleType, tmp_path: Path) -> None:
    paths = tmp_path / "one.png", tmp_path / "other.png"
    for digit, path in zip("38", paths, strict=True):
        canvas = drawing.Canvas()
        canvas.words((812, 412), digit, 26, code=True)
        canvas.save(path)
    assert difference(*paths) > TOLERANCE


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_has_the_slides_format_and_is_small(name: str) -> None:
    path = IMAGES / f"{name}.png"
    assert Image.open(path).size == (1600, 900)
    assert path.stat().st_size < 300_000


@pytest.mark.parametrize("name", NAMES)
def test_the_back_row_can_read_every_word(redrawn: Callable[[str], Redrawn], name: str) -> None:
    picture = Bbox.from_bounds(0, 0, 1600, 900)
    texts = redrawn(name).axes.texts
    words = [(text.get_text(), float(text.get_fontsize()) / 0.72, text.get_window_extent()) for text in texts]
    assert words
    for word, pixels, box in words:
        assert pixels >= 26, word
        assert picture.fully_containsx(box.x0), word
        assert picture.fully_containsx(box.x1), word
        assert picture.fully_containsy(box.y0), word
        assert picture.fully_containsy(box.y1), word
    for (one, _, here), (other, _, there) in combinations(words, 2):
        overlap = Bbox.intersection(here, there)
        assert overlap is None or min(overlap.width, overlap.height) < 2, f"{one!r} lies on {other!r}"


COLUMNS = (76, 116)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", NAMES)
def test_the_committed_cells_are_what_the_script_draws(drawing: ModuleType, name: str, columns: int) -> None:
    committed = (IMAGES / f"{name}.{columns}.ans").read_text(encoding="utf-8")
    assert committed == drawing.in_cells(name, columns).ansi, f"draw it again: uv run slides/draw_images.py {name}"


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("name", NAMES)
def test_the_cells_say_all_that_the_picture_says(
    drawing: ModuleType, redrawn: Callable[[str], Redrawn], name: str, columns: int
) -> None:
    cells = drawing.in_cells(name, columns).text
    wanted = Counter(text.get_text().strip() for text in redrawn(name).axes.texts)
    for words, count in wanted.items():
        pattern = r"\s+".join(re.escape(word) for word in words.split())
        if not (name == "grouped_order" and words.isdigit()):  # where programs stand side by side, a digit each
            pattern = rf"(?<!\w){pattern}(?!\w)"
        assert len(re.findall(pattern, cells)) >= count, f"{words!r}, in\n{cells}"


@pytest.mark.parametrize(("columns", "rows", "on_screen"), [(76, 12, 80), (116, 18, 120)])
@pytest.mark.parametrize("name", NAMES)
def test_the_cells_fit_a_slide(drawing: ModuleType, name: str, columns: int, rows: int, on_screen: int) -> None:
    lines = drawing.in_cells(name, columns).text.split("\n")
    deck = load_deck(ROOT / "slides" / "triton-workshop.md")
    assert len(lines) <= rows
    assert max(map(cell_len, lines)) <= on_screen - 2 * margin(on_screen, deck.front_matter.theme)
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("columns", COLUMNS)
def test_what_is_masked_is_dashed_in_cells_without_colour_too(drawing: ModuleType, columns: int) -> None:
    vector = drawing.in_cells("programs_vector", columns).text
    assert re.findall(r"╎\s*(\w+)\s*╎", vector)[:2] == ["False", "False"]
    assert not re.search(r"╎\s*(True|x\[\d\])", vector)
    offsets = drawing.in_cells("offsets_2d", columns).text
    assert re.findall(r"╎\s*(\S+)\s*╎", offsets) == ["21", "28", "✗", "✗"]
    assert "■" in drawing.in_cells("grouped_order", columns).text


@pytest.mark.parametrize("name", NAMES)
def test_words_on_a_fill_in_cells_have_a_colour_for_it(drawing: ModuleType, name: str) -> None:
    cells = [cell for row in drawing.in_cells(name, 76).rows for cell in row if cell.letter.strip()]
    assert all(cell.colour is not None for cell in cells if cell.fill is not None)


def test_the_tiles_that_an_order_loads_are_counted_right(drawing: ModuleType) -> None:
    matrices = drawing.matrices
    nine = range(matrices.PROGRAMS_AT_ONCE)
    assert matrices.tiles_loaded([matrices.row_after_row(pid) for pid in nine]) == (9, 81)
    assert matrices.tiles_loaded([matrices.in_groups(pid) for pid in nine]) == (27, 27)


def test_groups_visit_every_tile_once(drawing: ModuleType) -> None:
    matrices = drawing.matrices
    visited = [matrices.in_groups(pid) for pid in range(matrices.TILES**2)]
    assert sorted(visited) == [matrices.row_after_row(pid) for pid in range(matrices.TILES**2)]


def test_no_kernel_is_faster_than_the_data_sheet_allows(drawing: ModuleType) -> None:
    performance = drawing.performance
    for kernel in performance.KERNELS:
        peak = performance.PEAK_TENSOR if kernel.name == "in bf16" else performance.PEAK_FLOAT32
        roof = min(peak, kernel.intensity * performance.BANDWIDTH_DATA_SHEET)
        assert 0.3 * roof < kernel.throughput < roof, kernel.name


def test_an_unknown_name_is_answered_with_the_known_ones(run_python: RunPython) -> None:
    outcome = run_python("slides/draw_images.py", "rooflines")
    assert outcome.returncode == 1
    assert re.search(r"no drawing named rooflines; expected one of .*roofline", outcome.stderr)
    assert "Traceback" not in outcome.stderr
