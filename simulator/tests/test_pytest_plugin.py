"""A project's own tests run without a GPU: each test here is a small project, with a pytest of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import PLUGIN, RunPytest
from .processes import RunPython

CONFTEST = """\
import pytest, torch, triton
import triton.language as tl
from triton.language import load

SEEN = torch.cuda.is_available(), torch.cuda.get_device_capability() >= (8, 0)

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    total = load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, total, mask=at < n)

@triton.jit
def too_far(x_ptr, B: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, B), 1.0)

@triton.jit
def races(x_ptr):
    tl.store(x_ptr, tl.program_id(0))

@triton.jit
def waits(x_ptr):
    while tl.atomic_add(x_ptr, 0) == 0:
        pass

@triton.jit
def sums(x_ptr, out_ptr, n, B: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, B), mask=tl.arange(0, B) < n)))

@pytest.fixture
def broken():
    too_far[(1,)](torch.empty(3, device="cuda"), 4)

@pytest.fixture
def broken_at_the_end():
    yield
    too_far[(1,)](torch.empty(3, device="cuda"), 4)
"""
TESTS = """\
import pytest, torch, triton
from conftest import SEEN, add, races, sums, too_far, waits

def test_right():
    assert SEEN == (True, True)
    x, y = torch.randn(100, device="cuda"), torch.randn(100).cuda()
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(100, meta["B"]),)](x, y, out, 100, B=32)
    torch.cuda.synchronize()
    torch.testing.assert_close(out, x + y)
    torch.testing.assert_close(out.cpu(), (x + y).to("cpu"))

def test_caught():
    try:
        too_far[(1,)](torch.empty(3, device="cuda"), 4)
    except Exception:
        pass

def test_raised():
    too_far[(1,)](torch.empty(3, device="cuda"), 4)

def test_race():
    races[(2,)](torch.zeros(1, dtype=torch.int32, device="cuda"))

def test_wait():
    waits[(2,)](torch.zeros(1, dtype=torch.int32, device="cuda"))

def test_fixture(broken):
    pass

def test_fixture_at_the_end(broken_at_the_end):
    pass

def test_on_purpose():
    from triton_simulator import record
    with record() as launches:
        too_far[(1,)](torch.empty(3, device="cuda"), 4)
    assert launches[0].faults

def test_undefined():
    sums[(1,)](torch.ones(3, device="cuda"), torch.empty(1, device="cuda"), 2, 4)
"""
REPORT = """\
add: 1 launch, 0 faults
races: 1 launch, 1 fault
  races: program 0 and program 1 store different values to x_ptr[0].
    Line 19 of conftest.py: `tl.store(x_ptr, tl.program_id(0))`. Do two programs work on the same block, or is an \
atomic missing?
sums: 1 launch, 0 faults
too_far: 5 launches, 1 fault
  too_far: program 0 wrote x_ptr[3], but x_ptr has 3 elements.
    Line 15 of conftest.py: `tl.store(x_ptr + tl.arange(0, B), 1.0)`. Is a mask missing?
waits: 1 launch, 1 fault
  waits: program 1 waits for a value that no program stores.
"""
SURFACES = """\
import pytest, torch, triton

def test_where_tensors_are():
    x = torch.ones(2, 4, device=torch.device("cuda:0"), requires_grad=True)
    assert x.is_cuda and not x.is_cpu and x.get_device() == 0
    assert x.device == torch.device("cuda", 0) and x.device.type == "cuda"
    assert (x + 1).is_cuda and x[0].view(2, 2).is_cuda and torch.empty(3, device=x.device).is_cuda
    here = torch.ones(2)
    assert not here.is_cuda and here.device.type == "cpu" and here.get_device() == -1
    there = here.to("cuda")
    there += 1
    assert there.is_cuda and here.tolist() == [1, 1], "a move copies"
    assert there.cuda() is there or there.cuda().data_ptr() == there.data_ptr(), "but only once"
    assert here.to(there).is_cuda and there.to(torch.float16).is_cuda and not there.cpu().is_cuda
    assert here.pin_memory().tolist() == [1, 1]

