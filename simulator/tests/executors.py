"""The two executors side by side: ours, and that of Triton's own interpreter, and the same launch on both."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch

from triton_simulator.without_library import has_library, provide

provide()  # where Triton is not installed, as on a Mac

# isort: split
import triton.language as tl  # noqa: E402
from triton.runtime import interpreter  # noqa: E402

from triton_simulator import Launch, install, record  # noqa: E402

_upstream = {
    "interpreter_builder": interpreter.interpreter_builder,
    "_patch_lang": interpreter._patch_lang,
}
_upstream_run = interpreter.InterpretedFunction.run
assert _upstream_run.__module__ == interpreter.__name__, "the simulator was installed too early"
install()
_ours = {name: getattr(interpreter, name) for name in _upstream}
_our_run = interpreter.InterpretedFunction.run


def _patch_everywhere(_function: Any) -> Any:
    # Triton leaves its language patched after a call of a jit function, which would spoil the next launch of ours.
    scope = _upstream["_patch_lang"](types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
    scope.set_attr(tl.tensor, "__index__", lambda self: int(self.handle.data.reshape(-1)[0]))
    return scope


@contextmanager
def upstream() -> Iterator[None]:
    """Launches run on Triton's own interpreter."""
    if not has_library():
        pytest.skip("Triton's own interpreter needs Triton's compiled library")
    for name, member in {**_upstream, "_patch_lang": _patch_everywhere}.items():
        setattr(interpreter, name, member)
    interpreter.interpreter_semantic.builder = _upstream["interpreter_builder"]
    interpreter.InterpretedFunction.run = _upstream_run
    try:
        yield
    finally:
        interpreter.InterpretedFunction.run = _our_run
        for name, member in _ours.items():
            setattr(interpreter, name, member)
        interpreter.interpreter_semantic.builder = _ours["interpreter_builder"]


P, N = 5, 16
"""Programs, and elements of a block: each program works on its own row of every tensor."""


def rows(dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.rand(P, N, generator=generator) > 0.5
    if dtype.is_floating_point:
        return torch.randn(P, N, generator=generator).to(dtype)
    return torch.randint(-100 if dtype.is_signed else 0, 100, (P, N), generator=generator).to(dtype)


def launched(kernel: Any, grid: Any, *arguments: Any, **constants: Any) -> Launch:
    """What the simulator recorded of a launch without faults."""
    with record() as launches:
        kernel[grid](*arguments, **constants)
    assert launches[0].faults == ()
    return launches[0]


def both(kernel: Any, grid: Any, make: Callable[[], tuple[Any, ...]], **constants: Any) -> tuple[Any, Any]:
    """The arguments after a launch on ours, and after one on Triton's."""
    ours, theirs = make(), make()
    with record() as launches:
        kernel[grid](*ours, **constants)
    assert not launches[0].faults, str(launches[0].faults[0])
    assert not launches[0].one_by_one, launches[0].one_by_one
    with upstream():
        kernel[grid](*theirs, **constants)
    return ours, theirs


def assert_same(ours: Any, theirs: Any, *, exactly: bool = True) -> None:
    for mine, their in zip(ours, theirs, strict=True):
        if isinstance(mine, torch.Tensor):
            torch.testing.assert_close(
                mine.float() if mine.dtype.is_floating_point else mine,
                their.float() if their.dtype.is_floating_point else their,
                rtol=0 if exactly else 1e-5,
                atol=0 if exactly else 1e-5,
                equal_nan=True,
            )
