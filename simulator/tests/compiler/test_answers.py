"""Each construct of the language, legal or not: the whole verdict is the compiler's, and the values are a GPU's.

What `answers/differences.toml` lists differs, for a reason that stands there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
import triton

from triton_simulator.without_library import has_library

from ..tables import ROOT, SLOW_EVERY
from .answers.run import constructs

RELATIVE = 1e-5
"""How far values may be apart where only their rounding differs."""
CONSTRUCTS = constructs()
CHOSEN = list(CONSTRUCTS)[::SLOW_EVERY]
"""Each takes Triton's compiler a third of a second: .ci/run takes one of eight, and .ci/soaks all."""
DIFFERENCES = tomllib.loads((Path(__file__).parent / "answers" / "differences.toml").read_text(encoding="utf-8"))
Answers = dict[str, dict[str, dict[str, Any]]]


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest) -> Answers:
    """What the simulator and the compiler say of the constructs that this run tests, by mode and name."""
    tests = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    names = {str(test.callspec.params["name"]): None for test in tests if hasattr(test, "callspec")}
    with tempfile.TemporaryDirectory() as folder:
        return {mode: _answers_in(mode, folder, *names) for mode in ("simulator", "compiler")}


def _answers_in(mode: str, folder: str, *names: str) -> dict[str, dict[str, Any]]:
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_INTERPRET": "1"} if mode == "simulator" else {}
    command = [sys.executable, "-m", "simulator.tests.compiler.answers.run", mode, folder, *names]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return {said["name"]: said for said in map(json.loads, ended.stdout.splitlines())}


def verdict(name: str, answers: Answers) -> str:
    """What a learner is told of a construct: the simulator and the compiler together."""
    told = answers["simulator"][name], answers["compiler"][name]
    unknown = told[1].get("unknown")
    return f"unknown: {unknown}" if unknown else "refuses" if any("refuses" in said for said in told) else "compiles"


@pytest.mark.parametrize("name", CHOSEN)
def test_the_whole_verdict_is_the_compilers(name: str, answers: Answers) -> None:
    if not triton.__version__.startswith("3.9."):
        pytest.skip("the compiler's verdicts are those of Triton 3.9")
    if not has_library() and name in DIFFERENCES["unseen"]:
        pytest.skip("only Triton's library sees it")
    same = verdict(name, answers) == CONSTRUCTS[name]["compiler"]
    assert same != (name in DIFFERENCES["verdicts"]), answers["simulator"][name] | answers["compiler"][name]


@pytest.mark.parametrize("name", [name for name in CHOSEN if isinstance(CONSTRUCTS[name]["gpu"], dict)])
def test_values_are_the_gpus(name: str, answers: Answers) -> None:
    results = answers["simulator"][name].get("results")
    if results is None:
        assert name in DIFFERENCES["verdicts"] or CONSTRUCTS[name]["compiler"] == "refuses"
        return
    relative = RELATIVE if name in DIFFERENCES["rounding"] else 0.0
    differs = _differs(CONSTRUCTS[name]["gpu"], results, relative)
    assert bool(differs) == (name in DIFFERENCES["values"]), differs


def _differs(expected: dict[str, list[Any]], results: dict[str, list[Any]], relative: float) -> str:
    """Where two constructs' results differ first, in words; empty if nowhere."""
    for name in sorted(expected.keys() | results.keys()):
        first = 0 if name == "oB" else 7 if name.startswith("ou") else -7
        pairs = [expected.get(name, []), results.get(name, [])]
        length = max(map(len, pairs))
        for place, (p, q) in enumerate(zip(*(part + [first] * (length - len(part)) for part in pairs), strict=True)):
            if not _close(p, q, relative):
                return f"{name}[{place}]: {p} on the GPU, {q} here"
    return ""


def _close(p: Any, q: Any, relative: float) -> bool:
    if p == q or isinstance(p, str) or isinstance(q, str):
        return bool(p == q)
    return bool(abs(p - q) <= relative * max(abs(p), abs(q), 1e-6))


def test_differences_are_of_constructs() -> None:
    assert {name for table in DIFFERENCES.values() for name in table} <= CONSTRUCTS.keys()
