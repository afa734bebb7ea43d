"""A process that waits for a script and then is that script, as if `python -u FILE` had been started: on any system.

These wait as Triton's compiler does, which imports no torch: it is the waiting that matters here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.processes import dies, finish
from triton_workshop.processes import runner as runner_module
from triton_workshop.processes import starters
from triton_workshop.processes.idle import IDLE, IdleError
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.prepared import PreparedProcess
from triton_workshop.processes.process import Process
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script, environment
from triton_workshop.processes.warm import Request
from triton_workshop.repository import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups as POSIX has them")

SAME = {
    "module": "import sys; print(sys.modules['__main__'].__dict__ is globals(), sorted(globals()), __file__[-8:])",
    "streams": "import sys; print(sys.argv[1:], repr(sys.stdin.read()), sys.stdout.encoding, sys.flags.unbuffered)",
    "order": "import os, sys; print(1, file=sys.stderr); os.write(1, b'2\\n'); print(3); os.system('echo 4')",
    "place": "import os; print(os.getcwd(), os.environ['COLUMNS'], 'TRITON_INTERPRET' in os.environ)",
    "threads and signals": "import signal, threading; print(threading.active_count(), signal.getsignal(2))",
    "children": "import os\nif os.fork() == 0: os._exit(print('child') or 0)\nos.wait(); print('parent')",
    "error": "def f():\n    return 1 / 0\nf()",
    "exit": "import atexit, sys; atexit.register(print, 'at exit'); sys.exit(7)",
    "signal": "import os; os.kill(os.getpid(), 15)",
}
BEGUN = "import subprocess, os\nprint(os.getpid(), subprocess.Popen(['sleep', '600']).pid, flush=True)\n"


def launch(script: Script, file: Path, variables: Mapping[str, str]) -> tuple[Process, int]:
    waiting = PreparedProcess(Mode.COMPILER, environment(80))
    return waiting.become(Request((str(file),), str(script.folder.resolve()), variables))


def start(script: Script) -> Run:
    return Run(script, launch)


def printed(run: Run) -> Iterator[int]:
    """The numbers on its first line."""
    output, text = run.output(), b""
    while not text.endswith(b"\n"):
        text += next(output)
    yield from map(int, text.split())


@pytest.mark.parametrize("claim", SAME)
def test_it_is_as_a_new_process_for_the_script(tmp_path: Path, claim: str) -> None:
    text, outcome = finish(start, SAME[claim], tmp_path, columns=57)
    expected, as_new = finish(Run, SAME[claim], tmp_path, columns=57)
    assert without_folder(text) == without_folder(expected)
    assert outcome.reason == as_new.reason


def without_folder(text: str) -> list[str]:
    return [line for line in text.splitlines() if "block.py" not in line]


def test_a_stop_interrupts_it(tmp_path: Path) -> None:
    source = "try:\n    print(1)\n    while True: pass\nexcept KeyboardInterrupt: print('interrupted')"
    with start(Script("python", source, tmp_path)) as run:
        output = run.output()
        text = next(output)
        run.stop(grace=60)
        assert (text + b"".join(output)).endswith(b"interrupted\n")
        assert run.wait().reason == "stopped"


def test_what_it_has_started_ends_with_it(tmp_path: Path) -> None:
    with start(Script("python", BEGUN, tmp_path)) as run:
        process, child = printed(run)
    assert dies(process)
    assert dies(child)


def test_one_that_waits_can_be_ended_and_then_becomes_nothing() -> None:
    waiting = PreparedProcess(Mode.COMPILER, environment(80))
    assert not waiting.has_ended()
    waiting._process.signal_group(signal.SIGKILL)
    waiting._process.pause(60)
    with pytest.raises(OSError, match="pipe"):
        waiting.become(Request((), "/", {}))


OWNER = """
import sys
from pathlib import Path
from tests.processes.test_prepared import BEGUN, printed, start
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.prepared import PreparedProcess
from triton_workshop.processes.script import Script, environment
waiting = PreparedProcess(Mode.COMPILER, environment(80))
with start(Script("python", BEGUN + "while True: pass", Path.cwd())) as run:
    print(waiting._process._process.pid, *printed(run), flush=True)
    sys.stdin.read()
"""


def test_whoever_waits_or_runs_ends_with_an_owner_that_is_killed(tmp_path: Path) -> None:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(command, cwd=tmp_path, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        family = [int(word) for word in owner.stdout.readline().split()]
        owner.kill()
    assert len(family) == 3
    assert all(map(dies, family))


@pytest.fixture
def without_forks(monkeypatch: pytest.MonkeyPatch) -> list[Mode]:
    """A Runner as on a system that cannot fork, whose spares wait as above; the modes that they were started for."""
    modes: list[Mode] = []

    def prepared(mode: Mode, variables: Mapping[str, str]) -> PreparedProcess:
        modes.append(mode)
        return PreparedProcess(Mode.COMPILER, variables)

    monkeypatch.setattr(runner_module, "CAN_FORK", False)
    monkeypatch.setattr(starters, "PreparedProcess", prepared)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    return modes


def spares_of(runner: Runner) -> list[PreparedProcess]:
    assert isinstance(runner._starter, starters.SpareProcesses)
    return runner._starter._pool._waiting


# By half of its name, as a script that names Triton and not our package is a new process.
WHO = "import os, sys\nprint(os.getpid(), any(name.endswith('_simulator.compiler') for name in sys.modules))"
NEEDS_TORCH = f"if False:\n    import torch\n{WHO}"


def test_a_script_that_imports_torch_gets_a_process_that_waits(without_forks: list[Mode], tmp_path: Path) -> None:
    with Runner() as runner:
        runner.warm_up()
        assert without_forks == [Mode.SIMULATOR, Mode.SIMULATOR]
        process, imported = finish(runner.run, NEEDS_TORCH, tmp_path)[0].split()
        assert imported == "True"
        assert finish(runner.run, WHO, tmp_path)[0].split()[1] == "False", "one that needs no torch is a new process"
        waiting = spares_of(runner)[0]
    assert dies(int(process))
    assert waiting.has_ended()


def test_a_script_that_imports_triton_by_itself_is_a_new_process(without_forks: list[Mode], tmp_path: Path) -> None:
    """Which may not find it, as on a Mac: there, what waits has found it by way of our package."""
    source = "import sys\nprint('triton' in sys.modules)\ntry:\n    import triton\nexcept ImportError:\n    pass"
    with Runner() as runner:
        runner.warm_up()
        assert finish(runner.run, source, tmp_path)[0] == "False\n"


def test_where_none_may_wait_scripts_are_new_processes(
    without_forks: list[Mode], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(IDLE, "0")
    with Runner() as runner:
        runner.warm_up()
        assert finish(runner.run, NEEDS_TORCH, tmp_path)[0].split()[1] == "False"
    assert without_forks == []


def test_a_time_that_is_none_is_told_at_once(without_forks: list[Mode], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IDLE, "5min")
    with pytest.raises(IdleError, match="expected how many seconds"):
        Runner()


def test_a_spare_that_was_killed_is_missed_by_nobody(without_forks: list[Mode], tmp_path: Path) -> None:
    with Runner() as runner:
        runner.warm_up()
        for spare in spares_of(runner):
            spare._process.signal_group(signal.SIGKILL)
            spare._process.pause(60)
        assert finish(runner.run, NEEDS_TORCH, tmp_path)[1].succeeded
