"""Bundle of everything that a page needs to run kernels.

One file, a site and a room have the same blobs, in the same order. Others' files come from `parts`, ours from
`archive`. Python goes in as compiled code, which stays in the cache, by a digest of its inputs.
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
from triton_workshop.atomic_write import write_atomically
from triton_workshop.page import archive, codemirror, parts
from triton_workshop.page.licences import licences
from triton_workshop.page.progress import Advance, Notify
from triton_workshop.page.signatures import signatures

PAGE_FOLDER = Path(__file__).parent
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
"""Files of Pyodide, beside the standard library of Python."""
IMPORTED = PAGE_FOLDER / "imported.txt"
"""Files of the archives that something in a page imports.

`python -m benchmarks.imported` finds them.
"""
LIBRARY = "/lib/python3.14/site-packages"
LIBRARIES = ("numpy", "pillow")
"""Wheels, by the beginning of their names.

In the page, they are zips of these names.
"""
LICENCES = "licences.txt"
PIECE_BYTES = 512 * 1024
PACKING = "compiling, packing"
NOT_COMPILED = "The page compiles all its Python whenever it starts, which takes about ten seconds more"


@dataclass(frozen=True)
class Blob:
    """Piece of the page, compressed by gzip."""

    name: str
    data: bytes

    @functools.cached_property
    def digest(self) -> str:
        """Name of the blob as a file of its own."""
        return hashlib.sha256(self.data).hexdigest()[:32]

    def address(self, folder: str) -> str:
        """Return the address as a file of its own, which never changes."""
        return f"{folder}{self.digest}.gz"

    def pieces(self) -> dict[str, bytes]:
        """Return the data in pieces by name.

        A server can send other things in between.
        """
        starts = range(0, len(self.data), PIECE_BYTES)
        return {f"{self.digest}-{start // PIECE_BYTES}": self.data[start : start + PIECE_BYTES] for start in starts}


@dataclass(frozen=True)
class PageBundle:
    """Blobs with which kernels run in a page, and the text of all licences."""

    blobs: tuple[Blob, ...]
    licences: str

    @property
    def size(self) -> int:
        """Bytes of all blobs."""
        return sum(len(blob.data) for blob in self.blobs)


def build_bundle(
    folder: Path | None = None,
    notify: Notify = lambda sentence: None,
    advance: Advance = lambda task, done, total: None,
) -> PageBundle:
    """Return the bundle.

    Parts that are not in the cache come from `folder` or are fetched. Raises WorkshopError.
    """
    return read_bundle(build_bundle_file(folder, notify, advance))


def build_bundle_file(
    folder: Path | None = None,
    notify: Notify = lambda sentence: None,
    advance: Advance = lambda task, done, total: None,
) -> Path:
    """Return the bundle as a file in the cache, built only once.

    Raises WorkshopError.
    """
    files = parts.ensure_parts(folder, notify, advance)
    # Two commands that start at once build it once.
    with FileLock(parts.parts_folder() / "gathering.lock"):
        cached = parts.parts_folder() / "compiled" / f"all-{_inputs_digest()}.zip"
        if not cached.is_file():
            buffer, sizes, done = io.BytesIO(), _sizes(files), 0
            advance(PACKING, done, sum(sizes.values()))
            with zipfile.ZipFile(buffer, "w") as archive_file:
                archive_file.writestr(LICENCES, licences(files))
                for name, data in contents(files, notify):
                    # Without a time, so that a blob keeps its address as long as its content is the same.
                    archive_file.writestr(name, gzip.compress(data, 9, mtime=0))
                    advance(PACKING, done := done + sizes.get(name, 0), sum(sizes.values()))
            _store(cached, buffer.getvalue())
    return cached


def _sizes(files: Mapping[str, Path]) -> dict[str, int]:
    """Return the bytes that go into each of the larger blobs."""
    wheels: dict[str, Path] = {}
    for name in LIBRARIES:
        wheels |= {f"{name}.zip": file for part, file in files.items() if part.startswith(f"{name}-")}
    named = {name: files[name] for name in (*CORE, "python_stdlib.zip")} | wheels
    repository_bytes = sum(file.stat().st_size for file in archive.repository_files().values())
    return {name: file.stat().st_size for name, file in named.items()} | {"page.zip": repository_bytes}


def read_bundle(file: Path) -> PageBundle:
    """Read a file by `build_bundle_file`."""
    with zipfile.ZipFile(file) as archive_file:
        entries = {name: archive_file.read(name) for name in archive_file.namelist()}
    texts = entries.pop(LICENCES).decode()
    return PageBundle(tuple(Blob(name, data) for name, data in entries.items()), texts)


def _inputs_digest() -> str:
    """Return a digest of all inputs but others' files, which have their list."""
    versions = f"{importlib.metadata.version('torch')} {triton_files.version()} {shutil.which('node')}"
    sources = (file for file in sorted(PAGE_FOLDER.rglob("*")) if file.suffix != ".pyc")
    inputs = (*filter(Path.is_file, sources), *archive.repository_files().values())
    digests = (hashlib.sha256(file.read_bytes()).digest() for file in inputs)
    return hashlib.sha256(versions.encode() + b"".join(digests)).hexdigest()[:16]


