"""Triton's Python files on a machine that Triton has no wheel for.

They are fetched once, and kept in a cache folder.

uv takes them out of the Linux wheel of the version in `triton.toml`, whose hash it checks.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import platformdirs
from filelock import FileLock, Timeout

from triton_simulator.without_library.errors import NoTritonError

CACHE_VARIABLE = "TRITON_WORKSHOP_CACHE"
"""The variable with the folder for the files.

By default it is the user's cache folder.
"""
WHEELS = Path(__file__).with_name("triton.toml")
"""The version to fetch, with the hashes of its wheels."""
WHEEL_PLATFORM = "x86_64-manylinux_2_28"
"""Platform of the wheel that the files are taken from.

uv names it so. Its Python files are the same on all platforms.
"""
UNPACKED_BYTES = 1_400_000_000
"""Bytes that the wheel takes while it is unpacked.

That is done before anything can be left out of it.
"""
EXCLUDED_FOLDERS = ("_C", "backends/amd", "instrumentation", "plugins", "profiler")
"""Folders of the package that are, or only serve, compiled code."""
PARTIAL_PREFIX = "fetching-"


def version() -> str:
    """Return the version of Triton that is fetched."""
    return str(_wheels()["version"])


@functools.cache
def _wheels() -> dict[str, Any]:
    """Return the version to fetch, and its wheels.

    Of the wheels for Linux on x86-64, one per kind of Python, these are the hashes and the largest size.
    """
    return tomllib.loads(WHEELS.read_text(encoding="utf-8"))


def cache() -> Path:
    """Return this user's folder for the files.

    `triton`, the package, is in it once they have been fetched.
    """
    root = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("triton-workshop", appauthor=False)
    return Path(root).expanduser().absolute() / f"triton-{version()}"


def ensure_files() -> Path:
    """Return the folder that Triton can be imported from.

    If it is not there, it is filled: with what is downloaded, which is said on standard error, or copied where this
    version of Triton is installed. Raises NoTritonError, and leaves nothing behind then.
    """
    target = cache()
    if target.is_dir():
        return target
    with _exclusive_folder(target) as work:
        if work is not None:
            package = _find_installed() or _download(work, target.parent)
            _copy_python(package, work / "kept" / "triton")
            # In one step: a folder that is there is complete.
            (work / "kept").replace(target)
    return target


def _find_installed() -> Path | None:
    """Return the package as it is installed on this machine, if it is.

    So it may be on a presenter's, who makes a page for others.
    """
    with suppress(importlib.metadata.PackageNotFoundError):
        spec = importlib.util.find_spec("triton")
        origin = spec.origin if spec is not None else None
        if origin and importlib.metadata.version("triton") == version():
            return Path(origin).parent
    return None


def _download(work: Path, home: Path) -> Path:
    """Return the package as uv unpacks it in `work`.

    Its final place is `home`. Raises NoTritonError.
    """
    _notify(
        f"Triton has no package for this machine; the simulator needs its Python files only. uv now downloads "
        f"{_wheels()['bytes'] / 1e6:.0f} MB, and unpacks them to {UNPACKED_BYTES / 1e9:.1f} GB for a moment. Of these, "
        f"2 MB stay in {home}. This happens once."
    )
    free = shutil.disk_usage(work).free
    if free < UNPACKED_BYTES:
        raise NoTritonError(
            f"Unpacking Triton takes {UNPACKED_BYTES / 1e9:.1f} GB for a moment, and {home} has {free / 1e9:.1f} GB "
            f"free. Make room, or set {CACHE_VARIABLE} to a folder on another disk."
        )
    _install(work)
    return work / "wheel" / "triton"


@contextmanager
def _exclusive_folder(target: Path) -> Iterator[Path | None]:
    """Yield a folder to work in, for one process at a time.

    It lies beside the target; None if the target is there by then.
    """
    parent = target.parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with _lock(parent / "fetching.lock"):
            if target.is_dir():
                yield None
                return
            for leftover in parent.glob(f"{PARTIAL_PREFIX}*"):  # by a process that was killed
                shutil.rmtree(leftover, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=PARTIAL_PREFIX, dir=parent, ignore_cleanup_errors=True) as work:
                yield Path(work)
    except OSError as error:
        raise NoTritonError(
            f"Triton's Python files cannot be put into {parent}: {error.strerror or error}. Check that you "
            f"may write there and that the disk has room, or set {CACHE_VARIABLE} to another folder."
        ) from error


@contextmanager
def _lock(file: Path) -> Iterator[None]:
    lock = FileLock(file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        _notify("Another process is fetching Triton's Python files; this one waits for it.")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _notify(sentences: str) -> None:
    if sys.stderr.isatty():
        sentences = textwrap.fill(sentences, shutil.get_terminal_size().columns, break_on_hyphens=False)
    print(sentences, file=sys.stderr, flush=True)


def _install(work: Path) -> None:
    """Have uv unpack the wheel, with its hash checked.

    The cache of uv goes with the folder. Raises NoTritonError.
    """
    # `uv run` names itself in UV, and need not be on the PATH.
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise NoTritonError("uv fetches Triton's Python files, and is not here. Start this with `uv run`.")
    hashes = " ".join(f"--hash={digest}" for digest in _wheels()["hashes"])
    (work / "requirements.txt").write_text(f"triton=={version()} {hashes}\n", encoding="utf-8")
    command = [uv, "pip", "install", "--require-hashes", "--requirements", "requirements.txt", "--no-deps"]
    command += ["--only-binary", ":all:", "--python-platform", WHEEL_PLATFORM, "--python", sys.executable]
    command += ["--target", "wheel", "--cache-dir", "cache"]
    shows_progress = sys.stderr.isatty()  # which sees uv's progress, and what it says
    try:
        process = subprocess.run(
            command,
            cwd=work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if shows_progress else subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except KeyboardInterrupt:
        raise NoTritonError("Stopped: nothing was installed. The next kernel starts the download again.") from None
    if process.returncode != 0:
        # Before that, it says what it has done so far. What kills it leaves no such line.
        reason = (
            "uv says above why."
            if shows_progress
            else f"uv says:\n{process.stderr[max(0, process.stderr.find('error:')) :].strip()}"
        )
        raise NoTritonError(
            "Triton's Python files could not be fetched, and nothing was installed. Try again. " + reason
        )


def _copy_python(package: Path, target: Path) -> None:
    """Keep the Python files, as far as they do not serve compiled code."""
    excluded = [package / folder for folder in EXCLUDED_FOLDERS]
    for file in package.rglob("*.py"):
        is_excluded = any(file.is_relative_to(folder) for folder in excluded)
        if is_excluded:
            continue
        destination = target / file.relative_to(package)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, destination)
