"""Results of benchmarks.kernels as a table, figures, Markdown and picture.

A report has the plain form that `dataclasses.asdict` produces and its JSON file holds.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from triton_workshop.bench.roofline import Point, Roof, draw_roofline
from triton_workshop.bench.timing import MAX_COPIES

Report = dict[str, Any]
Row = tuple[str, ...]

BASELINES = {
    "limit": "× limit",
    "eager": "× eager",
    "compiled": "× compiled",
    "static": "× static",
    "plain": "× plain",
}
"""Contender → the ratio's name. × limit is fast's time over the limit's; the others are theirs over fast's."""


def figures(report: Report) -> dict[str, float]:
    """Figure → number: milliseconds, ratios and errors."""
    flat: dict[str, float] = {}
    for result in report["results"]:
        name = f"{result['kernel']}, {result['size']}"
        for contender, time in result["times"].items():
            flat[f"{name}: {contender} ms"] = round(time["median"], 4)
        for contender, label in BASELINES.items():
            if contender in result["times"]:
                flat[f"{name}: {label}"] = round(ratio(result, contender), 3)
    for result in report["odd"]:
        name = f"{result['kernel']}, {result['size']}"
        flat[f"{name}: × plain"] = round(ratio(result, "plain"), 3)
    for row in report["accuracy"]:
        name = f"{row['kernel']}, {row['size']}³, {row['inputs']}"
        flat[f"{name}: error"] = float(f"{row['fast']:.2e}")
        flat[f"{name}: error of cuBLAS"] = float(f"{row['vendor']:.2e}")
    for row in report["data_types"]:
        name = f"cuBLAS {row['inputs']}, {row['size']}³"
        flat[f"{name}: TFLOP/s"] = round(product_rate(row), 1)
        flat[f"{name}: error"] = float(f"{row['error']:.2e}")
    for row in report["deck"]:
        flat[f"{row['name']}: {row['unit']}"] = float(f"{row['value']:.4g}")
    return flat


def product_rate(row: dict[str, Any]) -> float:
    """TFLOP/s of a product of two square matrices."""
    return float(2 * row["size"] ** 3 / row["time"]["median"] / 1e9)


def ratio(result: dict[str, Any], contender: str) -> float:
    fast, other = result["times"]["fast"]["median"], result["times"][contender]["median"]
    return float(fast / other if contender == "limit" else other / fast)


def rate(result: dict[str, Any], contender: str = "fast") -> str:
    seconds = result["times"][contender]["median"] / 1e3
    if result["kernel"].startswith("matmul"):
        return f"{result['operations'] / seconds / 1e12:.0f} TFLOP/s"
    return f"{result['bytes'] / seconds / 1e12:.2f} TB/s"


def _time_rows(report: Report) -> Iterable[Row]:
    yield ("kernel", "work", "fast, ms", "6 of 10 calls", "rate", *BASELINES.values())
    for result in report["results"]:
        time = result["times"]["fast"]
        ratios = (f"{ratio(result, name):.2f}" if name in result["times"] else "" for name in BASELINES)
        spread = f"{time['low']:.4g} – {time['high']:.4g}"
        yield (result["kernel"], result["size"], f"{time['median']:.4g}", spread, rate(result), *ratios)


def _all_time_rows(report: Report) -> Iterable[Row]:
    contenders = ("limit", "fast", "plain", "eager", "compiled", "static")
    yield ("kernel", "work", *contenders)
    for result in report["results"]:
        cells = (median_and_spread(result["times"].get(name)) for name in contenders)
        yield (result["kernel"], result["size"], *cells)


def median_and_spread(time: dict[str, float] | None) -> str:
    return "" if time is None else f"{time['median']:.4g} ({time['low']:.4g} – {time['high']:.4g})"


def _odd_rows(report: Report) -> Iterable[Row]:
    yield ("kernel", "work", "fast, ms", "plain, ms", BASELINES["plain"])
    for result in report["odd"]:
        cells = (median_and_spread(result["times"][name]) for name in ("fast", "plain"))
        yield (result["kernel"], result["size"], *cells, f"{ratio(result, 'plain'):.2f}")


def _accuracy_rows(report: Report) -> Iterable[Row]:
    yield ("kernel", "size", "inputs", "error", "error of cuBLAS float32")
    for row in report["accuracy"]:
        yield (row["kernel"], f"{row['size']}³", row["inputs"], f"{row['fast']:.1e}", f"{row['vendor']:.1e}")


def _data_type_rows(report: Report) -> Iterable[Row]:
    yield ("cuBLAS", "size", "TFLOP/s", "ms", "error")
    for row in report["data_types"]:
        rate = f"{product_rate(row):.0f}"
        yield (row["inputs"], f"{row['size']}³", rate, median_and_spread(row["time"]), f"{row['error']:.1e}")


def _deck_rows(report: Report) -> Iterable[Row]:
    yield ("the deck's other figures", "", "")
    for row in report["deck"]:
        yield (row["name"], f"{row['value']:.3g}", row["unit"])


def table(report: Report) -> str:
    """The tables, for a terminal."""
    parts = (_time_rows, _odd_rows, _accuracy_rows, _data_type_rows, _deck_rows)
    return "\n\n".join(aligned(tuple(rows(report))) for rows in parts)


def aligned(rows: tuple[Row, ...]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def markdown(report: Report, picture: Path | None) -> str:
    """The report as a page, with the roofline if it was drawn."""
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    parts = [
        f"# The fast solutions on one {report['gpu']}",
        f"{report['date']}; {versions}. Written by `python -m benchmarks.kernels --markdown`.",
        "Medians of `triton.testing.do_bench`, with all contenders in turns, in one process. The limit is a copy of "
        "as many bytes. × limit is our time over that of the copy, so less is better; the other ratios are their time "
        "over ours. Eager is PyTorch by default, in the faster form if there are two: for conv2d its own kernel with "
        "one group per channel, for matmul cuBLAS without TF32. Compiled is `torch.compile(f)`, which compiles for "
        "any size once it has seen a second one: here conv2d from 5×5 on. Static is `torch.compile(f, "
        "dynamic=False)`, compiled for one size. Splitting A and B into parts is included.",
        markdown_table(_time_rows(report)),
        "Milliseconds, with the range of six out of ten calls:",
        markdown_table(_all_time_rows(report)),
        "## Odd sizes",
        "Sizes for which nothing was tuned, beside the plain solution, in milliseconds per call. Small ones are "
        "replayed from a CUDA graph, with inputs that change from call to call: copies that together are twice the L2 "
        f"cache, but at most {MAX_COPIES}, so the smallest inputs may stay in it.",
        markdown_table(_odd_rows(report)),
        "## Accuracy",
        "‖C − C64‖ / ‖C64‖ of each row, against the float64 product, as a root mean square over the rows. Uniform is "
        "0 to 1; log-uniform is 1e-3 to 1e3 in magnitude, with both signs. Neither of the two is IEEE 754 arithmetic: "
        "`solutions/fast/exercise_4.py` says where they differ.",
        markdown_table(_accuracy_rows(report)),
        "cuBLAS with the same float32 inputs, normal numbers, converted to other data types. The error is that of the "
        "whole result, including what the inputs lose.",
        markdown_table(_data_type_rows(report)),
        "## The deck's other figures",
        "Measured with the code on its slides by `benchmarks/deck_figures.py`. Cycles are those of one thread, each "
        "of whose steps waits for the one before.",
        markdown_table(_deck_rows(report)),
    ]
    if picture is not None:
        parts.append(f"![Roofline: operations per second over operations per byte]({picture.name})")
    return "\n\n".join(parts) + "\n"


def markdown_table(rows: Iterable[Row]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * (lines[0].count("|") - 1), *lines[1:]])


def roofline(report: Report, file: Path) -> Path | None:
    """Draw the kernels under the limits measured in the same run.

    None without matplotlib.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return None
    results = report["results"]
    bandwidth = max(r["bytes"] / r["times"]["limit"]["median"] * 1e3 for r in results if "limit" in r["times"])
    roofs = [
        Roof(f"copy, then cuBLAS, {bits} bits", bandwidth, max(_rates(r for r in results if kind in r["kernel"])))
        for kind, bits in (("float16", 16), ("float32", 32))
    ]
    points = [
        Point(result["operations"] / result["bytes"], _rate(result, contender), contender, _label(result, contender))
        for contender in ("fast", "plain")
        for result in results
    ]
    draw_roofline(report["gpu"], roofs, points, file)
    return file


def _rate(result: dict[str, Any], contender: str) -> float:
    return float(result["operations"] / result["times"][contender]["median"] * 1e3)


def _rates(results: Iterable[dict[str, Any]]) -> list[float]:
    return [_rate(result, "eager") for result in results]


def _label(result: dict[str, Any], contender: str) -> str:
    """Label the fast kernels, except those that lie on another.

    These are 4096³ beside 8192³, and bfloat16 beside float16.
    """
    if contender != "fast" or result["size"] == "4096³" or result["kernel"] == "matmul bfloat16":
        return ""
    return str(result["kernel"]).removeprefix("matmul ").replace("float16", "16 bits")
