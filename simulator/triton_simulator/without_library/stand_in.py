"""Stand-in for `triton._C.libtriton`, Triton's compiled library.

Triton's Python files ask it for three things that the simulator and the front end need: environment variables, the
members of a few enumerations, and how a kernel's argument specializes. `simulator/tests/without_library` compares all
of them with the library itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from enum import Enum
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any

LIBRARY = "triton._C.libtriton"
GLUON = "triton.experimental.gluon"
"""Triton's lower language, which only its library compiles.

`triton.compiler` imports fifty modules of it for two names.
"""

_ENUMERATIONS = {
    "ATOMIC_OP": "ADD FADD AND OR XOR XCHG MAX MIN UMIN UMAX",
    "CACHE_MODIFIER": "NONE CA CG WB CS WT CV",
    "DESCRIPTOR_REDUCE_KIND": "ADD MIN MAX INC DEC AND OR XOR",
    "EVICTION_POLICY": "NORMAL EVICT_FIRST EVICT_LAST",
    "INPUT_PRECISION": "TF32 TF32x3 IEEE BF16x3 BF16x6",
    "MEM_SEMANTIC": "ACQUIRE_RELEASE ACQUIRE RELEASE RELAXED",
    "MEM_SYNC_SCOPE": "GPU CTA SYSTEM",
    "PADDING_OPTION": "PAD_ZERO PAD_NAN",
    "PROPAGATE_NAN": "NONE ALL",
    "ROUNDING_MODE": "RTZ RTNE",
    "ScaleDotElemTypeTY": "E4M3 E5M2 E2M3 E3M2 E2M1 BF16 FP16",
}
_TRUE = ("1", "true", "on", "yes", "y")


def deduce_scale_factor(
    lhs: Sequence[int],
    lhs_scale: Sequence[int] | None,
    lhs_format: Enum,
    lhs_k_pack: bool,
    rhs: Sequence[int],
    rhs_scale: Sequence[int] | None,
    rhs_format: Enum,
    rhs_k_pack: bool,
) -> int:
    """Return how many elements along K share a scale: 16 or 32.

    This is for `tl.dot_scaled`. Raises RuntimeError.
    """
    factors = []
    for depth, scale, packed in (
        (lhs[-1], lhs_scale, lhs_format.name == "E2M1" and lhs_k_pack),
        (rhs[-2], rhs_scale, rhs_format.name == "E2M1" and rhs_k_pack),
    ):
        if scale is not None:
            # A byte has two numbers of E2M1.
            factor = depth * (2 if packed else 1) // scale[-1]
            if factor not in (16, 32):
                raise RuntimeError(f"scale factor must be 16 or 32. Got {factor}")
            factors.append(factor)
    if len(set(factors)) > 1:
        raise RuntimeError(f"Operands must have the same scale factor; (lhs: {factors[0]} vs rhs: {factors[1]})")
    return factors[0] if factors else 32


def getenv(name: str, default: str | None = None) -> str | None:
    """Return an environment variable."""
    return os.environ.get(name, default)


def getenv_bool(name: str, default: bool | None = False) -> bool | None:
    """Return an environment variable as a truth value."""
    value = os.environ.get(name)
    return default if value is None else value.lower() in _TRUE


def get_cache_invalidating_env_vars() -> dict[str, str]:
    """Return no variables: there is no cache."""
    return {}


def make_tensordesc_args(*_: object) -> None:
    """Do nothing: this is only imported, for launches on a GPU."""


def native_specialize_impl(
    backend: Any, argument: Any, is_const: bool, specialize_value: bool, align: bool
) -> tuple[Any, Any]:
    """Return an argument's type, and what is known about its value.

    They are as `triton.runtime.jit` wants them.

    Raises TypeError and OverflowError for what no kernel takes.
    """
    from triton._utils import canonicalize_dtype
    from triton.language.core import constexpr
    from triton.runtime.jit import JITCallable
    from triton.tools.tensor_descriptor import TensorDescriptor

    match argument:
        case None:
            return "constexpr", None
        # Before int: in Python, True is an int, and equal to 1.
        case bool():
            return "u1", None
        case int():
            # Triton compiles a 1 as a constant, so that a stride of 1 costs nothing.
            is_constant = specialize_value and argument == 1
            if is_constant:
                return "constexpr", 1
            hint = backend.get_int_specialization(argument, align=align) if specialize_value else None
            return _integer_type(argument), hint
        case float():
            return "fp32", None
        case constexpr():
            return "constexpr", argument
        case JITCallable():
            return "constexpr", argument.cache_key
        case TensorDescriptor():
            return f"tensordesc<{canonicalize_dtype(argument.base.dtype)}{list(argument.block_shape)}>", None
        case tuple():
            return _specialize_tuple(backend, argument)
    if not hasattr(argument, "data_ptr"):
        raise TypeError(f"failed to specialize argument of type: {type(argument).__name__}")
    kind = ("*k" if is_const else "*") + canonicalize_dtype(argument.dtype)
    return kind, backend.get_tensor_specialization(argument, align=align) if specialize_value else None


def _integer_type(value: int) -> str:
    for kind, minimum, limit in (("i32", -(2**31), 2**31), ("i64", -(2**63), 2**63), ("u64", 0, 2**64)):
        if minimum <= value < limit:
            return kind
    raise OverflowError("integer to be specialized too large to represent")


def _specialize_tuple(backend: Any, argument: tuple[Any, ...]) -> tuple[Any, Any]:
    """Specialize the parts of a tuple.

    What is said of a parameter, such as `do_not_specialize`, does not hold for them.
    """
    items = [native_specialize_impl(backend, value, False, True, True) for value in argument]
    make = getattr(type(argument), "_make", tuple)  # a named tuple stays one
    kinds = [kind for kind, _ in items]
    hints = [hint for _, hint in items]
    return make(kinds), make(hints)


_OPERATIONS = {name: Enum(name, members) for name, members in _ENUMERATIONS.items()}
_CONTENTS: dict[str, dict[str, object]] = {
    LIBRARY: {
        function.__name__: function
        for function in (
            getenv,
            getenv_bool,
            get_cache_invalidating_env_vars,
            make_tensordesc_args,
            native_specialize_impl,
        )
    },
    f"{LIBRARY}.ir": {**_OPERATIONS, "deduce_scale_factor": deduce_scale_factor},
    f"{LIBRARY}.interpreter": {
        "MEM_SEMANTIC": _OPERATIONS["MEM_SEMANTIC"],
        "RMW_OP": _OPERATIONS["ATOMIC_OP"],
    },
}


class _LibraryModule(ModuleType):
    """Module of the library.

    Whatever else people import from it is a class that nobody uses, or a module.
    """

    def __getattr__(self, name: str) -> type:
        is_missing = name.startswith("__") or self.__name__ in ("triton._C", LIBRARY, f"{LIBRARY}.interpreter", GLUON)
        if is_missing:
            # Then the import system looks for a module of that name.
            raise AttributeError(f"{self.__name__}.{name} needs Triton's compiled library, which is not here")
        setattr(self, name, type(name, (), {}))
        return getattr(self, name)  # type: ignore[no-any-return]


class _Finder(MetaPathFinder, Loader):
    """Finds the modules of the library."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Return the spec of a module of the library."""
        is_library = f"{name}.".startswith(("triton._C.", f"{GLUON}."))
        return spec_from_loader(name, self, is_package=True) if is_library else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return a module without contents."""
        return _LibraryModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module with its contents."""
        vars(module).update(_CONTENTS.get(module.__name__, {}))


_FINDER = _Finder()


def install() -> None:
    """Let Triton's Python files import this module as the library."""
    if not is_installed():
        sys.meta_path.insert(0, _FINDER)


def is_installed() -> bool:
    """Return whether the stand-in is in use."""
    return _FINDER in sys.meta_path
