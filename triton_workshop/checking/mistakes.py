"""Mistakes that any kernel can make, recognised by what a launch did: what it stored, on which grid, and where not."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triton_workshop.checking.verdict import Kind
from triton_workshop.tensors import cdiv

if TYPE_CHECKING:
    import torch

    from triton_workshop.checking.evidence import Evidence

BLOCKS = tuple(2**power for power in range(12))


@dataclass(frozen=True)
class Mistake:
    """One way to be wrong: how it is recognised, and two hints; the third is the solution's line for `todo`."""

    name: str
    hints: tuple[str, str]
    recognises: Callable[[Evidence], bool]
    todo: int | str | None = None
    """By its number, or by what it is for: a name in `Exercise.todos_for`."""
    blames: Callable[[Evidence], int | None] = lambda evidence: None
    """The line of the script where it was made, as far as that can be told."""
    vague: bool = False
    """Whether it says less than the TODO's own hints."""


def at(*names: str) -> Callable[[Evidence], int | None]:
    """Blame the first assignment to one of these names."""
    return lambda evidence: next(iter(evidence.source.assignments(*names)), None)


def at_call(name: str) -> Callable[[Evidence], int | None]:
    """Blame the first call of `tl.NAME`."""
    return lambda evidence: next((call.lineno for call in evidence.source.calls(name)), None)


def at_grid(evidence: Evidence) -> int | None:
    return evidence.source.grid_line()


def at_launch(evidence: Evidence) -> int | None:
    return evidence.source.launch_line()


def unwritten(evidence: Evidence) -> bool:
    return evidence.kind is Kind.UNWRITTEN


def out_of_bounds(evidence: Evidence) -> bool:
    return evidence.kind in (Kind.OUT_OF_BOUNDS_LOAD, Kind.OUT_OF_BOUNDS_STORE)


def outside_load(evidence: Evidence) -> bool:
    return evidence.kind is Kind.OUT_OF_BOUNDS_LOAD


def outside_store(evidence: Evidence) -> bool:
    return evidence.kind is Kind.OUT_OF_BOUNDS_STORE


def mask_at_fault(evidence: Evidence) -> str | None:
    """The mask at the line that went out of bounds, its names spelt out; empty where it has none, None if unknown."""
    fault = evidence.fault
    call = evidence.source.call_at(fault.line.number) if fault else None
    if call is None:
        return None
    return evidence.source.text_of(evidence.source.mask_of(call))


# The grid


def _fits(evidence: Evidence) -> bool:
    return len(evidence.grid) == len(evidence.wanted_grid)


def _too_small(evidence: Evidence) -> bool:
    return _fits(evidence) and any(has < wants for has, wants in zip(evidence.grid, evidence.wanted_grid, strict=True))


def _grid_missing_axis(evidence: Evidence) -> bool:
    return unwritten(evidence) and 0 < len(evidence.grid) < len(evidence.wanted_grid) and _one_for_one(evidence)


def _one_for_one(evidence: Evidence) -> bool:
    """Whether the kernel asks for more axes than the grid has: then the last ones are always 0."""
    axes = [axis for axis, _ in evidence.source.program_axes()]
    return max(axes, default=0) >= len(evidence.grid)


