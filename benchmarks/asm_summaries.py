"""Record the compiler's figures of the solutions.

`python -m benchmarks.asm_summaries` does it, for machines without a compiler.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from importlib.metadata import version

from triton_simulator.gpus import VERDICT_TARGETS, Target
from triton_workshop.asm.build import build
from triton_workshop.asm.requests import FAST, PLAIN, parse_subjects
from triton_workshop.atomic_write import write_atomically
from triton_workshop.costs.summary import RECORDED, Summary, recorded_key, summaries_of
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.processes.runner import Runner

SIZES = {("1", PLAIN): ((2**20 - 1,),)}
"""Those that slides ask for, by exercise and solution, beside the ones that `bench` counts."""


def summaries(number: str, variant: str, target: Target, size: tuple[int, ...], runner: Runner) -> list[Summary]:
    """Those of a solution's kernels."""
    [subject] = parse_subjects([number], None, plain=variant == PLAIN, fast=variant == FAST, compare=False)
    made = build(replace(subject.request, size=size), target, None, runner, os.open(os.devnull, os.O_WRONLY))
    return summaries_of(made.answers, subject.request.file, subject.request.text)


def main() -> None:
    with Runner() as runner:
        found = {
            recorded_key(number, variant, target, size): [
                each.as_json() for each in summaries(number, variant, target, size, runner)
            ]
            for number in WORKLOADS
            for variant in (PLAIN, FAST)
            if variant == PLAIN or EXERCISES[number].fast_file
            for target in VERDICT_TARGETS
            for size in ((), *SIZES.get((number, variant), ()))
        }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items())
    text = f'{{"triton": "{version("triton")}", "summaries": {{\n{lines}\n}}}}\n'
    write_atomically(RECORDED, text.encode())
    print(f"{RECORDED.name}: {len(found)} summaries, with Triton {version('triton')}")


if __name__ == "__main__":
    main()
