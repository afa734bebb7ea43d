"""Origin of a returned tensor: which launches stored which elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from triton_simulator import Launch
    from triton_simulator.memory.counts import Write


class Provenance(Enum):
    """Origin of the returned tensor."""

    KERNEL = "stored by a kernel of the script, and not changed since"
    COPY = "equal to what a kernel of the script stored in another tensor of this shape and dtype"
    CHANGED = "stored by a kernel, and changed since"
    UNTOUCHED = "given to a kernel that stored nothing to it"
    ELSEWHERE = "not stored by a kernel"
    NO_LAUNCH = "no kernel of the script was launched"
    UNKNOWN = "unknown, because there is no simulator"


def provenance_of(launches: list[Launch], output: torch.Tensor) -> tuple[Provenance, torch.Tensor | None]:
    """Return an output's origin, and the mask of its unwritten elements.

    The mask is None if it is not known.
    """
    if not launches:
        return Provenance.NO_LAUNCH, None
    writes = _writes(launches)
    # By its storage, as a launcher may return a view of what a kernel has stored.
    write = writes.get(output.untyped_storage().data_ptr())
    if write is not None:
        # Marks are of bytes: an element is stored if one of its bytes is.
        stored = torch.from_numpy(write.stored).view(-1, output.element_size()).any(dim=1)
        content = torch.from_numpy(write.held).view(output.dtype)
        shape, strides, offset = output.shape, output.stride(), output.storage_offset()
        unchanged = are_identical(content.as_strided(shape, strides, offset), output)
        return Provenance.KERNEL if unchanged else Provenance.CHANGED, ~stored.as_strided(shape, strides, offset)
    arguments = itertools.chain.from_iterable(map(_tensors, launches))
    tensors = {tensor.untyped_storage().data_ptr(): tensor for tensor in arguments}
    if output.untyped_storage().data_ptr() in tensors:
        return Provenance.UNTOUCHED, torch.ones_like(output, dtype=torch.bool)
    written = [tensors[at] for at in writes if at in tensors]
    memories = [torch.from_numpy(writes[t.untyped_storage().data_ptr()].held).view(t.dtype) for t in written]
    if not _contain_all(memories, output):
        return Provenance.ELSEWHERE, None
    is_copy = any((tensor.shape, tensor.dtype) == (output.shape, output.dtype) for tensor in written)
    if is_copy:
        return Provenance.COPY, None
    # A part of what launches stored, or a conversion: a slice of a padded buffer, stacked planes, another dtype.
    return Provenance.KERNEL, None


def _writes(launches: list[Launch]) -> dict[int, Write]:
    """Merge the writes of launches, by address.

    Each has all elements that were stored, and what was there after the last store.
    """
    writes: dict[int, Write] = {}
    for launch in launches:
        launch_writes = launch.writes or {}
        for address, write in launch_writes.items():
            earlier = writes.get(address)
            stored = write.stored if earlier is None else write.stored | earlier.stored
            writes[address] = replace(write, stored=stored)
    return writes


def _contain_all(memories: list[torch.Tensor], tensor: torch.Tensor) -> bool:
    """Return whether all values of a tensor are among those of the others.

    Those are converted to its dtype.
    """
    if tensor.is_complex():
        return False
    if not memories or not tensor.numel():
        return False
    elements = torch.cat([_bits(memory.to(tensor.dtype)) for memory in memories])
    return bool(torch.isin(_bits(tensor), elements).all())


def _tensors(launch: Launch) -> Iterator[torch.Tensor]:
    """Yield the tensors among a kernel's arguments.

    They are plain, behind a descriptor, or in a tuple.
    """
    values = list(launch.arguments.values())
    while values:
        value = values.pop()
        if isinstance(value, tuple):
            values += value
        elif isinstance(tensor := unwrap_descriptor(value), torch.Tensor):
            yield tensor


def unwrap_descriptor(value: object) -> object:
    """Return the tensor behind a descriptor; anything else as it is."""
    return getattr(value, "base", value)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    """The elements as integers, for comparison: a NaN equals itself."""
    if tensor.is_complex():  # no integer is as wide as two float64
        tensor = torch.view_as_real(tensor.resolve_conj())
    kinds = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.contiguous().view(kinds[tensor.element_size()])


def are_identical(first: torch.Tensor, second: torch.Tensor) -> bool:
    """Return whether all bits are equal: a NaN equals itself."""
    return torch.equal(_bits(first), _bits(second))
