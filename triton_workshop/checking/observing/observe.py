"""Records one call of a launcher, and judges nothing.

That a kernel of the script's own file stored the result, the simulator has recorded.
"""

from __future__ import annotations

import inspect
import itertools
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
from triton_workshop.checking.observing.failure import Failure, failure_of, unobservable_failure
from triton_workshop.checking.observing.originals import Originals
from triton_workshop.checking.observing.provenance import Provenance, are_identical, provenance_of, unwrap_descriptor
from triton_workshop.checking.observing.source import resolve_path
from triton_workshop.exercises.cases import launcher_args
from triton_workshop.hints import sentence

if TYPE_CHECKING:
    from triton_simulator import Fault, Launch
    from triton_simulator.branches import Branch
    from triton_simulator.compiler.jobs import PickledKernel
    from triton_workshop.checking.observing.torch_calls import TorchCalls
    from triton_workshop.exercises.exercise import Launcher


OUR_MODULES = ("triton_workshop.", "triton_simulator.")
MAX_ELEMENTS = 2**28
"""Largest number of elements of a result that is looked at.

No case has such a result.
"""
_DTYPES = frozenset(
    getattr(torch, name, None)  # a page's stand-in has not all of them
    for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
)


@dataclass(frozen=True)
class Launched:
    """A launch of one of the script's kernels.

    `numbers` are the arguments that are not tensors: sizes, strides, …
    """

    kernel: str
    grid: tuple[int, ...]
    faults: tuple[Fault, ...]
    undefined: tuple[Fault, ...]
    numbers: dict[str, int | float]
    idle: int
    """Number of its programs that have stored nothing."""
    stored_again: int
    """Number of stores to an element that this launch had stored to before."""
    prepared: tuple[tuple[str, int], ...]
    """Its reads of what PyTorch made in the launcher.

    Each is a parameter's name, and a number of elements.
    """
    empty: tuple[tuple[str, int, int], ...] = ()
    """Arguments whose blocks a mask left empty.

    Each has a name, the number of empty blocks, and that of all blocks of one shape.
    """
    products: int = 0
    """The operations done by tl.dot."""
    moved: int = 0
    """Bytes that it has loaded and stored, counting every access."""
    repeats: bool = False
    """The launch before it had the same kernel, grid and arguments."""

    @property
    def programs(self) -> int:
        return math.prod(self.grid)


@dataclass(frozen=True)
class Output:
    """Tensor that a launcher returned, and where its numbers are from."""

    values: torch.Tensor
    """A copy, as the launcher may change its own."""
    unwritten: torch.Tensor | None = None
    """Mask of the elements that launches on the simulator never wrote."""
    provenance: Provenance = Provenance.UNKNOWN
    computed: bool = False
    """PyTorch has computed it."""
    changes_earlier: bool = False
    """With it, the tensor that the call before had returned has changed."""

    @property
    def missing(self) -> torch.Tensor:
        """Mask of the elements that are not written.

        If that is not known, these are the ones that are NaN.
        """
        return self.unwritten if self.unwritten is not None else self.values.isnan()


@dataclass(frozen=True)
class Observation:
    """Record of one call."""

    output: Output | None = None
    """None if it returned no tensor."""
    output_type: str = ""
    launches: tuple[Launched, ...] = ()
    changed_inputs: tuple[int, ...] = ()
    """Positions, from 1, of the arguments that were changed."""
    stored_outside: bool = False
    """A store went beside the arguments, as guards around them show on a GPU."""
    failure: Failure | None = None
    timed_out: bool = False
    seconds: float = 0.0
    """Of processor time, for the call."""
    kernels: tuple[PickledKernel, ...] = ()
    """Requests to the compiler, from all launches so far."""
    unreachable: tuple[tuple[int, str], ...] = ()
    """Accesses that a GPU refuses, as the tensor is in the CPU's memory.

    Each has its line, and the reason.
    """
    branches: frozenset[Branch] = frozenset()
    """Conditions of the script, with the ways that they went."""
    replaced: tuple[str, ...] = ()
    """Functions that the script has replaced.

    They are PyTorch's, NumPy's or the workshop's.
    """

    @property
    def is_out_of_reach(self) -> bool:
        """The call needed more time or memory than there was."""
        lacks_memory = self.failure is not None and self.failure.type == "MemoryError"
        return self.timed_out or lacks_memory

    @property
    def loading(self) -> bool:
        """The script failed before its launcher was called."""
        return self.failure is not None and self.failure.loading

    @property
    def faults(self) -> tuple[Fault, ...]:
        return tuple(fault for fault in self._all_faults() if fault.earlier is None)

    @property
    def thread_races(self) -> tuple[Fault, ...]:
        """Races between threads of one program.

        No other fault hides behind them, nor do they explain wrong values.
        """
        return tuple(fault for fault in self._all_faults() if fault.earlier is not None)

    def _all_faults(self) -> Iterator[Fault]:
        return itertools.chain.from_iterable(launch.faults for launch in self.launches)


