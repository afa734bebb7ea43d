"""Live blocks without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Block, Code, Execution, Slide
from triton_workshop.processes.runner import Runner
from triton_workshop.viewer.live import live_blocks
from triton_workshop.viewer.live.live_blocks import (
    LiveBlocks,
    Status,
    blocks_for_key,
    blocks_to_start,
    program_of,
)

PRINTS_A_PICTURE = "import sys; from PIL import Image; Image.new('L', (2, 3)).save(sys.stdout.buffer, 'PNG')"


def block(
    source: str,
    language: str = "python",
    line: int = 1,
    execution: Execution = Execution.ON_KEY,
    alternative: str | None = None,
) -> Block:
    code = Code(language, (source,), source, (line,), execution=execution, alternative=alternative)
    return Block(code, 0, line)


def slide(*blocks: Block) -> Slide:
    return Slide(None, blocks, steps=1, line=1)


def run_to_the_end(live: LiveBlocks, *blocks: Block) -> list[str]:
    """Runs blocks; what each printed."""
    live.start([(block, 80) for block in blocks])
    for thread in live._threads:
        thread.join(timeout=60)
    while live.busy:
        live.update()
    return ["\n".join(line.plain for line in live.runs[block].transcript.visible_lines()) for block in blocks]


def test_blocks_run_one_after_the_other(tmp_path: Path) -> None:
    first = block("import pathlib; pathlib.Path('mark').touch(); print('made')", line=1)
    second = block("import pathlib; print(pathlib.Path('mark').exists())", line=2)
    assert run_to_the_end(LiveBlocks(tmp_path / "deck.md"), first, second) == ["made", "True"]


def test_what_cannot_start_says_why_and_the_next_block_runs(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "deck.md")
    stranger = block("", "cobol", line=1)
    assert run_to_the_end(live, stranger, block("print('next')", line=2)) == ["", "next"]
    assert "cobol" in (live.runs[stranger].failure or "")


def test_a_missing_folder_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "nowhere" / "deck.md")
    lost = block("print(1)")
    run_to_the_end(live, lost)
    assert "No such file" in (live.runs[lost].failure or "")


def test_a_traceback_counts_the_lines_that_the_slide_shows(tmp_path: Path) -> None:
    code = Code("python", ("y = 0", "1 / y"), "x = 1\ny = 0\nz = 1\n1 / y\n", (5, 6, 7, 8), hidden=frozenset({0, 2}))
    [printed] = run_to_the_end(LiveBlocks(tmp_path / "deck.md"), Block(code, 0, 4))
    assert 'File "block.py", line 2, in <module>' in printed


def test_stop_reaches_what_waits(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "deck.md")
    endless, waiting = block("while True: pass", line=1), block("print('never')", line=2)
    live.start([(endless, 80), (waiting, 80)])
    live.stop()
    assert run_to_the_end(live) == []
    assert [run.status for run in live.runs.values()] == [Status.ENDED, Status.ENDED]
    assert live.runs[waiting].outcome is None


def test_closing_ends_everything_and_nothing_starts_after(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "deck.md")
    live.start([(block("while True: pass"), 80)])
    live.close()
    assert not any(thread.is_alive() for thread in live._threads)
    live.start([(block("print('late')", line=2), 80)])
    assert not any(thread.is_alive() for thread in live._threads)


@pytest.mark.parametrize(("can_fork", "times"), [(True, 1), (False, 2)])
def test_what_has_waited_too_long_gets_ready_again_with_the_next_slide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_fork: bool, times: int
) -> None:
    """And where something can fork, nothing has ended meanwhile."""
    monkeypatch.setattr(live_blocks, "CAN_FORK", can_fork)
    started: list[str] = []
    monkeypatch.setattr(Runner, "warm_up", lambda _: started.append("warm"))
    live = LiveBlocks(tmp_path / "deck.md")
    live.stay_warm()
    assert started == []
    live.warm_up(load_deck(Path(__file__).parent / "decks" / "live.md"))
    live.stay_warm()
    assert len(started) == times


AUTOMATIC = block("", execution=Execution.AUTOMATIC, line=1)
REPLACED = block("", execution=Execution.REPLACE, line=2)
PICTURE = block("", execution=Execution.IMAGE, line=3)
ON_KEY = block("", line=4)


def test_a_slide_starts_by_itself_what_presenterm_starts() -> None:
    every = slide(AUTOMATIC, REPLACED, PICTURE, ON_KEY)
    assert blocks_to_start(every) == [AUTOMATIC, REPLACED, PICTURE]


@pytest.mark.parametrize(
    ("on_the_slide", "run"),
    [
        ([AUTOMATIC, REPLACED, ON_KEY], [AUTOMATIC, ON_KEY]),
        ([REPLACED, PICTURE], [REPLACED, PICTURE]),
        ([], []),
    ],
)
def test_the_key_runs_what_waits_for_it_and_else_what_stands_in_its_place(
    on_the_slide: list[Block], run: list[Block]
) -> None:
    assert blocks_for_key(slide(*on_the_slide), 0) == run


def test_a_picture_that_a_block_prints_is_kept_until_the_end(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path)
    picture = block(PRINTS_A_PICTURE, execution=Execution.IMAGE)
    assert run_to_the_end(live, picture) == [""]
    file = live.runs[picture].picture
    assert file is not None
    assert file.read_bytes().startswith(b"\x89PNG")
    live.close()
    assert not file.exists()


def test_pictures_have_a_folder_again_after_somebody_has_tidied_up(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path)
    live.picture_folder().rmdir()
    assert live.picture_folder().is_dir()
    live.close()


@pytest.mark.parametrize(
    ("source", "printed", "problem"),
    [
        ("print('text')", "text", "its output is not a picture; expected PNG, JPEG or GIF"),
        ("raise SystemExit('sorry')", "sorry", None),
    ],
)
def test_a_block_that_prints_no_picture_says_so(tmp_path: Path, source: str, printed: str, problem: str | None) -> None:
    live = LiveBlocks(tmp_path)
    lost = block(source, execution=Execution.IMAGE)
    assert run_to_the_end(live, lost) == [printed]
    assert live.runs[lost].picture is None
    assert live.runs[lost].failure == problem
    live.close()


def test_no_block_can_take_the_machines_memory(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path)
    (shown,) = run_to_the_end(live, block("x = [0] * 10**12"))
    assert "MemoryError" in shown
    live.close()


def test_an_output_stays_only_with_a_block_that_runs_the_same_way() -> None:
    one = block("print(1)", line=1)
    assert program_of(one) == program_of(block("print(1)", line=9, execution=Execution.REPLACE))
    assert program_of(one) != program_of(block("print(1)", alternative="uv"))


LAUNCHES = """\
from triton_workshop import DEVICE
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    for i in range(2):
        x = x * 2
    tl.store(x_ptr + offsets, x, mask=offsets < n)

double[(1,)](torch.ones(5), 5, 16)
"""


@pytest.mark.library
def test_a_block_says_whether_its_kernels_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    right, wrong = block(LAUNCHES, line=1), block(LAUNCHES.replace("x = x * 2", "break"), line=2)
    failing = block(LAUNCHES.replace("x = x * 2", "x = x[None, :]"), line=3)
    debugged = block(f"import os  # TRITON_INTERPRET\n{LAUNCHES}", line=4)
    live = LiveBlocks(tmp_path / "deck.md")
    run_to_the_end(live, right, wrong, failing, debugged)
    live.close()
    assert (live.runs[right].compiled, live.runs[right].refused) == ("compiles for sm_75 to sm_90", False)
    assert live.runs[wrong].refused
    assert live.runs[wrong].compiled == "double does not compile for a GPU: unsupported AST node type: Break"
    assert not live.runs[failing].compiled  # it ended with an error of its own
    assert not live.runs[debugged].compiled
