"""However an editor saves a file, it is noticed."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from triton_workshop import atomic_write
from triton_workshop.atomic_write import write_atomically
from triton_workshop.file_watcher import FileWatcher


def in_place(file: Path) -> None:
    file.write_text("new and longer", encoding="utf-8")


def by_another_file(file: Path) -> None:
    """As vim, emacs and most others do."""
    other = file.with_name(".exercise.py.swp")
    other.write_text("new and longer")
    other.replace(file)


def removed(file: Path) -> None:
    file.unlink()


def renamed(file: Path) -> None:
    file.rename(file.with_name("elsewhere.py"))


def with_the_same_text(file: Path) -> None:
    file.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    os.utime(file, ns=(1, 1))  # a clock that stands still between two writes is not what is tested


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "exercises of today").mkdir()
    file = tmp_path / "exercises of today" / "exercise.py"
    file.write_text("old")
    return file


@pytest.mark.parametrize("save", [in_place, by_another_file, removed, renamed, with_the_same_text])
async def test_a_save_is_noticed(save: Callable[[Path], None], file: Path) -> None:
    saves = aiter(FileWatcher(file))
    save(file)
    await anext(saves)
    await saves.aclose()


async def test_a_save_between_two_looks_is_not_lost(file: Path) -> None:
    saves = FileWatcher(file)
    file.write_text("saved before anybody waits for it")
    steps = aiter(saves)
    await anext(steps)
    file.write_text("saved while the first one is looked at")
    await anext(steps)
    await steps.aclose()


async def test_a_folder_that_goes_and_comes_back_is_followed(file: Path) -> None:
    steps = aiter(FileWatcher(file))
    shutil.rmtree(file.parent)
    await anext(steps)
    file.parent.mkdir()
    file.write_text("back again")
    await anext(steps)
    file.write_text("and saved once more")
    await anext(steps)
    await steps.aclose()


async def test_another_file_is_nobodys_business(file: Path) -> None:
    steps = aiter(FileWatcher(file))
    (file.parent / "notes.txt").write_text("by the way")
    waiting = asyncio.ensure_future(anext(steps))
    done, _ = await asyncio.wait([waiting], timeout=0.3)
    assert not done
    file.write_text("new and longer")
    await waiting
    await steps.aclose()


def test_on_windows_a_file_that_is_being_read_is_replaced_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = [PermissionError(13, "Access is denied")] * 3
    replace = Path.replace

    def refuse(new: Path, file: Path) -> Path:
        if refusals:
            raise refusals.pop()
        return replace(new, file)

    monkeypatch.setattr(atomic_write.sys, "platform", "win32")
    monkeypatch.setattr(atomic_write.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(Path, "replace", refuse)
    write_atomically(tmp_path / "progress.json", b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["progress.json"]
    assert (tmp_path / "progress.json").read_bytes() == b"new"


def refused(*_: object, **_named: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_file_is_written_where_nothing_has_permissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "chmod", refused)
    write_atomically(tmp_path / "manifest.json", b"new")
    assert (tmp_path / "manifest.json").read_bytes() == b"new"


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "progress.json"
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", refused)
    with pytest.raises(PermissionError) as refusal:
        write_atomically(file, b"new")
    assert refusal.value.filename == str(file)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"old"]


def test_a_folder_that_takes_no_file_is_told_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_write.tempfile, "mkstemp", refused)
    with pytest.raises(PermissionError) as refusal:
        write_atomically(tmp_path / "handout.html", b"new")
    assert refusal.value.filename == str(tmp_path / "handout.html")
