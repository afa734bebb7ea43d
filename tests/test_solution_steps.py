"""Steps of the solutions' launches: every assigned name, as Triton's own interpreter assigns it."""

from __future__ import annotations

import pytest

from simulator.tests.processes import RunPython
from triton_workshop.exercises import EXERCISES


@pytest.mark.library
@pytest.mark.parametrize("number", EXERCISES)
def test_each_assignment_has_the_value_that_tritons_interpreter_gives_it(number: str, run_forked: RunPython) -> None:
    code = f"from tests.solution_steps import compare_exercise; compare_exercise({number!r})"
    outcome = run_forked("-c", code, env={"TRITON_INTERPRET": "1"})
    assert outcome.returncode == 0, outcome.stderr
    counts = [int(line) for line in outcome.stdout.split()]
    assert len(counts) == 3
    assert min(counts) >= 3
