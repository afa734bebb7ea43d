"""presenterm itself, one at a time: our deck opens in it, its blocks run, it exports.

What it answers to a deck is recorded, and compared in tests/test_beside_presenterm.py.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, Execution, Slide, plain, walk
from triton_workshop.repository import ROOT

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from tests.viewer.presenterm import PLAIN_TERMINAL
from tests.viewer.terminal import Terminal

PRESENTERM = shutil.which("presenterm") or "presenterm"
DECK = ROOT / "slides" / "triton-workshop.md"
SECOND = ROOT / "slides" / "second-half.md"

pytestmark = pytest.mark.presenterm
OUR_PYTHON = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
LIVE_BLOCK = 'print("never written:"'
"""What tells our launcher's block from the others."""


@pytest.fixture
def half() -> Path:
    """Which of our decks to present."""
    return DECK


@pytest.fixture
def presenterm(tmp_path: Path, half: Path) -> Terminal:
    # With our configuration, by which presenterm runs our Python. Its blocks run warm, in a process of these tests
    # alone that does not stay for long.
    variables = {"PATH": OUR_PYTHON, "XDG_RUNTIME_DIR": str(tmp_path), "TRITON_WORKSHOP_IDLE": "1"}
    command = [PRESENTERM, "-x", "--config-file", str(DECK.parent / "presenterm.yaml"), str(half)]
    return Terminal(command, half.parent, 110, 36, PLAIN_TERMINAL, **variables)


@pytest.mark.parametrize("half", [DECK, SECOND], ids=["first half", "second half"])
def test_presenterm_walks_through_our_decks(presenterm: Terminal, half: Path) -> None:
    first, *others = load_deck(half).slides
    with presenterm as terminal:
        terminal.wait_for(plain(first.title or ()))
        for slide in others:
            terminal.press("n")
            terminal.wait_for(plain(slide.title or ()))
        terminal.press("q")
        assert terminal.leave() == 0


def test_presenterm_runs_a_live_block(presenterm: Terminal) -> None:
    slides = load_deck(DECK).slides
    launcher = next(n for n, slide in enumerate(slides, 1) if plain(slide.title or ()).startswith("The launcher"))
    with presenterm as terminal:
        terminal.wait_for("Three hours, four kernels")
        terminal.press(f"{launcher}G")
        terminal.wait_for("The launcher")
        terminal.press("\x05")
        terminal.wait_for("never written: 232", seconds=60)
        terminal.wait_for("finished", seconds=60)
        terminal.press("q")
        assert terminal.leave() == 0


def test_a_picture_that_a_block_shows_is_half_blocks_on_the_slide(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    picture = DECK.parent / "poseidon_triton.jpeg"
    shows = f"/// from triton_workshop import show_image\nshow_image({str(picture)!r})"
    deck.write_text(f"A picture\n===\n\n```python +exec\n{shows}\n```\n")
    with Terminal([PRESENTERM, "-x", str(deck)], tmp_path, 110, 60, PLAIN_TERMINAL, PATH=OUR_PYTHON) as terminal:
        terminal.wait_for("A picture")
        terminal.press("\x05")
        terminal.wait_for("finished", seconds=60)
        assert terminal.text().count("▀") > 1000
        assert len(set(re.findall(rb"38;2;\d+;\d+;\d+", terminal.written))) > 100  # colours: it is no blank
        terminal.press("q")
        assert terminal.leave() == 0


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The words of our deck as presenterm exports it, with its blocks run."""
    folder = tmp_path_factory.mktemp("export")
    page = folder / "deck.html"
    command = [PRESENTERM, "-x", "--export-html", str(DECK), "--output", str(page)]
    programs = quick_programs(folder / "bin")
    search = os.pathsep.join((str(programs), os.environ["PATH"]))
    with Terminal(command, folder, 100, 30, PLAIN_TERMINAL, PATH=search, XDG_CONFIG_HOME=str(folder)) as terminal:
        assert terminal.leave(seconds=120) == 0, terminal.text()
    body = page.read_text(encoding="utf-8").partition("<body>")[2].partition("<script>")[0]
    return words(html.unescape(re.sub(r"<[^>]+>", "", body)))


def quick_programs(folder: Path) -> Path:
    """A folder with a `python` and a `uv` that only say they ran: thirty imports of torch would take minutes."""
    folder.mkdir()
    for name in ("python", "uv"):
        program = folder / name
        program.write_text("#!/bin/sh\necho 'a block ran'\n")
        program.chmod(0o755)
    return folder


def words(text: str) -> str:
    """The text with every run of white space as one space: presenterm breaks titles and lines as it likes."""
    return " ".join(text.split())


def live_sources(slide: Slide) -> list[str]:
    codes = (block.content for block in walk(slide.blocks) if isinstance(block.content, Code))
    return [code.source for code in codes if code.execution in (Execution.ON_KEY, Execution.AUTOMATIC)]


def test_the_export_has_every_slide(exported: str) -> None:
    place = 0
    for slide in load_deck(DECK).slides[1:]:
        title = words(plain(slide.title or ()))
        assert title in exported[place:], title
        place = exported.index(title, place) + len(title)


def test_the_export_has_a_blocks_output_below_its_code(exported: str) -> None:
    code = exported.index(words(LIVE_BLOCK))
    printed = exported.index("a block ran", code)
    slides = load_deck(DECK).slides
    [number] = [n for n, slide in enumerate(slides) if any(LIVE_BLOCK in source for source in live_sources(slide))]
    assert printed < exported.index(words(plain(slides[number + 1].title or ())), code)


def test_the_export_runs_every_live_block(exported: str) -> None:
    sources = [source for slide in load_deck(DECK).slides for source in live_sources(slide)]
    assert exported.count("a block ran") == len(sources)


def test_a_hidden_line_runs_in_presenterm_by_our_executor(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(
        "A slide\n===\n\n```python +exec\n/// import os\n"
        "print('wide enough:', int(os.environ['TRITON_WORKSHOP_SLIDE']) > 60)\n```\n"
    )
    command = [PRESENTERM, "-x", "--config-file", str(DECK.parent / "presenterm.yaml"), str(deck)]
    variables = {"PATH": OUR_PYTHON, "XDG_RUNTIME_DIR": str(tmp_path), "TRITON_WORKSHOP_IDLE": "1"}
    with Terminal(command, tmp_path, 110, 36, PLAIN_TERMINAL, **variables) as terminal:
        terminal.wait_for("A slide")
        terminal.press("\x05")
        terminal.wait_for("wide enough: True", seconds=60)
        terminal.press("q")
        assert terminal.leave() == 0
