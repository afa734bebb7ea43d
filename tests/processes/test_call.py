"""A function in a process of its own: what it sends arrives, and however it ends, it says so and is gone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

import pytest

from tests import called
from tests.processes import dies
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError, TimeLimit, take_tasks
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import ROOT

Begin = Callable[..., Call]
LIMITED = ["new", "fork"] if CAN_FORK else ["new"]
"""How a function starts that may have a time limit of its own."""
WAYS = [*LIMITED, "warm"] if CAN_FORK else LIMITED


@pytest.fixture(scope="module", autouse=True)
def runner() -> Iterator[Runner]:
    """What is started here knows the functions of `called`."""
    with pytest.MonkeyPatch.context() as patch, Runner() as runner:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield runner


@pytest.fixture
def output(tmp_path: Path) -> Iterator[IO[bytes]]:
    with (tmp_path / "output").open("wb+") as file:
        yield file


@pytest.fixture(params=WAYS)
def begin(request: pytest.FixtureRequest, output: IO[bytes], runner: Runner) -> Begin:
    start = {"new": call.start, "fork": call.fork, "warm": runner.call}[request.param]
    return partial(start, output=output.fileno())


def text_of(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode()


def test_messages_come_in_order_and_then_the_end(begin: Begin) -> None:
    with begin(called.echoes, 1, b"x" * 1_000_000, "last") as talk:
        assert list(talk.messages()) == [1, b"x" * 1_000_000, "last"]


def test_it_answers(begin: Begin) -> None:
    with begin(called.answers) as talk:
        messages = talk.messages()
        for word in ("one", "two"):
            talk.send(word)
            assert next(messages) == word
        talk.send("enough")
        assert list(messages) == []


def test_what_it_prints_is_apart_from_its_messages_and_its_input_is_empty(
    begin: Begin, output: IO[bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    with capfd.disabled(), begin(called.prints) as talk:
        assert list(talk.messages()) == [b""]
    assert sorted(text_of(output).splitlines()) == ["complained", "printed", "written"]


@pytest.mark.parametrize(("code", "words"), [(0, "exit 0"), (7, "exit 7")])
def test_a_process_that_ends_before_its_function_says_how(begin: Begin, code: int, words: str) -> None:
    with begin(called.ends, code) as talk:
        messages = talk.messages()
        assert next(messages) == "begun"
        with pytest.raises(EndedError, match=words):
            next(messages)


def test_an_error_is_printed(begin: Begin, output: IO[bytes], capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled(), begin(called.fails) as talk, pytest.raises(EndedError, match="exit 1"):
        next(talk.messages())
    assert text_of(output).splitlines()[-1].startswith("FileNotFoundError")


def test_a_message_that_cannot_be_read_is_the_end(begin: Begin) -> None:
    with begin(called.sends_what_nobody_knows) as talk, pytest.raises(EndedError):
        list(talk.messages())


def test_it_can_be_closed_twice(begin: Begin) -> None:
    with begin(called.echoes, 1) as talk:
        assert list(talk.messages()) == [1]
    talk.close()
    talk.stop()


@pytest.mark.parametrize("begin", LIMITED, indirect=True)
def test_a_limit_names_the_line(begin: Begin) -> None:
    file = Path(called.__file__)
    with begin(called.loops, limit=TimeLimit(0.3, file)) as talk:
        messages = talk.messages()
        process = next(messages)
        with pytest.raises(TimeIsUpError) as error:
            next(messages)
    assert file.read_text(encoding="utf-8").splitlines()[(error.value.line or 0) - 1].strip() in (
        "time.sleep(0.01)",
        "while True:",
    )
    assert isinstance(process, int)
    assert dies(process)


def test_it_can_be_stopped_from_another_thread(begin: Begin) -> None:
    with begin(called.is_interrupted) as talk:
        messages = talk.messages()
        next(messages)
        talk.stop()
        assert list(messages) == ["interrupted"]


def test_one_that_is_stopped_while_it_waits_prints_nothing(
    begin: Begin, output: IO[bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    with capfd.disabled(), begin(called.says_its_process_and_waits) as talk:
        messages = talk.messages()
        process = next(messages)
        talk.stop()
        with pytest.raises(EndedError):
            next(messages)
    assert isinstance(process, int)
    assert dies(process)
    assert text_of(output) == ""


def test_who_is_deaf_to_a_stop_is_killed(begin: Begin) -> None:
    with begin(called.loops) as talk:
        messages = talk.messages()
        process = next(messages)
        os.kill(process, signal.SIGSTOP)  # type: ignore[arg-type]
        talk.stop()
        with pytest.raises(EndedError, match="SIGKILL"):
            next(messages)


def test_what_it_leaves_does_not_hold_up_the_end(begin: Begin) -> None:
    """Though it holds the pipe open."""
    with begin(called.leaves_somebody) as talk:
        messages = talk.messages()
        left = next(messages)
        before = time.monotonic()
        with pytest.raises(EndedError, match="exit 3"):
            next(messages)
    assert time.monotonic() - before < 30
    os.kill(left, signal.SIGKILL)  # type: ignore[arg-type]


def test_its_group_goes_with_it_and_a_runner_ends_who_has_left_the_group(begin: Begin, runner: Runner) -> None:
    with begin(called.starts_children) as talk:
        process, inside, outside = next(talk.messages())  # type: ignore[misc]
    assert dies(process)
    assert dies(inside)
    if begin.func != runner.call:  # type: ignore[attr-defined]
        os.kill(outside, signal.SIGKILL)
    assert dies(outside)


needs_forks = pytest.mark.skipif(not CAN_FORK, reason="there are no forks here")


@needs_forks
def test_a_fork_ends_with_whoever_has_forked_it() -> None:
    program = (
        "from tests import called; from triton_workshop.processes import call; "
        "print(next(call.fork(called.loops, output=2).messages()), flush=True); input()"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    assert dies(child)


@needs_forks
@pytest.mark.parametrize("begin", ["warm"], indirect=True)
def test_a_warm_process_has_torch_and_a_name_is_enough_to_find_the_function(begin: Begin) -> None:
    with begin("tests.called:says_what_is_imported") as talk:
        [imported] = talk.messages()
    assert {"torch", "triton"} <= set(imported)  # type: ignore[call-overload]


def test_one_that_is_stopped_before_it_has_begun_does_not_begin(begin: Begin) -> None:
    with begin(called.loops) as talk:
        talk.stop()
        with pytest.raises(EndedError):
            list(talk.messages())


LIMIT = TimeLimit(60, Path(called.__file__))


def test_one_process_is_asked_for_one_thing_after_the_other(begin: Begin) -> None:
    with begin(take_tasks) as talk:
        processes = []
        for _ in range(2):
            talk.submit(called.says_its_process, limit=LIMIT)
            processes += talk.messages()
        assert len(processes) == 2
        assert len(set(processes)) == 1


def test_what_nobody_has_heard_of_the_last_thing_is_not_mistaken_for_the_next(begin: Begin) -> None:
    with begin(take_tasks) as talk:
        talk.submit(called.echoes, 1, 2, 3, limit=LIMIT)
        assert next(talk.messages()) == 1
        talk.submit(called.answers, limit=LIMIT)
        talk.send("enough")
        talk.send("too late, as it has returned")
        talk.submit(called.echoes, 4, limit=LIMIT)
        assert list(talk.messages()) == [4]


@pytest.mark.parametrize("begin", LIMITED, indirect=True)
def test_each_thing_has_a_limit_of_its_own(begin: Begin) -> None:
    with begin(take_tasks) as talk:
        talk.submit(called.echoes, 1, limit=LIMIT)
        assert list(talk.messages()) == [1]
        talk.submit(called.loops, limit=TimeLimit(0.3, LIMIT.file))
        messages = talk.messages()
        next(messages)
        with pytest.raises(TimeIsUpError):
            next(messages)


OWNER = """
import sys
from tests import called
from triton_workshop.processes import call
main = "from triton_workshop.processes import call; call.CAN_FORK = False; call.main()"
call.COMMAND = (sys.executable, "-c", call.program(main))
talk = call.start(called.{function}, output=2)
print(next(talk.messages()), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("function", [called.says_its_process_and_waits, called.has_a_child])
def test_a_new_process_ends_with_its_caller_where_no_kernel_sees_to_that(function: Callable[..., None]) -> None:
    """Whether it waits or is busy, and with what it has started: as on a Mac."""
    command = [sys.executable, "-c", OWNER.format(function=function.__name__)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        family = [int(number) for number in re.findall(rb"\d+", owner.stdout.readline())]
        owner.kill()
    assert family
    assert all(map(dies, family))
