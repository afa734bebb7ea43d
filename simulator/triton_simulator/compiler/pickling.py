"""Pickling of kernels for the process that compiles them.

A kernel travels with everything that it names.

The other process never runs the script: it gets the text of each function and the values of the global names in it.
Functions of the simulator become functions of Triton's compiler on the way.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import io
import itertools
import linecache
import pickle
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from triton_simulator.compiler import classes

IMPORTED = ("builtins", "collections", "enum", "functools", "math", "operator", "typing")
"""Packages that the other process imports besides Triton."""
NOT_IMPORTED = ("torch", "numpy", "triton_simulator", "triton_workshop")
"""Packages whose objects no kernel can use.

The other process need not import them to say so.
"""


class CannotPickleError(Exception):
    """Something named by a kernel cannot go to another process.

    So nothing can be said about that kernel.
    """


@dataclass(frozen=True)
class FunctionSource:
    """Location of a function's source.

    It has the name and the text of the file, the function's own name, and the line of its `def`.
    """

    file: str
    text: str
    name: str
    line: int


def dump_kernel(thing: object) -> bytes:
    """Pickle a kernel and its arguments' values for `load_kernel`.

    Raises CannotPickleError.
    """
    data = io.BytesIO()
    try:
        _Pickler(data, pickle.HIGHEST_PROTOCOL).dump(thing)
    except CannotPickleError:
        raise
    except Exception as error:  # an object of the script's own, which need not like being pickled
        raise CannotPickleError(str(error)) from error
    return data.getvalue()


def load_kernel(data: bytes) -> Any:
    """Return the kernel that `dump_kernel` has pickled.

    It runs in a process where Triton compiles. Raises CannotPickleError.
    """
    try:
        return pickle.loads(data)
    except Exception as error:  # what the script's values do when they are rebuilt is theirs
        raise CannotPickleError(str(error)) from error


class Opaque:
    """Placeholder for a value that no kernel can use.

    The compiler refuses a name that has it.

    What it has in the way of constants, as `torch.float32.itemsize`, a kernel can use.
    """

    def __init__(self, kind: str, constants: Mapping[str, object] | None = None) -> None:
        vars(self).update(constants or {})
        self._kind = kind

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # by which the compiler sees what it can use
            raise AttributeError(name)
        raise CannotPickleError(f"a {self._kind}")


class OpaqueFunction(Opaque):
    """Placeholder for a function whose text is not known."""

    def __call__(self, *_: object, **__: object) -> Any:
        raise CannotPickleError(f"a {self._kind}")


def _opaque_class(name: str) -> Any:
    """Return a placeholder for a class that the other process lacks.

    It belongs to a package that is not imported there.
    """
    return type(name, (), {"__new__": lambda *_, **__: OpaqueFunction(name)()})


class _Pickler(pickle.Pickler):
    def reducer_override(self, thing: Any) -> Any:
        """Return how pickle rebuilds `thing`, or NotImplemented."""
        match thing:
            case types.ModuleType():
                return _import, (thing.__name__,)
            case types.FunctionType() if not _can_import(thing):
                return _reduce_function(thing, _define_python, {})
            case type() if not _can_import(thing):
                return _reduce_class(thing)
            case staticmethod() | classmethod():
                return type(thing), (thing.__func__,)
            case property():
                return property, (thing.fget, thing.fset, thing.fdel)
        if type(thing).__module__ == "triton.language.core":
            return _reduce_language_object(thing)
        kind = type(thing).__name__
        if kind in ("InterpretedFunction", "JITFunction"):
            return _reduce_function(thing.fn, _define_jit, _options(thing))
        if kind == "ConstexprFunction":
            return _reduce_function(thing.fn, _define_constexpr_function, {})
        if kind in ("Autotuner", "Heuristics"):
            return self.reducer_override(thing.fn)
        # This subpackage belongs to the simulator, but the other process imports it.
        is_foreign = _package(type(thing).__module__) in NOT_IMPORTED and not _can_import(type(thing))
        if is_foreign:
            return Opaque, (kind, _read_constants(thing))
        return NotImplemented


def _read_constants(thing: Any) -> dict[str, object]:
    """Return the numbers and texts of one of PyTorch's types.

    The limits of types (`finfo`, `iinfo`) have them too; other objects have none.
    """
    if type(thing).__name__ not in ("dtype", "finfo", "iinfo"):
        return {}
    values = {name: getattr(thing, name) for name in dir(type(thing)) if not name.startswith("_")}
    return {name: value for name, value in values.items() if type(value) in (bool, int, float, str)}


def _reduce_language_object(thing: Any) -> Any:
    """Reduce a constant or type of Triton's language.

    What the simulator has recorded about it is left out.
    """
    match type(thing).__name__:
        case "constexpr":
            return type(thing), (thing.value,)
        case "dtype":
            return type(thing), (thing.name,)
        case "pointer_type":
            return type(thing), (thing.element_ty,)
        case "tuple":
            return type(thing), (tuple(thing.values),)
    return NotImplemented


def _options(function: Any) -> dict[str, Any]:
    """Return the options of `@triton.jit(...)` that affect compilation."""
    # Triton's interpreter keeps them as `kwargs`, its compiler as attributes.
    arguments = getattr(function, "kwargs", vars(function))
    names = ("do_not_specialize", "do_not_specialize_on_alignment", "noinline")
    return {name: arguments[name] for name in names if arguments.get(name)}


def _package(module: str | None) -> str:
    return (module or "").partition(".")[0]


def _can_import(thing: Any) -> bool:
    """Return whether the other process can import a thing.

    It can import what belongs to Triton, to Python, or to this subpackage.
    """
    module = thing.__module__ or ""
    return _package(module) in ("triton", *IMPORTED) or module.startswith(__package__)


def _reduce_function(function: Any, make: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Reduce a function to its text and the values that it names.

    The values come second, as a function may name itself.
    """
    if _package(function.__module__) == "triton":
        return _attribute, (function.__module__, function.__qualname__)
    text = _find_text(function)
    if text is None:
        if make is _define_jit:  # made by `exec`, as Triton's own tests do it on its interpreter
            raise CannotPickleError(f"the kernel {function.__name__}, whose text stands in no file")
        return OpaqueFunction, (type(function).__name__,)
    # Defaults and annotations are read when the function is defined; what the body names may come later.
    head, body = _names(function, text)
    return make, (text, head, options), body, None, None, _add_names


