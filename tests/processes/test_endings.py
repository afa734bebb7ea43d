"""However a run ends, it says so plainly, and nothing of it is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import ANY

import pytest

from tests.processes import Start, alive, dies, eventually, finish, without_torch
from triton_workshop.processes import reaper
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Outcome, Script

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm processes are forks, on Linux only")

GIB = 1 << 30
FAMILY = """
import os, subprocess, sys
import torch
inside = subprocess.Popen(["sleep", "600"])
outside = subprocess.Popen(["sleep", "600"], start_new_session=True)
print(os.getpid(), inside.pid, outside.pid, os.getppid(), flush=True)
"""
"""A script with two children, one of them in a session of its own. What it prints ends with its parent."""


WHOSE = "import os, torch; print(os.getppid())"


@contextmanager
def apart(folder: Path) -> Iterator[Path]:
    """Here a Runner has such a parent. Yields `held`."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in without_torch(folder).items():
            patch.setenv(name, value)
        yield folder / "held"


def numbers(output: Iterator[bytes]) -> list[int]:
    """Those on the first line."""
    text = b""
    while not text.endswith(b"\n"):
        text += next(output)
    return [int(word) for word in text.split()]


def test_a_script_may_run_for_so_long(start: Start, tmp_path: Path) -> None:
    printed, outcome = finish(start, "while True: pass", tmp_path, time_limit=0.5)
    assert "KeyboardInterrupt" in printed
    assert (outcome.reason, outcome.succeeded) == ("over the time limit", False)


def test_the_clock_does_not_trouble_a_script_that_is_quick(start: Start, tmp_path: Path) -> None:
    assert finish(start, "print(1)", tmp_path, time_limit=60)[1].succeeded


@pytest.mark.parametrize(
    ("source", "complaint"),
    [("held = bytearray(16 << 30)", "MemoryError"), ("import torch; torch.ones(4 << 30)", "memory")],
)
def test_a_script_may_hold_so_much(start: Start, tmp_path: Path, source: str, complaint: str) -> None:
    printed, outcome = finish(start, source, tmp_path, memory_limit=6 * GIB)
    assert complaint in printed
    assert outcome.reason == "exit 1"


def test_a_new_process_has_its_limit_from_the_first_moment_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.processes.process.limit_memory", lambda *_: None)  # it may come too late
    source = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    printed, outcome = finish(Run, source, tmp_path, memory_limit=6 * GIB)
    assert (printed.strip(), outcome.succeeded) == (str(6 * GIB), True)


def test_within_its_memory_a_script_computes(start: Start, tmp_path: Path) -> None:
    source = "import torch; print(torch.ones(1000, 1000).sum().item())"
    assert finish(start, source, tmp_path, memory_limit=6 * GIB)[0] == "1000000.0\n"


def test_a_killed_child_is_reported_and_takes_its_children_along(warm: Runner, tmp_path: Path) -> None:
    with warm.run(Script("python", FAMILY + "outside.wait()", tmp_path)) as run:
        output = run.output()
        script, inside, outside, _ = numbers(output)
        os.kill(script, signal.SIGKILL)
        assert list(output) == []
        assert run.wait().reason == "killed by SIGKILL"
    assert dies(inside)
    assert dies(outside)


def test_a_script_that_has_begun_ends_with_its_parent_and_the_next_one_has_a_new_parent(tmp_path: Path) -> None:
    """It is not run twice, and what is left of it does not touch the next one."""
    waits = "import os, time, torch\nprint(os.getppid(), flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)"
    family = Script("python", FAMILY + "outside.wait()", tmp_path)
    with apart(tmp_path), Runner() as runner, runner.run(family) as first:
        output = first.output()
        script, inside, outside, parent = numbers(output)
        os.kill(parent, signal.SIGKILL)
        assert dies(parent)
        with runner.run(Script("python", f"{waits}\nprint('ended')", tmp_path)) as second:
            output_of_second = second.output()
            [new_parent] = numbers(output_of_second)
            assert new_parent not in (parent, os.getpid())
            assert list(output) == []
            assert first.wait().reason == "killed by SIGKILL"
            first.close()
            assert all(map(dies, (script, inside, outside)))
            (tmp_path / "go").touch()
            assert b"".join(output_of_second) == b"ended\n"


