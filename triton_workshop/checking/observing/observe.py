"""Makes one call of a launcher and records everything about it. It judges nothing: see `judge.py`."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from triton_simulator import branches
from triton_simulator.compiler.launches import Launches
from triton_workshop.checking.observing.failure import Failure, failure_of, unobservable
from triton_workshop.checking.observing.originals import Originals
from triton_workshop.checking.observing.provenance import Provenance, described, provenance_of, same
from triton_workshop.checking.observing.source import resolved
from triton_workshop.exercises.cases import launcher_args

if TYPE_CHECKING:
    from triton_simulator import Fault, Launch
    from triton_simulator.branches import Branch
    from triton_simulator.compiler.jobs import PickledKernel
    from triton_workshop.checking.observing.torch_calls import TorchCalls
    from triton_workshop.exercises.exercise import Launcher


OUR_MODULES = ("triton_workshop.", "triton_simulator.")
MOST_ELEMENTS = 2**28
"""A result with more of them is the right one in no case, and neither copied nor looked at."""
_DTYPES = frozenset(
    getattr(torch, name, None)  # a page's stand-in has not all of them
    for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
)


@dataclass(frozen=True)
class Launched:
    """A launch of one of the script's kernels. `numbers` are the arguments that are not tensors: sizes, strides, …"""

    kernel: str
    grid: tuple[int, ...]
    faults: tuple[Fault, ...]
    undefined: tuple[Fault, ...]
    numbers: dict[str, int | float]
    idle: int
    """How many of its programs have stored nothing."""
    stored_again: int
    """How many stores went to an element that this launch had stored to before."""
    prepared: tuple[tuple[str, int], ...]
    """What it read that PyTorch made in the launcher: each parameter's name, and the number of elements."""
    empty: tuple[tuple[str, int, int], ...] = ()
    """The arguments of which blocks were loaded that a mask left empty: how many of how many blocks of one shape."""
    products: int = 0
    """The operations done by tl.dot."""
    repeats: bool = False
    """Whether the launch before it had the same kernel, grid and arguments."""

    @property
    def programs(self) -> int:
        return math.prod(self.grid)


@dataclass(frozen=True)
class Observation:
    """What one call did. `output` is the tensor that it returned, if it returned one."""

    output: torch.Tensor | None = None
    output_type: str = ""
    unwritten: torch.Tensor | None = None
    """Where the output was never written, as far as launches on the simulator show."""
    provenance: Provenance = Provenance.UNKNOWN
    launches: tuple[Launched, ...] = ()
    changed_inputs: tuple[int, ...] = ()
    """Positions, from 1, of the arguments that were changed."""
    earlier_answer_changed: bool = False
    stored_outside: bool = False
    """Whether something beside the arguments was stored to, as guards around them show on a GPU."""
    failure: Failure | None = None
    loading: bool = False
    """Whether the script failed before its launcher was called."""
    timed_out: bool = False
    seconds: float = 0.0
    """Of processor time, for the call."""
    kernels: tuple[PickledKernel, ...] = ()
    """What all launches so far ask of the compiler."""
    unreachable: tuple[tuple[int, str], ...] = ()
    """What a GPU would refuse, because a tensor is in the CPU's memory: the line, and why."""
    computed: bool = False
    """Whether PyTorch has computed the tensor that was returned."""
    branches: frozenset[Branch] = frozenset()
    """Which way the script's conditions went."""
    replaced: tuple[str, ...] = ()
    """The functions of PyTorch, NumPy and the workshop in whose place the script has put something else."""

    @property
    def missing(self) -> torch.Tensor:
        """Where the output is not written, or if that is not known, where it is NaN."""
        assert self.output is not None
        return self.unwritten if self.unwritten is not None else self.output.isnan()

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self._all_faults() if fault.earlier is None)

    @property
    def thread_races(self) -> tuple[Fault, ...]:
        """Races between threads of one program: no other fault hides behind them, nor do they explain wrong values."""
        return tuple(fault for fault in self._all_faults() if fault.earlier is not None)

    def _all_faults(self) -> Iterator[Fault]:
        return (fault for launch in self.launches for fault in launch.faults)


