"""Makes one call of a launcher and records everything about it. It judges nothing: see `judge.py`."""

from __future__ import annotations

import linecache
import math
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from triton_workshop.checking.exercises.exercise import handed_over
from triton_workshop.checking.observing.originals import Originals
from triton_workshop.compiler.launches import Launches

if TYPE_CHECKING:
    from triton_workshop.checking.exercises.exercise import Launcher
    from triton_workshop.checking.observing.torch_calls import TorchCalls
    from triton_workshop.compiler.jobs import PickledKernel
    from triton_workshop.simulator import Fault, Launch
    from triton_workshop.simulator.memory.counts import Write


MOST_ELEMENTS = 2**28
"""A result with more of them is the right one in no case, and neither copied nor looked at."""
MOST_CHARACTERS = 20_000
"""Of an error's message: a kernel's text is in one of Triton's."""
MOST_LINKS = 100
"""Of a chain of errors, from the outermost one."""
_DTYPES = frozenset(
    getattr(torch, name, None)  # a page's stand-in has not all of them
    for name in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")
)


class Provenance(Enum):
    """Where the returned tensor comes from."""

    KERNEL = "stored by a kernel of the script, and not changed since"
    COPY = "equal to what a kernel of the script stored in another tensor of this shape and dtype"
    CHANGED = "stored by a kernel, and changed since"
    UNTOUCHED = "given to a kernel that stored nothing to it"
    ELSEWHERE = "not stored by a kernel"
    NO_LAUNCH = "no kernel of the script was launched"
    UNKNOWN = "unknown, because there is no simulator"


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
class Failure:
    """An exception that left the launcher, or the script when it was loaded."""

    type: str
    message: str
    line: int | None
    """The script's innermost line in the traceback."""
    first_line: int | None = None
    """The script's outermost line in the traceback: where the launcher was."""
    chain: str = ""
    """The types and messages of the errors that led to it, outermost first."""


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
        ):
            output, failure = self._call(arguments)
        seconds = time.process_time() - started
        if self._originals is not None:
            self._replaced.update(dict.fromkeys(self._originals.replaced()))
        made = {} if calls is None else dict(zip(map(id, launches), calls.read, strict=True))
        # The kernels of a script that was started through a link belong to the link's path.
        own = [launch for launch in launches if Path(launch.file).resolve() == self._file]
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
        changed = self._earlier is not None and not _same(*self._earlier)
        self._earlier = (output, kept)
        provenance, unwritten = _provenance(own, output)
        if calls is not None:
            there = calls.line_on_cpu(output)
            moved = () if there is None else ((there, "the result is in the CPU's memory"),)
            seen = replace(seen, unreachable=(*seen.unreachable, *moved), computed=calls.is_computed(output))
        known = replace(seen, provenance=provenance, unwritten=unwritten, kernels=self._launched.kernels())
        return replace(known, earlier_answer_changed=changed)

    @contextmanager
    def _launches(self, integer_bits: int) -> Iterator[list[Launch]]:
        if not self._simulated:
            yield []
            return
        from triton_workshop.simulator import record
        from triton_workshop.simulator.values import int32

        noted = self._launched.noted() if self._compiled else nullcontext()
        with record(writes=True, strict_views=True) as launches, noted, int32.of_bits(integer_bits):
            yield launches

    def _call(self, arguments: tuple[torch.Tensor, ...]) -> tuple[object, Failure | None]:
        try:
            output = self._launcher(*handed_over(arguments))
            if not self._simulated:
                torch.cuda.synchronize()  # a fault in the kernel shows here, not in a later case
            return output, None
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__module__.startswith("triton_workshop."):
                raise  # it ends a try
            return None, failure_of(error, self._file)


def failure_of(error: BaseException, file: Path) -> Failure:
    """Describe an exception: its first cause, on the learner's own innermost line."""
    lines: list[int | None] = []
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and len(links) < MOST_LINKS and not any(link is each for each in links):
        links.append(link)
        for frame in traceback.extract_tb(link.__traceback__):
            if Path(frame.filename).resolve() == file:
                lines.append(frame.lineno)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    cause = links[-1]
    line = lines[-1] if lines else None
    if isinstance(cause, SyntaxError) and cause.filename == str(file) and isinstance(cause.lineno, int):
        line = cause.lineno
    message = _text(cause.msg if isinstance(cause, SyntaxError) and cause.msg else cause)
    chain = "\n".join(f"{type(each).__name__}: {_text(each)}" for each in links)
    return Failure(type(cause).__name__, message, _line_in_kernel(cause, file) or line, next(iter(lines), None), chain)


