"""Launches as the compiler sees them.

A launch gives it a kernel, the types of the arguments, and what is known about their values.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import pickle
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from triton_simulator import hooks
from triton_simulator.compiler.jobs import PickledKernel
from triton_simulator.compiler.pickling import CannotPickleError, dump_kernel


@dataclass(frozen=True)
class Specialization:
    """Kernel as a launch specializes it.

    The rules are Triton's (triton/runtime/jit.py, `create_function_from_signature`).

    `signature` has a type for each parameter, `constants` the values that are known when it is compiled, and
    `attributes` what is known about others: that they are divisible by 16. The keys of both are paths: a parameter's
    position, and then positions in tuples. `options` is what else the launch says, such as num_warps.
    """

    kernel: Any
    signature: dict[str, Any]
    constants: dict[tuple[int, ...], Any]
    attributes: dict[tuple[int, ...], list[Any]]
    options: dict[str, Any]


class Launches:
    """Notes the specializations of the launches in this process, each once."""

    def __init__(self) -> None:
        self._kernels: dict[object, PickledKernel] = {}

    def note(
        self, function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], addresses: Set[str]
    ) -> None:
        """Record a launch of a kernel with these arguments.

        `addresses` names the numbers among them that are addresses.
        """
        self.specialize(function, arguments, options, addresses)

    def specialize(
        self, function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], addresses: Set[str]
    ) -> PickledKernel:
        """Record a launch, and return its specialization.

        Launches that are specialized alike get the same object.
        """
        special = specialization(function, arguments, options, addresses)
        # No other kernel gets this id, as `_parameters` keeps each one. As text, 1, 1.0 and True differ.
        key = (id(function), str((special.signature, special.constants, special.attributes, special.options)))
        if key not in self._kernels:
            numbers = [
                (name, value) for name, value in {**arguments, **options}.items() if type(value) in (bool, int, float)
            ]
            self._kernels[key] = replace(_pickle_specialization(special), numbers=tuple(numbers))
        return self._kernels[key]

    @contextmanager
    def listen(self, *, running: bool = True) -> Iterator[None]:
        """Record the simulator's launches while this lasts.

        With `running` false, they are recorded without being run.
        """
        hooks.listeners.append(self.note)
        hooks.dry_run = not running
        try:
            yield
        finally:
            hooks.dry_run = False
            hooks.listeners.remove(self.note)

    def kernels(self) -> tuple[PickledKernel, ...]:
        """Return the kernels to compile, in the order of the launches."""
        return tuple(self._kernels.values())

    def write_at_exit(self, file: Path) -> None:
        """Write to this file, when the process ends, what `kernels` says then."""
        atexit.register(lambda: file.write_bytes(pickle.dumps(self.kernels())))


def _pickle_specialization(special: Specialization) -> PickledKernel:
    # An integer is i32, i64 or the constant 1 by its value alone: see `PickledKernel`.
    declared = {name: kind for name, kind in special.signature.items() if kind not in ("i32", "i64", "constexpr")}
    constants = {path: value for path, value in special.constants.items() if not _is_one(value)}
    variant = str((special.kernel.fn.__name__, declared, constants, special.options))
    name = special.kernel.fn.__name__
    try:
        return PickledKernel(name, variant, dump_kernel(special))
    except CannotPickleError as error:
        return PickledKernel(name, variant, b"", unknown=str(error))


def _is_one(value: object) -> bool:
    """Return whether a constant is the number 1.

    A script's constant may have a comparison without a truth value, so its type is checked first.
    """
    return isinstance(value, int | float) and value == 1


def specialization(
    function: Any, arguments: Mapping[str, Any], options: Mapping[str, Any], addresses: Set[str] = frozenset()
) -> Specialization:
    """Return Triton's specialization of a kernel for these arguments.

    Addresses take 64 bits, as on a GPU.
    """
    from triton._utils import find_paths_if, get_iterable_path
    from triton.backends.compiler import BaseBackend

    parameters = _parameters(function)
    values = [arguments[parameter.name] for parameter in parameters]
    pairs = [
        ("i64", "D") if parameter.name in addresses else _specialize_argument(parameter, value)
        for parameter, value in zip(parameters, values, strict=True)
    ]
    types = [kind for kind, _ in pairs]
    # A constant's key is its value, not a hint on divisibility.
    keys = ["" if kind == "constexpr" else key for kind, key in pairs]
    constant_paths = find_paths_if(types, lambda _, kind: kind == "constexpr")
    attribute_paths = find_paths_if(keys, lambda _, key: isinstance(key, str))
    return Specialization(
        function,
        dict(zip((parameter.name for parameter in parameters), types, strict=True)),
        {path: get_iterable_path(values, path) for path in constant_paths},
        {path: BaseBackend.parse_attr(get_iterable_path(keys, path)) for path in attribute_paths},
        {name: value for name, value in options.items() if isinstance(value, int | float | str)},
    )


@functools.cache
def _parameters(kernel: Any) -> list[Any]:
    """Return Triton's description of a kernel's parameters.

    It is the same for every launch.
    """
    from triton.runtime.jit import KernelParam

    names = ("do_not_specialize", "do_not_specialize_on_alignment")
    exclusions = [kernel.kwargs.get(name) or () for name in names]

    def make_parameter(position: int, declaration: inspect.Parameter) -> Any:
        """Return Triton's description of one parameter."""

        def is_in(excluded: Any) -> bool:
            return position in excluded or declaration.name in excluded

        return KernelParam(position, declaration, *map(is_in, exclusions))

    parameters = inspect.signature(kernel.fn).parameters.values()
    return [make_parameter(position, declaration) for position, declaration in enumerate(parameters)]


def _functions_as_constants(value: Any) -> Any:
    """Return the value with a constant for each kernel function in it.

    A launch on a GPU takes them like that.
    """
    if type(value).__name__ == "InterpretedFunction":
        from triton.language import constexpr  # here, as every argument of every launch comes by

        return constexpr(0)
    if isinstance(value, tuple):
        items = [_functions_as_constants(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def _specialize_argument(parameter: Any, value: Any) -> tuple[Any, Any]:
    """Return an argument's type, and what is known about its value.

    `D` stands for divisible by 16.
    """
    from triton.backends.compiler import BaseBackend
    from triton.runtime import jit

    if parameter.is_constexpr:
        return "constexpr", None
    annotated = parameter.annotation_type
    is_unspecialized_type = annotated == "u1" or annotated[:2] in ("fp", "bf")
    specialize = not parameter.do_not_specialize and not is_unspecialized_type
    by_alignment = not parameter.do_not_specialize_on_alignment
    value = _functions_as_constants(value)
    # The class will do: Triton's `mangle_type` passes it as a backend, too.
    kind, key = jit.native_specialize_impl(BaseBackend, value, parameter.is_const, specialize, by_alignment)
    if not annotated:
        return kind, key
    return annotated, key if specialize else None
