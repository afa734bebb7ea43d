"""Which lines are highlighted at which step. When things appear is in the dialect's table."""

from __future__ import annotations

from triton_workshop.deck.model import Code

from .conftest import ReadDeck


def code(info: str, body: str) -> str:
    return f"```python {info}\n{body}\n```\n"


def test_highlight_groups_follow_one_block_after_the_other(read: ReadDeck) -> None:
    [slide] = read(code("{1|2}", "a\nb") + "\n" + code("{all|1|2}", "c\nd")).slides
    first, second = (block.content for block in slide.blocks)
    assert isinstance(first, Code)
    assert isinstance(second, Code)
    assert [block.step for block in slide.blocks] == [0, 0]
    assert [first.highlighted(step) for step in range(slide.steps)] == [{1}, {2}, {2}, {2}]
    assert [second.highlighted(step) for step in range(slide.steps)] == [None, None, {1}, {2}]


def test_highlight_groups_after_a_pause_start_at_its_step(read: ReadDeck) -> None:
    [slide] = read("a\n<!-- pause -->\n" + code("{1|2}", "b\nc")).slides
    block = slide.blocks[1]
    assert isinstance(block.content, Code)
    assert (block.step, block.content.highlight_step, slide.steps) == (1, 1, 3)


def test_output_that_replaces_code_has_no_highlight_steps(read: ReadDeck) -> None:
    [slide] = read(code("+exec_replace {1|2}", "a\nb")).slides
    assert slide.steps == 1
