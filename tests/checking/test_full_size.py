"""What the pass on a GPU makes of a script's calls: without a GPU, with tensors that stay on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from triton_workshop.checking.full_size import run_on_the_gpu
from triton_workshop.checking.judging.trial import Trial
from triton_workshop.checking.judging.verdict import CaseResult, FindingKind
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observer
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case

ADD = EXERCISES["1"]
SMALL = tuple(Case(case.name, lambda _, case=case: case.arguments("cpu")) for case in ADD.cases[:2])
NAMES = ("1,000 elements, GPU", "1 element, GPU")


@pytest.fixture(autouse=True)
def _no_gpu_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)


def trial(launcher: Callable[..., torch.Tensor]) -> tuple[Trial, list[CaseResult]]:
    """What comes of all cases, and which of them were reported as they were done."""
    source, done = Source.read(ADD.solution_file, replace(ADD, gpu_cases=SMALL)), list[CaseResult]()
    observer = Observer(launcher, source.file, simulated=False)
    return run_on_the_gpu(source, observer, 20, done.append), done


def test_every_case_is_judged_and_reported() -> None:
    found, done = trial(lambda x, y: x + y)
    assert found.findings == ()
    assert done == [*found.cases] == [CaseResult(name, passed=True) for name in NAMES]
    assert found.tolerance.startswith("float32")


def test_the_first_case_that_fails_is_the_last() -> None:
    found, done = trial(lambda x, y: x - y)
    assert done == [*found.cases] == [CaseResult(NAMES[0], passed=False)]
    assert [(finding.kind, finding.case) for finding in found.findings] == [(FindingKind.WRONG_VALUES, NAMES[0])]
    assert found.last_call is None, "its tensors would go to another process"


def test_a_store_beside_an_argument_is_found() -> None:
    def stores_behind_it(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.as_strided((1,), (1,), x.storage_offset() + len(x)).fill_(1.0)
        return x + y

    [finding] = trial(stores_behind_it)[0].findings
    assert (finding.kind, finding.hint_name) == (FindingKind.OUT_OF_BOUNDS_STORE, "mask-missing")
    assert finding.case == NAMES[0]


@pytest.mark.parametrize(
    "make",
    [
        torch.empty_like,
        torch.zeros_like,
        lambda x: torch.empty(x.shape),
        lambda x: torch.full((len(x),), 2.0),
        lambda x: x.new_empty(len(x)),
        lambda x: torch.empty_strided((len(x),), (1,)),
    ],
)
@pytest.mark.parametrize("beside", [-1, 1])
def test_a_store_beside_the_result_is_found(make: Callable[[torch.Tensor], torch.Tensor], beside: int) -> None:
    def stores_beside_it(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        result = make(x)
        place = len(x) if beside > 0 else -1
        result.as_strided((1,), (1,), result.storage_offset() + place).fill_(1.0)
        return result.copy_(x + y)

    [finding] = trial(stores_beside_it)[0].findings
    assert (finding.kind, finding.case) == (FindingKind.OUT_OF_BOUNDS_STORE, NAMES[0])


def test_what_a_script_makes_is_as_it_was() -> None:
    def launcher(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        assert torch.zeros(0).shape == (0,)
        assert torch.zeros(3, dtype=torch.complex64).sum() == 0
        assert torch.empty(3, dtype=torch.float8_e5m2).shape == (3,)
        assert torch.empty(3, device="meta").is_meta
        assert torch.ones(2, 3).t().stride() == (1, 3)
        assert torch.empty(2, 3, dtype=torch.bool).dtype is torch.bool
        assert torch.zeros(4).fill_(2).sum() == 8
        assert torch.ones(4, requires_grad=True).requires_grad
        return (x + y) * torch.ones_like(x)

    assert trial(launcher)[0].findings == ()


@pytest.mark.parametrize(("launcher", "right"), [(torch.add, True), (torch.sub, False)])
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_where_the_result_is_no_number_a_call_is_right_if_it_gives_the_same(
    odd: float, launcher: Callable[..., torch.Tensor], right: bool
) -> None:
    """On a GPU nobody knows what is unwritten."""
    x, y = torch.tensor([1.0, odd, 3.0]), torch.tensor([1.0, 2.0, 3.0])
    seen = Observer(launcher, ADD.solution_file, simulated=False).observe((x, y))
    assert seen.output is not None
    assert seen.output.unwritten is None
    assert Comparison(ADD, (x, y), seen).right is right
