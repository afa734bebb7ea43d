"""How much faster the simulator is than Triton's interpreter in small launches: `python -m benchmarks.small_launches`.

Tests of kernels launch a few programs at a time, so what a launch and an operation cost counts most. Each executor runs
in a process of its own, on the same arguments; they take turns, and the fastest launch after the first counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

TURNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object: kernel → ratio")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve()
        return
    with _process("1") as ours, _process("0") as theirs:
        seconds = {name: (_fastest(ours, name), _fastest(theirs, name)) for name in _answer(ours, "")}
        for name in list(seconds) * (TURNS - 1):
            mine, triton = seconds[name]
            seconds[name] = min(mine, _fastest(ours, name)), min(triton, _fastest(theirs, name))
    ratios = {name: round(triton / mine, 1) for name, (mine, triton) in seconds.items()}
    if options.json:
        print(json.dumps(ratios))
        return
    print(f"{'launch':<20}{'Triton':>10}{'simulator':>12}{'ratio':>8}")
    for name, (mine, triton) in seconds.items():
        print(f"{name:<20}{1e3 * triton:>7.2f} ms{1e3 * mine:>9.2f} ms{ratios[name]:>8}")
    print(f"median {statistics.median(ratios.values()):.1f}")


def _process(switch: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "TRITON_INTERPRET": "1", "TRITON_WORKSHOP_SIMULATOR": switch}
    command = [sys.executable, "-m", "benchmarks.small_launches", "--serve"]
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _fastest(process: subprocess.Popen[str], name: str) -> float:
    (seconds,) = _answer(process, name)
    return float(seconds)


def _answer(process: subprocess.Popen[str], name: str) -> list[str]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(name + "\n")
    process.stdin.flush()
    answer: list[str] = json.loads(process.stdout.readline())
    return answer


def _serve() -> None:
    """Answer each line with the seconds of the launch that it names; an empty one with all names."""
    from benchmarks.small_kernels import work

    launches = work()
    for line in sys.stdin:
        name = line.strip()
        print(json.dumps([_time(launches[name])] if name else list(launches)), flush=True)


def _time(launch: Callable[[], object], times: int = 4) -> float:
    launch()  # the first launch of a kernel also rewrites its source
    results = []
    for _ in range(times):
        start = time.perf_counter()
        launch()
        results.append(time.perf_counter() - start)
    return min(results)


if __name__ == "__main__":
    main()
