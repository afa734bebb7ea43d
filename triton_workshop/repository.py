"""Where the repository is that this package is part of: its exercises, solutions, slides and results lie there."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder of pyproject.toml. In a package that is installed elsewhere, the folder that has the package."""
