"""Watch mode, driven by keys and saves on a screen that is not there; a checker that is told answers at once."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from tests.apps import driven, screen, until
from triton_simulator.compiler.jobs import Answer, Assembly, CompileJob, PickledKernel
from triton_simulator.gpus import DEFAULT_TARGET
from triton_workshop.asm.build import Build, ScriptRun
from triton_workshop.asm.requests import Request
from triton_workshop.checking.judging.verdict import FilledTodo, Finding, FindingKind, Verdict
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.look.timeline import Target
from triton_workshop.look.verdicts import request_for, target_of
from triton_workshop.screen.box import Keys
from triton_workshop.screen.choice import Question
from triton_workshop.screen.reader import Reader
from triton_workshop.watch.app import Watch
from triton_workshop.watch.checker import CheckFailedError
from triton_workshop.watch.keys import HELP
from triton_workshop.watch.screens import Exercises, Solution, compare

from .conftest import SOLUTIONS, FakeChecker, fails

pytestmark = pytest.mark.usefixtures("desk")

Drive = Callable[[Watch, Pilot[int]], Awaitable[None]]
FIRST = Path("exercises", "exercise_1.py")


def drive(
    checker: FakeChecker,
    steps: Drive,
    number: str | None = None,
    size: tuple[int, int] = (80, 24),
    *,
    settle: bool = True,
    gpu: bool = False,
) -> Watch:
    """Watches an exercise and drives it; every check is gone when this returns."""

    async def drive_it(watch: Watch, pilot: Pilot[int]) -> None:
        if settle:
            await settled(watch, pilot)
        await steps(watch, pilot)

    def made() -> Watch:
        return Watch(number, checker=checker, gpu=gpu, clock=lambda: "14:03:22")

    return driven(made, drive_it, Watch.close, size, notifications=True)


async def settled(watch: Watch, pilot: Pilot[int]) -> None:
    await until(pilot, lambda: watch.state.job is None)
    await pilot.pause()


async def save(watch: Watch, pilot: Pilot[int], text: str) -> None:
    """Saves the open exercise, and waits for the verdict on it."""
    watch.state.exercise.exercise_file.write_text(text)
    await until(pilot, lambda: watch.state.checked is not None and watch.state.checked.text == text)
    await settled(watch, pilot)


async def press(pilot: Pilot[int], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


def test_the_exercise_is_checked_before_anything_is_saved(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        assert "0 of 9 TODOs filled in" in screen(watch)
        assert "▶  line 20  which program is this?" in screen(watch)

    drive(checker, steps)
    assert len(checker.asked) == 1


def test_the_verdict_follows_the_size(checker: FakeChecker, monkeypatch: pytest.MonkeyPatch) -> None:
    widths: list[int] = []

    def body(_: object, width: int) -> str:
        widths.append(width)
        return ""

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        monkeypatch.setattr("triton_workshop.watch.app.body", body)
        for width in (120, 60):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert widths[-1] == width - 4

    drive(checker, steps)


def test_each_save_is_checked(checker: FakeChecker) -> None:
    shipped = FIRST.read_text(encoding="utf-8")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, SOLUTIONS["1"])
        assert "All 12 cases are right" in screen(watch)
        await save(watch, pilot, shipped.replace("pid = ...", "pid = 1"))
        assert "1 of 9 TODOs filled in" in screen(watch)
        assert "▶  line 21  the elements that it owns" in screen(watch)

    drive(checker, steps)


def test_threads_that_have_ended_are_forgotten(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        for text in (SOLUTIONS["1"], "x = 1\n"):
            for thread in watch._threads:
                thread.join()
            await save(watch, pilot, text)
        assert len(watch._threads) == 1

    drive(checker, steps)


def test_a_save_during_a_check_stops_it_and_the_newest_text_wins(checker: FakeChecker) -> None:
    checker.holding.set()

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: len(checker.asked) == 1)
        FIRST.write_text("x = 1\n", encoding="utf-8")
        await until(pilot, lambda: len(checker.asked) == 2)
        FIRST.write_text(SOLUTIONS["1"], encoding="utf-8")
        await until(pilot, lambda: len(checker.asked) == 3)
        assert [asked.stopped.is_set() for asked in checker.asked] == [True, True, False]
        assert "checking" in screen(watch)
        checker.holding.clear()
        await settled(watch, pilot)
        assert "All 12 cases are right" in screen(watch)

    drive(checker, steps, settle=False)
    assert all(asked.finished for asked in checker.asked)


async def save_and_hold(watch: Watch, pilot: Pilot[int], checker: FakeChecker, text: str) -> None:
    """Saves the first exercise, and keeps the verdict back as an endless loop does."""
    checker.holding.set()
    FIRST.write_text(text, encoding="utf-8")
    await until(pilot, lambda: watch.state.job is not None and watch.state.job.text == text)
    await pilot.pause()


def test_a_verdict_is_told_from_one_on_the_file_as_it_is_now(checker: FakeChecker) -> None:
    checker.answer = fails

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save_and_hold(watch, pilot, checker, SOLUTIONS["1"])
        assert "Checking your file as it is now. The verdict below is from 14:03:22." in screen(watch)
        assert watch.verdict.has_class("before")
        checker.holding.clear()
        await settled(watch, pilot)
        assert "The verdict below" not in screen(watch)
        assert not watch.verdict.has_class("before")

    drive(checker, steps)


def test_the_first_check_has_no_verdict_to_be_told_from(checker: FakeChecker) -> None:
    checker.holding.set()

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "h")
        assert "hints come with the verdict" in screen(watch)
        assert "Checking your file as it is now" not in screen(watch)
        assert not watch.verdict.has_class("before")
        checker.holding.clear()

    drive(checker, steps, settle=False)


@pytest.mark.parametrize(
    ("begun", "started", "told"),
    [
        (0, None, "checking"),
        (3, None, "getting ready 3 s"),
        (3, 2, "checking 3 s"),
        (29, 6, "checking 6 s of at most 20"),
        (29, 29, "checking 20 s of at most 20"),
    ],
)
def test_what_is_waited_for_takes_no_longer_than_its_limit(
    checker: FakeChecker, begun: float, started: float | None, told: str
) -> None:
    checker.holding.set()

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: watch.state.job is not None)
        assert watch.state.job is not None
        now = time.monotonic()
        checker.asked[-1].started = None if started is None else now - started
        watch._update(job=replace(watch.state.job, begun=now - begun))
        await pilot.pause()
        assert screen(watch).splitlines()[1].rstrip().endswith(f" {told}")
        checker.holding.clear()

    drive(checker, steps, settle=False)


def test_hints_wait_for_the_verdict_on_the_file_as_it_is_now(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save_and_hold(watch, pilot, checker, f"{FIRST.read_text(encoding='utf-8')}# a remark\n")
        await press(pilot, "h")
        assert "hints come with the verdict" in screen(watch)
        assert "hint 1 of 3" not in screen(watch)
        checker.holding.clear()
        await settled(watch, pilot)
        await press(pilot, "h")
        assert "hint 1 of 3" in screen(watch)

    drive(checker, steps, size=(100, 50))


def test_a_check_of_the_same_text_leaves_the_verdict_and_its_hints(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        checker.holding.set()
        await press(pilot, "r", "h")
        assert "hint 1 of 3" in screen(watch)
        assert "The verdict below" not in screen(watch)
        checker.holding.clear()

    drive(checker, steps, size=(100, 50))


def test_a_verdict_that_comes_too_late_is_not_shown(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        checker.holding.set()
        await press(pilot, "r")
        late = watch.state.job
        assert late is not None
        await press(pilot, "r")
        watch._receive_verdict(late, fails(watch.state.exercise, FIRST))
        await pilot.pause()
        assert "never written" not in screen(watch)
        checker.holding.clear()

    drive(checker, steps)


def test_a_verdict_that_comes_while_the_app_closes_is_taken_in(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        checker.holding.set()
        await press(pilot, "r")
        assert watch.state.job is not None
        await watch.screen.query("*").remove()
        watch._receive_verdict(watch.state.job, fails(watch.state.exercise, FIRST))
        await pilot.pause()
        assert watch.state.finding is not None
        checker.holding.clear()

    drive(checker, steps)


def test_a_failure_shows_the_finding_its_line_and_the_tile_map(checker: FakeChecker) -> None:
    checker.answer = fails

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        shown = screen(watch)
        assert "Part of the result is never written" in shown
        assert "❱  21  offsets = ..." in shown
        assert "✓✓  ✗  ·······" in shown
        assert " ·  U  W" in shown
        assert "never written" in shown

    drive(checker, steps, size=(80, 40))


def test_nothing_is_offered_before_all_cases_are_in(checker: FakeChecker) -> None:
    answer = checker.answer
    checker.answer = lambda exercise, file: replace(answer(exercise, file), to_come=3)

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, SOLUTIONS["1"])
        assert "cases are right so far, 3 to come" in " ".join(screen(watch).split())
        assert "compare yours with the solution" not in screen(watch)
        assert "✓" not in screen(watch)
        checker.answer = answer
        await save(watch, pilot, SOLUTIONS["1"] + "\n")
        assert "compare yours with the solution" in screen(watch)

    drive(checker, steps)


def test_hints_come_one_by_one(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        hints = watch.state.finding.hints if watch.state.finding else ()
        assert len(hints) == 3
        for level in (1, 2, 3):
            assert f"hint {level} of 3" not in screen(watch)
            await press(pilot, "h")
            assert f"hint {level} of 3" in screen(watch)
        await press(pilot, "h")
        assert "that was the last hint" in screen(watch)

    drive(checker, steps, size=(100, 50))


def test_hints_stay_while_the_mistake_stays_and_go_with_it(checker: FakeChecker) -> None:
    shipped = FIRST.read_text(encoding="utf-8")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "h", "h")
        await save(watch, pilot, f"{shipped}# a remark\n")
        assert "hint 2 of 3" in screen(watch)
        await save(watch, pilot, shipped.replace("pid = ...", "pid = 1"))
        assert "hint 1 of 3" not in screen(watch)

    drive(checker, steps, size=(100, 50))


def test_the_first_exercise_that_has_not_passed_is_opened(checker: FakeChecker) -> None:
    FIRST.write_text(SOLUTIONS["1"], encoding="utf-8")

    async def pass_it(watch: Watch, pilot: Pilot[int]) -> None:
        assert watch.state.passed

    drive(checker, pass_it, "1")
    assert drive(checker, nothing).state.exercise.number == "2"


async def nothing(watch: Watch, pilot: Pilot[int]) -> None:
    pass


def test_keys_lead_to_other_exercises(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        last = [*REQUIRED][-1]
        for key, number in ["n2", "n3", "p2", "44", "n5", last * 2, f"n{last}", "11", "p1"]:
            await press(pilot, key)
            await settled(watch, pilot)
            assert watch.state.exercise.number == number
        assert "this is the first exercise" in screen(watch)
        assert [asked.exercise.number for asked in checker.asked] == [*f"123245{last}1"]

    drive(checker, steps)


def test_a_right_exercise_offers_its_variation_and_a_key_leads_there_and_on(checker: FakeChecker) -> None:
    FIRST.write_text(SOLUTIONS["1"], encoding="utf-8")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        assert "b  done early: exercise 1b, a * x + y in one kernel" in screen(watch)
        assert "n  go on: exercise 2, " in screen(watch)
        assert "[1✓] 2○  3○  4○" in screen(watch)
        await press(pilot, "b")
        await settled(watch, pilot)
        assert "Exercise 1b · a * x + y in one kernel" in screen(watch)
        assert "1✓ [1b○] 2○  3○  4○" in screen(watch)
        await press(pilot, "b")
        assert "variation of this; p goes back to the exercise" in screen(watch)
        await save(watch, pilot, SOLUTIONS["1b"])
        assert "n  go on: exercise 2, " in screen(watch)
        assert "done early" not in screen(watch)
        await press(pilot, "n")
        await settled(watch, pilot)
        assert watch.state.exercise.number == "2"

    drive(checker, steps, "1", size=(80, 30))


def test_a_warm_up_has_no_variation_and_leads_to_its_exercise(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "b")
        assert "a warm-up has no variation; n goes on to its exercise" in screen(watch)
        await press(pilot, "n")
        await settled(watch, pilot)
        assert watch.state.exercise.number == "5"

    drive(checker, steps, "5a")


@pytest.mark.parametrize(
    ("done", "told"), [("1234", "That was all of the first half"), ("".join(REQUIRED), "That was all of them")]
)
def test_variations_and_a_half_not_begun_are_not_needed_for_all(checker: FakeChecker, done: str, told: str) -> None:
    for number in done:
        Path("exercises", f"exercise_{number}.py").write_text(SOLUTIONS[number], encoding="utf-8")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        for key in f"{done}4":
            await press(pilot, key)
            await settled(watch, pilot)
        assert told in screen(watch)
        assert ("the list: the second half begins with exercise 5" in screen(watch)) == (done == "1234")
        assert "b  done early: exercise 4b" in screen(watch)

    drive(checker, steps, "1", size=(80, 36))


def test_only_the_open_exercise_is_followed(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "n")
        await settled(watch, pilot)
        FIRST.write_text("saved, but not open", encoding="utf-8")
        await save(watch, pilot, SOLUTIONS["2"])
        assert [asked.exercise.number for asked in checker.asked] == [*"122"]

    drive(checker, steps)


def test_the_list_shows_progress_time_and_the_best_ratio_and_opens_an_exercise(
    checker: FakeChecker, desk: Path
) -> None:
    FIRST.write_text(SOLUTIONS["1"], encoding="utf-8")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        file = desk / "state" / "progress.json"
        progress = json.loads(file.read_text())
        progress["exercises"]["1"]["best_ratio"] = 1.25
        file.write_text(json.dumps(progress))
        await press(pilot, "l")
        assert isinstance(watch.screen, Exercises)
        assert "passed, 0.25 s · best 1.25 × the limit" in screen(watch)
        assert "not begun" in screen(watch)
        await press(pilot, "down", "down", "down", "down", "enter")
        await settled(watch, pilot)
        assert watch.state.exercise.number == "3"

    drive(checker, steps, "1")


def test_reset_asks_first_and_keeps_a_backup(checker: FakeChecker, desk: Path) -> None:
    shipped = FIRST.read_text(encoding="utf-8")
    FIRST.write_text(f"{shipped}# my own\n", encoding="utf-8")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "x")
        assert isinstance(watch.screen, Question)
        assert "Your file is kept as a backup" in screen(watch)
        await press(pilot, "n")
        assert "my own" in FIRST.read_text(encoding="utf-8")
        await press(pilot, "x", "y")
        await settled(watch, pilot)
        assert FIRST.read_text(encoding="utf-8") == shipped
        (backup,) = (desk / "state" / "backups").iterdir()
        assert "my own" in backup.read_text()
        assert backup.name in screen(watch)
        await press(pilot, "x")
        assert "exercise_1.py is as it was shipped" in screen(watch), "nothing is left to do"

    drive(checker, steps, size=(120, 30))


def test_the_solution_is_shown_once_ones_own_has_passed(checker: FakeChecker) -> None:
    mine = SOLUTIONS["1"].replace("= x + y", "= y + x")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "s")
        assert "you can see the solution once yours has passed" in screen(watch)
        await save(watch, pilot, mine)
        await press(pilot, "s")
        assert isinstance(watch.screen, Solution)
        assert "output = y + x" in screen(watch)
        assert "output = x + y" in screen(watch)
        await press(pilot, "s")
        assert not isinstance(watch.screen, Solution)

    for size in ((80, 60), (160, 60)):
        FIRST.write_text("...", encoding="utf-8")
        (Path("state") / "progress.json").unlink(missing_ok=True)
        drive(checker, steps, "1", size)


def test_a_key_shows_what_the_compiler_made_of_the_last_right_version(
    checker: FakeChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []

    def build(request: Request) -> Build:
        asked.append(request)
        job = CompileJob(PickledKernel("add_kernel", "", b""), DEFAULT_TARGET, with_assembly=True)
        ttir = '#loc = loc("a.py":1:1)\ntt.store %1, %2 : tensor<128x!tt.ptr<f32>> loc(#loc)'
        sass = '//## File "a.py", line 1\n/*0000*/ STG.E [R2], R4 ;'
        assembly = Assembly("add_kernel", ttir, "", "", sass, "REG:26 STACK:0", 0, 4, 3)
        return Build(ScriptRun((job.kernel,)), (Answer(job, assembly=assembly),))

    monkeypatch.setattr(checker, "build", build, raising=False)
    monkeypatch.setattr("triton_workshop.watch.app.has_library", lambda: True)

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "m")
        assert "once yours is correct" in screen(watch)
        await save(watch, pilot, SOLUTIONS["1"])
        await save(watch, pilot, SOLUTIONS["1"].replace("x + y", "..."))
        await press(pilot, "m")
        await until(pilot, lambda: isinstance(watch.screen, Reader))
        assert "1 × 32 bit: a block of 128 has 1 element for each of 128 threads" in screen(watch)
        assert "26 registers a thread" in screen(watch)
        await press(pilot, "escape")
        assert not isinstance(watch.screen, Reader)

    drive(checker, steps, "1")
    assert [each.text for each in asked] == [SOLUTIONS["1"]]


def test_a_key_looks_inside_where_the_verdict_says_that_it_is_wrong(
    checker: FakeChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    from triton_workshop.look.recording import Recording
    from triton_workshop.look.recording import Request as LookRequest
    from triton_workshop.look.screen import LookScreen

    requests: list[LookRequest] = []

    def look(request: LookRequest) -> Recording:
        requests.append(request)
        return Recording(failure="nothing here")

    monkeypatch.setattr(checker, "look", look, raising=False)

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, SOLUTIONS["1"])
        await press(pilot, "i")
        await until(pilot, lambda: "nothing here" in screen(watch))
        await press(pilot, "q")
        checker.answer = fails
        await save(watch, pilot, SOLUTIONS["1"].replace("pid * BLOCK_SIZE + ", ""))
        await press(pilot, "i")
        await until(pilot, lambda: len(requests) == 2)
        page = watch.screen
        assert isinstance(page, LookScreen)
        assert (page.target.ids, page.target.line) == ((1,), 21)
        assert len(page.cases) == len(EXERCISES["1"].simulated_cases)
        await press(pilot, "q")
        assert not isinstance(watch.screen, LookScreen)

    drive(checker, steps, "1")
    cases = EXERCISES["1"].cases
    assert [request.case for request in requests] == ["", cases[2].name]
    assert requests[1].text == SOLUTIONS["1"].replace("pid * BLOCK_SIZE + ", "")


RIGHT, WRONG = (
    FilledTodo(1, True, "pid 1", (1,), "a", 20),
    FilledTodo(2, False, "offsets 5", (2,), "1,000 elements", 21),
)


@pytest.mark.parametrize(
    ("todos", "case", "target"),
    [
        ((RIGHT, WRONG), "1,000 elements", Target(ids=(2,), line=21, or_first=True)),
        ((replace(RIGHT, case="1,025 elements"),), "1,025 elements", Target(ids=(1,), or_first=True)),
        ((), "", Target()),
    ],
)
def test_a_look_into_an_unfinished_script_begins_where_the_list_is(
    todos: tuple[FilledTodo, ...], case: str, target: Target
) -> None:
    exercise = EXERCISES["1"]
    findings = (Finding(FindingKind.UNFINISHED, "", line=30),)
    verdict = Verdict("1", exercise.exercise_file, "simulator", 0.0, (), findings, todos=todos)
    assert target_of(verdict) == target
    assert request_for(exercise, exercise.exercise_file, "", verdict).case == case


def test_question_mark_shows_the_keys_and_q_leaves_them(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "question_mark")
        assert isinstance(watch.screen, Keys)
        assert "compare yours with the solution" in screen(watch)
        await press(pilot, "q")
        assert watch.is_running
        assert not isinstance(watch.screen, Keys)

    drive(checker, steps)


def test_every_key_can_be_read_on_a_small_screen(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        assert "? keys" in screen(watch)
        await press(pilot, "question_mark")
        seen = [screen(watch)]
        for _ in range(40):
            await press(pilot, "down")
            seen.append(screen(watch))
        words = " ".join(seen).split()
        for _, keys in HELP:
            for key, effect in keys:
                assert {*key.split(), *effect.split()} <= {*words}
        assert "quit" in seen[-1]

    drive(checker, steps, size=(40, 12))


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_a_key_quits(checker: FakeChecker, key: str) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await pilot.press(key)

    watch = drive(checker, steps)
    assert (watch.return_value, watch.return_code) == (None, 0)


def test_a_file_that_goes_and_comes_back_is_no_trouble(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        FIRST.unlink()
        await until(pilot, lambda: watch.state.missing)
        assert "has been removed or renamed" in screen(watch)
        await press(pilot, "x", "y")
        await until(pilot, lambda: not watch.state.missing)
        assert "0 of 9 TODOs filled in" in screen(watch)

    drive(checker, steps)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def broken(:\n", id="syntax"),
        pytest.param("\0", id="null byte"),
        pytest.param("", id="empty"),
        pytest.param(f"{'(' * 5000}\n", id="too deep"),
        pytest.param("x = '\x1b[2J\x9b'\n", id="control characters"),
    ],
)
def test_whatever_is_saved_gets_a_verdict(checker: FakeChecker, text: str) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, text)
        assert watch.state.verdict is not None
        assert "\x1b[2J" not in screen(watch)

    drive(checker, steps)


def test_a_file_too_large_for_a_script_is_told_and_reset_keeps_it(checker: FakeChecker, desk: Path) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await until(pilot, lambda: watch.state.checked is not None)
        FIRST.write_bytes(b"DATA = [" + b"1, " * 5_000_000 + b"]")
        await until(pilot, lambda: "too large" in screen(watch))
        await settled(watch, pilot)
        FIRST.unlink()
        FIRST.mkdir()
        await until(pilot, lambda: "a folder" in screen(watch))
        await settled(watch, pilot)
        await press(pilot, "x", "y")
        await settled(watch, pilot)
        assert "0 of 9 TODOs" in screen(watch)
        (backup,) = (desk / "state" / "backups").iterdir()
        assert backup.is_dir()

    drive(checker, steps)


def test_a_check_that_fails_says_so_and_can_be_repeated(checker: FakeChecker) -> None:
    working = checker.answer

    def broken(exercise: Exercise, file: Path) -> Verdict:
        raise CheckFailedError("killed by SIGKILL")

    checker.answer = broken

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        assert "The check itself failed" in screen(watch)
        assert "killed by SIGKILL" in screen(watch)
        checker.answer = working
        checker.holding.set()
        await press(pilot, "r")
        assert "Checking your file as it is now." in screen(watch)
        checker.holding.clear()
        await settled(watch, pilot)
        assert "0 of 9 TODOs filled in" in screen(watch)

    drive(checker, steps)


def test_a_broken_record_of_progress_is_set_aside_with_a_message(checker: FakeChecker, desk: Path) -> None:
    (desk / "state").mkdir()
    (desk / "state" / "progress.json").write_text("{ not what it was")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        assert "the record of your progress could not be read" in screen(watch)
        (aside,) = (desk / "state").glob("progress-broken-*.json")
        assert aside.read_text() == "{ not what it was"

    drive(checker, steps)


def test_a_folder_that_cannot_be_written_is_told_and_the_verdict_shown(checker: FakeChecker, desk: Path) -> None:
    (desk / "state").write_text("a file where a folder should be")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        assert "0 of 9 TODOs filled in" in screen(watch)
        assert "cannot be" in screen(watch)
        await press(pilot, "h")
        assert "hint 1 of 3" in screen(watch)
        await press(pilot, "l")
        await press(pilot, "escape")
        await save(watch, pilot, SOLUTIONS["1"])
        await press(pilot, "x", "y")
        assert FIRST.read_text(encoding="utf-8") == SOLUTIONS["1"], "without a backup nothing is put back"

    drive(checker, steps)


def test_what_the_script_prints_is_shown(checker: FakeChecker) -> None:
    checker.printed = b"\x1b[31mpid 0\x1b[0m at 12\n\x1b[2Jpid 1\n"

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, SOLUTIONS["1"])
        assert "pid 0 at 12" in screen(watch)
        assert "pid 1" in screen(watch)

    drive(checker, steps)


def test_full_size_follows_where_there_is_a_gpu_and_the_simulator_is_content(checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        # Saved before the first check has read the file, it would be the first check's.
        await until(pilot, lambda: watch.state.checked is not None)
        await save(watch, pilot, SOLUTIONS["1"])
        await until(pilot, lambda: len(checker.asked) == 3)
        await settled(watch, pilot)

    drive(checker, steps, gpu=True)
    assert [asked.full_size for asked in checker.asked] == [False, False, True]


def test_the_editor_gets_the_file_at_the_line(
    checker: FakeChecker, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = desk / "nano"
    editor.write_text(f'#!/bin/sh\necho "$@" > {desk}/called\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(Watch, "suspend", lambda self: nullcontext())

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "e")
        assert (desk / "called").read_text() == f"+20 {desk / FIRST}\n"

    drive(checker, steps)


@pytest.fixture
def nano(desk: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only editor, which nobody has named; the file where it leaves a line each time that it is opened."""
    opened = desk / "opened"
    editor = desk / "bin" / "nano"
    editor.parent.mkdir()
    editor.write_text(f"#!/bin/sh\necho opened >> {opened}\n")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    opened.touch()
    monkeypatch.setenv("PATH", str(editor.parent))
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Watch, "suspend", lambda self: nullcontext())
    return opened


