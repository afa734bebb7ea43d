"""Installation of the simulator in place of the GPU."""

from __future__ import annotations

import os
import sys

from triton_simulator.errors import SimulatorError
from triton_simulator.patches import Patches
from triton_simulator.without_library import has_library, provide

SWITCH = "TRITON_SIMULATOR"
"""The variable that, set to 0, leaves kernels to Triton's interpreter."""
INTERPRET = "TRITON_INTERPRET"
"""Triton's variable for kernels that run on the CPU."""


_prepared: dict[frozenset[str], Patches] = {}
"""Changes that `install` makes, by the modules of Triton that are loaded."""
_applied: list[Patches] = []
"""Changes that are in force: none, or all that `install` makes."""


def install() -> None:
    """Run launches of `@triton.jit` functions on the simulator from now on.

    This works where Triton has no wheel, too.

    Triton 3.6 to 3.9 can be installed. Call this before anything imports Triton, or else set the environment variable
    `TRITON_INTERPRET=1` before: Triton decides at its import whether kernels are for a GPU. This sets the variable,
    which stays set. Twice is as good as once.

    What differs from a GPU: `triton.autotune` takes the first configuration that compiles, since times mean nothing
    here, and where Triton would compare several, its hooks leave the tensors as after that. A kernel that closes over a
    `tl.constexpr` sees a later value of it, where a compiled one keeps the first. num_warps, num_stages and cache hints
    change nothing; a `tl.multiple_of` or another promise that is false raises ValueError. Of inline assembly, the
    instructions run that compute.

    An element that a masked load without `other=` leaves undefined is NaN, or an integer such as -559038737, whatever
    its type. A launch warns (UndefinedResult) if such an element is stored under a mask, says whether or where
    something is stored, or is combined with others, as in a sum or a sort, and the result is stored. What is stored
    without a mask may be padding, and is not mentioned. The results of an integer division by zero and of a shift by
    too many bits are undefined too, and a launch warns wherever it stores one.

    Raises NoTritonError if there is no Triton to be had, and SimulatorError if Triton was imported without
    `TRITON_INTERPRET=1`, or is to keep its own interpreter without having the library that this needs.
    """
    provide()
    _choose_mode()
    if not _is_switched_off():
        if not _applied:
            prepare()
            _applied.append(_prepared.popitem()[1])
            _applied[0].apply()
    elif not has_library():
        raise SimulatorError(
            f"{SWITCH}=0 asks for Triton's own interpreter, which needs Triton's compiled library. This machine "
            f"has only Triton's Python files: unset {SWITCH}, and kernels run on the simulator."
        )


def _is_switched_off() -> bool:
    return os.environ.get(SWITCH, "1").strip() == "0"


def _choose_mode() -> None:
    """Let `@triton.jit` make kernels for the interpreter from now on.

    Raises SimulatorError if it has made some for a GPU in this process.
    """
    library_function = getattr(sys.modules.get("triton.language.standard"), "cdiv", None)
    is_for_gpu = library_function is not None and type(library_function).__name__ != "InterpretedFunction"
    if is_for_gpu:
        raise SimulatorError(
            "Triton was imported without TRITON_INTERPRET=1, so its functions are for a GPU: call install() before "
            "anything imports Triton, as torch.compile does, or set this environment variable before."
        )
    os.environ[INTERPRET] = "1"


def prepare() -> None:
    """Prepare the changes of `install`, without making them.

    This takes most of the 15 ms that `install` takes.
    """
    if _loaded() not in _prepared:
        patches = _patches()
        _prepared.clear()
        _prepared[_loaded()] = patches


def _loaded() -> frozenset[str]:
    return frozenset(name for name in sys.modules if name.partition(".")[0] == "triton")


def uninstall() -> None:
    """Leave Triton as it was before `install`.

    Kernels run on Triton's own interpreter again.

    Does nothing where `TRITON_SIMULATOR=0` kept the simulator out. Otherwise raises SimulatorError if it is not
    installed.
    """
    if not _applied:
        if _is_switched_off():
            return
        raise SimulatorError("The simulator is not installed: call install() first.")
    _applied.pop().revert()


def is_installed() -> bool:
    """Return whether kernels run on the simulator."""
    return bool(_applied)


def _patches() -> Patches:
    """Return all changes that make Triton's interpreter our simulator.

    Nothing has changed yet.
    """
    from triton.runtime import autotuner, interpreter

    from triton_simulator.language.aggregates import aggregate_patches
    from triton_simulator.language.language import language_patches
    from triton_simulator.language.rewriting import rewriter_patches
    from triton_simulator.launch import executor, tuning
    from triton_simulator.operations.builder import Builder
    from triton_simulator.operations.semantic import Semantic
    from triton_simulator.operations.shapes import shape_patches
    from triton_simulator.values.libdevice import libdevice_patches

    patches, builder = Patches(), Builder()
    patches.attribute(interpreter, "interpreter_builder", builder)
    patches.attribute(interpreter, "interpreter_semantic", Semantic(builder))
    libdevice_patches(patches)  # first, as it imports builtins
    language_patches(patches, builder)
    shape_patches(patches)
    rewriter_patches(patches)
    aggregate_patches(patches)
    patches.attribute(interpreter.InterpretedFunction, "run", executor.run_kernel)
    patches.attribute(interpreter.InterpretedFunction, "__call__", executor.call_jit_function)
    patches.attribute(autotuner.Autotuner, "run", tuning.run_tuned)
    return patches
