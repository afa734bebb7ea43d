"""A run streams, ends, can be stopped, and leaves nothing behind: cold and warm alike."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Start, dies, finish
from triton_workshop.processes.run import Run
from triton_workshop.processes.script import CannotRunError, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups and signals as POSIX has them")


def first_line(output: Iterator[bytes]) -> bytes:
    """Up to the first line feed: text and line feed may arrive apart."""
    text = b""
    while not text.endswith(b"\n"):
        text += next(output)
    return text


@pytest.mark.parametrize(
    ("language", "source", "text"),
    [
        ("python", "print('hello')", "hello\n"),
        ("bash", "echo ${BASH_VERSION:+yes}", "yes\n"),
        ("sh", "echo hello", "hello\n"),
        ("python", "import sys; print(__name__, sys.argv[1:])", "__main__ []\n"),
        ("python", "import sys; print(repr(sys.stdin.read()))", "''\n"),
        ("python", "print('π → ✓')", "π → ✓\n"),
    ],
)
def test_a_script_prints(start: Start, tmp_path: Path, language: str, source: str, text: str) -> None:
    printed, outcome = finish(start, source, tmp_path, language)
    assert printed == text
    assert outcome.succeeded


def test_stdout_and_stderr_come_in_order(start: Start, tmp_path: Path) -> None:
    source = "import sys\nfor i in range(4): print(i, file=[sys.stdout, sys.stderr][i % 2])"
    assert finish(start, source, tmp_path)[0] == "0\n1\n2\n3\n"


def test_the_working_folder_is_the_decks_and_the_file_is_elsewhere(start: Start, tmp_path: Path) -> None:
    printed, _ = finish(start, "import os\nprint(os.getcwd()); print(__file__)", tmp_path)
    working, file = map(Path, printed.splitlines())
    assert working == tmp_path.resolve()
    assert tmp_path not in file.parents
    assert not file.exists(), "the temporary file outlived its run"


def test_a_script_learns_its_width_and_that_colour_is_welcome(start: Start, tmp_path: Path) -> None:
    names = "TRITON_WORKSHOP_SLIDE COLUMNS FORCE_COLOR"
    printed, _ = finish(start, f"import os\nfor n in '{names}'.split(): print(os.environ[n])", tmp_path, columns=57)
    assert printed == "57\n57\n1\n"


def test_python_in_a_bash_block_is_the_viewers(start: Start, tmp_path: Path) -> None:
    printed, _ = finish(start, "python -c 'import sys; print(sys.prefix)'", tmp_path, "bash")
    assert printed.strip() == sys.prefix


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise SystemExit(3)", "exit 3"),
        ("1 / 0", "exit 1"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "killed by SIGSEGV"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL"),
        ("import os; os.close(1); os.close(2); os._exit(7)", "exit 7"),
    ],
)
def test_a_failure_is_named(start: Start, tmp_path: Path, source: str, reason: str) -> None:
    _, outcome = finish(start, source, tmp_path)
    assert not outcome.succeeded
    assert outcome.reason == reason


def test_bytes_that_are_no_text_pass_through(start: Start, tmp_path: Path) -> None:
    printed, _ = finish(start, r"import os; os.write(1, b'\xff\xfe\x00ok')", tmp_path)
    assert printed.encode(errors="surrogateescape") == b"\xff\xfe\x00ok"


def test_output_streams_before_the_script_ends(start: Start, tmp_path: Path) -> None:
    with start(Script("python", "print('first')\nwhile True: pass", tmp_path)) as run:
        assert first_line(run.output()) == b"first\n"


def test_stop_interrupts_as_a_keyboard_would(start: Start, tmp_path: Path) -> None:
    source = "import time\ntry:\n    print('ready')\n    time.sleep(60)\nexcept KeyboardInterrupt: print('interrupted')"
    with start(Script("python", source, tmp_path)) as run:
        output = run.output()
        assert first_line(output) == b"ready\n"
        run.stop()
        assert b"".join(output) == b"interrupted\n"
        assert run.wait().reason == "stopped"


def test_stop_interrupts_a_script_of_a_process_that_ignores_interrupts(start: Start, tmp_path: Path) -> None:
    """As this one does after `pytest &` in a script of a shell."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with start(Script("bash", "trap 'echo interrupted; exit' INT; sleep 60 & echo ready; wait", tmp_path)) as run:
            output = run.output()
            assert first_line(output) == b"ready\n"
            run.stop()
            assert b"".join(output) == b"interrupted\n"
    finally:
        signal.signal(signal.SIGINT, before)


def test_stop_kills_what_ignores_the_interrupt(start: Start, tmp_path: Path) -> None:
    source = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('deaf')\ntime.sleep(60)"
    with start(Script("python", source, tmp_path)) as run:
        output = run.output()
        assert first_line(output) == b"deaf\n"
        run.stop(grace=0.05)
        assert list(output) == []
        assert run.wait().code == -signal.SIGKILL


def test_children_end_with_their_script(start: Start, tmp_path: Path) -> None:
    """One that has left the group is a Runner's to end, and does not hold up anybody."""
    source = (
        "import subprocess\nfor apart in (0, 1): print(subprocess.Popen(['sleep', '99'], start_new_session=apart).pid)"
    )
    printed, outcome = finish(start, source, tmp_path)
    inside, outside = map(int, printed.split())
    assert outcome.succeeded
    assert dies(inside)
    if start is Run:
        os.kill(outside, signal.SIGKILL)
    assert dies(outside)


def test_an_exception_in_the_reader_leaves_nothing_behind(start: Start, tmp_path: Path) -> None:
    def read_and_fail() -> None:
        with start(Script("python", "import os\nprint(os.getpid())\nwhile True: pass", tmp_path)) as run:
            processes.append(int(first_line(run.output())))
            raise ZeroDivisionError

    processes: list[int] = []
    with pytest.raises(ZeroDivisionError):
        read_and_fail()
    assert len(processes) == 1
    assert dies(processes[0])


def test_much_output_arrives_whole(start: Start, tmp_path: Path) -> None:
    assert len(finish(start, "import sys\nsys.stdout.write('x' * 20_000_000)", tmp_path)[0]) == 20_000_000


def test_a_missing_folder_says_so(start: Start, tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match="No such file"):
        start(Script("python", "", tmp_path / "nowhere"))
