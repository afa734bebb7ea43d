"""The checker itself, on scripts that are wrong in one way each. Many more stand in `mistakes`."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.conftest import RunPython
from tests.processes import dies
from triton_simulator.faults import Kind as FaultKind
from triton_workshop.checking.check import CheckRequest, check
from triton_workshop.checking.compiling import check_compilation
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.verdict import FindingKind, TileState, Verdict
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import launcher_args, random_case, to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.int4_linear import unpack_weights
from triton_workshop.exercises.tolerance import describe_tolerance, tolerance
from triton_workshop.hints import sentence
from triton_workshop.processes.compilers import new_process

from .judging import LIMIT_SECONDS, judge_here

ADD, SEPIA, CONV2D, MATMUL, LOSS = (EXERCISES[number] for number in "12345")
Check = Callable[..., Verdict]


@pytest.fixture
def checked(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Check:
    """The verdict on a solution in which one piece of text is replaced by another."""

    def verdict(exercise: Exercise, *changes: tuple[str, str], limit: float = LIMIT_SECONDS) -> Verdict:
        # Without the compiler: tests/checking/test_progress.py has each solution compiled.
        return check(CheckRequest(exercise, _changed(exercise, changes, tmp_path), compiler=None, limit_seconds=limit))

    return verdict


@pytest.fixture
def judged(tmp_path: Path) -> Check:
    """The same in this process, for what leaves nothing behind in it."""

    def verdict(exercise: Exercise, *changes: tuple[str, str]) -> Verdict:
        return judge_here(exercise, _changed(exercise, changes, tmp_path))

    return verdict


def _changed(exercise: Exercise, changes: tuple[tuple[str, str], ...], folder: Path) -> Path:
    text = exercise.solution_file.read_text(encoding="utf-8")
    for right, wrong in changes:
        assert right in text
        text = text.replace(right, wrong)
    script = folder / f"exercise_{exercise.number}.py"
    script.write_text(text, encoding="utf-8")
    return script


WRONG = (
    ("return output", "raise RuntimeError('no such luck')", FindingKind.CRASH, "RuntimeError: no such luck"),
    ("output = torch.empty_like(x)", "output = x", FindingKind.INPUT_MODIFIED, "argument 1 of add was changed"),
    (
        "return output",
        "return output[:-1]",
        FindingKind.WRONG_SHAPE,
        "expected a tensor of shape (1000,), got shape (999,)",
    ),
    ("return output", "return output.half()", FindingKind.WRONG_DTYPE, "expected torch.float32, got torch.float16"),
    (
        "cdiv(n_elements, BLOCK_SIZE)",
        "n_elements // BLOCK_SIZE",
        FindingKind.UNWRITTEN,
        "1,000 of 1,000 elements are never",
    ),
    (
        "output = x + y",
        "output = x - y",
        FindingKind.WRONG_VALUES,
        "1,000 of 1,000 elements are wrong, starting with [0]",
    ),
)


@pytest.mark.parametrize(("right", "wrong", "kind", "message"), WRONG)
def test_a_wrong_script_is_found_out(right: str, wrong: str, kind: FindingKind, message: str, judged: Check) -> None:
    finding = judged(ADD, (right, wrong)).findings[0]
    assert finding.kind is kind
    assert message in finding.message


RIGHT = {
    "half by half, joined": (
        MATMUL,
        (
            "    (M, K), (_, N)",
            "    if len(a) > 40:\n        return torch.cat([matmul(a[:40], b), matmul(a[40:], b)])\n    (M, K), (_, N)",
        ),
    ),
    "weights handed over as numbers": (
        CONV2D,
        ("tl.load(weight_ptr + i * SIZE + j)", "weight_ptr[i * SIZE + j]"),
        ("image, output, weight,", "image, output, tuple(weight.flatten().tolist()),"),
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_may_be_put_together_from_what_kernels_stored(name: str, judged: Check) -> None:
    exercise, *changes = RIGHT[name]
    assert judged(exercise, *changes).findings == ()


@pytest.mark.parametrize(("loop", "idea"), [("while True", "infinite-loop"), ("for i in range(9)", "too-much-work")])
def test_only_a_while_is_taken_for_an_endless_loop(loop: str, idea: str) -> None:
    source = Source(Path("exercise_1.py"), f"{loop}:\n    pass\n", ADD)
    assert Judge(source, limit=20).timeout(1).hint_name == idea


SPELT = (
    (ADD, "offsets = pid", "offest = pid", "misspelt-definition", "offest is defined here"),
    (ADD, "x_ptr, y_ptr, output_ptr, n", "x_ptr, y_prt, output_ptr, n", "misspelt-definition", "y_prt is defined here"),
    (ADD, "def add_kernel", "def ad_kernel", "misspelt-definition", "ad_kernel is defined here"),
    (ADD, "output = torch", "outputs = torch", "misspelt-definition", "outputs is defined here"),
    (CONV2D, "accumulator = tl.zeros", "acumulator = tl.zeros", "misspelt-definition", "acumulator is defined here"),
    (ADD, "y_ptr + offsets, mask=mask", "y_ptr + offsets, mask=maks", "misspelt-name", "Did you mean mask?"),
    (ADD, "    BLOCK_SIZE = 1024\n", "", "misspelt-name", "No line of add gives BLOCK_SIZE a value"),
    (LOSS, "running_max = new_max", "runing_max = new_max", "misspelt-definition", "Nothing reads runing_max"),
)  # fmt: skip


@pytest.mark.parametrize(("exercise", "right", "wrong", "name", "words"), SPELT)
def test_a_misspelt_name_is_blamed_where_it_was_misspelt(
    exercise: Exercise, right: str, wrong: str, name: str, words: str, judged: Check
) -> None:
    finding = judged(exercise, (right, wrong)).findings[0]
    assert finding.hint_name == name
    assert words in finding.hints[0]
    assert wrong in finding.source


OWN_STYLE = """\
from triton_workshop import DEVICE
import torch
import triton
import triton.language as tl


