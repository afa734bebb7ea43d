"""A look inside, in node: what a view says of one place in a launch."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.in_node import PageInNode
from triton_workshop.exercises import EXERCISES
from triton_workshop.page.assets import asset

Look = Callable[..., dict[str, Any]]
MATMUL = EXERCISES["4"].solution
WIDE = "(70 × 288) @ (288 × 140), every 2nd row, every 3rd column"
NO_MASK_ALONG_K = MATMUL.replace("(offs_k[None, :] < K - k)", "(offs_k[None, :] < K)")


@pytest.fixture
def look(page: PageInNode) -> Look:
    """The view of a script, after a check of another text has dropped what was known."""
    page.ask(python="from triton_workshop.page.inside import looking; looking.forget()")

    def view(text: str, number: str = "4", **wish: Any) -> dict[str, Any]:
        found: dict[str, Any] = page.ask(look=number, text=text, wish=wish)["view"]
        return found

    return view


def line_of(text: str, code: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(code))


def test_each_line_has_its_value_from_long_to_short(look: Look) -> None:
    view = look(MATMUL)
    assert view["notes"][str(line_of(MATMUL, "offs_k ="))] == ["int32[16]  0 … 15", "0 … 15"]
    assert view["notes"][str(line_of(MATMUL, "a_ptr, b_ptr"))] == ["M 70, N 140, K 288"]
    assert (view["case"], view["grid"]) == (WIDE, [2, 2]), "one with several programs"
    assert len(view["cases"]) == len(EXERCISES["4"].simulated_cases)


def test_a_finding_shows_its_line_in_the_iteration_of_the_fault(look: Look) -> None:
    assert NO_MASK_ALONG_K != MATMUL
    line = line_of(NO_MASK_ALONG_K, "a_mask =")
    view = look(NO_MASK_ALONG_K, case=EXERCISES["4"].cases[0].name, line=line, ids=[0, 0])
    assert (view["at"]["line"], view["name"], view["iteration"]) == (line, "a_mask", [1])
    assert view["loops"] == [[1, 2]]
    assert view["notices"][0][1] == "bad"


def test_a_name_is_shown_as_of_the_iteration_that_was_chosen(look: Look) -> None:
    load, used = line_of(MATMUL, "a = tl.load"), line_of(MATMUL, "accumulator = tl.dot")
    view = look(MATMUL, case=WIDE, cursor={"line": load, "name": "a_mask"})
    assert (view["name"], view["at"]["line"]) == ("a_mask", line_of(MATMUL, "a_mask ="))
    moved = look(MATMUL, case=WIDE, at=view["at"], loop=0, iteration=5)
    assert (moved["name"], moved["iteration"], moved["loops"]) == ("a_mask", [5], [[5, 18]])
    tile = look(MATMUL, case=WIDE, at=moved["at"], line=used, name="a")
    assert (tile["name"], tile["iteration"]) == ("a", [5])
    before = look(MATMUL, case=WIDE, at=tile["at"], line=line_of(MATMUL, "offs_k ="), name="offs_k")
    assert (before["name"], before["iteration"], before["loops"]) == ("offs_k", [], [[5, 18]])
    assert before["notes"] == tile["notes"], "the iteration stays, whatever is pointed at"


def test_another_program_keeps_the_line_and_the_iteration(look: Look) -> None:
    view = look(MATMUL, case=WIDE, cursor={"line": line_of(MATMUL, "a = tl.load"), "name": "a"})
    view = look(MATMUL, case=WIDE, at=view["at"], loop=0, iteration=7)
    other = look(MATMUL, case=WIDE, at=view["at"], program=[1, 1])
    assert other["at"]["ids"] == [1, 1]
    assert (other["name"], other["iteration"]) == ("a", [7])
    assert other["notes"] != view["notes"]


def test_a_picture_has_a_level_for_each_number(look: Look) -> None:
    view = look(MATMUL, cursor={"line": line_of(MATMUL, "a = tl.load"), "name": "a"})
    memory, block = view["pictures"]
    assert "a_ptr" in memory["title"][0][0]
    levels = base64.b64decode(block["levels"])
    assert len(levels) == block["height"] * block["width"] == 64 * 16
    assert max(levels) < len(block["shades"])
    assert view["table"]["size"] == [64, 16]
    assert len(view["table"]["rows"]) == 64


def test_a_large_block_shrinks(look: Look) -> None:
    view = look(MATMUL, cursor={"line": line_of(MATMUL, "accumulator = tl.zeros"), "name": "accumulator"})
    block = view["pictures"][-1]
    assert (block["height"], block["width"]) == (64, 128)
    assert [len(view["table"][name]) for name in ("rows", "heads")] == [64, 64]


def test_a_program_without_steps_is_followed_by_one_with_steps(look: Look) -> None:
    first = EXERCISES["1"].shipped_text.replace("pid = ...", "pid = tl.program_id()")
    view = look(first, "1", cursor={"line": 20, "name": "pid"})
    assert view["at"]["line"] is None
    then = look(first.replace("_id()", "_id(0)"), "1", at=view["at"], case=view["case"], line=20, name="pid")
    assert (then["name"], then["at"]["line"]) == ("pid", 20)


def test_a_script_of_no_exercise_shows_its_own_launches(look: Look) -> None:
    text = asset("scratch.txt")
    view = look(text, "a scratch pad", cursor={"line": line_of(text, "offsets ="), "name": "offsets"})
    assert (view["cases"], view["grid"], view["name"]) == ([], [3], "offsets")
    assert "0 … 3" in view["notes"][str(line_of(text, "offsets ="))]
    other = look(text, "a scratch pad", case=view["case"], at=view["at"], program=[2])
    assert "8 … 11" in other["notes"][str(line_of(text, "offsets ="))]


def test_a_grid_without_programs_has_nothing_to_look_at(look: Look) -> None:
    text = asset("scratch.txt").replace("(cdiv(x.numel(), 4),)", "(x.numel() // 16,)")
    assert "its grid has no programs" in look(text, "a scratch pad")["problem"]


COUNT = """
from triton_workshop.page.inside import looking
runs, record = [], looking.record_launches
looking.record_launches = lambda *request: (runs.append(request), record(*request))[1]
"""


def test_the_script_runs_once_until_its_text_changes(page: PageInNode, look: Look) -> None:
    page.ask(python=COUNT)
    count = lambda: page.ask(python="len(runs)")["value"]  # noqa: E731
    view = look(MATMUL)
    look(MATMUL, case=view["case"], at=view["at"], line=24, name="")
    assert count() == 1
    look(NO_MASK_ALONG_K)
    assert count() == 2
    page.ask(check="4", text=MATMUL.replace("1", "...", 1))
    look(NO_MASK_ALONG_K)
    assert count() == 3
    page.ask(python="looking.record_launches = record")


def test_an_unfinished_script_that_does_not_end_is_stopped(page: PageInNode, look: Look) -> None:
    page.ask(python="limit, looking.LIMIT_SECONDS = looking.LIMIT_SECONDS, 0.5")
    text = EXERCISES["1"].shipped_text.replace("pid = ...", "pid = tl.program_id(0)")
    endless = text.replace("    return output\n", "    while True:\n        pass\n")
    assert endless != text
    assert look(endless, "1", cursor={"line": 20, "name": "pid"})["name"] == "pid"
    page.ask(python="looking.LIMIT_SECONDS = limit")


INTERRUPT = """
from triton_simulator import hooks
from triton_workshop.page.inside.interruption import OutdatedError
def interrupt():
    hooks.load_hooks.remove(interrupt)
    raise OutdatedError
hooks.load_hooks.append(interrupt)
"""


def test_a_look_that_was_interrupted_is_not_kept(page: PageInNode, look: Look) -> None:
    page.ask(python=INTERRUPT)
    assert look(MATMUL) == {"problem": ""}
    assert look(MATMUL)["notices"] == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [(EXERCISES["1"].shipped_text, "No kernel is launched yet"), ("def add(x, y):\n    return z", "NameError")],
)
def test_a_script_without_a_launch_says_so(look: Look, text: str, problem: str) -> None:
    assert problem in look(text, "1")["problem"]
