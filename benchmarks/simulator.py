"""Speed of the simulator beside Triton's interpreter.

Run it by `python -m benchmarks.simulator [--small | --diverging]`.

It runs the four solutions and a softmax, at sizes that a person would try. With `--small`, it runs the kernels of the
field, as the simulator's tests have them: a few programs each, so what a launch and an operation cost counts most.
With `--diverging`, it runs kernels whose programs go different ways, so that few of them can run together.
Each executor runs in a process of its own, on the same arguments. If Triton's would take minutes, both get less work.
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
from functools import partial
from importlib import import_module
from typing import Any

WAITING = ("stream_k_with_locks",)
"""Kernels of the field in which one program waits for a later one: Triton's interpreter waits forever."""
Launch = Callable[[], object]
Work = dict[str, Callable[[], Launch]]
"""By name: what makes a launch, with arguments that no launch has changed yet."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="the kernels of the field, a few programs each")
    parser.add_argument("--diverging", action="store_true", help="kernels whose programs go different ways")
    parser.add_argument("--json", action="store_true", help="print one object: work → ratio")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(seconds(small=options.small, diverging=options.diverging)))
        return
    switches = ["--small"] * options.small + ["--diverging"] * options.diverging
    ours, theirs = _in_a_process("1", switches), _in_a_process("0", switches)
    ratios = {name: round(theirs[name] / ours[name], 1) for name in theirs}
    if options.json:
        print(json.dumps(ratios))
        return
    print(f"{'work':<24}{'Triton':>12}{'simulator':>13}{'ratio':>9}")
    for name, ratio in ratios.items():
        print(f"{name:<24}{1e3 * theirs[name]:>9.2f} ms{1e3 * ours[name]:>10.2f} ms{ratio:>9}")
    print(f"median {statistics.median(ratios.values()):.1f}")
    if not switches:
        persistent = ours["persistent"] / ours["a tile each"]
        print(f"a product by programs that take several tiles: {persistent:.2f} × the time of one with a tile each")


def _in_a_process(switch: str, switches: list[str]) -> dict[str, float]:
    environment = {**os.environ, "TRITON_INTERPRET": "1", "TRITON_SIMULATOR": switch}
    command = [sys.executable, "-m", "benchmarks.simulator", "--measure", *switches]
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    result: dict[str, float] = json.loads(output)
    return result


def seconds(*, small: bool = False, diverging: bool = False) -> dict[str, float]:
    """Measure each piece of work: the best of several runs.

    Large work on Triton's interpreter runs once.
    """
    simulated = os.environ["TRITON_SIMULATOR"] != "0"
    runs = _small() if small else _diverging() if diverging else _large(simulated=simulated)
    times = 3 if diverging else 10 if simulated else 4 if small else 1
    return {name: _best(run, times) for name, run in runs.items()}


def _best(made: Callable[[], Launch], times: int) -> float:
    if times > 1:
        made()()  # the first launch of a kernel also rewrites its source
    return min(_time(made()) for _ in range(times))


def _time(launch: Launch) -> float:
    start = time.perf_counter()
    launch()
    return time.perf_counter() - start


def _large(*, simulated: bool) -> Work:
    """Return the large works.

    The convolution's picture is a quarter of the workshop's, which would take Triton's interpreter minutes.

    A product whose programs take several tiles is only compared with one of a tile each, on the simulator.
    """
    field = _field()  # first: Triton is imported there
    import torch

    from benchmarks.solutions import load_launcher

    add, sepia, conv2d, matmul = (load_launcher(number) for number in (1, 2, 3, 4))
    vectors, matrices, rows = torch.rand(2, 5_000_001), torch.rand(2, 512, 512), torch.rand(4096, 500)
    picture, small, weight = torch.rand(3, 768, 1024), torch.rand(3, 384, 512), torch.rand(3, 3)
    work: Work = {
        "conv2d": lambda: partial(conv2d, small, weight),
        "add": lambda: partial(add, *vectors),
        "sepia": lambda: partial(sepia, picture),
        "matmul": lambda: partial(matmul, *matrices),
        "softmax": lambda: partial(field.online_softmax[(4096,)], rows, torch.empty_like(rows), 500, BLOCK=512),
    }
    product = field.grouped(((512, 512, 512),))

    def by(programs: int) -> Launch:
        return partial(field.grouped_gemm[(programs,)], *product[:6], NSM=programs, BM=64, BN=64, BK=32)

    return work | {"persistent": lambda: by(32), "a tile each": lambda: by(64)} if simulated else work


def _small() -> Work:
    cases = {case.kernel.fn.__name__: case for case in reversed(_field().CASES)}  # of several, the first

    def made(case: Any) -> Launch:
        return partial(case.kernel[case.grid], *case.arguments(), **case.constants)

    return {name: partial(made, case) for name, case in cases.items() if name not in WAITING}


def _diverging() -> Work:
    """Return the works with kernels that diverge.

    Of arguments, a kernel gets those that it has parameters for: the others are only kept alive.
    """
    _field()
    cases = import_module("simulator.tests.kernels_that_diverge").CASES
    return {name: partial(_made, case) for name, case in cases.items()}


def _made(case: Any) -> Launch:
    arguments, names = case.arguments(), [name for name in case.kernel.arg_names if name not in case.constants]
    launch = partial(case.kernel[case.grid], *arguments[: len(names)], **case.constants)
    return lambda: (launch(), arguments)


def _field() -> Any:
    """Return the module with the kernels of the field.

    Triton in it is run by the executor that is asked for.
    """
    from triton_workshop import DEVICE

    assert DEVICE == "cpu"
    return import_module("simulator.tests.kernels_of_the_field")


if __name__ == "__main__":
    main()
