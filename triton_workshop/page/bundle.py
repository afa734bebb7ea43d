"""Gathers what a page needs to run kernels: the same blobs, in the same order, for one file, a site and a room.

Others' files come from `parts`, ours from `archive`. Python goes in as compiled code; what has been compiled stays in
the cache, by what it was made of.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import importlib.metadata
import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from triton_simulator.without_library import files as triton_files
from triton_workshop.atomic_write import write_whole
from triton_workshop.page import archive, codemirror, parts
from triton_workshop.page.licences import licences
from triton_workshop.page.progress import Advance, Tell

HERE = Path(__file__).parent
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
"""What Pyodide consists of, beside the standard library of Python."""
IMPORTED = HERE / "imported.txt"
"""The files of the archives that something in a page imports, as `python -m benchmarks.imported` finds them."""
LIBRARY = "/lib/python3.14/site-packages"
LIBRARIES = ("numpy", "pillow")
"""Wheels, by the beginning of their names: in the page, they are zips of these names."""
LICENCES = "licences.txt"
PIECE_BYTES = 512 * 1024
PACKING = "compiling, packing"
NOT_COMPILED = (
    "There is no Python 3.14 here, and no node to stand in for it, so the page compiles all its Python whenever it "
    "starts: that takes about ten seconds more."
)


@dataclass(frozen=True)
class Blob:
    """A part of the page, compressed by gzip."""

    name: str
    data: bytes

    @functools.cached_property
    def digest(self) -> str:
        """What it is named by, where it is a file of its own."""
        return hashlib.sha256(self.data).hexdigest()[:32]

    def address(self, folder: str) -> str:
        """Where it is as a file of its own, which never changes under that name."""
        return f"{folder}{self.digest}.gz"

    def pieces(self) -> dict[str, bytes]:
        """The same in pieces, by their names, for a server that has to send other things in between."""
        starts = range(0, len(self.data), PIECE_BYTES)
        return {f"{self.digest}-{start // PIECE_BYTES}": self.data[start : start + PIECE_BYTES] for start in starts}


@dataclass(frozen=True)
class PageBundle:
    """What a page holds so that kernels run in it: the blobs, and the text of all licences."""

    blobs: tuple[Blob, ...]
    licences: str


def gathered(
    folder: Path | None = None, tell: Tell = lambda sentence: None, advance: Advance = lambda what, done, total: None
) -> PageBundle:
    """All of it. Parts that are not in the cache come from `folder` or are fetched. Raises WorkshopError."""
    return read(gathered_file(folder, tell, advance))


def gathered_file(
    folder: Path | None = None, tell: Tell = lambda sentence: None, advance: Advance = lambda what, done, total: None
) -> Path:
    """The same as a file in the cache, for `read`, so that it is made only once. Raises WorkshopError."""
    files = parts.ready(folder, tell, advance)
    with FileLock(parts.cache() / "gathering.lock"):
        kept = parts.cache() / "compiled" / f"all-{_made_of()}.zip"
        if not kept.is_file():
            made, sizes, done = io.BytesIO(), _sizes(files), 0
            advance(PACKING, done, sum(sizes.values()))
            with zipfile.ZipFile(made, "w") as new:
                new.writestr(LICENCES, licences(files))
                for name, data in contents(files, tell):
                    new.writestr(name, gzip.compress(data, 9, mtime=0))
                    advance(PACKING, done := done + sizes.get(name, 0), sum(sizes.values()))
            _keep(kept, made.getvalue())
    return kept


def _sizes(files: Mapping[str, Path]) -> dict[str, int]:
    """How many bytes go into each of the larger blobs."""
    wheels = {f"{name}.zip": file for name in LIBRARIES for part, file in files.items() if part.startswith(f"{name}-")}
    named = {name: files[name] for name in (*CORE, "python_stdlib.zip")} | wheels
    own = sum(file.stat().st_size for file in archive.own_files().values())
    return {name: file.stat().st_size for name, file in named.items()} | {"page.zip": own}


def read(file: Path) -> PageBundle:
    """What `gathered_file` has made."""
    with zipfile.ZipFile(file) as kept:
        named = {name: kept.read(name) for name in kept.namelist()}
    return PageBundle(tuple(Blob(*each) for each in named.items() if each[0] != LICENCES), named[LICENCES].decode())


def _made_of() -> str:
    """A digest of all that goes in and is not a part of others, which have their list."""
    versions = f"{importlib.metadata.version('torch')} {triton_files.version()} {shutil.which('node')}"
    own = (file for file in sorted(HERE.rglob("*")) if file.is_file() and file.suffix != ".pyc")
    digests = (hashlib.sha256(file.read_bytes()).digest() for file in (*own, *archive.own_files().values()))
    return hashlib.sha256(versions.encode() + b"".join(digests)).hexdigest()[:16]


def _keep(file: Path, data: bytes) -> None:
    """Write a file of the cache in the place of what was made before of the same kind."""
    file.parent.mkdir(parents=True, exist_ok=True)
    for before in file.parent.glob(f"{file.name.partition('-')[0]}-*"):
        before.unlink(missing_ok=True)
    write_whole(file, data)


def contents(
    files: Mapping[str, Path], tell: Tell = lambda sentence: None, *, whole: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Each blob's name in the page and its bytes; `whole`: also what nothing imports."""
    yield "frame.html", frame().encode()
    yield "worker.js", (HERE / "worker.js").read_bytes()
    yield "codemirror.mjs", codemirror.joined(files)
    yield from ((name, files[name].read_bytes()) for name in CORE)
    yield "pyodide-lock.json", _lock(files["pyodide-lock.json"])
    for name, data in archives(files):
        yield f"{name}.zip", _compiled(name, data if whole else _imported(name, data), files, tell)


