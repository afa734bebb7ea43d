"""The repository as a workshop begins: what travels, in one zip file, and what stays with the presenter."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from triton_workshop.repository import ROOT

SHIPPED = Path("triton_workshop", "checking", "exercises", "shipped")
TRAVELS = {".gitignore", ".github", ".ci"}
"""What travels of what is hidden. The rest is git's, an editor's, a cache, an environment, or private."""
STAYS = {"__pycache__", "dist", "snapshot_report.html"}
BEGINNING = (1980, 1, 1, 0, 0, 0)
"""When every file of a zip file was written, so that the same contents give the same bytes."""


def repository(without: Path) -> bytes:
    """A zip file of the repository: its exercises as they are shipped, and nothing hidden, built or private.

    The folder that is packed does not travel either, should it lie in the repository.
    """
    exercises = {f"exercises/{text.stem}.py": text.read_bytes() for text in (ROOT / SHIPPED).glob("*.txt")}
    stays = {ROOT / "exercises", without.resolve()}
    return zipped({file.relative_to(ROOT).as_posix(): file.read_bytes() for file in _files(ROOT, stays)} | exercises)


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, BEGINNING), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _files(folder: Path, stays: Collection[Path]) -> Iterator[Path]:
    for path in folder.iterdir():
        if path in stays or not _travels(path):
            continue
        if path.is_dir():
            yield from _files(path, stays)
        else:
            yield path


def _travels(path: Path) -> bool:
    drawn = path.parent == ROOT and path.suffix == ".png"  # by `workshop bench --plot`
    hidden = path.name.startswith(".") and path.name not in TRAVELS
    return not (drawn or hidden or path.name in STAYS or path.suffix == ".egg-info")
