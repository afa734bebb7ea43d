"""Pictures on slides and in outputs: as the terminal shows them itself, and as characters elsewhere."""

from __future__ import annotations

import asyncio
import base64
import functools
import io
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PIL import Image
from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot

from tests.apps import on_screen
from triton_workshop import terminal_pictures
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, walk
from triton_workshop.screen.printed_pictures import MAX_PIXELS, PictureLine
from triton_workshop.screen.transcript import Transcript
from triton_workshop.terminal import GraphicsProtocol, Terminal
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.overlays.output import OutputScreen

DECK = """Words
===

None but these.

<!-- end_slide -->

A picture
===

![image:width:50%](picture.png)

Below it.

<!-- end_slide -->

A block
===

```python +exec
show_image("picture.png")
```
"""
HANDED_OVER = "\x1b_triton-workshop:picture;{}\x1b\\"
SIGNS = {
    GraphicsProtocol.KITTY: "\x1b_G",
    GraphicsProtocol.SIXEL: "\x1bP0;0;0q",
    GraphicsProtocol.ITERM2: "\x1b]1337;File=",
}
RED = (255, 0, 0)
QUIET = 5
"""Looks without anything new, after which a screen is taken for complete."""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    Image.new("RGB", (160, 80), RED).save(tmp_path / "picture.png")
    path = tmp_path / "deck.md"
    path.write_text(DECK)
    return path


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the terminal gets, in pieces."""
    pieces: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "is_headless", False)  # else nothing is written
    monkeypatch.setattr(HeadlessDriver, "write", lambda driver, data: pieces.append(data))
    return pieces


@asynccontextmanager
async def presenting(
    deck: Path, slide: int, way: GraphicsProtocol | None, through_tmux: bool = False, rows: int = 24
) -> AsyncIterator[Pilot[int]]:
    viewer = Viewer(load_deck(deck), slide, Terminal(way, through_tmux=through_tmux))
    async with on_screen(viewer, (80, rows)) as pilot:
        await pilot.pause()
        yield pilot
    viewer.presentation.live.close()


async def new(written: list[str], pilot: Pilot[int], *keys: str) -> str:
    """What is written at these keys: all of it, when nothing more has come for a while."""
    written.clear()
    await pilot.press(*keys)
    quiet = 0
    while quiet < QUIET:
        before = len(written)
        await pilot.pause(0.03)
        quiet = quiet + 1 if written and len(written) == before else 0
    return "".join(written)


async def appears(sign: str, written: list[str], pilot: Pilot[int]) -> None:
    """Waits until it has been written; the test's own limit ends a vain wait."""
    while sign not in "".join(written):
        await pilot.pause(0.02)


def sixel_size(stream: str) -> tuple[int, int]:
    found = re.search(r'\x1bP0;0;0q"1;1;(\d+);(\d+)', stream)
    assert found
    return int(found[1]), int(found[2])


def iterm2_picture(stream: str) -> Image.Image:
    found = re.search(r"\x1b\]1337;File=[^:]*:([^\x07]*)\x07", stream)
    assert found
    return Image.open(io.BytesIO(base64.b64decode(found[1])))


def kitty_picture(stream: str) -> Image.Image:
    pieces = re.findall(r"\x1b_G(?:i=\d+,f=100,)?q=2,m=[01];([^\x1b]*)\x1b\\", stream)
    return Image.open(io.BytesIO(base64.b64decode("".join(pieces))))


# 36 columns are half of the slide, and 9 rows keep the shape; a cell is 10 x 20 pixels.
SIZES = {
    GraphicsProtocol.KITTY: lambda stream: kitty_picture(stream).size == (360, 180),
    GraphicsProtocol.ITERM2: lambda stream: iterm2_picture(stream).size == (360, 180),
    GraphicsProtocol.SIXEL: lambda stream: sixel_size(stream) == (360, 180),
}


def run(test: Callable[..., Coroutine[None, None, None]]) -> Callable[..., None]:
    """A test that is a coroutine."""

    @functools.wraps(test)
    def call(*arguments: object, **named: object) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **named), 120))

    return call


def stream_into(viewer: Viewer, printed: bytes, picture: Path | None = None) -> None:
    """Has the block on the slide print this, as if it ran."""
    [block] = [block for block in walk(viewer.deck.slides[-1].blocks) if isinstance(block.content, Code)]
    folder = viewer.deck.path.parent / "handed over"
    cell = viewer.presentation.live.runs.setdefault(block, BlockRun(Transcript(folder), Status.RUNNING))
    if picture is not None:
        folder.mkdir(exist_ok=True)
        (folder / "one.png").write_bytes(picture.read_bytes())
    cell.transcript.feed(printed)
    viewer.slide_screen.draw()


