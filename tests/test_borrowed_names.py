"""Every private name of Triton, textual and textual-image that we use: a new version of them may drop any of these."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import itertools
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

with pytest.MonkeyPatch.context() as variables:
    variables.setenv("TRITON_INTERPRET", "1")  # as other tests of this process want it
    import triton.language

PACKAGE = ROOT / "triton_workshop"
LIBRARIES = ("triton", "textual", "textual_image")
PUBLIC = ("triton", "triton.knobs", "triton.language", "triton.testing", "triton.tools.tensor_descriptor")
"""The modules of Triton that people import. All others are its own business, whatever their names begin with."""

NAMES = {
    "textual.document._history.EditHistory": ["viewer/live/editing.py", "viewer/show.py"],
    "textual.widgets.TextArea._on_key": ["viewer/live/editor.py"],
    "textual.widgets.TextArea._on_paste": ["viewer/live/editor.py"],
    "textual_image._sixel.image_to_sixels": ["terminal_pictures.py"],
    "textual_image._terminal.get_cell_size": ["terminal.py"],
    "triton._C.libtriton.ir": [
        "compiler/pipeline.py",
        "simulator/atomics.py",
        "simulator/builder.py",
        "simulator/conversions.py",
        "simulator/tiles.py",
    ],
    "triton._C.libtriton.ir.MEM_SEMANTIC.ACQUIRE": ["simulator/atomics.py"],
    "triton._C.libtriton.ir.MEM_SEMANTIC.ACQUIRE_RELEASE": ["simulator/atomics.py"],
    "triton._C.libtriton.ir.MEM_SEMANTIC.RELAXED": ["simulator/tiles.py"],
    "triton._C.libtriton.ir.MEM_SEMANTIC.RELEASE": ["simulator/atomics.py"],
    "triton._C.libtriton.ir.PADDING_OPTION.PAD_NAN": ["simulator/tiles.py"],
    "triton._C.libtriton.ir.PROPAGATE_NAN.NONE": ["simulator/builder.py"],
    "triton._C.libtriton.ir.ROUNDING_MODE.RTZ": ["simulator/conversions.py"],
    "triton._C.libtriton.ir.context": ["compiler/pipeline.py"],
    "triton._C.libtriton.ir.load_dialects": ["compiler/pipeline.py"],
    "triton._C.libtriton.ir.parse_mlir_module": ["compiler/pipeline.py"],
    "triton._C.libtriton.ir.pass_manager": ["compiler/pipeline.py"],
    "triton._C.libtriton.nvidia": ["compiler/pipeline.py"],
    "triton._C.libtriton.nvidia.passes.ttgpuir.add_allocate_shared_memory_nv": ["compiler/pipeline.py"],
    "triton._C.libtriton.passes": ["compiler/pipeline.py"],
    "triton._C.libtriton.passes.convert.add_scf_to_cf": ["compiler/pipeline.py"],
    "triton._C.libtriton.passes.gluon.add_inliner": ["compiler/pipeline.py"],
    "triton._C.libtriton.passes.ttgpuir.add_allocate_warp_groups": ["compiler/pipeline.py"],
    "triton._C.libtriton.passes.ttgpuir.add_combine_tensor_select_and_if": ["compiler/pipeline.py"],
    "triton._utils.canonicalize_dtype": ["without_library/stand_in.py"],
    "triton._utils.find_paths_if": ["compiler/launches.py"],
    "triton._utils.get_iterable_path": ["compiler/launches.py"],
    "triton.backends.compiler.BaseBackend": ["compiler/launches.py"],
    "triton.backends.compiler.BaseBackend.parse_attr": ["compiler/launches.py"],
    "triton.backends.compiler.GPUTarget": ["compiler/front_end.py"],
    "triton.backends.compiler.Language": ["compiler/pipeline.py"],
    "triton.backends.compiler.Language.TRITON": ["compiler/pipeline.py"],
    "triton.backends.nvidia.compiler.CUDABackend": ["compiler/front_end.py"],
    "triton.backends.nvidia.compiler.get_ptx_version_from_options": ["compiler/pipeline.py"],
    "triton.compiler.ASTSource": ["compiler/front_end.py"],
    "triton.compiler.code_generator.CodeGenerator": ["simulator/rewriting.py", "simulator/statements.py"],
    "triton.compiler.code_generator.CodeGenerator.builtin_namespace": ["simulator/statements.py"],
    "triton.compiler.code_generator.ir": ["compiler/types_only.py"],
    "triton.language.core.base_value": ["simulator/statements.py"],
    "triton.language.core.builtin": ["simulator/language.py"],
    "triton.language.core.constexpr": ["without_library/stand_in.py"],
    "triton.language.core.is_builtin": ["simulator/language.py"],
    "triton.language.core.tensor": ["compiler/types_only.py"],
    "triton.language.semantic.TritonSemantic": ["simulator/semantic.py"],
    "triton.language.semantic.ir": ["compiler/types_only.py"],
    "triton.language.standard._argmax_combine_tie_break_fast": ["simulator/reductions.py"],
    "triton.language.standard._argmax_combine_tie_break_left": ["simulator/reductions.py"],
    "triton.language.standard._argmin_combine_tie_break_fast": ["simulator/reductions.py"],
    "triton.language.standard._argmin_combine_tie_break_left": ["simulator/reductions.py"],
    "triton.language.standard._elementwise_max": ["simulator/reductions.py"],
    "triton.language.standard._elementwise_min": ["simulator/reductions.py"],
    "triton.language.standard._or_combine": ["simulator/reductions.py"],
    "triton.language.standard._prod_combine": ["simulator/reductions.py"],
    "triton.language.standard._sum_combine": ["simulator/reductions.py"],
    "triton.language.standard._xor_combine": ["simulator/reductions.py"],
    "triton.runtime.autotuner.Autotuner.run": ["simulator/install.py"],
    "triton.runtime.errors.InterpreterError": ["simulator/executor.py"],
    "triton.runtime.interpreter.ASTTransformer": ["simulator/rewriting.py"],
    "triton.runtime.interpreter.FunctionRewriter._compile_and_exec": ["simulator/rewriting.py"],
    "triton.runtime.interpreter.FunctionRewriter.ast_transformer": ["simulator/rewriting.py"],
    "triton.runtime.interpreter.GridExecutor": ["simulator/executor.py"],
    "triton.runtime.interpreter.InterpretedFunction": ["simulator/install.py", "simulator/reaching.py"],
    "triton.runtime.interpreter.InterpretedFunction.run": ["simulator/install.py"],
    "triton.runtime.interpreter.InterpreterBuilder": ["simulator/builder.py"],
    "triton.runtime.interpreter.TensorHandle": ["simulator/lacking.py"],
    "triton.runtime.interpreter.interpreter_builder": [
        "simulator/executor.py",
        "simulator/install.py",
        "simulator/loops.py",
    ],
    "triton.runtime.interpreter.interpreter_semantic": [
        "simulator/executor.py",
        "simulator/language.py",
        "simulator/loops.py",
        "simulator/reductions.py",
    ],
    "triton.runtime.interpreter.interpreter_semantic.builder": ["simulator/loops.py"],
    "triton.runtime.interpreter.interpreter_semantic.cast": ["simulator/language.py"],
    "triton.runtime.interpreter.interpreter_semantic.make_tensor_descriptor": ["simulator/arguments.py"],
    "triton.runtime.interpreter.interpreter_semantic.to_tensor": ["simulator/statements.py"],
    "triton.runtime.jit.ConstexprFunction": ["compiler/pickling.py"],
    "triton.runtime.jit.JITCallable": ["without_library/stand_in.py"],
    "triton.runtime.jit.JITFunction": ["compiler/pickling.py"],
    "triton.runtime.jit.KernelParam": ["compiler/launches.py", "simulator/arguments.py"],
    "triton.runtime.jit.mangle_type": ["simulator/arguments.py"],
    "triton.runtime.jit.native_specialize_impl": ["compiler/launches.py"],
}
"""What we import: where the library has it, and which files of the package use it."""

ATTRIBUTES = {
    "textual.app.App._driver": ["viewer/app.py"],
    "textual.app.App._filters": ["viewer/app.py"],
    "textual.widgets.TextArea._bindings": ["viewer/live/editor.py"],
    "textual.widgets.TextArea._delete_via_keyboard": ["viewer/live/editor.py"],
    "textual.widgets.TextArea._recompute_cursor_offset": ["viewer/live/editor.py"],
    "textual.widgets.TextArea._replace_via_keyboard": ["viewer/live/editor.py"],
    "triton.language.semantic.TritonSemantic._str_to_sem": ["simulator/semantic.py"],
    "triton.runtime.interpreter.GridExecutor._init_args_hst": ["simulator/executor.py"],
    "triton.runtime.interpreter.GridExecutor._restore_args_dev": ["simulator/executor.py"],
}
"""What we use of the library's objects: the class that has it, and which files of the package use it."""

