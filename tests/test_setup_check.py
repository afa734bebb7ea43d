"""setup-check says what works on a machine, and how to fix what does not."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import called
import pytest
from conftest import ROOT
from rich.console import Console

from triton_workshop import setup_check
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, Deck, walk
from triton_workshop.device import Driver, Gpu
from triton_workshop.processes.script import Outcome
from triton_workshop.screen.terminal import Terminal, Way
from triton_workshop.setup_check import NO_GRAPHICS, Check, KernelRun, Machine, State
from triton_workshop.viewer.slides.fit import HEIGHT, ended, output_columns, rows_needed

ROWS = [
    "Python", "uv", "torch", "torchvision", "Triton", "Pillow", "GPU", "NVIDIA driver", "GPU kernel",
    "simulator kernel", "TRITON_INTERPRET", "Triton cache", "pictures", "presenterm",
]  # fmt: skip

H200 = Gpu(0, "NVIDIA H200", 141 * 2**30, (9, 0), "GPU-1")
PASCAL = Gpu(0, "Tesla P40", 24 * 2**30, (6, 1), "GPU-2")
TURING = Gpu(0, "Tesla T4", 16 * 2**30, (7, 5), "GPU-3")

IMPORTED = {"torch": "2.15.0+cu132", "torch_cuda": "13.2", "triton": "3.9.0"}
WORKED = KernelRun({**IMPORTED, "correct": True, "seconds": 0.4, "torchvision": True})
CRASHED = KernelRun(IMPORTED, "crashed (SIGSEGV)")

LAPTOP = Machine(
    system="linux", processor="x86_64", python=(3, 12, 3),
    packages={"torch": "2.15.0", "torchvision": "0.29.2", "triton": "3.9.0", "pillow": "13.0.0"}, pillow_error=None,
    triton_error=None, uv="0.13.8", presenterm="0.16.1", compiler=None, visible_gpus=(), installed_gpus=(), driver=None,
    nvidia_on_the_bus=False, cuda_visible_devices=None, interpret=None, wants_simulator=False, misspelling=None,
    pictures="kitty", home=Path("/home/me"), cache=Path("/home/me/.triton/cache"), cache_error=None, gpu_run=None,
    simulator_run=WORKED,
)  # fmt: skip
GPU_MACHINE = replace(
    LAPTOP,
    visible_gpus=(H200,),
    installed_gpus=(H200,),
    driver=Driver("580.159.04", (13, 0)),
    nvidia_on_the_bus=True,
    gpu_run=WORKED,
)
MAC = replace(
    LAPTOP,
    system="darwin",
    processor="arm64",
    packages={"torch": "2.15.0", "torchvision": "0.29.2", "pillow": "13.0.0"},
)
UNPREPARED_MAC = replace(
    MAC, triton_error="Check the network", simulator_run=KernelRun({}, "failed", "error: Check the network")
)


def failed(stderr: str, facts: dict[str, object] | None = None) -> KernelRun:
    return KernelRun(IMPORTED if facts is None else facts, "failed", stderr)


def row(machine: Machine, name: str) -> Check:
    return next(check for check in setup_check.check_machine(machine) if check.name == name)


def judge(machine: Machine) -> setup_check.Verdict:
    return setup_check.judge(machine, setup_check.check_machine(machine))


def report(machine: Machine, columns: int = 76) -> str:
    screen = io.StringIO()
    checks = setup_check.check_machine(machine)
    console = Console(file=screen, width=columns)
    setup_check.print_report(checks, setup_check.judge(machine, checks), console)
    return screen.getvalue()


# ---- The command, as a process ----------------------------------------------------------------------------


def run_setup_check(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "triton_workshop.setup_check", *arguments],
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


@pytest.fixture(scope="module")
def table() -> subprocess.CompletedProcess[str]:
    # The misspelling rides along: a process that imports torch is not for one claim only.
    return run_setup_check(COLUMNS="76", TRITON_INTERPRETER="1", CUDA_VISIBLE_DEVICES="")


@pytest.fixture(scope="module")
def json_run() -> subprocess.CompletedProcess[str]:
    return run_setup_check("--json", CUDA_VISIBLE_DEVICES="")


def test_the_command_exits_0_where_the_simulator_works(table: subprocess.CompletedProcess[str]) -> None:
    assert table.returncode == 0, table.stdout + table.stderr
    assert table.stdout.splitlines()[-1].startswith("Ready: kernels run on the simulator")


BESIDE_TORCH = {"torchvision", "Pillow"}


@pytest.mark.parametrize("name", [name for name in ROWS if name not in BESIDE_TORCH])
def test_the_table_has_a_row_for(name: str, table: subprocess.CompletedProcess[str]) -> None:
    assert any(line[1:].strip().startswith(name + " ") for line in table.stdout.splitlines())


def test_a_pipe_gets_no_control_characters(table: subprocess.CompletedProcess[str]) -> None:
    characters = set(table.stdout + table.stderr) - {"\n"}
    assert all(character.isprintable() for character in characters)


def test_the_table_keeps_to_the_columns_it_is_given(table: subprocess.CompletedProcess[str]) -> None:
    assert max(len(line) for line in table.stdout.splitlines()) <= 76


def test_the_misspelt_variable_is_named_with_its_right_spelling(table: subprocess.CompletedProcess[str]) -> None:
    lines = table.stdout.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("!  TRITON_INTERPRET"))
    words = " ".join(" ".join(lines[start : start + 2]).split())
    assert "TRITON_INTERPRETER is set" in words
    assert words.endswith("spelt TRITON_INTERPRET")


def test_json_is_one_object_with_all_rows(json_run: subprocess.CompletedProcess[str]) -> None:
    assert json_run.returncode == 0
    answer: dict[str, Any] = json.loads(json_run.stdout)
    assert set(answer) == {"ok", "device", "checks"}
    assert (answer["ok"], answer["device"]) == (True, "cpu")
    assert [check["name"] for check in answer["checks"]] == ROWS
    assert all(set(check) == {"name", "state", "found", "fix"} for check in answer["checks"])


def test_the_process_needs_neither_torch_nor_triton() -> None:
    code = "import sys, triton_workshop.setup_check; sys.exit(bool({'torch', 'triton'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_option_exits_2() -> None:
    done = run_setup_check("--yaml")
    assert done.returncode == 2
    assert "--yaml" in done.stderr
    assert "Traceback" not in done.stderr


# ---- Kernel processes -------------------------------------------------------------------------------------


def run_instead_of_the_kernel(function: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> KernelRun:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setattr(setup_check, "KERNEL", function)
    with setup_check._kernel_process(simulate=True) as result:
        return result()


def test_facts_said_before_a_crash_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_instead_of_the_kernel(called.says_its_torch_and_crashes, monkeypatch)
    assert run.facts == {"torch": "2.15.0"}
    assert run.failure == "crashed (SIGABRT)"
    assert not run.worked


def test_a_kernel_that_fails_has_its_error_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_instead_of_the_kernel(called.fails, monkeypatch)
    assert run.failure == "failed"
    assert run.stderr.startswith("printed\n")
    assert "ZeroDivisionError" in run.stderr


def test_a_kernel_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_check, "KERNEL_SECONDS", 0)
    run = run_instead_of_the_kernel(called.hangs, monkeypatch)
    assert run.failure == "not finished after 0 s"


def test_the_misspelt_variable_does_not_reach_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRETER", "1")
    run = run_instead_of_the_kernel(called.says_its_variables, monkeypatch)
    assert run.facts == {"names": ["TRITON_INTERPRET"]}


# ---- What each row says -----------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [LAPTOP, GPU_MACHINE], ids=["laptop", "gpu machine"])
def test_a_sound_machine_has_nothing_to_mend(machine: Machine) -> None:
    checks = setup_check.check_machine(machine)
    assert [check.name for check in checks] == ROWS
    assert {check.state for check in checks} <= {State.OK, State.NOT_APPLICABLE}
    assert all(check.fix is None for check in checks)


BROKEN_TORCH = failed(
    'File "setup_kernel.py", line 23, in <module>\n    import torch\nOSError: libtorch_cuda.so: no such file', {}
)
BROKEN_TRITON = failed('File "setup_kernel.py", line 24, in <module>\n    import triton\nImportError: libtriton.so', {})
BROKEN_TORCHVISION = KernelRun(
    {**IMPORTED, "correct": True, "seconds": 0.4}, "failed", "OSError: undefined symbol: nms"
)
OLD_DRIVER = replace(
    GPU_MACHINE,
    driver=Driver("535.104.05", (12, 2)),
    gpu_run=failed("RuntimeError: The NVIDIA driver on your system is too old (found version 12020)."),
)
NO_CUDA = KernelRun({**IMPORTED, "torch_cuda": None}, "failed", "AssertionError: Torch not compiled with CUDA")

WITHOUT_CUDA = replace(
    GPU_MACHINE, gpu_run=NO_CUDA, simulator_run=replace(WORKED, facts={**WORKED.facts, "torch_cuda": None})
)


def without(package: str) -> Machine:
    return replace(
        LAPTOP,
        packages={name: version for name, version in LAPTOP.packages.items() if name != package},
        simulator_run=KernelRun({}, "failed", f"ModuleNotFoundError: No module named '{package}'"),
    )


@pytest.mark.parametrize(
    ("machine", "name", "state", "found", "fix"),
    [
        (replace(LAPTOP, python=(3, 10, 1)), "Python", "failed", "3.10.1", "uv python install"),
        (replace(LAPTOP, uv=None), "uv", "warning", "not found", "astral.sh/uv"),
        (replace(LAPTOP, presenterm=None), "presenterm", "not applicable", "not found", None),
        (LAPTOP, "Triton cache", "ok", str(Path("~/.triton/cache")), None),
        (replace(LAPTOP, cache=Path("/tmp/cache")), "Triton cache", "ok", str(Path("/tmp/cache")), None),
        (without("torch"), "torch", "failed", "not installed", "uv sync"),
        (without("torchvision"), "torchvision", "failed", "not installed", "uv sync"),
        (without("triton"), "Triton", "failed", "not installed", "uv sync"),
        (without("pillow"), "Pillow", "failed", "not installed", "uv sync"),
        (replace(LAPTOP, pillow_error="libjpeg"), "Pillow", "failed", "libjpeg", "uv sync"),
        (replace(LAPTOP, simulator_run=BROKEN_TORCH), "torch", "failed", "libtorch_cuda", "uv sync"),
        (replace(LAPTOP, simulator_run=BROKEN_TORCH), "Triton", "ok", "3.9.0", None),
        (replace(LAPTOP, simulator_run=BROKEN_TRITON), "Triton", "failed", "libtriton.so", "uv sync"),
        (replace(LAPTOP, simulator_run=BROKEN_TORCHVISION), "torchvision", "failed", "nms", "uv sync"),
        (replace(LAPTOP, simulator_run=CRASHED), "torchvision", "ok", "not tried", None),
        (replace(LAPTOP, simulator_run=CRASHED), "simulator kernel", "failed", "SIGSEGV", "uv sync"),
        (replace(LAPTOP, interpret="1", wants_simulator=True), "TRITON_INTERPRET", "ok", "simulator", None),
        (replace(LAPTOP, cache_error="Read-only"), "Triton cache", "warning", "Read-only", "TRITON_CACHE_DIR"),
        (replace(GPU_MACHINE, cache_error="Read-only"), "Triton cache", "failed", "Read-only", "TRITON_CACHE_DIR"),
        (replace(GPU_MACHINE, visible_gpus=(), gpu_run=None, cuda_visible_devices="-1"), "GPU", "warning",
         "NVIDIA H200, hidden by CUDA_VISIBLE_DEVICES='-1'", "unset CUDA_VISIBLE_DEVICES"),
        (replace(GPU_MACHINE, visible_gpus=(PASCAL,), gpu_run=None), "GPU", "warning", "compute capability 6.1",
         "need compute capability 7.5"),
        (replace(GPU_MACHINE, visible_gpus=(TURING,)), "GPU", "warning", "7.5", "8.0 as its oldest"),
        (replace(GPU_MACHINE, visible_gpus=(H200, H200)), "GPU", "ok", "(and 1 more)", None),
        (replace(LAPTOP, nvidia_on_the_bus=True), "GPU", "warning", "its driver does not work", None),
        (replace(LAPTOP, nvidia_on_the_bus=True), "NVIDIA driver", "warning", "no driver answers", "--gpus all"),
        (OLD_DRIVER, "NVIDIA driver", "failed", "CUDA up to 12.2; torch uses 13.2", "driver 580 or newer"),
        (OLD_DRIVER, "GPU kernel", "failed", "fix the NVIDIA driver first", None),
        (WITHOUT_CUDA, "torch", "warning", "without CUDA", "uv sync"),
        (WITHOUT_CUDA, "GPU kernel", "failed", "fix torch first", None),
        (without("torch"), "simulator kernel", "failed", "fix torch first", None),
        (replace(LAPTOP, simulator_run=BROKEN_TRITON), "simulator kernel", "failed", "fix Triton first", None),
        (MAC, "Triton", "ok", "3.9.0, its Python files only", None),
        (UNPREPARED_MAC, "Triton", "failed", "not installed", "Check the network"),
        (UNPREPARED_MAC, "simulator kernel", "failed", "fix Triton first", None),
    ],
)  # fmt: skip
def test_a_row_says_what_was_found_and_how_to_mend_it(
    machine: Machine, name: str, state: str, found: str, fix: str | None
) -> None:
    check = row(machine, name)
    assert check.state == state
    assert found in check.found
    if fix is None:
        assert check.fix is None
    else:
        assert check.fix is not None
        assert fix in check.fix


@pytest.mark.parametrize(
    ("stderr", "fix"),
    [
        ("RuntimeError: Failed to find C compiler. Please specify via CC environment variable", "apt install gcc"),
        ("main.c:7:10: fatal error: Python.h: No such file or directory", "python3-dev"),
        ("AssertionError: libcuda.so cannot found!", "ldconfig"),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "uv sync"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 MiB", "nvidia-smi"),
        ("OSError: [Errno 28] No space left on device", "TRITON_CACHE_DIR"),
        ("RuntimeError: 0 active drivers ([]). There should only be one.", "nvidia-smi"),
        ("RuntimeError: something new", "uv run python -m triton_workshop.setup_kernel"),
    ],
)
def test_a_failed_gpu_kernel_says_how_to_mend_it(stderr: str, fix: str) -> None:
    check = row(replace(GPU_MACHINE, gpu_run=failed(stderr)), "GPU kernel")
    assert check.state is State.FAILED
    assert check.fix is not None
    assert fix in check.fix


def test_a_compiler_that_is_not_there_is_named() -> None:
    run = failed("FileNotFoundError: [Errno 2] No such file or directory: 'icc'")
    assert row(replace(GPU_MACHINE, compiler="icc", gpu_run=run), "GPU kernel").fix == (
        "CC names a compiler that does not exist, icc: `unset CC`"
    )


def test_a_cache_that_cannot_be_written_is_the_cause_of_its_kernels_failure() -> None:
    run = failed("PermissionError: [Errno 13] Permission denied: 'cache/x'")
    check = row(replace(GPU_MACHINE, cache_error="Permission denied", gpu_run=run), "GPU kernel")
    assert (check.found, check.fix) == ("failed: fix the Triton cache first", None)


def test_wrong_values_fail() -> None:
    check = row(replace(GPU_MACHINE, gpu_run=KernelRun({**IMPORTED, "correct": False})), "GPU kernel")
    assert (check.state, check.found) == (State.FAILED, "it ran, but its values differ from torch's")


def test_the_line_shown_is_the_error_not_the_advice_after_it() -> None:
    stderr = "Traceback\n  File x\nRuntimeError: CUDA error: misaligned\nCompile with TORCH_USE_CUDA_DSA\n"
    check = row(replace(GPU_MACHINE, gpu_run=failed(stderr)), "GPU kernel")
    assert check.found == "failed: RuntimeError: CUDA error: misaligned"


def test_a_kernel_that_runs_outweighs_what_its_driver_should_not_do() -> None:
    machine = replace(GPU_MACHINE, driver=Driver("535.104.05", (12, 2)))
    assert row(machine, "NVIDIA driver").state is State.OK


def test_windows_gets_its_own_commands() -> None:
    machine = replace(LAPTOP, system="win32", misspelling="TRITON_INTERPRETER is set")
    assert row(machine, "TRITON_INTERPRET").fix == (
        '`Remove-Item Env:TRITON_INTERPRETER`; for the simulator: `$env:TRITON_INTERPRET = "1"`'
    )


def test_a_file_in_the_place_of_the_cache_is_found(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert setup_check._why_not_writable(tmp_path / "file" / "cache") == "Not a directory"
    assert setup_check._why_not_writable(tmp_path / "new" / "cache") is None


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"TRITON_CACHE_DIR": "there", "TRITON_HOME": "home"}, Path("there")),
        ({"TRITON_HOME": "home"}, Path("home/.triton/cache")),
        ({}, Path.home() / ".triton" / "cache"),
    ],
)
def test_the_cache_is_where_triton_looks_for_it(environ: dict[str, str], folder: Path) -> None:
    assert setup_check._cache_folder(environ) == folder


# ---- The verdict ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "ok", "device", "summary"),
    [
        (LAPTOP, True, "cpu", "Ready: kernels run on the simulator (no NVIDIA GPU here)."),
        (GPU_MACHINE, True, "cuda", "Ready: kernels run on NVIDIA H200."),
        (replace(GPU_MACHINE, interpret="1", wants_simulator=True), True, "cpu",
         "Ready: kernels run on the simulator (TRITON_INTERPRET is set)."),
        (replace(GPU_MACHINE, simulator_run=CRASHED), True, "cuda", "Ready: kernels run on NVIDIA H200."),
        (replace(GPU_MACHINE, gpu_run=CRASHED), True, "cpu",
         "Ready on the simulator: `export TRITON_INTERPRET=1`. To use the GPU, fix each ✗ first."),
        (MAC, True, "cpu", "Ready: kernels run on the simulator (no NVIDIA GPU here)."),
        (UNPREPARED_MAC, False, None, "Not ready: fix the rows marked ✗."),
        (replace(LAPTOP, simulator_run=CRASHED), False, None, "Not ready: fix the rows marked ✗."),
        (replace(LAPTOP, pillow_error="libjpeg"), False, "cpu", "Not ready: fix the rows marked ✗."),
    ],
)  # fmt: skip
def test_the_verdict(machine: Machine, ok: bool, device: str | None, summary: str) -> None:
    verdict = judge(machine)
    assert (verdict.ok, verdict.device, verdict.summary) == (ok, device, summary)


@pytest.mark.parametrize(("machine", "status"), [(LAPTOP, 0), (UNPREPARED_MAC, 1)], ids=["laptop", "mac"])
def test_the_exit_status_is_the_verdict_and_json_has_all_rows(
    machine: Machine, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_check, "look_at_machine", lambda _waiting: machine)
    with pytest.raises(SystemExit) as exit_:
        setup_check.main(["--json"])
    assert exit_.value.code == status
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(answer) == {"ok", "device", "checks"}
    assert (answer["ok"], answer["device"]) == ((True, "cpu") if status == 0 else (False, None))
    assert [check["name"] for check in answer["checks"]] == ROWS
    assert all(set(check) == {"name", "state", "found", "fix"} for check in answer["checks"])


# ---- The report -------------------------------------------------------------------------------------------


def test_the_report_shows_how_to_mend_what_failed() -> None:
    text = report(UNPREPARED_MAC)
    assert re.search(r"✗  Triton            not installed\n +Check the network\n", text)


def test_square_brackets_in_an_error_are_shown_as_they_are() -> None:
    assert "[Errno 13]" in report(replace(LAPTOP, cache_error="[Errno 13] no"))


@pytest.mark.parametrize("columns", [40, 76, 120])
def test_a_command_is_never_broken_over_two_lines(columns: int) -> None:
    command = "`curl -LsSf https://astral.sh/uv/install.sh | sh`"
    assert command in report(replace(LAPTOP, uv=None), columns)


def test_packages_that_are_well_stand_beside_torch() -> None:
    assert "✓  torch             2.15.0+cu132, torchvision 0.29.2, Pillow 13.0.0\n" in report(LAPTOP)
    broken = report(without("torchvision"))
    assert "✓  torch             2.15.0, Pillow 13.0.0\n✗  torchvision       not installed" in broken
    assert "✓  torchvision       0.29.2" in report(without("torch"))


def test_how_to_mend_a_row_stands_under_it() -> None:
    lines = report(replace(LAPTOP, uv=None)).splitlines()
    assert lines[1].startswith("!  uv  ")
    assert lines[2] == "   Install it: `curl -LsSf https://astral.sh/uv/install.sh | sh`"
    assert lines[3].startswith("✓  torch  ")


# ---- Its size: it stands on a slide -----------------------------------------------------------------------

LONG_HOME = Path("/home", "h" * 114)
LONG_GPU = Gpu(0, "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 96 * 2**30, (12, 0), "GPU-4")
WORDY = replace(
    LAPTOP,
    python=(3, 14, 10),
    packages={**LAPTOP.packages, "torch": "2.15.0.dev20261101+cu132", "triton": "3.9.0+git12345678"},
    presenterm=None,
    pictures=NO_GRAPHICS,
    home=LONG_HOME,
    cache=LONG_HOME / ".triton" / "cache",
)
WORDY_GPU = replace(
    WORDY,
    visible_gpus=(LONG_GPU,) * 8,
    installed_gpus=(LONG_GPU,) * 8,
    driver=Driver("580.126.20", (13, 0)),
    nvidia_on_the_bus=True,
    gpu_run=replace(WORKED, facts={**WORKED.facts, "seconds": 59.9}),
)
TOO_OLD = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your driver."
UNKNOWN = f"RuntimeError: {'something quite new, '.strip() * 20}"
CONFUSED = "TRITON_INTERPRETER is set, but Triton does not read it: the variable is spelt TRITON_INTERPRET"

READY = {
    "no GPU": WORDY,
    "no GPU, presenterm": replace(WORDY, presenterm="0.16.1"),
    "8 GPUs": WORDY_GPU,
    "8 GPUs, simulator asked for": replace(WORDY_GPU, interpret="1", wants_simulator=True),
    "a cache of one's own": replace(WORDY_GPU, cache=Path("/scratch", "c" * 120)),
}
READY_WITH_TROUBLE = {
    "GPU hidden": replace(WORDY_GPU, visible_gpus=(), gpu_run=None, cuda_visible_devices="-1"),
    "GPU too old": replace(WORDY_GPU, visible_gpus=(replace(LONG_GPU, compute_capability=(6, 1)),), gpu_run=None),
    "GPU from before Triton's": replace(WORDY_GPU, visible_gpus=(replace(LONG_GPU, compute_capability=(7, 5)),)),
    "driver does not answer": replace(WORDY, nvidia_on_the_bus=True),
    "driver too old": replace(WORDY_GPU, driver=Driver("470.256.02", (11, 4)), gpu_run=failed(TOO_OLD)),
    "torch without CUDA": replace(WORDY_GPU, gpu_run=NO_CUDA, simulator_run=WITHOUT_CUDA.simulator_run),
    "no compiler": replace(WORDY_GPU, gpu_run=failed("RuntimeError: Failed to find C compiler. Please specify via CC")),
    "no headers": replace(WORDY_GPU, gpu_run=failed("main.c:7:10: fatal error: Python.h: No such file or directory")),
    "an error nobody knows": replace(WORDY_GPU, gpu_run=failed(UNKNOWN)),
    "cache not writable": replace(
        WORDY_GPU, cache_error="Read-only file system", gpu_run=failed("OSError: [Errno 30] Read-only file system")
    ),
    "variable misspelt": replace(WORDY_GPU, misspelling=CONFUSED),
    "old Triton": replace(WORDY_GPU, packages={**WORDY.packages, "triton": "3.5.1"}),
    "simulator broken": replace(WORDY_GPU, simulator_run=failed(UNKNOWN)),
}


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("machine", READY.values(), ids=READY)
def test_where_all_is_well_each_check_has_its_row(machine: Machine, columns: int) -> None:
    names_take_two = 1 if machine.visible_gpus else 0
    assert len(report(machine, columns).splitlines()) <= len(ROWS) - len(BESIDE_TORCH) + 2 + names_take_two


@pytest.mark.parametrize("columns", [80, 100])
def test_a_missing_uv_takes_one_row_more(columns: int) -> None:
    rows = [len(report(replace(WORDY_GPU, uv=uv), columns).splitlines()) for uv in (None, "0.13.9")]
    assert rows[0] == rows[1] + 1


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck(ROOT / "slides" / "triton-workshop.md")


WORKING = READY | READY_WITH_TROUBLE


@pytest.mark.parametrize("uv", ["0.13.9", None], ids=["uv", "no uv"])
@pytest.mark.parametrize("machine", WORKING.values(), ids=WORKING)
def test_the_slide_that_runs_it_fits_the_screen_on_every_machine_that_works(
    deck: Deck, machine: Machine, uv: str | None
) -> None:
    machine = replace(machine, uv=uv)
    assert judge(machine).ok
    [(slide, block)] = [
        (slide, block)
        for slide in deck.slides
        for block in walk(slide.blocks)
        if isinstance(block.content, Code) and block.content.source.strip() == "uv run setup-check"
    ]
    printed = report(machine, output_columns(deck)[block])
    assert rows_needed(deck, slide, {block: ended(printed.encode(), Outcome(0, 9.9))}) <= HEIGHT, printed


@pytest.mark.parametrize(("way", "said"), [*((way, f"{way} graphics") for way in Way), (None, NO_GRAPHICS)])
def test_the_row_on_pictures_says_what_the_viewer_would_find(
    monkeypatch: pytest.MonkeyPatch, way: Way | None, said: str
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(setup_check, "ask", lambda: Terminal(way))
    assert setup_check._how_pictures_show() == said


def test_what_is_no_terminal_is_not_asked_about_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_check, "ask", lambda: pytest.fail("it was asked"))
    assert setup_check._how_pictures_show() == "not a terminal; pictures are written to files"
