"""`python -m benchmarks.asm_summaries` records what the compiler makes of the solutions, for machines without one."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib.metadata import version

from triton_workshop.asm.choosing import FAST, PLAIN, chosen
from triton_workshop.asm.making import make
from triton_workshop.asm.recorded import FILE, key
from triton_workshop.asm.summary import Summary, summaries_of
from triton_workshop.atomic_write import write_whole
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.workloads import WORKLOADS
from triton_workshop.compiler.targets import TARGETS, Target
from triton_workshop.processes.runner import Runner

SIZES = {("1", PLAIN): ((2**20 - 1,),)}
"""Those that slides ask for, by exercise and solution, beside the ones that `bench` counts."""


def summaries(number: str, whose: str, target: Target, size: tuple[int, ...], runner: Runner) -> list[Summary]:
    """Those of a solution's kernels."""
    [choice] = chosen([number], None, plain=whose == PLAIN, fast=whose == FAST, compare=False)
    made = make(replace(choice.launching, size=size), target, None, runner, os.open(os.devnull, os.O_WRONLY))
    return summaries_of(made.answers, choice.launching.file, choice.launching.text)


def main() -> None:
    with Runner() as runner:
        found = {
            key(number, whose, target, size): [
                each.as_json() for each in summaries(number, whose, target, size, runner)
            ]
            for number in WORKLOADS
            for whose in (PLAIN, FAST)
            if whose == PLAIN or EXERCISES[number].fast_file
            for target in TARGETS
            for size in ((), *SIZES.get((number, whose), ()))
        }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items())
    text = f'{{"triton": "{version("triton")}", "summaries": {{\n{lines}\n}}}}\n'
    write_whole(FILE, text.encode())
    print(f"{FILE.name}: {len(found)} summaries, with Triton {version('triton')}")


if __name__ == "__main__":
    main()
