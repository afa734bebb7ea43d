"""`workshop asm` as people type it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.conftest import RunPython
from triton_simulator.gpus import DEFAULT_TARGET
from triton_workshop.asm import commands
from triton_workshop.asm.build import CACHE, MAX_CACHED
from triton_workshop.asm.commands import Selection
from triton_workshop.asm.requests import case_of, parse_subjects, parse_target
from triton_workshop.cli import app
from triton_workshop.device import visible_gpus
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.processes.runner import Runner

SCALE = """
from triton_workshop import DEVICE
import torch, triton, triton.language as tl
from factors import FACTOR
TWO = tl.constexpr(FACTOR)

@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(x_ptr + offsets, x * TWO / tl.sum(x), mask=mask)
    tl.atomic_add(x_ptr + n, 1.0)

x = torch.ones(2049, device=DEVICE)
"""
Typed = Callable[..., Result]


@pytest.fixture(autouse=True)
def _warm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runner: Runner) -> None:
    """All of them use the processes that these tests keep, and a cache of their own."""
    monkeypatch.setenv("TRITON_WORKSHOP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_WORKSHOP_IDLE", "0")
    monkeypatch.setenv("COLUMNS", "100")


def words(output: str) -> str:
    """An output without its line breaks, which stand between words."""
    return " ".join(output.split())


@pytest.fixture
def typed(tmp_path: Path) -> Typed:
    """Types a command, in a folder with a script `own.py` of this text."""

    def type_it(*words: str, script: str = "", factor: int = 2) -> Result:
        (tmp_path / "own.py").write_text(script, encoding="utf-8")
        (tmp_path / "factors.py").write_text(f"FACTOR = {factor}", encoding="utf-8")
        return CliRunner().invoke(app, ["asm", *(word.replace("own.py", str(tmp_path / "own.py")) for word in words)])

    return type_it


@pytest.mark.library
def test_a_script_of_ones_own_is_summarized(typed: Typed) -> None:
    result = typed("own.py", script=f"{SCALE}\nscale[(1,)](x, 2048, BLOCK=2048)")
    assert result.exit_code == 0, result.output
    for said in (
        "4 × 128 bit",
        "reduction: within warps by",
        "between warps through shared memory by",
        "1 × ATOMG.E.ADD.F32",
    ):
        assert said in result.output
    assert "times)" not in result.output


@pytest.mark.library
def test_what_is_known_is_not_compiled_again_until_something_changes(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = f"{SCALE}\nscale[(1,)](x, 2048, BLOCK=2048)"
    first = typed("own.py", "--json", script=script)
    with monkeypatch.context() as patch:
        patch.setattr("triton_workshop.asm.commands.build", None)
        assert typed("own.py", "--json", script=script).output == first.output
    changed = typed("own.py", "--json", script=script, factor=3)
    assert changed.exit_code == 0
    assert len(list((tmp_path / "cache" / "asm").iterdir())) <= MAX_CACHED
    assert json.loads(first.stdout)["kernel"] == "scale"


def test_with_other_variables_that_triton_reads_it_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    CACHE.put("made", "asked")
    monkeypatch.setenv("TRITON_WORKSHOP_IDLE", "3")
    assert CACHE.get("asked") == "made"
    monkeypatch.setenv("DISABLE_PTXAS_OPT", "1")
    assert CACHE.get("asked") is None


@pytest.mark.library
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("print('hello')", "it launches no kernel, so there is nothing to compile"),
        ("import torch\ntorch.ones(3).cuda()", "it asks for a GPU itself, so it cannot run on the simulator (line 2)"),
        ("raise KeyError('n')", "line 1: KeyError: 'n'"),
        ("import os\nos._exit(3)", "its process was exit 3"),
        ("raise SystemExit(1)", "line 1: it ends with status 1"),
        ("raise SystemExit('no data')", "line 1: it ends with: no data"),
    ],
)
def test_a_script_that_launches_nothing_is_told_in_a_sentence(typed: Typed, script: str, said: str) -> None:
    result = typed("own.py", script=script)
    assert result.exit_code == 1
    assert said in words(result.output)
    assert "Traceback" not in result.output


@pytest.mark.library
def test_of_many_kernels_the_first_are_shown_and_of_a_tuned_one_the_first_configuration(typed: Typed) -> None:
    many = "for k in range(10): scale[(1,)](x, 64 + k, BLOCK=64, num_warps=1 << k % 3, num_stages=1 + k)"
    result = typed("own.py", "--json", script=f"{SCALE}\n{many}")
    assert len([line for line in result.output.splitlines() if line.startswith("{")]) == 6
    assert "10 kernels are launched, and these are the first 6; --kernel NAME:2 shows another." in result.output
    assert '"kernel": "scale:2 (n = 65, num_warps = 2, num_stages = 2)"' in result.output
    named = typed("own.py", "--json", "--kernel", "scale:8", script=f"{SCALE}\n{many}")
    assert [json.loads(named.stdout)["kernel"]] == ["scale:8 (n = 71, num_warps = 2, num_stages = 8)"]
    tuner = "@triton.autotune([triton.Config({'BLOCK': b}) for b in (64, 128)], ['n'])"
    for decorators in (tuner, f"@triton.heuristics({{}})\n{tuner}"):
        tuned = SCALE.replace("@triton.jit", f"{decorators}\n@triton.jit")
        result = typed("own.py", script=f"{tuned}\nscale[(1,)](x, 64)")
        assert "scale is tuned: a GPU would try 2 configurations, and this is the first of them." in result.output
    result = typed("own.py", "--kernel", "other", script=f"{SCALE}\nscale[(1,)](x, 64, BLOCK=64)")
    assert "it launches no kernel other, but scale" in words(result.output)


@pytest.mark.library
def test_a_kernel_that_does_not_compile_is_told_with_its_line(typed: Typed) -> None:
    script = SCALE.replace("    tl.atomic_add(x_ptr + n, 1.0)", "    tl.static_assert(BLOCK < 64, 'too large')")
    result = typed("own.py", script=f"{script}\nscale[(1,)](x, 64, BLOCK=64)")
    assert result.exit_code == 1
    assert "line 13" in result.output
    assert "too large" in result.output


@pytest.mark.library
@pytest.mark.parametrize("word", ["1", "exercises/exercise_1.py"])
def test_an_exercise_with_open_todos_shows_what_the_checker_finds(typed: Typed, desk: Path, word: str) -> None:
    result = typed(word)
    assert result.exit_code == 1
    assert "TODO 1 of 9 is next" in result.output
    assert "SystemExit" not in result.output


@pytest.mark.library
def test_of_an_exercise_that_the_compiler_refuses_the_checkers_finding_is_shown(typed: Typed, desk: Path) -> None:
    add = EXERCISES["1"]
    text = add.solution.replace("    output = x + y\n", "    output = x + y\n    print(x)\n")
    (desk / "exercises" / "exercise_1.py").write_text(text, encoding="utf-8")
    result = typed("1")
    assert result.exit_code == 1
    assert "print(x)" in result.output
    assert "compiler refuses it" in " ".join(result.output.split())


@pytest.mark.library
def test_the_source_is_listed_and_two_scripts_are_compared(typed: Typed) -> None:
    listed = typed("1", "--plain", "--show", "sass").output
    places = [listed.index(text) for text in ("x = tl.load(", "LDG.E.128", "tl.store(", "STG.E.128")]
    assert places == sorted(places)
    compared = typed("1", "5a", "--plain", "--compare").output
    assert all(name in compared for name in ("exercise 1, plain", "add_kernel", "exercise 5a, plain", "softmax_kernel"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("99",), "there is no exercise 99; the exercises are 1, 1b, "),
        (("no.py",), "no.py: expected an exercise's number or a Python script, found no such file"),
        (("1", "--gpu", "gfx942"), "--gpu gfx942: asm reads the instructions of NVIDIA's GPUs only; whether a kernel"),
        (("1", "--gpu", "sm_70"), "--gpu sm_70: expected one of sm_75, sm_80"),
        (("2", "--size", "0x4"), "--size 0x4: exercise 2 takes height×width, such as 511x511"),
        (("4", "--size", "8x8"), "--size 8x8: exercise 4 takes m×n×k"),
        (("1b", "--size", "511"), "--size 511: exercise 1b takes no size; leave --size out"),
        (("1", "2"), "expected one exercise or script, or two with --compare, and got 1 2"),
        (("1", "--plain", "--fast"), "--plain and --fast are two solutions: choose one, or add --compare"),
        (("6b", "--fast"), "exercise 6b has one solution only, --plain, and none that is --fast"),
        (("own.py", "--size", "3"), "--plain, --fast and --size are for exercises"),
        (("own.py", "--compare"), "--compare: expected a second script beside"),
        (("1", "--show", "foo"), "--show foo: expected one of summary, ttir, ttgir, ptx, sass"),
        (("1", "--json", "--show", "ptx"), "--json prints summaries; leave out --compare and --show"),
    ],
)
def test_misuse_is_told_in_a_line(typed: Typed, words: tuple[str, ...], said: str) -> None:
    result = typed(*words)
    assert result.exit_code == 2
    assert said in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_without_a_compiler_the_solutions_are_shown_as_they_were_recorded(
    typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "has_library", lambda: False)
    result = typed("3", "--fast", "--gpu", "sm_80")
    assert result.exit_code == 0
    assert result.output.startswith("Triton's compiler is not on this machine. Recorded with Triton ")
    assert "conv2d_kernel · exercise 3, fast · 3×512×512, filter 3×3 · sm_80" in result.output
    assert typed("own.py", script="").exit_code == 1


def test_a_reader_that_has_seen_enough_may_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "has_library", lambda: False)
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as gone:
        monkeypatch.setattr("sys.stdout", gone)
        assert (
            commands.run_asm(
                parse_subjects(["3"], None, plain=True, fast=False, compare=False), Selection(DEFAULT_TARGET)
            )
            == 0
        )


def test_a_gpu_without_a_famous_name_and_a_single_number_are_named_as_one_would() -> None:
    assert str(parse_target("sm_86")) == "sm_86"
    assert case_of("1", (1,)).name == "1 float"


ON_THE_GPU = """
import importlib.util, json
from triton_workshop import DEVICE
from triton.runtime.jit import JITFunction
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import launcher_args
from triton_workshop.exercises.workloads import WORKLOADS

