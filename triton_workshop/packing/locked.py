"""What uv.lock says about wheels: their addresses, sizes and hashes, and which ones a platform takes.

uv reads the lock file and the registry, and hands over its answer in the format of PEP 751.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.pylock import PackageWheel, Pylock, PylockSelectError

from triton_workshop.errors import MisuseError, WorkshopError
from triton_workshop.packing.platforms import Platform, either
from triton_workshop.repository import ROOT

PYTHONS = tuple(f"3.{minor}" for minor in range(11, 20))
"""The versions of Python that may be asked for. Those that the lock file has wheels for can be packed."""


@dataclass(frozen=True)
class Wheel:
    """A file of a registry."""

    name: str
    version: str
    file: str
    url: str
    size: int
    sha256: str


def locked() -> Pylock:
    """Everything that `uv sync` installs from our uv.lock, on all platforms."""
    return _pylock(_uv("export", "--frozen", "--format", "pylock.toml", "--no-emit-project", "--quiet"))


def newest_uv() -> Pylock:
    """uv as the registry has it: the version that runs here, or else the newest one before it."""
    version = _uv("--version").split()[1]
    asked = ("pip", "compile", "--universal", "--no-deps", "--format", "pylock.toml", "--quiet", "-")
    return _pylock(_uv(*asked, text=f"uv<={version}"))


def choose(lock: Pylock, platform: Platform, python: str) -> tuple[Wheel, ...]:
    """The wheels that a platform takes. Raises MisuseError if one is missing, and names the versions that have all."""
    found = _choice(lock, platform, python)
    if found is None:
        there = [version for version in PYTHONS if _choice(lock, platform, version) is not None]
        raise MisuseError(
            f"--python {python}: expected {either(there)}, for which all packages have wheels on {platform.name}"
        )
    return found


def _choice(lock: Pylock, platform: Platform, python: str) -> tuple[Wheel, ...] | None:
    """The wheels, or None where a package has none."""
    try:
        return tuple(_wheels(lock, platform, python)) if python in PYTHONS else None
    except PylockSelectError:
        return None


def _wheels(lock: Pylock, platform: Platform, python: str) -> Iterator[Wheel]:
    chosen = lock.select(environment=platform.environment(python), tags=platform.wheel_tags(python))
    for package, wheel in chosen:
        if not isinstance(wheel, PackageWheel):
            raise PylockSelectError(f"{package.name} has no wheel")
        assert wheel.url is not None
        assert wheel.size is not None
        version = str(package.version)
        yield Wheel(package.name, version, wheel.filename, wheel.url, wheel.size, wheel.hashes["sha256"])


def _pylock(text: str) -> Pylock:
    return Pylock.from_dict(tomllib.loads(text))


def _uv(*arguments: str, text: str = "") -> str:
    """What uv answers, run in the repository. Raises WorkshopError with the reason that uv gives if it fails."""
    program = os.environ.get("UV") or shutil.which("uv")
    if program is None:
        raise WorkshopError("uv was not found; start this command with `uv run`")
    done = subprocess.run(
        [program, *arguments], cwd=ROOT, input=text, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        problem, *causes = done.stderr.strip().splitlines() or ["it says nothing"]
        reason = f"{problem} ({causes[-1].strip()})" if causes else problem
        raise WorkshopError(f"`uv {' '.join(arguments)}` failed: {reason}; check the network, and try again")
    return done.stdout
