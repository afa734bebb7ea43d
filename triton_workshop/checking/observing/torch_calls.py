"""Follows what PyTorch does to a launcher's tensors.

It also knows where they would be on a machine with a GPU: on the simulator all tensors are in the CPU's memory. Without
this, a launcher that moves one there or hands it to NumPy would not be found out, nor one that lets PyTorch compute
what a kernel then only copies.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from triton_workshop.checking.observing.source import resolve_path

if TYPE_CHECKING:
    from triton_simulator import Launch

FILLS = re.compile(r"(new_)?(empty|zeros?|ones|full|fill|arange|rand|randn|randint)(_like|_strided|_permuted)?_?")
"""Functions whose values depend on no other tensor, by their names."""
COPIES = re.compile(
    r"clone|contiguous|to|type|float|half|bfloat16|double|cpu|cuda|copy_|__(get|set)item__|cat|stack|[vhd]stack|pad|"
    r"reshape|flatten|repeat|repeat_interleave|index_select|gather|roll|flip"
)
"""Functions that only move values, or round them to another dtype."""
CHANGES = re.compile(r"\w*[^_]_|__setitem__|__i(add|sub|mul|truediv|floordiv|mod|pow|matmul|and|or|xor)__")
"""Functions that change their first argument."""
CHANGES_OF_FORM = re.compile(r"(requires_grad|detach|resize|squeeze|unsqueeze|t|transpose|as_strided|share_memory)_")
"""And those among them that leave its elements as they are."""
TO_NUMPY = ("numpy", "__array__")
QUERIES = frozenset(("__get__", "size", "stride", "data_ptr", "numel", "dim", "is_contiguous", "element_size"))
"""Functions that make no tensor with memory of its own.

