"""The editor's modules as one that a page can import from a blob: a policy that names no host allows no import map."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from triton_workshop.page.parts import Part, listed

_IMPORT = re.compile(r"^(import|export)\s+(?:\{([^}]*)\}|(\w+))\s+from\s+['\"]([^'\"]+)['\"];?$", re.MULTILINE)
_EXPORT = re.compile(r"^export\s+\{([^}]*)\};?$", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(/\*\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_DECLARED = re.compile(r"^export\s+(default\s+)?((?:function|class|var|const|let)\s+([\w$]+))", re.MULTILINE)


def joined(files: Mapping[str, Path]) -> bytes:
    """One module whose default export has the modules by the names that npm gives their packages."""
    texts = {name_of(part): files[part.name].read_text(encoding="utf-8") for part in modules()}
    bodies = "\n".join(f"all[{name!r}] = (() => {{\n{_as_body(texts[name])}\n}})();" for name in _in_order(texts))
    return f"const all = {{}};\n{bodies}\nexport default all;\n".encode()


def modules() -> tuple[Part, ...]:
    """The parts that are modules of the editor."""
    return tuple(part for part in listed() if part.name.endswith(".js"))


def name_of(part: Part) -> str:
    """The name of a part's package, without its version."""
    return part.package.rpartition("@")[0]


def _in_order(texts: Mapping[str, str]) -> list[str]:
    """The modules, each after those that it imports."""
    ordered: dict[str, None] = {}

    def take(name: str) -> None:
        for found in _IMPORT.finditer(texts[name]):
            take(found[4])
        ordered[name] = None

    for name in texts:
        take(name)
    return [*ordered]


def _as_body(text: str) -> str:
    """A module as the body of a function that returns what the module exports."""
    exported = dict(_exported(text))
    text = _IMPORT.sub(lambda found: _constants(*found.groups()) if found[1] == "import" else "", text)
    text = _COMMENT.sub("", _DECLARED.sub(r"\2", _EXPORT.sub("", text)))
    return f"{text}\nreturn {{ {', '.join(f'{name}: {value}' for name, value in exported.items())} }};"


def _exported(text: str) -> Iterator[tuple[str, str]]:
    """What a module exports: each name, and the expression for it."""
    for found in _DECLARED.finditer(text):
        yield "default" if found[1] else found[3], found[3]
    for found in _EXPORT.finditer(text):
        yield from ((new, old) for old, new in _pairs(found[1]))
    for found in _IMPORT.finditer(text):
        if found[1] == "export":
            yield from ((new, f"all[{found[4]!r}].{old}") for old, new in _pairs(found[2]))


def _constants(_: str, names: str | None, default: str | None, module: str) -> str:
    """What stands for an import."""
    wanted = ", ".join(f"{old}: {new}" for old, new in _pairs(names or f"default as {default}"))
    return f"const {{ {wanted} }} = all[{module!r}];"


def _pairs(names: str) -> list[tuple[str, str]]:
    """The names between braces: what each is called there, and here."""
    words = [each.split() for each in names.split(",") if each.strip()]
    return [(word[0], word[-1]) for word in words]