def test_memory_of_others():
    import io, numpy
    numbers = numpy.ones(3, numpy.float32)
    for made in (torch.from_numpy(numbers), torch.frombuffer(numbers, dtype=torch.float32), torch.from_dlpack(numbers)):
        assert made.device.type == "cpu" and made.cuda().is_cuda
    assert torch.from_dlpack(torch.ones(3, device="cuda")).is_cuda
    for place in ("cuda", "cpu"):
        file = io.BytesIO()
        torch.save(torch.ones(3), file)
        file.seek(0)
        assert torch.load(file, map_location=place).device.type == place

@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast(dtype):
    x = torch.ones(4, 4, device="cuda")
    with torch.autocast("cuda", dtype=dtype):
        assert torch.is_autocast_enabled() and torch.is_autocast_enabled("cuda")
        assert (x @ x).dtype == torch.get_autocast_dtype("cuda") == torch.get_autocast_gpu_dtype() == dtype
        with torch.autocast("cuda", enabled=False):
            assert (x @ x).dtype == torch.float32
    with torch.autocast(device_type="cuda"):
        assert (x @ x).dtype == torch.float16
    assert (x @ x).dtype == torch.float32 and not torch.is_autocast_enabled()

def test_autocast_in_a_function():
    class Square(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
        def forward(ctx, x):
            assert x.dtype == torch.float16 and not torch.is_autocast_enabled("cuda")
            return x @ x

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")
        def backward(ctx, gradient):
            return gradient

    with torch.autocast("cuda"):
        Square.apply(torch.ones(4, 4, device="cuda", requires_grad=True)).sum().backward()

def test_what_is_not_mapped_still_wraps_what_it_was():
    assert torch.cuda.use_mem_pool.__wrapped__  # torch._dynamo asks for it when it is imported
    assert torch.cuda.CUDAGraph | None

def test_modules_and_gradients():
    linear = torch.nn.Linear(4, 4).cuda()
    x = torch.ones(2, 4, device="cuda", requires_grad=True)
    linear(x).sum().backward()
    assert linear.weight.is_cuda and x.grad.is_cuda and linear.weight.grad.device.type == "cuda"
    assert linear.to("cpu").weight.device.type == "cpu"

def test_a_default_device():
    with torch.device("cuda"):
        assert torch.ones(2).is_cuda
    torch.set_default_device("cuda")
    try:
        assert torch.arange(2).is_cuda and torch.tensor([1]).is_cuda
    finally:
        torch.set_default_device(None)

def test_torch_cuda():
    assert torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
    assert torch.cuda.get_device_properties("cuda").multi_processor_count > 0
    stream = torch.cuda.Stream()
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with torch.cuda.device(0), torch.cuda.stream(stream):
        start.record()
        stream.wait_stream(torch.cuda.current_stream())
        end.record()
    end.synchronize()
    assert start.elapsed_time(end) > 0
    torch.cuda.manual_seed(3)
    one = torch.randn(3, device="cuda")
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert torch.equal(one, torch.randn(3, generator=generator, device="cuda"))

def test_the_driver():
    active = triton.runtime.driver.active
    assert active.get_current_target().backend == "cuda"
    assert torch.empty(1, device=active.get_active_torch_device()).is_cuda
    assert triton.testing.do_bench(lambda: None, warmup=1, rep=1) > 0

@pytest.mark.parametrize(("name", "use"), [
    ("torch.cuda.CUDAGraph", lambda: torch.cuda.CUDAGraph()),
    ("torch.cuda.memory_stats", lambda: torch.cuda.memory_stats()),
    ("triton.runtime.driver.active.launcher_cls", lambda: triton.runtime.driver.active.launcher_cls),
])
def test_what_is_not_mapped_says_its_name(name, use):
    with pytest.raises(NotImplementedError) as caught:
        use()
    assert str(caught.value).startswith(f"{name} is not mapped to the CPU")
"""


@pytest.mark.parametrize("workers", ["0", "1"], ids=["one process", "xdist"])
def test_whoever_breaks_memory_races_or_waits_fails_and_cuda_is_the_cpu(
    run_pytest: RunPytest, tmp_path: Path, workers: str
) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_kernels.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "test_surfaces.py").write_text(SURFACES, encoding="utf-8")
    if in_addopts := workers == "1":
        (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = -p {PLUGIN}\n", encoding="utf-8")
    ran = run_pytest("-n", workers, "--triton-report", plugin=not in_addopts)
    summary = re.findall(r"^(?:FAILED|ERROR) test_(?:kernels|surfaces)\.py::(\w+) - (\S+)", ran.stdout, re.MULTILINE)
    failed = sorted(name for name, _ in summary)
    expected = ["caught", "fixture", "fixture_at_the_end", "race", "raised", "wait"]
    assert failed == [f"test_{name}" for name in expected], ran.stdout + ran.stderr
    assert "17 passed" in ran.stdout
    for line in REPORT.splitlines():
        assert f"{line}\n" in ran.stdout
    assert "undefined: sums: program 0 stored to out_ptr[0] what it computed from undefined elements of x_ptr" in (
        ran.stdout
    )


@pytest.mark.parametrize(
    ("files", "options", "plugin", "says"),
    [
        (
            {"conftest.py": f"pytest_plugins = [{PLUGIN!r}]"},
            (),
            False,
            r"ERROR: .*comes too late: conftest files have been read.* Give `--triton-simulator`",
        ),
        pytest.param(
            {"other.py": "import triton.language"},
            ("-p", "other", "-p", PLUGIN),
            False,
            r"ERROR: .*comes too late, as another plugin has imported Triton\. Triton was imported without TRITON_INT",
            marks=pytest.mark.library,  # without it, no other plugin can import Triton
        ),
    ],
    ids=["conftest", "another plugin"],
)
def test_too_late_is_a_usage_error(
    run_pytest: RunPytest, tmp_path: Path, files: dict[str, str], options: tuple[str, ...], plugin: bool, says: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = run_pytest(*options, plugin=plugin)
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR, ran.stdout + ran.stderr
    assert re.search(says, ran.stderr), ran.stderr


NOT_FOR_A_GPU = """\
import pytest, torch, triton
import triton.language as tl

NUMBER = 4

@triton.jit
def leaves_a_loop(out):
    for i in range(4):
        if i == 2:
            break
        tl.store(out + i, i)

@triton.jit
def returns_in_a_loop(out):
    for i in range(4):
        if i == 2:
            return
        tl.store(out + i, i)

@triton.jit
def reads_a_number(out):
    tl.store(out, NUMBER)

@triton.jit
def counts_to_three(out):
    tl.store(out + tl.arange(0, 3), 1)

@triton.jit
def fine(out, B: tl.constexpr):
    tl.store(out + tl.arange(0, B), 1)

def out():
    return torch.zeros(64, device="cuda")

def test_break():
    leaves_a_loop[(1,)](out())

def test_return():
    returns_in_a_loop[(1,)](out())

def test_global():
    reads_a_number[(1,)](out())

def test_again():
    for _ in range(2):
        with pytest.raises(triton.CompilationError, match="Cannot access global variable NUMBER"):
            reads_a_number[(1,)](out())

def test_both():
    with pytest.raises(triton.CompilationError, match="counts_to_three .* power of 2"):
        counts_to_three[(1,)](out())

def test_warps():
    fine[(1,)](out(), 4, num_warps=3)

def test_grid():
    fine[(1, 65_536)](out(), 4)

def test_no_grid():
    fine(out(), 4)

@pytest.mark.parametrize("dtype", [tl.float32, tl.int32])
def test_closure(dtype):
    three = tl.constexpr(3)

    @triton.jit
    def kernel(out):
        tl.store(out, tl.full((), three, dtype))

    x = out()
    kernel[(1,)](x)
    assert x[0] == 3

@triton.jit
def plus(x, y):
    return x + y

@triton.jit
def uses_functions(out, function, pair):
    tl.store(out, function(3, pair[0](pair[1], 4)))

def test_functions_as_arguments():
    x = out()
    uses_functions[(1,)](x, plus, (plus, 5))
    assert x[0] == 12

def test_a_kernel_without_a_file():
    names = {}
    exec("@triton.jit\\ndef kernel(out):\\n    tl.store(out, 7)", globals(), names)
    x = out()
    names["kernel"][(1,)](x)
    assert x[0] == 7

def test_on_purpose():
    from triton_simulator import record
    with record():
        leaves_a_loop[(1,)](out())

@torch.compile
def doubled(x):
    return x * 2

def test_compile():
    linear = torch.nn.Linear(2, 2).cuda()
    linear.compile()
    assert torch.compile(linear, mode="max-autotune")(torch.ones(2, device="cuda")).is_cuda
    assert doubled(out()).is_cuda and torch.compile(dynamic=True)(doubled)(out()).is_cuda
"""


@pytest.mark.library
@pytest.mark.parametrize("asks", [True, False], ids=["with the front end", "without"])
def test_what_does_not_compile_for_a_gpu_fails(run_pytest: RunPytest, tmp_path: Path, asks: bool) -> None:
    (tmp_path / "test_gpu.py").write_text(NOT_FOR_A_GPU, encoding="utf-8")
    ran = run_pytest(*([] if asks else ["--no-triton-compiler"]), plugin=True)
    failed = re.findall(r"^FAILED test_gpu\.py::(\w+)", ran.stdout, re.MULTILINE)
    refused = ["test_break", "test_return", "test_global"] if asks else ["test_again", "test_both"]
    assert sorted(failed) == sorted([*refused, "test_warps", "test_grid", "test_no_grid"]), ran.stdout + ran.stderr
    if asks:
        assert "leaves_a_loop does not compile for a GPU, line 10 of test_gpu.py: unsupported AST node type: Break" in (
            ran.stdout
        )


ON_PURPOSE = """\
import threading, unittest
import pytest, torch, triton
import triton.language as tl
from triton_simulator import KernelFaults

@triton.jit
def too_far(x_ptr, B: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, B), 1.0)