@triton.jit
def parts(X, T, OUT, s, n, B: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    m = -3.4e38
    for i in range(0, n, B):
        c = i + tl.arange(0, B)
        m = tl.maximum(m, tl.max(tl.load(X + r * s + c, mask=c < n, other=-3.4e38).to(tl.float32)))
    z = 0.0
    for i in range(0, n, B):
        c = i + tl.arange(0, B)
        z += tl.sum(tl.exp(tl.load(X + r * s + c, mask=c < n, other=-float("inf")).to(tl.float32) - m))
    tl.atomic_add(OUT + r, m + tl.log(z) - tl.load(X + r * s + tl.load(T + r)).to(tl.float32))


def cross_entropy(logits, targets):
    out = torch.EMPTY(logits.shape[0], dtype=torch.float32, device=logits.device)
    parts[(logits.shape[0],)](logits, targets, out, logits.stride(0), logits.shape[1], 512)
    return out
"""


def test_no_number_at_all_is_no_known_mistake(tmp_path: Path) -> None:
    script = tmp_path / "exercise_5.py"
    script.write_text(OWN_STYLE.replace("EMPTY", "zeros"), encoding="utf-8")
    assert judge_here(LOSS, script).findings == ()
    script.write_text(OWN_STYLE.replace("EMPTY", "empty"), encoding="utf-8")
    assert judge_here(LOSS, script).findings[0].hint_name == "atomics-on-nothing"


def test_atomics_on_memory_of_numpys_are_no_missing_step(tmp_path: Path) -> None:
    empty = "torch.EMPTY(logits.shape[0], dtype=torch.float32, device=logits.device)"
    noise = "torch.from_numpy(numpy.empty(logits.shape[0], numpy.float32)).fill_(3.0)"
    script = tmp_path / "exercise_5.py"
    script.write_text(OWN_STYLE.replace(empty, noise).replace("import torch", "import numpy\nimport torch"))
    assert judge_here(LOSS, script).findings[0].hint_name == "atomics-on-nothing"


@pytest.mark.library
def test_the_compiler_speaks_of_the_text_that_was_judged(tmp_path: Path) -> None:
    launch = "add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE"
    script = _changed(ADD, ((f"{launch})", f"{launch}, num_warps=64)"),), tmp_path)
    verdict = judge_here(ADD, script)
    script.write_text(f"# saved in between\n{script.read_text(encoding='utf-8')}", encoding="utf-8")
    [finding] = check_compilation(verdict, new_process).findings
    assert finding.source == f"{launch}, num_warps=64)"
    assert verdict.text.split("\n")[(finding.line or 0) - 1].strip() == finding.source


def test_the_check_stops_at_the_first_case_that_fails(checked: Check) -> None:
    wrong_from_1025 = ("    return output", "    return output if n_elements <= 1024 else output[1:]")
    verdict = checked(ADD, wrong_from_1025)
    assert [case.passed for case in verdict.cases] == [True, True, True, True, True, False]
    assert verdict.findings[0].case == "1,025 elements"


def test_an_open_todo_is_found_before_anything_runs(tmp_path: Path) -> None:
    script = tmp_path / "exercise_1.py"
    script.write_text("raise SystemExit\n\ndef add(x, y):\n    z = ...  # TODO 4: load the block of x\n")
    finding = check(CheckRequest(ADD, script)).findings[0]
    assert finding.kind is FindingKind.UNFINISHED
    assert finding.message == "TODO 4 of 9 is next: load the block of x"
    assert finding.hints == ADD.todo_hints(4)


def test_a_todo_that_is_begun_is_told_of_its_placeholder(tmp_path: Path) -> None:
    script = tmp_path / "exercise_3.py"
    begun = CONV2D.shipped_text.replace("    ...  # TODO 1", "    rows = tl.program_id(1)\n    ...  # TODO 1")
    for text, told in ((CONV2D.shipped_text, False), (begun, True)):
        script.write_text(text, encoding="utf-8")
        finding = check(CheckRequest(CONV2D, script)).findings[0]
        assert finding.message.startswith("TODO 1 of 5 is next: this program's channel")
        assert finding.message.endswith("; its `...` is still there") == told
        assert finding.source == "..."


def test_another_size_of_block_is_not_blamed_for_a_mistake_that_it_shows(judged: Check) -> None:
    returns = ("    # 6: the values", "    if pid == 3:\n        return\n\n    # 6: the values")
    finding = judged(ADD, ("BLOCK_SIZE = 1024", "BLOCK_SIZE = 256"), returns).findings[0]
    assert "BLOCK_SIZE = " not in finding.source


def test_an_argument_may_be_a_tensor_in_one_launch_and_a_number_in_the_next(judged: Check) -> None:
    launch = "add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE)"
    another = launch.replace("x, y,", "x, 1,")
    finding = judged(ADD, (launch, f"{launch}\n    {another}")).findings[0]
    assert (finding.kind, finding.source) == (FindingKind.CRASH, another)


def test_a_form_feed_ends_no_line(judged: Check) -> None:
    assert judged(ADD, ("@triton.jit", "\f\n@triton.jit")).passed


AT_ONCE = (
    ("offsets = ...", "offsets = range(BLOCK_SIZE)", "no-kernel-value"),
    ("offsets = ...", "offsets = torch.arange(0, BLOCK_SIZE)", "python-function-in-kernel"),
    ("mask = ...", "mask = offsets < len(x_ptr)", "no-sizes-in-kernels"),
    ("mask = ...", "mask = offsets < x_ptr.shape[0]", "no-sizes-in-kernels"),
    ("x = ...", "x = x_ptr[offsets]", "brackets"),
)


@pytest.mark.parametrize(("todo", "filled", "idea"), AT_ONCE)
def test_what_a_text_shows_is_said_while_todos_are_open(todo: str, filled: str, idea: str, tmp_path: Path) -> None:
    script = tmp_path / "exercise_1.py"
    script.write_text(ADD.shipped_text.replace(todo, filled), encoding="utf-8")
    finding = check(CheckRequest(ADD, script)).findings[0]
    assert (finding.kind, finding.hint_name) == (FindingKind.CRASH, idea)
    assert finding.source.startswith(filled)


def test_a_loop_over_range_is_no_block(judged: Check) -> None:
    twice = ("    # 6: the values", "    for _ in range(2):\n        x = x + 0.0\n\n    # 6: the values")
    assert judged(ADD, twice).passed


GRIDS = (
    ("(n_elements,)", "98,220 of 98,317 programs had nothing to do (98,317 elements)"),
    ("(cdiv(n_elements, 64),)", "1,440 of 1,537 programs had nothing to do (98,317 elements)"),
    ("(cdiv(n_elements, BLOCK_SIZE) + 3,)", ""),
)


@pytest.mark.parametrize(("grid", "words"), GRIDS)
def test_a_right_script_is_told_of_its_idle_programs(grid: str, words: str, judged: Check) -> None:
    verdict = judged(ADD, ("(cdiv(n_elements, BLOCK_SIZE),)", grid))
    assert verdict.passed
    assert verdict.as_json()["remarks"] == verdict.remarks
    assert [words in remark for remark in verdict.remarks] == ([True] if words else [])


def test_a_file_that_is_no_text_is_a_crash(tmp_path: Path) -> None:
    script = tmp_path / "exercise_1.py"
    script.write_bytes(b"# coding: utf-8\n\xff\xfe")
    finding = check(CheckRequest(ADD, script)).findings[0]
    assert finding.kind is FindingKind.CRASH
    assert "UTF-8" in finding.hints[0]


OTHER_TEXTS = (
    ("1", "", "the file is empty"),
    ("1", "# nothing left\n", "the file is empty"),
    ("1", EXERCISES["2"].shipped_text, "this is the text of exercise 2"),
    ("1", EXERCISES["2"].solution, "it defines sepia, and not add"),
    ("2", EXERCISES["2b"].shipped_text, "this is the text of exercise 2b"),
    ("4b", EXERCISES["4"].solution, "it defines matmul, and not linear_relu"),
)


@pytest.mark.parametrize(("number", "text", "words"), OTHER_TEXTS)
def test_a_file_that_is_not_the_exercise_is_told_of_reset(number: str, text: str, words: str, tmp_path: Path) -> None:
    script = tmp_path / f"exercise_{number}.py"
    script.write_text(text, encoding="utf-8")
    finding = check(CheckRequest(EXERCISES[number], script)).findings[0]
    assert finding.kind is FindingKind.ANOTHER_TEXT
    assert words in finding.message
    assert f"uv run workshop reset {number} " in finding.hints[0]


CHECKS = """
import sys
from pathlib import Path
from triton_workshop.checking.check import CheckRequest, check
from triton_workshop.checking.compiling import check_compilation
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.signal_scope import confine_signals
finding = check(CheckRequest(EXERCISES["1"], Path(sys.argv[1]), compiler=None)).findings[0]
print(finding.hint_name, finding.source, confine_signals(), sep="|")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, memory cannot be limited")
@pytest.mark.parametrize("number", ["5", "5b", "5c"])
def test_a_case_that_a_machine_has_no_memory_for_is_scaled_down_and_named(checked: Check, number: str) -> None:
    import resource

    exercise = EXERCISES[number]
    row = "row = tl.program_id(axis=0).to(tl.int64)"
    assert row in exercise.solution
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (6 << 30), limits[1]))
    try:
        verdict = checked(exercise)
        wrong = checked(exercise, (row, row.replace(".to(tl.int64)", "")))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
    large = exercise.long_cases[-1]
    assert large.scaled_down is not None
    assert [case.name for case in verdict.cases[:-1]] == [case.name for case in exercise.simulated_cases[:-1]]
    assert verdict.cases[-1].name == large.scaled_down.name
    assert verdict.passed
    assert verdict.remarks == (
        f"{large.name}: this takes 10 GiB of memory, so it was tried with rows closer to each other and an int32 of "
        "24 bits.",
    )
    enough = checked(exercise, (row, row.replace(".to(tl.int64)", "")))
    for name in ("kind", "line", "hint_name"):
        assert getattr(wrong.findings[0], name) == getattr(enough.findings[0], name)
    assert wrong.findings[0].hint_name == "row-in-int32"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, a script can end the process that started it")
