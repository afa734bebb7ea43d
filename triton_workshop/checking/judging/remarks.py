"""What deserves a sentence although the result is right: work that is done twice, or for nothing."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from triton_workshop.checking.diagnosing.limits import Bound, WideOffsets
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.diagnosing.untested import Untested
from triton_workshop.checking.judging.words import in_a_row
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Launched, Observation
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Function, Source, called
from triton_workshop.exercises.exercise import Exercise

FACTORIES = ("empty", "zeros", "ones", "full", "tensor", "arange", "rand", "randn")
"""Functions of torch whose tensors are in the CPU's memory, unless they are told otherwise."""
INSIDE = ("triton_workshop.checking.", "triton_simulator", "ctypes")
"""Modules that no kernel needs, with the exception of `FOR_SCRIPTS`."""
FOR_SCRIPTS = "triton_workshop.checking.check_this_script"
WAYS_IN = re.compile(
    r"sys\.(modules|settrace|setprofile)|.*\b(_getframe|currentframe|get_objects|get_referrers|get_referents)|"
    r".*\.(f_back|f_locals|__globals__|__subclasses__)"
)
"""How Python gets from one place to any other."""
MOST_PLACES = 3
"""A remark names so many places at most."""
MOST_WORDS = 50
"""And of each condition so many characters."""
MANY_ON_AN_AXIS = 1_000
"""A sixty-fifth of what a GPU takes: a size that is 66 times as large is not rare."""
MOST_STORED_AGAIN = 16
"""A sixteenth of the elements may be stored twice."""
FEW_BLOCKS = 4
"""Of fewer, an edge of a small input may well leave half."""
WASTE = 9
"""How many times more idle than busy programs are worth a remark: small inputs always leave a few idle."""
WASTE_OF_MANY = 1
"""The same where a grid has grown with a long input: half of it."""


def remarks(source: Source, case: str, comparison: Comparison) -> tuple[str, ...]:
    """What a right script could do better, as this case shows: a sentence or two for each thing."""
    launches = comparison.seen.launches
    found = [
        next((_empty(launch, case) for launch in launches if _loads_in_vain(launch)), ""),
        next(
            (_stored_again(source, launch, comparison) for launch in launches if _repeats_work(launch, comparison)), ""
        ),
        *(_prepared(source.exercise, launch, comparison) for launch in launches),
        _another_tensor(source.exercise) if comparison.seen.provenance is Provenance.COPY else "",
        _multiplied_in_vain(source.exercise, case, comparison),
        next((_launched_twice(launch) for launch in launches if launch.repeats), ""),
        next(_without_device(source), ""),
        next(_tuned_sums(source), ""),
        _computed_by_pytorch(source.exercise) if _is_computed(comparison.seen) else "",
        _replaced(comparison.seen.replaced),
        next(_reaches(source), ""),
        _without_allocator(source),
    ]
    return tuple(filter(None, found))


def remark_on_idle_programs(case: str, seen: Observation) -> tuple[str, ...]:
    """That most programs had nothing to do."""
    return tuple(_idle(launch, case) for launch in seen.launches if _wastes(launch))[:1]


def keeps_programs_busy(seen: Observation) -> bool:
    """Whether a launch has work for half of its programs: a grid like this is not too large for every input."""
    return any(2 * launch.idle <= launch.programs for launch in seen.launches)


def remark_on_axes(case: str, seen: Observation) -> tuple[str, ...]:
    """That a grid grows along an axis on which CUDA allows few programs."""
    launches = [launch for launch in seen.launches if max(launch.grid[1:], default=0) >= MANY_ON_AN_AXIS]
    return tuple(
        f"Right here, but the grid of {launch.kernel} is {launch.grid} ({case}). A GPU takes 65,535 programs along the "
        "second axis and the third, and 2³¹ - 1 along the first: put what grows on the first."
        for launch in launches[:1]
    )


def remarks_on_growth(case: str, before: Observation, seen: Observation) -> tuple[str, ...]:
    """That a grid grows faster than the blocks do, as a long case shows beside an ordinary one."""
    grids = [launch.grid for launch in before.launches]
    grown = [launch for launch in seen.launches if launch.grid not in grids]
    # A launch of several may well have nothing to do, such as for a weight that lies over zeros only.
    return (_idle(grown[0], case),) if grown and all(_wastes(launch, WASTE_OF_MANY) for launch in grown) else ()


def remark_on_size(found: OtherSize, what: str) -> str:
    """That a script is right with one tile size only, and what goes wrong with another."""
    told = f"Right with {found.with_this}, but not with {found.not_with}: {what} ({found.case})."
    mixed = found.mixed
    return told if mixed is None else f"{told} Line {mixed.line} names {mixed.name} where {mixed.meant} is meant."


