"""The platforms that `workshop pack` packs for: how markers and the tags of wheels describe each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from packaging.markers import Environment
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms

from triton_workshop.errors import MisuseError

SYSTEMS = {"darwin": "Darwin", "win32": "Windows", "linux": "Linux"}
"""What `platform.system()` returns for each `sys.platform`."""
NEWEST_GLIBC, OLDEST_GLIBC = 28, 5
"""The manylinux_2_N tags that we take: what is built for these runs on Debian 10, Ubuntu 20.04, RHEL 8, and newer."""


@dataclass(frozen=True)
class Platform:
    """One kind of laptop: what Python calls its system and machine, and the platform tags of wheels that it takes."""

    name: str
    title: str
    system: str
    machine: str
    tags: tuple[str, ...]

    @property
    def program(self) -> str:
        """uv's file there."""
        return "uv.exe" if self.system == "win32" else "uv"

    def environment(self, python: str) -> Environment:
        """The values of markers such as `sys_platform == "darwin"`, for a Python such as 3.12."""
        return {
            "implementation_name": "cpython",
            "implementation_version": f"{python}.0",
            "os_name": "nt" if self.system == "win32" else "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": SYSTEMS[self.system],
            "platform_version": "",
            "python_full_version": f"{python}.0",
            "python_version": python,
            "sys_platform": self.system,
        }

    def wheel_tags(self, python: str) -> Sequence[Tag]:
        """The tags of wheels that a Python such as 3.12 takes there, the best first."""
        major, minor = map(int, python.split("."))
        interpreter = f"cp{major}{minor}"
        return [
            *cpython_tags((major, minor), platforms=self.tags),
            *compatible_tags((major, minor), interpreter, self.tags),
        ]


def _linux(machine: str) -> Platform:
    newest_first = range(NEWEST_GLIBC, OLDEST_GLIBC - 1, -1)
    tags = (*(f"manylinux_2_{minor}_{machine}" for minor in newest_first), f"manylinux2014_{machine}")
    return Platform(f"linux-{machine}", f"Linux, {machine}, glibc 2.{NEWEST_GLIBC} or newer", "linux", machine, tags)


MAC_TAGS = tuple(mac_platforms((14, 0), "arm64"))
MACOS = Platform("macos-arm64", "Mac with Apple silicon, macOS 14 or newer", "darwin", "arm64", MAC_TAGS)
WINDOWS = Platform("windows-x86_64", "Windows 10 or 11, x86-64", "win32", "AMD64", ("win_amd64",))
LINUX = _linux("x86_64")
PLATFORMS = {platform.name: platform for platform in (MACOS, WINDOWS, LINUX, _linux("aarch64"))}
USUAL = (MACOS.name, WINDOWS.name, LINUX.name)


def named(names: Sequence[str]) -> list[Platform]:
    """The platforms with these names, each once. Raises MisuseError if there is no such platform."""
    for name in names:
        if name not in PLATFORMS:
            raise MisuseError(f"--platform {name}: expected {either(PLATFORMS)}")
    return [PLATFORMS[name] for name in dict.fromkeys(names)]


def either(names: Iterable[str]) -> str:
    """The names as a choice: one, two or three."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
