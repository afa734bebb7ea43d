"""The public face: cheap to import, and in the right order before Triton."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import triton_workshop
from tests.conftest import RunPython
from triton_workshop.repository import ROOT


def test_importing_the_package_loads_nothing_heavy(run_python: RunPython) -> None:
    heavy = "{'torch', 'triton', 'numpy', 'PIL', 'rich', 'textual'}"
    result = run_python("-c", f"import sys, triton_workshop; print(sorted({heavy} & set(sys.modules)))")
    assert result.stdout.strip() == "[]"


def test_every_public_name_resolves(run_forked: RunPython) -> None:
    source = "from triton_workshop import *; print(DEVICE, cdiv(6, 4), bool(load_image and show_image))"
    result = run_forked("-c", source)
    assert result.stdout in ("cpu 2 True\n", "cuda 2 True\n"), result.stderr


SCRIPTS = sorted(
    f"{file.parent.name}/{file.name}" for file in (*ROOT.glob("exercises/*.py"), *ROOT.glob("solutions/exercise_*.py"))
)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_that_plain_python_runs_says_what_to_type(run_python: RunPython, script: str) -> None:
    result = run_python("-S", ROOT / script)  # no installed packages
    assert "Start this file with: uv run\n" in result.stderr
    assert "ModuleNotFoundError: No module named 'triton_workshop'" in result.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = triton_workshop.no_such_name  # type: ignore[attr-defined]


SIMULATED = {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


def test_without_a_gpu_kernels_are_simulated(run_forked: RunPython) -> None:
    result = run_forked("-c", "from triton_workshop import DEVICE; print(DEVICE)", env=NO_GPU)
    assert result.stdout == "cpu\n"


@pytest.mark.gpu
def test_with_a_gpu_kernels_run_on_it(run_python: RunPython) -> None:
    result = run_python("-c", "from triton_workshop import DEVICE; print(DEVICE)")
    assert result.stdout == "cuda\n"


@pytest.mark.gpu
def test_the_variable_asks_for_the_simulator_on_a_gpu_machine(run_python: RunPython) -> None:
    result = run_python("-c", "from triton_workshop import DEVICE; print(DEVICE)", env={"TRITON_INTERPRET": "1"})
    assert result.stdout == "cpu\n"


TOO_EARLY = (
    ("import triton\nfrom triton_workshop import DEVICE\n", "move line 2 (triton_workshop) above line 1"),
    (
        "import os\n\nimport triton.language as tl\nimport triton_workshop.utils_debug\n",
        "move line 4 (triton_workshop) above line 3",
    ),
    ("import torchvision\nfrom triton_workshop import cdiv\n", "move line 2 (triton_workshop) above line 1"),
    ("exec('import triton')\nfrom triton_workshop import DEVICE\n", "above every other import"),
)


@pytest.mark.library
@pytest.mark.parametrize(("source", "advice"), TOO_EARLY)
def test_triton_imported_too_early_says_what_to_move(
    run_forked: RunPython, tmp_path: Path, source: str, advice: str
) -> None:
    script = tmp_path / "early.py"
    script.write_text(source)
    result = run_forked(script, env=NO_GPU)
    assert result.returncode == 1
    assert advice in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.library
def test_triton_simulated_already_is_no_mistake(run_forked: RunPython) -> None:
    result = run_forked("-c", "import triton; from triton_workshop import DEVICE; print(DEVICE)", env=SIMULATED)
    assert (result.stdout, result.returncode) == ("cpu\n", 0)


@pytest.mark.gpu
def test_triton_simulated_against_the_device_says_so(run_python: RunPython) -> None:
    source = (
        "import os; os.environ['TRITON_INTERPRET'] = '1'; import triton; del os.environ['TRITON_INTERPRET']; "
        "from triton_workshop import DEVICE"
    )
    result = run_python("-c", source)
    assert result.returncode == 1
    assert "set up for the simulator, but kernels are to run on the GPU" in result.stderr


def test_a_misspelt_variable_is_named(run_forked: RunPython) -> None:
    result = run_forked("-c", "from triton_workshop import DEVICE", env={"TRITON_INTERPRETER": "1"})
    assert "TRITON_INTERPRETER" in result.stderr
    assert "spelt TRITON_INTERPRET" in result.stderr


def docstrings() -> Iterator[tuple[str, str]]:
    """Each docstring of the packages, with its place."""
    for folder in ("triton_workshop", "simulator/triton_simulator"):
        for file in ROOT.joinpath(folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    place = f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
                    yield place, ast.get_docstring(node) or ""


def test_the_first_line_of_a_docstring_is_short() -> None:
    assert {place: text.partition("\n")[0] for place, text in docstrings() if len(text.partition("\n")[0]) > 72} == {}
