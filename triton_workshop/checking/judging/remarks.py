"""Remarks on a script that is right.

They are about work that is done twice or for nothing, and about what only a GPU would show.
"""

from __future__ import annotations

import ast
import itertools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard

from triton_simulator.compiler.report import join_names
from triton_workshop.checking.diagnosing.limits import Bound, WideOffsets
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize
from triton_workshop.checking.diagnosing.untested import Untested
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Launched, Observation
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import (
    Function,
    Source,
    argument_of,
    is_call_of,
    operand_of,
    stores_in,
)
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.hints import sentence

FACTORIES = ("empty", "zeros", "ones", "full", "tensor", "arange", "rand", "randn")
"""Functions of torch that make a tensor on the CPU by default."""
CHECKER_MODULES = ("triton_workshop.checking.", "triton_simulator", "ctypes")
"""Modules that no kernel needs, with the exception of `SCRIPT_API`."""
SCRIPT_API = "triton_workshop.checking.check_this_script"
INTROSPECTION = re.compile(
    r"sys\.(modules|settrace|setprofile)|.*\b(_getframe|currentframe|get_objects|get_referrers|get_referents)|"
    r".*\.(f_back|f_locals|__globals__|__subclasses__)"
)
"""Names by which Python gets from anywhere to anything else."""
MAX_UNTESTED = 3
"""The most pieces of code that a remark names."""
MAX_CODE_CHARACTERS = 50
MAX_REPLACED_NAMES = 3
LONG_AXIS_PROGRAMS = 1_000
"""A sixty-fifth of what a GPU takes.

A size that is 66 times as large is not rare.
"""
MAX_RESTORED_SHARE = 16
"""A sixteenth of the elements may be stored twice."""
MIN_BLOCKS = 4
"""Of fewer, an edge of a small input may well leave half."""
IDLE_PER_BUSY = 9
"""The ratio of idle to busy programs from which on they are wasteful.

Small inputs always leave a few idle.
"""
IDLE_PER_BUSY_IN_LONG_CASE = 1
"""The same where a grid has grown with a long input: half of it."""


def remarks(source: Source, case: str, comparison: Comparison) -> tuple[str, ...]:
    """Return what a right script could do better, as this case shows.

    Each thing takes a sentence or two.
    """
    exercise, observation, launches = source.exercise, comparison.seen, comparison.seen.launches
    sentences = [
        _first(launches, _loads_empty_blocks, lambda launch: _empty_blocks(launch, case)),
        _first(
            launches,
            lambda launch: _repeats_stores(launch, comparison),
            lambda launch: _repeated_stores(source, launch, comparison),
        ),
        *(_prepared_tensor(exercise, launch, comparison) for launch in launches),
        _copied(exercise) if _is_copy(observation) else "",
        _hidden_products(exercise, case, comparison),
        _first(launches, lambda launch: launch.repeats, _launched_twice),
        next(_tensors_on_the_cpu(source, comparison), ""),
        next(_tuned_sums(source), ""),
        _computed_by_pytorch(exercise) if _is_computed(observation) else "",
        _replaced_functions(observation.replaced),
        next(_names_in_the_checker(source), ""),
        _missing_allocator(source),
    ]
    return tuple(filter(None, sentences))


def _first(launches: Sequence[Launched], applies: Callable[[Launched], bool], remark: Callable[[Launched], str]) -> str:
    """Return a remark on the first launch to which it applies, or ""."""
    return next((remark(launch) for launch in launches if applies(launch)), "")


def remark_on_idle_programs(case: str, observation: Observation) -> tuple[str, ...]:
    """Return the remark that most programs were idle, if so."""
    return tuple(_idle(launch, case) for launch in observation.launches if _is_wasteful(launch))[:1]


def keeps_programs_busy(observation: Observation) -> bool:
    """Return whether a launch has work for half of its programs.

    Such a grid is not too large for every input.
    """
    return any(2 * launch.idle <= launch.programs for launch in observation.launches)


def remark_on_axes(case: str, observation: Observation) -> tuple[str, ...]:
    """Return the remark on a grid that grows along the wrong axis, if so.

    CUDA allows few programs along the second and the third.
    """
    for launch in observation.launches:
        if max(launch.grid[1:], default=0) >= LONG_AXIS_PROGRAMS:
            return (sentence("remarks.long-axis", kernel=launch.kernel, grid=launch.grid, case=case),)
    return ()


