"""Makes the parts of Triton's types once that Triton makes again for each operation.

A block's type checks and wraps its sizes, and so does each tensor of that type: in small launches that took longer than
the arithmetic.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_simulator.patches import Patches

SIZES = "_sizes"
"""The attribute of a block's type that has its sizes, as a tuple of numbers."""
_NO_CONSTANTS = frozenset({tl.tensor, int, float, bool, str, type(None)})
_OF_TENSORS = "_of_tensors"
"""The attribute of a type that has what all tensors of that type have."""


def shape_patches(patches: Patches) -> None:
    """Plan that types and tensors share what is equal in them, and that what is no constant is seen at once."""
    patches.attribute(tl.block_type, "__init__", _share_parts_of_types())
    patches.attribute(tl.tensor, "__init__", _share_parts_of_tensors())
    unwrapped = tl.core._unwrap_if_constexpr
    patches.attribute(
        tl.core, "_unwrap_if_constexpr", lambda thing: thing if thing.__class__ in _NO_CONSTANTS else unwrapped(thing)
    )


def _share_parts_of_types() -> Any:
    of_triton = tl.block_type.__init__
    parts: dict[Any, dict[str, Any]] = {}

    def make(made: Any, element_ty: Any, shape: Any) -> None:
        sizes = tuple([size.value if type(size) is tl.constexpr else size for size in shape])
        usual = type(made) is tl.block_type and type(element_ty) in (tl.dtype, tl.pointer_type)
        if not usual or not all(type(size) is int for size in sizes):
            of_triton(made, element_ty, shape)
            return
        key = element_ty.name, getattr(element_ty, "address_space", None), sizes
        known = parts.get(key)
        if known is None:
            of_triton(made, element_ty, shape)
            known = parts[key] = {**vars(made), SIZES: sizes, _OF_TENSORS: {}}
        made.__dict__.update(known)

    return make


def _share_parts_of_tensors() -> Any:
    of_triton = tl.tensor.__init__

    def make(made: Any, handle: Any, type: Any) -> None:
        attributes = made.__dict__
        known = type.__dict__.get(_OF_TENSORS)
        if known and made.__class__ is tl.tensor:
            attributes.update(known)
            attributes["handle"] = handle
            attributes["type"] = type
            return
        of_triton(made, handle, type)
        if made.__class__ is tl.tensor:
            known = {name: part for name, part in attributes.items() if name not in ("handle", "type")}
            vars(type).setdefault(_OF_TENSORS, {}).update(known)

    return make