@pytest.mark.parametrize(
    ("line", "named"), [("os.kill(os.getppid(), 9)", "signals-others"), ("os.killpg(0, 9)", "killed")]
)
def test_a_script_cannot_end_the_process_that_judges_it(
    line: str, named: str, run_forked: RunPython, tmp_path: Path
) -> None:
    script = _changed(ADD, (("    return output\n", f"    import os\n\n    {line}\n    return output\n"),), tmp_path)
    ended = run_forked("-c", CHECKS, script)
    if ended.returncode == -9 and named == "signals-others":
        pytest.skip("Linux before 6.12 cannot keep signals inside")
    assert ended.stdout.splitlines()[-1] == f"{named}|{line if named == 'signals-others' else ''}|True"


FAULTS = (
    (
        "x = tl.load(x_ptr + offsets",
        "x = tl.load(x_ptr + offsets * 65536 * 65536",
        FindingKind.WRAPPED_OFFSET,
        "in int64",
    ),
    (
        "output = x + y\n",
        "output = x + y\n    if tl.sum(x) > 9:\n        output = x\n",
        FindingKind.UNDEFINED_BRANCH,
        "other=",
    ),
    (
        "output = x + y\n",
        "output = x + y\n    while tl.atomic_add(output_ptr, 0.0) != 9:\n        pass\n",
        FindingKind.ENDLESS_WAIT,
        "never ends",
    ),
)


