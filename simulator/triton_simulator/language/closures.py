"""Closure variables of a kernel, as the compiler takes them."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Mapping
from typing import Any

import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime import interpreter as upstream

from triton_simulator.lines import KERNEL_NAME

_LANGUAGES = ("triton.language", "triton.experimental.gluon.language")


class ClosureVariables(Mapping[str, Any]):
    """Current values of the variables of the functions around one.

    A variable that is bound later is not there yet.
    """

    def __init__(self, function: Any) -> None:
        self._cells = cells_of(function)

    def __getitem__(self, name: str) -> Any:
        try:
            return self._cells[name].cell_contents
        except ValueError:  # an empty cell
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._cells if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def cells_of(function: Any) -> dict[str, types.CellType]:
    """Return the cells of a function's closure, by variable."""
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def is_accepted_by_compiler(name: str, value: Any) -> bool:
    """Return whether the compiler accepts a value from outside a kernel.

    The rules are those of `global_lookup` in its CodeGenerator.
    """
    return (
        value is None
        or isinstance(value, tl.constexpr | tl.dtype | types.ModuleType | upstream.InterpretedFunction)
        or type(value).__name__ == "ConstexprFunction"
        or getattr(value, "__triton_builtin__", False)
        or getattr(value, "__triton_aggregate__", False)
        or str(getattr(value, "__module__", "")).startswith(_LANGUAGES)
        or _is_named_tuple(value)
        or name in CodeGenerator.builtin_namespace
        or triton.knobs.compilation.allow_non_constexpr_globals
    )


def _is_named_tuple(value: Any) -> bool:
    """Return whether a value is a class of named tuples."""
    if not isinstance(value, type):
        return False
    return issubclass(value, tuple) and hasattr(value, "_fields")


def refuse_variable(name: str, value: Any) -> Any:
    """Raise the compiler's error on a variable around the kernel.

    A function raises RuntimeError, and anything else NameError.
    """
    is_function = callable(value) and not isinstance(value, type)
    if is_function:
        raise RuntimeError(
            f"Unsupported function referenced: {value}. A kernel calls functions that have @triton.jit above them."
        )
    raise NameError(
        f"Cannot access global variable {name} from within @jit'ed function. Triton kernels can only access global "
        "variables that are instanstiated as constexpr (`x = triton.language.constexpr(42)`). A variable of a function "
        f"around the kernel counts as global: make {name} a tl.constexpr there, or a parameter of the kernel."
    )


def define_kernel(function: Any, tree: ast.Module, file: str, helpers: Mapping[str, Any]) -> Any:
    """Define a kernel from its rewritten text.

    Its variables of the functions around it stay those of the original, and `helpers` are variables beside them: among
    its globals, a script would see them. Raises NameError for a default or an annotation that the compiler does not
    know.
    """
    cells = cells_of(function)
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    definition.name = KERNEL_NAME  # its own name, which it may call, is not one of the function around it
    # A variable without a value must be a parameter as well, or its name would mean a global.
    inner = _define_inside(
        definition, file, function.__globals__, {**helpers, **dict.fromkeys(cells), **ClosureVariables(function)}
    )
    all_cells = {**cells_of(inner), **cells}
    closure = tuple(all_cells[name] for name in inner.__code__.co_freevars)
    # Its qualified name stays, by which `is_kernel` knows it.
    code = inner.__code__.replace(co_name=function.__name__)
    result = types.FunctionType(code, function.__globals__, function.__name__, inner.__defaults__, closure)
    result.__qualname__ = function.__name__
    result.__kwdefaults__, result.__annotations__ = inner.__kwdefaults__, inner.__annotations__
    return result


def _define_inside(definition: ast.FunctionDef, file: str, space: dict[str, Any], variables: dict[str, Any]) -> Any:
    """Define a function inside one that has these variables."""
    around = ast.parse("def around(): pass")
    (outer,) = around.body
    assert isinstance(outer, ast.FunctionDef)
    outer.args.args = [ast.arg(name) for name in variables]
    outer.body = [definition, ast.copy_location(ast.Return(ast.Name(definition.name, ast.Load())), definition)]
    scope: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(around), file, "exec"), space, scope)
    try:
        return scope["around"](**variables)
    except NameError as error:
        raise NameError(
            f"{error.name} is not defined for the compiler. In a kernel's defaults and annotations it knows the names "
            "of the kernel's module, and of the functions around the kernel those that its body uses too."
        ) from error
