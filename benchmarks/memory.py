"""Memory of the processes that a benchmark has started, by Linux's /proc."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator


def started() -> Iterator[tuple[int, dict[str, float]]]:
    """Return each process that this one and its children have started.

    Each has a name, and its figures of smaps_rollup in MB.
    """
    # By commands, as a Python that is made like a Mac sees no /proc.
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = [tuple(map(int, line.split())) for line in listed.splitlines()]
    ours = {os.getpid()}
    while more := {process for process, parent in parents if parent in ours} - ours:
        ours |= more
    for process in ours - {os.getpid()}:
        rollup = subprocess.run(["cat", f"/proc/{process}/smaps_rollup"], capture_output=True, text=True, check=False)
        found = {name: int(size) * 1024 / 1e6 for name, size in re.findall(r"(\w+): +(\d+) kB", rollup.stdout)}
        if found:  # not `ps` itself
            yield process, found