@pytest.mark.parametrize("way", GraphicsProtocol)
@run
async def test_a_picture_comes_with_its_slide_and_goes_with_it(
    deck: Path, written: list[str], way: GraphicsProtocol
) -> None:
    async with presenting(deck, 1, way) as pilot:
        assert SIGNS[way] not in "".join(written)
        arriving = await new(written, pilot, "n")
        assert way is GraphicsProtocol.KITTY or arriving.count(SIGNS[way]) == 1
        assert SIZES[way](arriving)
        leaving = await new(written, pilot, "p")
        assert SIGNS[way] not in leaving
        assert terminal_pictures.PLACEHOLDER not in leaving
        assert "None but these." in leaving


@run
async def test_kitty_shows_a_picture_where_letters_stand_for_it(deck: Path, written: list[str]) -> None:
    async with presenting(deck, 1, GraphicsProtocol.KITTY) as pilot:
        arriving = await new(written, pilot, "n")
        drawn = arriving.rpartition("\x1b[1;1H")[0].rpartition("\x1b_G")[2]  # all that follows the picture itself
        assert drawn.count(terminal_pictures.PLACEHOLDER) in (36 * 9, 2 * 36 * 9)
        number = int(re.findall(r"a=p,U=1,i=(\d+),c=36,r=9", arriving)[0])
        assert f"38;2;{number >> 16};{number >> 8 & 255};{number & 255}m{terminal_pictures.PLACEHOLDER}" in arriving
        back = await new(written, pilot, "p", "n")
        assert "\x1b_G" not in back, "kitty holds it still"
        assert terminal_pictures.PLACEHOLDER in back
        cache = pilot.app.slide_screen.pictures.kitty_cache  # type: ignore[attr-defined]
        assert cache.release(Terminal(GraphicsProtocol.KITTY)) == f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


@run
async def test_tmux_is_handed_what_is_for_kitty(deck: Path, written: list[str]) -> None:
    async with presenting(deck, 2, GraphicsProtocol.KITTY, through_tmux=True):
        stream = "".join(written)
        assert "\x1bPtmux;\x1b\x1b_G" in stream
        assert not re.search(r"(?<!\x1b)\x1b_G", stream)


@pytest.mark.parametrize("way", GraphicsProtocol)
@run
async def test_characters_stand_for_it_behind_an_overlay(deck: Path, written: list[str], way: GraphicsProtocol) -> None:
    async with presenting(deck, 2, way) as pilot:
        behind = await new(written, pilot, "question_mark")
        assert SIGNS[way] not in behind
        assert terminal_pictures.PLACEHOLDER not in behind
        assert "▀" in behind
        again = await new(written, pilot, "escape")
        assert terminal_pictures.PLACEHOLDER in again if way is GraphicsProtocol.KITTY else SIGNS[way] in again


@run
async def test_what_is_scrolled_out_is_cut_off(deck: Path, written: list[str]) -> None:
    deck.write_text(DECK.replace("Below it.", "Below it.\n\n" * 20), encoding="utf-8")
    async with presenting(deck, 2, GraphicsProtocol.SIXEL) as pilot:
        width, height = sixel_size("".join(written))
        for key, hidden in (("shift+down", 20), ("shift+down", 40), ("shift+up", 20)):
            assert "▀" in await new(written, pilot, key), "on its way it is in characters"
            await appears(SIGNS[GraphicsProtocol.SIXEL], written, pilot)
            assert sixel_size("".join(written)) == (width, height - hidden)


@pytest.mark.parametrize("way", [GraphicsProtocol.SIXEL, GraphicsProtocol.ITERM2])
@run
async def test_a_picture_stays_as_it_is_while_text_comes_after_it(
    deck: Path, written: list[str], tmp_path: Path, way: GraphicsProtocol
) -> None:
    async with presenting(deck, 3, way, rows=36) as pilot:
        viewer = pilot.app
        assert isinstance(viewer, Viewer)
        stream_into(viewer, b"before" + HANDED_OVER.format("one.png").encode(), tmp_path / "picture.png")
        assert SIGNS[way] in await new(written, pilot)
        for number in range(3):
            stream_into(viewer, b"after %d\n" % number)
            text = await new(written, pilot)
            assert f"after {number}" in text
            assert SIGNS[way] not in text
        # Nor do blanks take its place for a moment.
        assert "\x1b[68C" in text
        written.clear()
        await pilot.resize_terminal(60, 36)
        await appears(SIGNS[way], written, pilot)


@pytest.mark.parametrize(("width", "columns", "rows"), [(80, 68, 17), (60, 50, 12), (120, 96, 24)])
@run
async def test_a_picture_in_an_output_scales_with_the_screen(
    deck: Path, tmp_path: Path, width: int, columns: int, rows: int
) -> None:
    async with presenting(deck, 3, GraphicsProtocol.KITTY) as pilot:
        viewer = pilot.app
        assert isinstance(viewer, Viewer)
        stream_into(viewer, b"before" + HANDED_OVER.format("one.png").encode() + b"after", tmp_path / "picture.png")
        await pilot.resize_terminal(width, 36)
        await pilot.pause()
        [picture] = viewer.body.page.pictures
        assert (picture.picture.columns, picture.picture.rows) == (columns, rows)
        text = ["".join(segment.text for segment in line) for line in viewer.body.page.body]
        assert text[picture.y - 1].split() == ["▎", "before"]
        assert text[picture.y + rows].split() == ["▎", "after"]


