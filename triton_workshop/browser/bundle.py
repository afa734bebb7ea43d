"""Gathers what a page needs to run kernels: the same blobs, in the same order, for one file, a site and a room.

Others' files come from `parts`, ours from `archive`. Python goes in as compiled code; what has been compiled stays in
the cache, by what it was made of.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.atomic_write import write_whole
from triton_workshop.browser import archive, codemirror, parts
from triton_workshop.browser.licences import licences

HERE = Path(__file__).parent
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
"""What Pyodide consists of, beside the standard library of Python."""
LIBRARY = "/lib/python3.14/site-packages"
LIBRARIES = ("numpy", "pillow")
"""Wheels, by the beginning of their names: in the page, they are zips of these names."""
NOT_COMPILED = (
    "There is no Python 3.14 here, and no node to stand in for it, so the page compiles all its Python whenever it "
    "starts: that takes about ten seconds more."
)

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Blob:
    """A part of the page, compressed by gzip."""

    name: str
    data: bytes

    def address(self, folder: str) -> str:
        """Where it is as a file of its own, which never changes under that name."""
        return f"{folder}{hashlib.sha256(self.data).hexdigest()[:32]}.gz"


@dataclass(frozen=True)
class Inside:
    """What a page holds so that kernels run in it: the blobs, and the text of all licences."""

    blobs: tuple[Blob, ...]
    licences: str


def gathered(folder: Path | None = None, tell: Tell = lambda sentence: None) -> Inside:
    """All of it. Parts that are not in the cache come from `folder` or are fetched. Raises WorkshopError."""
    files = parts.ready(folder, tell)
    blobs = (Blob(name, gzip.compress(data, 9, mtime=0)) for name, data in _contents(files, tell))
    return Inside(tuple(blobs), licences(files))


def _contents(files: Mapping[str, Path], tell: Tell) -> Iterator[tuple[str, bytes]]:
    """Each blob's name in the page and its bytes."""
    yield "frame.html", frame().encode()
    yield "worker.js", (HERE / "worker.js").read_bytes()
    yield "codemirror.mjs", codemirror.joined(files)
    yield from ((name, files[name].read_bytes()) for name in CORE)
    yield "pyodide-lock.json", _lock(files["pyodide-lock.json"])
    yield "python_stdlib.zip", _compiled("python_stdlib", files["python_stdlib.zip"].read_bytes(), files, tell, LIBRARY)
    for library in LIBRARIES:
        wheel = next(file for name, file in files.items() if name.startswith(library) and name.endswith(".whl"))
        yield f"{library}.zip", _compiled(library, wheel.read_bytes(), files, tell, LIBRARY)
    yield "page.zip", _compiled("page", archive.packed(), files, tell, archive.FOLDER)


def _lock(file: Path) -> bytes:
    """What Pyodide reads of its lock file, where nothing is loaded by the name of a package."""
    return json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"packages": {}}).encode()


def _compiled(name: str, contents: bytes, files: Mapping[str, Path], tell: Tell, folder: str) -> bytes:
    """A zip with compiled code, from the cache if it was made before."""
    made_of = hashlib.sha256(contents + archive.COMPILE.read_bytes() + folder.encode()).hexdigest()[:16]
    kept = parts.cache() / "compiled" / f"{name}-{made_of}.zip"
    if kept.is_file():
        return kept.read_bytes()
    data = archive.compiled(contents, files["pyodide.mjs"].parent, folder, source=folder == archive.FOLDER)
    if data is None:
        tell(NOT_COMPILED)
        return _stored(contents)
    stored = _stored(data)
    kept.parent.mkdir(parents=True, exist_ok=True)
    for before in kept.parent.glob(f"{name}-*.zip"):
        before.unlink(missing_ok=True)
    write_whole(kept, stored)
    return stored


def _stored(data: bytes) -> bytes:
    """A zip in which nothing is compressed: it compresses better as a whole."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for info in old.infolist():
            if not info.is_dir():
                new.writestr(zipfile.ZipInfo(info.filename), old.read(info))
    return made.getvalue()


# The frame in which Python runs, apart from the page


def frame_script() -> str:
    """The script of the frame, which the page's policy has to name too."""
    return "".join((HERE / name).read_text(encoding="utf-8") for name in ("workers.js", "frame.js"))


def frame() -> str:
    """A page of its own, without an origin: no storage, no cookie and no network for what runs in it."""
    policy = f"default-src 'none'; script-src {script_sources(frame_script())}; worker-src blob:; connect-src 'none'"
    return (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<script>{frame_script()}</script>"
    )


def script_sources(*scripts: str) -> str:
    """What a policy says of a page with these scripts, whose frame runs Python: no eval, and nothing from a host."""
    return " ".join((*map(digest, scripts), "'wasm-unsafe-eval'", "blob:"))


def digest(text: str) -> str:
    """A script or a style as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
