"""Launches, of which Triton and a GPU refuse some, and tuners whose hooks are counted: for Triton and for us."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def copied(x, out, n, BLOCK: tl.constexpr = 16, OTHER: tl.constexpr = None):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def with_an_option_as_parameter(out, num_warps: tl.constexpr):
    tl.store(out + tl.arange(0, 16), num_warps)


@triton.jit
def with_a_stream(out, stream: tl.constexpr):
    tl.store(out + tl.arange(0, 16), stream)


def arguments() -> tuple[Any, ...]:
    return torch.ones(16), torch.zeros(16), 16


def launch_copied(grid: Any = (1,), *more: Any, **named: Any) -> None:
    copied[grid](*arguments(), *more, **named)


class Object:
    """Anything at all."""


Case = Callable[[], Any]
GRIDS: dict[str, Case] = {
    "65,535 along y": lambda: launch_copied((1, 65_535)),
    "65,536 along y": lambda: launch_copied((1, 65_536)),
    "65,536 along z": lambda: launch_copied((1, 1, 65_536)),
    "65,536 along x": lambda: launch_copied((65_536,)),
    "2^31 along x": lambda: launch_copied((2**31, 1)),
    "70,000 along y of nothing": lambda: launch_copied((0, 70_000)),
    "a list": lambda: launch_copied([1, 1]),
    "NumPy's integers": lambda: launch_copied((np.int64(1),)),
    "a float": lambda: launch_copied((1.0,)),
    "a number": lambda: launch_copied(1),
    "nothing": lambda: launch_copied(()),
    "a function of another name": lambda: launch_copied(lambda meta: (meta["BLOK"],)),
    "a function of an option": lambda: launch_copied(lambda meta: (meta["num_warps"],), num_warps=4),
    "none at all": lambda: copied(*arguments()),
}
KEYWORDS: dict[str, Case] = {
    "a misspelt parameter": lambda: launch_copied(BLOK=4),
    "an option of AMD's": lambda: launch_copied(waves_per_eu=2),
    "a stream": lambda: launch_copied(stream=0),
    "a device": lambda: launch_copied(device=0),
    "a type of device": lambda: launch_copied(device_type="cuda"),
    "debug": lambda: launch_copied(debug=True),
    "less precision": lambda: launch_copied(enable_fp_fusion=False),
    "twice": lambda: launch_copied((1,), 16, BLOCK=16),
    "too many": lambda: launch_copied((1,), 16, 1, 2),
    "too few": lambda: copied[(1,)](*arguments()[:2]),
    "a parameter named like an option": lambda: with_an_option_as_parameter[(1,)](torch.zeros(16), num_warps=8),
    "a bad value for it": lambda: with_an_option_as_parameter[(1,)](torch.zeros(16), num_warps=3),
    "the same by position": lambda: with_an_option_as_parameter[(1,)](torch.zeros(16), 3),
    "a parameter named like a former option": lambda: with_a_stream[(1,)](torch.zeros(16), stream=3),
    "the former option by position": lambda: with_a_stream[(1,)](torch.zeros(16), 3),
    "a misspelt parameter of a warm-up": lambda: copied.warmup(*arguments(), BLOK=4, grid=(1,)),
    "a warm-up": lambda: copied.warmup(*arguments(), grid=(1,)),
    "too few of a warm-up": lambda: copied.warmup(torch.float32, torch.float32, grid=(1,)),
}
OPTIONS: dict[str, Case] = {
    f"{name}={value!r}": lambda name=name, value=value: launch_copied(**{name: value})
    for name, values in {
        "num_warps": (1, 3, 0, -4, 32, 64, 4.0, "4", None, True),
        "num_stages": (0, 1, 100, 2.0),
        "num_ctas": (0, 1, 2, -1, 1.0),
    }.items()
    for value in values
}
CONSTANTS: dict[str, Case] = {
    f"constant {type(value).__name__}": lambda value=value: launch_copied(OTHER=value)
    for value in ([1], {1: 2}, {1}, (1, 2), (1, [2]), "text", None, 2.5, np.zeros(2), torch.zeros(2), Object(), print)
}
ARGUMENTS: dict[str, Case] = {
    f"argument {type(value).__name__}": lambda value=value: copied[(1,)](torch.ones(16), torch.zeros(16), value)
    for value in (
        16,
        16.0,
        True,
        [1],
        {},
        "text",
        1j,
        np.int64(16),
        np.float32(16),
        np.zeros(2),
        Object(),
        print,
        2**64,
    )
}


def tuner(configurations: list[dict[str, int]], **named: Any) -> Any:
    @triton.autotune([triton.Config(each) for each in configurations], key=["n"], **named)
    @triton.jit
    def kernel(x, out, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)

    return kernel


def tuned(configurations: list[dict[str, int]], **named: Any) -> None:
    tuner(configurations)[(1,)](*arguments(), **named)


ONE, TWO = [{"BLOCK": 16}], [{"BLOCK": 16}, {"BLOCK": 32}]
TUNERS: dict[str, Case] = {
    "one configuration": lambda: tuned(ONE),
    "two configurations": lambda: tuned(TWO),
    "no configuration": lambda: tuned([], BLOCK=16),
    "what the only configuration sets": lambda: tuned(ONE, BLOCK=16),
    "what two configurations set": lambda: tuned(TWO, BLOCK=16),
    "warps beside one configuration": lambda: tuned(ONE, num_warps=8),
    "warps beside two configurations": lambda: tuned(TWO, num_warps=8),
    "registers beside two configurations": lambda: tuned(TWO, maxnreg=64),
    "a misspelt parameter of a tuner": lambda: tuned(TWO, BLOK=16),
    "a misspelt parameter in a configuration": lambda: tuned([{"BLOCK": 16, "BLOK": 16}]),
    "a tuner without a grid": lambda: tuner(ONE)(*arguments()),
}


def hooks(count: int, kind: str, *, pruned: bool = False) -> list[Any]:
    """What hooks leave of a tensor of tens and are told, over three launches, the last two with the same key."""
    configurations = TWO[:count]
    told: list[Any] = []
    named: dict[str, Any] = {
        "reset": {"reset_to_zero": ["out"]},
        "restore": {"restore_value": ["out"]},
        "hook": {"pre_hook": lambda given, reset_only=False: told.append("hook") if reset_only else None},
        "of a configuration": {},
    }[kind]
    if pruned:
        named["prune_configs_by"] = {"early_config_prune": lambda every, *_, **__: every[:1]}
    kernel = tuner(configurations, **named)
    if kind == "of a configuration":
        for each in kernel.configs:
            each.pre_hook = lambda given: told.append(given["BLOCK"])
    x, out = torch.ones(16), torch.full((32,), 10.0)
    for n in (8, 16, 16):
        told.append("launch")
        kernel[(1,)](x, out, n)
        told.append(out[31].item() == 0)
        out[31] = 10.0
    if kind == "of a configuration" and count > 1:  # Triton runs them while it compares configurations too
        return told[-3:]
    return told


HOOKS: dict[str, Case] = {
    f"{kind}, {count} configurations, {1 if pruned else count} after pruning": functools.partial(
        hooks, count, kind, pruned=pruned
    )
    for kind in ("reset", "restore", "hook", "of a configuration")
    for count in (1, 2)
    for pruned in (False, True)
}
CASES = {**GRIDS, **KEYWORDS, **OPTIONS, **CONSTANTS, **ARGUMENTS, **TUNERS, **HOOKS}


def outcome(case: Case) -> Any:
    """What hooks were told, "launched", or "refused"."""
    try:
        given = case()
    except Exception:
        return "refused"
    return given if isinstance(given, list) else "launched"
