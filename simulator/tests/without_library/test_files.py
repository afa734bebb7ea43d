"""Triton's Python files are fetched once, whole or not at all, and what goes wrong is said in a sentence.

uv is played by a script here; `.ci/laptops` fetches with uv itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import pytest

from triton_simulator.without_library import files
from triton_simulator.without_library.errors import NoTritonError

from ..tables import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uv is played by a script with a #! line")

UV = """\
#!{python}
import pathlib, sys
arguments = dict(zip(sys.argv[3::1], sys.argv[4::1]))
print(*sys.argv[1:], file=open({log!r}, "a"))
requirements = pathlib.Path(arguments["--requirements"]).read_text()
{more}
package = pathlib.Path(arguments["--target"], "triton")
for name in ("__init__.py", "language/core.py", "_C/libtriton.so", "_C/__init__.py", "backends/amd/driver.py", "a.h"):
    file = package / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(requirements)
"""


class Uv:
    """A script in uv's place, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.program, self._log = folder / "uv", folder / "log"

    def does(self, more: str = "") -> None:
        self.program.write_text(UV.format(python=sys.executable, log=str(self._log), more=more))
        self.program.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return self._log.read_text().splitlines() if self._log.exists() else []


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uv:
    """A machine without Triton, with a cache folder of its own."""
    uv = Uv(tmp_path)
    uv.does()
    monkeypatch.setenv("UV", str(uv.program))
    monkeypatch.setenv(files.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_find_installed", lambda: None)
    return uv


def kept(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def nothing_is_left(folder: Path) -> bool:
    return not folder.exists() or kept(folder) <= {"fetching.lock"}


def test_python_files_stay_and_compiled_code_goes(uv: Uv, tmp_path: Path) -> None:
    folder = files.ensure_files()
    assert kept(folder) == {"triton/__init__.py", "triton/language/core.py"}
    assert [path.name for path in folder.parent.iterdir() if path.is_dir()] == [folder.name]


def test_they_are_fetched_once(uv: Uv) -> None:
    assert files.ensure_files() == files.ensure_files()
    assert len(uv.calls) == 1


def test_version_and_hashes_are_those_of_uv_lock() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    triton = next(package for package in packages if package["name"] == "triton")
    wheels = [wheel for wheel in triton["wheels"] if wheel["url"].endswith("x86_64.whl")]
    assert tomllib.loads(files.WHEELS.read_text(encoding="utf-8")) == {
        "version": triton["version"],
        "bytes": max(wheel["size"] for wheel in wheels),
        "hashes": [wheel["hash"] for wheel in wheels],
    }


def test_uv_checks_the_hashes(uv: Uv) -> None:
    folder = files.ensure_files()
    assert "--require-hashes" in uv.calls[0]
    required = (folder / "triton" / "__init__.py").read_text()
    assert required.startswith(f"triton=={files.version()} ")
    hashes = re.findall(r"--hash=(\S+)", required)
    assert hashes
    assert hashes == tomllib.loads(files.WHEELS.read_text(encoding="utf-8"))["hashes"]


def test_a_failure_leaves_nothing_and_has_uvs_words(uv: Uv, tmp_path: Path) -> None:
    uv.does('sys.exit("error: Hash mismatch for `triton`")')
    with pytest.raises(
        NoTritonError, match=r"nothing was installed\. (.|\n)* uv says:\nerror: Hash mismatch for `triton`$"
    ):
        files.ensure_files()
    assert nothing_is_left(tmp_path / "cache")


def test_all_words_of_uv_are_told_if_none_says_error(uv: Uv) -> None:
    uv.does('sys.exit("Resolved 1 package\\nno space left")')
    with pytest.raises(NoTritonError, match=r"uv says:\nResolved 1 package\nno space left$"):
        files.ensure_files()


def test_what_a_killed_process_left_is_removed(uv: Uv, tmp_path: Path) -> None:
    left = tmp_path / "cache" / f"{files.PARTIAL_PREFIX}abc" / "wheel"
    left.mkdir(parents=True)
    files.ensure_files()
    assert not left.exists()


def test_a_disk_without_room_is_told_before_the_download(
    uv: Uv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "UNPACKED_BYTES", 10**18)
    with pytest.raises(NoTritonError, match=r"takes 1000000000\.0 GB for a moment, and .* GB free\. Make room, or set"):
        files.ensure_files()
    assert uv.calls == []
    assert nothing_is_left(tmp_path / "cache")


def test_a_folder_that_cannot_be_made_is_told(uv: Uv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(files.CACHE_VARIABLE, str(tmp_path / "file" / "cache"))
    with pytest.raises(NoTritonError, match=r"cannot be put into .*file/cache: Not a directory\. Check that"):
        files.ensure_files()


def test_without_uv_it_says_how_to_start(uv: Uv, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("UV")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(NoTritonError, match="Start this with `uv run`"):
        files.ensure_files()


FETCHING = """
import os, sys
from triton_simulator.without_library import files
files._find_installed = lambda: None
print("ready" if files.ensure_files().is_dir() else "missing")
"""


def test_of_two_processes_one_fetches_and_the_other_waits(uv: Uv, tmp_path: Path) -> None:
    # uv goes on only when the second process has said that it waits.
    uv.does(f"import time\nwhile not pathlib.Path({str(tmp_path / 'go')!r}).exists(): time.sleep(0.02)")
    pipe = subprocess.PIPE
    start = partial(subprocess.Popen, [sys.executable, "-c", FETCHING], stdout=pipe, stderr=pipe, text=True)
    with start() as first:
        assert first.stderr is not None
        assert first.stderr.readline().startswith("Triton has no package for this machine")
        with start() as second:
            assert second.stderr is not None
            waits = second.stderr.readline()
            (tmp_path / "go").touch()
            assert second.communicate(timeout=60)[0] == "ready\n"
        assert first.communicate(timeout=60)[0] == "ready\n"
    assert waits == "Another process is fetching Triton's Python files; this one waits for it.\n"
    assert len(uv.calls) == 1


def test_where_triton_is_installed_its_files_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv(files.CACHE_VARIABLE, str(tmp_path / "cache"))
    if files._find_installed() is None:
        pytest.skip("another version of Triton than uv.lock's is installed")
    copied = kept(files.ensure_files())
    assert {"triton/__init__.py", "triton/language/core.py"} <= copied
    assert all(name.endswith(".py") and "/_C/" not in name for name in copied)