def launch():
    too_far[(1,)](torch.empty(3, device="cuda"), 4)

def catch():
    try:
        launch()
    except Exception:
        pass

@pytest.mark.xfail
def test_xfail():
    launch()

@pytest.mark.xfail(strict=True, raises=KernelFaults)
def test_xfail_raises():
    launch()

@pytest.mark.xfail(strict=True)
def test_xfail_caught():
    catch()

def test_xfail_called():
    catch()
    pytest.xfail("known")

@pytest.mark.xfail(raises=ZeroDivisionError)
def test_fails_xfail_of_another_error():
    launch()

@pytest.mark.xfail(raises=ZeroDivisionError)
def test_fails_xfail_of_another_error_caught():
    catch()

@pytest.mark.xfail(strict=True)
def test_fails_strict_xfail_that_passes():
    pass

def test_raises():
    with pytest.raises(KernelFaults, match="x_ptr"):
        launch()
    pytest.raises((ValueError, KernelFaults), launch)

def test_fails_raises_any():
    with pytest.raises(Exception):
        launch()

def test_fails_skip():
    catch()
    pytest.skip("not here")

def test_fails_caught():
    catch()

def test_fails_thread():
    thread = threading.Thread(target=catch)
    thread.start()
    thread.join()

class TestCase(unittest.TestCase):
    def test_raises_of_unittest(self):
        with self.assertRaises(KernelFaults):
            launch()

    def test_fails_raises_any_of_unittest(self):
        with self.assertRaises(Exception):
            launch()
