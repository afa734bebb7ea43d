"""What the constructs in `constructs.json` are given, by the names of their parameters; those that begin with `o` are
results."""

from __future__ import annotations

from typing import Any

import torch

_AT = torch.arange(256)
_MIXED = (_AT * 7) % 23 - 11
_SPECIAL = [
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5,
    448.0, 500.0, 65504.0, 65520.0, 3.4e38, 1e-45, 1e-40, 1e10,
]  # fmt: skip


def _wrapped(numbers: torch.Tensor, bits: int) -> torch.Tensor:
    return (numbers + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


_INPUTS = {
    "x": lambda: (_MIXED * 0.375).float(),
    "y": lambda: (_AT % 13 + 1.0).float(),
    "third": lambda: (_MIXED / 3).float(),
    "special": lambda: torch.tensor(_SPECIAL).repeat(16),
    "h": lambda: (_AT % 17 - 3.5).half(),
    "bf": lambda: (_AT % 17 - 3.5).bfloat16(),
    "d": lambda: _AT.double() / 3,
    "e5": lambda: (_MIXED * 0.375).to(torch.float8_e5m2),
    "e4": lambda: (_MIXED * 0.375).to(torch.float8_e4m3fn),
    "i8": lambda: _wrapped(_AT * 5 - 128, 8).to(torch.int8),
    "u8": lambda: (_AT * 5 % 256).to(torch.uint8),
    "i16": lambda: (_AT * 3001 % 65536 - 32768).to(torch.int16),
    "u16": lambda: _wrapped(_AT * 3001, 16).to(torch.int16).view(torch.uint16),
    "i32": lambda: ((_AT - 8) * 1000003).to(torch.int32),
    "u32": lambda: _wrapped(_AT * 268435459, 32).to(torch.int32).view(torch.uint32),
    "i64": lambda: (_AT - 8) * (2**33 + 1),
    "u64": lambda: (_AT * 1152921504606846977).view(torch.uint64),
    "b": lambda: _AT % 3 == 0,
    "idx": lambda: (_AT * 7 % 16).to(torch.int32),
}
_OUTPUTS = {
    "o": torch.float32, "oh": torch.float16, "ob16": torch.bfloat16, "od": torch.float64, "oi": torch.int32,
    "ol": torch.int64, "o8": torch.int8, "o16": torch.int16, "ou8": torch.uint8, "ou16": torch.uint16,
    "ou32": torch.uint32, "ou64": torch.uint64, "oB": torch.bool, "oe5": torch.float8_e5m2,
    "oe4": torch.float8_e4m3fn,
}  # fmt: skip
_SCALARS = {
    "n": 10, "m": -7, "zero": 0, "one": 1, "big": 2**40, "f": 0.5, "t": True, "none": None, "B": 16,
}  # fmt: skip
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
"""PyTorch computes with these on a CPU."""


class Arguments(dict[str, Any]):
    """The names that a call may use. Results are remembered as they were before."""

    def __init__(self) -> None:
        super().__init__(torch=torch)
        self._results: dict[str, torch.Tensor] = {}

    def __missing__(self, name: str) -> Any:
        if name in _SCALARS:
            return _SCALARS[name]
        if name in _INPUTS:
            self[name] = _INPUTS[name]()
        elif name in _OUTPUTS:
            self[name] = _result(_OUTPUTS[name])
            self._results[name] = self[name].clone()
        else:
            raise KeyError(name)
        return self[name]

    def results(self) -> dict[str, list[Any]]:
        """What each result holds now, without what is at its end as it was before."""
        return {name: _shortened(_listed(self[name]), _listed(before)) for name, before in self._results.items()}


def _result(dtype: torch.dtype) -> torch.Tensor:
    if dtype == torch.bool:
        return torch.zeros(256, dtype=dtype)
    if dtype in _SIGNED:
        return torch.full((256,), 7, dtype=_SIGNED[dtype]).view(dtype)
    return torch.full((256,), 7 if dtype == torch.uint8 else -7.0).to(dtype)


def _shortened(now: list[Any], before: list[Any]) -> list[Any]:
    while now and now[-1] == before[len(now) - 1]:
        now.pop()
    return now


def _listed(tensor: torch.Tensor) -> list[Any]:
    """A tensor's elements; those that JSON has no numbers for, and -0.0, as text."""
    if tensor.is_floating_point():
        return [str(v) if v != v or abs(v) == float("inf") or str(v) == "-0.0" else v for v in tensor.double().tolist()]
    if tensor.dtype in _SIGNED:
        signed = tensor.view(_SIGNED[tensor.dtype])
        return [v % 2 ** (8 * tensor.element_size()) for v in signed.tolist()]
    return [int(v) for v in tensor.tolist()]
