"""Scripts run both ways: as a new process, and as a fork of a warm parent. What a script sees must not differ."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.processes import Start
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner

WARM_SECONDS = 180
"""A parent imports torch, on a machine that may be busy."""


@pytest.fixture(scope="session")
def warm() -> Iterator[Runner]:
    if sys.platform != "linux":
        pytest.skip("a warm parent forks, which is safe on Linux only")
    with Runner() as runner:
        runner.warm_up()
        assert runner.wait_until_warm(WARM_SECONDS)
        yield runner


@pytest.fixture(params=["cold", "warm"])
def start(request: pytest.FixtureRequest) -> Start:
    if request.param == "cold":
        return Run
    runner: Runner = request.getfixturevalue("warm")
    return runner.run
