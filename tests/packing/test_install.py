"""install.py overwrites nothing, goes on after an earlier attempt, and says what is wrong with a copy."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from triton_workshop.packing import install

from .conftest import zip_of

ARCHIVE = zip_of({"uv.lock": b"locked", "exercises/exercise_1.py": b"TODO"})


def test_the_repository_is_unpacked(tmp_path: Path) -> None:
    install.unpack_repository(ARCHIVE, tmp_path / "new" / "workshop", unpacked=1000)
    assert (tmp_path / "new" / "workshop" / "exercises" / "exercise_1.py").read_text() == "TODO"
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["workshop"]


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SystemExit, match=r"exists already\. Rename it, or name another folder"):
        install.unpack_repository(ARCHIVE, tmp_path, unpacked=1000)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_second_attempt_keeps_what_was_edited(tmp_path: Path) -> None:
    folder = tmp_path / "workshop"
    install.unpack_repository(ARCHIVE, folder, unpacked=1000)
    (folder / "exercises" / "exercise_1.py").write_text("an answer")
    install.unpack_repository(ARCHIVE, folder, unpacked=1000)
    assert (folder / "exercises" / "exercise_1.py").read_text() == "an answer"


def test_too_small_a_disk_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"expected 1000000000\.0 GB of free space"):
        install.unpack_repository(ARCHIVE, tmp_path / "workshop", unpacked=10**18)
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.parametrize("data", [b"cut o", None])
def test_a_copy_that_is_not_whole_is_told(tmp_path: Path, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / "a.whl").write_bytes(data)
    with pytest.raises(SystemExit, match=f"expected 7 bytes, found {len(data or b'')}. Copy this folder again"):
        install.check_whole(tmp_path, {"a.whl": {"size": 7}}, ["a.whl"])


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"damaged")
    with pytest.raises(SystemExit, match=r"a\.zip: its hash is not the one in manifest\.json"):
        install.verified(str(tmp_path), {"files": {"a.zip": {"sha256": "0" * 64}}}, "a.zip")


def test_a_machine_that_nothing_was_packed_for_is_told() -> None:
    packed = {"platforms": {"amiga": {"system": "amiga", "machine": "68000"}}}
    with pytest.raises(SystemExit, match="has packages for amiga, and none for this machine"):
        install.this_platform(packed)


@pytest.mark.skipif(sys.platform == "win32", reason="there programs end in .exe")
def test_uv_goes_where_its_own_installer_puts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stick").write_text("uv")
    for name, value in {"HOME": tmp_path, "UV": tmp_path / "stick", "PATH": tmp_path}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("XDG_BIN_HOME", raising=False)
    placed = tmp_path / ".local" / "bin" / "uv"
    assert install.place_uv() == placed
    assert os.access(placed, os.X_OK)
    monkeypatch.setenv("PATH", str(placed.parent))
    assert install.place_uv() is None