def remark_on_limit(found: WideOffsets | Bound, what: str) -> str:
    """Up to which size a script is right, and what goes wrong beyond it."""
    if isinstance(found, Bound):
        told = f"Right here, but not with {found.case}: {what}."
        return told if found.line is None else f"{told} Line {found.line} sets a limit: {found.words}."
    does = "reads or overwrites" if found.stored else "reads"
    names = in_a_row([f"{name} (line {line})" for name, line in found.arguments])
    return (
        f"Right here, but the offsets of {names} are int32: from 2³¹ elements on, they wrap, and a GPU {does} other "
        "memory without an error. Make the program's number int64, with .to(tl.int64), first."
    )


def remark_on_untested(found: Sequence[Untested]) -> str:
    """Which code no case has run."""
    places = in_a_row([_place(each) for each in found[:MOST_PLACES]])
    return f"Right in every case, but no case runs {places}. Whether that is right, this check does not know."


def _place(found: Untested) -> str:
    lines = f"line {found.first}" if found.first == found.last else f"lines {found.first} to {found.last}"
    code = f"{_cut(found.words)} on {lines}" if found.words else lines
    condition = _cut(found.condition)
    return f"{code} ({'if' if found.needed else 'unless'} {condition})"


def _cut(words: str) -> str:
    return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 1]}…"


def _wastes(launch: Launched, times: int = WASTE) -> bool:
    return launch.idle >= times * max(launch.programs - launch.idle, 1)


def _idle(launch: Launched, case: str) -> str:
    return (
        f"Right, but wasteful: {launch.idle:,} of {launch.programs:,} programs had nothing to do ({case}). "
        "A grid counts blocks, not elements."
    )


def _is_computed(seen: Observation) -> bool:
    """Whether PyTorch computed the result, and not only once more what a kernel had stored."""
    return seen.computed and seen.provenance is not Provenance.COPY


def _loads_in_vain(launch: Launched) -> bool:
    """Whether half of an argument's blocks are empty, though most programs have something to do."""
    return 2 * launch.idle < launch.programs and any(_mostly_empty(none, every) for _, none, every in launch.empty)


def _mostly_empty(none: int, every: int) -> bool:
    return 2 * none >= every >= FEW_BLOCKS


def _empty(launch: Launched, case: str) -> str:
    name, none, every = next(each for each in launch.empty if _mostly_empty(*each[1:]))
    return (
        f"Right, but wasteful: {launch.kernel} loads a block of {name} {every:,} times, and {none:,} times its mask "
        f"leaves nothing of it ({case}). Where does the loop have to end?"
    )


def _repeats_work(launch: Launched, comparison: Comparison) -> bool:
    """Whether it stores much again: a last block that begins earlier, to be whole, is as good as a mask."""
    return MOST_STORED_AGAIN * launch.stored_again > comparison.expected.numel()


def _stored_again(source: Source, launch: Launched, comparison: Comparison) -> str:
    """Why elements are stored more than once: in each turn of a loop, by too many programs, or where tiles overlap."""
    told = f"Right, but {launch.stored_again:,} stores of {launch.kernel} go to elements that it has stored already"
    if (line := next(_stores_in_loops(source), None)) is not None:
        return f"{told}: the store on line {line} runs in each turn of its loop, and only the last one counts."
    tiles = math.prod(comparison.wanted_grid)
    own = comparison.has_tiles_of_the_solution or len(launch.grid) > len(comparison.wanted_grid)
    if own and launch.programs >= 2 * tiles:
        return f"{told}: a grid of {launch.grid} has {launch.programs:,} programs for {tiles:,} tiles."
    return (
        f"{told}: tiles overlap, and several programs compute the same element. "
        "Mask each direction by itself, as `(rows < height) & (cols < width)` does."
    )


def _stores_in_loops(source: Source) -> Iterator[int]:
    for kernel in source.kernels:
        for loop in ast.walk(kernel):
            if isinstance(loop, ast.For | ast.While):
                calls = (node for node in ast.walk(loop) if isinstance(node, ast.Call))
                yield from (node.lineno for node in calls if called(node) == "store")


def _prepared(exercise: Exercise, launch: Launched, comparison: Comparison) -> str:
    """Tensors as large as the result, made by PyTorch for the kernel to read; small ones, such as weights, are free."""
    name, size = next((each for each in launch.prepared if each[1] >= comparison.expected.numel()), ("", 0))
    if not name:
        return ""
    return (
        f"Right, but {launch.kernel} reads {name} ({size:,} elements) from a tensor that PyTorch made in "
        f"{exercise.launcher}. That costs another trip through memory: pass the argument, and compute in the kernel."
    )


def _multiplied_in_vain(exercise: Exercise, case: str, comparison: Comparison) -> str:
    """That a kernel computes all scores, where a mask leaves only about half of them."""
    if exercise.unmasked_operations is None:
        return ""
    arguments = comparison.arguments
    done = sum(launch.products for launch in comparison.seen.launches)
    if done < exercise.unmasked_operations(*arguments):
        return ""
    return (
        f"Right, but wasteful: tl.dot does {done:,} operations where {exercise.operations(*arguments):,} are needed "
        f"({case}). A mask hides the rest: stop the loop at the tile that holds the diagonal."
    )


