"""What the decks say of compiled kernels is what `python -m benchmarks.compiled` has written down."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from triton_workshop.repository import ROOT


def cells(line: str) -> list[str]:
    """The cells of a table's row, without marks for bold and code."""
    return [re.sub(r"[*`]", "", cell).strip() for cell in line.strip().strip("|").split("|")]


FOUND = {
    name: dict(zip(("loads", "products", "registers", "spills", "stack", "shared", "programs"), figures, strict=True))
    for line in (ROOT / "benchmarks" / "results" / "compiled.md").read_text(encoding="utf-8").splitlines()
    if line.startswith(("| add", "| matmul"))
    for name, *figures in [cells(line)]
}


def claims() -> Iterator[tuple[str, ...]]:
    """Rows of the deck's tables."""
    for label, size, threads in (
        ("1024", 1024, 128), ("4096", 4096, 128), ("16,384", 16_384, 128), ("65,536", 65_536, 128),
        ("16,384, 16 warps", 16_384, 512),
    ):  # fmt: skip
        figures = FOUND[f"add, blocks of {size:,}{', 16 warps' if threads == 512 else ''}"]
        stack = int(figures["stack"])
        registers = figures["registers"] + (f", and {int(figures['spills']):,} spill stores" if stack else "")
        yield label, str(size // threads), registers, figures["programs"]
    for label, name in (
        ('float32, "ieee"', "float32, ieee"), ('float32, "tf32"', "float32, tf32"), ("float16", "float16, ieee"),
    ):  # fmt: skip
        figures = FOUND[f"matmul 64×128×16, {name}"]
        yield label, figures["products"], figures["registers"]
    for how in ("4 warps, 3 stages", "8 warps, 3 stages", "8 warps, 4 stages"):
        figures = FOUND[f"matmul 128×256×64, float16, {how}"]
        yield how, figures["registers"], figures["spills"], f"{figures['shared']} KiB", figures["programs"]


@pytest.mark.parametrize("claim", tuple(claims()), ids=lambda claim: claim[0])
def test_the_deck_claims_what_was_compiled(claim: tuple[str, ...]) -> None:
    slides = (ROOT / "slides" / "second-half.md").read_text(encoding="utf-8").splitlines()
    assert list(claim) in [cells(line) for line in slides if line.startswith("|")]


def test_one_element_less_makes_loads_narrow() -> None:
    loads = [FOUND[f"add, {n} elements"]["loads"] for n in ("1,048,576", "1,048,575", "1,048,580")]
    assert loads == ["2 × 128 bit, 2 × 128 bit", *["8 × 32 bit, 8 × 32 bit"] * 2]


def test_a_tile_that_does_not_fit_spills() -> None:
    fits, spills = (FOUND[f"matmul {tile}×128×16, float32, ieee"] for tile in (64, 128))
    assert fits["spills"] == "0"
    first_deck = (ROOT / "slides" / "triton-workshop.md").read_text(encoding="utf-8")
    assert f"takes {spills['registers']} registers and {spills['spills']} spill stores" in first_deck
