"""Live blocks without a screen."""

from __future__ import annotations

from pathlib import Path

from triton_workshop.deck.model import Block, Code, Execution
from triton_workshop.viewer.live import LiveBlocks, Status


def block(source: str, language: str = "python", line: int = 1) -> Block:
    return Block(Code(language, (source,), source, (line,), execution=Execution.ON_KEY), 0, line)


def run_to_the_end(live: LiveBlocks, *blocks: Block) -> list[str]:
    """Runs blocks; what each printed."""
    live.start([(block, 80) for block in blocks])
    for thread in live._threads:
        thread.join(timeout=60)
    while live.busy:
        live.update()
    return ["\n".join(line.plain for line in live.cells[block].transcript.shown()) for block in blocks]


def test_blocks_run_one_after_the_other(tmp_path: Path) -> None:
    first = block("import pathlib; pathlib.Path('mark').touch(); print('made')", line=1)
    second = block("import pathlib; print(pathlib.Path('mark').exists())", line=2)
    assert run_to_the_end(LiveBlocks(tmp_path / "deck.md"), first, second) == ["made", "True"]


def test_what_cannot_start_says_why_and_the_next_block_runs(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "deck.md")
    stranger = block("", "cobol", line=1)
    assert run_to_the_end(live, stranger, block("print('next')", line=2)) == ["", "next"]
    assert "cobol" in (live.cells[stranger].failure or "")


def test_a_missing_folder_is_a_failure_and_no_crash(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "nowhere" / "deck.md")
    lost = block("print(1)")
    run_to_the_end(live, lost)
    assert "No such file" in (live.cells[lost].failure or "")


def test_stop_reaches_what_waits(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "deck.md")
    endless, waiting = block("while True: pass", line=1), block("print('never')", line=2)
    live.start([(endless, 80), (waiting, 80)])
    live.stop()
    assert run_to_the_end(live) == []
    assert [cell.status for cell in live.cells.values()] == [Status.ENDED, Status.ENDED]
    assert live.cells[waiting].outcome is None


def test_closing_ends_everything_and_nothing_starts_after(tmp_path: Path) -> None:
    live = LiveBlocks(tmp_path / "deck.md")
    live.start([(block("while True: pass"), 80)])
    live.close()
    assert not any(thread.is_alive() for thread in live._threads)
    live.start([(block("print('late')", line=2), 80)])
    assert not any(thread.is_alive() for thread in live._threads)