def _store(file: Path, data: bytes) -> None:
    """Write a file of the cache in place of older ones of the same kind."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # Each version of our code makes others: without this, the cache would only grow.
    for previous in file.parent.glob(f"{file.name.partition('-')[0]}-*"):
        previous.unlink(missing_ok=True)
    write_atomically(file, data)


def contents(
    files: Mapping[str, Path], notify: Notify = lambda sentence: None, *, everything: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each blob in the page, and its bytes.

    With `everything`, modules that nothing imports are in it too.
    """
    yield "frame.html", frame().encode()
    yield "worker.js", (PAGE_FOLDER / "worker.js").read_bytes()
    yield "codemirror.mjs", codemirror.join_modules(files)
    yield "signatures.json", signatures()
    yield from ((name, files[name].read_bytes()) for name in CORE)
    yield "pyodide-lock.json", _lock(files["pyodide-lock.json"])
    for name, data in module_archives(files):
        yield f"{name}.zip", _compile(name, data if everything else _select_imported(name, data), files, notify)


def module_archives(files: Mapping[str, Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the zips of Python's modules, by their names in the page."""
    yield "python_stdlib", files["python_stdlib.zip"].read_bytes()
    for library in LIBRARIES:
        yield library, next(file for name, file in files.items() if re.match(rf"{library}-.*\.whl", name)).read_bytes()
    yield "page", archive.pack_archive()


def _select_imported(name: str, data: bytes) -> bytes:
    """Return a zip with only those files of others that are imported."""
    listed = {*IMPORTED.read_text(encoding="utf-8").splitlines()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for entry in old.namelist():
            is_needed = is_repository_file(name, entry) or f"{name}/{entry}" in listed
            if is_needed:
                new.writestr(zipfile.ZipInfo(entry), old.read(entry))
    return buffer.getvalue()


def is_repository_file(archive: str, file: str) -> bool:
    """Return whether a file of an archive is ours, all of which goes in."""
    return archive == "page" and not file.startswith("triton/")


def _lock(file: Path) -> bytes:
    """Return Pyodide's lock file without packages.

    Nothing is loaded by the name of a package.
    """
    return json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"packages": {}}).encode()


def _compile(name: str, contents: bytes, files: Mapping[str, Path], notify: Notify) -> bytes:
    """Return a zip with compiled code, from the cache if possible."""
    target_folder, text_prefixes = LIBRARY, tuple[str, ...]()
    if name == "page":
        target_folder = archive.FOLDER
        text_prefixes = (*archive.modules_with_text(zipfile.ZipFile(io.BytesIO(contents))),)
    # What compiles is a part of the key: after a change, it makes other code of the same contents.
    settings = f"{target_folder} {text_prefixes}".encode() + archive.COMPILE.read_bytes()
    key = hashlib.sha256(contents + settings).hexdigest()[:16]
    cached = parts.parts_folder() / "compiled" / f"{name}-{key}.zip"
    if cached.is_file():
        return cached.read_bytes()
    try:
        data = archive.compile_archive(contents, files["pyodide.mjs"].parent, target_folder, *text_prefixes)
    except archive.NotCompiledError as error:
        notify(f"{NOT_COMPILED}: {error}.")
        return _recompress(contents)
    stored = _recompress(data)
    _store(cached, stored)
    return stored


def _recompress(data: bytes) -> bytes:
    """Return the same zip uncompressed: it compresses better as a whole."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            if not info.is_dir():
                new.writestr(zipfile.ZipInfo(info.filename), old.read(info))
    return buffer.getvalue()


# The frame in which Python runs, apart from the page


def frame_script() -> str:
    """Return the script of the frame, which the page's policy has to name too."""
    return "".join((PAGE_FOLDER / name).read_text(encoding="utf-8") for name in ("workers.js", "frame.js"))


def frame() -> str:
    """Return the page in which Python runs, apart from ours.

    It has no origin: no storage, no cookie and no network for what runs in it.
    """
    policy = f"default-src 'none'; script-src {script_sources(frame_script())}; worker-src blob:; connect-src 'none'"
    return (
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<script>{frame_script()}</script>"
    )


def script_sources(*scripts: str) -> str:
    """Return the sources in the policy of a page with these scripts.

    Its frame runs Python: there is no eval, and nothing from a host.
    """
    return " ".join((*map(digest, scripts), "'wasm-unsafe-eval'", "blob:"))


def digest(text: str) -> str:
    """Return the name of a script or a style in a policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
