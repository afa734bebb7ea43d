"""Cache for the attributes of Triton's types.

Triton creates them again for each operation.

A block's type checks and wraps its sizes, and so does each tensor of that type: in small launches that took longer than
the arithmetic.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl

from triton_simulator.patches import Patches

SIZES = "_sizes"
"""The attribute of a block's type with its sizes as numbers.

They are a tuple.
"""
_NO_CONSTANTS = frozenset({tl.tensor, int, float, bool, str, type(None)})
_TENSOR_ATTRIBUTES = "_of_tensors"
"""The attribute of a type that has what all tensors of that type have."""


def shape_patches(patches: Patches) -> None:
    """Plan that types and tensors share their equal attributes.

    What is no constant is seen at once, too.
    """
    patches.attribute(tl.block_type, "__init__", _cache_type_attributes())
    patches.attribute(tl.tensor, "__init__", _cache_tensor_attributes())
    unwrapped = tl.core._unwrap_if_constexpr
    patches.attribute(
        tl.core, "_unwrap_if_constexpr", lambda thing: thing if thing.__class__ in _NO_CONSTANTS else unwrapped(thing)
    )


def _cache_type_attributes() -> Any:
    original = tl.block_type.__init__
    cache: dict[Any, dict[str, Any]] = {}

    def initialize(instance: Any, element_ty: Any, shape: Any) -> None:
        """Initialize a block's type from the cache, or as Triton does."""
        sizes = tuple([size.value if type(size) is tl.constexpr else size for size in shape])
        # The key below tells only these types apart, and a subclass may have attributes of its own.
        has_usual_type = type(instance) is tl.block_type and type(element_ty) in (tl.dtype, tl.pointer_type)
        has_usual_sizes = all(type(size) is int for size in sizes)
        if not (has_usual_type and has_usual_sizes):
            original(instance, element_ty, shape)
            return
        key = element_ty.name, getattr(element_ty, "address_space", None), sizes
        cached = cache.get(key)
        if cached is None:
            original(instance, element_ty, shape)
            # Equal types share the last dictionary, of what their tensors have in common.
            cached = cache[key] = {**vars(instance), SIZES: sizes, _TENSOR_ATTRIBUTES: {}}
        instance.__dict__.update(cached)

    return initialize


def _cache_tensor_attributes() -> Any:
    original = tl.tensor.__init__

    def initialize(instance: Any, handle: Any, type: Any) -> None:
        """Initialize a tensor from its type's cache, or as Triton does."""
        attributes = instance.__dict__
        cached = type.__dict__.get(_TENSOR_ATTRIBUTES)
        if cached and instance.__class__ is tl.tensor:
            attributes.update(cached)
            attributes["handle"] = handle
            attributes["type"] = type
            return
        original(instance, handle, type)
        if instance.__class__ is tl.tensor:
            cached = {name: value for name, value in attributes.items() if name not in ("handle", "type")}
            vars(type).setdefault(_TENSOR_ATTRIBUTES, {}).update(cached)

    return initialize
