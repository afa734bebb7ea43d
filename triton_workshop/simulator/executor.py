"""Runs a launch: turns arguments into pointers and scalars, runs programs in groups, and reports faults at the end."""

from __future__ import annotations

import functools
import inspect
import logging
import math
import operator
import os
import pkgutil
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.runtime import interpreter as upstream
from triton.runtime.errors import InterpreterError
from triton.tools.tensor_descriptor import TensorDescriptor

from triton_workshop.simulator.builder import Builder
from triton_workshop.simulator.conversions import constant
from triton_workshop.simulator.counts import Counts, Write
from triton_workshop.simulator.faults import Fault, FaultLog, MemoryFaults
from triton_workshop.simulator.formats import Array, item_bytes
from triton_workshop.simulator.language import launched
from triton_workshop.simulator.layout import Layout
from triton_workshop.simulator.memory import Memory
from triton_workshop.simulator.reaching import Analysis
from triton_workshop.simulator.signals import Diverged, LaunchEnds, LookedAt, Plan, Restart
from triton_workshop.simulator.undefined import UndefinedResult
from triton_workshop.simulator.values import Value
from triton_workshop.simulator.waiting import Baton
from triton_workshop.slide import LAUNCHES

logger = logging.getLogger(__name__)

ELEMENTS_AT_ONCE = 1 << 17
"""Elements of the largest block, over all programs of a group: so few that several such arrays stay in the cache."""
PROGRAMS_AT_ONCE = 1 << 16
FEW = 32
"""How many programs the first groups have: with blocks of any size they do not take long to start again."""

_recorders: list[list[Launch]] = []
_layout_wanted: list[bool] = []
_writes_wanted: list[bool] = []
_strict_views_wanted: list[bool] = []
"""One for each recorder."""
listeners: list[Callable[[Any, dict[str, Any], dict[str, Any], set[str]], None]] = []
"""Each is told of every launch that ended without an error: the kernel, its arguments, the other options, and the names
of the arguments that are numbers, but turned out to be addresses."""


@dataclass(frozen=True)
class Launch:
    """What a launch did."""

    kernel: str
    grid: tuple[int, ...]
    faults: tuple[Fault, ...]
    counts: Counts
    one_by_one: bool
    """Whether the programs had to run one after the other."""
    file: str
    """Where the kernel's source is."""
    arguments: dict[str, Any]
    """By the names of its parameters."""
    writes: dict[int, Write]
    """What it stored, by the address of the storage, if `record` was asked for it."""
    undefined: tuple[Fault, ...] = ()
    """Undefined results that it stored: of sums and the like, or all if `record` was asked what was stored."""

    @property
    def programs(self) -> int:
        return int(np.prod(self.grid))


@contextmanager
def record(*, layout: bool = False, writes: bool = False, strict_views: bool = False) -> Iterator[list[Launch]]:
    """Collect the launches made inside, faults and counts included: then a fault does not raise.

    With `layout`, the counts say how blocks lie in memory too, which takes about as long again. With `writes`, each
    launch says what it stored, which copies all that it stored to. With `strict_views`, an access outside a view is a
    fault even inside its storage: see `storage.Region`.
    """
    launches: list[Launch] = []
    _recorders.append(launches)
    _layout_wanted.append(layout)
    _writes_wanted.append(writes)
    _strict_views_wanted.append(strict_views)
    try:
        yield launches
    finally:
        _recorders.pop()
        _layout_wanted.pop()
        _writes_wanted.pop()
        _strict_views_wanted.pop()