class Observer:
    """Calls a launcher case by case.

    It remembers the previous result, to notice a change of it. `compiled` is false if nobody will ask what its launches
    need of the compiler. `originals` has the functions by which it observes, as they were before the script was loaded.
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
        self._compiler_launches = Launches()
        self._compiled = compiled

    @property
    def launcher(self) -> Launcher:
        """The function whose calls it observes."""
        return self._launcher

    @property
    def launcher_globals(self) -> dict[str, object]:
        """The global names of the launcher's module."""
        names: dict[str, object] = getattr(inspect.unwrap(self._launcher), "__globals__", {})
        return names

    def observe(self, arguments: tuple[torch.Tensor, ...], integer_bits: int = 32) -> Observation:
        """Call the launcher with these arguments.

        Its own output is kept, and `Observation.output` is a copy. An int32 has so many bits on the simulator: see
        `Case`.

        Arguments with the same shapes as before reuse the same tensors, so a launcher that remembers them is found out.
        """
        try:
            return self._observe_call(arguments, integer_bits)
        except Exception as error:  # Python or PyTorch is no longer what it was, or what came back is none of theirs
            return Observation(failure=unobservable_failure(error, self._file))

    def _observe_call(self, arguments: tuple[torch.Tensor, ...], integer_bits: int) -> Observation:
        arguments = self._arguments = _reuse_tensors(self._arguments, arguments)
        originals = [argument.clone() for argument in arguments]
        # Processor time: what a variant may take is measured against it, however busy the machine is.
        started = time.process_time()
        with (
            _uninitialised_memory_is_nan(),
            self._launches(integer_bits) as launches,
            _follow_torch(self._file, launches) as calls,
            branches.record_branches() as branch_records,
        ):
            output, failure = self._call(arguments)
        seconds = time.process_time() - started
        if self._originals is not None:
            self._replaced.update(dict.fromkeys(self._originals.replaced_functions()))
        torch_reads = {} if calls is None else dict(zip(map(id, launches), calls.reads, strict=True))
        # The kernels of a script that was started through a link belong to the link's path.
        script_launches = [launch for launch in launches if self._is_script_file(launch.file)]
        oddity = _oddity(output) if self._simulated else ""
        # After a fault on a GPU, nothing there can be read any more.
        can_be_read = self._simulated or failure is None
        observation = Observation(
            output_type=oddity or type(output).__name__,
            launches=tuple(
                replace(
                    _summarize_launch(
                        launch, (*torch_reads.get(id(launch), ()), *_prepared(launch, launches, arguments))
                    ),
                    repeats=_repeats(previous, launch),
                )
                # Each beside the one before it, so the first list is one longer.
                for previous, launch in zip([None, *script_launches], script_launches, strict=False)
            ),
            changed_inputs=_changed_positions(arguments, originals) if can_be_read else (),
            failure=failure,
            seconds=seconds,
            unreachable=() if calls is None else tuple(calls.unreachable),
            branches=frozenset(branch for branch in branch_records if self._is_script_file(branch.file)),
            replaced=tuple(self._replaced),
        )
        if failure is not None or oddity:
            return observation
        if not isinstance(output, torch.Tensor):
            return observation
        if output.numel() > MAX_ELEMENTS:
            # Not cloned: an expanded tensor may have more elements than there is memory for.
            return replace(observation, output=Output(output.detach().as_subclass(torch.Tensor)))
        # The judging process does not have the script's classes.
        copy = output.detach().clone().as_subclass(torch.Tensor)
        if not self._simulated:  # there, answers are too large to be kept
            return replace(observation, output=Output(copy))
        # The tensor that was returned then, beside its copy: this call may have stored to it.
        changed = self._earlier is not None and not are_identical(*self._earlier)
        self._earlier = (output, copy)
        provenance, unwritten = provenance_of(script_launches, output)
        computed, cpu_line = (False, None) if calls is None else (calls.is_computed(output), calls.line_on_cpu(output))
        moved = () if cpu_line is None else ((cpu_line, sentence("messages.result-on-cpu")),)
        return replace(
            observation,
            output=Output(copy, unwritten, provenance, computed, changed),
            unreachable=(*observation.unreachable, *moved),
            kernels=self._compiler_launches.kernels(),
        )

    def _is_script_file(self, file: str) -> bool:
        return resolve_path(file) == self._file

    @contextmanager
    def _launches(self, integer_bits: int) -> Iterator[list[Launch]]:
        if not self._simulated:
            yield []
            return
        from triton_simulator import record
        from triton_simulator.values import int32

        recording = self._compiler_launches.listen() if self._compiled else nullcontext()
        with record(writes=True, strict_views=True) as launches, recording, int32.narrow_to(integer_bits):
            yield launches

    def _call(self, arguments: tuple[torch.Tensor, ...]) -> tuple[object, Failure | None]:
        try:
            output = self._launcher(*launcher_args(arguments))
            if not self._simulated:
                torch.cuda.synchronize()  # a fault in the kernel shows here, not in a later case
            return output, None
        except BaseException as error:
            ends_try = not isinstance(error, Exception) and type(error).__module__.startswith(OUR_MODULES)
            if ends_try:
                raise
            return None, failure_of(error, self._file)


