"""Results of benchmarks.second_half as a table, figures and Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.kernels_report import aligned, markdown_table, median_and_spread

Report = dict[str, Any]
Row = tuple[str, ...]

LIMITS = ("read", "copy")
OTHERS = {
    "eager": "× PyTorch",
    "compiled": "× compiled",
    "cuDNN": "× cuDNN",
    "flash": "× flash",
    "float16": "× float16",
    "plain": "× plain",
}
"""Contender → the name of the ratio, their time over ours."""


def figures(report: Report) -> dict[str, float]:
    """Figure → number: milliseconds, ratios and errors."""
    flat: dict[str, float] = {}
    for row in report["rows"]:
        name = f"{row['kernel']}, {row['size']}"
        flat |= {f"{name}: {contender} ms": round(time["median"], 5) for contender, time in row["times"].items()}
        flat |= {f"{name}: ÷ {limit}": round(over_limit(row), 3) for limit in LIMITS if limit in row["times"]}
        flat |= {
            f"{name}: {ratio}": round(over_ours(row, each), 3) for each, ratio in OTHERS.items() if each in row["times"]
        }
        flat |= {f"{name}: error of {each}": float(f"{error:.2e}") for each, error in row["errors"].items()}
    return flat


def over_limit(row: dict[str, Any]) -> float:
    """Our time over that of the read or the copy."""
    [limit] = (row["times"][name]["median"] for name in LIMITS if name in row["times"])
    return float(row["times"]["ours"]["median"] / limit)


def over_ours(row: dict[str, Any], contender: str) -> float:
    return float(row["times"][contender]["median"] / row["times"]["ours"]["median"])


def rate(row: dict[str, Any]) -> str:
    seconds = row["times"]["ours"]["median"] / 1e3
    if row["operations"]:
        return f"{row['operations'] / seconds / 1e12:.0f} TFLOP/s"
    return f"{row['bytes'] / seconds / 1e12:.2f} TB/s"


def _ratios(report: Report) -> Iterable[Row]:
    yield ("kernel", "work", "ours, ms", "6 of 10 calls", "rate", "÷ limit", *OTHERS.values(), "error", "PyTorch's")
    for row in report["rows"]:
        time, errors = row["times"]["ours"], row["errors"]
        limit = f"{over_limit(row):.2f}" if any(name in row["times"] for name in LIMITS) else ""
        ratios = (f"{over_ours(row, name):.2f}" if name in row["times"] else "" for name in OTHERS)
        spread = f"{time['low']:.4g} – {time['high']:.4g}"
        ends = (f"{errors['ours']:.1e}", f"{errors['eager']:.1e}")
        yield (row["kernel"], row["size"], f"{time['median']:.4g}", spread, rate(row), limit, *ratios, *ends)


def _times(report: Report) -> Iterable[Row]:
    contenders = (*LIMITS, "ours", *OTHERS)
    yield ("kernel", "work", *contenders)
    for row in report["rows"]:
        cells = (median_and_spread(row["times"].get(name)) for name in contenders)
        yield (row["kernel"], row["size"], *cells)


def table(report: Report) -> str:
    """The ratios, for a terminal."""
    return aligned(tuple(_ratios(report)))


def markdown(report: Report) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    parts = [
        f"# The second half's fast solutions on one {report['gpu']}",
        f"{report['date']}; {versions}. Written by `python -m benchmarks.kernels --markdown`.",
        "Medians, with all contenders in turns, in one process: of attention, `triton.testing.do_bench`; of the rest, "
        "replays of a CUDA graph with inputs that change from call to call. Ours is the fast solution. "
        "÷ limit is our time over that of a kernel that only reads the logits or the "
        "weights, and for the backward pass and layer norm over that of a copy that changes the sign; less is better. "
        "The other ratios are their time over ours. PyTorch's attention chooses between cuDNN's and flash attention; "
        "both are called by name too. PyTorch's 4-bit layer makes float16 of the weights in each call; float16 is "
        "cuBLAS with weights that are float16 already, four times the bytes. Compiled is `torch.compile(f)`, for this "
        "size alone.",
        markdown_table(_ratios(report)),
        *([report["note"]] if "note" in report else []),
        "Errors are ‖x − x64‖ / ‖x64‖ against float64: of the backward pass and layer norm for the first 256 rows, of "
        "attention for the first four heads. PyTorch's cross-entropy rounds the loss to the type of the logits.",
        "Milliseconds, with the range of six out of ten calls:",
        markdown_table(_times(report)),
    ]
    return "\n\n".join(parts) + "\n"
