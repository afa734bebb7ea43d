"""Pictures of what each exercise gets and returns, as `python -m benchmarks.task_pictures` has drawn them."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from benchmarks.task_pictures import colours, parameters, pictures
from triton_workshop.exercises import EXERCISES
from triton_workshop.page.assets import asset

DRAWN: dict[str, list[dict[str, Any]]] = json.loads(asset("task_pictures.json"))


def pixels(picture: dict[str, Any]) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture["png"]))).convert("RGB"), dtype=int)


@pytest.mark.parametrize("number", EXERCISES)
def test_they_are_of_the_exercise_as_it_is(number: str) -> None:
    """Another version of torch or Pillow may draw them a little differently."""
    drawn, now = DRAWN[number], pictures(EXERCISES[number])
    assert [(each["name"], each["shape"]) for each in drawn] == [(each["name"], each["shape"]) for each in now]
    for one, other in zip(drawn, now, strict=True):
        assert np.abs(pixels(one) - pixels(other)).mean() < 8


def test_each_tensor_has_the_name_that_the_launcher_gives_it() -> None:
    assert parameters(EXERCISES["6"]) == ["q", "k", "v"]


def test_signs_are_told_apart_and_a_large_block_is_cut() -> None:
    numbers = np.zeros((100, 100))
    numbers[0, 0], numbers[0, 1] = -2, 1
    below, above, zero = colours(numbers, is_picture=False)[0, :3].tolist()
    assert below[2] > below[0], "blue"
    assert above[0] > above[2], "orange"
    assert len({*map(tuple, (below, above, zero))}) == 3
    assert colours(numbers, is_picture=False).shape == (32, 48, 3)