launched, run = [], JITFunction.run
JITFunction.run = lambda *given, **named: launched.append(run(*given, **named)) or launched[-1]
for number, workload in WORKLOADS.items():
    spec = importlib.util.spec_from_file_location("solution", EXERCISES[number].solution_file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, EXERCISES[number].launcher)(*launcher_args(workload.traffic_case.arguments(DEVICE)))
    kernel = launched[-1]
    print(json.dumps([number, kernel.n_regs, kernel.n_spills, kernel.metadata.shared]))
"""


@pytest.mark.gpu
def test_registers_spills_and_shared_memory_are_those_that_the_driver_reports(run_python: RunPython) -> None:
    gpu = next(gpu for gpu in visible_gpus() if gpu.runs_kernels)
    told = run_python("-c", ON_THE_GPU)
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert [number for number, *_ in rows] == list(WORKLOADS), told.stderr
    for number, registers, spills, shared in rows:
        name = "sm_{}{}".format(*gpu.compute_capability)
        result = CliRunner().invoke(app, ["asm", number, "--plain", "--json", "--gpu", name])
        ours = json.loads(result.stdout.splitlines()[0])
        assert (ours["registers"], ours["shared_bytes"]) == (registers, shared)
        assert (ours["spill_stores"] + ours["spill_loads"] > 0) == (spills > 0)


@pytest.mark.library
def test_a_kernel_from_another_file_has_that_ones_lines(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "library.py").write_text(SCALE.replace("\nx = ", "\n# x = "), encoding="utf-8")
    script = SCALE[: SCALE.index("@triton.jit")] + "from library import scale" + SCALE[SCALE.index("\nx = ") :]
    result = typed("own.py", script=f"{script}\nscale[(1,)](x, 2048, BLOCK=2048)")
    assert result.exit_code == 0, result.output
    assert "scale of library.py" in result.output
    assert "tl.load(" in result.output
