"""Presenter's wait for outputs, the next slide and the first slide.

Run it by `python -m benchmarks.latency`.

- cold: a block that launches a kernel, from the key to its first byte, run by `python -u` in a new process
- warm: the same block in a fork of a warm parent, alternating with cold, two seconds after the previous run, since a
  presenter says at least a word about it (on a GPU, the next spare child gets ready meanwhile); where nothing can fork,
  in a process that waits for it, which takes longer to get ready: `--pause 8`
- again: the same with the key pressed as soon as the previous run has ended
- command: like warm, with `python -m triton_workshop.processes`, as presenterm runs it
- slide: from the key to the title of the next slide
- start: from the shell's fork of `workshop present` to the title of the first slide

The viewer runs in a pseudo-terminal that answers like a terminal without pictures. First comes one walk through the
deck that is not measured: it leaves the byte code of every module behind, as a first start does on a presenter's
machine. Without byte code (PYTHONDONTWRITEBYTECODE, set in some containers) each start compiles half a thousand
modules, which takes longer than everything else. `start` does not include what `uv run` does before `workshop`.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import plain
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script
from triton_workshop.repository import ROOT

DECK = ROOT / "slides" / "triton-workshop.md"
BLOCK = """
from triton_workshop import DEVICE, cdiv
import torch
import triton
import triton.language as tl

@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)

x = torch.rand(100_000, device=DEVICE)
output = torch.empty_like(x)
add_kernel[(cdiv(100_000, 1024),)](x, x, output, 100_000, BLOCK_SIZE=1024)
print(torch.equal(output, x + x))
"""
WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()"]
COLUMNS, ROWS = 120, 36
ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
ASKS_WHAT_IT_IS, PLAIN_TERMINAL = b"\x1b[c", b"\x1b[?62;22c"
LONGEST_WAIT_SECONDS = 60
A_WORD = 2.0
"""Seconds between two runs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one object: figure → median in seconds")
    parser.add_argument("--rounds", type=int, default=5, help="cold runs and starts; warm runs are four times as many")
    parser.add_argument("--pause", type=float, default=A_WORD, help="seconds before a warm run; by default 2")
    options = parser.parse_args()
    if options.json:
        measured = blocks(options.rounds, options.pause) | slides(options.rounds)
        print(json.dumps({name: round(statistics.median(seconds), 4) for name, seconds in measured.items()}))
        return
    print(f"{'':<10}{'median':>10}{'best':>10}{'worst':>10}{'times':>8}")
    measured = blocks(options.rounds, options.pause)
    _print_rows(measured)
    _print_rows(slides(options.rounds))
    ratio = statistics.median(measured["cold"]) / statistics.median(measured["warm"])
    print(f"a warm block answers {ratio:.1f} times as fast as a cold one")


def _print_rows(measured: Mapping[str, Sequence[float]]) -> None:
    for name, seconds in measured.items():
        median = statistics.median(seconds)
        row = f"{name:<10}{median:>8.3f} s{min(seconds):>8.3f} s{max(seconds):>8.3f} s{len(seconds):>8}"
        print(row, flush=True)


def blocks(rounds: int, pause: float) -> dict[str, list[float]]:
    """Seconds to the first byte of a block, cold and warm in turns."""
    script = Script("python", BLOCK, ROOT)
    file = Path(os.environ.get("TMPDIR", "/tmp"), f"latency-{os.getpid()}.py")
    file.write_text(BLOCK, encoding="utf-8")
    measured: dict[str, list[float]] = {"cold": [], "warm": [], "again": [], "command": []}
    try:
        with Runner() as runner:
            runner.warm_up()
            runner.wait_until_warm(LONGEST_WAIT_SECONDS)
            _first_byte_of_command(file)  # starts its parent
            for _ in range(rounds):
                measured["cold"].append(first_byte(lambda: Run(script)))
                for _ in range(4):
                    time.sleep(pause)
                    measured["warm"].append(first_byte(lambda: runner.run(script)))
                    measured["again"].append(first_byte(lambda: runner.run(script)))
                for _ in range(4):
                    time.sleep(pause)
                    measured["command"].append(_first_byte_of_command(file))
    finally:
        file.unlink()
    return measured


def first_byte(start: Callable[[], Run]) -> float:
    before = time.perf_counter()
    with start() as run:
        first = next(run.output())
        seconds = time.perf_counter() - before
        assert first.startswith(b"True"), first.decode()
    return seconds


def _first_byte_of_command(file: Path) -> float:
    command = [sys.executable, "-m", "triton_workshop.processes", str(file)]
    before = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"T"
        seconds = time.perf_counter() - before
        process.stdout.read()
    return seconds


def slides(rounds: int) -> dict[str, list[float]]:
    """Seconds to the first slide, and from each slide of the deck to the next."""
    deck = load_deck(DECK)
    titles = [plain(slide.title or ()) for slide in deck.slides]
    measured: dict[str, list[float]] = {"slide": [], "start": []}
    with tempfile.TemporaryDirectory(prefix="latency-") as byte_code:
        variables = {**os.environ, "TERM": "xterm-256color", "PYTHONPYCACHEPREFIX": byte_code}
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        list(walk(deck.title, titles[1:], variables))
        for _ in range(rounds):
            start, *changes = walk(deck.title, titles[1:], variables)
            measured["start"].append(start)
            measured["slide"] += changes
    return measured


def walk(first: str, titles: Sequence[str], variables: Mapping[str, str], *options: str) -> Iterator[float]:
    """Seconds to the first slide's title, then to that of each other slide."""
    before = time.perf_counter()
    with Screen([*WORKSHOP, "present", str(DECK), *options], variables) as screen:
        screen.wait_for(first)
        yield time.perf_counter() - before
        for title in titles:
            screen.settle()
            before = time.perf_counter()
            screen.press("n")
            screen.wait_for(title)
            yield time.perf_counter() - before


class Screen:
    """A command in a pseudo-terminal, killed at the end."""

    def __init__(self, command: list[str], variables: Mapping[str, str], folder: Path | None = None) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            command, cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        self._written = b""

    def press(self, key: str) -> None:
        self._written = b""
        os.write(self._ours, key.encode())

    def wait_for(self, text: str) -> None:
        """Read until the text has been written since the last key."""
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while text not in ESCAPES.sub(b"", self._written).decode(errors="replace"):
            if time.monotonic() > deadline:
                shown = ESCAPES.sub(b"", self._written).decode(errors="replace")
                raise TimeoutError(f"{text!r} did not appear, but {shown[-2000:]!r}")
            self.read(1)

    def settle(self) -> None:
        """Read until nothing more comes."""
        while self.read(0.2):
            pass

    def read(self, seconds: float) -> bool:
        """Read what has come; return whether anything has.

        It waits at most so long.
        """
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # how Linux reports that the other end is closed
            return False
        self._written += data
        if ASKS_WHAT_IT_IS in data:
            os.write(self._ours, PLAIN_TERMINAL)
        return True

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._ours)


if __name__ == "__main__":
    main()
