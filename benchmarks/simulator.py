"""How much faster the simulator is than Triton's interpreter on the same work: `python -m benchmarks.simulator`.

Each executor runs in a separate process. If Triton's would take minutes, both get less of the same work.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

FIGURES = ("conv2d", "add", "sepia", "matmul", "softmax", "persistent")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object: figure → ratio")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(seconds()))
        return
    ours, theirs = _in_a_process("1"), _in_a_process("0")
    ratios = {name: round(theirs[name] / ours[name], 1) for name in FIGURES if name != "persistent"}
    # The persistent form beside the plain one, both on our simulator.
    ratios["persistent"] = round(ours["persistent"] / ours["matmul"], 2)
    if options.json:
        print(json.dumps(ratios))
        return
    print(f"{'work':<12}{'Triton':>10}{'simulator':>12}{'ratio':>9}")
    for name in FIGURES[:-1]:
        print(f"{name:<12}{theirs[name]:>8.2f} s{ours[name]:>10.3f} s{ratios[name]:>9}")
    print(f"the persistent matmul takes {ratios['persistent']} × as long as the plain one on the simulator")


def _in_a_process(switch: str) -> dict[str, float]:
    environment = {**os.environ, "TRITON_INTERPRET": "1", "TRITON_WORKSHOP_SIMULATOR": switch}
    command = [sys.executable, "-m", "benchmarks.simulator", "--measure"]
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    result: dict[str, float] = json.loads(output)
    return result


def seconds() -> dict[str, float]:
    """How long each piece of work takes: the best of ten on the simulator, one run on Triton's interpreter."""
    from benchmarks.simulator_work import work

    simulated = os.environ["TRITON_WORKSHOP_SIMULATOR"] != "0"
    return {name: _best(run, 10 if simulated else 1) for name, run in work(simulated=simulated).items()}


def _best(run: Callable[[], object], times: int) -> float:
    if times > 1:
        run()  # the first launch of a kernel also rewrites its source
    results = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        results.append(time.perf_counter() - start)
    return min(results)


if __name__ == "__main__":
    main()
