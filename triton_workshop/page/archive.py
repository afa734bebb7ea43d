"""Packs the Python of a page: the modules of ours that it needs, Triton's Python files, and the names of PyTorch."""

from __future__ import annotations

import functools
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from triton_simulator.without_library import files
from triton_workshop.errors import WorkshopError
from triton_workshop.exercises import EXERCISES
from triton_workshop.page.imports import modules_in, modules_needed
from triton_workshop.repository import ROOT

ROOTS = (
    "triton_workshop.utils_debug",
    *modules_in("triton_workshop.page.inside"),
    *modules_in("triton_workshop.page.torch"),
    *(exercise.package for exercise in EXERCISES.values()),
)
"""What a page, a script in it or a table of ours imports by its name."""
DATA = (
    "triton_workshop/languages.toml",
    "triton_workshop/exercises/common.toml",
    "triton_workshop/exercises/*/mistakes.toml",
    "triton_workshop/exercises/*/shipped.txt",
    "triton_workshop/checking/judging/*.toml",
    "slides/poseidon_triton.jpeg",
)
"""What those modules and scripts read."""
NAMES = "triton_workshop/page/torch/laptop_names.json"
OWNERS = ("torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.cuda", "torch.autograd")
PYTHON = "3.14"
"""The version of the page's Python, which decides what compiled code it takes."""
FOLDER = "/page"
"""Where everything of our own lies in the page."""
READ = re.compile(rb"@(triton\.)?(runtime\.)?jit\b|\b_?constexpr_function\b|= jit\(")
"""What Triton reads the text of, in its own modules."""
COMPILE = Path(__file__).with_name("compile_zip.py")
PRINT_NAMES = """
import functools, json, sys, torch
owner = lambda name: functools.reduce(getattr, name.split(".")[1:], torch)
print(json.dumps({name: sorted(each for each in dir(owner(name)) if each[:1] != "_") for name in sys.argv[1:]}))
"""
NOT_TRITONS = ("backends/amd/", "experimental/gsan/")
"""Those of Triton's Python files that nothing imports in a page."""


def packed() -> bytes:
    """A zip of everything, as it lies in the page's root. Raises WorkshopError."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in sorted(contents_by_name()):
            archive.writestr(zipfile.ZipInfo(name), contents, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def contents_by_name() -> Iterator[tuple[str, bytes]]:
    """What goes in: each file's path in the page, and its bytes."""
    for path, file in own_files().items():
        yield path, _read(file)
    yield from _triton()
    yield NAMES, names_of_torch()


@functools.cache  # it reads two hundred modules, and is asked for sizes, digests and contents
def own_files() -> dict[str, Path]:
    """Our own files, by their paths in the page."""
    data = [
        *(file for pattern in DATA for file in ROOT.glob(pattern)),
        *(each.solution_file for each in EXERCISES.values()),
    ]
    return modules_needed(ROOTS) | {file.relative_to(ROOT).as_posix(): file for file in sorted(data)}


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WorkshopError(
            f"The page needs {file.relative_to(ROOT)}, which cannot be read: {error.strerror}."
        ) from error


def _triton() -> Iterator[tuple[str, bytes]]:
    """Triton's Python files, as they are kept for machines that Triton has no wheel for."""
    home = files.ensure_files()
    for file in sorted((home / "triton").rglob("*.py")):
        if not file.relative_to(home / "triton").as_posix().startswith(NOT_TRITONS):
            yield file.relative_to(home).as_posix(), file.read_bytes()


def names_of_torch() -> bytes:
    """The names of PyTorch as it is installed here, by their owner: what a page says "on your laptop it works" of."""
    command = [sys.executable, "-c", PRINT_NAMES, *OWNERS]
    return subprocess.run(command, capture_output=True, check=True).stdout


def with_text(archive: zipfile.ZipFile) -> Iterator[str]:
    """Modules of ours and Triton's whose text is read in a page."""
    for name in archive.namelist():
        if name.startswith("solutions/") or (name.startswith("triton/") and READ.search(archive.read(name))):
            yield name


def compiled(archive: bytes, core: Path, folder: str, *read: str) -> bytes | None:
    """A zip with its modules compiled for the page's Python, by CPython or by Pyodide in node, from its folder `core`.

    The modules will lie in `folder`. Those whose names begin with one of `read` keep their text too; without any,
    docstrings go. None if there is neither of the two Pythons: then the page compiles everything whenever it starts.
    """
    uv, node = os.environ.get("UV") or shutil.which("uv"), shutil.which("node")
    with tempfile.TemporaryDirectory(prefix="workshop-") as place:
        before, after = Path(place, "before.zip"), Path(place, "after.zip")
        before.write_bytes(archive)
        words = [str(before), str(after), folder, "0" if read else "2", *read]
        for command in (
            [uv, "run", "--no-project", "--quiet", "--python", PYTHON, str(COMPILE)],
            [node, str(COMPILE.with_suffix(".mjs")), str(core)],
        ):
            if command[0] and _succeeds([str(command[0]), *map(str, command[1:]), *words]):
                return after.read_bytes()
    return None


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
