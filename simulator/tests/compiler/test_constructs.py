"""What people write in kernels: the front end without the library refuses what the compiler refuses, and no more."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import triton

from ..tables import ROOT
from .measure import VERDICTS

TAKES = "takes"
UNSEEN = {
    "reduce_a_tuple_with_one_result",
    "tl_sqrt_of_a_constexpr",  # the simulator refuses it, too
    "while_on_a_block",
    "load_with_an_integer_mask",  # this and the next two: the simulator refuses them
    "load_with_an_int_cast_mask",
    "load_with_a_float_mask",
    "tl_tensor_by_hand",
}
"""Refused by Triton's library, which checks the types of the operations that it is asked to build."""
UNSEEN_ON_3_6 = {"block_pointer_plus_an_integer", "index_with_too_many_dimensions"}
"""Refused by the library of Triton 3.6 too; the first one ends its process."""
FOR_OLDER_GPUS = {"cast_to_fp8e4", "fp8e4_loaded"}
"""The verdicts are those for sm_80; the front end without the library reads for sm_90."""


@functools.cache
def recorded() -> dict[str, str]:
    """What the compiler said of each construct, under the installed version of Triton."""
    verdicts = {name: said.get(triton.__version__) for name, said in json.loads(VERDICTS.read_text()).items()}
    if None in verdicts.values():
        pytest.skip(f"nothing is recorded for Triton {triton.__version__}: python -m simulator.tests.compiler.measure")
    return verdicts


@functools.cache
def _all_measured() -> dict[str, dict[str, str]]:
    columns = ("types", "front-end", "simulator")
    with ThreadPoolExecutor(len(columns)) as beside:  # each waits for a process
        return dict(zip(columns, beside.map(_measured, columns), strict=True))


def measured(column: str) -> dict[str, str]:
    """What a column of `simulator.tests.compiler.measure` says now, by construct."""
    return _all_measured()[column]


def _measured(column: str) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    mode = {"TRITON_INTERPRET": "1"} if column == "simulator" else {}
    command = [sys.executable, "-m", "simulator.tests.compiler.measure", "--column", column]
    ended = subprocess.run(command, cwd=ROOT, env=variables | mode, capture_output=True, text=True, check=True)
    return {name: verdict for line in ended.stdout.splitlines() for name, verdict in json.loads(line).items()}


@pytest.mark.skipif(sys.platform == "win32", reason="constructs are measured in forks")
def test_types_alone_show_what_the_front_end_refuses() -> None:
    now = measured("types")
    assert now.keys() == recorded().keys()
    taken = {name for name, said in recorded().items() if said.startswith(TAKES)}
    unseen = UNSEEN | UNSEEN_ON_3_6 if triton.__version__.startswith("3.6.") else UNSEEN
    assert {name for name, said in now.items() if said == TAKES} - taken == unseen | FOR_OLDER_GPUS
    assert [name for name in taken if now[name] != TAKES] == []


@pytest.mark.library
@pytest.mark.skipif(sys.platform == "win32", reason="constructs are measured in forks")
def test_the_recorded_verdicts_are_the_compilers() -> None:
    now = measured("front-end")
    assert {name: said.startswith(TAKES) for name, said in now.items()} == {
        name: said.startswith(TAKES) for name, said in recorded().items()
    }


FINDINGS = {
    "assert_on_scalar_that_fails": "an assert does nothing on a GPU unless debug=True; here it is told",
    "assert_on_wrong_constexpr": "the same",
    "assume_that_fails": "undefined on a GPU",
    "device_assert_that_fails": "the same as an assert",
    "step_of_zero": "a loop without an end",
    "clock_of_the_gpu": "needs a GPU",
}
"""Constructs that the compiler takes, and that the simulator refuses on purpose."""


@pytest.mark.skipif(sys.platform == "win32", reason="constructs are measured in forks")
def test_what_the_compiler_takes_runs_on_the_simulator() -> None:
    now = measured("simulator")
    taken = [name for name, said in recorded().items() if said == TAKES]
    refused = {name: now[name] for name in taken if now[name].startswith(("refuses", "crashes"))}
    assert {name: said for name, said in refused.items() if name not in FINDINGS} == {}
