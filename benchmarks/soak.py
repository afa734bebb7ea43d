"""Soak tests of runs, kills, saves, floods and kernels.

Run them by `python -m benchmarks.soak [runs] [kills] [saves] [floods] [kernels] [--seconds 60]`.

- runs: warm runs, each ending in a different way; nothing may grow, here or in the warm parent
- kills: `kill -9` of the viewer, a warm parent, a script and the watch, at five moments each; no process and no file
  may be left
- saves: a watch that cannot fork, as on a Mac: saves at random times, and `kill -9` of it or of any process that it has
  started in between; it must always give the next verdict, and no process may be left; 200 saves take six minutes
- floods: blocks that print without end; the viewer must go to the next slide at a key, and its memory stay bounded
- kernels: kernels whose source was corrupted at random; the simulator must survive them all

Each takes about the seconds given: kills, saves and floods start nothing new then, and say how far they came.
The exit status is 1 if anything was found. Linux only.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.latency import WORKSHOP, Screen
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script
from triton_workshop.repository import ROOT

MARK = "TRITON_WORKSHOP_SOAK"
"""The variable in the environment of everything that is started here."""
ENDINGS = ("import os; os.fork()", "", "1 / 0", "import os; os.kill(os.getpid(), 9)", "import os; os._exit(3)")
MEMORY_BYTES = 8 << 20
"""Bytes by which a warm parent's memory may grow, whatever the number of runs."""
VIEWER_MEMORY_BYTES = 600 << 20
"""Bytes that the viewer may use after a flood."""
PATIENCE_SECONDS = 15.0
"""Seconds until what was killed, and what it started, must be gone. A parent that is importing finishes that first."""
MOMENTS = (0.2, 1.0, 2.5, 5.0, 8.0)
"""Seconds after the start: before there is a parent, while it imports, and while a script runs."""
FAMILY = """import os, subprocess, time, torch
subprocess.Popen(["sleep", "600"])
subprocess.Popen(["sleep", "600"], start_new_session=True)
print("beg" + "un", flush=True)
while True: time.sleep(0.1)
"""
LOOPS = "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\nwhile True: pass\n"
FLOODS = {
    "lines": "while True: print('a line of a flood')",
    "one line": "import sys\nwhile True: sys.stdout.write('without an end ')",
    "bytes": "import os, random\nwhile True: os.write(1, random.randbytes(65536))",
    "colours": "n = 0\nwhile True: n += 1; print(f'\\x1b[38;5;{n % 256}m{n}')",
}


IN_THE_LAUNCHER = (
    LOOPS.replace(", start_new_session=True", ""),  # in its group: without /proc, nobody finds who has left that
    "import os; os._exit(3)",
    "import os; os.kill(os.getpid(), 9)",
    "raise ValueError('no such luck')",
    "x = y",
    "pass",
)
"""What a script that is saved does before it launches its kernel."""
KILL_RATE = 0.2
"""How likely something is killed after a save."""


class FoundError(Exception):
    """Something that should not be."""


def main() -> None:
    parts = (runs, kills, saves, floods, kernels)
    every: dict[str, Callable[[float], str]] = {part.__name__: part for part in parts}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*every, []], help="which to run; by default all")
    parser.add_argument("--seconds", type=float, default=60, help="seconds for each; by default 60")
    options = parser.parse_args()
    found = False
    for name in options.what or every:
        started = time.monotonic()
        try:
            said = every[name](options.seconds)
        except FoundError as error:
            found, said = True, f"FOUND: {error}"
        print(f"{name:<8} {time.monotonic() - started:6.1f} s  {said}", flush=True)
    sys.exit(found)


def runs(seconds: float) -> str:
    with Runner() as runner, tempfile.TemporaryDirectory() as folder:
        runner.warm_up()
        runner.wait_until_warm(120)

        def run(source: str) -> str:
            with runner.run(Script("python", source, Path(folder))) as running:
                return b"".join(running.output()).decode()

        parent = int(run("import os, torch; print(os.getppid())"))
        if parent == os.getpid():
            raise FoundError("scripts do not run in a warm process")
        before = held(parent), resident(parent)
        deadline, number = time.monotonic() + seconds, 0
        while time.monotonic() < deadline or number < len(ENDINGS):
            if not run(f"print({number})\n{ENDINGS[number % len(ENDINGS)]}").startswith(f"{number}\n"):
                raise FoundError(f"run {number} did not print its number")
            number += 1
        if not eventually(lambda: all(now <= then for now, then in zip(held(parent), before[0], strict=True))):
            raise FoundError(f"descriptors here, in parent, children: expected {before[0]}, found {held(parent)}")
        grown = resident(parent) - before[1]
        if grown > MEMORY_BYTES:
            raise FoundError(f"the parent's memory grew by {grown >> 10} KiB in {number} runs")
    return f"{number} runs; the parent's memory grew by {grown >> 10} KiB, no extra descriptor or child"


