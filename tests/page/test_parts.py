"""The page's parts: fetched once, checked, and told where they come from if they cannot be had."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from triton_simulator.without_library.files import CACHE_VARIABLE
from triton_workshop.errors import WorkshopError
from triton_workshop.page import parts
from triton_workshop.page.progress import progress_bar

PYODIDE = b"const u = `https://distribution.example/v${U}/full/`;"
CONTENTS = {"pyodide.mjs": PYODIDE, "pyodide-lock.json": b"{}", "some.js": b"export {};", "some.whl": b"a wheel"}


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Three parts of two packages, and a wheel; returns the empty folder where npm's packages are looked for."""

    def file(name: str) -> str:
        return f'size = {len(CONTENTS[name])}, sha256 = "{hashlib.sha256(CONTENTS[name]).hexdigest()}"'

    def package(name: str, *names: str) -> str:
        files = ", ".join(f'{{ name = "{each}", path = "dist/{each}", {file(each)} }}' for each in names)
        return f'[[npm]]\npackage = "{name}"\nfiles = [{files}]\n'

    wheel = '[[wheel]]\nname = "some.whl"\n' + file("some.whl").replace(", ", "\n")
    (tmp_path / "list.toml").write_text(
        package("pyodide@314.0.3", "pyodide.mjs", "pyodide-lock.json") + package("@some/thing@1.0.0", "some.js") + wheel
    )
    monkeypatch.setattr(parts, "LIST_FILE", tmp_path / "list.toml")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    parts.list_parts.cache_clear()
    registry = tmp_path / "registry"
    registry.mkdir()
    yield registry
    parts.list_parts.cache_clear()


@pytest.fixture
def npm(listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in npm's place, which copies packages from a folder; returns the file with what it was asked for."""
    for package, names in (("pyodide-314.0.3", list(CONTENTS)[:2]), ("some-thing-1.0.0", ["some.js"])):
        with tarfile.open(listed / f"{package}.tgz", "w:gz") as archive:
            for name in names:
                member = tarfile.TarInfo(f"package/dist/{name}")
                member.size = len(CONTENTS[name])
                archive.addfile(member, io.BytesIO(CONTENTS[name]))
    asked, program = tmp_path / "asked", tmp_path / "npm"
    program.write_text(f'#!/bin/sh\necho "$@" >> {asked}\ncp {listed}/*.tgz .\n')
    program.chmod(0o755)
    monkeypatch.setattr(parts, "_npm", lambda: [str(program)])
    return asked


def copies(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(CONTENTS[name])
    return folder


def test_a_folder_with_all_parts_needs_no_network(
    listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_npm", lambda: pytest.fail("npm was asked"))
    files = parts.ensure_parts(copies(tmp_path / "stick", *CONTENTS))
    assert {name: file.read_bytes() for name, file in files.items()} == CONTENTS
    assert parts.ensure_parts() == files == parts.cached_parts()


def test_npm_fetches_each_package_once(listed: Path, npm: Path, tmp_path: Path) -> None:
    said: list[str] = []
    for _ in range(2):
        files = parts.ensure_parts(copies(tmp_path / f"wheels{len(said)}", "some.whl"), said.append)
    assert {name: file.read_bytes() for name, file in files.items()} == CONTENTS
    assert [line.split(" --")[0] for line in npm.read_text().splitlines()] == ["pack @some/thing@1.0.0 pyodide@314.0.3"]
    assert len(said) == 1


def test_what_is_fetched_is_told_in_bytes(listed: Path, npm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = npm.parent / "full" / "some.whl"
    wheel.parent.mkdir()
    wheel.write_bytes(CONTENTS["some.whl"])
    monkeypatch.setattr(parts, "distribution", lambda core: f"{wheel.parent.as_uri()}/")
    heard = list[tuple[str, int, int]]()
    parts.ensure_parts(advance=lambda *told: heard.append(told))
    of_npm = sum(len(data) for name, data in CONTENTS.items() if name != "some.whl")
    assert heard[0] == (parts.NPM, 0, of_npm)
    assert heard[-1] == ("some.whl", len(CONTENTS["some.whl"]), len(CONTENTS["some.whl"]))


def test_a_terminal_shows_megabytes_and_a_file_only_sentences() -> None:
    for terminal in (True, False):
        screen = io.StringIO()
        with progress_bar(Console(file=screen, force_terminal=terminal, width=80)) as (tell, advance):
            tell("npm fetches [17] packages")
            advance("npm's packages", 5_000_000, 20_000_000)
        assert "npm fetches [17] packages" in screen.getvalue()
        assert ("5.0/20.0 MB" in screen.getvalue()) is terminal


def test_another_file_of_the_same_name_is_refused(listed: Path, tmp_path: Path) -> None:
    folder = copies(tmp_path / "stick", *CONTENTS)
    (folder / "some.js").write_bytes(b"alert()")
    with pytest.raises(WorkshopError, match=r"some\.js from .* is not the file"):
        parts.ensure_parts(folder)
    assert parts.cached_parts() is None


def test_without_a_network_the_message_names_what_is_missing(
    listed: Path, npm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = parts.distribution
    monkeypatch.setattr(parts, "distribution", lambda core: where(core).replace("https://", "file:///nowhere/"))
    with pytest.raises(WorkshopError, match=r"(?s)needs some\.whl.*full/some\.whl cannot be reached.*--parts FOLDER"):
        parts.ensure_parts()


def test_what_npm_says_is_passed_on(listed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "npm"
    program.write_text("#!/bin/sh\necho 'no such registry' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(parts, "_npm", lambda: [str(program)])
    with pytest.raises(WorkshopError, match=r"(?s)needs pyodide\.mjs, .*no such registry"):
        parts.ensure_parts()
    left = {file.name for file in parts.parts_folder().iterdir()}
    assert left <= {"fetching.lock"}


def test_the_list_names_each_part_once() -> None:
    names = [part.name for part in parts.list_parts()]
    assert len(names) == len(set(names))
    assert sum(part.size for part in parts.list_parts()) < 20e6
