"""Execution of launches.

All programs run in groups, again and again until a plan works, and faults are reported at the end.
"""

from __future__ import annotations

import logging
import math
import operator
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
import triton
from triton.language import standard
from triton.runtime import interpreter as upstream
from triton.runtime.errors import InterpreterError

from triton_simulator import hooks
from triton_simulator.errors import SimulatorError, UndefinedResult
from triton_simulator.faults import FaultLog, KernelFaults
from triton_simulator.hooks import Listener, error_listeners, fault_listeners, listeners
from triton_simulator.language.loops import constexpr_value
from triton_simulator.language.side_effects import Analysis
from triton_simulator.language.triton_builtins import is_launching, use_semantic
from triton_simulator.launch import refusals
from triton_simulator.launch.arguments import Parameters, is_address, is_on_gpu
from triton_simulator.launch.output import repeatable_output
from triton_simulator.launch.recording import Failure, Launch, raises_faults, recordings
from triton_simulator.lines import error_line
from triton_simulator.memory.coalescing import Coalescing
from triton_simulator.memory.counts import Counts
from triton_simulator.memory.memory import Memory
from triton_simulator.operations.builder import Builder
from triton_simulator.operations.flip import move_undefined
from triton_simulator.races.threads import DEFAULT_WARPS
from triton_simulator.races.waiting import Scheduler
from triton_simulator.signals import (
    Divergence,
    LaunchAborted,
    Numbers,
    Plan,
    Restart,
    RestartOneByOne,
    StaticAssertionError,
    ValueInspection,
)
from triton_simulator.steps.recorder import StepRecorder
from triton_simulator.values.formats import Array
from triton_simulator.values.undefined import use_numbers

logger = logging.getLogger(__name__)

launch_lock = threading.RLock()
"""Held by the thread that launches: one launch at a time has the language and the builder."""

GROUP_ELEMENTS = 1 << 17
"""Elements of the largest block, over all programs of a group.

Several arrays of so few elements stay in the cache.
"""
GROUP_PROGRAMS = 1 << 16
FIRST_GROUP_SIZE = 32
"""Programs of the first groups.

With blocks of any size they do not take long to start again.
"""
MAX_SINGLE_SPLITS = 8
"""Programs that may leave their group one by one.

They do where atomics order them. After that, all go one by one.
"""


@dataclass(frozen=True)
class _LaunchRecord:
    """Plan that a launch ended with.

    `watched` are the arguments whose accesses it recorded by program, `threads` those recorded by thread.
    """

    plan: Plan = Plan()  # noqa: RUF009  # frozen
    watched: frozenset[str | None] = frozenset()
    threads: frozenset[str | None] = frozenset()