def held(parent: int) -> tuple[int, int, int]:
    """Return the descriptors here and in the parent, and its children.

    On a GPU, one of these is the spare child.
    """
    return len(os.listdir("/proc/self/fd")), len(os.listdir(f"/proc/{parent}/fd")), len(children_of(parent))  # noqa: PTH208


def resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def kills(seconds: float) -> str:
    cases = [(victim, moment) for moment in reversed(MOMENTS) for victim in ("viewer", "parent", "script", "watch")]
    deadline = time.monotonic() + seconds
    hits: list[bool] = []
    for victim, moment in cases:
        if time.monotonic() > deadline and hits:
            break
        hits.append(kill(victim, moment))
    return (
        f"{len(hits)} of {len(cases)} kills, {hits.count(False)} of them before the victim existed; "
        "no process and no file was left"
    )


def kill(victim: str, moment: float) -> bool:
    """Kill a process of the viewer or the watch at a moment.

    Then check what is left. Return whether that process existed yet.
    """
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        repository, temporary = Path(folder, "repository"), Path(folder, "temporary")
        temporary.mkdir()
        command = watch(repository) if victim == "watch" else present(Path(folder), FAMILY)
        with marked(temporary) as variables:
            variables |= importing(repository if victim == "watch" else ROOT)
            with Screen(command, variables, repository if victim == "watch" else Path(folder)) as screen:
                until = time.monotonic() + moment
                while time.monotonic() < until:
                    screen.read(0.05)
                target = screen.process.pid
                if victim in ("parent", "script"):
                    target = inside(variables[MARK], victim)
                if target:
                    with suppress(ProcessLookupError):
                        os.kill(target, signal.SIGKILL)
                if victim in ("parent", "script"):
                    screen.wait_for("A block")
                    screen.press("q")
                    leaves = eventually(lambda: not screen.read(0.05) and screen.process.poll() is not None)
                    if not leaves:
                        raise FoundError(f"kill -9 of the {victim} after {moment} s: the viewer does not leave")
                screen.process.wait()
                if not eventually(lambda: not processes(variables[MARK])):
                    left = [command_of(process) for process in processes(variables[MARK])]
                    raise FoundError(f"kill -9 of the {victim} after {moment} s left {left}")
                if not eventually(lambda: not any(temporary.iterdir())):
                    names = sorted(file.name for file in temporary.rglob("*"))
                    raise FoundError(f"kill -9 of the {victim} after {moment} s left {names}")
    return target != 0


def present(folder: Path, block: str) -> list[str]:
    """Start the viewer with a deck of two slides.

    The first has a block that runs automatically.
    """
    deck = folder / "deck.md"
    deck.write_text(f"A block\n===\n\n```python +auto_exec\n{block}```\n\n<!-- end_slide -->\n\nThe second\n===\n")
    return [*WORKSHOP, "present", "-x", str(deck)]


def saves(seconds: float) -> str:
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        repository, temporary = Path(folder, "repository"), Path(folder, "temporary")
        temporary.mkdir()
        command = watch(repository)
        with marked(temporary) as variables:
            variables |= importing(repository, like_a_mac(Path(folder)), ROOT / "tests" / "laptops")
            deadline, saved, killed = time.monotonic() + seconds, 0, 0
            while time.monotonic() < deadline or not saved:
                with Screen(command, variables, repository) as screen:
                    more = saves_until_killed(screen, repository, variables[MARK], deadline)
                saved, killed = saved + more[0], killed + more[1]
                if not eventually(lambda: not processes(variables[MARK])):
                    raise FoundError(f"left {[command_of(process) for process in processes(variables[MARK])]}")
    return f"{saved} saves and {killed} kills; each watch that lived gave the last verdict, and no process was left"


def saves_until_killed(screen: Screen, repository: Path, mark: str, deadline: float) -> tuple[int, int]:
    """Save and kill at random times; return how many of both.

    It ends when the watch itself is killed. If it has not been killed at the deadline, it has to give a verdict, and
    leaves.
    """
    saved = killed = 0
    while time.monotonic() < deadline or not saved:
        save(repository, random.choice(IN_THE_LAUNCHER))
        saved += 1
        until = time.monotonic() + random.uniform(0, 3)
        while time.monotonic() < until:
            screen.read(0.05)
        if random.random() < KILL_RATE:
            victim = random.choice(processes(mark))
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            killed += 1
            if victim == screen.process.pid:
                return saved, killed
    if inside(mark, "parent"):
        raise FoundError("this watch has forked: it was not like one on a Mac")
    word = f"soak{random.randrange(10**6)}"
    save(repository, f"raise ValueError('{word}')")
    screen.wait_for(f"ValueError: {word}")
    screen.press("q")
    if not eventually(lambda: not screen.read(0.05) and screen.process.poll() is not None):
        raise FoundError("the watch does not leave")
    return saved + 1, killed


