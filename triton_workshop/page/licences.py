"""Licences of everything in a page, for the page itself."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from triton_workshop.repository import ROOT

LICENCE_FOLDER = Path(__file__).parent / "licences"
"""Folder of those that no part brings along."""
COMPONENTS = {
    "Triton, and what the editor says of its functions": "triton.txt",
    "Pyodide, whose source is at https://github.com/pyodide/pyodide": "mozilla-public-licence.txt",
    "Python": "python.txt",
    "What is compiled into Pyodide": "compiled_in.txt",
}


def licences(files: Mapping[str, Path]) -> str:
    """Return all texts, each once, below the names of what it licenses.

    `files` are the page's parts by name.
    """
    named: dict[str, list[str]] = {}
    for name, text in _texts(files):
        named.setdefault(text.strip(), []).append(name)
    return "\n\n\n".join(f"{', '.join(names)}\n\n{text}" for text, names in named.items()) + "\n"


def _texts(files: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    yield "Triton Workshop", (ROOT / "LICENSE").read_text(encoding="utf-8")
    for name, file in COMPONENTS.items():
        yield name, (LICENCE_FOLDER / file).read_text(encoding="utf-8")
    for name, path in files.items():
        if name.endswith(".LICENSE"):
            yield name.removesuffix(".LICENSE"), path.read_text(encoding="utf-8")
        elif name.endswith(".whl"):
            yield from _wheel_licences(path)


def _wheel_licences(path: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            folder, _, licence_path = name.partition(".dist-info/licenses/")
            if licence_path:
                # Wheels keep licences of what they contain in folders of their own.
                component = Path(licence_path).parent.as_posix()
                suffix = "" if component == "." else f": {component}"
                yield folder.replace("-", " ") + suffix, wheel.read(name).decode()
