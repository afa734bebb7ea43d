"""The table of what Triton has for what PyTorch and NumPy have: each line computes the same on both sides."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

from triton_simulator.compiler.compilation import answers
from triton_simulator.compiler.jobs import CompileJob
from triton_simulator.compiler.launches import Launches
from triton_workshop.checking.judging.habits import function_name, habits, suggest_triton_code
from triton_workshop.checking.observing.child import prepare
from triton_workshop.processes.compilers import new_process

N = 16
HEAD = "import triton\nimport triton.language as tl\n"
KERNEL = """

@triton.jit
def line_{number}(x_ptr, y_ptr, a_ptr, b_ptr, c_ptr, i_ptr, output_ptr, n: tl.constexpr):
    one = tl.arange(0, n)
    both = one[:, None] * n + one[None, :]
    x, y, i = tl.load(x_ptr + one), tl.load(y_ptr + one), tl.load(i_ptr + one)
    a, b, c = tl.load(a_ptr + both), tl.load(b_ptr + both), tl.load(c_ptr + both)
    p, q = x > 0, y > 1
    result = {code}
    tl.store(output_ptr + {offsets}, result.to(tl.float32))
"""
OFFSETS = {
    (): "0",
    (N,): "one",
    (N, N): "both",
    (N, 1): "one[:, None]",
    (1, N): "one[None, :]",
    (N, 2): "one[:, None] * 2 + tl.arange(0, 2)[None, :]",
    (N * N,): "tl.arange(0, n * n)",
}
ROUNDED = 2e-2
"""As much as bfloat16 rounds a few units: every wrong line is further off."""


def _values() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    x, a, b, c = (torch.randn(shape, generator=generator) for shape in ((N,), (N, N), (N, N), (N, N)))
    return {"x": x, "y": torch.rand(N, generator=generator) + 0.5, "a": a, "b": b, "c": c, "i": torch.arange(N).flip(0)}


def _expected(left: str) -> torch.Tensor:
    """What PyTorch or NumPy makes of the values."""
    values: dict[str, Any] = _values()
    values |= {"p": values["x"] > 0, "q": values["y"] > 1}
    if "np." in left:
        values = {name: value.numpy() for name, value in values.items()}
    functions = torch.nn.functional
    return torch.as_tensor(eval(left, {"torch": torch, "np": np, "F": functions, "n": N}, values)).float()


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A kernel for each line of the table."""
    prepare()
    text = HEAD
    for number, (left, code) in enumerate(habits().code.items()):
        text += KERNEL.format(number=number, code=code, offsets=OFFSETS[tuple(_expected(left).shape)])
    file = tmp_path_factory.mktemp("habits") / "kernels_of_habits.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _run(kernels: ModuleType, number: int, left: str) -> tuple[torch.Tensor, torch.Tensor]:
    expected = _expected(left)
    output = torch.full(expected.shape, float("nan"))
    getattr(kernels, f"line_{number}")[(1,)](*_values().values(), output, N)
    return output, expected


def test_both_sides_of_each_line_compute_the_same(kernels: ModuleType) -> None:
    wrong = []
    for number, left in enumerate(habits().code):
        output, expected = _run(kernels, number, left)
        if not torch.allclose(output, expected, rtol=ROUNDED, atol=ROUNDED):
            wrong.append(left)
    assert wrong == []


def test_the_compiler_takes_the_right_side_of_each_line(kernels: ModuleType) -> None:
    launches = Launches()
    with launches.listen():
        for number, left in enumerate(habits().code):
            _run(kernels, number, left)
    said = list(answers([CompileJob(kernel, None) for kernel in launches.kernels()], new_process))
    assert [answer.refusal.words for answer in said if answer.refusal] == []
    assert len(said) == len(habits().code)


def test_triton_has_the_names_that_the_table_calls_its_own() -> None:
    prepare()
    import triton.language as tl

    assert [name for name in habits().names if not hasattr(tl, name)] == []
    types = {name.partition(".")[2] for name in habits().types.values()}
    assert [name for name in types if not isinstance(getattr(tl, name), tl.dtype)] == []


