"""Triton without its compiled library.

So kernels run on the simulator where Triton has no wheel, as on a Mac.

Triton is two things in one wheel: Python files, in which its language, its front end and its interpreter are written,
and a compiled library that builds and optimises code. The simulator needs only the former. So `files` fetches them, and
`stand_in` takes the library's place.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path


def provide() -> None:
    """Make Triton importable in a process without a GPU's kernels.

    Where Triton is installed, nothing happens. Where it is not, its Python files are fetched if they have not been
    before. Raises NoTritonError if that is impossible.
    """
    # triton-windows looks for what compiles for a GPU when it is imported (its windows_utils.py); here nothing does.
    warnings.filterwarnings("ignore", message="Failed to find (CUDA|MSVC|Windows SDK|Python libs)")
    if _is_missing():
        from triton_simulator.without_library import files, stand_in

        sys.path.append(str(files.ensure_files()))
        stand_in.install()


def provide_cached() -> None:
    """Make Triton importable from files that were fetched before.

    Raises NoTritonError if there are none.
    """
    if _is_missing():
        from triton_simulator.without_library import files

        if files.cache().is_dir():
            provide()


def fetch_if_needed() -> None:
    """Fetch now what `provide` would fetch.

    Do this before a terminal app starts, in whose processes nobody would see it happen.

    Raises NoTritonError.
    """
    if not has_library():
        from triton_simulator.without_library import files

        files.ensure_files()


def has_backend(*, nvidia: bool) -> bool:
    """Return whether Triton's wheel compiles for NVIDIA's or AMD's GPUs."""
    spec = importlib.util.find_spec("triton")
    if spec is None or spec.origin is None:
        return False
    vendor = "nvidia" if nvidia else "amd"
    return Path(spec.origin).with_name("backends").joinpath(vendor, "compiler.py").is_file()


def has_library() -> bool:
    """Return whether Triton is installed with its compiled library.

    The files that were fetched without it may be importable: xdist's workers inherit the search path of their parent.
    """
    if _has_stand_in():
        return False
    spec = importlib.util.find_spec("triton")
    if spec is None:
        return False
    folders = spec.submodule_search_locations or ()
    return any(Path(folder, "_C").is_dir() for folder in folders)


def _is_missing() -> bool:
    """Return whether the library and its stand-in are both missing."""
    return not has_library() and not _has_stand_in()


def _has_stand_in() -> bool:
    """Return whether something stands in for the library already.

    `stand_in` is imported only to become that.
    """
    stand_in = sys.modules.get("triton_simulator.without_library.stand_in")
    return stand_in is not None and stand_in.is_installed()
