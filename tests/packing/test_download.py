"""A download goes on where it was interrupted, and ends with the right bytes or with a sentence."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from triton_workshop.errors import WorkshopError
from triton_workshop.packing.download import download, is_whole, part_of

from .conftest import Registry

DATA = bytes(range(250)) * 40


def silent(_: int) -> None:
    """Nobody to tell."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a-1-py3-none-any.whl"


def test_a_download_is_whole_and_leaves_nothing_else(registry: Registry, file: Path) -> None:
    told: list[int] = []
    wheel = registry.wheel(file.name, DATA)
    download(wheel, file, told.append)
    assert is_whole(wheel, file, silent)
    assert told[-1] == len(DATA)
    assert [*file.parent.iterdir()] == [file]


def test_a_download_goes_on_after_what_is_there(registry: Registry, file: Path) -> None:
    wheel = registry.wheel(file.name, DATA)
    part_of(file).write_bytes(DATA[:3000])
    download(wheel, file, silent)
    assert file.read_bytes() == DATA
    assert registry.answers == [(file.name, 3000)]


def test_it_goes_on_by_itself_for_as_long_as_more_comes(registry: Registry, file: Path) -> None:
    wheel = registry.wheel(file.name, DATA)
    registry.longest = 4000
    download(wheel, file, silent)
    assert file.read_bytes() == DATA
    assert [start for _, start in registry.answers] == [0, 4000, 8000]


def test_a_server_that_cannot_resume_sends_all_of_it(registry: Registry, file: Path) -> None:
    wheel = registry.wheel(file.name, DATA)
    registry.resumes = False
    part_of(file).write_bytes(b"something else")
    download(wheel, file, silent)
    assert file.read_bytes() == DATA


@pytest.mark.parametrize(("resumes", "longest", "kept"), [(True, 0, 3000), (False, 2000, 2000)])
def test_a_server_that_ends_early_is_named(
    registry: Registry, file: Path, resumes: bool, longest: int, kept: int
) -> None:
    wheel = registry.wheel(file.name, DATA)
    part_of(file).write_bytes(DATA[:3000])
    registry.resumes, registry.longest = resumes, longest
    with pytest.raises(WorkshopError, match=f"the server ended early, after {kept} of 10000 bytes; type the same"):
        download(wheel, file, silent)
    assert part_of(file).read_bytes() == DATA[:kept]


def test_a_wrong_hash_is_told_and_nothing_of_it_kept(registry: Registry, file: Path) -> None:
    wheel = dataclasses.replace(registry.wheel(file.name, DATA), sha256="0" * 64)
    with pytest.raises(WorkshopError, match=r"its hash is not the one in uv\.lock, so it was removed"):
        download(wheel, file, silent)
    assert [*file.parent.iterdir()] == []


def test_a_file_that_has_been_damaged_is_not_whole(registry: Registry, file: Path) -> None:
    wheel = registry.wheel(file.name, DATA)
    file.write_bytes(DATA[::-1])
    assert not is_whole(wheel, file, silent)


def test_a_server_that_has_no_such_file_is_quoted(registry: Registry, file: Path) -> None:
    wheel = registry.wheel(file.name, DATA)
    registry.files.clear()
    with pytest.raises(WorkshopError, match="the server answered 404 Not Found"):
        download(wheel, file, silent)


def test_without_network_the_reason_is_told(registry: Registry, file: Path) -> None:
    wheel = dataclasses.replace(registry.wheel(file.name, DATA), url="http://127.0.0.1:1/a.whl")
    with pytest.raises(WorkshopError, match=r"cannot be reached \(.*refused\); check the network"):
        download(wheel, file, silent)
