"""Many changes of a script in one text, and changes of formulas."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.changes import changes_in
from triton_workshop.checking.diagnosing.forms import MIXED, Forms, forms_of, is_possible
from triton_workshop.checking.diagnosing.names import Names
from triton_workshop.checking.diagnosing.tile_sizes import bindings_in, with_changes
from triton_workshop.checking.diagnosing.together import changes_together
from triton_workshop.checking.diagnosing.tries import Tries
from triton_workshop.checking.diagnosing.variants import text_with_variants
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES

HEAD = "from triton_workshop import cdiv\n\nimport torch\nimport triton\nimport triton.language as tl\n\n\n"
ADD = f"""{HEAD}@triton.jit
def vadd(a, b, c, n, B: tl.constexpr):
    idx = tl.program_id(0) * B + tl.arange(0, B)
    inside = idx < n
    tl.store(c + idx, tl.load(a + idx, mask=inside) - tl.load(b + idx, mask=inside), mask=inside)


def add(x, y):
    c = torch.empty_like(x)
    vadd[(cdiv(x.numel(), 512),)](x, y, c, x.numel(), 512)
    return c
"""


def _source(text: str, exercise: str = "1") -> Source:
    return Source(Path("mine.py"), text, EXERCISES[exercise])


def _changes(source: Source) -> list[Change]:
    [kernel] = source.kernels
    return list(changes_in(kernel, True, {}, set()))


def test_one_text_has_all_changes_and_the_one_that_helps_is_found() -> None:
    source = _source(ADD)
    tries, changes = Tries(source, 60.0), _changes(source)
    found = [with_changes(source, change.nodes) for change in tries.passing(changes, EXERCISES["1"].cases[0])]
    assert len(changes) > 20
    right = ADD.replace("mask=inside) - tl", "mask=inside) + tl")
    assert [ast.dump(ast.parse(text)) for text in found] == [ast.dump(ast.parse(right))]


def test_a_second_search_goes_on_where_the_first_has_stopped() -> None:
    source = _source(ADD)
    tries, changes = Tries(source, 60.0), _changes(source)
    assert list(tries.passing(changes, EXERCISES["1"].cases[0]))
    assert not list(tries.passing(changes, EXERCISES["1"].cases[0]))


def test_a_statement_is_a_branch() -> None:
    source = _source(ADD)
    node = source.kernels[0].body[1]
    text, fitting = text_with_variants(source, [Change("sum", node, "outside = idx < n; inside = outside")])
    assert fitting == [1]
    assert "if _variant == 1:\n        outside = idx < n\n        inside = outside\n    else:\n" in text


KERNEL = """
def kernel(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    top = tl.full((BLOCK,), -1e30, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        mask = columns < N
        x = tl.load(x_ptr + columns, mask=mask, other=0.0)
        new = tl.maximum(top, x)
        factor = tl.exp(top - new)
        total = total + tl.exp(x - new)
        top = new
    row = tl.max(top, axis=0)
    result = tl.log(tl.sum(total, axis=0))
    tl.store(y_ptr, (result + row) * 2.0)
"""


ROWS = """
def kernel(x_ptr, y_ptr, H, W):
    p = tl.program_id(0)
    y = p // H
    x = p % H
    r = tl.load(x_ptr + y)
    g = tl.load(x_ptr + x)
    tl.store(y_ptr + W, r * 2.0)
    tl.store(y_ptr + H, g * 3.0)
"""
WALKING = """
def kernel(x_ptr, s_ptr, y_ptr, N, K, stride_x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x_at = x_ptr + i
    s_at = s_ptr + i
    inside = i < N
    low = 0.0
    high = 0.0
    for step in range(K):
        left = i < K
        x = tl.load(x_at, mask=left)
        s = tl.load(s_at, mask=inside)
        low += tl.minimum(x * s, 1.0)
        high += tl.minimum(s * x, 1.0)
        x_at += BLOCK * stride_x
        i += BLOCK
    low = low * high
    high = low + high
    tl.store(y_ptr + i // N, low)
    tl.store(y_ptr + i % N, high)
"""
NESTED = """
def kernel(x_ptr, y_ptr, N, K):
    row = tl.program_id(0)
    place = K - row
    most, total = 0.0, 0.0
    while row > N:
        base = row * K
        for lane in range(0, N):
            bias = 0.0
            column = base // K + lane % N + base % N
            inside = column >= 0
            x = tl.load(x_ptr + column, mask=inside)
            new = tl.maximum(most, (x & 15) - 8)
            most = new
            total = total + tl.minimum(x, 1.0)
            total *= tl.exp(most - new)
            most = tl.dot(x, new)
        pointer = x_ptr + row * N + lane
        for lane in range(0, K):
            bias = x + 2.0 * bias
            bias = x + bias
            pointer += K
        tl.store(y_ptr + row, total, mask=(place < K) & (place < K - row))
        row -= 1
"""
METHODS = """
def kernel(x_ptr, y_ptr, N):
    i = tl.arange(0, 64)
    valid = i < N
    x = tl.load(pointer=x_ptr + i, mask=valid)
    zeros = tl.zeros(shape=(64,), dtype=tl.float32)
    top = tl.max(x, 0)
    powers = (x + zeros).exp() + tl.exp(x=x)
    total = powers.sum(0) + powers.sum(axis=0)
    kept = tl.sum(powers, 0, True)
    tl.store(y_ptr + i, total + kept)
"""


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (METHODS, "unshifted", "(x + zeros - top)"),
        (METHODS, "axis", "tl.sum(powers, 1, True)"),
        (METHODS, "axis", "powers.sum(axis=1)"),
        (METHODS, "lower", "(i < N) & (i >= 0)"),
        (KERNEL, "base", "tl.exp2"),
        (KERNEL, "rescaled", "(total * factor)"),
        (KERNEL, "rescaled", "(total * tl.exp(top - row))"),
        (KERNEL, "unshifted", "(row + tl.log(tl.sum(total, axis=0)))"),
        (KERNEL, "running", "tl.maximum(new, tl.max(top, axis=0))"),
        (KERNEL, "start", "tl.full((BLOCK,), float('-inf'), tl.float32)"),
        (KERNEL, "sides", "(new - x)"),
        (KERNEL, "regrouped", "(result + row * 2.0)"),
        (KERNEL, "unwrapped", "tl.sum(total, axis=0)"),
        (KERNEL, "outside", "float('-inf')"),
        (KERNEL, "where", "tl.where(mask, total + tl.exp(x - new), 0.0)"),
        (NESTED, "restarted", "most, total = (0.0, 0.0); base = row * K"),
        (NESTED, "hoisted", "pass"),
        (NESTED, "late", "pass"),
        (NESTED, "continued", "N"),
        (NESTED, "rounds", "row >= N"),
        (NESTED, "divisor", "K"),
        (NESTED, "derived", "place"),
        (NESTED, "end", "(column >= 0) & (column < N)"),
        (NESTED, "divided", "(total / most)"),
        (NESTED, "limit", "tl.minimum(total + x, 1.0)"),
        (NESTED, "step", "K * N"),
        (NESTED, "twice", "K"),
        (NESTED, "turned", "x_ptr + row + lane * N"),
        (NESTED, "twin", "x + 2.0 * bias"),
        (NESTED, "beyond", "tl.where(place[None, :] < K, tl.dot(x, new), float('-inf'))"),
        (NESTED, "early", "((x & 15).to(tl.int32) - 8)"),
        (WALKING, "stale", "inside = i < N; left = i < K"),
        (WALKING, "forgotten", "i += BLOCK; s_at += BLOCK * stride_x"),
        (WALKING, "forgotten", "i += BLOCK; s_at += 1"),
        (WALKING, "moved", "(step * BLOCK + i)"),
        (WALKING, "overwritten", "low, high = low * high, low + high"),
        (WALKING, "limit", "(x * tl.minimum(s, 1.0))"),
    ],
)
def test_a_formula_has_this_change(text: str, kind: str, words: str) -> None:
    [kernel] = ast.parse(text).body
    assert isinstance(kernel, ast.FunctionDef)
    assert (kind, words) in {(change.kind, change.replacement) for change in changes_in(kernel, True, {}, set())}


def test_lines_in_a_row_that_are_alike_have_the_same_change() -> None:
    kernel = ast.parse(ROWS).body[0]
    assert isinstance(kernel, ast.FunctionDef)
    together = list(changes_together(kernel, changes_in(kernel, True, {}, set())))
    words = {(each.kind, each.replacement, each.also[0][1]) for each in together}
    assert ("size", "W", "W") in words
    assert ("operator", "(r + 2.0)", "(g + 3.0)") in words
    assert all(len(each.also) == 1 for each in together)


FORMS: Forms = {
    ("f", "x"): ("float", (64,), None),
    ("f", "y"): ("float", (64,), None),
    ("f", "i"): ("int", (64,), None),
    ("f", "N"): ("int", (), 64.0),
    ("f", "M"): ("int", (), 64.0),
    ("f", "K"): ("int", (), 32.0),
}


@pytest.mark.parametrize(
    ("old", "new", "possible"),
    [("x", "y", True), ("x", "i", False), ("N", "K", True), ("N", "M", False), ("N", "unknown", True)],
)
def test_a_name_is_put_for_one_of_its_form_and_another_value(old: str, new: str, possible: bool) -> None:
    node = ast.parse(old, mode="eval").body
    assert is_possible(Change("name", node, new), "f", FORMS) is possible


def test_an_argument_with_several_values_keeps_its_kind() -> None:
    calls: list[dict[str, object]] = [{"n": 64, "m": 64, "x": 1.0}, {"n": 32, "m": 64, "x": 2}]
    launches: Any = [SimpleNamespace(kernel="f", arguments=call, steps=None) for call in calls]
    forms = forms_of(launches)
    assert forms["f", "x"] == MIXED
    assert forms["f", "n"] == ("int", (), None)
    assert forms["f", "m"] == ("int", (), 64.0)
    node = ast.parse("n", mode="eval").body
    assert is_possible(Change("name", node, "m"), "f", forms)


def test_a_pointer_that_moves_in_a_loop_is_a_pointer() -> None:
    kernel = ast.parse(
        "def f(x_ptr, y_ptr, n, B):\n"
        "    p = x_ptr + n\n"
        "    for _ in range(n):\n"
        "        x = p.load(mask=n > 0)\n"
        "        p = p + B\n"
        "    tl.store(pointer=y_ptr, value=x)\n"
    ).body[0]
    assert isinstance(kernel, ast.FunctionDef)
    assert set(Names(kernel, True).pointers) == {"x_ptr", "y_ptr"}


@pytest.mark.parametrize(
    ("line", "fits"),
    [("out[i] = i", 0), ("out[i, x] = i", 0), ("i = out[i, x]", 1), ("i = out[i]", 1), ("del out[i]", 0)],
)
def test_the_index_of_a_target_is_tried_by_itself(line: str, fits: int) -> None:
    source = _source(ADD.replace("    c = torch.empty_like(x)\n", f"    {line}\n    c = torch.empty_like(x)\n"))
    index = next(node for node in source.nodes if isinstance(node, ast.Subscript)).slice
    launcher = next(node for node in source.tree.body if isinstance(node, ast.FunctionDef) and node.name == "add")
    orders = [change for change in changes_in(launcher, False, {}, set()) if change.replacement == "x, i"]
    changes = orders if isinstance(index, ast.Tuple) else [Change("name", index, "n")]
    text, fitting = text_with_variants(source, changes)
    assert (len(changes), len(fitting)) == (1, fits)
    ast.parse(text)


def test_what_follows_a_starred_target_has_no_known_value() -> None:
    bound = bindings_in(ast.parse("n, *rest, BLOCK = 1, 2, 3, 64"))
    assert [(name, ast.unparse(value)) for name, value in bound] == [("n", "1")]


def test_targets_in_another_order_are_tried_by_themselves() -> None:
    """A target is no expression that could be chosen while the script runs."""
    source = _source(ADD.replace("    inside = idx < n\n", "    size, inside = n, idx < n\n"))
    changes = [change for change in _changes(source) if change.kind == "order"]
    text, fitting = text_with_variants(source, changes)
    assert {change.replacement for change in changes} == {"inside, size", "idx < n, n"}
    assert [changes[number - 1].replacement for number in fitting] == ["idx < n, n"]
    ast.parse(text)


@pytest.mark.parametrize(("arguments", "moves"), [("a, ny, nx", False), ("a, nx, ny", True), ("a, H, W", True)])
def test_arguments_with_the_axes_of_their_parameters_stay(arguments: str, moves: bool) -> None:
    launcher = ast.parse(f"def f(a, H, W, nx, ny):\n    k[(1,)]({arguments})").body[0]
    assert isinstance(launcher, ast.FunctionDef)
    changes = changes_in(launcher, False, {"k": ["a_ptr", "tiles_y", "tiles_x"]}, set())
    assert any(change.kind == "arguments" for change in changes) is moves
