"""Repository that this package is part of.

Its exercises, solutions, slides and results lie there.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of pyproject.toml.

In a package that is installed elsewhere, it is the folder that has the package.
"""
PICTURE = ROOT / "slides" / "poseidon_triton.jpeg"
"""The workshop's picture, for kernels that compute one."""


def short_path(path: Path) -> Path:
    """Return the path as short as it can be written from the current folder."""
    folders = [folder for folder in (Path.cwd(), ROOT) if path.is_relative_to(folder)]
    return path.relative_to(folders[0]) if folders else path