class Executor:
    """The launches of one kernel, in place of the `GridExecutor` of Triton's interpreter."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        fn = self.fn = kernel.rewrite()
        self._parameters = inspect.signature(fn).parameters
        self._defaults = {p.name: p.default for p in self._parameters.values() if p.default is not p.empty}
        kinds = {p.kind for p in self._parameters.values()}
        self._plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        # Like Triton's compiler, but unlike its interpreter, this accepts "tl.constexpr" in quotation marks.
        self._constants = tuple(p.name for p in self._parameters.values() if "constexpr" in str(p.annotation))
        self._annotated = {
            p.name: triton.runtime.jit.KernelParam(0, p, False, False).annotation_type
            for p in self._parameters.values()
        }
        """The type that a parameter's annotation gives to numbers, or an empty string."""
        unspecialised = set(kernel.kwargs.get("do_not_specialize") or ())
        self._specialised = frozenset(
            name
            for place, name in enumerate(self._parameters)
            if not {place, name} & unspecialised and not self._annotated[name]
        )
        """The parameters whose value 1 is a constant."""
        self._prints = Analysis(fn)
        self._largest: dict[str, int] = {}
        """Elements of the largest block, by the values of the constants."""
        self._last = Plan()
        self._watched: set[str | None] = set()
        """The plan of the last launch, and the arguments that it watched."""

    def launch(self, grid: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        options = {name: value for name, value in named.items() if name not in self._parameters}
        named = {name: value for name, value in named.items() if name in self._parameters}
        host, host_named = arguments, named
        elsewhere = _elsewhere(arguments, named)
        if elsewhere:
            upstream_executor = upstream.GridExecutor(self.fn, list(self._parameters), grid)
            host, host_named = upstream_executor._init_args_hst(arguments, named)
        for hook in self.kernel.pre_run_hooks:
            hook(*host, **host_named)
        bound = self._bound(host, host_named)
        grid = tuple(operator.index(size) for size in (grid(bound) if callable(grid) else grid))
        assert 1 <= len(grid) <= 3, "grid must have 1 to 3 dimensions"
        log = FaultLog(self.fn.__name__, grid)
        programs = max(1, math.prod(grid))
        layout = Layout(programs) if any(_layout_wanted) else None
        counts = Counts(layout=layout, busy=np.zeros(programs, np.bool_)) if _recorders else None
        memory = Memory(log, programs, counts, strict_views=any(_strict_views_wanted))
        memory.results.tell_all = any(_writes_wanted)
        try:
            error = self._launch(memory, grid, bound)
        finally:
            if elsewhere:
                upstream_executor._restore_args_dev(arguments, host, named, host_named)
        faults = log.faults()
        if counts is not None:
            counts.finish()
            writes = counts.writes() if any(_writes_wanted) else {}
            file, one_by_one = self.fn.__code__.co_filename, memory.plan.one_by_one
            told = log.undefined()
            launch = Launch(self.fn.__name__, grid, faults, counts, one_by_one, file, bound, writes, told)
            for launches in _recorders:
                launches.append(launch)
        if faults and not _recorders:
            raise MemoryFaults(self.fn.__name__, faults) from error
        if error is not None:
            raise error
        if listeners:
            addresses = {each.name for each in memory.regions if each.name and type(bound.get(each.name)) is int}
            for tell in listeners:
                tell(self.kernel, bound, options, addresses)
        if not _recorders:
            for fault in log.undefined():
                warnings.warn(f"{self.fn.__name__}: {fault}", UndefinedResult, stacklevel=4)

    def _bound(self, arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """The arguments by the names of their parameters. Raises TypeError if one is missing or too much."""
        bound = {**self._defaults, **dict(zip(self._parameters, arguments, strict=False)), **named}
        fits = len(bound) == len(self._parameters) and len(arguments) <= len(bound)
        if self._plain and fits and not any(name in named for name in list(self._parameters)[: len(arguments)]):
            return {name: bound[name] for name in self._parameters}
        return inspect.getcallargs(self.fn, *arguments, **named)

    def _launch(self, memory: Memory, grid: tuple[int, ...], bound: dict[str, Any]) -> Exception | None:
        """Run all programs, and start again if the plan turns out not to work. Returns what the kernel raised."""
        builder = _builder()
        builder.memory = memory
        builder.grid = (*grid, 1, 1)[:3]  # type: ignore[assignment]  # three of them
        builder.largest = 1
        builder.integers = {name: value for name, value in bound.items() if type(value) is int}
        with launched(upstream.interpreter_semantic), np.errstate(all="ignore"):
            values = {name: self._argument(builder, name, value) for name, value in bound.items()}
            memory.start(self._plan(memory))
            again = False
            while True:
                try:
                    self._run(builder, values, again=again)
                    self._remember(memory)
                    return None
                except LaunchEnds:
                    return None
                except Restart as restart:
                    plan, reason = restart.plan, restart.reason
                except LookedAt:
                    plan, reason = replace(memory.plan, one_by_one=True), "Python looks at a value"
                except Exception as error:
                    if memory.plan.one_by_one:
                        return _as_interpreter_error(error)
                    plan, reason = replace(memory.plan, one_by_one=True), repr(error)
                self._start_again(builder, plan, reason)
                again = True

    def _plan(self, memory: Memory) -> Plan:
        """How the launch begins: as the last one had to end."""
        if self._prints.reaches_out():
            self._log_one_by_one("its source prints, or reaches out of the kernel")
            # It must not start again to learn more, as it would print again.
            return Plan(one_by_one=True, exact_poison=True, traced=True)
        watched = {region.storage.address for region in memory.regions if region.name in self._watched}
        return replace(self._last, watched=frozenset(watched))

    def _remember(self, memory: Memory) -> None:
        if not memory.plan.one_by_one:
            self._last = memory.plan
            self._watched = {r.name for r in memory.regions if r.storage.address in memory.plan.watched}

    def _log_one_by_one(self, reason: str) -> None:
        logger.debug("%s runs program by program: %s", self.fn.__name__, reason)

    def _start_again(self, builder: Builder, plan: Plan, reason: str) -> None:
        memory = builder.memory
        if plan.one_by_one and not memory.plan.one_by_one:
            self._log_one_by_one(reason)
        memory.start(plan)
        memory.log.restore({})
        if memory.counts is not None:
            memory.counts.clear()

    def _run(self, builder: Builder, values: dict[str, Any], *, again: bool) -> None:
        plan, programs = builder.memory.plan, math.prod(builder.grid)
        if plan.one_by_one:
            self._run_one_by_one(builder, programs, values)
            return
        # The first of many programs runs alone: if the launch has to start again, it does so early, and that program
        # shows how large the kernel's blocks are. The next launch with the same constants knows that.
        constants = str([values[name] for name in self._constants])
        known = self._largest
        size = _group_size(programs, known[constants]) if constants in known else FEW if programs <= FEW else 1
        # Where programs may race, the first one goes ahead: then a fault names the load that saw what it stored.
        size = 1 if again or plan.watched else size
        start = 0
        while start < programs:
            self._run_group(builder, np.arange(start, min(programs, start + size)), values)
            start += size
            size = _group_size(programs - start, builder.largest)
        known[constants] = builder.largest

    def _run_one_by_one(self, builder: Builder, programs: int, values: dict[str, Any]) -> None:
        memory = builder.memory

        def wait() -> None:
            group, ids = memory.group, builder.ids
            baton.pass_on(group)
            memory.group, builder.ids = group, ids

        baton = Baton(programs, lambda number: self._run_group(builder, np.array([number]), values), memory.log)
        memory.wait, memory.answer = wait, baton.answer
        baton.run()

    def _run_group(self, builder: Builder, programs: Array, values: dict[str, Any]) -> None:
        """Run these programs together, or where they disagree in groups that agree, the first program's group first.

        Each group runs from the start again. So a `while` that programs leave one by one costs about what
        Triton's interpreter takes: 200 different trip counts 2.4 s, there 2.3 s. A `for` splits once for all.
        """
        memory = builder.memory
        groups, alone = [programs], 0
        while groups:
            group = groups.pop()
            memory.begin_group(group)
            builder.ids = _program_ids(group, builder.grid)
            log, ordered = memory.log.saved(), len(memory.races.ordering)
            counts = memory.counts.saved() if memory.counts is not None else None
            try:
                self.fn(**values)
            except Diverged as diverged:
                if memory.changed and not memory.plan.keep_undo:
                    reason = "programs diverge after they have stored"
                    raise Restart(reason, replace(memory.plan, keep_undo=True)) from None
                memory.undo.roll_back()
                memory.log.restore(log)
                memory.races.ordering.forget_after(ordered)
                if memory.counts is not None and counts is not None:
                    memory.counts.restore(counts)
                parts = diverged.parts(group)
                alone += len(parts) == 2 and len(parts[0]) == 1 and memory.races.ordering.room > 0
                if alone > FEW:
                    plan = replace(memory.plan, one_by_one=True, keep_undo=False)
                    raise Restart("programs pass a lock one by one", plan) from None
                groups.extend(reversed(parts))

    def _argument(self, builder: Builder, name: str, value: Any) -> Any:
        """A kernel's argument as the language represents it."""
        if name in self._constants:
            return value.value if isinstance(value, tl.constexpr) else value
        annotated = self._annotated[name]
        if annotated and isinstance(value, int | float):
            return _number(value, tl.str_to_ty(annotated, None))
        return self._by_type(builder, name, value, specialise=name in self._specialised)

    def _by_type(self, builder: Builder, name: str, value: Any, *, specialise: bool) -> Any:
        """An argument without an annotation. Where the compiler may `specialise`, the number 1 is a constant."""
        if isinstance(value, int | float):
            kind = triton.runtime.jit.mangle_type(value, specialise)
            return value if kind == "constexpr" else _number(value, _type(kind))
        if hasattr(value, "data_ptr"):
            dtype = _type(triton.runtime.jit.mangle_type(value))
            origin, first = builder.memory.add(name, getattr(value, "base", value), item_bytes(dtype.element_ty))
            return tl.tensor(Value(np.array([first], np.int64), dtype, origin=origin), dtype)
        if isinstance(value, tuple):
            # The compiler specialises these whatever is said of the parameter.
            parts = [
                self._by_type(builder, f"{name}[{place}]", part, specialise=True) for place, part in enumerate(value)
            ]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, TensorDescriptor):
            return self._descriptor(builder, name, value)
        return value

    def _descriptor(self, builder: Builder, name: str, descriptor: Any) -> Any:
        base, *numbers = (
            self._by_type(builder, name, part, specialise=False)
            for part in (descriptor.base, *descriptor.shape, *descriptor.strides)
        )
        shape, strides = numbers[: len(descriptor.shape)], numbers[len(descriptor.shape) :]
        strides[-1] = tl.constexpr(1)
        made = upstream.interpreter_semantic.make_tensor_descriptor(
            base=base,
            shape=shape,
            strides=strides,
            block_shape=[tl.constexpr(size) for size in descriptor.block_shape],
            padding_option=descriptor.padding,
        )
        rounds = getattr(descriptor, "round_f32_to_tf32", False)
        made.handle = replace(made.handle, round_f32_to_tf32=rounds)
        return made


def run_kernel(kernel: Any, *arguments: Any, grid: Any, warmup: bool, **named: Any) -> None:
    """Launches a kernel. A warm-up would only compile it."""
    if warmup:
        return
    if LAUNCHES in os.environ:
        # By name: the compiler's room is on a higher floor.
        pkgutil.resolve_name("triton_workshop.compiler.launches:tell_the_slide")(os.environ.pop(LAUNCHES))
    executor = vars(kernel).get("executor")
    if executor is None:
        executor = kernel.executor = Executor(kernel)
    executor.launch(grid, arguments, named)


def call_jit_function(function: Any, *arguments: Any, **named: Any) -> Any:
    """Calls a jit function for a kernel. Triton's own version would patch its language at every call."""
    return function.rewrite()(*arguments, **named)


def first_configuration(tuner: Any, *arguments: Any, **named: Any) -> Any:
    """What `triton.autotune` runs here: its first configuration. A simulator's times would mean nothing."""
    tuner.nargs = dict(zip(tuner.arg_names, arguments, strict=False))
    config = tuner.best_config = tuner.prune_configs(named)[0]
    every = {**tuner.nargs, **named, **config.all_kwargs()}
    tuner.pre_hook(every, reset_only=True)
    if config.pre_hook is not None:
        config.pre_hook(every)
    try:
        return tuner.fn.run(*arguments, **{**named, **config.all_kwargs()})
    finally:
        tuner.nargs = None


def _builder() -> Builder:
    builder = upstream.interpreter_builder
    assert isinstance(builder, Builder), "the simulator is not installed"
    return builder


def _number(value: float, dtype: Any) -> Any:
    return tl.tensor(constant(value, dtype), dtype)


@functools.cache
def _type(name: str) -> Any:
    return tl.str_to_ty(name, None)


def _group_size(left: int, largest: int) -> int:
    """How many of the remaining programs run together, with blocks of up to `largest` elements."""
    fit = max(1, min(ELEMENTS_AT_ONCE // largest, PROGRAMS_AT_ONCE))
    # A pass costs about the same for few programs as for many, so two half-full ones are not worth it.
    return left if left <= 2 * fit else fit


def _program_ids(group: Array, grid: tuple[int, ...]) -> tuple[Array, ...]:
    """The ids of these programs, an array for each axis; one number if all have the same."""
    axes = [axis.astype(np.int32) for axis in np.unravel_index(group, grid)]
    return tuple(axis[:1] if (axis == axis[0]).all() else axis for axis in axes)


def _elsewhere(arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Whether any tensor is on a GPU: then kernels see a copy of it on the CPU."""
    return any(_on_gpu(argument) for argument in (*arguments, *named.values()))


def _on_gpu(argument: Any) -> bool:
    if isinstance(argument, tuple):
        return any(_on_gpu(part) for part in argument)
    tensor = getattr(argument, "base", argument)
    return hasattr(tensor, "data_ptr") and tensor.device.type != "cpu"


def _as_interpreter_error(error: Exception) -> Exception:
    if isinstance(error, InterpreterError) or triton.knobs.compilation.front_end_debugging:
        return error
    wrapped: Exception = InterpreterError(repr(error))
    wrapped.__cause__ = error
    return wrapped