def _find_text(function: Any) -> FunctionSource | None:
    code = inspect.unwrap(function).__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    for node in _definitions("".join(lines), code.co_filename):
        if node.name != function.__name__:
            continue
        # Python numbers a function from its first decorator; one that lost its decorators, from its `def`.
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if code.co_firstlineno in (first, node.lineno):
            return FunctionSource(code.co_filename, "".join(lines), node.name, node.lineno)
    return None


def _names(function: Any, text: FunctionSource) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of the names in a function's head and body.

    The head has its defaults and annotations.
    """
    scope = dict(function.__globals__)
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        with suppress(ValueError):  # a name that is bound later has no value yet
            scope[name] = cell.cell_contents
    named = _parse_names(text)
    # A kernel may read Triton's constants and types by a name that it assigns later, so these travel too.
    local_names = named.parameters | {name for name in named.stored if not _belongs_to_triton(scope.get(name))}

    def used(names: Set[str]) -> dict[str, Any]:
        """Return the values of those names that have one."""
        return {name: _resolve_used(scope[name], name, named.definition) for name in sorted(names & scope.keys())}

    return used(named.head), used(named.body - local_names)


@dataclass(frozen=True)
class FunctionNames:
    """Names in a function.

    These are its parameters, what it stores, and what its head and its body read.
    """

    definition: ast.FunctionDef
    parameters: frozenset[str]
    stored: frozenset[str]
    head: frozenset[str]
    body: frozenset[str]


@functools.lru_cache(maxsize=16)  # a kernel is pickled at each of its specializations
def _parse_names(text: FunctionSource) -> FunctionNames:
    node = _definition(text)
    head = [child for child in (node.args, node.returns) if child is not None]
    return FunctionNames(
        node,
        frozenset(child.arg for child in ast.walk(node.args) if isinstance(child, ast.arg)),
        frozenset(_names_of([node], ast.Store)),
        frozenset(_names_of(head, ast.Load)),
        frozenset(_names_of(node.body, ast.Load)),
    )


def _belongs_to_triton(value: Any) -> bool:
    """Return whether a kernel may read a value before assigning its name.

    It may if the value is Triton's: a constant, a type, a function.
    """
    return "triton" in (_package(type(value).__module__), _package(getattr(value, "__module__", None)))


def _resolve_used(value: Any, name: str, node: ast.AST) -> Any:
    """Return the value that a function names.

    A module of the script's is cut down to the attributes that the function uses.
    """
    if not isinstance(value, types.ModuleType):
        return value
    if _package(value.__name__) in ("triton", *IMPORTED):
        return value
    subset = types.ModuleType(value.__name__)
    attributes = (part for part in ast.walk(node) if isinstance(part, ast.Attribute))
    for attribute in attributes:
        if ast.unparse(attribute.value) == name:
            # None may be a value, so the new module itself marks what is missing.
            member = getattr(value, attribute.attr, subset)
            if member is not subset:
                setattr(subset, attribute.attr, _resolve_used(member, ast.unparse(attribute), node))
    return _ModuleSubset(subset)


class _ModuleSubset:
    """Picklable part of a module."""

    def __init__(self, module: types.ModuleType) -> None:
        self._name, self._contents = module.__name__, {k: v for k, v in vars(module).items() if not k.startswith("__")}

    def __reduce__(self) -> Any:
        return _module, (self._name,), self._contents, None, None, _add_contents


def _reduce_class(cls: Any) -> Any:
    if _package(cls.__module__) in NOT_IMPORTED:
        return _opaque_class, (cls.__name__,)
    reduction = classes.reduce_class(cls, lambda function: _find_text(function) is not None)
    if reduction is None:
        raise CannotPickleError(f"the class {cls.__name__}")
    return reduction


# In the other process


def prepare() -> None:
    """Import Triton's compiler."""
    import triton.backends.nvidia.compiler
    import triton.compiler.code_generator
    import triton.language  # noqa: F401