def test_an_editor_that_nobody_has_named_says_first_how_to_leave_it_once(checker: FakeChecker, nano: Path) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "e")
        assert "nano: Ctrl+X leaves" in screen(watch)
        assert "$EDITOR names another one" in screen(watch)
        assert nano.read_text(encoding="utf-8") == ""
        await press(pilot, "e", "e")
        assert nano.read_text(encoding="utf-8") == "opened\nopened\n"

    drive(checker, steps)


def test_an_editor_that_cannot_be_started_is_told(checker: FakeChecker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "vim 'x")

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "e")
        assert "quotes do not match" in screen(watch)

    drive(checker, steps)


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (131, 30), (132, 50), (220, 70), (5, 2)])
def test_every_screen_fits_every_size(checker: FakeChecker, size: tuple[int, int]) -> None:
    checker.answer = fails

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "h", "h")
        for key in ("l", "question_mark", "x"):
            await press(pilot, key)
            assert max(len(line) for line in screen(watch).splitlines()) <= size[0]
            await press(pilot, "escape")

    drive(checker, steps, size=size)


def test_the_process_that_watches_never_imports_torch_nor_what_reads_decks() -> None:
    code = (
        "import sys; import triton_workshop.watch.app; from triton_workshop.checking import commands; "
        "print([name for name in ('torch', 'triton', 'numpy', 'yaml', 'markdown_it', 'PIL') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_first_picture_waits_for_nothing_that_it_does_not_need() -> None:
    waits = {"PIL", "sqlite3", "http.client", "triton_workshop.deck.model", "triton_workshop.asm.report"}
    code = f"import sys; import triton_workshop.watch.app; print(sorted({waits} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


LINES = st.lists(st.sampled_from(["", "a", "b", "    c", "d  "]), max_size=12)


@given(LINES, LINES)
def test_the_comparison_leaves_no_line_of_either_file_out(mine: list[str], theirs: list[str]) -> None:
    rows = list(compare(mine, theirs))
    assert [number for sign, number in rows if sign != "+"] == list(range(1, len(mine) + 1))
    files = {" ": mine, "+": theirs}
    rebuilt = [files[sign][number - 1].rstrip() for sign, number in rows if sign in files]
    assert rebuilt == [line.rstrip() for line in theirs]


def test_what_differs_is_compared_between_what_is_alike() -> None:
    rows = compare(["a", "mine", "also mine", "z"], ["a", "theirs", "z "])
    assert list(rows) == [(" ", 1), ("−", 2), ("−", 3), ("+", 2), (" ", 4)]