def remarks_on_growth(case: str, ordinary: Observation, observation: Observation) -> tuple[str, ...]:
    """Return the remark that a grid grows faster than its blocks, if so.

    A long case shows it beside an ordinary one.
    """
    grids = [launch.grid for launch in ordinary.launches]
    grown = [launch for launch in observation.launches if launch.grid not in grids]
    # A launch of several may well have nothing to do, such as for a weight that lies over zeros only.
    are_wasteful = all(_is_wasteful(launch, IDLE_PER_BUSY_IN_LONG_CASE) for launch in grown)
    if grown and are_wasteful:
        return (_idle(grown[0], case),)
    return ()


def remark_on_size(size: OtherSize, message: str) -> str:
    """Return the remark that only one tile size is right.

    With another, the script is wrong as `message` says.
    """
    remark = sentence(
        "remarks.tile-size", passing=size.with_this, failing=size.not_with, message=message, case=size.case
    )
    if (mixed := size.mixed) is None:
        return remark
    return sentence("remarks.mixed-sizes", remark=remark, line=mixed.line, name=mixed.name, intended=mixed.meant)


def remark_on_limit(limit: WideOffsets | Bound, message: str) -> str:
    """Return the remark that larger inputs are wrong, as `message` says."""
    if isinstance(limit, Bound):
        if limit.line is None:
            return sentence("remarks.bound", case=limit.case, message=message)
        return sentence("remarks.bound-on-line", case=limit.case, message=message, line=limit.line, code=limit.words)
    arguments = join_names(
        [sentence("remarks.argument-on-line", argument=name, line=line) for name, line in limit.arguments]
    )
    if limit.stored:
        return sentence("remarks.int32-stores", arguments=arguments)
    return sentence("remarks.int32-loads", arguments=arguments)


def remark_on_untested(untested: Sequence[Untested]) -> str:
    """Return which code no case has run."""
    return sentence("remarks.untested", code=join_names([_untested_code(code) for code in untested[:MAX_UNTESTED]]))


def _untested_code(code: Untested) -> str:
    name = "remarks.if" if code.needed else "remarks.unless"
    condition = sentence(name, condition=_shorten(code.condition))
    if code.first == code.last:
        lines = sentence("remarks.untested-line", first=code.first, condition=condition)
    else:
        lines = sentence("remarks.untested-lines", first=code.first, last=code.last, condition=condition)
    return sentence("remarks.untested-part", code=_shorten(code.words), place=lines) if code.words else lines


def _shorten(code: str) -> str:
    return code if len(code) <= MAX_CODE_CHARACTERS else f"{code[: MAX_CODE_CHARACTERS - 1]}…"


def _is_wasteful(launch: Launched, idle_per_busy: int = IDLE_PER_BUSY) -> bool:
    return launch.idle >= idle_per_busy * max(launch.programs - launch.idle, 1)


def _idle(launch: Launched, case: str) -> str:
    return sentence("remarks.idle", idle=launch.idle, programs=launch.programs, case=case)


def _is_computed(observation: Observation) -> bool:
    """Return whether PyTorch computed the result.

    It may also have computed once more what a kernel had stored, which does not count.
    """
    if observation.output is None:
        return False
    return observation.output.computed and not _is_copy(observation)


def _is_copy(observation: Observation) -> bool:
    return observation.output is not None and observation.output.provenance is Provenance.COPY


def _loads_empty_blocks(launch: Launched) -> bool:
    """Return whether half of an argument's blocks are empty.

    That counts if most programs have something to do.
    """
    if 2 * launch.idle >= launch.programs:
        return False
    return any(_is_mostly_empty(empty, loads) for _, empty, loads in launch.empty)


def _is_mostly_empty(empty: int, loads: int) -> bool:
    return 2 * empty >= loads >= MIN_BLOCKS


def _empty_blocks(launch: Launched, case: str) -> str:
    argument, empty, loads = next(counts for counts in launch.empty if _is_mostly_empty(*counts[1:]))
    return sentence(
        "remarks.empty-blocks", kernel=launch.kernel, argument=argument, loads=loads, empty=empty, case=case
    )


def _repeats_stores(launch: Launched, comparison: Comparison) -> bool:
    """Return whether a launch stores many elements again.

    A last block that begins earlier, to be whole, is as good as a mask.
    """
    return MAX_RESTORED_SHARE * launch.stored_again > comparison.expected.numel()