Most calls are of these. `x.shape` and `x.T` call `__get__`.
"""
ON_CPU = re.compile(r"""(["'])cpu\1|\.cpu\b""")
EITHER = re.compile(r"cuda|is_available")
"""Beside "cpu", this is meant for a machine without a GPU."""
BETWEEN = ("torch", "numpy")
"""Packages through which a script's call may come."""


class Origin(Enum):
    """Origin of a tensor's values that PyTorch made of other tensors."""

    COPIED = 1
    COMPUTED = 2


class TorchCalls(TorchFunctionMode):
    """Records what PyTorch does to the memory of each tensor."""

    def __init__(self, file: Path, launches: list[Launch]) -> None:
        super().__init__()
        self._file = file
        self._launches = launches
        self._origins: dict[int, Origin] = {}
        """By address: values that are no kernel's, and no constants."""
        self._on_cpu: dict[int, int] = {}
        """By the same, the line on which a tensor was put into the CPU's memory."""
        self.reads: list[tuple[tuple[str, int], ...]] = []
        """For each launch, its reads of such values.

        Each has the parameter's name, and the number of elements.
        """
        self.unreachable: list[tuple[int, str]] = []
        """Accesses that fail on a GPU: the line, and the reason."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in QUERIES:
            return func(*args, **kwargs)
        # Before this call: it may change the origin of what launches have read.
        self.update()
        if name in TO_NUMPY:
            self._record_numpy_read(args[0])
        result = func(*args, **kwargs)
        changes = CHANGES.fullmatch(name) and not CHANGES_OF_FORM.fullmatch(name)
        if not changes and not isinstance(result, torch.Tensor | list | tuple):
            return result  # a size, or a number
        inputs = list(_tensors((*args, *kwargs.values())))
        out = kwargs.get("out")
        if changes or out is not None:
            self._record_change(name, args[0] if changes else out, inputs, args)
            return result
        result = self._relocate(name, result, args, kwargs)
        addresses = {address_of(tensor) for tensor in inputs}
        for tensor in _tensors((result,)):
            # A view of an input keeps the origin of its memory.
            if address_of(tensor) not in addresses:
                self._set_origin(tensor, self._origin_of(name, inputs))
                self._follow(tensor, name, inputs, kwargs)
        return result

    def _record_change(self, name: str, changed: Any, inputs: Sequence[torch.Tensor], args: Any) -> None:
        """Record the origin of what a call has stored in a tensor that was there."""
        for tensor in _tensors((changed,)):
            origin = self._origin_of(name, [source for source in inputs if source is not tensor])
            part = tensor[args[1]] if name == "__setitem__" else tensor
            # What all of it held before does not count: a copy into computed values is a copy.
            if _is_part(part, tensor):
                origin = self._with_the_rest(tensor, origin)
            self._set_origin(tensor, origin)

    def update(self) -> None:
        """Note what launches have read and stored since the last call."""
        for launch in self._launches[len(self.reads) :]:
            reads = launch.counts.reads()
            self.reads.append(tuple((name, size) for name, address, size in reads if address in self._origins))
            self._record_arguments(launch)
            writes = launch.writes or {}
            for address in self._origins.keys() & writes.keys():
                # What a kernel has stored in full is no longer PyTorch's work.
                if writes[address].stored.all():
                    del self._origins[address]

    def _record_arguments(self, launch: Launch) -> None:
        """Record which arguments of a launch are in the CPU's memory."""
        for name, argument in launch.arguments.items():
            for tensor in _tensors((getattr(argument, "base", argument),)):
                line = self._on_cpu.get(address_of(tensor))
                if line is not None:
                    self.unreachable.append((line, f"{launch.kernel} gets {name} in the CPU's memory"))

    def is_computed(self, tensor: torch.Tensor) -> bool:
        """Return whether PyTorch has computed what a tensor holds."""
        return self._origins.get(address_of(tensor)) is Origin.COMPUTED

    def line_on_cpu(self, tensor: torch.Tensor) -> int | None:
        """Return the line on which a tensor was put into the CPU's memory.

        It is None if the tensor would be on a GPU.
        """
        return self._on_cpu.get(address_of(tensor))

    def _origin_of(self, name: str, inputs: Sequence[torch.Tensor]) -> Origin | None:
        if FILLS.fullmatch(name):
            return None
        if not COPIES.fullmatch(name):
            return Origin.COMPUTED
        # Without inputs, what is copied is a number, as in `x[0] = 1.0`.
        if not inputs:
            return None
        return Origin.COMPUTED if any(map(self.is_computed, inputs)) else Origin.COPIED

    def _with_the_rest(self, tensor: torch.Tensor, origin: Origin | None) -> Origin | None:
        """Return the origin of memory of which a part now has this one."""
        origins = (origin, self._origins.get(address_of(tensor)))
        return next((each for each in (Origin.COMPUTED, Origin.COPIED) if each in origins), None)

    def _set_origin(self, tensor: torch.Tensor, origin: Origin | None) -> None:
        if origin is None:
            self._origins.pop(address_of(tensor), None)
        else:
            self._origins[address_of(tensor)] = origin

    # Where tensors are

    def _relocate(self, name: str, result: Any, args: Any, kwargs: Any) -> Any:
        """Return a result, with its own memory if a GPU would have moved it."""
        device = next((value for value in (*args[1:], *kwargs.values()) if isinstance(value, str | torch.device)), None)
        moves = device is not None if name == "to" else name in ("cpu", "cuda")
        if not moves:
            return result
        if not isinstance(result, torch.Tensor):
            return result
        line = self._cpu_line()
        # It is there already, so a GPU would not move it.
        if (line is None) == (self.line_on_cpu(result) is None):
            return result
        moved = result.clone() if address_of(result) == address_of(args[0]) else result
        self._set_origin(moved, self._origins.get(address_of(result)))
        self._set_cpu_line(moved, line)
        return moved

    def _follow(self, tensor: torch.Tensor, name: str, inputs: Sequence[torch.Tensor], kwargs: Any) -> None:
        """Record where new memory is.

        The call says so, or the tensors of which it was made.
        """
        if name in ("cpu", "to", "cuda"):
            return  # as it was placed
        lines = [self.line_on_cpu(source) for source in inputs]
        input_line = next((line for line in lines if line is not None), None)
        self._set_cpu_line(tensor, self._cpu_line() if kwargs.get("device") is not None else input_line)

    def _set_cpu_line(self, tensor: torch.Tensor, line: int | None) -> None:
        if line is None:
            self._on_cpu.pop(address_of(tensor), None)
        else:
            self._on_cpu[address_of(tensor)] = line

    def _record_numpy_read(self, tensor: torch.Tensor) -> None:
        frame = self._frame()
        if frame is not None and self.line_on_cpu(tensor) is None:
            self.unreachable.append((frame.f_lineno, "NumPy cannot read a tensor on a GPU"))

    def _cpu_line(self) -> int | None:
        """The script's line that makes this call, if "cpu" stands there."""
        frame = self._frame()
        if frame is None:
            return None
        # `f_lasti` counts bytes, and `co_positions` has an entry for every two of them.
        first, last, *_ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        if first is None or last is None:
            return None
        text = "".join(linecache.getline(frame.f_code.co_filename, number) for number in range(first, last + 1))
        is_on_cpu = ON_CPU.search(text) and not EITHER.search(text)
        return frame.f_lineno if is_on_cpu else None

    def _frame(self) -> FrameType | None:
        """Return the script's frame that makes this call.

        It is None if another module makes the call.
        """
        frame: FrameType | None = sys._getframe()
        while frame is not None and _package(frame) in (*BETWEEN, __name__):
            frame = frame.f_back
        if frame is None:
            return None
        is_script = resolve_path(frame.f_code.co_filename) == self._file
        return frame if is_script else None


def _package(frame: FrameType) -> str:
    name = str(frame.f_globals.get("__name__", ""))
    return name if name == __name__ else name.partition(".")[0]


def address_of(tensor: torch.Tensor) -> int:
    """Return the address of a tensor's memory."""
    return tensor.untyped_storage().data_ptr()


def _is_part(changed: torch.Tensor, tensor: torch.Tensor) -> bool:
    """Return whether some elements of a tensor's memory are not changed."""
    return changed.numel() * tensor.element_size() < tensor.untyped_storage().nbytes()


def _tensors(things: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors with memory of their own, also in lists and tuples."""
    for thing in things:
        if isinstance(thing, torch.Tensor):
            if thing.layout is torch.strided and thing.device.type == "cpu":
                yield thing
        elif isinstance(thing, list | tuple):
            yield from _tensors(thing)
