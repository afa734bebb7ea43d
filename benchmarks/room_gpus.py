"""Load on a room's GPUs: attendees who send scripts, and processes that die.

Run it by `python -m benchmarks.room_gpus [--attendees 40] [--minutes 10] [--every 90] [--kill] [--burst] [--amid]
[--gpus …]`.

Half of the attendees are pages, which also follow the slides, and half are `watch`. Each sends a script at random,
every 90 seconds on average, and waits for the answer; every fifth script is wrong. With `--kill`, a sandbox, an actor,
the raylet or the server is killed each minute, in turns. With `--burst`, each sends one script within ten seconds. With
`--amid`, scripts are then timed while nothing else runs, and again while others are checked without a pause.
It starts `workshop gpus` unless it gets the `--gpus` of a pool, as that prints it. The exit status is 1 if a bound is
exceeded: a script without exactly one answer, a 95th percentile above 15 s, memory that has grown by more than a
tenth since the third minute, or a time that differs by more than 3% amid checks. Linux.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from triton_workshop.attendance.gpu_client import run_on_a_gpu
from triton_workshop.attendance.jobs import Answer, Outcome
from triton_workshop.attendance.membership import Membership, RefusedError, UnansweredError, ask
from triton_workshop.attendance.register import Register
from triton_workshop.deck import load_deck
from triton_workshop.exercises import EXERCISES
from triton_workshop.repository import ROOT
from triton_workshop.room.addresses import LOOPBACK, Endpoint
from triton_workshop.room.messages import GpuPool
from triton_workshop.room.share import Share
from triton_workshop.viewer.presentation import Presentation

DECK = ROOT / "slides" / "triton-workshop.md"
MARK = "WORKSHOP_ROOM_GPUS_BENCHMARK"
"""Environment variable of all processes that this one has started."""
NUMBERS = ("1", "2", "3", "4", "5", "6")
WRONG_EVERY = 5
"""Every script with such a number is wrong."""
BURST_SECONDS = 10.0
KILL_SECONDS = 60.0
MAX_P95_SECONDS = 15.0
MAX_GROWTH = 1.1
SETTLED_SECONDS = 180.0
"""Seconds after which memory should not grow any more."""
SAMPLED_SECONDS, SAMPLE_SECONDS = 60.0, 5.0
"""Seconds of which the median memory is taken, and between two samples: a script that runs takes some of it."""
TIMED_NUMBERS = ("1", "2", "5")
CHECKING = 11
"""Attendees who have scripts checked without a pause meanwhile."""
TIMINGS = 5
"""Timings of a script in each of two conditions, of which the median is taken."""
MAX_DIFFERENCE = 0.03
LAST_SECONDS = 120.0
"""Seconds for the answers to the last scripts."""


@dataclass(frozen=True)
class Sent:
    """A script that was sent, and what came of it."""

    exercise: str
    seconds: float
    answer: Answer | None
    failure: str = ""


class Attendee(threading.Thread):
    """Somebody who sends scripts at random, one after another."""

    def __init__(self, membership: Membership, number: int, every: float, until: float, *, is_page: bool) -> None:
        super().__init__(daemon=True)
        self.membership, self.every, self.until, self.is_page = membership, every, until, is_page
        self.random = random.Random(number)
        self.sent: list[Sent] = []

    def run(self) -> None:
        if self.is_page:
            threading.Thread(target=self._follow, daemon=True).start()
        if self.until == 0:
            time.sleep(self.random.uniform(0, BURST_SECONDS))
            self._send()
            return
        while time.monotonic() + (pause := self.random.expovariate(1 / self.every)) < self.until:
            time.sleep(pause)
            self._send()

    def _follow(self) -> None:
        """Follow the slides, as a page does."""
        host, port = re.findall(r"//(.*):(\d+)/", self.membership.address)[0]
        headers = {"Authorization": f"Bearer {self.membership.token}"}
        while True:
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            with suppress(OSError, http.client.HTTPException), closing(connection):
                connection.request("GET", "/events", headers=headers)
                response = connection.getresponse()
                while response.readline():
                    pass
            time.sleep(1)

    def _send(self) -> None:
        exercise, began = EXERCISES[self.random.choice(NUMBERS)], time.monotonic()
        text = unknown(exercise.solution, self.random)
        if self.random.randrange(WRONG_EVERY) == 0:
            text = text.replace("tl.program_id(axis=0)", "(tl.program_id(axis=0) * 0)")
        answer, failure = None, ""
        try:
            answer = run_on_a_gpu(
                self.membership, exercise.number, text, timed=True, show=lambda _: None, stop=threading.Event()
            )
            if self.is_page:  # it shows the board, and a second tab the answer
                ask(self.membership, "gpus/times", timeout_seconds=10)
        except (RefusedError, UnansweredError) as error:
            failure = str(error)
        self.sent.append(Sent(exercise.number, time.monotonic() - began, answer, failure))


def unknown(solution: str, generator: random.Random) -> str:
    """Return a script that nobody has compiled yet."""
    return f"{solution}\n# {generator.random()}\n"


# Timings


def compare_timings(memberships: list[Membership]) -> bool:
    """Time solutions alone and amid checks, print both; return whether they agree."""
    timed, *checking = memberships[: CHECKING + 1]
    alone = {number: times_of(timed, number) for number in TIMED_NUMBERS}
    ended = threading.Event()
    threads = [threading.Thread(target=check_on, args=(each, ended), daemon=True) for each in checking]
    for thread in threads:
        thread.start()
    amid = {number: times_of(timed, number) for number in TIMED_NUMBERS}
    ended.set()
    for thread in threads:
        thread.join(LAST_SECONDS)
    holds = True
    print(f"milliseconds of a solution, alone and while {len(checking)} others have scripts checked:")
    for number in TIMED_NUMBERS:
        before, after = map(statistics.median, (alone[number], amid[number]))
        holds &= abs(after / before - 1) <= MAX_DIFFERENCE
        spread = f"alone they differ by {max(alone[number]) / min(alone[number]) - 1:.1%}"
        print(f"  exercise {number}: {before:.4f} {after:.4f} {after / before - 1:+.1%} ({spread})")
    return holds


def times_of(membership: Membership, number: str) -> list[float]:
    """Return the milliseconds of a solution, several times."""
    answers = [send(membership, number, random.Random(), timed=True) for _ in range(TIMINGS)]
    return [answer.times.script for answer in answers if answer.times]


def check_on(membership: Membership, ended: threading.Event) -> None:
    """Have scripts checked, one after another."""
    generator = random.Random(membership.number)
    while not ended.is_set():
        send(membership, generator.choice(NUMBERS), generator, timed=False)


def send(membership: Membership, number: str, generator: random.Random, *, timed: bool) -> Answer:
    """Send a solution, and return the answer."""
    text = unknown(EXERCISES[number].solution, generator)
    return run_on_a_gpu(membership, number, text, timed=timed, show=lambda _: None, stop=threading.Event())


# Processes


def processes() -> dict[int, str]:
    """Return the command lines of all processes that this one has started."""
    mark, parents, commands, found = f"{MARK}={os.getpid()}".encode(), {}, {}, set()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError, IndexError):
                pid = int(folder.name)
                commands[pid] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                parents[pid] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.add(pid)
    # A sandbox has no environment, but a parent that has the mark.
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return {pid: commands[pid] for pid in found if pid in commands}


def memory() -> float:
    """Return the megabytes of these processes, shared ones counted once."""
    total = 0
    for pid in processes():
        with suppress(OSError):
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += int(re.findall(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[0])
    return total / 1024


def median_memory(samples: Mapping[float, float], end: float) -> float:
    """Return the median of the last samples before a time; 0 if there are none."""
    chosen = [megabytes for seconds, megabytes in samples.items() if end - SAMPLED_SECONDS < seconds <= end]
    return statistics.median(chosen) if chosen else 0.0


VICTIMS = {
    "a sandbox": "triton_workshop.pool.inside",
    "an actor": "ray::Gpu",
    "the raylet": "/raylet/raylet ",
    "the server": "",
}


def kill(name: str, share: Share) -> None:
    """Kill one process of this kind, as a machine without memory would."""
    if name == "the server":
        if share._call is not None:
            share._call.kill()
        return
    matching = [pid for pid, command in processes().items() if VICTIMS[name] in command]
    print(f"{time.strftime('%X')} kill -9 of {name}: one of {len(matching)}", flush=True)
    if matching:
        with suppress(OSError):
            os.kill(random.choice(matching), signal.SIGKILL)


@contextmanager
def pool(address: str | None) -> Iterator[str]:
    """Start `workshop gpus`, and yield its address, unless there is one."""
    if address is not None:
        yield address
        return
    command = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "gpus", "--host", LOOPBACK]
    with tempfile.TemporaryFile("w+") as printed:
        gpus = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT, cwd=ROOT)
        try:
            deadline = time.monotonic() + 120
            while not (found := re.findall(r"--gpus (\S+@\S+)", _read(printed))):
                if gpus.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"`workshop gpus` did not start:\n{_read(printed)}")
                time.sleep(0.5)
            yield found[0]
        finally:
            gpus.send_signal(signal.SIGTERM)
            gpus.wait(30)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


# The room


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--attendees", type=int, default=40)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--every", type=float, default=90, help="seconds between two scripts of an attendee")
    parser.add_argument("--wait", type=float, default=0, help="seconds before the first script, to get warm")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--burst", action="store_true")
    parser.add_argument("--amid", action="store_true")
    parser.add_argument("--gpus", metavar="TOKEN@HOST:PORT")
    options = parser.parse_args()
    os.environ[MARK] = str(os.getpid())
    with tempfile.TemporaryDirectory() as folder, pool(options.gpus) as address:
        file = Path(folder) / "room.sqlite"
        share = Share(Endpoint(port=0), file, pool=GpuPool(address))
        url = share.ready().address.replace("localhost", LOOPBACK)
        share.tell(Presentation(load_deck(DECK)))
        with closing(Register(file)) as room:
            sessions = [room.enter() for _ in range(options.attendees + 1)]
        memberships = [Membership(url, each.token, each.number, None) for each in sessions]
        wait_for_gpus(memberships.pop())
        time.sleep(options.wait)
        until = 0 if options.burst else time.monotonic() + 60 * options.minutes
        attendees = [
            Attendee(membership, number, options.every, until, is_page=number % 2 == 0)
            for number, membership in enumerate(memberships)
        ]
        began, samples = time.monotonic(), dict[float, float]()
        for attendee in attendees:
            attendee.start()
        kills = 0
        while any(attendee.is_alive() for attendee in attendees) and time.monotonic() < until + LAST_SECONDS + (
            began if options.burst else 0
        ):
            time.sleep(0.5)
            passed = time.monotonic() - began
            # To read the memory of a hundred processes takes cores from a burst.
            if not options.burst and passed > max(samples, default=0.0) + SAMPLE_SECONDS:
                samples[passed] = memory()
            if options.kill and passed > (kills + 1) * KILL_SECONDS and time.monotonic() < until:
                kill([*VICTIMS][kills % len(VICTIMS)], share)
                kills += 1
        settled, at_the_end = (median_memory(samples, end) for end in (SETTLED_SECONDS, 60 * options.minutes))
        passed_bounds = report(attendees, settled, at_the_end, burst=options.burst)
        if options.amid:
            passed_bounds &= compare_timings(memberships)
        share.close()
    sys.exit(not passed_bounds)


def wait_for_gpus(membership: Membership) -> None:
    """Wait until the room has reached its GPUs."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with suppress(RefusedError, UnansweredError):
            status = ask(membership, "gpus", timeout_seconds=10)
            if status["slots"]:
                print(f"{', '.join(status['gpus'])}; {status['slots']} at a time", flush=True)
                return
        time.sleep(0.5)
    sys.exit("the room has not reached its GPUs within two minutes")