def _launched_twice(launch: Launched) -> str:
    return (
        f"Right, but {launch.kernel} is launched again with the same grid and the same arguments. "
        "One launch is enough: the second computes everything once more."
    )


def _tuned_sums(source: Source) -> Iterator[str]:
    """Kernels that add to what is there, which a tuner runs many times on the same tensors."""
    for kernel in source.kernels:
        tuners = [each for each in kernel.decorator_list if isinstance(each, ast.Call) and called(each) == "autotune"]
        kept = {word.arg for tuner in tuners for word in tuner.keywords} & {"reset_to_zero", "restore_value"}
        if (
            tuners
            and not kept
            and (_pointers(kernel, "atomic_add") or _pointers(kernel, "load") & _pointers(kernel, "store"))
        ):
            yield (
                f"Right here, but {kernel.name} adds to its output, and on a GPU triton.autotune runs it many times to "
                "compare configurations: all that they add stays. Name that parameter in reset_to_zero=[…]."
            )


def _pointers(kernel: Function, access: str) -> set[str]:
    """The names at which the pointers of such accesses begin: `x` in `tl.load(x + offsets)` and `x.load(offsets)`."""
    calls = [node for node in ast.walk(kernel) if isinstance(node, ast.Call) and called(node) == access and node.args]
    return {ast.unparse(_beginning(_pointer(call))) for call in calls}


def _pointer(call: ast.Call) -> ast.expr:
    """What is loaded from or stored to: the first argument, or what a method belongs to."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    return call.args[0] if owner is None or ast.unparse(owner) in ("tl", "triton.language") else owner


def _beginning(pointer: ast.expr) -> ast.expr:
    return _beginning(pointer.left) if isinstance(pointer, ast.BinOp) else pointer


def _without_allocator(source: Source) -> str:
    if not source.calls("make_tensor_descriptor") or source.calls("set_allocator"):
        return ""
    return (
        "Right here, but on a GPU a kernel that makes a tensor descriptor needs memory for it: before the launch, "
        "triton.set_allocator has to be given a function that returns it."
    )


def _another_tensor(exercise: Exercise) -> str:
    return (
        f"Right, but {exercise.launcher} returns another tensor than the one that the kernel stored, with equal "
        "values. Return the kernel's own tensor: nothing is computed or copied again."
    )


def _computed_by_pytorch(exercise: Exercise) -> str:
    return (
        f"Right, but PyTorch computes the tensor that {exercise.launcher} returns. Each of its values is also among "
        "those that a kernel stored, which may be chance: return the kernel's own tensor."
    )


def _replaced(names: Sequence[str]) -> str:
    """That the check used functions of the script's own, so that nobody knows what it has seen."""
    if not names:
        return ""
    return (
        f"Right as far as anybody can see, but the script replaces {in_a_row(names[:3])}. The check uses that, too, so "
        "what it says here is worth nothing: leave PyTorch, NumPy and the workshop as they are."
    )


def _reaches(source: Source) -> Iterator[str]:
    """Where a script may get hold of what the check has recorded, and change it."""
    for node in source.nodes:
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), names=names):
                modules = [f"{module}.{alias.name}" for alias in names]
            case ast.Constant(value=str(text)):
                modules = [text] if " " not in text else []
            case ast.Attribute():
                modules = [ast.unparse(node)]
            case _:
                continue
        for name in modules:
            if (name.startswith(INSIDE) and name != FOR_SCRIPTS) or WAYS_IN.fullmatch(name):
                yield (
                    f"Right as far as anybody can see, but line {node.lineno} has {name}, by which a script can change "
                    "what the check has recorded. Leave it out: then a verdict says something."
                )


def _without_device(source: Source) -> Iterator[str]:
    """Tensors for a launch that PyTorch makes in the CPU's memory, as only a machine with a GPU would show."""
    launcher = source.launcher
    if launcher is None or source.calls("device", "set_default_device"):
        return
    nodes = list(ast.walk(launcher))
    stored = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    made = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _is_on_the_cpu(node.value)
    }
    for launch in (node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)):
        for argument in (*launch.args, *(keyword.value for keyword in launch.keywords)):
            name = argument.id if isinstance(argument, ast.Name) and stored.count(argument.id) == 1 else ""
            call = made.get(name, argument)
            if _is_on_the_cpu(call):
                told = (
                    f"Right here, but {ast.unparse(call.func)} on line {call.lineno} makes a tensor in the CPU's memory"
                )
                device = f"device={launcher.args.args[-1].arg}.device"
                yield f"{told}, which no kernel on a GPU can reach. Say where: {device}."


def _is_on_the_cpu(node: ast.expr) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or called(node) not in FACTORIES or not isinstance(node.func, ast.Attribute):
        return False
    return ast.unparse(node.func.value) == "torch" and not any(word.arg in ("device", None) for word in node.keywords)