@pytest.mark.parametrize(("old", "new", "kind", "words"), FAULTS, ids=[str(kind) for *_, kind, _ in FAULTS])
def test_each_fault_of_the_simulator_has_its_own_words(
    old: str, new: str, kind: FindingKind, words: str, judged: Check
) -> None:
    finding = judged(ADD, (old, new)).findings[0]
    assert finding.kind is kind
    assert words in finding.hints[0]


def test_every_fault_of_the_simulator_is_a_kind_of_finding() -> None:
    assert {str(kind) for kind in FaultKind} - {"undefined-result"} <= {str(kind) for kind in FindingKind}


def test_a_kernel_that_goes_outside_is_told_before_the_values_that_come_of_it(checked: Check) -> None:
    findings = checked(ADD, (", mask=mask)", ")")).findings
    assert [finding.kind for finding in findings] == [
        FindingKind.OUT_OF_BOUNDS_LOAD,
        FindingKind.OUT_OF_BOUNDS_LOAD,
        FindingKind.OUT_OF_BOUNDS_STORE,
    ]
    assert findings[0].argument == "x_ptr"
    assert findings[0].programs == ((0,),)
    assert findings[0].elements == 24


TWO_MISTAKES = (
    ("grid = cdiv(n_elements, BLOCK_SIZE)", "crash", "A grid is a tuple"),
    ("grid = (n_elements // BLOCK_SIZE,)", "unwritten", "How many blocks of BLOCK_SIZE"),
)


@pytest.mark.parametrize(("grid", "kind", "hint"), TWO_MISTAKES, ids=[kind for _, kind, _ in TWO_MISTAKES])
def test_of_two_mistakes_line_and_hints_are_those_of_the_one_that_shows(
    grid: str, kind: str, hint: str, judged: Check
) -> None:
    wrong_load = ("y = tl.load(y_ptr + offsets, mask=mask)", "y = tl.load(y_ptr, mask=mask)")
    first = judged(ADD, wrong_load, ("grid = (cdiv(n_elements, BLOCK_SIZE),)", grid)).findings[0]
    assert (first.kind, first.source.strip()) == (kind, grid)
    assert hint in first.hints[0]
    assert "The solution has: grid = (cdiv(n_elements, BLOCK_SIZE),)" in first.hints


def test_unwritten_elements_come_with_the_programs_that_owe_them(judged: Check) -> None:
    grid = ("cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W)", "cdiv(height, BLOCK_SIZE_H), 1")
    finding = judged(SEPIA, grid).findings[0]
    assert finding.kind is FindingKind.UNWRITTEN
    assert finding.programs == ((0, 1), (1, 1))
    assert finding.elements == 3 * 17
    assert finding.element is not None
    assert (finding.element.index, finding.element.program) == ((0, 0, 64), (0, 1))
    assert finding.tiles is not None
    row = (TileState.RIGHT, TileState.UNWRITTEN)
    assert finding.tiles.planes == ((row, row),)


