"""Check that a script does not import Triton too early.

The import of Triton decides whether kernels are compiled or simulated.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from triton_workshop.device import simulated
from triton_workshop.errors import WorkshopError
from triton_workshop.slide_environment import name_of_line


def check_triton_mode() -> None:
    """Raise WorkshopError if Triton is loaded in a mode that is not required."""
    interpreted = _loaded_interpreted()
    if interpreted is None or interpreted == simulated():
        return
    loaded, required = ("simulator", "GPU") if interpreted else ("GPU", "simulator")
    raise WorkshopError(
        f"Triton was imported before triton_workshop and is set up for the {loaded}, but kernels are to run on the "
        f"{required}. {_fix_suggestion()}."
    )


def _loaded_interpreted() -> bool | None:
    """Return True if Triton was loaded for the interpreter.

    Return None if it is not loaded yet.
    """
    standard = sys.modules.get("triton.language.standard")
    library_function = getattr(standard, "cdiv", None)
    if library_function is None:
        return None
    return type(library_function).__name__ == "InterpretedFunction"


def _fix_suggestion() -> str:
    """Return a sentence on which import of the running script goes where."""
    fallback = "Move the import of triton_workshop above every other import of the script"
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if script is None:
        return fallback
    try:
        tree = ast.parse(Path(script).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return fallback
    imports = _imports(tree)
    # torchvision and others import Triton too, so without `import triton` the first import is the suspect.
    suspect = imports.get("triton") or next(iter(imports.values()), None)
    workshop_line = imports.get("triton_workshop")
    if workshop_line is None or suspect is None:
        return fallback
    if suspect >= workshop_line:
        return fallback
    workshop_name, suspect_name = (name_of_line(script, number) for number in (workshop_line, suspect))
    return f"In {Path(script).name}, move {workshop_name} (triton_workshop) above {suspect_name}"


def lines_to_exchange(tree: ast.Module) -> tuple[int, int] | None:
    """Return the lines that import triton_workshop and, before it, Triton.

    Return None if the order is right.
    """
    imports = _imports(tree)
    workshop_line, triton = imports.get("triton_workshop"), imports.get("triton")
    if workshop_line is None or triton is None:
        return None
    return (workshop_line, triton) if triton <= workshop_line else None


def _imports(tree: ast.Module) -> dict[str | None, int]:
    """Return the line on which a script first imports each package.

    They are in the order of the script.
    """
    nodes = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    lines: dict[str | None, int] = {}
    for node in nodes:
        lines.setdefault(_imported_package(node), node.lineno)
    lines.pop("__future__", None)
    return lines


def _imported_package(node: ast.Import | ast.ImportFrom) -> str | None:
    match node:
        case ast.Import(names=[first, *_]):
            return first.name.partition(".")[0]
        case ast.ImportFrom(module=str(module), level=0):
            return module.partition(".")[0]
    return None