"""


def test_a_fault_on_purpose_is_none(run_pytest: RunPytest, tmp_path: Path) -> None:
    (tmp_path / "test_purpose.py").write_text(ON_PURPOSE, encoding="utf-8")
    ran = run_pytest("-rA", plugin=True)
    ends = {name: end for end, name in re.findall(r"^([A-Z]+) test_purpose\.py\S*::(\w+)", ran.stdout, re.MULTILINE)}
    expected = {
        name: "FAILED" if "_fails_" in name else "XFAIL" if "xfail" in name else "PASSED"
        for name in re.findall(r"def (test_\w+)", ON_PURPOSE)
    }
    assert ends == expected, ran.stdout + ran.stderr
    caught = [name for name in expected if expected[name] == "FAILED" and not name.endswith(("_error", "_passes"))]
    assert ran.stdout.count("The test caught this; if it is on purpose, put the launch in `with record():`.") == len(
        caught
    )


VIEW = """\
import torch, triton
import triton.language as tl

@triton.jit
def fill(x_ptr, B: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, B), 1.0)

def test_view():
    fill[(1,)](torch.empty(8, device="cuda")[:3], 4)
"""


@pytest.mark.parametrize("strict", [False, True])
def test_strict_views(run_pytest: RunPytest, tmp_path: Path, strict: bool) -> None:
    (tmp_path / "test_view.py").write_text(VIEW, encoding="utf-8")
    ran = run_pytest(*["--triton-strict-views"] * strict, plugin=True)
    assert ("wrote x_ptr[3], but x_ptr has 3 elements" in ran.stdout) == strict
    assert ran.returncode == strict


FLAG = ("-p", "triton_simulator.pytest_flag")


@pytest.mark.parametrize("option", ["--triton-report", "--triton-steps", "--triton-program=3", "--triton-strict-views"])
def test_an_option_alone_names_the_one_that_it_needs(run_pytest: RunPytest, option: str) -> None:
    ran = run_pytest(*FLAG, option, plugin=False)
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"ERROR: {option.partition('=')[0]} needs --triton-simulator.\n" in ran.stderr


def test_help_lists_all_options(run_pytest: RunPytest, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import sys; assert 'triton' not in sys.modules", encoding="utf-8")
    ran = run_pytest(*FLAG, "--help", plugin=False)
    names = ("program=IDS", "report", "simulator", "steps", "strict-views")
    options = ["--no-triton-compiler", *(f"--triton-{name}" for name in names)]
    assert sorted(re.findall(r"^  (--\S*triton-\S+)", ran.stdout, re.MULTILINE)) == options, ran.stdout + ran.stderr


def test_without_pytorch_it_says_so(run_pytest: RunPytest, tmp_path: Path) -> None:
    (tmp_path / "no_torch.py").write_text("import sys; sys.modules['torch'] = None", encoding="utf-8")
    ran = run_pytest("-p", "no_torch", *FLAG, "--triton-simulator", plugin=False)
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert ran.stderr == "ERROR: --triton-simulator needs PyTorch.\n\n"


FAILING = """\
import triton
import triton.language as tl

