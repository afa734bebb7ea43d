"""How a script's process gets ready for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.checking.observing.source import Source
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
