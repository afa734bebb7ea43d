"""Judges the variants until so many seconds are over: `python -m checking.variants 60`, in the folder `tests`."""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from pathlib import Path

from checking.judging import judge_here
from checking.variants import variants
from triton_workshop.checking.exercises import EXERCISES, REQUIRED


def main() -> None:
    deadline = time.monotonic() + float(sys.argv[1])
    in_turn = itertools.zip_longest(*([(number, each) for each in variants(number)] for number in REQUIRED))
    every = [pair for pairs in in_turn for pair in pairs if pair is not None and pair[1].there()]
    judged = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, variant in every:
            if time.monotonic() > deadline:
                break
            file = Path(folder, f"{variant.name}.py")
            file.write_text(variant.source, encoding="utf-8")
            verdict = judge_here(EXERCISES[number], file)
            judged += 1
            if not verdict.passed:
                wrong += 1
                print(f"exercise {number}, {variant.name}: {verdict.findings[0].message}", file=sys.stderr)
    print(f"{judged} of {len(every)}, {wrong} called wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