def archives(files: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    """The zips of Python's modules as they come, by the names that they have in the page."""
    yield "python_stdlib", files["python_stdlib.zip"].read_bytes()
    for library in LIBRARIES:
        yield library, next(file for name, file in files.items() if re.match(rf"{library}-.*\.whl", name)).read_bytes()
    yield "page", archive.packed()


def _imported(name: str, data: bytes) -> bytes:
    """A zip with no more than what is imported; of ours, that is a list already, but not of Triton's."""
    listed = {*IMPORTED.read_text(encoding="utf-8").splitlines()}
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            if ours(name, each) or f"{name}/{each}" in listed:
                new.writestr(zipfile.ZipInfo(each), old.read(each))
    return made.getvalue()


def ours(archive: str, file: str) -> bool:
    """Whether a file of an archive is of this repository, all of which goes in."""
    return archive == "page" and not file.startswith("triton/")


def _lock(file: Path) -> bytes:
    """What Pyodide reads of its lock file, where nothing is loaded by the name of a package."""
    return json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"packages": {}}).encode()


def _compiled(name: str, contents: bytes, files: Mapping[str, Path], tell: Tell) -> bytes:
    """A zip with compiled code, from the cache if it was made before."""
    folder, read = LIBRARY, tuple[str, ...]()
    if name == "page":
        folder, read = archive.FOLDER, (*archive.with_text(zipfile.ZipFile(io.BytesIO(contents))),)
    how = f"{folder} {read}".encode() + archive.COMPILE.read_bytes()
    made_of = hashlib.sha256(contents + how).hexdigest()[:16]
    kept = parts.cache() / "compiled" / f"{name}-{made_of}.zip"
    if kept.is_file():
        return kept.read_bytes()
    data = archive.compiled(contents, files["pyodide.mjs"].parent, folder, *read)
    if data is None:
        tell(NOT_COMPILED)
        return _stored(contents)
    stored = _stored(data)
    _keep(kept, stored)
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
