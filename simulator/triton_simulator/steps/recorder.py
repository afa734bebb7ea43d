"""Recorder of a launch's steps.

In the simulator a kernel is plain Python with its own line numbers, and a variable holds the values of all programs of
a group. So Python's tracing says when a line has ended, and the frame has what it assigned.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import numpy as np
import triton.language as tl

from triton_simulator.lines import KERNEL_NAME, KernelLine, is_kernel
from triton_simulator.steps.statements import Statement, Statements, find_statements
from triton_simulator.steps.steps import Step, Steps, StepValue, plain_value, program_number
from triton_simulator.storage.address_space import AddressSpace
from triton_simulator.values.formats import Array, item_bytes
from triton_simulator.values.value import Value

MAX_BYTES = 256 * 2**20
"""Bytes of the values that a recording keeps, unless it is asked for another number."""
STEP_BYTES = 1024
"""Bytes of a step besides its values: a kernel that runs program by program makes as many as it has programs."""


MAX_PARTS = 16
"""Values of a tuple or an aggregate that are kept."""
_INTERNALS = frozenset({"type", "handle"})
"""Attributes of Triton's objects that a script does not see."""


@dataclass(frozen=True)
class StepOptions:
    """What a recording of steps keeps."""

    programs: Sequence[int | Sequence[int]] | None = None
    """Only these programs, by their number in the order of the grid or by their ids; None for all."""
    max_bytes: int = MAX_BYTES
    """Bytes of all launches' steps. Beyond it, the programs with the highest numbers are left out."""
    launches: Sequence[int] | None = None
    """Only these launches, by their number from 0; None for all."""


@dataclass(eq=False)
class _Call:
    """Function that is being run, as far as it has come."""

    frame: FrameType
    statements: Statements
    depth: int
    current: Statement | None = None
    iterations: dict[int, int] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    """The last value of each name, to see whether a line with several statements has assigned it."""
    result: Array | None = None
    """Elements of the last operation's result, until the statement ends: a name that gets them is that step's."""
    result_step: Step | None = None
    """The step of that operation; None if it is not recorded."""
    raised: bool = False

    def iteration(self, statement: Statement) -> tuple[int, ...]:
        loops = (*statement.loops, statement.line) if statement.is_loop else statement.loops
        return tuple(self.iterations.get(line, 0) for line in loops)


