"""The page's torch beside PyTorch: each name gives the same values, dtypes, strides, kinds of errors and text."""

from __future__ import annotations

import operator
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from triton_workshop.page.torch import absent
from triton_workshop.page.torch.install import build_modules, modules
from triton_workshop.page.torch.tensor import METHODS, Tensor
from triton_workshop.repository import ROOT

OURS = build_modules()["torch"]
LINES = (Path(__file__).parent / "torch_cases.txt").read_text(encoding="utf-8").splitlines()
CASES = [line for line in LINES if line and not line.startswith("#")]
KINDS = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def put(tensor: Any, key: Any, value: Any) -> Any:
    tensor[key] = value
    return tensor


def inside(tensor: Any, how: str, value: Any) -> Any:
    names = {"+=": "iadd", "-=": "isub", "*=": "imul", "/=": "itruediv", "//=": "ifloordiv", "%=": "imod"}
    result = getattr(operator, (names | {"|=": "ior", "&=": "iand"})[how])(tensor, value)
    assert result is tensor
    return result


def seeded(library: Any, draw: Callable[[Any], Any]) -> Any:
    return draw(library.Generator().manual_seed(1234))


SQUARE = "torch.autograd.Function"


def square(library: Any, numbers: list[float]) -> Any:
    class Square(library.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = library.tensor(numbers, requires_grad=True)
    Square.apply(x).sum().backward()
    return x.grad


def evaluated(expression: str, library: Any) -> Any:
    """What an expression gives with this torch, or the error."""
    kinds = [getattr(library, kind) for kind in KINDS]
    names = {"torch": library, "np": np, "put": put, "inside": inside, "seeded": seeded, "square": square}
    try:
        return described(eval(expression, names | {"KINDS": kinds}))
    except Exception as error:
        return error


def described(result: Any) -> Any:
    """A result as plain data: of a tensor, all that one can see."""
    if isinstance(result, torch.Tensor | Tensor):
        layout = (tuple(result.shape), result.stride(), result.storage_offset(), result.is_contiguous())
        values = result.double() if str(result.dtype) == "torch.bfloat16" else result.detach()
        return ("tensor", str(result.dtype), layout, np.array(values.numpy()))
    if isinstance(result, tuple | list):
        return [type(result).__name__.rpartition(".")[2].removeprefix("return_types"), *map(described, result)]
    if isinstance(result, torch.dtype | torch.device | torch.Size) or type(result).__module__.startswith("triton"):
        return repr(result)
    return result


def same(one: Any, other: Any, exactly: bool) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b, exactly) for a, b in zip(one, other, strict=True))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if exactly or one.dtype.kind != "f":
            return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        digits = np.finfo(one.dtype).resolution
        return one.dtype == other.dtype and np.allclose(one, other, rtol=4 * digits, atol=digits, equal_nan=True)
    return type(one) is type(other) and bool(one == other)


@pytest.mark.parametrize("case", CASES)
def test_an_expression_gives_what_pytorch_gives(case: str) -> None:
    expression = case.lstrip("~≈")
    theirs, ours = evaluated(expression, torch), evaluated(expression, OURS)
    if isinstance(theirs, Exception):
        assert type(ours) is type(theirs), (ours, theirs)
        assert case.startswith("~") or _first(ours) == _first(theirs)
    else:
        assert not isinstance(ours, Exception), ours
        assert same(theirs, ours, exactly=not case.startswith("≈")), (theirs, ours)


def _first(error: BaseException) -> str:
    """The first line of a message, without what only PyTorch's own code can add."""
    return str(error).partition("\n")[0]


@pytest.mark.parametrize(
    "name",
    [f"{owner}.{name}" for owner, names in modules().items() for name in names] + [f".{name}" for name in METHODS],
)
def test_every_name_is_pytorchs_and_has_a_case(name: str) -> None:
    owner, _, own = name.rpartition(".")
    assert hasattr(torch.Tensor, own) if not owner else hasattr(_their(owner), own)
    assert own.startswith("__") or any(re.search(rf"\.{own}\b", case) for case in [*CASES, SQUARE])


def _their(owner: str) -> Any:
    return operator.attrgetter(owner.partition(".")[2])(torch) if "." in owner else torch


@pytest.fixture
def known_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The names of PyTorch, as a page has them."""
    (tmp_path / "names.json").write_text('{"torch": ["fft", "sum"], "torch.Tensor": ["cauchy_"]}')
    monkeypatch.setattr(absent, "LAPTOP_NAMES", tmp_path / "names.json")
    absent.laptop_names.cache_clear()
    yield
    absent.laptop_names.cache_clear()


@pytest.mark.usefixtures("known_names")
def test_a_name_that_is_not_here_is_a_sentence() -> None:
    with pytest.raises(absent.NotInThisPageError, match=r"^torch\.fft is not in this page; on your laptop it works$"):
        _ = OURS.fft
    with pytest.raises(absent.NotInThisPageError, match=r"^torch\.Tensor\.cauchy_ is not in this page"):
        OURS.ones(2).cauchy_()
    assert not hasattr(OURS, "fft")


@pytest.mark.usefixtures("known_names")
def test_a_name_that_pytorch_does_not_have_is_said_as_pytorch_says_it() -> None:
    for library in (torch, OURS):
        with pytest.raises(AttributeError, match=r"^module 'torch' has no attribute 'cdiv'"):
            _ = library.cdiv
        with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'length'$"):
            _ = library.ones(2).length


def test_arguments_that_are_not_here_are_a_sentence() -> None:
    with pytest.raises(TypeError, match=r"^torch\.sum is not in this page with these arguments; your laptop has all"):
        OURS.sum(OURS.ones(2), out=OURS.ones(1))


def test_a_gradient_that_would_be_lost_is_a_sentence() -> None:
    x = OURS.ones(2, requires_grad=True)
    with pytest.raises(absent.NotInThisPageError, match=r"^the gradient of torch\.\w+ is not in this page"):
        _ = x * 2
    with OURS.no_grad():
        assert (x * 2).tolist() == [2, 2]


def test_the_sum_of_a_functions_result_requires_its_gradient() -> None:
    class Twice(OURS.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(_: Any, x: Any) -> Any:
            return 2 * x

        @staticmethod
        def backward(_: Any, grad: Any) -> Any:
            return 2 * grad

    y = Twice.apply(OURS.ones(2, requires_grad=True))
    assert y.sum().requires_grad
    with pytest.raises(absent.NotInThisPageError, match=r"^the gradient of torch\.\w+ is not in this page"):
        _ = y.sum() * 2
    with OURS.no_grad():
        assert not y.sum().requires_grad


EVERY_CASE = """
from triton_workshop.page.torch.install import install
install()
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import to_float64
from triton_workshop.exercises.tolerance import tolerance
for exercise in EXERCISES.values():
    for case in exercise.simulated_cases:
        arguments = (case.scaled_down or case).arguments("cpu")
        tolerance(exercise, arguments, exercise.reference(*to_float64(arguments)))
"""


def test_a_page_has_all_that_the_exercises_ask_of_torch() -> None:
    subprocess.run([sys.executable, "-c", EVERY_CASE], cwd=ROOT, check=True)
