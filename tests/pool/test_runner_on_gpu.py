"""A runner on a GPU judges at full size, and survives what scripts do to the GPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from triton_workshop.attendance.jobs import Answer, Job, Outcome
from triton_workshop.errors import WorkshopError
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.import_order import check_triton_mode
from triton_workshop.pool import judging
from triton_workshop.pool.runner import Runner
from triton_workshop.pool.sandbox import refusal

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(refusal() is not None, reason=refusal() or "")]
SOLUTION = EXERCISES["1"].solution
KERNEL_END = "tl.store(output_ptr + offsets, output, mask=mask)"
KERNEL = """
import torch, triton, triton.language as tl
@triton.jit
def bad(x_ptr, n):
    {body}
x = torch.zeros(16, device="cuda")
bad[(1,)](x, 16)
torch.cuda.synchronize()
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    try:
        check_triton_mode()
    except WorkshopError:
        pytest.skip("other tests have Triton on the simulator in this process: run this file by itself")
    runner = Runner(gpu=True)
    yield runner
    runner.close()


def run(runner: Runner, text: str, number: str = "1", timed: bool = False) -> Answer:
    return runner.run(Job("job", number, text, timed))


def before_launcher(text: str) -> str:
    """Return the solution, with a text before its last lines."""
    assert 'if __name__ == "__main__":' in SOLUTION
    return SOLUTION.replace('if __name__ == "__main__":', f'{text}\nif __name__ == "__main__":')


@pytest.mark.parametrize("number", EXERCISES)
def test_solution_is_right_and_timed(runner: Runner, number: str) -> None:
    answer = run(runner, EXERCISES[number].solution, number, timed=True)
    assert answer.outcome is Outcome.CORRECT, answer
    assert (answer.times is not None) == (number in WORKLOADS), answer
    if answer.times is not None:  # the script is the plain solution
        assert answer.times.script == pytest.approx(answer.times.plain, rel=0.1)
        assert answer.times.ratio > 0.5


def test_missing_mask_is_wrong(runner: Runner) -> None:
    assert KERNEL_END in SOLUTION
    answer = run(runner, SOLUTION.replace(KERNEL_END, KERNEL_END.replace(", mask=mask", "")))
    assert answer.outcome is Outcome.WRONG, answer
    assert answer.verdict is not None
    assert answer.verdict["findings"][0]["kind"] == "out-of-bounds-store"


def test_illegal_access_costs_only_its_process(runner: Runner) -> None:
    body = "tl.store(x_ptr + (1 << 40) + tl.arange(0, 16), 1.0)"
    answer = run(runner, before_launcher(KERNEL.format(body=body)))
    assert answer.outcome is Outcome.WRONG, answer
    assert "illegal" in answer.sentence
    assert run(runner, SOLUTION).outcome is Outcome.CORRECT


def test_hung_kernel_is_killed(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "value = tl.load(x_ptr)\n    while value == 0:\n        value = tl.load(x_ptr, volatile=True)"
    with monkeypatch.context() as patch:
        patch.setattr(judging, "LIMIT_SECONDS", 5.0)
        answer = run(runner, before_launcher(KERNEL.format(body=body)))
    assert answer.outcome is Outcome.WRONG, answer
    assert "ot finished" in answer.sentence
    assert run(runner, SOLUTION).outcome is Outcome.CORRECT


def test_too_much_memory_is_an_error_of_the_script(runner: Runner) -> None:
    answer = run(runner, before_launcher('import torch\nheld = torch.empty(1 << 50, dtype=torch.uint8, device="cuda")'))
    assert answer.outcome is Outcome.WRONG, answer
    assert run(runner, SOLUTION).outcome is Outcome.CORRECT


def test_script_that_fills_the_memory_and_stays_is_ended(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
import ctypes, time, torch
torch.zeros(1, device="cuda")
library, pointer = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64()
for size in (1 << 33, 1 << 30, 1 << 26):
    while library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(size)) == 0:
        pass
time.sleep(1000)
"""
    with monkeypatch.context() as patch:
        patch.setattr(judging, "LIMIT_SECONDS", 10.0)
        answer = run(runner, before_launcher(text))
    assert answer.outcome is Outcome.WRONG, answer
    assert run(runner, SOLUTION).outcome is Outcome.CORRECT


def test_forged_events_are_not_believed(runner: Runner) -> None:
    text = "import torch\ntorch.cuda.Event.elapsed_time = lambda self, end: 1e-3"
    answer = run(runner, before_launcher(text), timed=True)
    assert answer.times is None, answer
    assert "clock" in answer.sentence


def test_only_its_own_gpu_is_there(runner: Runner) -> None:
    text = """
import glob
nodes = [node for node in glob.glob("/dev/nvidia[0-9]*")]
if len(nodes) != 1:
    raise RuntimeError(str(nodes))
"""
    assert run(runner, before_launcher(text)).outcome is Outcome.CORRECT
