"""What a packed folder holds, how much of it is there already, and how it is filled.

Wheels are downloaded. Everything else is made here, and written only where it differs from what is there.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from triton_workshop.atomic_write import write_whole
from triton_workshop.errors import MisuseError, WorkshopError
from triton_workshop.packing import contents, locked
from triton_workshop.packing.download import download, is_whole, part_of
from triton_workshop.packing.locked import Wheel
from triton_workshop.packing.platforms import MACOS, Platform
from triton_workshop.packing.repository import repository, zipped
from triton_workshop.without_library import files as triton_files

OTHER_BYTES = 200 << 20
"""Bytes of free space for all that is not a wheel: uv's programs, the repository, Triton's Python files."""
REPOSITORY = "triton-workshop.zip"

Report = Callable[[str, int], None]
"""Told the name of a file, and how many bytes of it are there."""


@dataclass(frozen=True)
class PackingPlan:
    """What a folder is to hold: for each platform its wheels, the last of which is uv itself."""

    folder: Path
    python: str
    wheels: Mapping[Platform, Sequence[Wheel]]

    @property
    def files(self) -> Mapping[str, Wheel]:
        """Every wheel once: platforms share those that are plain Python."""
        return {wheel.file: wheel for wheels in self.wheels.values() for wheel in wheels}

    @property
    def size(self) -> int:
        return sum(wheel.size for wheel in self.files.values())

    @property
    def room(self) -> int:
        return shutil.disk_usage(self.folder).free

    @property
    def needs_triton(self) -> bool:
        """Whether Triton's Python files are packed: only a Mac has no wheel of Triton."""
        return MACOS in self.wheels

    def path(self, wheel: Wheel) -> Path:
        return self.folder / "wheels" / wheel.file

    def missing(self, wheels: Sequence[Wheel]) -> int:
        """How many bytes of these wheels are still to come, judging by the sizes of files."""
        return sum(max(0, wheel.size - self._there(wheel)) for wheel in wheels)

    def _there(self, wheel: Wheel) -> int:
        file = self.path(wheel)
        return max((path.stat().st_size for path in (file, part_of(file)) if path.exists()), default=0)


def planned(folder: Path, platforms: Sequence[Platform], python: str) -> PackingPlan:
    """Say what to pack. Raises MisuseError if it cannot be packed, and WorkshopError if uv cannot say what it is."""
    _check_folder(folder)
    lock = locked.locked()
    chosen = {platform: locked.choose(lock, platform, python) for platform in platforms}
    uv = locked.newest_uv()
    return PackingPlan(folder, python, {each: (*chosen[each], *locked.choose(uv, each, python)) for each in platforms})


def check_room(plan: PackingPlan) -> None:
    needed = plan.missing([*plan.files.values()]) + OTHER_BYTES
    if needed > plan.room:
        raise WorkshopError(
            f"{plan.folder}: expected {contents.size_of(needed)} of free space, found {contents.size_of(plan.room)}; "
            "make room, or name fewer platforms with --platform"
        )


def fill(plan: PackingPlan, report: Report) -> None:
    """Download what is missing, check what is there, and write the rest.

    Raises WorkshopError if the network, a server or the disk does not let it.
    """
    with _disk_at_fault(plan.folder):
        (plan.folder / "wheels").mkdir(exist_ok=True)
        for wheel in plan.files.values():
            tell, file = partial(report, wheel.file), plan.path(wheel)
            if not is_whole(wheel, file, tell):
                download(wheel, file, tell)
        made = dict(_made(plan))
        for name, data in made.items():
            report(name, 0)
            _write(plan.folder / name, data)
        for platform in plan.wheels:
            with suppress(OSError):  # a file system without such marks, where every file is a program
                (plan.folder / _program(platform)).chmod(0o755)
        # Last: with it the folder is complete.
        _write(plan.folder / "manifest.json", _manifest(plan, made))


def _made(plan: PackingPlan) -> Iterator[tuple[str, bytes]]:
    """Every file that is not a wheel: its name, and what it holds."""
    yield REPOSITORY, repository(without=plan.folder)
    yield "install.py", contents.installer(plan.python).encode()
    sizes = {platform: contents.unpacked(map(plan.path, wheels)) for platform, wheels in plan.wheels.items()}
    yield "START-HERE.txt", contents.start_here(plan.python, sizes).encode()
    for platform, (*wheels, uv) in plan.wheels.items():
        yield _requirements(platform), contents.requirements(wheels).encode()
        yield _program(platform), contents.uv_program(plan.path(uv), platform)
    if plan.needs_triton:
        kept = triton_files.ready()
        python = {path.relative_to(kept).as_posix(): path.read_bytes() for path in kept.rglob("*.py")}
        yield triton_files.archive(), zipped(python)


def _manifest(plan: PackingPlan, made: Mapping[str, bytes]) -> bytes:
    """What install.py reads: how it knows a platform, what it needs there, and the size and hash of each file."""
    wheels = {f"wheels/{wheel.file}": {"size": wheel.size, "sha256": wheel.sha256} for wheel in plan.files.values()}
    others = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in made.items()}
    described = {
        "python": plan.python,
        "triton": triton_files.archive() if plan.needs_triton else None,
        "platforms": {platform.name: _needs(plan, platform) for platform in plan.wheels},
        "files": wheels | others,
    }
    return f"{json.dumps(described, indent=1)}\n".encode()


def _needs(plan: PackingPlan, platform: Platform) -> Mapping[str, object]:
    wheels = plan.wheels[platform]
    return {
        "system": platform.system,
        "machine": platform.machine,
        "unpacked": contents.unpacked(map(plan.path, wheels)),
        "files": [*(f"wheels/{wheel.file}" for wheel in wheels), _requirements(platform), REPOSITORY],
    }


def _program(platform: Platform) -> str:
    return f"uv/{platform.name}/{platform.program}"


def _requirements(platform: Platform) -> str:
    return f"requirements-{platform.name}.txt"


def _write(file: Path, data: bytes) -> None:
    """Write a file, unless it is there with this content. Raises OSError."""
    if not file.exists() or file.read_bytes() != data:
        write_whole(file, data)


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        found = "a file" if folder.exists() else "no such folder"
        raise MisuseError(f"{folder}: expected a folder, found {found}; plug the stick in, or make the folder first")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise MisuseError(f"{folder}: expected a folder that can be written to: {error.strerror}") from error


@contextmanager
def _disk_at_fault(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = "is full; make room" if error.errno == errno.ENOSPC else f"cannot be written: {error.strerror or error}"
        raise WorkshopError(
            f"{error.filename or folder}: {what}. To go on then, type the same command again"
        ) from error
