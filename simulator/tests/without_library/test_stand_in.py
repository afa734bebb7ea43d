"""What stands in for Triton's library answers as the library does. Kernels on it: `.ci/laptops`."""

from __future__ import annotations

import collections
from collections.abc import Mapping
from enum import Enum
from typing import Any

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.backends.compiler import BaseBackend
from triton.runtime.jit import JITFunction, MockTensor, reinterpret
from triton.tools.tensor_descriptor import TensorDescriptor

from triton_simulator.without_library import has_library, stand_in

pytestmark = pytest.mark.skipif(not has_library(), reason="Triton's library is what these tests compare with")


def library() -> Any:
    from triton._C import libtriton

    return libtriton


def doubled(x):
    return 2 * x


Pair = collections.namedtuple("Pair", "first second")
MATRIX = torch.zeros(64, 64)
NUMBERS = [0, 1, 2, 16, 17, -1, -16]
ENDS = [end + step for end in (2**31, -(2**31), 2**63, -(2**63), 2**64) for step in (-1, 0)]
DTYPES = [
    value
    for name, value in vars(torch).items()
    if isinstance(value, torch.dtype) and not value.is_complex and not name.startswith("q")
]
ARGUMENTS = [
    *(None, True, False, 1.0, float("nan"), "text", {}, [1], object(), torch.float32, tl.float32, np.int64(16)),
    *(tl.constexpr(1), tl.constexpr(3), triton.constexpr_function(doubled), JITFunction(doubled)),
    *((1, 2), (16, (None, MATRIX)), Pair(1, MATRIX), ()),
    *(MATRIX, MATRIX.view(-1)[4:], MATRIX.view(-1)[1:], torch.nn.Parameter(MATRIX), MockTensor(torch.float32)),
    *(
        torch.empty(4, dtype=torch.complex64),
        reinterpret(MATRIX, tl.float16),
        TensorDescriptor.from_tensor(MATRIX, [16, 16]),
    ),
]


def answer(specialize: Any, *arguments: Any) -> Any:
    try:
        return specialize(BaseBackend, *arguments)
    except (TypeError, OverflowError, KeyError) as error:
        return type(error)


@pytest.mark.parametrize("flags", [(False, True, True), (True, True, True), (False, False, True), (False, True, False)])
def test_an_argument_specializes_as_with_the_library(flags: tuple[bool, ...]) -> None:
    tensors = [torch.empty(4, dtype=dtype) for dtype in DTYPES]
    for argument in (*ARGUMENTS, *NUMBERS, *ENDS, *tensors):
        expected = answer(library().native_specialize_impl, argument, *flags)
        got = answer(stand_in.native_specialize_impl, argument, *flags)
        assert (got, type(got)) == (expected, type(expected)), argument


def enumerations(contents: Mapping[str, Any]) -> dict[str, set[str]]:
    return {
        name: {member.name for member in value}
        for name, value in contents.items()
        if isinstance(value, type) and issubclass(value, Enum)
    }


def test_enumerations_have_the_librarys_members() -> None:
    theirs = enumerations(vars(library().ir))
    ours = enumerations(stand_in._OPERATIONS)
    if triton.__version__.startswith("3.6."):  # which has fewer
        ours = {name: members & theirs[name] for name, members in ours.items() if name in theirs}
    assert ours == theirs


FORMATS = ("E4M3", "E5M2", "E2M1", "BF16")
SHAPES = ([64, 64], [64, 32], [32, 64])
SCALES = (None, [64, 1], [64, 2], [64, 3], [64, 4], [64, 64], [64, 128])


@pytest.mark.skipif(triton.__version__.startswith("3.6."), reason="Triton 3.6 does not ask its library for it")
def test_scale_factors_are_the_librarys() -> None:
    theirs, formats = library().ir.deduce_scale_factor, library().ir.ScaleDotElemTypeTY
    for left in FORMATS:
        for shape in SHAPES:
            for packed in (True, False):
                for scales in ((one, other) for one in SCALES for other in SCALES):
                    arguments = (shape, scales[0], formats[left], packed, shape, scales[1], formats["E2M1"], packed)
                    assert factor(stand_in.deduce_scale_factor, arguments) == factor(theirs, arguments), arguments


def factor(deduce: Any, arguments: tuple[Any, ...]) -> int | str:
    try:
        return int(deduce(*arguments))
    except RuntimeError as error:
        return str(error)


@pytest.mark.parametrize(
    ("value", "default"), [(v, d) for v in (None, "", "1", "TRUE", "on", "no") for d in (True, False)]
)
def test_variables_are_read_as_by_the_library(
    value: str | None, default: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRITON_SOMETHING", raising=False)
    if value is not None:
        monkeypatch.setenv("TRITON_SOMETHING", value)
    for name in ("getenv", "getenv_bool"):
        given = default if name == "getenv_bool" else "else"
        theirs, ours = getattr(library(), name), getattr(stand_in, name)
        assert ours("TRITON_SOMETHING", given) == theirs("TRITON_SOMETHING", given)