def unobservable(error: Exception, file: Path) -> Failure:
    """Describe an error of the observer's own, which the script may have brought about."""
    what = failure_of(error, file)
    return replace(what, type="Unobservable", message=f"{what.type}: {what.message}", chain="")


def _text(message: object) -> str:
    """A message, or what is left of it: one may be megabytes long, without end for a terminal, or an error itself."""
    try:
        text = str(message)
    except BaseException as error:
        return f"(a message that cannot be read: {type(error).__name__})"
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS // 2]} … {text[-MOST_CHARACTERS // 2 :]}"
    return text.encode(errors="backslashreplace").decode()  # a lone surrogate can be shown nowhere


def _line_in_kernel(error: BaseException, file: Path) -> int | None:
    """Where Triton's compiler stopped: it counts lines from the kernel's own first one."""
    try:
        source, line = error.src, error.node.lineno  # type: ignore[attr-defined]
    except Exception:  # it is none of the compiler's
        return None
    if not isinstance(source, str) or not isinstance(line, int):
        return None
    before, found, _ = "".join(linecache.getlines(str(file))).partition(source.strip())
    return before.count("\n") + line if found else None


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
        if isinstance(tensor := _tensor(launch.arguments.get(name)), torch.Tensor)
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


def _provenance(launches: list[Launch], output: torch.Tensor) -> tuple[Provenance, torch.Tensor | None]:
    """Say whether these launches wrote the output, and where they did not; None if that is not known."""
    if not launches:
        return Provenance.NO_LAUNCH, None
    writes = _writes(launches)
    write = writes.get(output.untyped_storage().data_ptr())
    if write is not None:
        stored = torch.from_numpy(write.stored).view(-1, output.element_size()).any(dim=1)
        held = torch.from_numpy(write.held).view(output.dtype)
        shape, strides, offset = output.shape, output.stride(), output.storage_offset()
        same = _same(held.as_strided(shape, strides, offset), output)
        return Provenance.KERNEL if same else Provenance.CHANGED, ~stored.as_strided(shape, strides, offset)
    given = {tensor.untyped_storage().data_ptr(): tensor for launch in launches for tensor in _tensors(launch)}
    if output.untyped_storage().data_ptr() in given:
        return Provenance.UNTOUCHED, torch.ones_like(output, dtype=torch.bool)
    written = [given[at] for at in writes if at in given]
    memories = [torch.from_numpy(writes[t.untyped_storage().data_ptr()].held).view(t.dtype) for t in written]
    if not _hold(memories, output):
        return Provenance.ELSEWHERE, None
    if any((tensor.shape, tensor.dtype) == (output.shape, output.dtype) for tensor in written):
        return Provenance.COPY, None
    # A part of what launches stored, or a conversion: a slice of a padded buffer, stacked planes, another dtype.
    return Provenance.KERNEL, None


def _writes(launches: list[Launch]) -> dict[int, Write]:
    """Return where any of them stored, and what was there after the last one that stored."""
    writes: dict[int, Write] = {}
    for launch in launches:
        for address, write in (launch.writes or {}).items():
            earlier = writes.get(address)
            stored = write.stored if earlier is None else write.stored | earlier.stored
            writes[address] = replace(write, stored=stored)
    return writes


def _hold(memories: list[torch.Tensor], part: torch.Tensor) -> bool:
    """Whether all values of a tensor are among those of the others, converted to its dtype."""
    if part.is_complex() or not memories or not part.numel():
        return False
    held = torch.cat([_bits(memory.to(part.dtype)) for memory in memories])
    return bool(torch.isin(_bits(part), held).all())


def _tensors(launch: Launch) -> Iterator[torch.Tensor]:
    """The tensors among a kernel's arguments: plain, behind a descriptor, or in a tuple."""
    values = list(launch.arguments.values())
    while values:
        value = values.pop()
        if isinstance(value, tuple):
            values += value
        elif isinstance(tensor := _tensor(value), torch.Tensor):
            yield tensor


def _tensor(value: object) -> object:
    """What a descriptor describes; anything else is what it is."""
    return getattr(value, "base", value)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The elements as integers, for comparison: a NaN equals itself."""
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.contiguous().view(kinds[tensor.element_size()])


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Bit by bit: a NaN equals itself."""
    return torch.equal(_bits(one), _bits(other))


def _changed(arguments: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> tuple[int, ...]:
    pairs = enumerate(zip(arguments, before, strict=True), start=1)
    return tuple(position for position, (now, then) in pairs if now.shape != then.shape or not _same(now, then))


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