class Observer:
    """Calls a launcher case by case. It remembers the previous answer, to see whether that changes.

    `compiled` says whether anybody will ask what its launches ask of the compiler, and `originals` has the functions by
    which it observes, as they were before the script was loaded.
    """

    def __init__(
        self,
        launcher: Launcher,
        file: Path,
        *,
        simulated: bool,
        compiled: bool = True,
        originals: Originals | None = None,
    ) -> None:
        self._originals = originals
        self._replaced: dict[str, None] = {}
        self._launcher = launcher
        self._file = file
        self._simulated = simulated
        self._earlier: tuple[torch.Tensor, torch.Tensor] | None = None
        self._arguments: tuple[torch.Tensor, ...] = ()
        self._launched = Launches()
        self._compiled = compiled

    def observe(self, arguments: tuple[torch.Tensor, ...], integer_bits: int = 32) -> Observation:
        """Call the launcher. Its own output is kept, and `Observation.output` is a copy.

        An int32 has so many bits on the simulator: see `Case`.

        Arguments with the same shapes as before reuse the same tensors, so a launcher that remembers them is found out.
        """
        try:
            return self._observed(arguments, integer_bits)
        except Exception as error:  # Python or PyTorch is no longer what it was, or what came back is none of theirs
            return Observation(failure=unobservable(error, self._file))

    def _observed(self, arguments: tuple[torch.Tensor, ...], integer_bits: int) -> Observation:
        arguments = self._arguments = _in_place_of(self._arguments, arguments)
        originals = [argument.clone() for argument in arguments]
        started = time.process_time()
        with (
            _uninitialised_memory_is_nan(),
            self._launches(integer_bits) as launches,
            _followed(self._file, launches) as calls,
            branches.record_branches() as taken,
        ):
            output, failure = self._call(arguments)
        seconds = time.process_time() - started
        if self._originals is not None:
            self._replaced.update(dict.fromkeys(self._originals.replaced()))
        made = {} if calls is None else dict(zip(map(id, launches), calls.read, strict=True))
        # The kernels of a script that was started through a link belong to the link's path.
        own = [launch for launch in launches if self._is_own(launch.file)]
        odd = _oddity(output) if self._simulated else ""
        seen = Observation(
            output_type=odd or type(output).__name__,
            launches=tuple(
                replace(
                    _launched(launch, (*made.get(id(launch), ()), *_prepared(launch, launches, arguments))),
                    repeats=_repeats(before, launch),
                )
                for before, launch in zip([None, *own], own, strict=False)
            ),
            changed_inputs=_changed(arguments, originals),
            failure=failure,
            seconds=seconds,
            unreachable=() if calls is None else tuple(calls.unreachable),
            branches=frozenset(branch for branch in taken if self._is_own(branch.file)),
            replaced=tuple(self._replaced),
        )
        if failure is not None or odd or not isinstance(output, torch.Tensor):
            return seen
        if output.numel() > MOST_ELEMENTS:
            return replace(seen, output=output.detach().as_subclass(torch.Tensor))
        # The judging process does not have the script's classes.
        kept = output.detach().clone().as_subclass(torch.Tensor)
        seen = replace(seen, output=kept)
        if not self._simulated:  # there, answers are too large to be kept
            return seen
        changed = self._earlier is not None and not same(*self._earlier)
        self._earlier = (output, kept)
        provenance, unwritten = provenance_of(own, output)
        if calls is not None:
            there = calls.line_on_cpu(output)
            moved = () if there is None else ((there, "the result is in the CPU's memory"),)
            seen = replace(seen, unreachable=(*seen.unreachable, *moved), computed=calls.is_computed(output))
        known = replace(seen, provenance=provenance, unwritten=unwritten, kernels=self._launched.kernels())
        return replace(known, earlier_answer_changed=changed)

    def _is_own(self, file: str) -> bool:
        return resolved(file) == self._file

    @contextmanager
    def _launches(self, integer_bits: int) -> Iterator[list[Launch]]:
        if not self._simulated:
            yield []
            return
        from triton_simulator import record
        from triton_simulator.values import int32

        noted = self._launched.listen() if self._compiled else nullcontext()
        with record(writes=True, strict_views=True) as launches, noted, int32.narrow_to(integer_bits):
            yield launches

    def _call(self, arguments: tuple[torch.Tensor, ...]) -> tuple[object, Failure | None]:
        try:
            output = self._launcher(*launcher_args(arguments))
            if not self._simulated:
                torch.cuda.synchronize()  # a fault in the kernel shows here, not in a later case
            return output, None
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__module__.startswith(OUR_MODULES):
                raise  # it ends a try
            return None, failure_of(error, self._file)