def save(repository: Path, statement: str) -> None:
    """Save the first solution as the learner's exercise.

    It does this before it launches its kernel.
    """
    solution = (repository / "solutions" / "exercise_1.py").read_text()
    changed = solution.replace("    output = torch", f"{textwrap.indent(statement, '    ')}\n    output = torch", 1)
    (repository / "exercises" / "exercise_1.py").write_text(changed)


def like_a_mac(folder: Path) -> Path:
    """Return a folder that makes every Python behave as on a Mac.

    Every one imports from it as it starts.
    """
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import like_a_mac\n")
    return site


def watch(repository: Path) -> list[str]:
    """Start the watch in a copy of the repository.

    The first exercise there is a script that never ends.
    """
    for name in ("triton_workshop", "solutions"):
        shutil.copytree(ROOT / name, repository / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "exercises", repository / "exercises")
    save(repository, LOOPS)
    return [*WORKSHOP, "watch", "1"]


def importing(*folders: Path) -> dict[str, str]:
    """Return variables that put these folders first on Python's path.

    Of a repository, it is the package that is imported.
    """
    return {"PYTHONPATH": os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])}


@contextmanager
def marked(temporary: Path) -> Iterator[dict[str, str]]:
    """Mark all processes started with these variables.

    So they can be found; what is left in the end is killed.
    """
    mark = f"{os.getpid()}.{random.random()}"
    own = {MARK: mark, "TMPDIR": str(temporary), "XDG_RUNTIME_DIR": str(temporary), "TERM": "xterm-256color"}
    try:
        yield {**os.environ, **own}
    finally:
        for process in processes(mark):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


def processes(mark: str) -> list[int]:
    """Those that have the mark and have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found


def inside(mark: str, what: str) -> int:
    """Return the warm parent, or the script that it has forked.

    0 if there is none yet.
    """
    parents = [process for process in processes(mark) if "parent.main" in command_of(process)]
    eldest = [process for process in parents if not set(parents) & {parent_of(process)}]
    if what == "parent":
        return next(iter(eldest), 0)
    return next((process for process in parents if process not in eldest and has_a_job(process)), 0)


def has_a_job(child: int) -> bool:
    """Return whether this child of a warm parent runs a script.

    The spare one waits in the parent's folder.
    """
    with suppress(OSError):
        return Path(f"/proc/{child}/cwd").readlink() != Path("/")
    return False


def command_of(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8").replace("\0", " ")
    return ""


def parent_of(process: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return 0


def children_of(process: int) -> list[int]:
    every = [int(folder.name) for folder in Path("/proc").glob("[0-9]*")]
    return [each for each in every if parent_of(each) == process]


def floods(seconds: float) -> str:
    largest = 0
    for name, block in FLOODS.items():
        with tempfile.TemporaryDirectory(prefix="soak-") as folder, marked(Path(folder)) as variables:
            command = present(Path(folder), f"{block}\n")
            with Screen(command, variables | importing(ROOT), Path(folder)) as screen:
                screen.wait_for("A block")
                until = time.monotonic() + seconds / len(FLOODS)
                while time.monotonic() < until:
                    screen.read(0.05)
                memory = resident(screen.process.pid)
                largest = max(largest, memory)
                if memory > VIEWER_MEMORY_BYTES:
                    raise FoundError(f"{name}: the viewer has {memory >> 20} MiB")
                screen.press("n")
                try:
                    screen.wait_for("The second")
                except TimeoutError as error:
                    raise FoundError(f"{name}: the next slide did not appear: {error}") from None
    return f"{len(FLOODS)} floods; the viewer used at most {largest >> 20} MiB and always went on"


def kernels(seconds: float) -> str:
    count, seed = max(int(seconds * 30), 1), random.randrange(1 << 30)
    command = [sys.executable, "-m", "simulator.tests.corruptions", str(count), str(seed)]
    variables = {**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            timeout=60 + 4 * seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FoundError(f"seed {seed}: {count} kernels did not finish") from None
    if done.returncode:
        raise FoundError(f"seed {seed}: {done.stderr[-2000:]}")
    return f"{count} corrupted kernels, seed {seed}: {done.stdout.strip()}"


def eventually(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


if __name__ == "__main__":
    main()
