"""A few screens, compared with how they looked when somebody last looked at them.

After a change that is meant: `uv run pytest tests/watch/test_snapshots.py --snapshot-update`, then look at them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from triton_workshop.watch.app import Watch

from .conftest import SOLUTIONS, Answer, FakeChecker, by_text, fails

pytestmark = pytest.mark.usefixtures("desk")


@pytest.mark.parametrize(
    ("answer", "solved", "keys", "size"),
    [
        pytest.param(by_text, True, [], (80, 24), id="pass"),
        pytest.param(by_text, False, ["h"], (80, 24), id="unfinished"),
        pytest.param(fails, False, [], (80, 24), id="tile_map"),
        pytest.param(fails, False, ["h", "h"], (160, 45), id="tile_map_wide"),
        pytest.param(by_text, True, ["l"], (80, 24), id="list"),
    ],
)
def test_a_screen_looks_as_it_did(
    snap_compare: Any,
    checker: FakeChecker,
    answer: Answer,
    solved: bool,
    keys: list[str],
    size: tuple[int, int],
) -> None:
    checker.answer = answer
    if solved:
        Path("exercises", "exercise_1.py").write_text(SOLUTIONS["1"], encoding="utf-8")
    watch = Watch("1", checker=checker, clock=lambda: "14:03:22")

    async def drive(pilot: Pilot[int]) -> None:
        while watch.state.job is not None:
            await pilot.pause(0.01)
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(watch, run_before=drive, terminal_size=size)
