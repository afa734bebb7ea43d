"""What a sandbox says of a call is read with care."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation, Output
from triton_workshop.pool.arena import ALIGNMENT, Arena
from triton_workshop.pool.batch import moved
from triton_workshop.pool.judging import _failure_of
from triton_workshop.pool.observations import read_observation, write_observation
from triton_workshop.pool.sandbox import End, SandboxEndedError

FILE = Path("/script/exercise_1.py")
SHAPE = (2, 3)


@pytest.fixture
def arena() -> Iterator[Arena]:
    arena = Arena.create(1 << 20)
    yield arena
    arena.close()


def read(message: dict[str, Any], arena: Arena) -> Observation:
    return read_observation(message, FILE, arena, 0, SHAPE, "cpu")


def written(arena: Arena, **changes: object) -> dict[str, Any]:
    observation = Observation(Output(torch.arange(6.0).reshape(SHAPE)), "Tensor", changed_inputs=(2,))
    return write_observation(observation, arena, 0) | changes


def as_received(message: dict[str, Any]) -> dict[str, Any]:
    received: dict[str, Any] = json.loads(json.dumps(message))
    return received


def test_observation_comes_through(arena: Arena) -> None:
    observation = read(as_received(written(arena)), arena)
    assert observation.output is not None
    assert observation.output.values.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert observation.changed_inputs == (2,)


def test_result_is_a_copy(arena: Arena) -> None:
    observation = read(as_received(written(arena)), arena)
    arena.poison(0, 24)
    assert observation.output is not None
    assert not observation.output.values.isnan().any()


def test_failure_comes_through_without_what_controls_a_terminal(arena: Arena) -> None:
    message = written(arena, output=None, failure=vars(Failure("Error", "red \x1b[31m", 3)))
    failure = read(as_received(message), arena).failure
    assert failure is not None
    assert failure.message == "red [31m"
    assert failure.line == 3


def test_another_shape_is_not_read(arena: Arena) -> None:
    message = written(arena)
    message["output"]["shape"] = [2**20, 2**19]
    output = read(as_received(message), arena).output
    assert output is not None
    assert output.values.device.type == "meta"


def test_a_result_too_wide_for_the_arena_has_its_dtype(arena: Arena) -> None:
    wide = torch.zeros(1 << 18, dtype=torch.float64)
    message = as_received(write_observation(Observation(Output(wide), "Tensor"), arena, 0))
    output = read_observation(message, FILE, arena, 0, wide.shape, "cpu").output
    assert output is not None
    assert (output.values.dtype, output.values.device.type) == (torch.float64, "meta")


def test_a_mask_for_which_there_is_no_room_is_refused(arena: Arena) -> None:
    message = written(arena)
    message["output"]["unwritten"] = True
    with pytest.raises(ValueError, match="room"):
        read_observation(as_received(message), FILE, arena, arena.size - ALIGNMENT, SHAPE, "cpu")


@pytest.mark.parametrize(
    "output",
    [
        {"shape": [2**60]},
        {"shape": [-4]},
        {"shape": [1] * 1000},
        {"shape": [2.5]},
        {"dtype": ["float32"]},
        {"provenance": "nonsense"},
        {"provenance": None},
    ],
)
def test_odd_result_is_refused(arena: Arena, output: dict[str, object]) -> None:
    message = written(arena)
    message["output"] |= output
    with pytest.raises((ValueError, KeyError, TypeError, RuntimeError)):
        read(as_received(message), arena)


@pytest.mark.parametrize(
    "changes",
    [
        {"output": [1]},
        {"output_type": 1},
        {"launches": "launch"},
        {"launches": [{}]},
        {"changed_inputs": 2**70},
        {"changed_inputs": [2**70]},
        {"failure": 7},
        {"failure": {"type": "Error"}},
        {"unreachable": [[]]},
    ],
)
def test_odd_message_is_refused(arena: Arena, changes: dict[str, object]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        read(as_received(written(arena, **changes)), arena)


def test_tensors_keep_their_strides_in_an_arena(arena: Arena) -> None:
    tensors = (torch.rand(5, 4).t(), torch.rand(6, 6)[::2, ::3], torch.rand(3, 1).expand(3, 4), torch.tensor(2.0))
    for tensor, placed in zip(tensors, arena.place(tensors), strict=True):
        there = arena.view(placed)
        assert there.stride() == tensor.stride()
        assert torch.equal(there, tensor)


def test_arena_that_is_full_says_so(arena: Arena) -> None:
    with pytest.raises(MemoryError, match="expected at most"):
        arena.place([torch.zeros(1 << 20)])


@pytest.mark.parametrize(
    "tensor", [torch.arange(7), torch.arange(12).reshape(3, 4), torch.arange(12).reshape(3, 4).t()]
)
def test_moved_tensor_has_the_same_elements(tensor: torch.Tensor) -> None:
    result = moved(tensor, 2)
    assert result.stride() == tensor.stride()
    assert not torch.equal(result, tensor)
    assert sorted(result.flatten().tolist()) == sorted(tensor.flatten().tolist())


@pytest.mark.parametrize(("code", "says"), [(139, "signal 11"), (-11, "signal 11"), (3, "exit status 3")])
def test_an_end_by_a_signal_is_told_from_an_exit(code: int, says: str) -> None:
    assert says in _failure_of(SandboxEndedError(End.CLOSED, code)).message
