"""In what PyTorch and Python call back, "cuda" means the CPU too: threads, backward, custom operators …"""

from __future__ import annotations

from pathlib import Path

from .conftest import RunPytest

PROJECT = """\
import asyncio, threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest, torch, triton
import triton.language as tl
from torch.autograd import graph
from torch.utils.checkpoint import checkpoint

calls = []

@pytest.fixture(autouse=True)
def _is_called():
    calls.clear()
    yield
    assert calls

def check(*tensors):
    calls.append(len(tensors))
    for tensor in tensors:
        assert tensor.is_cuda and not tensor.is_cpu and tensor.device == torch.device("cuda", 0)
    assert torch.zeros(3, device="cuda").is_cuda and torch.ones(3).to("cuda").is_cuda and not torch.ones(3).is_cuda

def on_gpu():
    return torch.ones(3, device="cuda", requires_grad=True)

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        check(x)
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        check(gradient, *ctx.saved_tensors)
        return gradient * 2

def gradient(y, x):
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]

BACKWARD = {
    "Tensor.backward": lambda y, x: y.sum().backward(),
    "torch.autograd.backward": lambda y, x: torch.autograd.backward(y.sum()),
    "torch.autograd.grad": lambda y, x: check(*torch.autograd.grad(y.sum(), x)),
    "twice": lambda y, x: check(*torch.autograd.grad(gradient(y.square(), x).sum(), x)),
    "from the CPU": lambda y, x: torch.autograd.backward(y.sum().cpu()),
    "with a gradient from the CPU": lambda y, x: y.cpu().backward(torch.ones(3)),
}

@pytest.mark.parametrize("backward", BACKWARD.values(), ids=BACKWARD)
def test_backward(backward):
    x = on_gpu()
    backward(Double.apply(x), x)
    assert len(calls) > 1

def test_backward_on_the_cpu():
    class OnCpu(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x.long()

        @staticmethod
        def backward(ctx, gradient, _):
            calls.append(gradient.device.type)
            return gradient * 2

    x = torch.ones(3, requires_grad=True)
    y = OnCpu.apply(x)[0] * 2
    y.register_hook(lambda gradient: calls.append(gradient.device.type))
    y.sum().backward()
    assert calls == ["cpu", "cpu"] and not x.grad.is_cuda

def test_hooks():
    x = on_gpu()
    y = x * 2
    y.register_hook(lambda gradient: check(gradient))
    y.grad_fn.register_hook(lambda *gradients: check())
    x.register_post_accumulate_grad_hook(lambda x: check(x.grad))
    linear = torch.nn.Linear(3, 3).cuda()
    linear.register_full_backward_hook(lambda module, inputs, outputs: check(*inputs, *outputs))
    linear(y).sum().backward()
    assert sorted(calls) == [0, 1, 1, 2]

@pytest.mark.parametrize("use_reentrant", [True, False])
def test_checkpoint(use_reentrant):
    checkpoint(lambda x: Double.apply(Double.apply(x)), on_gpu(), use_reentrant=use_reentrant).sum().backward()
    assert len(calls) == 6

def test_hooks_of_saved_tensors():
    def same(tensor):
        check(tensor)
        return tensor

    x = on_gpu()
    with graph.saved_tensors_hooks(same, same):
        y = x * x
    y.sum().backward()
    assert len(calls) == 4
    with graph.save_on_cpu():
        y = Double.apply(x)
    y.sum().backward()

def test_functional():
    x = torch.ones(3, device="cuda")
    torch.func.grad(lambda x: (check(x), x.square().sum())[1])(x)
    torch.func.vjp(lambda x: (check(x), x * 2)[1], x)[1](x)
    torch.vmap(lambda x: (check(x), x * 2)[1])(x)
    torch.autograd.functional.jacobian(Double.apply, x)

def test_optimizer():
    linear = torch.nn.Linear(3, 3).cuda()
    optimizer = torch.optim.AdamW(linear.parameters())
    linear(on_gpu()).sum().backward()
    optimizer.step(lambda: (check(*linear.parameters()), 1.0)[1])
    check(*linear.parameters())

@torch.library.custom_op("ours::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    check(x)
    return x * 2

doubled.register_autograd(lambda ctx, gradient: (check(gradient), gradient * 2)[1])

@torch.library.custom_op("ours::place", mutates_args=(), device_types="cpu")
def place(x: torch.Tensor) -> torch.Tensor:
    calls.append("cpu")
    return x + 1

@place.register_kernel("cuda")
def _(x):
    calls.append("cuda")
    check(x)
    return x + 1

library = torch.library.Library("ours", "FRAGMENT")
library.define("on_gpu(Tensor x) -> Tensor")
library.impl("on_gpu", lambda x: (check(x), x * 2)[1], "CUDA")

OPERATOR = (lambda: doubled, lambda: torch.ops.ours.doubled, lambda: torch.ops.ours.doubled.default)

@pytest.mark.parametrize("of", OPERATOR)
def test_custom_operator(of):
    y = of()(on_gpu())
    check(y)
    y.sum().backward()
    assert calls == [1, 1, 1]

def test_custom_operator_with_two_implementations():
    check(place(torch.ones(3, device="cuda")))
    assert not place(torch.ones(3)).is_cuda
    assert calls == ["cuda", 1, 1, "cpu"]

def test_library():
    check(torch.ops.ours.on_gpu(torch.ones(3, device="cuda")))
    with pytest.raises(NotImplementedError, match="ours::on_gpu has no implementation for CPU, only for CUDA"):
        torch.ops.ours.on_gpu(torch.ones(3))

library.define("both(Tensor x) -> Tensor")
library.define("both.scaled(Tensor x, float scale) -> Tensor")
library.impl("both", lambda x: (calls.append("cpu"), x + 1)[1], "CPU")
library.impl(torch.ops.ours.both.default, lambda x: (calls.append("cuda"), x + 1)[1], "CUDA")
library.impl(torch.ops.ours.both.scaled, lambda x, scale: (calls.append("scaled"), x * scale)[1], "CUDA")

def test_library_with_an_implementation_by_name_and_one_by_overload():
    both = torch.ops.ours.both
    both(torch.ones(3, device="cuda")), both(torch.ones(3)), both.scaled(torch.ones(3, device="cuda"), 2.0)
    assert calls == ["cuda", "cpu", "scaled"]
    with pytest.raises(NotImplementedError, match="ours::both.scaled has no implementation for CPU, only for CUDA"):
        both.scaled(torch.ones(3), 2.0)

def test_subclass():
    class Ours(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is torch.Tensor.add:
                check()
            return super().__torch_function__(func, types, args, kwargs or {})

    y = torch.ones(3, device="cuda").as_subclass(Ours).add(1)
    assert type(y) is Ours and y.is_cuda and calls == [0]

class Subclass(threading.Thread):
    def __init__(self, function):
        super().__init__()
        self._function = function

    def run(self):
        self._function()

def finish(thread):
    thread.start()
    thread.join()
    assert "run" not in vars(thread)

def in_pool(function):
    with ThreadPoolExecutor(2) as pool:
        pool.submit(function).result()

THREADS = {
    "Thread": lambda function: finish(threading.Thread(target=function)),
    "subclass": lambda function: finish(Subclass(function)),
    "Timer": lambda function: finish(threading.Timer(0.001, function)),
    "ThreadPoolExecutor": in_pool,
    "ThreadPool": lambda function: ThreadPool(1).apply(function),
    "asyncio": lambda function: asyncio.run(asyncio.to_thread(function)),
}

@pytest.mark.parametrize("run", THREADS.values(), ids=THREADS)
def test_thread(run):
    x = on_gpu()

    def work():
        check(x)
        Double.apply(x).sum().backward()
        calls.append("end")

    run(work)
    assert calls[-1] == "end" and len(calls) == 4

@triton.jit
def races(x):
    tl.store(x, tl.load(x) + 1.0)

class Races(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        calls.append("backward")
        processors = torch.cuda.get_device_properties(gradient.device).multi_processor_count if gradient.is_cuda else 1
        races[(processors,)](torch.zeros(1, device=gradient.device))
        return gradient

def test_race_in_backward():
    Races.apply(on_gpu()).sum().backward()

def test_race_in_thread():
    in_pool(lambda: Races.apply(on_gpu()).sum().backward())
"""


def test_cuda_is_the_cpu_in_what_is_called_back(run_pytest: RunPytest, tmp_path: Path) -> None:
    (tmp_path / "test_callbacks.py").write_text(PROJECT, encoding="utf-8")
    ran = run_pytest("-rA", plugin=True)
    ends = [line.partition(" - ")[0] for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    races = [f"FAILED test_callbacks.py::test_race_in_{place}" for place in ("backward", "thread")]
    assert ends == races, ran.stdout + ran.stderr
    assert "races: program 1 and program 0 meet at x[0]" in ran.stdout
