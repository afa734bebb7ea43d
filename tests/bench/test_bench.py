"""`workshop bench` on a machine without a GPU: scripts in, figures or a verdict out."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from rich.console import Console
from typer.testing import CliRunner

from triton_simulator import record
from triton_workshop.bench import bench as bench_module
from triton_workshop.bench import commands
from triton_workshop.bench.bench import Bench, bench
from triton_workshop.bench.counting import count
from triton_workshop.bench.report import print_bench
from triton_workshop.bench.sentences import sentences
from triton_workshop.checking.judging.verdict import FindingKind
from triton_workshop.checking.observing.child import load
from triton_workshop.checking.observing.source import Source
from triton_workshop.cli import app
from triton_workshop.costs.cost import cost_of
from triton_workshop.errors import MisuseError
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.processes.compilers import new_process
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.repository import ROOT

ADD = EXERCISES["1"]
Benched = Callable[..., Bench]


def _small(device: str) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    return tuple(torch.randn(4096, generator=generator).to(device) for _ in range(2))


SMALL = Case("4096 floats", _small)


@pytest.fixture(autouse=True)
def _small_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that is counted fast; where there are no forks, a new process does not see it."""
    if not CAN_FORK:
        pytest.skip("a new process counts the exercise's own case, which takes long; .ci/laptops counts it")
    monkeypatch.setitem(WORKLOADS, "1", replace(WORKLOADS["1"], traffic_case=SMALL))


@pytest.fixture
def benched(tmp_path: Path) -> Benched:
    """The bench of the solution of exercise 1, with one text in it replaced by another."""

    def of(right: str = "", wrong: str = "") -> Bench:
        text = ADD.solution_file.read_text(encoding="utf-8")
        assert right in text
        script = tmp_path / "exercise_1.py"
        script.write_text(text.replace(right, wrong) if right else text, encoding="utf-8")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            return bench(ADD, script, gpu=False, output=nowhere)
        finally:
            os.close(nowhere)

    return of