OF_SOME_VERSIONS = {
    *("create_advance", "create_make_block_ptr", "create_tensor_pointer_load", "create_tensor_pointer_store"),
    *("create_approx_divf", "create_atomic_load", "create_atomic_poll", "create_atomic_store", "create_fneg"),
}
"""Operations that not every version of Triton asks its builder for, from 3.6 up to the locked one."""

OF_PYTHON = {"_fields"}
"""Private names of Python's own objects."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


@functools.cache
def sources() -> dict[str, ast.Module]:
    """The files of the package."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {file.relative_to(PACKAGE).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@functools.cache
def own_names() -> set[str]:
    """What the package defines, or assigns to itself."""
    nodes = [node for tree in sources().values() for node in ast.walk(tree)]
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), ast.Store)]
    variables = {node.id for node in stored if isinstance(node, ast.Name)}
    attributes = [node for node in stored if isinstance(node, ast.Attribute)]
    return defined | variables | {node.attr for node in attributes if ast.unparse(node.value) in ("self", "cls")}


def imported(tree: ast.Module) -> dict[str, str]:
    """The full names of what a file imports."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                first = each.name.partition(".")[0]
                names[each.asname or first] = each.name if each.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return names


def full_name(node: ast.AST, names: dict[str, str]) -> str | None:
    """`triton.language.core.builtin`, where a file says `tl.core.builtin`; None for what it has not imported."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    before = full_name(node.value, names) if isinstance(node, ast.Attribute) else None
    return before and f"{before}.{node.attr}"  # type: ignore[attr-defined]


