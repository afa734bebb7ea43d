"""What of our own goes into a page."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from benchmarks.in_node import PageInNode
from triton_workshop.browser import archive, imports, parts
from triton_workshop.checking.exercises import EXERCISES


def test_a_page_has_each_solution_and_the_whole_simulator() -> None:
    files = archive.own_files()
    assert {f"solutions/exercise_{number}.py" for number in EXERCISES} <= files.keys()
    assert {"triton_simulator/launch/executor.py", "triton_simulator/compiler/types_only.py"} <= files.keys()


def test_nothing_of_the_terminal_or_of_a_learner_goes_in() -> None:
    rooms = ("viewer", "watch", "web", "classroom", "screen", "bench", "cli")
    places = (*(f"triton_workshop/{room}/" for room in rooms), "exercises/")
    assert not [path for path in archive.own_files() if path.startswith(places)]


def test_what_a_package_resolves_on_first_use_goes_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("if TYPE_CHECKING:\n    from package.lazy import name\n")
    (package / "lazy.py").write_text("if TYPE_CHECKING:\n    import package.types\ndef f():\n    from . import later\n")
    for name in ("later", "types", "other"):
        (package / f"{name}.py").touch()
    monkeypatch.setattr(imports, "PACKAGES", [package])
    found = imports.modules_needed(["package"])
    assert {*found} == {f"package/{name}.py" for name in ("__init__", "lazy", "later")}


def test_the_names_of_pytorch_are_those_that_are_installed() -> None:
    import torch

    names = json.loads(archive.names_of_torch())
    assert set(names) == set(archive.OWNERS)
    assert {"fft", "sum"} <= set(names["torch"]) <= set(dir(torch))
    assert "cauchy_" in names["torch.Tensor"]


@pytest.mark.parametrize("with_text", [["one/"], []])
def test_compiled_modules_are_what_the_page_would_compile(page: PageInNode, with_text: list[str]) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as written:
        written.writestr("one/__init__.py", "")
        written.writestr("one/two.py", "def three():\n    return 3\n")
        written.writestr("one/data.txt", "four")
    found = archive.compiled(data.getvalue(), parts.ready()["pyodide.mjs"].parent, "/lib", *with_text)
    assert found is not None
    with zipfile.ZipFile(io.BytesIO(found)) as read:
        names = set(read.namelist())
        pyc = read.read("one/__pycache__/two.cpython-314.pyc" if with_text else "one/two.pyc")
    assert "one/data.txt" in names
    assert ("one/two.py" in names) is bool(with_text)
    load = f"import importlib.util as u, marshal; b = bytes.fromhex('{pyc.hex()}'); n = {{}}; b[:4] == u.MAGIC_NUMBER"
    assert page.ask(python=load)["value"]
    assert page.ask(
        python="c = marshal.loads(b[16:]); exec(c, n); [n['three'](), c.co_filename, b[4]] == [3, '/lib/one/two.py', 1]"
    )["value"]
