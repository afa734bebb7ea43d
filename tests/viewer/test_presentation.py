"""A deck while it is shown, without a screen: place, edits and live blocks fit together whatever comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.document._history import EditHistory

from triton_workshop.deck import load_deck
from triton_workshop.viewer.live.editing import visible_text
from triton_workshop.viewer.live.live_blocks import BlockRun, Status, program_of
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.slides.slide_step import SlideStep

TALK = """\
One
===

First.

<!-- pause -->

Second.

<!-- end_slide -->

Two
===

```python +exec
print("two")
```

<!-- end_slide -->

Three
===

```python +auto_exec
print("three")
```
"""


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "talk.md"
    file.write_text(TALK)
    return file


@pytest.fixture
def presentation(talk: Path) -> Iterator[Presentation]:
    presentation = Presentation(load_deck(talk))
    yield presentation
    presentation.live.close()


def saved(talk: Path, old: str, new: str) -> None:
    assert old in talk.read_text(encoding="utf-8")
    talk.write_text(talk.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def type_over(presentation: Presentation, text: str) -> None:
    presentation.edit(presentation.edits.source(presentation.editable()[0]), text, EditHistory(50, 2.0, 100))


def test_the_neighbours_of_a_slide_are_those_that_exist(presentation: Presentation) -> None:
    assert [slide.name for slide in presentation.neighbours()] == ["Two"]
    presentation.go(SlideStep(1))
    assert [slide.name for slide in presentation.neighbours()] == ["Three", "One"]


def test_what_is_typed_is_what_the_key_runs(presentation: Presentation) -> None:
    presentation.go(SlideStep(1))
    type_over(presentation, "print(2)")
    assert [visible_text(block) for block in presentation.blocks_for_key()] == ["print(2)"]
    assert presentation.edited() == presentation.editable()
    presentation.restore(presentation.edited()[0])
    assert [visible_text(block) for block in presentation.blocks_for_key()] == ['print("two")']
    assert presentation.deck == presentation.deck_read


def test_an_automatic_block_starts_by_itself_once_and_not_when_it_was_edited(presentation: Presentation) -> None:
    presentation.go(SlideStep(2))
    [block] = presentation.automatic_blocks()
    presentation.live.runs[block] = BlockRun()
    assert presentation.automatic_blocks() == []
    del presentation.live.runs[block]
    type_over(presentation, "print(3)")
    assert presentation.automatic_blocks() == []


def test_an_edit_shows_the_output_from_before_it_and_leaves_it_to_the_decks_code(presentation: Presentation) -> None:
    presentation.go(SlideStep(1))
    [block] = presentation.blocks_for_key()
    run = presentation.live.runs[block] = BlockRun(status=Status.RUNNING, program=program_of(block))
    type_over(presentation, "print(2)")
    [edited] = presentation.blocks_for_key()
    assert presentation.live.runs[edited] is run
    assert not run.is_of(edited)
    assert presentation.live.running == 1
    presentation.restore(edited)
    assert presentation.live.runs[block] is run
    assert not run.cancelled


def test_a_save_keeps_the_place_the_edit_and_the_output(presentation: Presentation, talk: Path) -> None:
    presentation.go(SlideStep(1))
    type_over(presentation, "print(2)")
    run = presentation.live.runs[presentation.blocks_for_key()[0]] = BlockRun()
    saved(talk, "One\n===", "New\n===\n\n<!-- end_slide -->\n\nOne\n===")
    assert not presentation.reload(load_deck(talk))
    assert presentation.position == SlideStep(2)
    assert not presentation.lost
    assert [visible_text(block) for block in presentation.blocks_for_key()] == ["print(2)"]
    assert presentation.live.runs == {presentation.blocks_for_key()[0]: run}


def test_a_save_keeps_the_output_from_before_an_edit(presentation: Presentation, talk: Path) -> None:
    presentation.go(SlideStep(1))
    [block] = presentation.blocks_for_key()
    run = presentation.live.runs[block] = BlockRun(program=program_of(block))
    type_over(presentation, "print(2)")
    saved(talk, "First.", "The first.")
    assert not presentation.reload(load_deck(talk))
    [edited] = presentation.blocks_for_key()
    assert visible_text(edited) == "print(2)"
    assert presentation.live.runs[edited] is run
    presentation.restore(edited)
    assert [presentation.live.runs[block] for block in presentation.blocks_for_key()] == [run]


def test_a_slide_that_a_save_took_away_is_found_when_it_comes_back(presentation: Presentation, talk: Path) -> None:
    presentation.go(SlideStep(2))
    talk.write_text(TALK.partition("<!-- end_slide -->")[0], encoding="utf-8")
    half = load_deck(talk)
    assert presentation.needs_confirmation(half)
    presentation.reload(half)
    assert (presentation.position, presentation.lost) == (SlideStep(), True)
    talk.write_text(TALK, encoding="utf-8")
    presentation.reload(load_deck(talk))
    assert (presentation.position, presentation.lost) == (SlideStep(2), False)
