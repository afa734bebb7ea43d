"""A deck while it is shown, without a screen: place, edits and live blocks fit together whatever comes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.document._history import EditHistory

from triton_workshop.deck import load_deck
from triton_workshop.viewer.live.editing import shown_text
from triton_workshop.viewer.live.live_blocks import BlockRun, Status, program_of
from triton_workshop.viewer.show import Show
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
def show(talk: Path) -> Iterator[Show]:
    show = Show(load_deck(talk))
    yield show
    show.live.close()


def saved(talk: Path, old: str, new: str) -> None:
    assert old in talk.read_text(encoding="utf-8")
    talk.write_text(talk.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def type_over(show: Show, text: str) -> None:
    show.edit(show.edits.source(show.editable()[0]), text, EditHistory(50, 2.0, 100))


def test_the_neighbours_of_a_slide_are_those_that_exist(show: Show) -> None:
    assert [slide.name for slide in show.neighbours()] == ["Two"]
    show.go(SlideStep(1))
    assert [slide.name for slide in show.neighbours()] == ["Three", "One"]


def test_what_is_typed_is_what_the_key_runs(show: Show) -> None:
    show.go(SlideStep(1))
    type_over(show, "print(2)")
    assert [shown_text(block) for block in show.for_key()] == ["print(2)"]
    assert show.edited() == show.editable()
    show.restore(show.edited()[0])
    assert [shown_text(block) for block in show.for_key()] == ['print("two")']
    assert show.deck == show.deck_read


def test_an_automatic_block_starts_by_itself_once_and_not_when_it_was_edited(show: Show) -> None:
    show.go(SlideStep(2))
    [block] = show.by_itself()
    show.live.runs[block] = BlockRun()
    assert show.by_itself() == []
    del show.live.runs[block]
    type_over(show, "print(3)")
    assert show.by_itself() == []


def test_an_edit_shows_the_output_from_before_it_and_leaves_it_to_the_decks_code(show: Show) -> None:
    show.go(SlideStep(1))
    [block] = show.for_key()
    run = show.live.runs[block] = BlockRun(status=Status.RUNNING, program=program_of(block))
    type_over(show, "print(2)")
    [edited] = show.for_key()
    assert show.live.runs[edited] is run
    assert not run.is_of(edited)
    assert show.live.running == 1
    show.restore(edited)
    assert show.live.runs[block] is run
    assert not run.cancelled


def test_a_save_keeps_the_place_the_edit_and_the_output(show: Show, talk: Path) -> None:
    show.go(SlideStep(1))
    type_over(show, "print(2)")
    run = show.live.runs[show.for_key()[0]] = BlockRun()
    saved(talk, "One\n===", "New\n===\n\n<!-- end_slide -->\n\nOne\n===")
    assert not show.take_in(load_deck(talk))
    assert show.place == SlideStep(2)
    assert not show.lost
    assert [shown_text(block) for block in show.for_key()] == ["print(2)"]
    assert show.live.runs == {show.for_key()[0]: run}


def test_a_save_keeps_the_output_from_before_an_edit(show: Show, talk: Path) -> None:
    show.go(SlideStep(1))
    [block] = show.for_key()
    run = show.live.runs[block] = BlockRun(program=program_of(block))
    type_over(show, "print(2)")
    saved(talk, "First.", "The first.")
    assert not show.take_in(load_deck(talk))
    [edited] = show.for_key()
    assert shown_text(edited) == "print(2)"
    assert show.live.runs[edited] is run
    show.restore(edited)
    assert [show.live.runs[block] for block in show.for_key()] == [run]


def test_a_slide_that_a_save_took_away_is_found_when_it_comes_back(show: Show, talk: Path) -> None:
    show.go(SlideStep(2))
    talk.write_text(TALK.partition("<!-- end_slide -->")[0], encoding="utf-8")
    half = load_deck(talk)
    assert show.doubtful(half)
    show.take_in(half)
    assert (show.place, show.lost) == (SlideStep(), True)
    talk.write_text(TALK, encoding="utf-8")
    show.take_in(load_deck(talk))
    assert (show.place, show.lost) == (SlideStep(2), False)
