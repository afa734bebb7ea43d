"""A folder is filled once, goes on after every kind of interruption, and says in a sentence what is in its way."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from triton_workshop.cli import app
from triton_workshop.errors import WorkshopError
from triton_workshop.packing import commands, pack
from triton_workshop.packing.download import part_of
from triton_workshop.packing.pack import PackingPlan, check_room, fill
from triton_workshop.packing.platforms import LINUX, MACOS

from .conftest import Registry, zip_of


def silent(name: str, size: int) -> None:
    """Nobody to tell."""


@pytest.fixture
def plan(registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PackingPlan:
    """Two platforms that share a wheel. Triton's files and the repository are small."""

    kept, folder = tmp_path / "kept", tmp_path / "stick"
    folder.mkdir()
    (kept / "triton").mkdir(parents=True)
    (kept / "triton" / "__init__.py").write_text("# Triton")
    triton_files = SimpleNamespace(ready=lambda: kept, archive=lambda: "triton-3.0-python.zip")
    monkeypatch.setattr(pack, "triton_files", triton_files)
    monkeypatch.setattr(pack, "repository", lambda without: zip_of({"README.md": b"read me"}))
    shared = registry.wheel("a-1-py3-none-any.whl", zip_of({"a.py": bytes(5000)}))
    torch = registry.wheel("torch-2-cp312-cp312-macosx_14_0_arm64.whl", zip_of({"torch.py": bytes(7000)}))
    uv = zip_of({"uv-1.data/scripts/uv": b"uv"})
    mac_uv = registry.wheel("uv-1-py3-none-macosx_11_0_arm64.whl", uv)
    linux_uv = registry.wheel("uv-1-py3-none-manylinux2014_x86_64.whl", uv)
    return PackingPlan(folder, "3.12", {MACOS: (shared, torch, mac_uv), LINUX: (shared, linux_uv)})


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_the_manifest_lists_every_file(plan: PackingPlan) -> None:
    fill(plan, silent)
    manifest = json.loads((plan.folder / "manifest.json").read_text())
    assert names(plan.folder) == sorted([*manifest["files"], "manifest.json"])
    for name, said in manifest["files"].items():
        data = (plan.folder / name).read_bytes()
        assert said == {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert {name for needs in manifest["platforms"].values() for name in needs["files"]} < {*manifest["files"]}


def test_a_platform_gets_its_wheels_hashes_and_uv(plan: PackingPlan) -> None:
    fill(plan, silent)
    a, torch, _ = plan.wheels[MACOS]
    requirements = (plan.folder / "requirements-macos-arm64.txt").read_text()
    assert requirements == f"a==1 --hash=sha256:{a.sha256}\ntorch==2 --hash=sha256:{torch.sha256}\n"
    assert (plan.folder / "uv" / "macos-arm64" / "uv").read_bytes() == b"uv"
    assert zipfile.ZipFile(plan.folder / "triton-3.0-python.zip").namelist() == ["triton/__init__.py"]
    page = (plan.folder / "START-HERE.txt").read_text()
    assert "uv/macos-arm64/uv run install.py" in page
    assert "Windows" not in page


def test_packing_again_downloads_and_writes_nothing(plan: PackingPlan, registry: Registry) -> None:
    fill(plan, silent)
    written = {name: (plan.folder / name).stat().st_mtime_ns for name in names(plan.folder)}
    registry.answers.clear()
    fill(plan, silent)
    assert {name: (plan.folder / name).stat().st_mtime_ns for name in names(plan.folder)} == written
    assert registry.answers == []


def test_a_damaged_wheel_is_downloaded_again(plan: PackingPlan, registry: Registry) -> None:
    fill(plan, silent)
    torch = plan.wheels[MACOS][1]
    plan.path(torch).write_bytes(bytes(torch.size))
    registry.answers.clear()
    fill(plan, silent)
    assert registry.answers == [(torch.file, 0)]


def test_damaged_files_of_triton_are_written_again(plan: PackingPlan) -> None:
    fill(plan, silent)
    file = plan.folder / "triton-3.0-python.zip"
    whole = file.read_bytes()
    file.write_bytes(whole[:50] + bytes([whole[50] ^ 0xFF]) + whole[51:])  # a byte of what is compressed
    fill(plan, silent)
    assert file.read_bytes() == whole


def test_an_interrupted_folder_goes_on(plan: PackingPlan, registry: Registry) -> None:
    def interrupt(name: str, size: int) -> None:
        if name.startswith("torch"):
            raise KeyboardInterrupt

    torch = plan.wheels[MACOS][1]
    with pytest.raises(KeyboardInterrupt):
        fill(plan, interrupt)
    part_of(plan.path(torch)).write_bytes(registry.files[torch.file][:1000])
    assert plan.missing(plan.wheels[MACOS][:2]) == torch.size - 1000
    registry.answers.clear()
    fill(plan, silent)
    assert registry.answers[0] == (torch.file, 1000)
    assert len(registry.answers) == 3


def test_a_disk_that_fills_up_is_told(plan: PackingPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(WorkshopError, match=r"is full; make room. To go on then, type the same command again"):
            fill(plan, silent)
    fill(plan, silent)


def test_a_disk_that_is_too_small_is_told_before(plan: PackingPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack.shutil, "disk_usage", lambda folder: SimpleNamespace(free=150_000_000))
    with pytest.raises(WorkshopError, match="expected 210 MB of free space, found 150 MB; make room, or name fewer"):
        check_room(plan)


def test_who_does_not_agree_gets_nothing(
    plan: PackingPlan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "planned", lambda *_: plan)
    assert commands.run_pack(plan.folder, [], None, lambda question: False) == commands.FAILED
    assert names(plan.folder) == []
    printed = capsys.readouterr().out
    assert "macos-arm64" in printed
    assert "Nothing was packed." in printed


def test_an_interruption_is_told(
    plan: PackingPlan, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "planned", lambda *_: plan)
    monkeypatch.setattr(commands, "fill", interrupt)
    assert commands.run_pack(plan.folder, [], None, lambda question: True) == commands.INTERRUPTED
    assert capsys.readouterr().err == "Stopped. To go on, type the same command again.\n"


@pytest.mark.parametrize(
    ("folder", "platform", "said"),
    [
        ("missing", "macos-arm64", "missing: expected a folder, found no such folder; plug the stick in, or make"),
        ("file", "macos-arm64", "file: expected a folder, found a file"),
        (".", "amiga", "--platform amiga: expected macos-arm64, windows-x86_64, linux-x86_64 or linux-aarch64"),
    ],
)
def test_misuse_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, platform: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    result = CliRunner().invoke(app, ["pack", folder, "--platform", platform, "--yes"])
    assert result.exit_code == commands.MISUSE
    assert result.stderr.startswith(said)