def test_a_map_of_equal_cells_is_none(judged: Check) -> None:
    finding = judged(ADD, ("output = x + y", "output = x - y")).findings[0]
    assert (finding.elements, finding.tiles) == (1000, None)


def test_a_result_of_zeros_that_nobody_stored_is_unwritten(judged: Check) -> None:
    changes = (("torch.empty_like(x)", "torch.zeros_like(x)"), ("cdiv(n_elements, BLOCK_SIZE),", "1,"))
    finding = judged(ADD, *changes).findings[0]
    assert (finding.kind, finding.elements) == (FindingKind.UNWRITTEN, 1)


def test_a_picture_comes_with_wrong_pixels(checked: Check) -> None:
    finding = checked(CONV2D, ("i * SIZE + j", "j * SIZE + i")).findings[0]
    assert finding.hint_name == "weight-index"
    assert [picture.caption for picture in finding.pictures] == ["expected", "yours", "difference"]
    expected, yours, _ = (picture.rgb for picture in finding.pictures)
    assert expected != yours


@pytest.mark.parametrize(
    ("number", "right", "wrong"),
    [
        ("3", "accumulator += pixels *", "accumulator += pixels.to(tl.float16) *"),
        ("4b", "tl.dot(a, b, accumulator", "tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16), accumulator"),
        ("5a", 'other=-float("inf"))', 'other=-float("inf")).to(tl.float16)'),
    ],
)
def test_a_cast_to_16_bits_is_asked_about(number: str, right: str, wrong: str, judged: Check) -> None:
    finding = judged(EXERCISES[number], (right, wrong)).findings[0]
    assert finding.hint_name == "slip-type"
    assert "float16` keeps less than float32" in finding.hints[1]


@pytest.mark.parametrize(("number", "right", "wrong"), [("4", "*b.stride()", "N, 1"), ("6", "D**-0.5", "64**-0.5")])
def test_a_wrong_argument_is_asked_about_and_not_the_grid(number: str, right: str, wrong: str, judged: Check) -> None:
    finding = judged(EXERCISES[number], (right, wrong)).findings[0]
    assert "[grid](" in finding.source
    assert sentence("launch.arguments") in finding.hints[0]


def test_a_script_that_does_not_end_is_killed_with_all_it_has_started(checked: Check, tmp_path: Path) -> None:
    mark = tmp_path / "child.pid"
    launcher = (
        "    n_elements = output.numel()\n",
        "    n_elements = output.numel()\n"
        "    import subprocess\n"
        "    child = subprocess.Popen(['sleep', '600'])\n"
        f"    open({str(mark)!r}, 'w').write(str(child.pid))\n"
        "    while True:\n"
        "        pass\n",
    )
    finding = checked(ADD, launcher, limit=1.0).findings[0]
    assert (finding.kind, finding.hint_name) == (FindingKind.TIMEOUT, "infinite-loop")
    assert finding.source in ("while True:", "pass")
    assert dies(int(mark.read_text()))


def test_a_helper_of_a_kernel_needs_no_constexpr(judged: Check) -> None:
    """What a kernel hands on stays a constexpr."""
    helper = "@triton.jit\ndef block(pid, size):\n    return pid * size + tl.arange(0, size)\n\n\n"
    changes = (
        ("@triton.jit\ndef add_kernel(", f"{helper}@triton.jit\ndef add_kernel("),
        ("pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)", "block(pid, BLOCK_SIZE)"),
    )
    assert judged(ADD, *changes).passed


def test_a_process_that_dies_is_a_crash(checked: Check) -> None:
    finding = checked(ADD, ("    return output\n", "    import os\n    os.kill(os.getpid(), 9)\n")).findings[0]
    assert finding.kind is FindingKind.CRASH
    assert "SIGKILL" in finding.message


def test_a_verdict_as_json_has_what_tools_read(checked: Check) -> None:
    verdict = checked(ADD, ("output = x + y", "output = x - y"))
    data = json.loads(json.dumps(verdict.as_json(), allow_nan=False))
    assert data.keys() >= {"exercise", "file", "device", "passed", "seconds", "cases", "findings"}
    assert (data["exercise"], data["device"], data["passed"]) == ("1", "simulator", False)
    assert data["cases"] == [{"name": "1,000 elements", "passed": False}]
    finding = data["findings"][0]
    keys = {"kind", "message", "hint", "line", "source", "argument", "programs", "elements", "case", "hint_name"}
    assert finding.keys() >= keys
    assert (finding["kind"], finding["elements"], finding["programs"]) == ("wrong-values", 1000, [[0, 0, 0]])