def _import(name: str) -> Any:
    return importlib.import_module(name)


def _attribute(module: str, path: str) -> Any:
    return functools.reduce(getattr, path.split("."), importlib.import_module(module))


def _module(name: str) -> types.ModuleType:
    return types.ModuleType(name)  # which pickle does not find by its own name


def _add_contents(module: types.ModuleType, contents: dict[str, Any]) -> None:
    vars(module).update(contents)


def _define_python(text: FunctionSource, head: dict[str, Any], _: dict[str, Any]) -> Any:
    """Define a function as its file does, without its decorators.

    Triton finds its text in the line cache.
    """
    lines = io.StringIO(text.text).readlines()  # as Python counts lines: a form feed ends none
    # Without a time, the entry is never checked against the file, which may have changed.
    linecache.cache[text.file] = (len(text.text), None, lines, text.file)
    node = _definition(text)
    node.decorator_list = []
    scope = {"__name__": "script", **head}
    # What only the function around it knows, the compiler does not: it says so when it reads the defaults itself.
    namespace = dict.fromkeys(_parse_names(text).head - scope.keys() - vars(builtins).keys())
    # With this file's own __future__ import, all annotations would be text.
    exec(compile(ast.Module([node], []), text.file, "exec", dont_inherit=True), scope, namespace)
    return namespace[text.name]


def _define_jit(text: FunctionSource, head: dict[str, Any], options: dict[str, Any]) -> Any:
    from triton.runtime.jit import JITFunction

    function = JITFunction(_define_python(text, head, {}), **options)
    _sources[function.src] = text
    return function


_sources: dict[str, FunctionSource] = {}
"""Places of the functions whose text Triton's compiler knows.

It knows the text from its `def` on.
"""


def find_source(source: str) -> FunctionSource | None:
    """Return the source of a function whose text a Triton error has.

    None for a function that is Triton's own.
    """
    return _sources.get(source)


def _define_constexpr_function(text: FunctionSource, head: dict[str, Any], _: dict[str, Any]) -> Any:
    from triton.runtime.jit import ConstexprFunction

    return ConstexprFunction(_define_python(text, head, {}))


def _add_names(function: Any, names: dict[str, Any]) -> None:
    getattr(function, "fn", function).__globals__.update(names)


# A function's text


@functools.lru_cache(maxsize=16)
def _definitions(text: str, file: str) -> tuple[ast.FunctionDef, ...]:
    try:
        tree = ast.parse(text, file)
    except SyntaxError:  # the file has been saved again since
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _definition(text: FunctionSource) -> ast.FunctionDef:
    key = text.name, text.line
    return next(node for node in _definitions(text.text, text.file) if (node.name, node.lineno) == key)


def _names_of(roots: Iterable[ast.AST], context: type[ast.expr_context]) -> Iterator[str]:
    nodes = itertools.chain.from_iterable(map(ast.walk, roots))
    names = (node for node in nodes if isinstance(node, ast.Name))
    return (name.id for name in names if isinstance(name.ctx, context))