def parents() -> set[int]:
    """The warm parents that this process has started."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            owner = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if owner == os.getpid() and "parent.main" in (folder / "cmdline").read_text():
                found.add(int(folder.name))
    return found


def parent_since(before: set[int]) -> int:
    """One that was started since, which only becomes that program a moment later."""
    assert eventually(lambda: bool(parents() - before))
    [parent] = parents() - before
    return parent


def test_a_script_whose_parent_dies_before_it_has_begun_says_so(tmp_path: Path) -> None:
    """And the next one has a new parent."""
    before = parents()
    with apart(tmp_path) as held, Runner() as runner:
        held.touch()
        with runner.run(Script("python", WHOSE, tmp_path)) as run:
            parent = parent_since(before)
            os.kill(parent, signal.SIGKILL)
            held.unlink()
            assert b"".join(run.output()) == b""
            assert run.wait().reason == "killed by SIGKILL"
        assert int(finish(runner.run, WHOSE, tmp_path)[0]) not in (parent, os.getpid())


@pytest.mark.parametrize("shows", ["", "# PIL, which may show pictures"])
def test_a_script_that_reports_an_error_itself_names_all_its_frames(start: Start, tmp_path: Path, shows: str) -> None:
    source = "import sys\ndef a(): b()\ndef b(): 1 / 0\ntry: a()\nexcept Exception: sys.excepthook(*sys.exc_info())"
    printed, _ = finish(start, f"{source} {shows}", tmp_path)
    assert [name for name in ("in <module>", "in a", "in b") if name in printed] == ["in <module>", "in a", "in b"]


@contextmanager
def client(source: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that runs a script and prints what that prints; killed in the end, whatever the test finds."""
    (temporary := folder / "temporary").mkdir()
    program = f"""
from pathlib import Path
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script
with Runner() as runner, runner.run({source}) as run:
    for text in run.output(): print(text.decode(), end="", flush=True)
"""
    variables = {**os.environ, **without_torch(folder), "TMPDIR": str(temporary)}
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, env=variables, stdout=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def first_numbers(process: subprocess.Popen[bytes]) -> set[int]:
    assert process.stdout is not None
    return {int(number) for number in process.stdout.readline().split()}


def test_nothing_survives_a_client_that_is_killed(tmp_path: Path) -> None:
    with client(f"Script('python', {FAMILY + 'outside.wait()'!r}, Path('.'))", tmp_path) as process:
        family = first_numbers(process)
        assert len(family) == 4
        assert all(map(alive, family))
    assert all(map(dies, family))


FORKS_AWAY = """
import os, time, torch
child = os.fork()
if child == 0:
    os.setsid()
    time.sleep(600)
print(child, flush=True)
"""
"""A script that leaves a copy of itself, of which no program was ever started by a name."""


def test_a_copy_of_a_warm_script_in_a_session_of_its_own_ends_too(warm: Runner, tmp_path: Path) -> None:
    printed, _ = finish(warm.run, FORKS_AWAY, tmp_path)
    assert dies(int(printed))


FAMILY_IN_BASH = "sleep 600 & setsid sleep 600 & setsid -f sleep 601; echo $$ $(jobs -p); wait"