class StepRecorder:
    """Collects the steps of one launch.

    Beyond the bytes that are allowed, the programs with the highest numbers go, half of them at a time. `used` bytes
    are taken by launches before.
    """

    def __init__(self, space: AddressSpace, grid: tuple[int, ...], options: StepOptions, used: int = 0) -> None:
        self._space = space
        self._grid = grid
        self._options = options
        programs = options.programs or ()
        numbers = [program_number(program, grid) for program in programs]
        chosen = np.unique(np.array([number for number in numbers if number is not None], np.int64))
        self._chosen = None if options.programs is None else chosen
        self._max_bytes = max(options.max_bytes - used, 0)
        self._end: int | None = None
        """The first program that is not kept; None if all are."""
        self._steps: list[Step] = []
        self._arrays: dict[int, int] = {}
        """Bytes of each array that is kept, by its identity: steps share many."""
        self._bytes = 0
        # Earlier launches may have used up all bytes.
        self._full = not self._max_bytes
        self._threads = threading.local()
        """Programs that wait for each other run in a thread each."""

    # The launch

    def clear(self) -> None:
        """Forget all steps: the launch starts again."""
        self.truncate(0)
        self._end, self._full = None, not self._max_bytes

    def __len__(self) -> int:
        return len(self._steps)

    def truncate(self, length: int) -> None:
        """Forget the steps after these: a group starts again."""
        if length < len(self._steps):
            del self._steps[length:]
            self._count_again()

    @contextmanager
    def run(self, programs: Array) -> Iterator[None]:
        """Record what these programs do, together, while this lasts."""
        if self._full or not self._select(programs).any():
            yield
            return
        self._threads.programs, self._threads.calls = programs, []
        previous = sys.gettrace()
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(previous)
            self._threads.calls = []

    def result(self) -> Steps:
        """Return the steps of the launch."""
        programs = math.prod(self._grid)
        kept = programs if self._end is None else min(self._end, programs)
        sentences = []
        if self._chosen is not None:
            kept = len(self._chosen)
            if not kept:
                sentences.append(f"None of the programs that were asked for exists: the grid is {self._grid}.")
        elif kept < programs:
            numbers = "program 0" if kept == 1 else f"programs 0 to {kept - 1:,}"
            sentences.append(f"Only {numbers} of {programs:,} are recorded, as all take more than {self._limit}.")
        if self._full:
            sentences.append(f"The last steps are missing, as all take more than {self._limit}.")
        chosen = None if self._chosen is None else tuple(map(int, self._chosen))
        return Steps(tuple(self._steps), self._grid, kept, " ".join(sentences), self._bytes, chosen)

    @property
    def _limit(self) -> str:
        kilobytes = self._options.max_bytes // 2**10
        return f"{kilobytes // 2**10:,} MB" if kilobytes >= 2**10 else f"{kilobytes} kB"

    # Operations whose results may have no name

    def add_operation(
        self,
        operation: str,
        value: Value | None,
        pointer: Value | None = None,
        mask: Value | None = None,
        operand: Value | None = None,
    ) -> None:
        """Add what an operation did, at the line that runs."""
        calls = getattr(self._threads, "calls", None)
        if not calls:
            return
        call = calls[-1]
        if value is None or _is_inside_library(call.frame):
            return
        result = self._represent(value)
        before = len(self._steps)
        self._add(call, call.current, call.frame.f_lineno, "", operation, result, pointer, mask, operand)
        # The step may be missing: it is beyond the bound, or of programs that nobody asked for.
        call.result, call.result_step = result.data, self._steps[-1] if len(self._steps) > before else None

    # Python's tracing

    def _trace(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:
        if event != "call":
            return None
        if not is_kernel(frame.f_code):
            return None
        statements = find_statements(frame.f_code)
        if statements is None:
            return None
        calls = self._threads.calls
        call = _Call(frame, statements, len(calls))
        calls.append(call)
        for name in frame.f_code.co_varnames[: frame.f_code.co_argcount + frame.f_code.co_kwonlyargcount]:
            self._add_name(call, None, frame.f_code.co_firstlineno, name, frame.f_locals[name], "argument")

        def trace_line(_frame: FrameType, event: str, result: Any) -> Callable[..., Any]:
            match event:
                case "line":
                    self._next_line(call, call.frame.f_lineno)
                case "exception":
                    # A `return` event follows, though the statement has assigned nothing.
                    call.raised = True
                case "return":
                    self._return(call, result)
            return trace_line

        return trace_line

    def _next_line(self, call: _Call, line: int) -> None:
        previous, statement = call.current, call.statements.by_line.get(line)
        if previous is not None:
            if statement is previous and not _repeats(previous, line):
                return  # a statement of several lines
            if previous.is_loop and _is_inside(statement, previous):
                call.iterations[previous.line] = call.iterations.get(previous.line, -1) + 1
        self._finish(call, entered=statement)
        if statement is not None:
            if statement.line in statement.loops:
                call.iterations[line] = call.iterations.get(line, -1) + 1 if statement is previous else 0
            if statement.is_loop and not _is_inside(previous, statement):
                call.iterations.pop(statement.line, None)  # it begins again
        call.current, call.result_step, call.raised = statement, None, False

    def _finish(self, call: _Call, entered: Statement | None) -> None:
        """Add what the current statement has assigned."""
        statement = call.current
        if statement is None:
            return
        if call.raised or not statement.names:
            return
        if statement.is_loop and not _is_inside(entered, statement):
            return  # the loop has ended, and has assigned nothing more
        variables = call.frame.f_locals
        is_shared = statement.line in call.statements.shared
        for name in statement.names:
            # On a line with several statements, one may not have run.
            if name not in variables:
                continue
            value = variables[name]
            if not is_shared or call.values.get(name) is not value:
                self._add_name(call, statement, statement.line, name, value)

    def _return(self, call: _Call, result: Any) -> None:
        if not call.raised:
            self._finish(call, entered=None)
            if call.depth and result is not None:
                self._add_name(call, call.current, call.frame.f_lineno, "", result, "return")
        self._threads.calls.pop()

    # Steps

    def _add_name(
        self, call: _Call, statement: Statement | None, line: int, name: str, value: Any, operation: str = ""
    ) -> None:
        call.values[name] = value
        shown = self._represent(value)
        # `x = tl.load(…)` is one step: the operation's own gets the name.
        if call.result is shown.data and self._is_last(call.result_step):
            self._steps[-1] = replace(self._steps[-1], name=name)
            return
        self._add(call, statement, line, name, operation, shown)

    def _is_last(self, step: Step | None) -> bool:
        """Return whether this step is the last of those recorded."""
        return bool(self._steps) and self._steps[-1] is step

    def _add(
        self,
        call: _Call,
        statement: Statement | None,
        line: int,
        name: str,
        operation: str,
        value: StepValue,
        pointer: Value | None = None,
        mask: Value | None = None,
        operand: Value | None = None,
    ) -> None:
        if self._full:
            return
        code = call.frame.f_code
        step = Step(
            line=KernelLine(code.co_filename, line),
            function=code.co_name,
            depth=call.depth,
            iteration=call.iteration(statement) if statement else (),
            name=name,
            operation=operation,
            programs=self._threads.programs,
            value=value,
            pointer=self._represent_operand(pointer),
            mask=self._represent_operand(mask),
            operand=self._represent_operand(operand),
        )
        rows = self._select(step.programs)
        if not rows.any():
            return  # the bound has left out this group since it began
        step = _restrict(step, rows)
        self._steps.append(step)
        self._count(step)
        if self._bytes > self._max_bytes:
            self._shrink()
        # Nothing is left to drop, so the recording ends before this step.
        if self._bytes > self._max_bytes:
            self._full = True
            self.truncate(len(self._steps) - 1)

    def _represent_operand(self, value: Value | None) -> StepValue | None:
        """Return an operand's value, if there is one."""
        return None if value is None else self._represent(value)

    def _represent(self, thing: Any) -> StepValue:
        value = getattr(thing, "handle", thing)
        if not isinstance(value, Value):
            plain = getattr(thing, "value", thing) if isinstance(thing, tl.constexpr) else thing
            dtype, parts = _parts_of(plain, value)
            if not dtype:
                return plain_value(plain)
            represented = tuple((name, self._represent(part)) for name, part in parts[:MAX_PARTS])
            return replace(plain_value(None), dtype=dtype, parts=represented)
        if not value.dtype.scalar.is_ptr():
            dtype = str(value.dtype.scalar)
            return StepValue(
                dtype, value.shape, value.data, undefined=_plain(value.poison), wrapped=_plain(value.wrapped)
            )
        return self._represent_pointer(value)

    def _represent_pointer(self, value: Value) -> StepValue:
        regions, item = self._space.regions, item_bytes(value.get_element_ty())
        origins = value.origin
        owner = None if isinstance(origins, int) else origins
        names = tuple(region.name or "no argument" for region in regions)
        # A pointer that was cast counts elements of another size than its argument's.
        firsts = np.array([region.first * region.item // item for region in regions], np.int64)
        data = value.data
        # Without an offset, it stays the kernel's own array, which is counted only once.
        if firsts.any():
            data = data - firsts[origins]
        arguments = (names[origins],) if isinstance(origins, int) else names
        undefined, wrapped = _plain(value.poison), _plain(value.wrapped)
        return StepValue(str(value.dtype.scalar), value.shape, data, arguments, owner, undefined, wrapped)

    # The bound

    def _select(self, programs: Array) -> Array:
        """Return a mask of the programs whose values are recorded."""
        if self._chosen is not None:
            return np.isin(programs, self._chosen)
        return np.ones(len(programs), np.bool_) if self._end is None else programs < self._end

    def _count(self, step: Step) -> None:
        self._bytes += STEP_BYTES
        for value in (step.value, step.pointer, step.mask, step.operand):
            if value is None:
                continue
            for array in value.arrays():
                # A view keeps its whole array alive.
                whole = array if array.base is None else array.base
                if id(whole) not in self._arrays:
                    self._arrays[id(whole)] = getattr(whole, "nbytes", array.nbytes)
                    self._bytes += self._arrays[id(whole)]

    def _count_again(self) -> None:
        self._arrays, self._bytes = {}, 0
        for step in self._steps:
            self._count(step)

    def _shrink(self) -> None:
        """Drop programs, the highest numbers first, until half the room is free."""
        # Whoever asks for certain programs wants all of them: the last steps go instead.
        if self._chosen is not None:
            return
        programs = 1 + max(int(step.programs[-1]) for step in self._steps)
        while self._bytes > self._max_bytes // 2 and programs > 1:
            self._end = programs = (programs + 1) // 2
            kept = ((step, self._select(step.programs)) for step in self._steps)
            self._steps = [_restrict(step, rows) for step, rows in kept if rows.any()]
            self._count_again()


def _parts_of(thing: Any, handle: Any) -> tuple[str, list[tuple[str, Any]]]:
    """Return the kind and the parts of a tuple, an aggregate or a descriptor.

    For anything else, the kind is empty.
    """
    if isinstance(thing, list | tuple | tl.tuple):
        return "tuple", [("", part) for part in thing]
    if isinstance(base := getattr(handle, "base", None), Value):
        return "descriptor", [("", base), ("shape", list(handle.tensor_shape)), ("block", list(handle.block))]
    if isinstance(thing, tl.core.base_value):
        return type(thing).__name__, [(name, part) for name, part in vars(thing).items() if name not in _INTERNALS]
    return "", []


def _is_inside_library(kernel: FrameType) -> bool:
    """Return whether a function of Triton's own runs another one.

    The steps of a `tl.sort` are such.
    """
    functions, frame = 0, sys._getframe(2)
    while frame is not kernel and frame.f_back is not None:
        functions += frame.f_code.co_qualname.endswith(KERNEL_NAME)
        frame = frame.f_back
    return functions > 1


def _plain(mask: Array | None) -> Array | None:
    """Return a mask without what the simulator knows of its origin.

    Whoever reads that needs Triton.
    """
    return None if mask is None else np.asarray(mask)


def _repeats(statement: Statement, line: int) -> bool:
    """Return whether a loop on one line is reached again."""
    if statement.line != line:
        return False
    return statement.is_loop or line in statement.loops


def _is_inside(statement: Statement | None, loop: Statement) -> bool:
    """Return whether a statement is in the body of a loop."""
    return statement is not None and loop.line in statement.loops


def _restrict(step: Step, rows: Array) -> Step:
    if rows.all():
        return step
    chosen = np.flatnonzero(rows)
    return replace(
        step,
        programs=step.programs[chosen],
        value=step.value.take(chosen),
        pointer=_take(step.pointer, chosen),
        mask=_take(step.mask, chosen),
        operand=_take(step.operand, chosen),
    )


def _take(value: StepValue | None, rows: Array) -> StepValue | None:
    """Return the value of some of the programs, if there is one."""
    return None if value is None else value.take(rows)
