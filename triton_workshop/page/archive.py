"""Archive of a page's Python.

It holds the modules of ours that a page needs, Triton's Python files, and the names of PyTorch.
"""

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
from itertools import chain
from pathlib import Path

from triton_simulator.without_library import files
from triton_workshop.errors import WorkshopError
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.page.imports import collect_modules, modules_in
from triton_workshop.repository import ROOT

ROOTS = (
    "triton_workshop.utils_debug",
    *modules_in("triton_workshop.page.inside"),
    *modules_in("triton_workshop.page.torch"),
    *(exercise.package for exercise in EXERCISES.values()),
    *(f"{EXERCISES[number].package}.workload" for number in WORKLOADS),
)
"""Modules that a page, a script in it or a table of ours names."""
DATA = (
    "triton_workshop/languages.toml",
    "triton_workshop/exercises/common.toml",
    "triton_workshop/exercises/*/goals.toml",
    "triton_workshop/exercises/*/mistakes.toml",
    "triton_workshop/exercises/*/shipped.txt",
    "triton_workshop/hints/*.toml",
    "slides/poseidon_triton.jpeg",
)
"""Files that those modules and scripts read."""
TORCH_NAMES_FILE = "triton_workshop/page/torch/laptop_names.json"
OWNERS = ("torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.cuda", "torch.autograd")
PYTHON = "3.14"
"""Version of the page's Python, which decides what compiled code it takes."""
FOLDER = "/page"
"""Folder of our own files in the page."""
READS_SOURCE = re.compile(rb"@(triton\.)?(runtime\.)?jit\b|\b_?constexpr_function\b|= jit\(")
"""Pattern of modules of Triton's whose text Triton reads."""
COMPILE = Path(__file__).with_name("compile_zip.py")
PRINT_NAMES = """
import functools, json, sys, torch
owner = lambda name: functools.reduce(getattr, name.split(".")[1:], torch)
print(json.dumps({name: sorted(each for each in dir(owner(name)) if each[:1] != "_") for name in sys.argv[1:]}))
"""
EXCLUDED_TRITON_FILES = ("backends/amd/", "experimental/gluon/", "experimental/gsan/")
"""Python files of Triton's that nothing imports in a page."""


def pack_archive() -> bytes:
    """Return a zip of everything, as it lies in the page's root.

    Raises WorkshopError.
    """
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in sorted(archive_contents()):
            # Without the time of the file: the same content is the same archive, and has the same digest.
            archive.writestr(zipfile.ZipInfo(name), contents, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def archive_contents() -> Iterator[tuple[str, bytes]]:
    """Yield the path in the page and the bytes of each file."""
    for path, file in repository_files().items():
        yield path, _read(file)
    yield from _triton()
    yield TORCH_NAMES_FILE, torch_names()


@functools.cache  # it reads two hundred modules, and is asked for sizes, digests and contents
def repository_files() -> dict[str, Path]:
    """Return our own files, by their paths in the page."""
    data = [
        *chain.from_iterable(ROOT.glob(pattern) for pattern in DATA),
        *(exercise.solution_file for exercise in EXERCISES.values()),
    ]
    return collect_modules(ROOTS) | {file.relative_to(ROOT).as_posix(): file for file in sorted(data)}


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise WorkshopError(
            f"The page needs {file.relative_to(ROOT)}, which cannot be read: {error.strerror}."
        ) from error


def _triton() -> Iterator[tuple[str, bytes]]:
    """Yield Triton's Python files, as machines without its wheel have them."""
    home = files.ensure_files()
    for file in sorted((home / "triton").rglob("*.py")):
        if not file.relative_to(home / "triton").as_posix().startswith(EXCLUDED_TRITON_FILES):
            yield file.relative_to(home).as_posix(), file.read_bytes()


def torch_names() -> bytes:
    """Return the names of the installed PyTorch by owner, as JSON.

    Of these, a page says that they work on a laptop.
    """
    command = [sys.executable, "-c", PRINT_NAMES, *OWNERS]
    return subprocess.run(command, capture_output=True, check=True).stdout


def modules_with_text(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield modules of ours and Triton's whose text is read in a page."""
    for name in archive.namelist():
        if _has_visible_text(archive, name):
            yield name


def _has_visible_text(archive: zipfile.ZipFile, name: str) -> bool:
    if name.startswith("triton/"):
        return READS_SOURCE.search(archive.read(name)) is not None
    return name.startswith("solutions/")


class NotCompiledError(Exception):
    """No Python could compile an archive; it says why."""


def compile_archive(archive: bytes, core: Path, target_folder: str, *text_prefixes: str) -> bytes:
    """Return a zip with its modules compiled for the page's Python.

    CPython does it, or Pyodide in node, from its folder `core`. The modules will lie in `target_folder`. Those whose
    names begin with one of `text_prefixes` keep their text too; without any, docstrings go. Raises NotCompiledError:
    then the page compiles everything whenever it starts.
    """
    # `uv run` names itself in UV, as it need not be on the PATH.
    uv, node = os.environ.get("UV") or shutil.which("uv"), shutil.which("node")
    with tempfile.TemporaryDirectory(prefix="workshop-") as folder_path:
        source, target = Path(folder_path, "before.zip"), Path(folder_path, "after.zip")
        source.write_bytes(archive)
        options = [str(source), str(target), target_folder, "0" if text_prefixes else "2", *text_prefixes]
        # The first Python that is there compiles: CPython by uv, or Pyodide in node.
        reasons = []
        for command in (
            [uv, "run", "--no-project", "--quiet", "--python", PYTHON, str(COMPILE)],
            [node, str(COMPILE.with_suffix(".mjs")), str(core)],
        ):
            if command[0] is None:
                continue
            words = [command[0], *map(str, command[1:]), *options]
            with Path(folder_path, "errors").open("w+b") as errors:  # into a pipe, node would write a part of them
                if subprocess.run(words, stdin=subprocess.DEVNULL, stderr=errors, check=False).returncode == 0:
                    return target.read_bytes()
                errors.seek(0)
                reasons += re.findall(r"^(?:\w*Error|error): .*", errors.read().decode(errors="replace"), re.MULTILINE)[
                    -1:
                ]
    raise NotCompiledError("; ".join(reasons) or f"there is neither uv with Python {PYTHON} nor node")