# Descriptions


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_every_todo_and_every_mistake_has_its_hints(exercise: Exercise) -> None:
    for todo in range(1, len(exercise.hints) + 1):
        hints = exercise.todo_hints(todo)
        assert len(hints) == 3
        assert all(hints)
        assert hints[2].startswith("The solution has:")
        quoted = hints[2].removeprefix("The solution has:").strip()
        assert all(line.strip() in exercise.solution for line in quoted.splitlines())
    assert all(len(mistake.hints) == 2 and all(mistake.hints) and mistake.edits for mistake in exercise.mistakes)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_pytorch_in_float32_is_within_the_tolerance(exercise: Exercise) -> None:
    for case in exercise.cases:
        arguments = case.arguments("cpu")
        exact = exercise.reference(*to_float64(arguments))
        floats = (each.float() if each.is_floating_point() else each for each in arguments)
        result = exercise.reference(*floats).to(exercise.result_dtype(*arguments)).double()
        same = (result == exact) | (result.isnan() & exact.isnan())
        assert (same | ((result - exact).abs() <= tolerance(exercise, arguments, exact))).all()


MOST_PAIRS_ALIKE = {"bfloat16": 2e-3, "float16": 5e-4, "float32": 1e-6}
"""What share of all pairs may be equal: random numbers of 8, 11 and 24 bits meet by chance, whole rows may not.

However many they are, that share stays the same. That of distinct ones falls as they become more."""
EQUAL_VALUES = (
    *("all equal", "±10,000", "around 1,000", "around 10,000", "symmetric", "one row of b", "that cancel"),
    *("one large", "from 1 on"),
)
"""What the names of cases say that have few different values on purpose."""


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_all_arguments_are_float32_unless_said_and_all_their_values_distinct(exercise: Exercise) -> None:
    for case in exercise.cases:
        for argument in filter(torch.is_floating_point, case.arguments("cpu")):
            named = next((name for name in MOST_PAIRS_ALIKE if name in case.name and argument.ndim), "float32")
            # How much a loss matters is a number of its own, and no logit.
            named = "float32" if exercise.number == "5b" and argument.ndim == 1 else named
            named = "float16" if exercise.number == "6c" else named
            assert argument.dtype is getattr(torch, named)
            values = argument[0] if argument.ndim and argument.stride(0) == 0 else argument
            # A picture's black and white may be exact, and logits of what is forbidden are all -inf.
            values = values[(values != 0) & (values != 1) & values.isfinite()]
            equal = any(words in case.name for words in EQUAL_VALUES)
            assert equal or _pairs_alike(values) <= MOST_PAIRS_ALIKE[named]


def _pairs_alike(values: torch.Tensor) -> float:
    _, counts = values.unique(return_counts=True)
    return float((counts * (counts - 1)).sum()) / max(values.numel() * (values.numel() - 1), 1)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_two_cases_differ_in_their_values_only(exercise: Exercise) -> None:
    """Or a kernel that remembers would pass, by its tensors or by all that it is given."""
    pairs = zip(exercise.cases, exercise.cases[1:], strict=False)
    alike = [
        (first, second)
        for first, second in ((a.arguments("cpu"), b.arguments("cpu")) for a, b in pairs)
        if [x.shape for x in first] == [x.shape for x in second]
    ]
    assert alike
    both = [pair for first, second in alike for pair in zip(first, second, strict=True)]
    assert not any(torch.equal(x, y) for x, y in both if x.ndim and x.dtype == y.dtype)
    takes_a_number = any(not argument.ndim for argument in exercise.cases[0].arguments("cpu"))
    assert any(torch.equal(x, y) for x, y in both if not x.ndim) == takes_a_number


def test_arguments_are_views_where_the_task_allows_them() -> None:
    for exercise in EXERCISES.values():
        views = [a for case in exercise.cases for a in case.arguments("cpu") if not a.is_contiguous()]
        assert bool(views) == ("contiguous=False" in exercise.shipped_text)


def test_the_views_of_2b_lie_in_memory_in_many_ways() -> None:
    strides = {case.name.partition(", ")[2]: case.arguments("cpu")[0].stride() for case in EXERCISES["2b"].cases}
    assert strides == {
        "contiguous": (15, 3, 1),
        "transposed": (1024, 1, 64),
        "cut out of a larger image": (4 * 61 * 97, 2 * 97, 1),
        "cut out of a larger image, other values": (4 * 17 * 65, 2 * 65, 1),
        "every second pixel": (4 * 16 * 64, 4 * 64, 2),
        "channels last in memory": (1, 3 * 64, 3),
        "one channel three times": (0, 320, 1),
        "cut out of wider rows": (1260, 140, 1),
        "cut out of a taller image": (1260, 70, 1),
        "three of four channels, last in memory": (1, 280, 4),
    }


def test_bias_and_relu_matter_in_every_large_case() -> None:
    layer = EXERCISES["4b"]
    for case in layer.cases[2:]:
        a, b, bias = case.arguments("cpu")
        result, product = layer.reference(a.double(), b.double(), bias.double()), a.double() @ b.double()
        assert 0.2 < (result == 0).double().mean() < 0.8
        # Where both are 0, nothing shows.
        shown = (product.relu() != result)[(product > 0) | (result > 0)]
        assert shown.double().mean() > 0.99
    assert {bias.stride(0) for *_, bias in (case.arguments("cpu") for case in layer.cases)} == {1, 2}


def test_a_number_is_handed_over_as_a_number() -> None:
    a, x, _ = launcher_args(EXERCISES["1b"].cases[0].arguments("cpu"))
    assert isinstance(a, float)
    assert isinstance(x, torch.Tensor)