@pytest.fixture(scope="module")
def plain() -> Bench:
    """The plain solution's, counted once for all tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(WORKLOADS, "1", replace(WORKLOADS["1"], traffic_case=SMALL))
        patch.setenv("TRITON_INTERPRET", "1")
        return bench(ADD, ADD.solution_file, gpu=False, output=2)


def test_a_right_kernel_is_counted_beside_the_solutions(benched: Benched) -> None:
    result = benched()
    assert result.passed
    assert result.counts is not None
    assert [each.name for each in result.counts.contenders] == ["yours", "plain", "fast"]
    yours = result.counts.contenders[0].cost
    assert (yours.asked, yours.distinct, yours.operations, yours.programs) == (3 * 4 * 4096, 3 * 4 * 4096, 4096, 4)
    assert yours.kernels == ("add_kernel",)
    assert result.counts.bytes == 12 * 4096


WRONG = (
    ("output = x + y", "output = x - y", FindingKind.WRONG_VALUES),
    ("return output", "output = ...\n    return output", FindingKind.UNFINISHED),
    ("return output", "raise RuntimeError('no such luck')", FindingKind.CRASH),
    ("return output", "import os; os._exit(3)", FindingKind.CRASH),
)


@pytest.mark.parametrize(("right", "wrong", "kind"), WRONG, ids=lambda each: str(each)[:12])
def test_a_wrong_kernel_has_a_verdict_and_no_figure(
    benched: Benched, right: str, wrong: str, kind: FindingKind
) -> None:
    result = benched(right, wrong)
    assert not result.passed
    assert [finding.kind for finding in result.verdict.findings][:1] == [kind]
    assert (result.counts, result.times) == (None, None)


AT_THIS_SIZE = (
    ("return output", "return output if len(x) != 4096 else output * 2", FindingKind.NOT_A_KERNEL),
    ("output = x + y", "output = x + y + (n_elements == 4096)", FindingKind.WRONG_VALUES),
    ("return output", "assert len(x) != 4096\n    return output", FindingKind.CRASH),
)


@pytest.mark.parametrize(("right", "wrong", "kind"), AT_THIS_SIZE, ids=lambda each: str(each)[:12])
def test_what_is_wrong_at_the_counted_size_alone_has_no_figure(
    benched: Benched, right: str, wrong: str, kind: FindingKind
) -> None:
    result = benched(right, wrong)
    assert result.verdict.findings[0].kind is kind
    assert result.verdict.findings[0].case == "4096 floats"
    assert result.counts is None
    assert [case.passed for case in result.verdict.cases] == [True] * len(ADD.simulated_cases) + [False]


def test_a_kernel_that_hangs_is_stopped() -> None:
    source = Source.read(ADD.solution_file, ADD)
    source = replace(source, text=source.text.replace("return output", "while True: pass"))
    counting = count(source, 2, limit=0.3)
    assert counting.cost is None
    assert [finding.kind for finding in counting.findings] == [FindingKind.TIMEOUT]


@pytest.mark.library
def test_what_the_instructions_add_is_said_where_there_is_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = WORKLOADS["1"].make_case
    assert odd is not None
    monkeypatch.setitem(WORKLOADS, "1", replace(WORKLOADS["1"], traffic_case=odd(4095)))
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    result = bench(ADD, ADD.solution_file, gpu=False, output=2, compiler=new_process)
    assert result.counts is not None
    narrow = "8 × 32 bit: not known to the compiler as a multiple of 16: n_elements = 4,095"
    assert len(result.counts.instructions) == 3
    assert all(said.endswith(f" of add_kernel, compiled for sm_90: {narrow}") for said in result.counts.instructions)
    console = Console(file=io.StringIO(), width=120)
    print_bench(result, console)
    assert narrow.split(":")[0] in console.file.getvalue()  # type: ignore[attr-defined]


def test_json_has_the_documented_shape(plain: Bench) -> None:
    data = json.loads(json.dumps(plain.as_json()))
    assert {name: type(data[name]).__name__ for name in data} == {
        "exercise": "str",
        "file": "str",
        "contender": "str",
        "passed": "bool",
        "device": "str",
        "verdict": "dict",
        "counts": "dict",
        "times": "NoneType",
        "no_room": "NoneType",
    }
    counts = data["counts"]
    assert set(counts) == {"size", "bytes", "operations", "contenders", "sentences", "instructions"}
    limits = counts["contenders"]["plain"]["limits"]
    assert [limit["gpu"] for limit in limits] == ["T4", "RTX 4090", "A100", "H200", "RTX 5090", "B200"]
    assert limits[3] == {"gpu": "H200", "bound": "memory", "tflops_at_most": 0.4, "balance": 13.96}


@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_fits_a_terminal(plain: Bench, width: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())
    print_bench(plain, console)
    lines = console.export_text().splitlines()
    assert len(lines) <= 23
    assert max(map(len, lines)) <= width
    assert any("there are no times" in line for line in lines)
    assert "→ memory-bound: 0.08 operations per byte, an H200 needs 14" in [line.rstrip() for line in lines]
    assert not any("…" in line for line in lines)


# The command


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, plain: Bench) -> Callable[..., tuple[int, str]]:
    """Runs `workshop bench` with figures that are there already."""
    monkeypatch.setenv("TRITON_WORKSHOP_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(commands, "bench", lambda *arguments, **named: plain)

    def run(*arguments: str | Path) -> tuple[int, str]:
        result = CliRunner().invoke(app, ["bench", *map(str, arguments)])
        return result.exit_code, result.output

    return run


def test_json_is_one_line_a_script(command: object, capfd: pytest.CaptureFixture[str]) -> None:
    scripts = commands.chosen_to_bench(["1"], None, plain=True, every=False)
    assert commands.run_bench(scripts, as_json=True, picture=None) == 0
    assert json.loads(capfd.readouterr().out)["exercise"] == "1"


MISUSE = (
    (("9",), "there is no exercise 9"),
    (("--all", "1"), "give exercise numbers or --all, not both"),
    (("--file", "nowhere.py"), "no such file"),
    (("1", "--plot", "roofline.svg"), "expected a name that ends in .png"),
    (("1", "--plot", "no/such/folder/roofline.png"), "does not exist"),
)


@pytest.mark.parametrize(("arguments", "message"), MISUSE, ids=lambda each: str(each)[:16])
def test_misuse_ends_with_2_and_a_reason(
    command: Callable[..., tuple[int, str]], arguments: tuple[str, ...], message: str
) -> None:
    status, output = command(*arguments)
    assert status == 2
    assert message in output


def test_where_there_is_a_gpu_all_scripts_are_timed_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, plain: Bench
) -> None:
    """Loading the checker has this process simulate, which says nothing of the machine."""
    monkeypatch.setenv("TRITON_WORKSHOP_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("TRITON_INTERPRET")
    monkeypatch.setattr(commands, "runs_on_a_gpu", lambda: "TRITON_INTERPRET" not in os.environ)
    asked = list[bool]()
    monkeypatch.setattr(commands, "bench", lambda *arguments, gpu, **named: asked.append(gpu) or plain)
    CliRunner().invoke(app, ["bench", "1", "2", "--plain"])
    assert asked == [True, True]


def test_without_a_name_the_passed_exercises_are_meant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRITON_WORKSHOP_STATE", str(tmp_path))
    with pytest.raises(MisuseError, match="none of your exercises has passed yet"):
        commands.chosen_to_bench([], None, plain=False, every=False)
    assert len(commands.chosen_to_bench([], None, plain=True, every=False)) == len(WORKLOADS)


def test_plot_draws_a_picture(command: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    status, output = command("1", "--plain", "--plot", tmp_path / "roofline.png")
    assert status == 0
    assert f"The roofline is in {tmp_path / 'roofline.png'}" in output.replace("\n", "")
    assert (tmp_path / "roofline.png").read_bytes().startswith(b"\x89PNG")


def test_a_wrong_script_ends_with_1(
    command: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, plain: Bench
) -> None:
    finding = bench_module.Finding(FindingKind.WRONG_VALUES, "off by one")
    wrong = replace(plain, counts=None, verdict=replace(plain.verdict, findings=(finding,)))
    monkeypatch.setattr(commands, "bench", lambda *arguments, **named: wrong)
    status, output = command("1", "--plain")
    assert status == 1
    assert "off by one" in output
    assert "No figures" in output


@pytest.mark.parametrize(
    ("number", "slides"),
    [
        ("2", "triton-workshop"), ("3", "triton-workshop"), ("5", "second-half"), ("6", "second-half"),
    ],
)  # fmt: skip
def test_the_slide_shows_what_the_bench_says(number: str, slides: str) -> None:
    """The lines on the decks' slides are those for the plain solutions."""
    exercise, workload = EXERCISES[number], WORKLOADS[number]
    arguments = workload.traffic_case.arguments("cpu")
    costs = []
    plain = Source.read(exercise.solution_file, exercise)
    for source in bench_module.sources_of(plain).values():
        launcher = load(source)
        with record(coalescing=True) as launches:
            launcher(*arguments)
        costs.append(cost_of(launches))
    said = sentences(costs[0], exercise.operations(*arguments), workload.element, costs[1])
    deck = (ROOT / "slides" / f"{slides}.md").read_text(encoding="utf-8")
    assert "".join(f"→ {sentence}\n" for sentence in said) in deck
