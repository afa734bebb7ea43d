"""Makes the parts of Triton's types once that Triton makes again for each operation.

A block's type checks and wraps its sizes, and so does each tensor of that type: in small launches that took longer than
the arithmetic.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl

SIZES = "_sizes"
"""The attribute of a block's type that has its sizes, as a tuple of numbers."""
_OF_TENSORS = "_of_tensors"
"""The attribute of a type that has what all tensors of that type have."""


def install_shapes() -> None:
    """Let types and tensors share what is equal in them from now on."""
    _share_parts_of_types()
    _share_parts_of_tensors()


def _share_parts_of_types() -> None:
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
        vars(made).update(known)

    tl.block_type.__init__ = make


def _share_parts_of_tensors() -> None:
    of_triton = tl.tensor.__init__

    def make(made: Any, handle: Any, type: Any) -> None:
        attributes = vars(made)
        known = vars(type).get(_OF_TENSORS)
        if known and made.__class__ is tl.tensor:
            attributes.update(known)
            attributes["handle"] = handle
            attributes["type"] = type
            return
        of_triton(made, handle, type)
        if made.__class__ is tl.tensor:
            known = {name: part for name, part in attributes.items() if name not in ("handle", "type")}
            vars(type).setdefault(_OF_TENSORS, {}).update(known)

    tl.tensor.__init__ = make
