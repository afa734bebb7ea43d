"""How a script's process gets ready for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.observing.torch_calls import TorchCalls
from triton_workshop.exercises import EXERCISES

from ..conftest import RunPython

WARM_UP = """
import os
from triton_workshop.checking.observing import child
child.prepare()
from triton_workshop.checking.observing.warm_up import observe_launches
before = os.listdir("/proc/self/task") if os.path.exists("/proc") else []
launches = observe_launches()
after = os.listdir("/proc/self/task") if os.path.exists("/proc") else []
print("no more threads" if after == before else f"{before}, then {after}")
for seen in launches:
    print(seen.failure, seen.output and seen.output.provenance, seen.faults)
"""
REPLACING = {
    "attribute": "torch.equal = print",
    "setattr": "setattr(torch, 'equal', print)",
    "setattr by another name": "replace = setattr\nreplace(torch, 'equal', print)",
    "setattr found by its name": "getattr(torch, '__set' + 'attr__')",
    "dictionary": "torch.__dict__['equal'] = print",
    "dictionary by vars": "vars(torch)['equal'] = print",
    "module": "import unittest.mock",
    "module through another": "torch.sys.modules['torch'] = print",
    "annotation": "typing.get_type_hints({'x': 'exec(text)'})",
    "the checker": "from triton_workshop.checking.observing import observe",
    "descriptor": "object.__setattr__(torch, 'equal', print)",
}


WRITES: dict[str, tuple[Callable[[torch.Tensor, torch.Tensor], object], bool]] = {
    "a row of zeros": (lambda y, x: y[:1].zero_(), True),
    "a number": (lambda y, x: y.__setitem__(0, 1.0), True),
    "a copied row": (lambda y, x: y.__setitem__(0, x[0]), True),
    "a copied row, by its number": (lambda y, x: y.__setitem__([0], x[:1]), True),
    "an output": (lambda y, x: torch.zeros(3, out=y[0]), True),
    "all zeros": (lambda y, x: y.zero_(), False),
    "all copied": (lambda y, x: y.__setitem__(slice(None), x), False),
    "all copied, transposed": (lambda y, x: y.t().copy_(x.t()), False),
}
"""Writes to a tensor that PyTorch has computed, and whether it is computed afterwards."""


def _source(text: str) -> Source:
    return Source(Path("script.py"), text, EXERCISES["1"])


def test_the_launches_of_the_warm_up_succeed_and_start_no_thread(run_forked: RunPython) -> None:
    result = run_forked("-c", WARM_UP)
    assert result.returncode == 0, result.stderr
    threads, *seen = result.stdout.splitlines()
    assert threads == "no more threads"  # what forks needs to have one
    assert seen == ["None Provenance.KERNEL ()"] * 2


@pytest.mark.parametrize("number", EXERCISES)
def test_a_solution_replaces_nothing(number: str) -> None:
    assert _source(EXERCISES[number].solution).replaces_nothing


@pytest.mark.parametrize("way", REPLACING)
def test_a_script_that_may_replace_functions_is_watched(way: str) -> None:
    assert not _source(f"import torch\n{REPLACING[way]}\n").replaces_nothing


@pytest.mark.parametrize("name", WRITES)
def test_a_write_to_a_part_leaves_a_tensor_computed(name: str) -> None:
    write, computed = WRITES[name]
    x = torch.ones(2, 3)
    with TorchCalls(Path("script.py"), []) as calls:
        y = x * 2
        write(y, x)
        assert calls.is_computed(y) is computed