TENSOR = "AttributeError: 'tensor' object has no attribute '{}'"
LANGUAGE = "AttributeError: module 'triton.language' has no attribute '{}'"
NAME = "NameError: name '{}' is not defined"
SAID = (
    (TENSOR.format("clamp"), "y = (x + 1).clamp(max=1)", "write tl.minimum(x, 1.0) for x.clamp(max=1.0)"),
    (TENSOR.format("half"), "tl.store(c_ptrs, x.half(), mask=c_mask)", "x.to(tl.float16)"),
    (TENSOR.format("dot"), "total += a.dot(b)", "tl.dot(a, b)"),
    (TENSOR.format("device"), "y = x.to(x.device)", "everything is on the GPU"),
    (LANGUAGE.format("laod"), "x = tl.laod(x_ptr + offsets)", "Did you mean tl.load?"),
    (LANGUAGE.format("float"), "total = tl.zeros((4,), dtype=tl.float)", "write tl.float32"),
    (LANGUAGE.format("mean"), "y = x - tl.mean(x)", "tl.sum(x, axis=0) / n for tl.mean(x)"),
    ("AttributeError: module 'triton' has no attribute 'load'", "x = triton.load(x_ptr)", "write tl.load"),
    (NAME.format("np"), "y = np.maximum(x, 0)", "write tl.maximum(x, y) for np.maximum(x, y)"),
    (NAME.format("np"), "column = rows[:, np.newaxis]", "x[:, None]"),
    (NAME.format("program_id"), "pid = program_id(0)", "write tl.program_id"),
    (NAME.format("weight"), "n = weight.shape[0]", "the launcher knows the sizes"),
    ("NameError: sum is not defined", "y = sum([x, x])", "add blocks with +"),
    ("NameError: enumerate is not defined", "for i, _ in enumerate(range(n)):", "for i in range(n)"),
    ("AttributeError: 'torch.dtype' object has no attribute 'is_int'", "x = x.to(torch.float16)", "write tl.float16"),
    ("ValueError: Shape element 0 must be a power of 2", "column = rows.view(-1, 1)", "x[:, None]"),
    (
        "AttributeError: 'dtype' object has no attribute 'min'",
        "m = tl.float32.min",
        "The lowest float32 is -3.4028234e38",
    ),
    (NAME.format("torch"), "m = torch.finfo(torch.float32).min", "The lowest float32 is -3.4028234e38"),
    (NAME.format("np"), "m = np.finfo(np.float32).max", "The lowest float32 is -3.4028234e38"),
    ("", "y = torch.nn.functional.relu(x)", "tl.maximum(x, 0.0)"),
)


@pytest.mark.parametrize(("error", "code", "words"), SAID)
def test_an_error_leads_to_what_triton_has(error: str, code: str, words: str) -> None:
    assert words in suggest_triton_code(error, code)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("ValueError: Shape element 0 must be a power of 2", "x = x.reshape(BLOCK, 3)"),
        ("ValueError: incompatible dimensions", "x = tl.sum(x, axis=0) + x.to(tl.float32)"),
        ("NameError: name 'offset' is not defined", "x = tl.load(x_ptr + offset, mask=mask)"),
        ("AttributeError: 'int' object has no attribute 'shape'", "n = number.shape"),
        ("TypeError: anything", "x = x * math.pi"),
    ],
)
def test_what_triton_accepts_is_not_blamed(error: str, code: str) -> None:
    assert suggest_triton_code(error, code) == ""


def test_the_table_has_nothing_that_blocks_have_but_for_other_arguments() -> None:
    """A line whose name Triton's tensors have too says what differs: no hint is given before something fails."""
    prepare()
    import triton.language as tl

    same = {
        function_name(left)
        for left in habits().code
        if left.startswith(("x.", "a.")) and hasattr(tl.tensor, function_name(left))
    }
    assert same == {"sum", "reshape", "view", "ravel"}
