"""What the presenter types over the deck's code."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from textual.document._history import EditHistory

from triton_workshop.deck.model import Block, Code, Columns, Deck, Execution, FrontMatter, Slide, Span
from triton_workshop.viewer.live.editing import Edits, visible_text, with_text
from triton_workshop.viewer.live.editor import indented, next_indent, outdented


def code(*lines: str, first: int = 10) -> Code:
    """Python on lines from `first`; lines that start with `/// ` are hidden."""
    hidden = frozenset(index for index, line in enumerate(lines) if line.startswith("/// "))
    return Code(
        "python",
        tuple(line for line in lines if not line.startswith("/// ")),
        "".join(line.removeprefix("/// ") + "\n" for line in lines),
        tuple(range(first, first + len(lines))),
        execution=Execution.ON_KEY,
        hidden=hidden,
    )


def block(*lines: str, first: int = 10) -> Block:
    return Block(code(*lines, first=first), 0, first - 1)


def deck(*blocks: Block) -> Deck:
    return Deck(Path("deck.md"), FrontMatter(), (Slide(None, blocks, 1, 1),))


def history() -> EditHistory:
    return EditHistory(50, 2.0, 100)


BEFORE_AND_AFTER = ("/// import math", "def f(x):", "    return x", "/// y = f(1)", "print(y)", "/// done()")


@pytest.mark.parametrize(
    ("typed", "source"),
    [
        pytest.param("def f(x):\n    return -x\nprint(y)",
                     "import math\ndef f(x):\n    return -x\ny = f(1)\nprint(y)\ndone()\n", id="a line is changed"),
        pytest.param("a = 1\ndef f(x):\n    return x\nprint(y)\nb = 2",
                     "import math\na = 1\ndef f(x):\n    return x\ny = f(1)\nprint(y)\nb = 2\ndone()\n",
                     id="lines are added at both ends"),
        pytest.param(
            "def f(x):\n    return x\n    # more\nz = y\nprint(y)",
            "import math\ndef f(x):\n    return x\n    # more\ny = f(1)\nz = y\nprint(y)\ndone()\n",
            id="the indented line goes on with what is above, the other needs what is hidden",
        ),
        pytest.param("print(y)", "import math\ny = f(1)\nprint(y)\ndone()\n", id="lines are deleted"),
        pytest.param("", "import math\n\ny = f(1)\ndone()\n", id="all is deleted"),
    ],
)  # fmt: skip
def test_hidden_lines_run_where_they_belong(typed: str, source: str) -> None:
    edited = with_text(code(*BEFORE_AND_AFTER), typed)
    assert edited.source == source
    assert edited.lines == tuple(typed.split("\n"))
    assert len(edited.source_lines) == edited.source.count("\n")
    hidden = [line for index, line in enumerate(edited.source.splitlines()) if index in edited.hidden]
    assert hidden == ["import math", "y = f(1)", "done()"]


def test_the_lines_of_an_edit_are_numbered_as_they_are_shown_now() -> None:
    original = code(*BEFORE_AND_AFTER)
    assert original.visible_numbers == (None, 1, 2, None, 3, None)
    assert with_text(original, "print(1)\nprint(y)").visible_numbers == (None, 1, None, 2, None)


def test_an_edit_of_an_edit_keeps_the_hidden_lines() -> None:
    twice = with_text(with_text(code(*BEFORE_AND_AFTER), "print(y)\nprint(2)"), "print(3)")
    assert twice.source == "import math\ny = f(1)\nprint(3)\ndone()\n"
    assert twice.hidden == {0, 1, 3}


def test_edits_show_in_the_deck_and_the_deck_that_was_read_stays() -> None:
    inside = block("b = 1", first=20)
    read = deck(block("a = 1"), Block(Columns((1,), ((inside,),)), 0, 15))
    edits = Edits()
    edits.write(inside, "b = 2", history())
    shown = edits.apply_to(read)
    assert shown.slides[0].blocks[0] is read.slides[0].blocks[0]
    columns = shown.slides[0].blocks[1].content
    assert isinstance(columns, Columns)
    assert visible_text(columns.columns[0][0]) == "b = 2"
    assert edits.source(columns.columns[0][0]) is inside
    edits.restore(inside)
    assert edits.apply_to(read) == read


def test_text_as_in_the_deck_is_no_edit() -> None:
    original = block("a = 1")
    edits = Edits()
    edits.write(original, "a = 1", history())
    assert edits.draft(original) is None
    edits.write(original, "a = 2", history())
    edits.write(original, "a = 1", history())
    assert not edits.edited()
    assert edits.current(original) is original


def test_an_edit_moves_with_its_code_when_the_deck_is_read_again() -> None:
    old = deck(block("a = 1"), block("b = 1", first=20))
    new = deck(block("new"), block("b = 1", first=30), block("a = 1", first=40))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    assert not edits.rebase(old, new)
    assert visible_text(edits.apply_to(new).slides[0].blocks[2]) == "a = 2"


def test_an_edit_stays_at_its_own_block_where_others_are_the_same() -> None:
    twins = [block("a = 1", first=line) for line in (10, 20, 30)]
    old, new = deck(*twins), deck(*(block("a = 1", first=line + 5) for line in (10, 20, 30)))
    edits = Edits()
    edits.write(twins[1], "a = 2", history())
    assert not edits.rebase(old, new)
    assert [visible_text(shown) for shown in edits.apply_to(new).slides[0].blocks] == ["a = 1", "a = 2", "a = 1"]


@pytest.mark.parametrize("keep", [True, False])
def test_an_edit_whose_code_changed_is_in_question_and_never_lost(keep: bool) -> None:
    old, new = deck(block("a = 1")), deck(block("a = 3"))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    assert not edits.rebase(old, new)
    assert len(edits.conflicts()) == 1
    assert edits.unsaved() == 1
    edits.resolve_conflicts(keep=keep)
    assert not edits.conflicts()
    assert visible_text(edits.apply_to(new).slides[0].blocks[0]) == ("a = 2" if keep else "a = 3")
    draft = edits.draft(new.slides[0].blocks[0])
    assert draft is not None
    assert (draft.text, draft.active) == ("a = 2", keep)


def test_an_edit_stays_in_question_until_somebody_answers() -> None:
    old, new, newer = deck(block("a = 1")), deck(block("a = 3")), deck(block("a = 4"), block("b = 1", first=20))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    edits.rebase(old, new)
    edits.rebase(new, new)
    assert len(edits.conflicts()) == 1
    edits.rebase(new, newer)
    assert len(edits.conflicts()) == 1
    edits.resolve_conflicts(keep=False)
    assert edits.apply_to(newer) == newer


def test_an_edit_is_no_longer_in_question_where_its_code_comes_back() -> None:
    old, new = deck(block("a = 1")), deck(block("a = 3"))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    edits.rebase(old, new)
    edits.rebase(new, old)
    assert not edits.conflicts()
    assert visible_text(edits.apply_to(old).slides[0].blocks[0]) == "a = 2"


def test_an_edit_that_was_put_back_is_not_in_question_when_its_code_changes() -> None:
    old, new = deck(block("a = 1")), deck(block("a = 3"))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    edits.restore(old.slides[0].blocks[0])
    assert not edits.rebase(old, new)
    assert not edits.conflicts()
    draft = edits.draft(new.slides[0].blocks[0])
    assert draft is not None
    assert (draft.text, draft.active) == ("a = 2", False)


def test_what_was_typed_and_taken_back_is_no_edit_when_the_code_changes() -> None:
    old = deck(block("a = 1"))
    for new in (deck(block("a = 3")), deck()):
        edits = Edits()
        for text in ("a = 2", "a = 1"):
            edits.write(old.slides[0].blocks[0], text, history())
        assert not edits.rebase(old, new)
        assert edits.unsaved() == 0


def test_an_edit_is_in_question_where_its_slide_stands_now() -> None:
    def slide(title: str, *blocks: Block) -> Slide:
        return Slide((Span(title),), blocks, 1, 1)

    old = replace(deck(), slides=(slide("A", block("a = 1")),))
    new = replace(deck(), slides=(slide("New", block("new")), slide("A", block("a = 3"), block("more"))))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    assert not edits.rebase(old, new)
    assert len(edits.conflicts()) == 1
    assert edits.draft(new.slides[1].blocks[0]) is not None


def test_an_edit_waits_for_its_code_and_goes_to_no_other() -> None:
    old, without = deck(block("a = 1"), block("b = 1", first=20)), deck(block("b = 1"))
    pasted = deck(block("b = 1"), block("c = 1", first=20), block("a = 1", first=30))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    assert edits.rebase(old, without)
    assert edits.apply_to(without) == without
    assert edits.unsaved() == 1
    assert not edits.rebase(without, without), "it is said once"
    assert edits.unsaved() == 1
    assert not edits.rebase(without, pasted)
    assert [visible_text(shown) for shown in edits.apply_to(pasted).slides[0].blocks] == ["b = 1", "c = 1", "a = 2"]
    assert edits.unsaved() == 1
    assert not edits.conflicts()


def test_an_edit_that_waits_goes_back_to_its_own_block_where_others_are_the_same() -> None:
    twins = [block("a = 1", first=line) for line in (10, 20, 30)]
    old, none, first = deck(*twins), deck(), deck(twins[0])
    for saves in ((none,), (first,), (none, first)):
        edits = Edits()
        edits.write(twins[1], "a = 2", history())
        for before, after in pairwise((old, *saves, old)):
            edits.rebase(before, after)
        assert [visible_text(shown) for shown in edits.apply_to(old).slides[0].blocks] == ["a = 1", "a = 2", "a = 1"]


def test_an_edit_that_was_put_back_waits_too_and_is_not_missed() -> None:
    old, none = deck(block("a = 1")), deck()
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    edits.restore(old.slides[0].blocks[0])
    assert not edits.rebase(old, none)
    assert edits.unsaved() == 0
    edits.rebase(none, old)
    draft = edits.draft(old.slides[0].blocks[0])
    assert draft is not None
    assert (draft.text, draft.active) == ("a = 2", False)


def test_an_edit_in_question_comes_back_with_the_code_it_was_typed_over() -> None:
    old, changed, none = deck(block("a = 1")), deck(block("a = 3")), deck()
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    for before, after in pairwise((old, changed, none, old)):
        edits.rebase(before, after)
    assert visible_text(edits.apply_to(old).slides[0].blocks[0]) == "a = 2"
    assert not edits.conflicts()


def test_an_edit_that_was_put_back_is_not_missed() -> None:
    original = block("a = 1")
    edits = Edits()
    assert edits.unsaved() == 0
    edits.write(original, "a = 2", history())
    assert edits.unsaved() == 1
    edits.restore(original)
    assert edits.unsaved() == 0


def test_an_edit_that_the_deck_took_over_is_not_missed() -> None:
    old, new = deck(block("a = 1")), deck(block("a = 2"))
    edits = Edits()
    edits.write(old.slides[0].blocks[0], "a = 2", history())
    assert not edits.rebase(old, new)
    assert edits.unsaved() == 0
    assert not edits.conflicts()


@pytest.mark.parametrize(
    ("before", "indent"),
    [
        ("x = 1", ""),
        ("    x = 1", "    "),
        ("def f():", "    "),
        ("    if x:  # why", "        "),
        ("f(", "    "),
        ("    return x", ""),
        ("    return f(", "        "),
        ("        break", "    "),
        ("return_value = 1", ""),
        ("", ""),
    ],
)
def test_enter_indents_as_python_wants_it(before: str, indent: str) -> None:
    assert next_indent(before) == indent


def test_lines_go_in_and_out_by_four() -> None:
    assert indented(["a", "", "  b"]) == ["    a", "", "      b"]
    assert outdented(["    a", "", "  b", "     c"]) == ["a", "", "b", " c"]