def test_nothing_survives_a_client_that_is_killed_without_a_parent(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    with client(f"Script('bash', {FAMILY_IN_BASH!r}, Path('.'))", tmp_path) as process:
        family = first_numbers(process)
        names = dict(reaper._named())
        owner, _, _ = names[next(iter(family))].partition(".")

        def all_found() -> bool:
            """Those that have just become `sleep`, too: one look can miss them."""
            family.update(process for process, named in reaper._named() if named.startswith(f"{owner}."))
            return len(family) >= 4

        assert eventually(all_found)
        assert list(temporary.rglob("block.sh"))
    assert all(map(dies, family))
    assert eventually(lambda: not list(temporary.iterdir())), "its temporary files are gone"


def test_a_script_starts_after_somebody_has_tidied_up_the_temporary_files(tmp_path: Path) -> None:
    with Runner() as runner:
        shutil.rmtree(runner.folder())
        assert finish(runner.run, "echo again", tmp_path, "bash")[0] == "again\n"
        folder = runner.folder()
    assert not folder.exists()


def test_a_runner_that_has_been_closed_starts_nothing(tmp_path: Path) -> None:
    runner = Runner()
    for _ in range(2):
        runner.close()
    with pytest.raises(OSError, match="closed"):
        runner.run(Script("bash", "echo late", tmp_path))


def test_a_process_that_one_look_misses_is_ended_by_a_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It became another program just then, or had been started by one that ended before it was looked at."""
    looks = iter([[], [], [(2**22 + 1, "ours")], [], [], [(2**22 + 2, "ours"), (2**22 + 3, "others'")]])
    killed: list[int] = []
    monkeypatch.setattr(reaper, "_named", lambda: next(looks, []))
    monkeypatch.setattr(reaper.os, "kill", lambda process, _: killed.append(process))
    reaper.end_all(lambda owner: owner == "ours")
    assert killed == [2**22 + 1, 2**22 + 2]


def test_a_script_that_waits_for_its_parent_can_be_stopped_and_the_parent_leaves(tmp_path: Path) -> None:
    """It has then imported for nobody."""
    before = parents()
    script = Script("python", "import torch; print('begun')", tmp_path)
    with apart(tmp_path) as held, Runner() as runner:
        held.touch()
        with runner.run(script) as run:
            parent = parent_since(before)
            run.stop()
            assert run.wait().reason == "stopped"
            assert list(run.output()) == []
            assert not runner.wait_until_warm(0), "the parent had begun before the stop came"
        held.unlink()
    assert dies(parent)


def children_of(process: int) -> list[int]:
    return [*map(int, Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split())]


def test_a_spare_child_that_is_killed_is_missed_by_nobody(tmp_path: Path) -> None:
    """Even if it is killed more often than the parent keeps another."""
    with apart(tmp_path), Runner() as runner:
        parent = int(finish(runner.run, WHOSE, tmp_path)[0])
        for _ in range(5):
            for child in children_of(parent):
                os.kill(child, signal.SIGKILL)
                assert dies(child)
            assert finish(runner.run, WHOSE, tmp_path) == (f"{parent}\n", Outcome(0, ANY))


@pytest.fixture
def own_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    """A runner whose parent nobody else uses: xdist's workers share the user's, and with it what can be counted."""
    if sys.platform != "linux":
        pytest.skip("a warm parent forks, which is safe on Linux only")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with Runner() as runner:
        runner.warm_up()
        assert runner.wait_until_warm(180)
        yield runner


def open_files(process: int) -> int:
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def test_forty_runs_leave_nothing(own_parent: Runner, tmp_path: Path) -> None:
    """`benchmarks.soak` does it for minutes."""
    parent = int(finish(own_parent.run, "import os; print(os.getppid())", tmp_path)[0])

    def held() -> tuple[int, int, int]:
        """Descriptors here and in the parent, and how many children that has: on a GPU, the spare one."""
        return open_files(os.getpid()), open_files(parent), len(children_of(parent))

    def resident() -> int:
        pages = int(Path(f"/proc/{parent}/statm").read_text(encoding="utf-8").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    before, memory = held(), resident()
    for number in range(40):
        ending = ("import os; os.fork()", "", "1 / 0", "import os; os.kill(os.getpid(), 9)")[number % 4]
        finish(own_parent.run, f"print({number})\n{ending}", tmp_path)
    # The parent may still be closing the last connection; the first may have been open when we looked before.
    assert eventually(lambda: all(now <= then for now, then in zip(held(), before, strict=True))), (before, held())
    assert resident() - memory < 256 << 10
