"""Figures of compiled kernels in the second deck.

`python -m benchmarks.compiled` compiles them again, without a GPU.

Part 2 of slides/second-half.md takes its figures from the table that this writes, benchmarks/results/compiled.md.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from triton_simulator.gpus import DEFAULT_TARGET
from triton_workshop.asm.build import build
from triton_workshop.asm.requests import Request
from triton_workshop.atomic_write import write_atomically
from triton_workshop.costs.summary import Summary, summaries_of
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import ROOT

RESULTS = ROOT / "benchmarks" / "results" / "compiled.md"
LOOK_INSIDE = ROOT / "slides" / "look_inside.py"
HEAD = (
    "kernel",
    "loads",
    "products",
    "registers",
    "spill stores",
    "stack, bytes",
    "shared memory, KiB",
    "programs on an SM",
)

MATMUL = """\
from triton_workshop import DEVICE
import torch
{kernel}
a, b, c = (torch.zeros((512, 512), dtype=torch.{dtype}, device=DEVICE) for _ in range(3))
strides = (*a.stride(), *b.stride(), *c.stride())
matmul_kernel[8, 8](a, b, c, 512, 512, 512, *strides, {tiles}, num_warps={warps}, num_stages={stages})
"""


def scripts() -> Iterator[tuple[str, str]]:
    """The launches, each with what it is called in the table."""
    yield from ((f"add, {n:,} elements", of_add(N=n)) for n in (1_048_576, 1_048_575, 1_048_580))
    yield from ((f"add, blocks of {size:,}", of_add(BLOCK_SIZE=size)) for size in (1024, 4096, 16_384, 65_536))
    yield "add, blocks of 16,384, 16 warps", of_add(BLOCK_SIZE=16_384, WARPS=16)
    for dtype, precision in (("float32", "ieee"), ("float32", "tf32"), ("float16", "ieee")):
        yield f"matmul 64×128×16, {dtype}, {precision}", of_matmul("64, 128, 16", dtype, precision)
    yield "matmul 128×128×16, float32, ieee", of_matmul("128, 128, 16", "float32", "ieee")
    for warps, stages in ((4, 3), (8, 3), (8, 4)):
        name = f"matmul 128×256×64, float16, {warps} warps, {stages} stages"
        yield name, of_matmul("128, 256, 64", "float16", "ieee", warps, stages)


def of_add(**numbers: int) -> str:
    """slides/look_inside.py with other numbers in it."""
    lines = LOOK_INSIDE.read_text(encoding="utf-8").splitlines()
    for name, value in numbers.items():
        [place] = [at for at, line in enumerate(lines) if line.startswith(f"{name} = ")]
        lines[place] = f"{name} = {value}"
    return "\n".join(lines)


def of_matmul(tiles: str, dtype: str, precision: str, warps: int = 4, stages: int = 3) -> str:
    """The kernel of exercise 4, as taught, in other tiles."""
    text = (ROOT / "solutions" / "exercise_4.py").read_text(encoding="utf-8")
    kernel = text[text.index("import triton\n") : text.index("\n\n\ndef matmul(")]
    kernel = kernel.replace('input_precision="ieee"', f'input_precision="{precision}"')
    return MATMUL.format(kernel=kernel, dtype=dtype, tiles=tiles, warps=warps, stages=stages)


def row(name: str, summary: Summary, sass: str) -> tuple[str, ...]:
    """Return a row of the table.

    Products are counted in the whole kernel, as no line is told of all that the compiler moved.
    """
    loads = [f"{count} × {bits} bit" for line in summary.lines if line.kind == "load" for bits, count in line.widths]
    dots = Counter(re.findall(r"\b(?:HGMMA|FFMA)\b[\w.]*", sass)) if name.startswith("matmul") else {}
    products = [f"{count} × {each}" for each, count in dots.items()]
    programs = str(summary.occupancy.programs)
    spilled = (summary.spill_stores, summary.stack_bytes)
    figures = (summary.registers, *spilled, f"{summary.shared_bytes / 1024:g}", programs)
    return name, ", ".join(loads), ", ".join(products), *map(str, figures)


def compiled(runner: Runner) -> Iterator[tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as folder, Path(os.devnull).open("wb") as nowhere:
        for number, (name, text) in enumerate(scripts()):
            file = Path(folder, f"script_{number}.py")
            file.write_text(text, encoding="utf-8")
            made = build(Request(file, text), DEFAULT_TARGET, None, runner, nowhere.fileno())
            [summary] = summaries_of(made.answers, file, text)
            [assembly] = [answer.assembly for answer in made.answers if answer.assembly is not None]
            yield row(name, summary, assembly.sass)


def as_markdown(rows: Sequence[Sequence[str]]) -> str:
    said = (
        f"By Triton {version('triton')} for {DEFAULT_TARGET.name}, an H100 or H200; none of them ran."
        " Loads by their width, products, registers, spill stores and the stack are those of one thread."
        " Written by `python -m benchmarks.compiled`."
    )
    lines = [f"| {' | '.join(each)} |" for each in (HEAD, ("---",) * len(HEAD), *rows)]
    return "\n".join(["# What the compiler makes of some launches", "", said, "", *lines, ""])


def main() -> None:
    with Runner() as runner:
        text = as_markdown(list(compiled(runner)))
    write_atomically(RESULTS, text.encode())
    print(text)


if __name__ == "__main__":
    main()
