"""What travels: the repository as a workshop begins, without the presenter's answers and caches."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from triton_workshop.packing import repository

FILES = {
    "README.md": "read me",
    ".ci/run": "run",
    ".git/config": "git",
    ".venv/lib/torch.py": "torch",
    ".env": "a secret",
    "roof.png": "drawn by workshop bench",
    "slides/images/roof.png": "a picture",
    "exercises/exercise_1.py": "an answer",
    "exercises/mine.py": "an attempt",
    "triton_workshop/__pycache__/cli.pyc": "compiled",
    "triton_workshop/checking/exercises/shipped/exercise_1.txt": "TODO",
    "stick/wheels/torch.whl": "packed",
}


def test_exercises_travel_as_they_are_shipped_and_caches_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(repository, "ROOT", tmp_path)
    packed = repository.repository(without=tmp_path / "stick")
    archive = zipfile.ZipFile(io.BytesIO(packed))
    assert archive.namelist() == [
        ".ci/run",
        "README.md",
        "exercises/exercise_1.py",
        "slides/images/roof.png",
        "triton_workshop/checking/exercises/shipped/exercise_1.txt",
    ]
    assert archive.read("exercises/exercise_1.py") == b"TODO"
    assert repository.repository(without=tmp_path / "stick") == packed


def test_our_own_repository_has_every_exercise(tmp_path: Path) -> None:
    archive = zipfile.ZipFile(io.BytesIO(repository.repository(without=tmp_path)))
    assert {"uv.lock", "pyproject.toml", "exercises/exercise_4b.py", ".gitignore"} < {*archive.namelist()}
