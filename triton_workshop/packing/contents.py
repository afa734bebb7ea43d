"""What a packed folder holds besides wheels, as text and bytes: hashes, uv's programs, START-HERE.txt, install.py."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

from triton_workshop.packing.locked import Wheel
from triton_workshop.packing.platforms import Platform

ANY_PYTHON = '# requires-python = ">=3.11"'
"""The line of install.py that says which Python runs it."""
TERMINALS = {
    "darwin": "Open Terminal: press Command and Space, type terminal, and press Return.",
    "win32": "Open PowerShell: press the Windows key, type powershell, and press Enter.",
    "linux": "Open a terminal.",
}
RUN = {False: "uv/{name}/uv run install.py", True: r".\uv\{name}\uv run install.py"}
"""What to type in the folder, on Windows (True) and elsewhere."""
DOWNLOAD = {
    False: """\
    curl -O http://192.0.2.1:8000/uv/{name}/uv
    chmod +x uv
    ./uv run http://192.0.2.1:8000/install.py --from http://192.0.2.1:8000""",
    True: """\
    curl.exe -O http://192.0.2.1:8000/uv/{name}/uv.exe
    .\\uv run http://192.0.2.1:8000/install.py --from http://192.0.2.1:8000""",
}
"""What to type where the folder is served by a machine whose address is 192.0.2.1, as in every textbook."""


def requirements(wheels: Iterable[Wheel]) -> str:
    """A requirements file that takes these wheels and no others."""
    return "".join(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n" for wheel in wheels)


def uv_program(wheel: Path, platform: Platform) -> bytes:
    """uv's program for a platform, out of its wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(f".data/scripts/{platform.program}"))
        return archive.read(name)


def installer(python: str) -> str:
    """install.py, which uv runs with the Python that the wheels are for."""
    text = Path(__file__).with_name("install.py").read_text(encoding="utf-8")
    assert ANY_PYTHON in text
    return text.replace(ANY_PYTHON, f'# requires-python = "=={python}.*"')


def start_here(python: str, needs: Mapping[Platform, int]) -> str:
    """START-HERE.txt: what to type on each platform, and how many bytes the workshop takes there."""
    page = Template(Path(__file__).with_name("start_here.txt").read_text(encoding="utf-8"))
    sections = (
        f"{each.title}; takes {size_of(size)}\n    {TERMINALS[each.system]}\n        {_command(RUN, each)}\n"
        for each, size in needs.items()
    )
    downloads = (f"{each.title}\n{_command(DOWNLOAD, each)}\n" for each in needs)
    return page.substitute(python=python, sections="\n".join(sections), downloads="\n".join(downloads))


def _command(commands: Mapping[bool, str], platform: Platform) -> str:
    return commands[platform.system == "win32"].format(name=platform.name)


def unpacked(wheels: Iterable[Path]) -> int:
    """How many bytes wheels hold once they are installed."""
    return sum(sum(member.file_size for member in zipfile.ZipFile(wheel).infolist()) for wheel in wheels)


def size_of(count: int) -> str:
    """A number of bytes as people say it: 286 MB, 3.1 GB."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