def _floor_grid(evidence: Evidence) -> bool:
    if not (unwritten(evidence) and _too_small(evidence) and evidence.source.rounds_down()):
        return False
    floors = [size // block for size, block in zip(evidence.sizes, evidence.blocks, strict=True)]
    axes = zip(evidence.grid, floors, evidence.wanted_grid, strict=True)
    return all(has in (floor, wants) for has, floor, wants in axes)


def _grid_swapped(evidence: Evidence) -> bool:
    grid, wanted = evidence.grid, evidence.wanted_grid
    return unwritten(evidence) and grid != wanted and sorted(grid) == sorted(wanted)


def _swapped_in_kernel(evidence: Evidence) -> bool:
    """The grid is right, or the same both ways; the kernel asks for its axes in another order."""
    if not unwritten(evidence) or evidence.grid != evidence.wanted_grid:
        return False
    axes = [axis for axis, _ in evidence.source.program_axes()]
    return axes != list(range(len(axes))) or len(set(axes)) < len(evidence.wanted_grid)


def _line_of_wrong_axis(evidence: Evidence) -> int | None:
    asked = evidence.source.program_axes()
    return next((line for place, (axis, line) in enumerate(asked) if axis != place), None)


def _uses_a_pid_twice(evidence: Evidence) -> bool:
    """All tiles on the diagonal, and none beside it: one pid stands for two axes."""
    if not unwritten(evidence) or evidence.grid != evidence.wanted_grid or len(evidence.grid) < 2:
        return False
    rows, columns = evidence.wanted_grid[-2:]
    if rows < 2 or columns < 2:
        return False
    tiles = evidence.tiles_written.reshape(-1, rows, columns).any(dim=0)
    return all(bool(tiles[r, c]) == (r == c) for r in range(rows) for c in range(columns))


def _grid_and_block_disagree(evidence: Evidence) -> bool:
    if not (unwritten(evidence) and _too_small(evidence)) or evidence.source.one_name_for_blocks():
        return False
    axes = zip(evidence.grid, evidence.sizes, evidence.wanted_grid, strict=True)
    return all(has >= wants or has == 1 or has in _counts(size) for has, size, wants in axes)


def _counts(size: int) -> set[int]:
    return {count for block in BLOCKS for count in (cdiv(size, block), size // block)}


# The program id


def _forgotten_pid(evidence: Evidence) -> bool:
    if not unwritten(evidence) or not _fits(evidence) or _too_small(evidence):
        return False
    if _line_without_pid(evidence) is None:
        return False
    return any(evidence.only_first_along(axis) for axis in _blocked_axes(evidence))


def _line_without_pid(evidence: Evidence) -> int | None:
    """Where a block is counted that is the same in every program."""
    numbers = evidence.source.made_from("program_id")
    for name in ("offsets", "rows", "cols", "offs_m", "offs_n"):
        if name not in numbers and (lines := evidence.source.assignments(name)):
            return lines[0]
    return None


def _blocked_axes(evidence: Evidence) -> list[int]:
    return [place for place, axis in enumerate(evidence.exercise.tiling) if axis.block]


def _pid_not_scaled(evidence: Evidence) -> bool:
    """A beginning or an end is written, far shorter than what the programs have to cover."""
    if not unwritten(evidence) or not _fits(evidence) or _too_small(evidence):
        return False
    pids = {axis for axis, _ in evidence.source.program_axes()}
    scaled = re.search(r"\bpid\w* \* |\* pid", evidence.source.addresses()) is not None
    return bool(pids) and not scaled and any(_runs_short(evidence, axis) for axis in _blocked_axes(evidence))


def _pid_counts_from_elsewhere(evidence: Evidence) -> bool:
    """pid - 1, or pid + 1, times the block size."""
    shifted = re.search(r"\bpid\w* [-+] \d", evidence.source.addresses())
    return unwritten(evidence) and _fits(evidence) and not _too_small(evidence) and shifted is not None


def _runs_short(evidence: Evidence, axis: int) -> bool:
    """Whether along an axis of several programs what is unwritten is one run at its end, or its beginning."""
    if evidence.wanted_grid[axis] < 2:
        return False
    dimension = evidence.exercise.tiling[axis].dimension
    others = [place for place in range(evidence.written.ndim) if place != dimension]
    written = evidence.written.any(dim=others) if others else evidence.written
    places = written.nonzero().flatten()
    if not 0 < len(places) < len(written):
        return False
    first, last = int(places[0]), int(places[-1])
    return last - first + 1 == len(places) and (first == 0 or last == len(written) - 1)


# Masks


def _no_mask(evidence: Evidence) -> bool:
    return out_of_bounds(evidence) and mask_at_fault(evidence) == ""


def _mask_on_load_only(evidence: Evidence) -> bool:
    loads = evidence.source.calls("load")
    masked = any(evidence.source.mask_of(load) is not None for load in loads)
    return outside_store(evidence) and mask_at_fault(evidence) == "" and masked


def _mask_too_far(evidence: Evidence) -> bool:
    """An `<=` in the mask, or the very elements that one more would add."""
    return out_of_bounds(evidence) and "<=" in (mask_at_fault(evidence) or "")


def _mask_has_a_bound_missing(evidence: Evidence) -> bool:
    """The mask compares fewer things than the exercise's output has dimensions to keep within."""
    mask = mask_at_fault(evidence)
    if not out_of_bounds(evidence) or not mask:
        return False
    return len(_upper_bounds(mask)) < len(_blocked_axes(evidence)) > 1


def _mask_upside_down(evidence: Evidence) -> bool:
    """A comparison asks for what lies at or beyond a size."""
    sizes = set(evidence.exercise.sizes_by_name(*evidence.arguments))
    pairs = [
        (op, right)
        for node in evidence.source.comparisons()
        for op, right in zip(node.ops, node.comparators, strict=True)
    ]
    beyond = [right for op, right in pairs if isinstance(op, ast.Gt | ast.GtE)]
    return any(isinstance(right, ast.Name) and right.id in sizes for right in beyond)


def _no_parentheses(evidence: Evidence) -> int | None:
    """Where `a < b & c < d` stands, which Python reads as `a < (b & c) < d`."""
    joined = (ast.BitAnd, ast.BitOr)
    for node in evidence.source.comparisons():
        sides = [node.left, *node.comparators]
        if any(isinstance(side, ast.BinOp) and isinstance(side.op, joined) for side in sides):
            return node.lineno
    return None


def _upper_bounds(mask: str) -> set[str]:
    """What a mask compares with, from above."""
    bounds = set()
    for part in mask.split(" ; "):
        try:
            tree = ast.parse(part, mode="eval")
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                below = [right for op, right in zip(node.ops, node.comparators, strict=True) if isinstance(op, ast.Lt)]
                bounds |= {ast.unparse(right) for right in below}
                bounds |= {ast.unparse(node.left) for op in node.ops if isinstance(op, ast.Gt)}
    return bounds


def _lower_bound_missing(evidence: Evidence) -> bool:
    mask = mask_at_fault(evidence) or ""
    below = evidence.fault is not None and evidence.fault.outside < 0
    return outside_load(evidence) and below and bool(mask) and ">" not in mask and "<" in mask


def _masked_otherwise(evidence: Evidence) -> bool:
    return out_of_bounds(evidence) and bool(mask_at_fault(evidence))


# Tensors


def _output_is_input(evidence: Evidence) -> bool:
    seen = evidence.seen
    return evidence.kind is Kind.INPUT_MODIFIED and seen.output is not None and _returned_an_input(evidence)


def _returned_an_input(evidence: Evidence) -> bool:
    return evidence.seen.output_storage in evidence.seen.input_storages


def _stored_to_an_input(evidence: Evidence) -> bool:
    stored = evidence.seen.stored_storages & set(evidence.seen.input_storages)
    return evidence.kind is Kind.INPUT_MODIFIED and bool(stored)


def _returns_an_input(evidence: Evidence) -> bool:
    return evidence.values_only and _returned_an_input(evidence)


def _stores_nothing(evidence: Evidence) -> bool:
    """A kernel that ran, and has no line that stores."""
    text = evidence.source.kernel_text()
    return unwritten(evidence) and bool(evidence.grid) and "store(" not in text and "atomic_" not in text


def _adds_to_what_was_there(evidence: Evidence) -> bool:
    """The first launch that was given the output loads from it, or adds to it in place: NaN comes out."""
    given = (tensor for launch in evidence.seen.launches for tensor in launch.tensors.values())
    first = next((tensor for tensor in given if tensor.storage == evidence.seen.output_storage), None)
    reads = bool(evidence.source.calls("atomic_add")) or (first is not None and first.loaded > 0)
    return (unwritten(evidence) or evidence.values_only) and reads and bool(evidence.output.isnan().any())


def _edits_inputs(evidence: Evidence) -> bool:
    return evidence.kind is Kind.INPUT_MODIFIED


def _numbers_in_another_order(evidence: Evidence) -> bool:
    """The kernel got its sizes in another order than its parameters' names say."""
    launch = evidence.launch
    if launch is None or evidence.kind in (Kind.CRASH, Kind.TIMEOUT):
        return False
    right = evidence.exercise.sizes_by_name(*evidence.arguments)
    pairs = [(launch.numbers[name], value) for name, value in right.items() if name in launch.numbers]
    given, wanted = [has for has, _ in pairs], [value for _, value in pairs]
    return given != wanted and sorted(given) == sorted(wanted)


def _tensors_in_another_order(evidence: Evidence) -> bool:
    launch = evidence.launch
    if launch is None:
        return False
    seen = evidence.seen
    places: dict[int, int | None] = {seen.output_storage: None}
    places |= {storage: place for place, storage in enumerate(seen.input_storages)}
    given = [
        (launch.tensors[name].storage, place)
        for name, place in evidence.exercise.inputs_by_name.items()
        if name in launch.tensors
    ]
    return any(storage in places and places[storage] != place for storage, place in given)


def _remembers(evidence: Evidence) -> bool:
    """The answer has something of the call before in it."""
    if not evidence.values_only or not evidence.earlier:
        return False
    if evidence.seen.earlier_answer_changed:
        return True
    return any(
        evidence.equals_reference(*mixed)
        for call in evidence.earlier
        for mixed in itertools.product(*(_either(*pair) for pair in zip(evidence.arguments, call, strict=True)))
    )


def _either(now: torch.Tensor, then: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (now, then) if now.shape == then.shape else (now,)


def _coarse(evidence: Evidence) -> bool:
    """Values with the few digits of float16 or bfloat16, on the whole near the right ones."""
    import torch

    if not evidence.values_only or evidence.output.dtype != torch.float32:
        return False
    output, expected = evidence.output, evidence.expected
    close = ((output - expected).abs() <= 0.05 * (1 + expected.abs())).double().mean() > 0.9
    return bool(close) and any(torch.equal(output.to(dtype).float(), output) for dtype in (torch.half, torch.bfloat16))


def _undefined_values(evidence: Evidence) -> bool:
    """NaN was stored, and some masked load has no `other`."""
    if not evidence.values_only or not bool((evidence.output.isnan() & evidence.written).any()):
        return False
    return _load_without_other(evidence) is not None


def _load_without_other(evidence: Evidence) -> int | None:
    for call in evidence.source.calls("load"):
        masked = evidence.source.mask_of(call) is not None
        if masked and len(call.args) < 3 and all(keyword.arg != "other" for keyword in call.keywords):
            return call.lineno
    return None


def _stores_one_block_many_times(evidence: Evidence) -> bool:
    return _fits(evidence) and evidence.kind is Kind.RACE and evidence.fault is not None and evidence.fault.stored


def _races(evidence: Evidence) -> bool:
    return evidence.kind is Kind.RACE


PATTERN_OF_TILES = (
    Mistake(
        "floor-grid",
        (
            "How many programs does the grid have, and how many elements are left for one more?",
            "`//` rounds down and leaves the last, partly filled block without a program. cdiv rounds up.",
        ),
        _floor_grid,
        blames=at_grid,
        todo="grid",
    ),
    Mistake(
        "grid-missing-axis",
        (
            "How many axes does the kernel ask tl.program_id for, and how many has the grid?",
            "An axis that the grid does not have has one program, number 0. The grid needs one entry for each "
            "program_id.",
        ),
        _grid_missing_axis,
        blames=at_grid,
        todo="grid",
    ),
    Mistake(
        "grid-swapped",
        (
            "Which program id counts which dimension, and in which order does the grid list them?",
            "The grid's first entry is for program_id(axis=0), its second for axis 1, and so on. Here they "
            "stand in another order.",
        ),
        _grid_swapped,
        blames=at_grid,
        todo="grid",
    ),
    Mistake(
        "wrong-axis",
        (
            "Which axis of the grid does each program id count?",
            "Axis 0 is the grid's first entry. An axis that the grid does not have is always 0, and one that is used "
            "twice leaves every tile off the diagonal to nobody.",
        ),
        lambda evidence: _swapped_in_kernel(evidence) or _uses_a_pid_twice(evidence),
        blames=_line_of_wrong_axis,
        todo="offsets",
    ),
    Mistake(
        "grid-block-disagree",
        (
            "With which block size does the grid count, and with which does the kernel work?",
            "The grid has too few programs for blocks of this size. Count them with the block size that you hand to "
            "the kernel: cdiv(size, BLOCK_SIZE), with one name for both.",
        ),
        _grid_and_block_disagree,
        blames=at_grid,
        todo="blocks",
    ),
    Mistake(
        "pid-off-by-one",
        (
            "At which element does program 0 start? And program 1?",
            "Programs are numbered from 0: program pid starts at pid * BLOCK_SIZE.",
        ),
        _pid_counts_from_elsewhere,
        blames=at("offsets", "rows", "cols", "offs_m", "offs_n"),
        todo="offsets",
    ),
    Mistake(
        "forgotten-pid",
        (
            "Which block does program 1 work on? And program 2?",
            "Every program works on the first block. Its own starts at its program id times the block size.",
        ),
        _forgotten_pid,
        blames=_line_without_pid,
        todo="offsets",
    ),
)
"""What the map of written tiles shows."""

MASKS = (
    Mistake(
        "mask-without-parentheses",
        (
            "In which order does Python work out `<` and `&`?",
            "`&` comes before `<`, so `a < b & c < d` means `a < (b & c) < d`. Put each comparison in parentheses.",
        ),
        lambda evidence: _no_parentheses(evidence) is not None,
        blames=_no_parentheses,
        todo="mask",
    ),
    Mistake(
        "mask-upside-down",
        (
            "Is the mask true where an element exists, or where it does not?",
            "A mask is true for the elements that are to be loaded or stored: those whose index is less than the size.",
        ),
        _mask_upside_down,
        todo="mask",
    ),
    Mistake(
        "mask-on-load-only",
        (
            "Which elements does this line store to that do not exist?",
            "A mask on the load does not carry over. tl.store needs its own, true where the output has an element.",
        ),
        _mask_on_load_only,
        todo="store",
    ),
    Mistake(
        "mask-missing",
        (
            "Which elements does this line touch that do not exist?",
            "Blocks are whole, tensors are not: give this line `mask=`, true where an element exists.",
        ),
        _no_mask,
        todo="mask",
    ),
    Mistake(
        "mask-too-far",
        (
            "Is the element whose index equals the size still inside?",
            "n elements have the indices 0 to n - 1: the mask says `<`, not `<=`.",
        ),
        _mask_too_far,
        todo="mask",
    ),
    Mistake(
        "mask-lower-missing",
        (
            "Can an index be less than 0 here?",
            "The mask stops what is beyond the end, not what is before the start: `>= 0` has to hold too.",
        ),
        _lower_bound_missing,
        todo="mask",
    ),
    Mistake(
        "mask-missing",
        (
            "In how many directions can this block reach too far?",
            "The mask looks at one direction only. Rows and columns both have an end: join the two comparisons with &.",
        ),
        _mask_has_a_bound_missing,
        todo="mask",
    ),
)

ORDER = (
    Mistake(
        "argument-order",
        (
            "Which of the kernel's parameters does each argument of the launch land in?",
            "Arguments go by their place. Put the launch beside the kernel's first lines: two have changed places.",
        ),
        _numbers_in_another_order,
        blames=at_launch,
        todo="launch",
    ),
    Mistake(
        "argument-order",
        (
            "Which tensor does each of the kernel's pointers point to?",
            "Arguments go by their place: a tensor has landed in another one's parameter.",
        ),
        lambda evidence: evidence.kind is not Kind.WRONG_DTYPE and _tensors_in_another_order(evidence),
        blames=at_launch,
        todo="launch",
    ),
)

TENSORS = (
    Mistake(
        "output-is-input",
        (
            "Where does the result go, and who else still needs what is there?",
            "The output is the input itself. Make a tensor of its own: torch.empty_like.",
        ),
        _output_is_input,
        blames=at("output", "c"),
    ),
    *ORDER,
    Mistake(
        "stores-to-an-input",
        (
            "Which pointer does tl.store start from?",
            "The kernel stores to one of its inputs. The result belongs in the output.",
        ),
        _stored_to_an_input,
        blames=at_call("store"),
        todo="store",
    ),
    Mistake(
        "edits-inputs",
        (
            "Who else uses the tensors that the launcher is given?",
            "Inputs are read only: methods that end in `_`, and `+=`, change them in place. Work on new tensors.",
        ),
        _edits_inputs,
    ),
    Mistake(
        "returns-an-input",
        (
            "Which tensor did the kernel store to, and which one does the launcher return?",
            "An input came back. The result is in the tensor that the kernel stored to: return that one.",
        ),
        _returns_an_input,
        blames=lambda evidence: evidence.source.return_line(),
    ),
    Mistake(
        "nothing-stored",
        (
            "Where does the kernel put its result?",
            "A kernel returns nothing, and what it computes is gone when it ends. tl.store(pointers, values, "
            "mask=mask) keeps it, in the output.",
        ),
        _stores_nothing,
        todo="store",
    ),
    Mistake(
        "not-zeroed",
        (
            "What is in the output before the kernel adds to it?",
            "torch.empty leaves anything there. Store the result as a whole; or start from torch.zeros.",
        ),
        _adds_to_what_was_there,
        blames=at("output", "c"),
    ),
)

LAST = (
    Mistake(
        "remembers",
        (
            "What does the second call with other values of the same shape give?",
            "Something of an earlier call is kept and used again. Every call computes from its own arguments.",
        ),
        _remembers,
        todo="launch",
    ),
    Mistake(
        "no-other",
        (
            "What does a masked load give where the mask is false?",
            "Nothing that you may compute with. `other=0.0` says what: zero adds nothing.",
        ),
        _undefined_values,
        blames=_load_without_other,
        todo="load",
    ),
    Mistake(
        "accumulator-not-float32",
        (
            "How many digits do the sums keep?",
            "The values have the few digits of a 16-bit float. Keep what is summed in float32 to the end.",
        ),
        _coarse,
        blames=at("accumulator"),
        todo="sum",
    ),
    Mistake(
        "pid-not-scaled",
        (
            "At which element does program 1 start? And program 2?",
            "Blocks follow each other without a gap: program pid starts at pid * BLOCK_SIZE, counted from 0.",
        ),
        _pid_not_scaled,
        blames=at("offsets", "rows", "cols", "offs_m", "offs_n"),
        todo="offsets",
        vague=True,
    ),
    Mistake(
        "mask-wrong-bound",
        (
            "What does the mask compare, and with what?",
            "There is a mask, but not for these elements: it has to compare the very offsets that this line uses with "
            "the size of the tensor.",
        ),
        _masked_otherwise,
        todo="mask",
        vague=True,
    ),
    Mistake(
        "stores-one-block-many-times",
        (
            "Which elements does each program store to?",
            "Several programs store different values to one place, and the last one wins. Each needs elements of its "
            "own: its program id has to be in the offsets of the store.",
        ),
        _stores_one_block_many_times,
        todo="store",
    ),
    Mistake(
        "race",
        (
            "Does one program need what another one stores?",
            "Programs run in any order. What one stores, another can only load in the next launch.",
        ),
        _races,
        todo="store",
    ),
)
"""What is left when nothing more exact is known."""