@run
async def test_elsewhere_an_output_has_its_picture_in_characters(deck: Path, tmp_path: Path) -> None:
    async with presenting(deck, 3, None) as pilot:
        viewer = pilot.app
        assert isinstance(viewer, Viewer)
        stream_into(viewer, b"before" + HANDED_OVER.format("one.png").encode() + b"after", tmp_path / "picture.png")
        rows = [line for line in viewer.body.page.body if "▀" * 68 in "".join(segment.text for segment in line)]
        assert len(rows) == 17
        colours = {
            (segment.style.color.triplet, segment.style.bgcolor.triplet)  # type: ignore[union-attr]
            for line in rows
            for segment in line
            if "▀" in segment.text
        }
        assert colours == {(RED, RED)}
        assert viewer.body.page.pictures == ()


@run
async def test_on_the_outputs_own_screen_pictures_stand_among_the_lines(deck: Path, tmp_path: Path) -> None:
    async with presenting(deck, 3, None) as pilot:
        viewer = pilot.app
        assert isinstance(viewer, Viewer)
        stream_into(viewer, b"before" + HANDED_OVER.format("one.png").encode() + b"after", tmp_path / "picture.png")
        await pilot.press("o")
        await pilot.pause()
        assert isinstance(viewer.screen, OutputScreen)
        rows = [
            "".join(segment.text for segment in line).strip("▎ ")
            for line in map(viewer.screen.pager.render_line, range(viewer.screen.pager.visible_rows))
        ]
        picture = [index for index, row in enumerate(rows) if set(row) == {"▀"}]
        assert picture == list(range(1, len(picture) + 1))
        assert len(picture) > 8
        assert (rows[0], rows[len(picture) + 1]) == ("before", "after")


def transcript(folder: Path, *pieces: str) -> Transcript:
    read = Transcript(folder)
    for piece in pieces:
        read.feed(piece.encode())
    return read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Image.new("L", (8, 4)).save(tmp_path / "one.png")
    return tmp_path


ONE = HANDED_OVER.format("one.png")


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        (ONE, ["[8 × 4]"]),
        ("a" + ONE + "b", ["a", "[8 × 4]", "b"]),
        ("a\n" + ONE + "\nb", ["a", "[8 × 4]", "", "b"]),
        (ONE + "\x1b[1Ab", ["b"]),
        (ONE + "\x1b[1A\x1b[2K", [""]),
        (HANDED_OVER.format("../one.png"), []),
        (HANDED_OVER.format("/etc/passwd"), []),
        (HANDED_OVER.format("other.png"), ["[picture not shown: it cannot be read]"]),
    ],
)
def test_a_picture_is_a_line_of_its_own(folder: Path, printed: str, lines: list[str]) -> None:
    for pieces in ((printed,), tuple(printed)):
        Image.new("L", (8, 4)).save(folder / "one.png")
        shown = transcript(folder, *pieces).visible_lines()
        texts = [
            f"[{line.picture.width} × {line.picture.height}]" if isinstance(line, PictureLine) else line.plain
            for line in shown
        ]
        assert texts == lines


def test_a_picture_that_was_taken_in_leaves_no_file(folder: Path) -> None:
    transcript(folder, ONE)
    assert not (folder / "one.png").exists()


def test_whoever_asks_for_no_pictures_gets_none(folder: Path) -> None:
    read = Transcript()
    read.feed(f"a{ONE}b".encode())
    assert [line.plain for line in read.visible_lines()] == ["ab"]


def test_a_huge_picture_is_not_decoded(folder: Path) -> None:
    Image.new("1", (MAX_PIXELS // 1000, 1001)).save(folder / "one.png")
    [line] = transcript(folder, ONE).visible_lines()
    assert "expected at most 4,000,000" in line.plain
    assert not isinstance(line, PictureLine)


def test_a_file_that_is_no_picture_says_so(folder: Path) -> None:
    (folder / "one.png").write_text("no picture")
    [line] = transcript(folder, ONE).visible_lines()
    assert line.plain == "[picture not shown: it cannot be read]"


def test_of_too_many_pictures_the_first_become_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.screen.transcript.MAX_PICTURE_BYTES", 2 * (folder / "one.png").stat().st_size)
    read = Transcript(folder)
    for _ in range(3):
        Image.new("L", (8, 4)).save(folder / "one.png")
        read.feed(ONE.encode())
    assert [isinstance(line, PictureLine) for line in read.visible_lines()] == [False, True, True]


def test_kittys_marks_are_those_of_textual_image() -> None:
    from textual_image.renderable.tgp import _NUMBER_TO_DIACRITIC

    letters, _ = terminal_pictures.placeholders(1, 0, range(terminal_pictures.max_cells()))
    assert [ord(mark) for mark in letters[2::3]] == _NUMBER_TO_DIACRITIC