def _oddity(output: object) -> str:
    """Describe a tensor that no kernel can have stored to.

    The description is empty if nothing is odd about it, and for what is no tensor.
    """
    if not isinstance(output, torch.Tensor):
        return ""
    if output.device.type != "cpu":
        return f"a tensor on the device {output.device}"
    layout = str(getattr(output, "layout", "torch.strided"))
    if layout != "torch.strided" or getattr(output, "is_nested", False):
        return f"a tensor that is {'nested' if layout == 'torch.strided' else layout}"
    is_ordinary = output.dtype in _DTYPES or output.is_complex()
    return "" if is_ordinary else f"a tensor of {output.dtype}"


def _reuse_tensors(old: tuple[torch.Tensor, ...], new: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    if list(map(_layout, old)) != list(map(_layout, new)):
        return new
    if any(map(_has_repeated_rows, new)):  # nothing can be copied to a row that is there twice
        return new
    return tuple(then.copy_(now) for then, now in zip(old, new, strict=True))


def _layout(tensor: torch.Tensor) -> tuple[object, ...]:
    return tensor.shape, tensor.stride(), tensor.dtype


def _has_repeated_rows(tensor: torch.Tensor) -> bool:
    return 0 in tensor.stride() and tensor.numel() > 1


def _summarize_launch(launch: Launch, prepared: tuple[tuple[str, int], ...]) -> Launched:
    numbers = {name: value for name, value in launch.arguments.items() if isinstance(value, int | float)}
    # Traffic is in bytes, and remarks count elements.
    repeated_stores = sum(
        traffic.rewritten // tensor.element_size()
        for name, traffic in launch.counts.arguments.items()
        if isinstance(tensor := unwrap_descriptor(launch.arguments.get(name)), torch.Tensor)
    )
    return Launched(
        launch.kernel,
        launch.grid,
        launch.faults,
        launch.undefined,
        numbers,
        idle=launch.counts.idle,
        stored_again=repeated_stores,
        prepared=prepared,
        empty=tuple((name, none, every) for (name, _), (every, none) in launch.counts.blocks.items() if none),
        products=sum(launch.counts.products.values()),
        moved=launch.counts.total.loaded + launch.counts.total.stored,
    )


def _repeats(earlier: Launch | None, launch: Launch) -> bool:
    if earlier is None:
        return False
    if (earlier.kernel, earlier.grid) != (launch.kernel, launch.grid):
        return False
    pairs = [(earlier.arguments.get(name), value) for name, value in launch.arguments.items()]
    return all(_is_same_argument(then, now) for then, now in pairs)


def _is_same_argument(then: object, now: object) -> bool:
    if isinstance(then, torch.Tensor) and isinstance(now, torch.Tensor):
        return (then.data_ptr(), then.shape, then.stride()) == (now.data_ptr(), now.shape, now.stride())
    if then is now:
        return True
    if not isinstance(now, int | float | str):
        return False
    # The types too, as True == 1 == 1.0.
    return type(then) is type(now) and then == now


def _prepared(
    launch: Launch, launches: list[Launch], arguments: tuple[torch.Tensor, ...]
) -> tuple[tuple[str, int], ...]:
    """Return the reads of what is no argument, nor stored by a launch."""
    addresses = {argument.untyped_storage().data_ptr() for argument in arguments}
    writes = [writer.writes for writer in launches if writer.writes]
    addresses = addresses.union(*writes)
    return tuple((name, size) for name, address, size in launch.counts.reads() if address not in addresses)


def _changed_positions(arguments: tuple[torch.Tensor, ...], originals: list[torch.Tensor]) -> tuple[int, ...]:
    pairs = enumerate(zip(arguments, originals, strict=True), start=1)
    return tuple(position for position, (now, then) in pairs if _is_changed(now, then))


def _is_changed(now: torch.Tensor, then: torch.Tensor) -> bool:
    return now.shape != then.shape or not are_identical(now, then)


@contextmanager
def _follow_torch(file: Path, launches: list[Launch]) -> Iterator[TorchCalls | None]:
    """Follow what PyTorch does, except in a page, whose PyTorch tells nobody."""
    if not hasattr(torch, "overrides"):
        yield None
        return
    from triton_workshop.checking.observing.torch_calls import TorchCalls

    with TorchCalls(file, launches) as calls:
        yield calls
    calls.update()


@contextmanager
def _uninitialised_memory_is_nan() -> Iterator[None]:
    """Fill what `torch.empty` returns with NaN, to show what is unwritten.

    PyTorch's deterministic mode does that. It is set by its debug mode, because `torch.use_deterministic_algorithms`
    imports torch._inductor: 4 s.
    """
    mode = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(mode)