def report(attendees: list[Attendee], settled: float, at_the_end: float, *, burst: bool) -> bool:
    """Print what came of all scripts; return whether the bounds hold."""
    sent = [each for attendee in attendees for each in attendee.sent]
    answered = [each for each in sent if each.answer is not None]
    waiting = sum(attendee.is_alive() for attendee in attendees)
    seconds = sorted(each.seconds for each in answered)
    p95 = seconds[min(int(len(seconds) * 0.95), len(seconds) - 1)] if seconds else 0.0
    outcomes = Counter(str(each.answer.outcome) for each in answered if each.answer)
    timed = sum(each.answer is not None and each.answer.times is not None for each in sent)
    print(f"scripts sent: {len(sent) + waiting}; answered: {len(answered)}; {dict(outcomes)}; {timed} with times")
    for failure, count in Counter(each.failure for each in sent if each.failure).items():
        print(f"  {count} × without an answer: {failure}")
    failed = [each.answer.sentence for each in answered if each.answer and each.answer.outcome is Outcome.FAILED]
    for sentence, count in Counter(failed).items():
        print(f"  {count} × failed: {sentence}")
    if seconds:
        figures = f"median {statistics.median(seconds):.1f}, p95 {p95:.1f}, longest {seconds[-1]:.1f}"
        print(f"seconds to the answer: {figures}")
    once = len(answered) == len(sent) and not waiting
    bounds = {"every script was answered": once}
    if not burst:
        bounds[f"p95 at most {MAX_P95_SECONDS:.0f} s"] = p95 <= MAX_P95_SECONDS
        if settled:
            print(f"memory: {settled:.0f} MB in the third minute, {at_the_end:.0f} MB in the last one (medians)")
            bounds["memory within a tenth"] = at_the_end <= MAX_GROWTH * settled
    for bound, holds in bounds.items():
        print(f"{'yes' if holds else 'NO '}  {bound}")
    return all(bounds.values())


if __name__ == "__main__":
    main()