def _repeated_stores(source: Source, launch: Launched, comparison: Comparison) -> str:
    """Return the remark that elements are stored again, with its cause.

    It is a loop, too many programs, or tiles that overlap.
    """
    stores, kernel = launch.stored_again, launch.kernel
    # A loop explains it whatever the grid is.
    if (line := next(_stores_in_loops(source), None)) is not None:
        return sentence("remarks.stored-in-loop", stores=stores, kernel=kernel, line=line)
    tiles = math.prod(comparison.wanted_grid)
    is_comparable = comparison.has_tiles_of_the_solution or len(launch.grid) > len(comparison.wanted_grid)
    if is_comparable and launch.programs >= 2 * tiles:
        return sentence(
            "remarks.stored-by-too-many",
            stores=stores,
            kernel=kernel,
            grid=launch.grid,
            programs=launch.programs,
            tiles=tiles,
        )
    return sentence("remarks.stored-by-neighbours", stores=stores, kernel=kernel)


def _stores_in_loops(source: Source) -> Iterator[int]:
    nodes = itertools.chain.from_iterable(map(ast.walk, source.kernels))
    loops = (node for node in nodes if isinstance(node, ast.For | ast.While))
    for loop in loops:
        yield from (node.lineno for node in ast.walk(loop) if is_call_of(node, "store"))


def _prepared_tensor(exercise: Exercise, launch: Launched, comparison: Comparison) -> str:
    """Remark on a large tensor that PyTorch made for the kernel to read.

    Small ones, such as weights, are free.
    """
    named = [(argument, elements) for argument, elements in launch.prepared if argument]
    for argument, elements in named:
        if elements >= comparison.expected.numel():
            return sentence(
                "remarks.prepared",
                kernel=launch.kernel,
                argument=argument,
                elements=elements,
                launcher=exercise.launcher,
            )
    return ""


def _hidden_products(exercise: Exercise, case: str, comparison: Comparison) -> str:
    """Remark on scores that a kernel computes and a mask hides."""
    if exercise.unmasked_operations is None:
        return ""
    arguments = comparison.arguments
    done = sum(launch.products for launch in comparison.seen.launches)
    if done < exercise.unmasked_operations(*arguments):
        return ""
    return sentence("remarks.hidden-products", done=done, needed=exercise.operations(*arguments), case=case)


def _launched_twice(launch: Launched) -> str:
    return sentence("remarks.launched-twice", kernel=launch.kernel)


def _tuned_sums(source: Source) -> Iterator[str]:
    """Remark on tuned kernels that add to what is there.

    A tuner runs them many times on the same tensors.
    """
    for kernel in filter(_is_tuned_without_reset, source.kernels):
        if _accumulates_in_memory(kernel):
            yield sentence("remarks.tuned-sum", kernel=kernel.name)


def _is_tuned_without_reset(kernel: Function) -> bool:
    tuners = [decorator for decorator in kernel.decorator_list if is_call_of(decorator, "autotune")]
    keywords = itertools.chain.from_iterable(tuner.keywords for tuner in tuners)
    options = {keyword.arg for keyword in keywords}
    # With one of these, the tuner undoes what its runs have stored.
    return bool(tuners) and options.isdisjoint({"reset_to_zero", "restore_value"})


def _accumulates_in_memory(kernel: Function) -> bool:
    if _pointers(kernel, "atomic_add"):
        return True
    return not _pointers(kernel, "load").isdisjoint(_pointers(kernel, "store"))


def _pointers(kernel: Function, access: str) -> set[str]:
    """Return the names at which the pointers of such accesses begin.

    It is `x` in `tl.load(x + offsets)` and in `x.load(offsets)`.
    """
    calls = [node for node in ast.walk(kernel) if is_call_of(node, access)]
    pointers = map(_pointer_of, calls)
    return {ast.unparse(_base(pointer)) for pointer in pointers if pointer is not None}


def _pointer_of(access: ast.Call) -> ast.expr | None:
    return operand_of(access) or argument_of(access, 0, "pointer")


def _base(pointer: ast.expr) -> ast.expr:
    return _base(pointer.left) if isinstance(pointer, ast.BinOp) else pointer


