"""What our decks compute is what its formula gives: counts, bytes, and limits of a data sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from triton_simulator.gpus import H100, H200
from triton_workshop.repository import ROOT

CLOCK = 1.98e9
"""An H200's highest, which its rate for float32 implies: 67e12 / (132 · 128 · 2)."""
LANES = 128
LOGITS = 8192 * 128_256
HEADS, LENGTH, DIMS = 32, 16_384, 64


def text_of_decks() -> str:
    """Both, with runs of white space and of marks for bold made one space."""
    decks = (ROOT / "slides" / f"{name}.md" for name in ("triton-workshop", "second-half"))
    return re.sub(r"[\s*]+", " ", "".join(deck.read_text(encoding="utf-8") for deck in decks))


def memory() -> Iterator[str]:
    """Bandwidth, additions, and how much is on its way."""
    floats, additions = H200.bandwidth / 4, H200.multiprocessors * LANES * CLOCK
    yield f"HBM delivers {floats / 1e12:.1f} · 10¹² floats per second,"
    yield f"the SMs do {additions / 1e12:.0f} · 10¹² additions: {additions / floats:.0f} per float"
    yield f"an H200 has room for {H200.multiprocessors * H200.target.sm_threads:,}"
    wait = 670 / CLOCK
    flying = H200.bandwidth * wait
    yield (
        f"670 cycles at 1.98 GHz are {wait * 1e9:.0f} ns, in which HBM delivers {flying / 1e6:.1f} MB: "
        f"16 bytes for each of {round(flying / 16, -3):,.0f} threads"
    )
    yield f"The bend lies at {H200.float32 / 1e12:.0f} TFLOP/s over 4.8 TB/s = {H200.float32 / H200.bandwidth:.0f}"
    tf32, half = (H200.tensor[unit] / H200.bandwidth for unit in ("tf32", "fp16"))
    yield f"it lies at {tf32:.0f} for TF32 and at {half:.0f} for 16 bits"
    yield f"in bf16 32 , but tensor cores need {half:.0f}"


def products() -> Iterator[str]:
    n = 8192
    yield f"| operations | `2 · M · N · K` | {2 * n**3 / 1e12:.1f} · 10¹² |"
    yield f"| bytes, each once | `4 (MK + KN + MN)` | {4 * 3 * n**2 / 1e9:.1f} · 10⁹ |"
    yield f"| operations per byte | `n / 6` | {2 * n**3 / (12 * n**2):.0f} |"
    yield f"Unfused, C makes two extra trips: {2 * 4 * n**2 / 1e9:.2f} GB"
    stage = (128 * 64 + 64 * 256) * 2
    assert H100.target.shared_bytes is not None
    yield f"{H100.target.shared_bytes // stage} : (128 · 64 + 64 · 256) · 2 bytes = {stage >> 10} KiB for each"
    yield f"64 · 128 · 16 / 128 = {64 * 128 * 16 // 128} , and as many instructions"


def losses() -> Iterator[str]:
    for name, cells, size in (
        ("`logits.float()`", "2 read, 4 written", 6), ("log-softmax", "4 read, 4 written", 8),
        ("together", "14", 14), ("one pass", "2 read", 2),
    ):  # fmt: skip
        gigabytes, milliseconds = size * LOGITS / 1e9, size * LOGITS / 4.2e12 * 1e3
        bold = name in ("together", "one pass")
        figures = (
            (f" {gigabytes:.1f} ", f" {milliseconds:.1f} ms ")
            if bold
            else (f"{gigabytes:.1f}", f"{milliseconds:.1f} ms")
        )
        yield re.sub(r" +", " ", f"| {name} | {cells} | {figures[0]} | {figures[1]} |")
    yield f"{2**31 / 128_256:,.1f}. A negative offset"
    yield f"{2**31 // 128_256 + 1:,} : 2³¹ / 128,256"


def attention() -> Iterator[str]:
    inputs, scores = 4 * HEADS * LENGTH * DIMS * 2, HEADS * LENGTH**2
    yield f"| q, k, v and output | four times (n, D) | {inputs / 1e9:.2f} GB |"
    yield f"| scores | (n, n) | {2 * scores / 1e9:.1f} GB |"
    yield f"Moving the scores takes some {6 * 2 * scores / 4.2e12 * 1e3:.0f} of the"
    operations, rate = 4 * DIMS * scores, H100.tensor["fp16"]
    milliseconds = operations / rate * 1e3
    yield f"= {operations / 1e12:.1f} · 10¹² operations | {int(rate / 1e12)} TFLOP/s | {milliseconds:.1f} ms |"
    yield f"32 · n² = {scores / 1e9:.1f} · 10⁹ | 3.9 · 10¹² /s | {scores / 3.9e12 * 1e3:.1f} ms |"
    assert H100.special == pytest.approx(3.9e12, rel=0.08)
    yield f"| {inputs / 1e9:.2f} GB | 3.35 TB/s | {inputs / H100.bandwidth * 1e3:.2f} ms |"
    tiles = range(1, 17)
    # Each tile loads 64 rows of k and of v, the last one 40; a query's row is loaded once and stored once.
    causal = sum(2 * min(64 * tile, 1000) for tile in tiles) / 1000 + 2
    whole = 2 * len(tiles) + 2
    yield f"= {sum(tiles)} of {len(tiles) ** 2}. A loop that stops at the diagonal asks for {causal:.1f} times"
    yield f"the bytes of q, instead of {whole}."


def llama() -> Iterator[str]:
    """Llama 3 8B's forward pass: multiply-adds for one token of 8192, in 32 layers."""
    width, keys, hidden, vocabulary, layers, tokens = 4096, 1024, 14_336, 128_256, 32, 8192
    linear = layers * (2 * width**2 + 2 * width * keys + 3 * width * hidden) + width * vocabulary
    products_of_attention = layers * 2 * width * tokens / 2
    assert products_of_attention / (linear + products_of_attention) == pytest.approx(1 / 8, rel=0.01)
    yield "In Llama 3 8B with 8192 tokens, attention is an eighth of the forward pass's operations"


CLAIMS = [claim for part in (memory, products, losses, attention, llama) for claim in part()]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_deck_says_what_its_formula_gives(claim: str) -> None:
    assert claim in text_of_decks()


def test_the_clock_is_that_of_the_data_sheet() -> None:
    assert H200.float32 / (H200.multiprocessors * LANES * 2) == pytest.approx(CLOCK, rel=0.01)
