"""The screen of a look inside: its keys, its panes, and what it says."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.apps import driven, screen, until
from triton_workshop.checking import own_errors
from triton_workshop.look.app import Look
from triton_workshop.look.grid import HEAD_ROWS, GridMap
from triton_workshop.look.recording import Recording, Request
from triton_workshop.look.screen import LookScreen
from triton_workshop.look.timeline import Target
from triton_workshop.screen.palette import DARK, LIGHT, Palette

from .conftest import SCRIPT, WITH_FAULT, Record, line_of

Steps = Callable[[LookScreen, Pilot[int]], Awaitable[None]]


def show(
    recording: Recording | Record,
    steps: Steps,
    target: Target = Target(),  # noqa: B008
    size: tuple[int, int] = (80, 24),
    cases: tuple[str, ...] = (),
) -> None:
    record = (lambda _: recording) if isinstance(recording, Recording) else recording
    page = LookScreen("script.py", Request(Path("script.py"), SCRIPT), record, DARK, target, cases)

    async def run(app: Look, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.is_mounted)
        await steps(page, pilot)

    driven(lambda: Look(page), run, lambda app: None, size, notifications=True)


async def press(page: LookScreen, pilot: Pilot[int], *keys: str) -> str:
    await pilot.press(*keys)
    await pilot.pause()
    await pilot.pause()
    return screen(pilot.app)


def test_arrows_step_through_time_and_programs(recording: Recording) -> None:
    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        assert "Program (0) in a grid of (2)   step 1 of 25" in await press(page, pilot)
        assert "step 2 of 25" in await press(page, pilot, "down")
        assert "Program (1) in a grid of (2)   step 2 of 25" in await press(page, pilot, "right")
        assert "this is the last program" in await press(page, pilot, "right")
        assert "step 25 of 25" in await press(page, pilot, "end")
        assert "step 1 of 25" in await press(page, pilot, "home")

    show(recording, steps)


def test_iterations_grid_and_arguments(recording: Recording) -> None:
    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        assert "iteration 2 of 3" in await press(page, pilot, "n")
        assert "iteration 3 of 3" in await press(page, pilot, "n")
        assert "no other iteration in this direction" in await press(page, pilot, "n")
        assert "Programs of tile_kernel" in await press(page, pilot, "g")
        assert isinstance(pilot.app.screen, GridMap)
        assert "Program (1) in a grid of (2)   iteration 3 of 3" in await press(page, pilot, "right", "enter")
        assert "columns  int32  10" in await press(page, pilot, "a")
        assert "columns  int32  10" not in await press(page, pilot, "a")

    show(recording, steps, Target(line=line_of("column = step")))


def test_a_table_that_fits_does_not_move(recording: Recording) -> None:
    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        await press(page, pilot, "greater_than_sign", "greater_than_sign")
        assert page.first_column == 0

    show(recording, steps, Target(line=line_of("tile = tl.load")))


def test_a_click_on_a_line_shows_what_it_made(recording: Recording) -> None:
    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        row = next(y for y, line in enumerate((await press(page, pilot)).splitlines()) if "total = tl.zeros" in line)
        await pilot.click(offset=(20, row))
        assert "total  fp32[4 × 4]  all 0" in await press(page, pilot)

    show(recording, steps, size=(120, 36))


def test_a_key_leads_to_the_fault_and_another_to_the_next_launch(with_fault: Recording) -> None:
    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        text = await press(page, pilot)
        assert "program 2 wrote out_ptr[10..11], but out_ptr has 10 elements" in text
        assert "✗" in text
        assert "2 of 4 lie outside" in text
        assert "Program (0) in a grid of (2)" in await press(page, pilot, "tab")
        assert "nothing illegal was found" in await press(page, pilot, "f")
        assert "launch 2 of 2" in await press(page, pilot, "tab")
        assert "Program (2) in a grid of (3)" in await press(page, pilot, "f")

    show(with_fault, steps, size=(120, 36))


def test_a_key_leads_past_several_faults_of_a_program_at_a_line(with_fault: Recording) -> None:
    first, launch = with_fault.launches
    [fault] = launch.faults
    faults = fault, replace(fault, index=11), replace(fault, index=12), replace(fault, program=1)
    several = replace(with_fault, launches=(first, replace(launch, faults=faults)))

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        assert "Program (2)" in await press(page, pilot, "f", "f")
        assert "Program (1)" in await press(page, pilot, "f")
        assert "Program (2)" in await press(page, pilot, "f")

    show(several, steps, size=(120, 36))


def test_a_fault_of_a_program_that_was_left_out_is_at_its_line(with_fault: Recording) -> None:
    first, launch = with_fault.launches
    [fault] = launch.faults
    far = replace(fault, program=1, line=line_of("offsets = tl", WITH_FAULT))
    partly = replace(with_fault, launches=(first, replace(launch, faults=(fault, far), chosen=(2,))))
    requests: list[Request] = []

    def answer(request: Request) -> Recording:
        requests.append(request)
        return partly

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        await press(page, pilot, "f")
        await until(pilot, lambda: len(requests) > 1)
        assert (page.target.ids, page.target.line) == ((1,), far.line)

    show(answer, steps, size=(120, 36))


@pytest.mark.parametrize(
    ("grid", "size"),
    [
        ((2000,), (80, 24)), ((2000,), (40, 24)), ((300, 20), (80, 24)), ((3, 20000), (80, 24)),
        ((2000, 2000, 30), (80, 24)), ((2000, 2000, 30), (150, 40)),
    ],
)  # fmt: skip
def test_a_click_on_the_map_chooses_the_program_there(
    recording: Recording, grid: tuple[int, ...], size: tuple[int, int]
) -> None:
    launch = replace(recording.launches[0], grid=grid)
    chosen: list[int | None] = []

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        grid_map = GridMap(launch, launch.programs - 1)
        pilot.app.push_screen(grid_map, chosen.append)
        rows = (await press(page, pilot)).splitlines()
        region = grid_map.map.content_region
        lines = [row[region.x : region.right] for row in rows[region.y : region.bottom]]
        column = [*re.finditer(r"\d+", lines[HEAD_ROWS - 1])][-1]
        y = HEAD_ROWS + min(len(lines[HEAD_ROWS:]), grid_map.shape[0], 12) - 2
        row = int(lines[y].split()[0])
        await pilot.click(offset=(region.x + column.start(), region.y + y))
        wanted = row + int(column.group()) if len(grid) == 1 else row * grid[-1] + int(column.group())
        last_plane = math.prod(grid[:-2]) - 1 if len(grid) > 2 else 0
        assert chosen == [last_plane * math.prod(grid[-2:]) + wanted]

    show(recording, steps, size=size)


def test_a_program_that_was_left_out_runs_again(record: Record, file: Path) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Recording:
        requests.append(request)
        return record(Request(file, SCRIPT, programs=request.programs or (0,)))

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        await press(page, pilot, "down", "down", "right")
        await until(pilot, lambda: page.position is not None and page.position.track.program == 1)
        assert "Program (1) in a grid of (2)" in await press(page, pilot)

    show(answer, steps)
    assert [request.programs for request in requests] == [None, (1,)]


def test_a_launch_that_was_left_out_runs_again(record: Record, file: Path) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Recording:
        requests.append(request)
        return record(Request(file, WITH_FAULT, launch=request.launch or 0, programs=request.programs))

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        await press(page, pilot, "tab")
        await until(pilot, lambda: page.position is not None and page.position.launch == 1)
        assert "Program (2) in a grid of (3)   step 2 of 2   launch 2 of 2" in await press(page, pilot)

    show(answer, steps, Target(launch=0), size=(120, 36))
    assert [request.launch for request in requests] == [None, 1]


def test_cases_can_be_chosen(recording: Recording) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Recording:
        requests.append(request)
        return recording

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        page.request = replace(page.request, launch=1)
        assert "1,024 elements" in await press(page, pilot, "c")
        await press(page, pilot, "down", "enter")
        await until(pilot, lambda: len(requests) == 2)

    show(answer, steps, cases=("1,000 elements", "1,024 elements"))
    assert (requests[1].case, requests[1].launch) == ("1,024 elements", None)


def test_it_says_why_there_is_nothing_and_can_be_left_while_it_waits() -> None:
    async def nothing(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "ZeroDivisionError" in screen(pilot.app))
        for key in ("down", "right", "g", "n", "f", "tab", "a", "greater_than_sign", "pagedown", "end"):
            await pilot.press(key)
        assert "ZeroDivisionError" in screen(pilot.app)

    show(Recording(failure="line 2: ZeroDivisionError: division by zero"), nothing)
    waiting = threading.Event()

    def wait(_: Request) -> Recording:
        waiting.wait(30)
        return Recording(failure="too late")

    async def leave(page: LookScreen, pilot: Pilot[int]) -> None:
        assert "Running on the simulator" in screen(pilot.app)
        await pilot.press("q")
        waiting.set()

    show(wait, leave)


def test_a_bug_of_ours_is_told_and_ends_no_talk(recording: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(own_errors.RAISE)
    monkeypatch.setattr("triton_workshop.look.screen.draw_moment", lambda *_: 1 / 0)

    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "because of a bug in the workshop: ZeroDivisionError" in screen(pilot.app))
        for key in ("down", "right", "n", "end"):
            await pilot.press(key)
        assert pilot.app.is_running

    show(recording, steps, size=(120, 36))

    def fail(_: Request) -> Recording:
        raise ValueError("no reason")

    async def nothing(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: "because of a bug in the workshop: ValueError" in screen(pilot.app))

    show(fail, nothing, size=(120, 36))


@pytest.mark.parametrize("size", [(20, 6), (40, 12), (80, 24), (120, 36), (200, 60)])
def test_it_fits_every_size_and_every_key_can_be_pressed(with_fault: Recording, size: tuple[int, int]) -> None:
    async def steps(page: LookScreen, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        keys = ("up", "n", "p", "g", "escape", "a", "f", "greater_than_sign", "less_than_sign", "pagedown", "pageup")
        for key in keys:
            rows = (await press(page, pilot, key)).splitlines()
            assert len(rows) <= size[1]
            assert all(len(row) <= size[0] for row in rows)

    show(with_fault, steps, size=size)


@pytest.mark.parametrize(
    ("palette", "size"),
    [
        pytest.param(DARK, (80, 24), id="small"),
        pytest.param(DARK, (120, 36), id="wide"),
        pytest.param(LIGHT, (120, 36), id="light"),
    ],
)
def test_it_looks_as_it_did(
    snap_compare: Any,
    recording: Recording,
    palette: Palette,
    size: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a change that is meant: `uv run pytest tests/look --snapshot-update`, then look at the pictures."""
    monkeypatch.setenv("COLORTERM", "truecolor")
    target = Target(ids=(1,), line=line_of("tile = tl.load"))
    page = LookScreen("script.py", Request(Path("script.py"), SCRIPT), lambda _: recording, palette, target)

    async def drive(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: page.position is not None)
        await pilot.press("n")
        await pilot.pause()

    assert snap_compare(Look(page), run_before=drive, terminal_size=size)
