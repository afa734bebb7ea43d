"""The licences of all that a page holds, for the page itself."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from triton_workshop.repository import ROOT

TEXTS = Path(__file__).parent / "licences"
"""Those that no part brings along."""
WHOSE = {
    "Triton": "triton.txt",
    "Pyodide, whose source is at https://github.com/pyodide/pyodide": "mozilla-public-licence.txt",
    "Python": "python.txt",
    "What is compiled into Pyodide": "compiled_in.txt",
}


def licences(files: Mapping[str, Path]) -> str:
    """All texts, each once, below the names of what it is the licence of. `files` are the page's parts by name."""
    named: dict[str, list[str]] = {}
    for name, text in _texts(files):
        named.setdefault(text.strip(), []).append(name)
    return "\n\n\n".join(f"{', '.join(names)}\n\n{text}" for text, names in named.items()) + "\n"


def _texts(files: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    yield "Triton Workshop", (ROOT / "LICENSE").read_text(encoding="utf-8")
    for name, file in WHOSE.items():
        yield name, (TEXTS / file).read_text(encoding="utf-8")
    for name, path in files.items():
        if name.endswith(".LICENSE"):
            yield name.removesuffix(".LICENSE"), path.read_text(encoding="utf-8")
        elif name.endswith(".whl"):
            yield from _of_wheel(path)


def _of_wheel(path: Path) -> Iterator[tuple[str, str]]:
    with zipfile.ZipFile(path) as wheel:
        for name in wheel.namelist():
            folder, _, of = name.partition(".dist-info/licenses/")
            if of:
                whose = Path(of).parent.as_posix()
                yield folder.replace("-", " ") + ("" if whose == "." else f": {whose}"), wheel.read(name).decode()
