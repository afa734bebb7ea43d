"""Compiles a zip's modules for this Python.

`python compile_zip.py IN OUT FOLDER OPTIMIZE [PREFIX …]` stands alone: CPython 3.14 runs it, or Pyodide. The modules
will lie in FOLDER. Those whose names begin with a PREFIX keep their text beside what is compiled. OPTIMIZE is 0, or 2
to leave out docstrings and assertions. The workshop's own modules lose their docstrings in any case.
"""

import ast
import importlib.util
import marshal
import sys
import zipfile
from pathlib import PurePosixPath

UNCHECKED = (1).to_bytes(4, "little")  # a hash of the source follows, which nobody compares (PEP 552)


OWN_PACKAGES = ("triton_workshop/", "triton_simulator/")
"""Packages whose docstrings nobody reads in a page; of Triton, which formats some, they stay."""


def strip_docstrings(tree: ast.Module) -> ast.Module:
    """Replace each docstring by a number, which the compiler leaves out.

    A module's is empty: nothing but a text may precede its imports from `__future__`. The lines stay as they are.
    """
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if not isinstance(node, documented):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            docstring, value = node.body[0], ast.Constant("" if isinstance(node, ast.Module) else 0)
            node.body[0] = ast.copy_location(ast.Expr(ast.copy_location(value, docstring)), docstring)
    return tree


def compile_module(text: bytes, name: str, folder: str, optimize: int) -> bytes:
    """Return the content of a .pyc file."""
    tree = ast.parse(text, name)
    if name.startswith(OWN_PACKAGES):
        tree = strip_docstrings(tree)
    code = compile(tree, f"{folder}/{name}", "exec", dont_inherit=True, optimize=optimize)
    return importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(text) + marshal.dumps(code)


def main(source: str, target: str, folder: str, optimize: str, *prefixes: str) -> None:
    """Compile the modules of one zip into another one."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            file, text = PurePosixPath(name), old.read(name)
            is_module = file.suffix == ".py" and not name.endswith("/")
            if not is_module:
                new.writestr(name, text)
                continue
            pyc = compile_module(text, name, folder, int(optimize))
            # Beside its text, Python looks for code in __pycache__ only; without text, in its place.
            if name.startswith(prefixes):
                new.writestr(name, text)
                new.writestr(str(file.parent / "__pycache__" / f"{file.stem}.cpython-314.pyc"), pyc)
            else:
                new.writestr(str(file.with_suffix(".pyc")), pyc)


if __name__ == "__main__":
    main(*sys.argv[1:])
