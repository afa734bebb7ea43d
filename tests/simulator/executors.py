"""The two executors side by side: ours, and that of Triton's own interpreter."""

from __future__ import annotations

import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import triton.language as tl
from triton.runtime import interpreter

from triton_workshop.simulator.install import install

_upstream = {
    "GridExecutor": interpreter.GridExecutor,
    "interpreter_builder": interpreter.interpreter_builder,
    "_patch_lang": interpreter._patch_lang,
}
assert _upstream["GridExecutor"].__module__ == interpreter.__name__, "the simulator was installed too early"
install()
_ours = {name: getattr(interpreter, name) for name in _upstream}


def _patch_everywhere(_function: Any) -> Any:
    # Triton leaves its language patched after a call of a jit function, which would spoil the next launch of ours.
    scope = _upstream["_patch_lang"](types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
    scope.set_attr(tl.tensor, "__index__", lambda self: int(self.handle.data.reshape(-1)[0]))
    return scope


@contextmanager
def upstream() -> Iterator[None]:
    """Launches run on Triton's own interpreter."""
    for name, member in {**_upstream, "_patch_lang": _patch_everywhere}.items():
        setattr(interpreter, name, member)
    interpreter.interpreter_semantic.builder = _upstream["interpreter_builder"]
    try:
        yield
    finally:
        for name, member in _ours.items():
            setattr(interpreter, name, member)
        interpreter.interpreter_semantic.builder = _ours["interpreter_builder"]