def _missing_allocator(source: Source) -> str:
    if not source.calls("make_tensor_descriptor"):
        return ""
    return "" if source.calls("set_allocator") else sentence("remarks.no-allocator")


def _copied(exercise: Exercise) -> str:
    return sentence("remarks.copied", launcher=exercise.launcher)


def _computed_by_pytorch(exercise: Exercise) -> str:
    return sentence("remarks.computed-by-pytorch", launcher=exercise.launcher)


def _replaced_functions(names: Sequence[str]) -> str:
    """Remark on replaced functions, by which the check knows nothing."""
    return sentence("remarks.replaced-functions", names=join_names(names[:MAX_REPLACED_NAMES])) if names else ""


def _names_in_the_checker(source: Source) -> Iterator[str]:
    """Remark on names by which a script could change the check."""
    for line, name in itertools.chain.from_iterable(map(_qualified_names, source.nodes)):
        is_checker = name.startswith(CHECKER_MODULES) and name != SCRIPT_API
        if is_checker or INTROSPECTION.fullmatch(name):
            yield sentence("remarks.reaches-the-check", line=line, name=name)


def _qualified_names(node: ast.AST) -> list[tuple[int, str]]:
    """Return the modules and attributes in a node, with their lines.

    They may stand in a text.
    """
    match node:
        case ast.Import(names=names):
            return [(node.lineno, alias.name) for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [(node.lineno, f"{module}.{alias.name}") for alias in names]
        # A name in a text may be imported; a text with spaces is prose, such as a docstring.
        case ast.Constant(value=str(text)) if " " not in text:
            return [(node.lineno, text)]
        case ast.Attribute():
            return [(node.lineno, ast.unparse(node))]
    return []


def _tensors_on_the_cpu(source: Source, comparison: Comparison) -> Iterator[str]:
    """Remark on tensors in the CPU's memory, as only a GPU would show."""
    launcher = source.launcher
    if launcher is None:
        return
    # `with torch.device(…)` and a default device say where tensors are without an argument.
    if source.calls("device", "set_default_device"):
        return
    stores = [name.id for name in stores_in(launcher)]
    tensors = _tensors_by_name(launcher)
    for launch in source.launches():
        keyword_arguments = [keyword.value for keyword in launch.keywords]
        for argument in (*launch.args, *keyword_arguments):
            name = argument.id if isinstance(argument, ast.Name) else ""
            # A name that gets another value too may be another tensor by then.
            has_one_value = stores.count(name) == 1
            # The call may also stand in the launch itself.
            call = tensors.get(name, argument) if has_one_value else argument
            if _is_on_the_cpu(call):
                device = _device_of_an_input(launcher, comparison)
                function = ast.unparse(call.func)
                yield sentence("remarks.on-the-cpu", function=function, line=call.lineno, device=device)


def _tensors_by_name(launcher: Function) -> dict[str, ast.Call]:
    """Return the calls that make tensors on the CPU, by the tensors' names."""
    tensors = dict[str, ast.Call]()
    for node in ast.walk(launcher):
        match node:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=call) if _is_on_the_cpu(call):
                tensors[name] = call
    return tensors


def _device_of_an_input(launcher: Function, comparison: Comparison) -> str:
    """Return how a launcher says where its first tensor is.

    A launcher such as `add(*tensors)` has no name for it.
    """
    parameters = (*launcher.args.posonlyargs, *launcher.args.args)
    named = zip(parameters, comparison.arguments, strict=False)
    # A number, such as `eps`, is on no device.
    return next((f"{parameter.arg}.device" for parameter, argument in named if argument.ndim), "DEVICE")


def _is_on_the_cpu(node: ast.expr) -> TypeGuard[ast.Call]:
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=name), keywords=keywords) if name in FACTORIES:
            # A keyword without a name is `**options`, which may have a device.
            has_device = any(keyword.arg in ("device", None) for keyword in keywords)
            return ast.unparse(owner) == "torch" and not has_device
    return False


def describe_traffic(name: str, comparison: Comparison) -> str:
    """Return the bytes that a right call has moved, and the least possible."""
    moved = sum(launch.moved for launch in comparison.seen.launches)
    least = comparison.exercise.bytes_moved(*comparison.arguments)
    if moved <= least:
        return sentence("reports.moved-least", case=name, moved=moved)
    return sentence("reports.moved-more", case=name, moved=moved, ratio=moved / least, least=least)
