"""Every platform of the table has a wheel for every package of our uv.lock."""

from __future__ import annotations

import pytest
from packaging.pylock import Pylock

from triton_workshop.errors import MisuseError
from triton_workshop.packing.locked import choose, locked
from triton_workshop.packing.platforms import PLATFORMS, named

FAT32 = 2**32 - 1
"""The longest file, in bytes, of a stick that is formatted as most are sold."""
TRITON = {
    "macos-arm64": set(),
    "windows-x86_64": {"triton-windows"},
    "linux-x86_64": {"triton"},
    "linux-aarch64": {"triton"},
}


@pytest.fixture(scope="module")
def lock() -> Pylock:
    return locked()


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_our_lock_file_has_wheels_for_every_platform(lock: Pylock, platform: str, python: str) -> None:
    wheels = choose(lock, PLATFORMS[platform], python)
    names = {wheel.name for wheel in wheels}
    assert len(names) == len(wheels)
    assert names >= {"numpy", "pytest", "textual", "torch", "torchvision"}
    assert {name for name in names if name.startswith("triton")} == TRITON[platform]
    assert max(wheel.size for wheel in wheels) < FAT32


@pytest.mark.parametrize("python", ["3.10", "3.19", "3", "three"])
def test_another_python_is_told_which_ones_there_are(lock: Pylock, python: str) -> None:
    expected = (
        f"--python {python}: expected 3.11, 3.12, 3.13 or 3.14, for which all packages have wheels on macos-arm64"
    )
    with pytest.raises(MisuseError) as told:
        choose(lock, PLATFORMS["macos-arm64"], python)
    assert str(told.value) == expected


def test_platforms_are_packed_once_each_in_the_order_named() -> None:
    assert [each.name for each in named(["linux-x86_64", "macos-arm64", "linux-x86_64"])] == [
        "linux-x86_64",
        "macos-arm64",
    ]
