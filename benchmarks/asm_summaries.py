"""`python -m benchmarks.asm_summaries` records what the compiler makes of the solutions, for machines without one."""

from __future__ import annotations

import json
import os
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


def summaries(number: str, whose: str, target: Target, runner: Runner) -> list[Summary]:
    """Those of a solution's kernels, at the size that `bench` counts."""
    [choice] = chosen([number], None, plain=whose == PLAIN, fast=whose == FAST, compare=False)
    made = make(choice.launching, target, None, runner, os.open(os.devnull, os.O_WRONLY))
    return summaries_of(made.answers, choice.launching.file, choice.launching.text)


def main() -> None:
    with Runner() as runner:
        found = {
            key(number, whose, target): [each.as_json() for each in summaries(number, whose, target, runner)]
            for number in WORKLOADS
            for whose in (PLAIN, FAST)
            if whose == PLAIN or EXERCISES[number].fast_file
            for target in TARGETS
        }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items())
    text = f'{{"triton": "{version("triton")}", "summaries": {{\n{lines}\n}}}}\n'
    write_whole(FILE, text.encode())
    print(f"{FILE.name}: {len(found)} summaries, with Triton {version('triton')}")


if __name__ == "__main__":
    main()