def test_tf32_is_outside_of_the_tolerance() -> None:
    """Operands rounded to 10 bits of fraction, as TF32 does: the third case is large enough to show it."""

    def to_tf32(x: torch.Tensor) -> torch.Tensor:
        return ((x.contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)

    a, b = MATMUL.cases[2].arguments("cpu")
    exact = a.double() @ b.double()
    wrong = (to_tf32(a) @ to_tf32(b)).double() - exact
    assert (wrong.abs() > tolerance(MATMUL, (a, b), exact)).any()


def test_a_flipped_filter_is_outside_of_the_tolerance() -> None:
    image, weight = CONV2D.cases[0].arguments("cpu")
    flipped = CONV2D.reference(image, weight.flip(0, 1)).double()
    exact = CONV2D.reference(image.double(), weight.double())
    assert ((flipped - exact).abs() > tolerance(CONV2D, (image, weight), exact)).any()


def test_sepia_reaches_the_clip() -> None:
    """Or a kernel without it would pass."""
    image = SEPIA.cases[-1].arguments("cpu")[0]
    assert (SEPIA.reference(image) == 1.0).any()


def test_a_case_is_the_same_every_time() -> None:
    for exercise in EXERCISES.values():
        first, second = (exercise.cases[-1].arguments("cpu") for _ in range(2))
        assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_the_tolerance_is_said_in_words() -> None:
    arguments = MATMUL.cases[0].arguments("cpu")
    words = "float32: an element may be off by 1e-06 of the sum of the absolute values of its 17 terms"
    assert describe_tolerance(MATMUL, arguments) == words
    half = describe_tolerance(MATMUL, tuple(argument.half() for argument in arguments))
    assert half == f"{words}, before it is rounded to float16"


def test_sums_in_half_precision_are_outside_of_the_tolerance() -> None:
    """And sums in float32, rounded once, are inside, even where the terms cancel each other."""
    half = next(case for case in MATMUL.cases if ", float16" in case.name)
    a, b = half.arguments("cpu")
    exact = a.double() @ b.double()
    allowed = tolerance(MATMUL, (a, b), exact)
    assert ((a.float() @ b.float()).half().double() - exact).abs().le(allowed).all()
    total = torch.zeros(exact.shape, dtype=torch.float16)
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[k]
    assert not (total.double() - exact).abs().le(allowed).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_of_attention_may_be_rounded_to_half_precision_and_sums_may_not(dtype: torch.dtype) -> None:
    """However many tiles there are: the sum of thousands of values shows each rounding of a sum."""
    attention = EXERCISES["6"]
    arguments = tuple(each.to(dtype) for each in attention.long_cases[-1].arguments("cpu"))
    q, k, v = (each.double() for each in arguments)
    exact = attention.reference(q, k, v)
    allowed = tolerance(attention, arguments, exact)
    scores = q @ k.mT / 8
    weights = (scores - scores.amax(2, keepdim=True)).exp()
    rounded = weights.to(dtype).double() @ v / weights.sum(2, keepdim=True)
    assert ((rounded.to(dtype).double() - exact).abs() <= allowed).all()
    total = torch.zeros(exact.shape, dtype=dtype)
    for keys in range(0, k.shape[1], 64):
        total += (weights[:, :, keys : keys + 64] @ v[:, keys : keys + 64]).to(dtype)
    assert not ((total.double() / weights.sum(2, keepdim=True) - exact).abs() <= allowed).all()


def test_the_most_that_is_allowed_is_a_number_where_a_loss_is_infinite() -> None:
    exercise = EXERCISES["5"]
    [infinite] = [case for case in exercise.cases if case.name.endswith("many of them -inf")]
    assert "here 0.0003 at most" in describe_tolerance(exercise, infinite.arguments("cpu"))


def test_scaled_weights_of_a_layer_may_be_rounded_to_half_precision_and_sums_may_not() -> None:
    """However many groups there are: the sum of thousands of terms shows each rounding of a sum."""
    layer = EXERCISES["6c"]
    arguments = layer.long_cases[-1].arguments("cpu")
    x, weight, scale = to_float64(arguments)
    exact = layer.reference(x, weight, scale)
    allowed = tolerance(layer, arguments, exact)
    weights = (unpack_weights(weight) - 8.0) * scale[:, :, None]
    rounded = torch.einsum("bgk,ngk->bn", x.view(2, -1, 128), weights.half().double())
    assert ((rounded.half().double() - exact).abs() <= allowed).all()
    total = torch.zeros(exact.shape, dtype=torch.float16)
    for group in range(scale.shape[1]):
        total += (x[:, 128 * group : 128 * (group + 1)] @ weights[:, group].t()).half()
    assert not ((total.double() - exact).abs() <= allowed).all()


FEWER_PROGRAMS = {"6b": 32, "7b": 16, "7e": 16}
"""By exercise: 4,097 rows have 17 million pairs, which takes a simulator ten seconds."""


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_a_long_case_needs_more_than_64_programs_along_an_axis(exercise: Exercise) -> None:
    """More than anybody writes as a number, and fewer elements than a simulator minds."""
    dimensions = [axis.dimension for axis in exercise.tiling if axis.block]
    blocks = [axis.size for axis in exercise.tiling if axis.block]
    shapes = [exercise.reference(*case.arguments("cpu")).shape for case in exercise.long_cases]
    assert max(math.prod(shape) for shape in shapes) < 1 << 21
    for dimension, block in zip(dimensions, blocks, strict=True):
        assert any(shape[dimension] > FEWER_PROGRAMS.get(exercise.number, 64) * block for shape in shapes)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_no_number_of_programs_that_passes_all_cases_passes_the_larger_ones(exercise: Exercise) -> None:
    dimensions = [axis.dimension for axis in exercise.tiling]
    usual, larger = (
        [exercise.reference(*case.arguments("cpu")).shape for case in cases if not case.is_large]
        for cases in (exercise.simulated_cases, exercise.larger_cases)
    )
    for dimension in dimensions:
        assert max(shape[dimension] for shape in larger) > max(shape[dimension] for shape in usual)


def test_a_grid_that_never_grows_meets_a_larger_case(tmp_path: Path) -> None:
    vectors = random_case("1,200,000 elements", (1_200_000,), (1_200_000,), (1_200_000,))
    exercise = replace(ADD, larger_cases=(vectors,))
    verdict = judge_here(exercise, _changed(exercise, (("(cdiv(n_elements, BLOCK_SIZE),)", "(1025,)"),), tmp_path))
    assert [case.passed for case in verdict.cases[-2:]] == [True, False]
    assert "programs 1025, 1026" in verdict.findings[0].message


GRIDS_OF_NUMBERS = (
    ("(64, 64)", 4096),
    ("(BLOCK_SIZE_M, BLOCK_SIZE_N)", 64 * 128),
    ("(cdiv(M, 64), 2048)", 2048),
    ("lambda meta: (64, 64)", 1),
)


@pytest.mark.parametrize(("grid", "programs"), GRIDS_OF_NUMBERS)
def test_a_grid_of_thousands_given_in_numbers_meets_the_long_cases_first(
    grid: str, programs: int, tmp_path: Path
) -> None:
    """Each other case would take seconds: that many programs for a few tiles."""
    text = MATMUL.solution.replace("grid = (cdiv(M, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))", f"grid = {grid}")
    script = tmp_path / "mine.py"
    script.write_text(text, encoding="utf-8")
    assert Source.read(script, MATMUL).fixed_programs() == programs
    if grid == "(64, 64)":
        verdict = judge_here(MATMUL, script)
        assert [(case.name, case.passed) for case in verdict.cases] == [(MATMUL.long_cases[0].name, False)]


COSTS = (
    ("1", 12 * 1000, 1000),
    ("2", 24 * 15, 18 * 15),
    ("3", 4 * (2 * 45 + 9), 2 * 45 * 9),
    ("4", 4 * (816 + 576), 19584),
    ("1b", 12 * 1000, 2000),
    ("2b", 24 * 15, 18 * 15),
    ("3b", 4 * (2 * 45 + 1), 8 * 45),
    ("4b", 4 * (816 + 576 + 24), 19584 + 2 * 576),
    ("5a", 8 * 3 * 700, 5 * 3 * 700),
    ("5", 4 * 3 * 700 + 12 * 3, 3 * 3 * 700),
    ("6", 2 * 2 * 128 * (2 * 20 + 2 * 40), 2 * 4 * 20 * 40 * 128),
    ("6b", 2 * 2 * 128 * 4 * 20, 2 * 4 * 210 * 128),
    ("6c", 2 * 3 * 256 + 40 * 128 + 2 * 40 * 2 + 2 * 3 * 40, 2 * 3 * 40 * 256),
    ("5b", 8 * 3 * 700 + 12 * 3, 8 * 3 * 700),
    ("5c", 8 * 3 * 700 + 8 * 700, 7 * 3 * 700),
)


@pytest.mark.parametrize(("number", "bytes_moved", "operations"), COSTS)
def test_costs_follow_from_the_arguments(number: str, bytes_moved: int, operations: int) -> None:
    exercise = EXERCISES[number]
    arguments = exercise.cases[0].arguments("cpu")
    assert exercise.bytes_moved(*arguments) == bytes_moved
    assert exercise.operations(*arguments) == operations


@pytest.mark.parametrize("solution", ["", "def add(", "print('mine')\n"], ids=["put away", "broken", "another"])
def test_a_solution_that_was_changed_costs_hints_and_nothing_else(
    solution: str, judged: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Exercise, "solution", solution)
    finding = judged(ADD, ("cdiv(n_elements, BLOCK_SIZE)", "n_elements // BLOCK_SIZE")).findings[0]
    assert finding.kind is FindingKind.UNWRITTEN
    assert finding.hints


def test_a_process_that_waits_for_a_request_has_imported_what_the_check_needs(run_forked: RunPython) -> None:
    code = """
import sys
from triton_workshop.checking.check import serve_check
class Nobody:
    def send(self, message): print("triton_workshop.checking.subprocess_runner" in sys.modules)
    def receive(self): raise EOFError
serve_check(Nobody())
"""
    assert run_forked("-c", code).stdout == "True\n"