def _oddity(output: object) -> str:
    """What is odd about a tensor that no kernel can have stored to; empty if nothing is, and for what is no tensor."""
    if not isinstance(output, torch.Tensor):
        return ""
    if output.device.type != "cpu":
        return f"a tensor on the device {output.device}"
    layout = str(getattr(output, "layout", "torch.strided"))
    if layout != "torch.strided" or getattr(output, "is_nested", False):
        return f"a tensor that is {'nested' if layout == 'torch.strided' else layout}"
    return "" if output.dtype in _DTYPES or output.is_complex() else f"a tensor of {output.dtype}"


def _in_place_of(old: tuple[torch.Tensor, ...], new: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    if [(t.shape, t.stride(), t.dtype) for t in old] != [(t.shape, t.stride(), t.dtype) for t in new]:
        return new
    return tuple(then.copy_(now) for then, now in zip(old, new, strict=True))


def _launched(launch: Launch, prepared: tuple[tuple[str, int], ...]) -> Launched:
    numbers = {name: value for name, value in launch.arguments.items() if isinstance(value, int | float)}
    again = sum(
        traffic.stored_again // tensor.element_size()
        for name, traffic in launch.counts.arguments.items()
        if isinstance(tensor := described(launch.arguments.get(name)), torch.Tensor)
    )
    return Launched(
        launch.kernel,
        launch.grid,
        launch.faults,
        launch.undefined,
        numbers,
        idle=launch.counts.idle,
        stored_again=again,
        prepared=prepared,
        empty=tuple((name, none, every) for (name, _), (every, none) in launch.counts.blocks.items() if none),
        products=sum(launch.counts.products.values()),
    )


def _repeats(earlier: Launch | None, launch: Launch) -> bool:
    if earlier is None or (earlier.kernel, earlier.grid) != (launch.kernel, launch.grid):
        return False
    pairs = [(earlier.arguments.get(name), value) for name, value in launch.arguments.items()]
    return all(_is_same_argument(then, now) for then, now in pairs)


def _is_same_argument(then: object, now: object) -> bool:
    if isinstance(then, torch.Tensor) and isinstance(now, torch.Tensor):
        return (then.data_ptr(), then.shape, then.stride()) == (now.data_ptr(), now.shape, now.stride())
    return then is now or (isinstance(now, int | float | str) and type(then) is type(now) and then == now)


def _prepared(
    launch: Launch, launches: list[Launch], arguments: tuple[torch.Tensor, ...]
) -> tuple[tuple[str, int], ...]:
    """What a launch read that is neither one of the launcher's arguments nor stored by any launch."""
    known = {argument.untyped_storage().data_ptr() for argument in arguments}
    known = known.union(*(each.writes or () for each in launches))
    return tuple((name, size) for name, address, size in launch.counts.reads() if address not in known)


def _changed(arguments: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> tuple[int, ...]:
    pairs = enumerate(zip(arguments, before, strict=True), start=1)
    return tuple(position for position, (now, then) in pairs if now.shape != then.shape or not same(now, then))


@contextmanager
def _followed(file: Path, launches: list[Launch]) -> Iterator[TorchCalls | None]:
    """Follow what PyTorch does, except in a page, whose PyTorch tells nobody."""
    if not hasattr(torch, "overrides"):
        yield None
        return
    from triton_workshop.checking.observing.torch_calls import TorchCalls

    with TorchCalls(file, launches) as calls:
        yield calls
    calls.hear()


@contextmanager
def _uninitialised_memory_is_nan() -> Iterator[None]:
    """Make what a kernel leaves unwritten show as NaN: PyTorch's deterministic mode fills torch.empty with it.

    By its debug mode, because `torch.use_deterministic_algorithms` imports torch._inductor: 4 s.
    """
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
