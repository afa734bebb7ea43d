"""Refusals of a launch before any program runs.

Triton or a GPU refuses it; the messages have their words, and what to do.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Collection, Sequence
from typing import Any

from triton.runtime import interpreter as upstream

from triton_simulator.errors import SimulatorError

MAX_GRID = (2**31 - 1, 65_535, 65_535)
"""Programs along each axis, at most.

The source is the CUDA C++ Programming Guide, "Compute Capabilities": maximum x-, y- and z-dimension.
"""
MAX_WARPS = 32
"""Warps of a program: 1,024 threads."""
MAX_CTAS = 16
"""Programs of a cluster, on an H100."""
_COMMON_OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas", "maxnreg", "debug"})
"""Options that every version of Triton knows."""
_REMOVED_OPTIONS = {"stream": "stream", "device": "device", "device_type": "target"}
"""Options that Triton has no longer, and what it uses instead."""


class LaunchError(SimulatorError):
    """A launch that Triton or a GPU refuses."""


class GridError(LaunchError, RuntimeError):
    """More programs along an axis than CUDA allows."""


class KeywordError(LaunchError, KeyError):
    """Keyword that is no parameter of the kernel and no option."""

    __str__ = Exception.__str__


class OptionError(LaunchError, ValueError):
    """An option with a value that no GPU takes."""


class ResourceError(LaunchError, RuntimeError):
    """More threads than a program can have."""


class ArgumentError(LaunchError, TypeError):
    """An argument of a type that no kernel takes."""


class ConflictError(LaunchError, ValueError, TypeError):
    """A parameter that the tuner sets and the launch passes."""


class CallError(LaunchError, RuntimeError):
    """A call of a kernel's function outside of a kernel."""


def check_grid(kernel: str, grid: Sequence[int]) -> None:
    """Raise GridError if CUDA launches no such grid.

    A grid without programs launches nothing, and is accepted.
    """
    for axis, size, limit in zip("xyz", grid, MAX_GRID, strict=False):
        is_too_large = size > limit and min(grid) > 0
        if is_too_large:
            raise GridError(
                f"Triton Error [CUDA]: invalid argument. The grid of {kernel} is {tuple(grid)}: {size:,} programs "
                f"along {axis}, where a GPU takes at most {limit:,}. Put the axis with many programs first, or let "
                "each program do more."
            )


def check_options(kernel: str, names: Collection[str], options: dict[str, Any]) -> None:
    """Raise KeywordError or OptionError for a launch's options.

    Its options are the keywords besides the kernel's arguments.
    """
    for name, value in options.items():
        if name in _REMOVED_OPTIONS:
            raise OptionError(
                f"{name} option is deprecated; current {_REMOVED_OPTIONS[name]} will be used. Leave it out."
            )
        is_parameter = name in names or name in _COMMON_OPTIONS
        # The backend's options are asked last, as they need an import of Triton's compiler.
        if not is_parameter and name not in _backend_options():
            raise KeywordError(
                f"Keyword argument {name} was specified but unrecognised: {kernel} has no parameter of this name, and "
                f"Triton no such option.{_suggestion(name, {*names, *_COMMON_OPTIONS})} Its parameters are "
                f"{', '.join(names)}."
            )
        if value is not None and name in _CHECKS:
            _CHECKS[name](value)


@functools.cache
def _backend_options() -> frozenset[str]:
    from triton.backends.nvidia.compiler import CUDAOptions

    return frozenset(CUDAOptions.__dataclass_fields__)


def _suggestion(name: str, names: Collection[str]) -> str:
    close = difflib.get_close_matches(name, names, 1)
    return f" Did you mean {close[0]}?" if close else ""


def _check_warps(warps: Any) -> None:
    if not _is_power_of_two(warps):
        raise OptionError(f"num_warps must be a power of 2: expected 1, 2, 4, 8, 16 or 32, got {warps!r}.")
    if warps > MAX_WARPS:
        raise ResourceError(
            f"out of resource: threads, Required: {32 * warps}, Hardware limit: 1024. num_warps={warps} asks for "
            f"{32 * warps:,} threads in a program: 32 warps are the most."
        )


def _check_ctas(ctas: Any) -> None:
    is_valid = _is_power_of_two(ctas) and ctas <= MAX_CTAS
    if not is_valid:
        raise OptionError(
            f"num_ctas must be a power of 2 and at most {MAX_CTAS}, got {ctas!r}. Leave it out: 1 is what you get."
        )


def _check_stages(stages: Any) -> None:
    if not isinstance(stages, int):
        raise OptionError(f"num_stages must be a whole number, got {stages!r}. 3 is what you get without it.")


def _check_registers(registers: Any) -> None:
    is_valid = isinstance(registers, int) and registers != 0
    if not is_valid:
        raise OptionError(f"maxnreg must be a positive whole number of registers, got {registers!r}.")


_CHECKS = {
    "num_warps": _check_warps,
    "num_ctas": _check_ctas,
    "num_stages": _check_stages,
    "maxnreg": _check_registers,
}


def _is_power_of_two(number: Any) -> bool:
    if not isinstance(number, int):
        return False
    return number > 0 and not number & (number - 1)


def check_constant(name: str, value: Any) -> None:
    """Raise ArgumentError for a constant that is not hashable.

    Triton looks up what it has compiled by the constants.
    """
    try:
        hash(value)
    except TypeError as error:
        kind = type(value).__name__
        instead = {"list": "Pass a tuple.", "ndarray": "Pass its numbers as a tuple."}.get(kind, "Pass numbers.")
        raise ArgumentError(
            f"{error}. {name} is a tl.constexpr and got a {kind}: Triton looks up what it has compiled by the "
            f"constants, so they have to be hashable. {instead}"
        ) from None


def check_argument(name: str, value: Any) -> None:
    """Raise ArgumentError for an argument of an unknown type.

    Kernels take tensors, numbers, tuples, constants and functions of Triton's.
    """
    if value is None:
        return
    if isinstance(value, upstream.InterpretedFunction):
        return
    if type(value).__module__.partition(".")[0] == "triton":
        return
    kind = type(value).__name__
    raise ArgumentError(
        f"failed to specialize argument of type: {kind}. {name} got it, and a kernel takes tensors, Python's numbers, "
        f"tuples of them, and None. {_alternative(value)}"
    )


def _alternative(value: Any) -> str:
    if type(value).__module__ == "numpy":
        return "Pass torch.from_numpy(it)." if getattr(value, "ndim", 0) else "Pass its number, it.item()."
    if isinstance(value, list | set):
        return "Pass a tuple."
    return "A value that is known before the launch can be a tl.constexpr."


def check_tuned(kernel: str, arguments: dict[str, Any], tuned: dict[str, Any]) -> None:
    """Raise ConflictError for options that are given twice.

    Both the launch and a configuration of the tuner say them.
    """
    if conflicts := sorted(arguments.keys() & tuned.keys()):
        names = ", ".join(conflicts)
        raise ConflictError(
            f"Conflicting meta-parameters: {names}. Make sure that you don't re-define auto-tuned symbols: "
            f"triton.autotune sets {names} of {kernel}, so leave it out of the launch."
        )


def outside_call_error(function: Any) -> CallError:
    """Return the error for a call of a jit function outside of a kernel."""
    name = function.fn.__name__
    instead = f"launch a kernel on a grid, {name}[grid](...), with the brackets"
    if function.fn.__module__.partition(".")[0] == "triton":
        instead = f"tl.{name} is for kernels; here, compute with Python, PyTorch or triton.cdiv"
    return CallError(f"Cannot call @triton.jit'd outside of the scope of a kernel: {instead}.")
