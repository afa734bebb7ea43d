"""Exercises are found by listing their folders."""

from __future__ import annotations

import pytest

from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise

from . import data_file


def test_a_warm_up_precedes_its_exercise_and_variations_follow() -> None:
    numbers = [*EXERCISES]
    assert numbers[:3] == ["1", "1b", "2"]
    assert numbers[numbers.index("5a") :][:4] == ["5a", "5", "5b", "5c"]
    assert [variation.number for variation in variations_of(EXERCISES["5"])] == ["5b", "5c"]
    assert [variation.number for variation in variations_of(EXERCISES["5b"])] == ["5c"]
    assert variations_of(EXERCISES["5a"]) == ()


def test_no_two_exercises_share_a_folder() -> None:
    # A variation that forgets its `package` would have the mistakes of the exercise that it varies.
    assert len({exercise.folder for exercise in EXERCISES.values()}) == len(EXERCISES)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_a_folder_has_everything_that_an_exercise_needs(exercise: Exercise) -> None:
    assert {"__init__.py", "mistakes.toml", "shipped.txt"} <= {file.name for file in exercise.folder.iterdir()}
    for name in ("calls.toml", "mistakes.toml", "right.txt", "wrong.toml"):
        assert data_file(exercise, name).is_file()
