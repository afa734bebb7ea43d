"""The checker never calls a right script wrong. `python -m benchmarks.soak variants` judges all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from triton_workshop.checking.exercises import EXERCISES, REQUIRED

from .judging import judge_here
from .variants import NUMBER, OF_OLDER, Variant, variants

QUARTER = NUMBER // 4
"""So many are judged here; all take too long for every day."""
VARIANTS = {exercise: variants(exercise) for exercise in REQUIRED}
SAMPLE = [
    pytest.param(exercise, variant, id=f"{exercise}-{variant.name}")
    for exercise, every in VARIANTS.items()
    for variant in every[:QUARTER] + every[NUMBER:]
]


@pytest.mark.parametrize(("exercise", "variant"), SAMPLE)
def test_a_right_script_passes_or_hears_what_is_gone(exercise: str, variant: Variant, tmp_path: Path) -> None:
    script = tmp_path / f"{variant.name}.py"
    script.write_text(variant.source, encoding="utf-8")
    verdict = judge_here(EXERCISES[exercise], script)
    if not variant.there():
        assert [finding.hint_name for finding in verdict.findings] == ["block-pointers-gone"]
        return
    assert verdict.passed, f"{verdict.findings[0].message}\n\n{variant.source}"


@pytest.mark.parametrize("exercise", REQUIRED)
def test_every_option_is_there_several_times(exercise: str) -> None:
    every = VARIANTS[exercise]
    assert len([variant for variant in every if not variant.needs]) == NUMBER
    assert len({variant.source for variant in every}) == len(every)
    options = Counter(choice for variant in every for choice in variant.choices.items())
    assert min(options.values()) >= OF_OLDER // 2
    # Of each point all options, numbered from 0.
    numbers: dict[str, set[int]] = {}
    for point, number in options:
        numbers.setdefault(point, set()).add(number)
    assert all(set(range(len(found))) == found for found in numbers.values())
