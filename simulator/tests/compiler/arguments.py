"""What a construct is given: the name of a parameter says so, for the compiler as a type, for a launch as a value."""

from __future__ import annotations

import inspect
from typing import Any

import torch
import triton.language as tl

PROGRAMS = 4
BLOCK = 64
N = 200
"""Less than what the programs' blocks cover."""
ROOM = PROGRAMS * BLOCK + 64
"""Elements of a tensor's storage: an access that a forgotten mask lets through does no harm."""

TENSORS = {
    "x_ptr": ("*fp32", torch.float32, lambda at: (at - 50) * 0.375),
    "y_ptr": ("*fp32", torch.float32, lambda at: at % 13 + 1.0),
    "output_ptr": ("*fp32", torch.float32, lambda at: at * 0 - 7.0),
    "half_ptr": ("*fp16", torch.float16, lambda at: at % 17 - 3.5),
    "bf16_ptr": ("*bf16", torch.bfloat16, lambda at: at % 17 - 3.5),
    "double_ptr": ("*fp64", torch.float64, lambda at: at / 3),
    "e5_ptr": ("*fp8e5", torch.float8_e5m2, lambda at: at % 4 - 1.0),
    "e4_ptr": ("*fp8e4nv", torch.float8_e4m3fn, lambda at: at % 4 - 1.0),
    "index_ptr": ("*i32", torch.int32, lambda at: (at * 7) % N),
    "long_ptr": ("*i64", torch.int64, lambda at: (at * 7) % N),
    "short_ptr": ("*i16", torch.int16, lambda at: at % 100 - 30),
    "byte_ptr": ("*i8", torch.int8, lambda at: at % 100 - 30),
    "ubyte_ptr": ("*u8", torch.uint8, lambda at: at % 100 + 100),
    "bool_ptr": ("*i1", torch.bool, lambda at: at % 3 == 0),
    "lock_ptr": ("*i32", torch.int32, lambda at: at * 0),
}
"""Type, type for torch, and the values by index."""

SCALARS: dict[str, tuple[Any, Any]] = {
    "n": ("i32", N),
    "count": ("i32", 3),
    "one": ("constexpr", 1),  # which is what the launcher makes of a 1
    "big": ("i64", 2**40),
    "alpha": ("fp32", 0.5),
    "flag": ("u1", True),
    "pair": (("i32", "i32"), (2, 3)),
    "none": ("constexpr", None),
}
CONSTANTS: dict[str, Any] = {
    "BLOCK": BLOCK,
    "FLAG": True,
    "OFF": False,
    "FIVE": 5,
    "FOUR": 4,
    "ZERO": 0,
    "HALF": 0.5,
    "NONE": None,
    "NAME": "mul",
    "DTYPE": tl.float16,
    "SHAPE": (8, 8),
}


def parameters(function: Any) -> dict[str, tuple[Any, Any]]:
    """By name: type and value of each argument. A tensor's value is made by `tensor`."""
    return {name: _one(name, parameter) for name, parameter in inspect.signature(function).parameters.items()}


def _one(name: str, parameter: inspect.Parameter) -> tuple[Any, Any]:
    if name in TENSORS:
        return TENSORS[name][0], None
    if name in SCALARS:
        return SCALARS[name]
    value = CONSTANTS.get(name, parameter.default)
    assert value is not parameter.empty, f"nothing is known of a parameter called {name}"
    if "constexpr" in str(parameter.annotation):
        return "constexpr", value
    return {bool: "u1", int: "i32", float: "fp32"}[type(value)], value


def tensor(name: str) -> torch.Tensor:
    """The tensor that a parameter of this name is given: N elements of a larger storage."""
    _, dtype, values = TENSORS[name]
    return values(torch.arange(ROOM)).to(dtype)[:N]