class Executor:
    """Launches of one kernel.

    The `GridExecutor` of Triton's interpreter is replaced by this.
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        fn = self.fn = kernel.rewrite()
        self._parameters = Parameters(kernel, fn)
        self._side_effects = Analysis(fn)
        self._largest: dict[str, int] = {}
        """Elements of the largest block, by the values of the constants."""
        self._last_batched = _LaunchRecord()
        self._last_sequential: dict[tuple[Any, ...], _LaunchRecord] = {}
        """The last launches whose programs ran one by one.

        They are by the grid and the constants.
        """

    def check(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Raise the errors that Triton raises before it compiles anything.

        They are about arguments and options.
        """
        names = self._parameters.names
        self._parameters.bind(arguments, {name: value for name, value in named.items() if name in names})
        refusals.check_options(self.fn.__name__, names, named)

    def launch(self, grid: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Launch the kernel on a grid.

        Raises KernelFaults for what it does wrong, SimulatorError for what Triton or a GPU refuses, and the kernel's
        own errors.
        """
        all_named, options = named, {name: value for name, value in named.items() if name not in self._parameters.names}
        named = {name: value for name, value in named.items() if name in self._parameters.names}
        with _host_arguments(self.fn, self._parameters.names, grid, arguments, named) as (host, host_named):
            # As in Triton, hooks see the arguments before they are bound, and may change tensors.
            for hook in self.kernel.pre_run_hooks:
                hook(*host, **host_named)
            bound = self._parameters.bind(host, host_named)
            refusals.check_options(self.fn.__name__, self._parameters.names, all_named)
            sizes = grid(bound) if callable(grid) else grid
            grid = tuple(map(operator.index, sizes))
            if not 1 <= len(grid) <= 3:
                raise SimulatorError(f"expected a grid of 1 to 3 dimensions, got {len(grid)}: {grid}")
            refusals.check_grid(self.fn.__name__, grid)
            if hooks.dry_run:
                _notify(listeners, self.kernel, bound, options, set())
                return
            memory = _memory(FaultLog(self.fn.__name__, grid), grid)
            memory.races.threads.warps = constexpr_value(options.get("num_warps")) or DEFAULT_WARPS
            error = self._launch(memory, grid, bound)
            if error is not None and is_refused(error):
                memory.start(memory.plan)  # the compiler would have refused it before anything ran
                raise error
        self._report(memory, error, grid, bound, options)

    def _report(
        self, memory: Memory, error: Exception | None, grid: tuple[int, ...], bound: dict[str, Any], options: Any
    ) -> None:
        """Report a launch that has ended.

        Recordings and listeners get it, and what is wrong is raised unless a recording keeps it.
        """
        faults, undefined = memory.log.faults(), memory.log.undefined()
        if memory.counts is not None:
            self._record(memory, memory.counts, grid, bound, error)
        # Faults come before the kernel's own error, which they often cause.
        if faults and raises_faults():
            failure = KernelFaults(self.fn.__name__, faults)
            for listener in fault_listeners:
                listener(failure)
            raise failure from error
        if error is not None:
            self._raise(error, memory, bound, options)
        if listeners:
            _notify(listeners, self.kernel, bound, options, _numbers_as_addresses(memory, bound))
        if raises_faults():
            for fault in undefined:
                # Above this are `launch`, `run_kernel` and Triton's `kernel[grid]`, and then the script.
                warnings.warn(str(fault), UndefinedResult, stacklevel=5)

    def _raise(self, error: Exception, memory: Memory, bound: dict[str, Any], options: Any) -> NoReturn:
        """Raise a kernel's own error, or what a listener knows better."""
        try:
            _notify(error_listeners, self.kernel, bound, options, _numbers_as_addresses(memory, bound))
        except Exception as better:
            line = getattr(better, "kernel_line", None)
            is_same_line = line is not None and line == error_line(error)
            if is_same_line:
                # Triton's own tests read the cause; its traceback says no more about the same line.
                raise better from (error.__cause__ or error).with_traceback(None)
            raise better from error
        raise error

    def _record(
        self, memory: Memory, counts: Counts, grid: tuple[int, ...], bound: dict[str, Any], error: Exception | None
    ) -> None:
        counts.finish()
        failure = None
        if error is not None:
            # The kernel's own error is the cause of Triton's InterpreterError.
            cause = error.__cause__ or error
            words = f"{type(cause).__name__}: {cause}".removesuffix(": ")
            failure = Failure(memory.log.program(int(memory.group[0])), words, error_line(error))
        has_writes = any(recording.writes for recording in recordings)
        launch = Launch(
            kernel=self.fn.__name__,
            file=self.fn.__code__.co_filename,
            grid=grid,
            arguments=bound,
            faults=memory.log.faults(),
            undefined=memory.log.undefined(),
            counts=counts,
            one_by_one=memory.plan.one_by_one,
            writes=counts.writes() if has_writes else None,
            steps=None if memory.steps is None else memory.steps.result(),
            failure=failure,
        )
        for recording in recordings:
            recording.add(launch)

    def _launch(self, memory: Memory, grid: tuple[int, ...], bound: dict[str, Any]) -> Exception | None:
        """Run all programs, and return what the kernel raised.

        Starts again if the plan turns out not to work.
        """
        builder = _builder()
        builder.grid = (*grid, 1, 1)[:3]  # type: ignore[assignment]  # three of them
        builder.largest, builder.multiplied = 1, False
        builder.integers = {name: value for name, value in bound.items() if type(value) is int}
        builder.integers |= {name: value.data_ptr() for name, value in bound.items() if is_address(value)}
        with (
            use_semantic(upstream.interpreter_semantic),
            _with_memory(builder, memory),
            np.errstate(all="ignore"),
            repeatable_output() as output,
        ):
            values = {name: self._parameters.represent(name, value, memory) for name, value in bound.items()}
            constants = (grid, *(str(values[name]) for name in self._parameters.constants))
            memory.start(self._plan(memory, constants))
            restarted = False
            while True:
                try:
                    self._run(builder, values, restarted=restarted)
                    self._check_undefined_indices(memory)
                    self._save_plan(memory, constants)
                    return None
                except LaunchAborted:
                    # The fault is in the log: the launch ends without an error of its own.
                    return None
                except Restart as restart:
                    plan = restart.plan
                except ValueInspection:
                    plan = replace(memory.plan, one_by_one="Python looks at a value")
                except Exception as error:
                    # What fails for a group may work program by program, which see plain scalars and their own values.
                    if memory.plan.one_by_one:
                        return _as_interpreter_error(error)
                    plan = replace(memory.plan, one_by_one=repr(error))
                self._restart(builder, plan)
                output.rewind()
                restarted = True

    def _plan(self, memory: Memory, constants: tuple[Any, ...]) -> Plan:
        """Return the plan that the last such launch ended with."""
        if self._side_effects.reaches_out():
            reason = "its source prints, or reaches out of the kernel"
            self._log_one_by_one(reason)
            # It should not start again to learn more, as only what it prints can be left out the second time.
            return Plan(one_by_one=reason, traced=True)
        last = self._last_sequential.get(constants, self._last_batched)
        # Addresses change from launch to launch, so the last plan's storages are found by their argument's name.
        watched, threads = (_addresses(memory, names) for names in (last.watched, last.threads))
        return replace(last.plan, watched=watched, threads=threads)

    def _check_undefined_indices(self, memory: Memory) -> None:
        """Start the launch again if an undefined index might be outside."""
        if memory.bounds.has_undefined and not memory.log.faults():
            following = [*Numbers][[*Numbers].index(memory.plan.undefined) + 1 :]
            if following:
                raise Restart("undefined indices were in bounds", replace(memory.plan, undefined=following[0]))

    def _save_plan(self, memory: Memory, constants: tuple[Any, ...]) -> None:
        plan = replace(memory.plan, undefined=Numbers.ABSURD)
        last = _LaunchRecord(plan, _names(memory, plan.watched), _names(memory, plan.threads))
        if plan.one_by_one:
            self._last_sequential[constants] = last
        else:
            self._last_batched = last

    def _log_one_by_one(self, reason: str) -> None:
        logger.debug("%s runs program by program: %s", self.fn.__name__, reason)

    def _restart(self, builder: Builder, plan: Plan) -> None:
        memory = builder.memory
        if plan.one_by_one and not memory.plan.one_by_one:
            self._log_one_by_one(plan.one_by_one)
        memory.start(plan)
        memory.log.restore({})
        if memory.counts is not None:
            memory.counts.clear()
        if memory.steps is not None:
            memory.steps.clear()

    def _run(self, builder: Builder, values: dict[str, Any], *, restarted: bool) -> None:
        plan, programs = builder.memory.plan, math.prod(builder.grid)
        if plan.one_by_one:
            self._run_one_by_one(builder, programs, values)
            return
        # The first of many programs runs alone: if the launch has to start again, it does so early, and that program
        # shows how large the kernel's blocks are. The next launch with the same constants knows that.
        constants = str([values[name] for name in self._parameters.constants])
        largest = self._largest
        if constants in largest:
            size = _group_size(programs, largest[constants])
        else:
            size = FIRST_GROUP_SIZE if programs <= FIRST_GROUP_SIZE else 1
        # Where programs may race, the first one goes ahead: then a fault names the load that saw what it stored.
        is_single = restarted or plan.watched
        size = 1 if is_single else size
        start = 0
        while start < programs:
            self._run_group(builder, np.arange(start, min(programs, start + size)), values)
            start += size
            size = _group_size(programs - start, builder.largest)
        largest[constants] = builder.largest

    def _run_one_by_one(self, builder: Builder, programs: int, values: dict[str, Any]) -> None:
        memory = builder.memory

        # While others run, the memory and the builder are theirs: the group and its ids are put back afterwards.
        def wait() -> None:
            """Let other programs run, and then go on with this one."""
            group, ids = memory.group, builder.ids
            scheduler.wait(group)
            memory.group, builder.ids = group, ids

        scheduler = Scheduler(programs, lambda number: self._run_group(builder, np.array([number]), values), memory.log)
        memory.wait, memory.on_change = wait, scheduler.memory_changed
        scheduler.run()

    def _run_group(self, builder: Builder, programs: Array, values: dict[str, Any]) -> None:
        """Run these programs together, or in groups that agree.

        Where they disagree, the first program's group goes first.

        Each group runs from the start again. So a `while` that programs leave one by one costs about what
        Triton's interpreter takes: 200 different trip counts 2.4 s, there 2.3 s. A `for` splits once for all.
        """
        memory = builder.memory
        groups, single_splits = [programs], 0
        while groups:
            group = groups.pop()
            memory.begin_group(group)
            builder.ids = _program_ids(group, builder.grid)
            # If the group splits, faults, order and counts go back along with memory: it all happens again.
            log, ordered = memory.log.snapshot(), len(memory.races.ordering)
            counts = memory.counts.snapshot() if memory.counts is not None else None
            steps = len(memory.steps) if memory.steps is not None else 0
            try:
                with memory.steps.run(group) if memory.steps is not None else nullcontext():
                    self.fn(**values)
            except Divergence as diverged:
                # Undo costs each store something, so it is recorded only once a launch needs it.
                is_too_late = memory.changed and not memory.plan.records_undo
                if is_too_late:
                    reason = "programs diverge after they have stored"
                    raise Restart(reason, replace(memory.plan, records_undo=True)) from None
                memory.undo.roll_back()
                memory.log.restore(log)
                memory.races.ordering.truncate(ordered)
                if memory.counts is not None and counts is not None:
                    memory.counts.restore(counts)
                if memory.steps is not None:
                    memory.steps.truncate(steps)
                subgroups = diverged.split(group)
                # A lock lets programs pass one at a time: each would split off alone, and start the rest again.
                is_single_split = len(subgroups) == 2 and len(subgroups[0]) == 1
                single_splits += is_single_split and memory.races.ordering.capacity > 0
                if single_splits > MAX_SINGLE_SPLITS:
                    # A single program cannot diverge, so nothing will be undone.
                    plan = replace(memory.plan, records_undo=False)
                    raise RestartOneByOne("programs pass a lock one by one", plan) from None
                # The last group of the list runs next, so the lowest program's group goes first.
                groups.extend(reversed(subgroups))


def _notify(
    listeners: list[Listener], kernel: Any, bound: dict[str, Any], options: dict[str, Any], addresses: set[str]
) -> None:
    for listener in listeners:
        listener(kernel, bound, options, addresses)


def _numbers_as_addresses(memory: Memory, bound: dict[str, Any]) -> set[str]:
    """Return the names of arguments that are numbers, and were addresses."""
    names = (region.name for region in memory.space.regions if region.name)
    return {name for name in names if type(bound.get(name)) is int}


def run_kernel(kernel: Any, *arguments: Any, grid: Any, warmup: bool, **named: Any) -> None:
    """Launch a kernel. A warm-up would only compile it."""
    with launch_lock:
        executor = vars(kernel).get("executor")
        if executor is None:
            executor = kernel.executor = Executor(kernel)
        if warmup:
            executor.check(arguments, named)
        else:
            executor.launch(grid, arguments, named)


def call_jit_function(function: Any, *arguments: Any, **named: Any) -> Any:
    """Call a jit function for a kernel.

    Triton's own version would patch its language at every call.
    """
    is_outside = not is_launching() and isinstance(upstream.interpreter_builder, Builder)
    if is_outside:
        raise refusals.outside_call_error(function)
    result = function.rewrite()(*arguments, **named)
    return move_undefined(result, *arguments, **named) if function is standard.flip else result


def is_refused(error: Exception) -> bool:
    """Return whether the kernel's own `tl.static_assert` refuses it."""
    return isinstance(error, StaticAssertionError) or isinstance(error.__cause__, StaticAssertionError)


def _builder() -> Builder:
    builder = upstream.interpreter_builder
    if not isinstance(builder, Builder):
        raise SimulatorError("The simulator is not installed any more: call install() first.")
    return builder


@contextmanager
def _with_memory(builder: Builder, memory: Memory) -> Iterator[None]:
    """Give the builder a memory while the launch lasts.

    The builder does not keep it, as its counts may be large.
    """
    builder.memory = memory
    try:
        yield
    finally:
        del builder.memory
        use_numbers(Numbers.ABSURD)


def _group_size(remaining: int, largest: int) -> int:
    """Return how many of the remaining programs run together.

    Their largest block has up to `largest` elements.
    """
    capacity = max(1, min(GROUP_ELEMENTS // largest, GROUP_PROGRAMS))
    # A pass costs about the same for few programs as for many, so two half-full ones are not worth it.
    return remaining if remaining <= 2 * capacity else capacity


def _program_ids(group: Array, grid: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the ids of these programs, an int32 array for each axis.

    An axis has one number if all programs have the same.
    """
    axes = [axis.astype(np.int32) for axis in np.unravel_index(group, grid)]
    return tuple(axis[:1] if (axis == axis[0]).all() else axis for axis in axes)


@contextmanager
def _host_arguments(
    fn: Any, names: Sequence[str], grid: Any, arguments: tuple[Any, ...], named: dict[str, Any]
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Yield the arguments as kernels see them.

    A tensor on a GPU is copied, and the copy's elements are taken back at the end.
    """
    if not is_on_gpu((*arguments, *named.values())):
        yield arguments, named
        return
    copying = upstream.GridExecutor(fn, list(names), grid)
    host, host_named = copying._init_args_hst(arguments, named)
    try:
        yield host, host_named
    finally:
        copying._restore_args_dev(arguments, host, named, host_named)


def _memory(log: FaultLog, grid: tuple[int, ...]) -> Memory:
    """Return a launch's memory, with all that recordings want to know."""
    # At least one: even for an empty grid, `Memory` begins with program 0.
    programs = max(1, math.prod(grid))
    if not recordings:
        return Memory(log, programs, None, strict_views=hooks.strict_views)
    wave = max((recording.wave for recording in recordings), default=0)
    has_coalescing = any(recording.coalescing for recording in recordings)
    asked = wave or has_coalescing
    coalescing = Coalescing(programs, wave=wave) if asked else None
    counts = Counts(coalescing=coalescing, busy=np.zeros(programs, np.bool_))
    has_strict_views = any(recording.strict_views for recording in recordings)
    memory = Memory(log, programs, counts, strict_views=hooks.strict_views or has_strict_views)
    memory.results.report_all = any(recording.writes for recording in recordings)
    memory.steps = _step_recorder(memory, grid)
    return memory


def _step_recorder(memory: Memory, grid: tuple[int, ...]) -> StepRecorder | None:
    """Return what keeps a launch's steps, if a recording wants them.

    The recording that began last says how much is kept.
    """
    for recording in reversed(recordings):
        options = recording.steps
        if options is None:
            continue
        is_chosen = options.launches is None or len(recording.launches) in options.launches
        return StepRecorder(memory.space, grid, options, recording.steps_bytes) if is_chosen else None
    return None


def _addresses(memory: Memory, names: frozenset[str | None]) -> frozenset[int]:
    if not names:
        return frozenset()
    return frozenset(region.storage.address for region in memory.space.regions if region.name in names)


def _names(memory: Memory, addresses: frozenset[int]) -> frozenset[str | None]:
    if not addresses:
        return frozenset()
    return frozenset(region.name for region in memory.space.regions if region.storage.address in addresses)


def _as_interpreter_error(error: Exception) -> Exception:
    if isinstance(error, InterpreterError) or triton.knobs.compilation.front_end_debugging:
        return error
    wrapped: Exception = InterpreterError(repr(error))
    wrapped.__cause__ = error
    return wrapped
