"""Modules of the editor as one that a page can import from a blob.

A policy that names no host allows no import map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from triton_workshop.page.parts import Part, list_parts

_IMPORT = re.compile(r"^(import|export)\s+(?:\{([^}]*)\}|(\w+))\s+from\s+['\"]([^'\"]+)['\"];?$", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+\{([^}]*)\};?$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"^export\s+(default\s+)?((?:function|class|var|const|let)\s+([\w$]+))", re.MULTILINE)


def join_modules(files: Mapping[str, Path]) -> bytes:
    """Return one module whose default export has the modules by package."""
    texts = {package_name(part): files[part.name].read_text(encoding="utf-8") for part in modules()}
    bodies = "\n".join(
        f"all[{name!r}] = (() => {{\n{_function_body(texts[name])}\n}})();" for name in _import_order(texts)
    )
    return f"const all = {{}};\n{bodies}\nexport default all;\n".encode()


def modules() -> tuple[Part, ...]:
    """Return the parts that are modules of the editor."""
    return tuple(part for part in list_parts() if part.name.endswith(".js"))


def package_name(part: Part) -> str:
    """Return the name of a part's package, without its version."""
    return part.package.rpartition("@")[0]


def _import_order(texts: Mapping[str, str]) -> list[str]:
    """Return the modules, each after those that it imports."""
    ordered: dict[str, None] = {}

    # Depth first; npm's packages of the editor import each other without cycles.
    def visit(name: str) -> None:
        for match in _IMPORT.finditer(texts[name]):
            visit(match[4])
        ordered[name] = None

    for name in texts:
        visit(name)
    return [*ordered]


def _function_body(text: str) -> str:
    """Return a module as the body of a function that returns its exports."""
    exported = dict(_exports(text))
    # An import becomes constants from the other module's object; `export … from` has none, as it only passes on.
    text = _IMPORT.sub(lambda match: _constants(*match.groups()) if match[1] == "import" else "", text)
    text = _COMMENT.sub("", _DECLARED.sub(r"\2", _EXPORT.sub("", text)))
    return f"{text}\nreturn {{ {', '.join(f'{name}: {value}' for name, value in exported.items())} }};"


def _exports(text: str) -> Iterator[tuple[str, str]]:
    """Yield each exported name of a module, and the expression for it."""
    for match in _DECLARED.finditer(text):
        yield "default" if match[1] else match[3], match[3]
    for match in _EXPORT.finditer(text):
        yield from ((new, old) for old, new in _name_pairs(match[1]))
    for match in _IMPORT.finditer(text):
        if match[1] == "export":
            yield from ((new, f"all[{match[4]!r}].{old}") for old, new in _name_pairs(match[2]))


def _constants(_: str, names: str | None, default: str | None, module: str) -> str:
    """Return the constants that replace an import."""
    pairs = _name_pairs(names or f"default as {default}")
    properties = ", ".join(f"{old}: {new}" for old, new in pairs)
    return f"const {{ {properties} }} = all[{module!r}];"


def _name_pairs(names: str) -> list[tuple[str, str]]:
    """Return the pairs between braces: exported name and local name."""
    pairs = [pair.split() for pair in names.split(",") if pair.strip()]
    return [(pair[0], pair[-1]) for pair in pairs]