@triton.jit
def prints(x_ptr, B: tl.constexpr):
    tl.device_print("x", tl.program_id(0))
    tl.store(x_ptr + tl.arange(0, B), missing)
"""


def test_a_traceback_has_the_tests_frames_and_the_kernels(run_pytest: RunPytest, tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(FAILING, encoding="utf-8")
    test = """\
import torch
from kernels import prints

def test_kernel():
    prints[(2,)](torch.empty(4, device="cuda"), 4)

def test_mode():
    torch.nn.functional.linear(torch.ones(3, device="cuda"), torch.ones(2, 4, device="cuda"))
"""
    (tmp_path / "test_frames.py").write_text(test, encoding="utf-8")
    ran = run_pytest("--tb=short", "--no-triton-compiler", plugin=True)
    frames = re.findall(r"^(\S+\.py):\d+: in ", ran.stdout, re.MULTILINE)
    assert frames == ["kernels.py", "test_frames.py", "test_frames.py"], ran.stdout + ran.stderr


STOPS = """\
import pytest, torch, triton, triton.language as tl

@triton.jit
def grows(x_ptr, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(
        x_ptr + at,
        tl.arange(0, 2 * B),
    )

@triton.jit
def misspells(x_ptr):
    tl.stoer(x_ptr, 1.0)

@triton.jit
def asserts(x_ptr):
    tl.device_assert(tl.program_id(0) < 1, "too many")
    tl.store(x_ptr, 1.0)

@triton.jit
def mixes(x_ptr, n):
    if n > 2:
        x = 1.0
    else:
        x = tl.zeros((4,), tl.float32)
    tl.store(x_ptr, x)

@triton.jit
def works(x_ptr):
    tl.store(x_ptr + tl.program_id(1), 1.0)

X = torch.ones(4)

def test_shape():
    grows[(1,)](X.cuda(), 16)

def test_typo():
    misspells[(1,)](X.cuda())

def test_assert():
    asserts[(2,)](X.cuda())

def test_types():
    mixes[(1,)](X.cuda(), 3)

def test_missing():
    grows[(1,)](X.cuda())

@pytest.mark.parametrize("grid", [(1,), (1, 4)])
def test_result(grid):
    works[grid](X.cuda())
    assert False
"""


@pytest.mark.library
def test_a_kernel_that_fails_is_told_in_few_lines_and_its_steps_say_where(
    run_pytest: RunPytest, tmp_path: Path
) -> None:
    (tmp_path / "test_stops.py").write_text(STOPS, encoding="utf-8")
    ran = run_pytest("--triton-steps", "--tb=short", plugin=True)
    _, *parts = re.split(r"^_{3,} (\S+) _{3,}$", ran.stdout.partition("== short")[0], flags=re.MULTILINE)
    reports, steps = {}, {}
    for name, report in zip(parts[::2], parts[1::2], strict=True):
        reports[name], _, told = report.partition("What the program did, line by line ")
        steps[name] = told.partition("\n")[2]
        assert len(reports[name].splitlines()) < 20, report
        assert set(re.findall(r"^(\S+\.py):\d+: in", report, re.MULTILINE)) == {"test_stops.py"}, name
    assert "raised in repr()" not in ran.stdout
    assert "grows does not compile for a GPU, line 6 of test_stops.py: Cannot make_shape" in reports["test_shape"]
    assert "E     `tl.store(x_ptr + at, tl.arange(0, 2 * B))`\n" in reports["test_shape"]
    assert "direct cause" not in reports["test_shape"] + reports["test_typo"]
    assert "does not compile for a GPU, line 13 of test_stops.py" in reports["test_typo"]
    assert "InterpreterError: AssertionError('too many, in program 1')" in reports["test_assert"]

    store = "Program 0 stopped at line 6 of test_stops.py: `tl.store(x_ptr + at, tl.arange(0, 2 * B))`. ValueError: "
    assert store in steps["test_shape"]
    assert (
        "Program 0 stopped at line 13 of test_stops.py: `tl.stoer(x_ptr, 1.0)`. AttributeError: "
        in (steps["test_typo"])
    )
    assert steps["test_assert"].startswith("asserts: program 1, grid (2,)\n")
    assert "Program 1 stopped at line 17 of test_stops.py" in steps["test_assert"]
    assert steps["test_types"].startswith("No GPU runs this, as the kernel does not compile.\n")
    assert steps["test_result[grid0]"].startswith("Nothing illegal was found.\n")
    assert steps["test_result[grid1]"].startswith(
        "Nothing illegal was found; --triton-program=0,1 shows another program.\n"
    )
    assert "Nothing illegal" not in steps["test_typo"] + steps["test_shape"] + steps["test_assert"]


def test_an_error_of_a_test_keeps_its_cause(run_pytest: RunPytest, tmp_path: Path) -> None:
    text = 'def test_wraps():\n    raise RuntimeError("outer") from ValueError("inner")\n'
    (tmp_path / "test_wraps.py").write_text(text, encoding="utf-8")
    assert "ValueError: inner" in run_pytest("--tb=short", plugin=True).stdout


@pytest.mark.library
def test_it_may_be_switched_off(run_forked: RunPython, tmp_path: Path) -> None:
    (tmp_path / "test_view.py").write_text(VIEW, encoding="utf-8")
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", PLUGIN)
    ran = run_forked(*command, env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TRITON_SIMULATOR": "0"}, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
