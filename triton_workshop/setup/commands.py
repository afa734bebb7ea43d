"""`setup-check`: its options, and its exit status."""

from __future__ import annotations

from triton_workshop.startup_interrupts import raise_on_interrupt  # before all that takes time

# isort: split
import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from rich.console import Console

from triton_workshop.errors import flushed_output
from triton_workshop.interruption import INTERRUPTED
from triton_workshop.printing import use_utf8
from triton_workshop.setup.checks import check_machine, judge
from triton_workshop.setup.machine import look_at_machine
from triton_workshop.setup.report import print_report

SCREENS = "import triton_workshop.cli, triton_workshop.viewer.present, triton_workshop.watch.app"


@contextmanager
def first_starts_prepared() -> Iterator[None]:
    """Compile the modules of the slides and of `watch` meanwhile.

    Compiling them is most of a first start.
    """
    nothing = subprocess.DEVNULL
    with subprocess.Popen([sys.executable, "-c", SCREENS], stdin=nothing, stdout=nothing, stderr=nothing):
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit with 0 if this machine is ready for the workshop, else with 1."""
    parser = argparse.ArgumentParser(
        prog="setup-check", description="Say what works on this machine, and how to fix what does not."
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    chosen = parser.parse_args(arguments)
    try:
        waiting = Console(stderr=True).status("Running a kernel; importing torch takes a few seconds")
        with first_starts_prepared():
            machine = look_at_machine(waiting)
        checks = check_machine(machine)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    verdict = judge(machine, checks)
    with flushed_output():
        if chosen.json:
            rows = [asdict(check) for check in checks]
            print(json.dumps({"ok": verdict.ok, "device": verdict.device, "checks": rows}, indent=2))
        else:
            use_utf8()
            print_report(checks, verdict, Console())
    sys.exit(0 if verdict.ok else 1)


raise_on_interrupt()
