"""`workshop run` is `python -u` with a warm start: same input, output, signals and exit status."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import RunPython
from tests.processes import FAULT, dies, eventually, without_torch
from triton_workshop import code_version
from triton_workshop.processes import warm
from triton_workshop.processes.idle import IDLE, IDLE_SECONDS, IdleError, idle_seconds
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.warm import WarmParent

if sys.platform != "linux":
    pytest.skip("warm processes are forks, on Linux only", allow_module_level=True)

RUN = [sys.executable, "-m", "triton_workshop.processes"]
WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "run"]
WHO = "import os, torch; print(os.getppid(), os.getpid(), flush=True)"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Commands find a parent of their own here, which ends with the tests."""
    folder = tmp_path_factory.mktemp("runtime")
    ours = ("TRITON_INTERPRET", "TRITON_WORKSHOP_SLIDE")
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    environment = inherited | without_torch(folder)
    yield environment
    parent, _ = parent_and_script(command(WHO, folder, environment))
    os.kill(parent, signal.SIGTERM)
    assert dies(parent)


def command(
    source: str,
    folder: Path,
    environment: dict[str, str],
    *arguments: str,
    run: list[str] = RUN,
    process_group: int | None = None,
) -> subprocess.Popen[str]:
    file = Path(folder, "script.py")
    file.write_text(source, encoding="utf-8")
    return subprocess.Popen(
        [*run, str(file), *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        process_group=process_group,
    )


def parent_and_script(process: subprocess.Popen[str]) -> list[int]:
    assert process.stdout is not None
    return [int(word) for word in process.stdout.readline().split()]


@pytest.mark.parametrize("run", [RUN, WORKSHOP], ids=["module", "workshop"])
def test_arguments_input_folder_and_status_pass_through(
    environment: dict[str, str], tmp_path: Path, run: list[str]
) -> None:
    source = "import os, sys, torch; print(sys.argv[1:], input(), os.getcwd()); sys.exit(7)"
    process = command(source, tmp_path, environment, "--flag", "-x", "1", run=run)
    printed, _ = process.communicate("typed\n")
    assert printed == f"['--flag', '-x', '1'] typed {tmp_path}\n"
    assert process.returncode == 7


def test_commands_share_a_parent(environment: dict[str, str], tmp_path: Path) -> None:
    parents = {command(WHO, tmp_path, environment).communicate()[0].split()[0] for _ in range(2)}
    assert len(parents) == 1
    assert str(os.getpid()) not in parents


def test_an_interrupt_reaches_the_script(environment: dict[str, str], tmp_path: Path) -> None:
    source = (
        "import time, torch\ntry:\n    print('ready')\n    time.sleep(600)\nexcept KeyboardInterrupt: print('caught')"
    )
    process = command(source, tmp_path, environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate()[0] == "caught\n"
    assert process.returncode == 0


def test_signals_that_come_together_all_reach_the_script(environment: dict[str, str], tmp_path: Path) -> None:
    source = (
        "import signal, time, torch\nseen = set()\n"
        "for n in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP): signal.signal(n, lambda n, _: seen.add(n))\n"
        "print('ready', flush=True)\nwhile len(seen) < 3: time.sleep(0.01)\nprint('all')"
    )
    process = command(source, tmp_path, environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    for _ in range(50):
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
            process.send_signal(number)
    assert process.communicate(timeout=60)[0] == "all\n"


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def test_ctrl_z_stops_the_script_too(environment: dict[str, str], tmp_path: Path) -> None:
    process = command(WHO + "; input(); print('goes on')", tmp_path, environment, process_group=0)
    _, script = parent_and_script(process)
    process.send_signal(signal.SIGTSTP)
    assert eventually(lambda: state(process.pid) == state(script) == "T")
    process.send_signal(signal.SIGCONT)
    assert eventually(lambda: "T" not in (state(process.pid), state(script)))
    assert process.communicate("\n")[0] == "goes on\n"


def test_a_signal_that_ends_the_script_ends_the_command(environment: dict[str, str], tmp_path: Path) -> None:
    process = command("import os, torch; os.kill(os.getpid(), 15)", tmp_path, environment)
    process.communicate()
    assert process.returncode == -signal.SIGTERM


def test_a_killed_command_takes_its_script_along(environment: dict[str, str], tmp_path: Path) -> None:
    process = command(WHO + "; input()", tmp_path, environment)
    _, script = parent_and_script(process)
    process.kill()
    assert dies(script)
    process.communicate()


def test_a_killed_parent_takes_its_script_along(environment: dict[str, str], tmp_path: Path) -> None:
    process = command(WHO + "; input()", tmp_path, environment)
    parent, script = parent_and_script(process)
    os.kill(parent, signal.SIGKILL)
    assert dies(script)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    successor, _ = parent_and_script(command(WHO, tmp_path, environment))
    assert successor not in (parent, os.getpid())


def test_a_slide_of_presenterm_has_a_width(environment: dict[str, str], tmp_path: Path) -> None:
    source = "import os; print(os.environ['TRITON_WORKSHOP_SLIDE'])"
    printed, _ = command(source, tmp_path, environment | {"TRITON_WORKSHOP_SLIDE": "terminal"}).communicate()
    assert int(printed) >= 20


def test_a_fault_in_a_slide_of_presenterm_quotes_the_line_and_gives_no_number(
    run_warm: RunPython, tmp_path: Path
) -> None:
    """presenterm's file has the slide's hidden lines too."""
    (tmp_path / "script.py").write_text(FAULT, encoding="utf-8")
    printed = run_warm(tmp_path / "script.py", env={"TRITON_WORKSHOP_SLIDE": "terminal"}).stderr
    assert "  The line: `tl.store(x_ptr + 4, 1.0)`. Is a mask missing?\n" in printed


def test_what_another_user_has_put_in_the_place_of_the_parent_gets_nothing(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = environment | {"XDG_RUNTIME_DIR": str(tmp_path)}
    parent = WarmParent.of(Mode.SIMULATOR, elsewhere)
    monkeypatch.setattr(warm, "user_at", lambda end: os.geteuid() + 1)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(parent.address)
        listener.listen()
        with pytest.raises(PermissionError, match="another user"):
            parent.connect(60)
        there, _ = listener.accept()
        assert there.recv(1) == b""


@pytest.mark.parametrize(
    ("variables", "seconds"), [({}, IDLE_SECONDS), ({IDLE: ""}, IDLE_SECONDS), ({IDLE: "60"}, 60), ({IDLE: "0"}, 0)]
)
def test_a_variable_says_how_long_a_process_stays(variables: dict[str, str], seconds: int) -> None:
    assert idle_seconds(variables) == seconds


@pytest.mark.parametrize("text", ["5min", "-1", "1.5", "inf", "٣", "9999999"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(IdleError, match=f"{IDLE}={text}: expected how many seconds"):
        idle_seconds({IDLE: text})


def test_a_command_with_a_time_that_is_none_says_so_and_runs_nothing(
    environment: dict[str, str], tmp_path: Path
) -> None:
    process = command(WHO, tmp_path, environment | {IDLE: "5min"})
    assert process.communicate()[0].startswith(f"{IDLE}=5min: expected how many seconds")
    assert process.returncode == 2


def test_where_no_process_may_stay_none_is_started(environment: dict[str, str], tmp_path: Path) -> None:
    process = command(WHO, tmp_path, environment | {"XDG_RUNTIME_DIR": str(tmp_path), IDLE: "0"})
    assert process.communicate()[0].split() == [str(os.getpid()), str(process.pid)], "not run in a new process"
    with socket.socket(socket.AF_UNIX) as client, pytest.raises(ConnectionRefusedError):
        client.connect(WarmParent.of(Mode.SIMULATOR, environment | {"XDG_RUNTIME_DIR": str(tmp_path)}).address)


def test_a_process_leaves_when_its_time_is_up(environment: dict[str, str], tmp_path: Path) -> None:
    elsewhere = environment | {"XDG_RUNTIME_DIR": str(tmp_path), IDLE: "1"}
    parent, _ = parent_and_script(command(WHO, tmp_path, elsewhere))
    assert parent != os.getpid()
    assert dies(parent)


def test_an_edited_package_is_other_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("")
    monkeypatch.setattr(code_version, "PACKAGES", [tmp_path])
    before = WarmParent.of(Mode.SIMULATOR, {})
    assert WarmParent.of(Mode.SIMULATOR, {}) == before
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))
    assert WarmParent.of(Mode.SIMULATOR, {}).address != before.address