def uses() -> Iterator[tuple[str, str, int]]:
    """Each use of an imported name, its file and its line; and of private names of other objects, as `._name`."""
    for file, tree in sources().items():
        names, nodes = imported(tree), list(ast.walk(tree))
        parts = {node.value for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                yield from ((f"{node.module}.{each.name}", file, node.lineno) for each in node.names)
            elif isinstance(node, ast.Import):
                yield from ((each.name, file, node.lineno) for each in node.names)
            elif isinstance(node, ast.Attribute) and node not in parts and full_name(node, names):
                yield str(full_name(node, names)), file, node.lineno
            elif isinstance(node, ast.Attribute) and is_private(node.attr) and full_name(node, names) is None:
                yield f".{node.attr}", file, node.lineno
            elif isinstance(node, ast.ClassDef):
                yield from ((name, file, line) for name, line in overridden(node, names))


def overridden(node: ast.ClassDef, names: dict[str, str]) -> Iterator[tuple[str, int]]:
    """The private methods of a library's class that a class of ours replaces."""
    for base in node.bases:
        name = full_name(base.value if isinstance(base, ast.Subscript) else base, names) or ""
        for method in node.body if name.partition(".")[0] in LIBRARIES else []:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and is_private(method.name):
                yield from [(f"{name}.{method.name}", method.lineno)] if exists(f"{name}.{method.name}") else []


def exists(name: str) -> bool:
    """Whether a library has a name; an object has what a class of its own makes when it is made."""
    path, _, last = name.rpartition(".")
    try:
        owner = pkgutil.resolve_name(path)
    except (ImportError, AttributeError):
        return False
    makers = [vars(each).get("__init__") for each in owner.__mro__] if isinstance(owner, type) else []
    return hasattr(owner, last) or any(last in make.__code__.co_names for make in makers if inspect.isfunction(make))


@functools.cache
def as_borrowed(name: str) -> str | None:
    """What of a name is borrowed: a module's member, and a member of that; None if nothing is."""
    if name.startswith("."):
        return None if name[1:] in own_names() | OF_PYTHON else name
    parts = name.split(".")
    if parts[0] not in LIBRARIES:
        return None
    module = next(".".join(parts[:end]) for end in range(len(parts), 0, -1) if is_module(".".join(parts[:end])))
    members = list(itertools.takewhile(lambda part: not part.endswith("__"), parts[module.count(".") + 1 :]))[:2]
    internal = parts[0] == "triton" and module not in PUBLIC and members
    return ".".join([module, *members]) if internal or any(map(is_private, parts)) else None


def is_module(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


@functools.cache
def borrowed() -> dict[str, list[str]]:
    """The places where each name is used."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, file, line in uses():
        if (ours := as_borrowed(name)) is not None:
            found[ours].append(f"{file}:{line}")
    return found


@pytest.fixture(autouse=True)
def interpreting(monkeypatch: pytest.MonkeyPatch) -> None:
    """More of Triton is imported here, and it has to be as the rest."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")


def test_every_borrowed_name_is_listed() -> None:
    listed = NAMES | {f".{name.rpartition('.')[2]}": files for name, files in ATTRIBUTES.items()}
    used = {name: sorted({place.partition(":")[0] for place in places}) for name, places in borrowed().items()}
    new = {name: borrowed()[name] for name in used if name not in listed}
    assert new == {}, "list them above, if there is no other way"
    assert used == listed


def test_the_libraries_have_what_we_borrow() -> None:
    places = {name: borrowed()[name] for name in NAMES}
    places |= {name: borrowed()[f".{name.rpartition('.')[2]}"] for name in ATTRIBUTES}
    assert {name: used for name, used in places.items() if not exists(name)} == {}


def test_triton_asks_for_the_operations_of_our_builders() -> None:
    """By their names: one that Triton has renamed would be left to its interpreter, one program at a time."""
    folder = Path(triton.language.__file__).parents[1]
    files = [*(folder / "language").rglob("*.py"), folder / "compiler" / "code_generator.py"]
    asked = set(re.findall(r"\bcreate_\w+", "".join(file.read_text(encoding="utf-8") for file in files)))
    classes = [
        node
        for tree in sources().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name == "Builder"
    ]
    names = [getattr(node, "id", getattr(node, "name", "")) for each in classes for node in ast.walk(each)]
    ours = {name for name in names if name.startswith("create_")}
    assert len(ours) > 90
    assert ours - asked - OF_SOME_VERSIONS == set()
