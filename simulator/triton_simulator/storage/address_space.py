"""Address space of a launch.

It knows which tensors a launch may touch, where they lie, and which of them an address belongs to.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from triton_simulator.storage.regions import Region, Storage, region_of
from triton_simulator.values.formats import Array, item_bytes
from triton_simulator.values.value import NOWHERE, Value

NEAR_BYTES = 1 << 16
"""Bytes up to which an address is near a tensor: a block that begins in it hardly ends farther away."""


class AddressSpace:
    """Tensor arguments of one launch.

    Storages that its addresses turn out to lie in are added.
    """

    def __init__(self, *, strict_views: bool) -> None:
        self._strict_views = strict_views
        self.regions: list[Region] = [Region(NOWHERE, None, Storage(0, 0), 0, 0, 1)]
        """By the origin of a pointer."""
        self._storages: dict[int, Storage] = {}
        self._tensors: list[Any] = []
        """They must stay alive as long as we look at their memory."""
        self._live: list[Any] = []
        """Tensors that are no arguments and are older than `_generation`.

        Generations are those of the garbage collector.
        """
        self._generation = 0

    def restore(self) -> None:
        """Restore all bytes as they were before the launch."""
        for storage in self._storages.values():
            storage.restore()

    def add(self, name: str, tensor: Any, item: int) -> tuple[int, int]:
        """Let the programs touch a tensor on the CPU.

        Its elements have `item` bytes.

        Returns the origin of its pointers, and the number of its first element there.
        """
        self._tensors.append(tensor)
        storage = self._storage(tensor.untyped_storage())
        region = region_of(len(self.regions), name, tensor, storage, item, strict=self._strict_views)
        self.regions.append(region)
        return region.number, region.first

    def _storage(self, storage: Any) -> Storage:
        address = int(storage.data_ptr())
        if address not in self._storages:
            self._storages[address] = Storage(address, int(storage.nbytes()))
        return self._storages[address]

    def addresses(self, pointer: Value) -> Array:
        """Return the addresses of a pointer's elements, as uint64."""
        bases = np.array([region.address for region in self.regions], np.uint64)
        item = np.uint64(item_bytes(pointer.get_element_ty()))
        return np.asarray(bases[pointer.origin] + pointer.data.astype(np.uint64) * item)

    def byte_offsets(self, pointer: Value) -> Value:
        """Return the offsets of a pointer's elements in bytes, as int64.

        Offsets count from the beginning of the memory.

        Memory on a GPU begins at multiples of 256 bytes; what it begins at here says nothing.
        """
        offsets = np.array([region.offset for region in self.regions], np.int64)
        data = offsets[pointer.origin] + pointer.data.astype(np.int64) * item_bytes(pointer.get_element_ty())
        return Value(np.asarray(data), pointer.dtype, pointer.shape, poison=pointer.poison)

    def pointers(self, addresses: Array, dtype: Any, names: dict[str, int]) -> tuple[Array, int | Array]:
        """Return element indices and origins for raw addresses.

        Each belongs to the live storage that holds it, or to none.

        One that lies nowhere, or in the middle of an element, comes back as the same integer.

        `names` are the integers among the kernel's arguments: one that lies in a storage names it.
        """
        item = np.uint64(item_bytes(dtype.element_ty))
        addresses = addresses.astype(np.uint64)
        self._add_live_storages(addresses, names)
        origin = np.zeros(addresses.shape, np.int64)
        # What lies nowhere counts from address 0, where region 0 begins.
        index = (addresses // item).astype(np.int64)
        # The first region that holds an address keeps it: arguments may share a storage.
        for region in self.regions[1:]:
            distance = region.distance(addresses)
            inside = region.contains(addresses) & (distance % item == 0) & (origin == NOWHERE)
            origin[inside] = region.number
            index[inside] = (distance[inside] // item).astype(np.int64)
        # An address in the middle of an element gets an origin of its own, so that it comes back as the same integer.
        rest = np.where(origin == NOWHERE, addresses % item, 0)
        for distance in np.unique(rest[rest > 0]):
            origin[rest == distance] = self._misaligned_origin(int(distance))
        return index, int(origin.flat[0]) if (origin == origin.flat[0]).all() else origin

    def nearest(self, region: Region, index: Array, item: int) -> Region:
        """Return the region of the tensor nearest to addresses that are in none.

        The addresses are those of elements of `region`, which comes back where no tensor is near.
        """
        address = region.address + int(index[0]) * item
        near, least = region, NEAR_BYTES
        for candidate in [*self.regions[1:], *map(_whole_storage, self._live_tensors())]:
            end = candidate.address + candidate.size
            distance = candidate.address - address if address < candidate.address else address - end
            if candidate.size and 0 <= distance < least:
                near, least = candidate, distance
        return near

    def _misaligned_origin(self, start: int) -> int:
        """Return the origin of addresses in the middle of an element.

        They are `start` bytes past a multiple of an element's size, where nothing is.
        """
        for region in self.regions:
            if region.size == 0 and region.address == start:
                return region.number
        self.regions.append(Region(len(self.regions), None, Storage(start, 0), 0, 0, 1))
        return len(self.regions) - 1

    def _add_live_storages(self, addresses: Array, names: dict[str, int]) -> None:
        """Add the live torch storages that hold unknown addresses.

        An unknown address is in no region yet.
        """
        unknown = addresses[~np.logical_or.reduce([region.contains(addresses) for region in self.regions])]
        if not len(unknown):
            return
        for tensor in self._live_tensors():
            start, size = tensor.untyped_storage().data_ptr(), tensor.untyped_storage().nbytes()
            inside = (unknown >= np.uint64(start)) & (unknown < np.uint64(start + size))
            if not inside.any():
                continue
            # Faults name the argument that brought the address, where there is one.
            name = next((name for name, number in names.items() if start <= number < start + size), None)
            # With strict views, an address beside a view is unknown, while its storage is not.
            storage = self._storages.get(start) or Storage(start, size)
            storage.unit = min(storage.unit, tensor.element_size())
            self._storages[start] = storage
            self._tensors.append(tensor)
            self.regions.append(Region(len(self.regions), name, storage, 0, size, tensor.element_size()))
            unknown = unknown[~inside]
            if not len(unknown):
                return

    def _live_tensors(self) -> Iterator[Any]:
        """Yield all tensors of PyTorch on the CPU, the newest first.

        A kernel makes none, so a launch looks at each object once at most. To look at all takes as long as a hundred
        operations. Survivors move to a later generation, so none is missed.
        """
        yield from tuple(self._live)
        torch = sys.modules.get("torch")
        if torch is None:
            return
        while self._generation < len(gc.get_count()):
            kinds, generation = (torch.Tensor, torch.nn.Parameter), self._generation
            self._generation += 1
            tensors = [thing for thing in gc.get_objects(generation) if type(thing) in kinds]
            on_cpu = [tensor for tensor in tensors if tensor.device.type == "cpu"]
            live = [tensor for tensor in on_cpu if tensor.layout == torch.strided]
            self._live.extend(live)
            yield from live


def _whole_storage(tensor: Any) -> Region:
    storage = tensor.untyped_storage()
    # Only its extent is asked for, so it needs none of the bytes.
    return Region(0, None, Storage(int(storage.data_ptr()), 0), 0, int(storage.nbytes()), tensor.element_size())
