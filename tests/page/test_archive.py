"""What of our own goes into a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from triton_workshop.exercises import EXERCISES
from triton_workshop.page import archive, imports


def test_a_page_has_each_solution_and_the_whole_simulator() -> None:
    files = archive.repository_files()
    assert {f"solutions/exercise_{number}.py" for number in EXERCISES} <= files.keys()
    assert {"triton_simulator/launch/executor.py", "triton_simulator/compiler/types_only.py"} <= files.keys()


def test_a_page_has_each_exercise_without_what_measures_it() -> None:
    files = archive.repository_files()
    for exercise in EXERCISES.values():
        folder = f"triton_workshop/exercises/{exercise.folder.name}"
        assert {f"{folder}/{name}" for name in ("__init__.py", "mistakes.toml", "shipped.txt")} <= files.keys()
        assert f"{folder}/pytorch.py" not in files


def test_nothing_of_the_terminal_or_of_a_learner_goes_in() -> None:
    rooms = ("viewer", "watch", "room", "attendance", "screen", "bench", "cli")
    screens = ("screen", "app", "grid", "keys", "values", "source", "commands", "recorder")
    places = (
        *(f"triton_workshop/{room}/" for room in rooms),
        *(f"triton_workshop/look/{screen}.py" for screen in screens),
        "exercises/",
    )
    assert not [path for path in archive.repository_files() if path.startswith(places)]


def test_what_a_package_resolves_on_first_use_goes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("if TYPE_CHECKING:\n    from package.lazy import name\n")
    (package / "lazy.py").write_text("if TYPE_CHECKING:\n    import package.types\ndef f():\n    from . import later\n")
    for name in ("later", "types", "other"):
        (package / f"{name}.py").touch()
    monkeypatch.setattr(imports, "PACKAGES", [package])
    found = imports.collect_modules(["package"])
    assert {*found} == {f"package/{name}.py" for name in ("__init__", "lazy", "later")}


def test_the_names_of_pytorch_are_those_that_are_installed() -> None:
    import torch

    names = json.loads(archive.torch_names())
    assert set(names) == set(archive.OWNERS)
    assert {"fft", "sum"} <= set(names["torch"]) <= set(dir(torch))
    assert "cauchy_" in names["torch.Tensor"]
