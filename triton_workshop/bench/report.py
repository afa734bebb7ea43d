"""A bench on the screen: tables, and the sentences that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from triton_simulator.gpus import PUBLISHED
from triton_workshop.bench.attainable import Limit, missing_unit
from triton_workshop.bench.bench import FAST, PLAIN, YOURS, Bench, Counted, Times
from triton_workshop.bench.results import Measured, NoRoom, TimingProgress
from triton_workshop.bench.sentences import number
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.exercises.workload import Workload
from triton_workshop.exercises.workloads import WORKLOADS

_STYLES = {YOURS: "bold", PLAIN: "yellow", FAST: "green"}


@contextmanager
def progress() -> Iterator[Callable[[TimingProgress], None]]:
    """Show a bar with the time left, if standard error is a terminal."""
    console = Console(stderr=True)
    bar = Bar(
        BarColumn(20),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("checking", total=None, count="")

    def report_progress(now: TimingProgress) -> None:
        count = f"{now.done} of {now.total}"
        bar.update(task, completed=now.done, total=now.total, count=count, description=now.label)

    with bar:
        yield report_progress


def print_bench(bench: Bench, console: Console) -> None:
    """The figures or, for a script that is wrong, the checker's verdict."""
    title = f"Exercise {bench.exercise.number} · {bench.exercise.title}"
    if bench.no_room is not None:
        console.print(Text(title, style="bold"))
        console.print(Text(_no_room(bench.no_room)))
        return
    if not bench.passed:
        print_verdicts([bench.verdict], bench.exercise, console)
        console.print(Text("No figures: a kernel is measured only if its results are right.", style="dim"))
        return
    if bench.counts is not None:
        _print_counts(title, bench.counts, console)
    if bench.times is not None:
        _print_times(title, bench.times, WORKLOADS[bench.exercise.number], console)


def _no_room(no_room: NoRoom) -> str:
    needed, free = (amount(size, 1024, "B", "iB") for size in (no_room.needed, no_room.free))
    return (
        f"No times: the smallest size, {no_room.size}, takes {needed} of the GPU's memory, with its check, and {free} "
        "are free. End other programs that use the GPU, or use a GPU with more memory."
    )


# Counted


def _print_counts(title: str, counts: Counted, console: Console) -> None:
    console.print(Text.assemble((title, "bold"), f" · {counts.size}"))
    console.print(Text("Counted on the simulator; without a GPU there are no times.", style="dim"))
    console.print()
    console.print(_count_table(counts))
    console.print()
    console.print(_limit_table(counts))
    console.print()
    for sentence in (*counts.sentences, *counts.instructions):
        console.print(_bullet(sentence))


def _bullet(sentence: str) -> Table:
    line = Table.grid(padding=(0, 1))
    line.add_row(Text("→", style="cyan"), Text(sentence))
    return line


def _count_table(counts: Counted) -> Table:
    table = _table(
        "", "bytes\nasked for", "distinct\nbytes", "each byte\nasked for", "sectors,\n× least",
        "floating-point\noperations", "operations\nper byte",
    )  # fmt: skip
    for contender in counts.contenders:
        cost = contender.cost
        cells = (
            amount(cost.asked, 1024, "B", "iB"),
            amount(cost.distinct, 1024, "B", "iB"),
            f"{number(cost.reuse)} ×",
            number(cost.spread),
            amount(cost.operations, 1000, "", ""),
            number(cost.intensity),
        )
        table.add_row(_name(contender.name), *cells)
    return table


def _limit_table(counts: Counted) -> Table:
    contenders = counts.contenders
    table = _table(
        "TFLOP/s\nat most", "memory\nGB/s", "float32\nTFLOP/s", *(f"\n{contender.name}" for contender in contenders)
    )
    for index, gpu in enumerate(PUBLISHED):
        cells = (_limit(contender.limits[index], missing_unit(gpu, contender.cost)) for contender in contenders)
        table.add_row(Text(gpu.name), f"{gpu.bandwidth / 1e9:,.0f}", number(gpu.float32 / 1e12), *cells)
    return table


def _limit(limit: Limit | None, missing: str | None) -> Text:
    if limit is None:
        return Text(f"no {missing} unit", style="dim")
    return Text.assemble(number(limit.rate / 1e12), (f" {limit.bound}", "dim"))


# Measured


def _print_times(title: str, times: Times, workload: Workload, console: Console) -> None:
    versions = ", ".join(f"{name} {version}" for name, version in times.measured_on.versions.items())
    console.print(Text.assemble((title, "bold"), f" · {times.measured_on.gpu}"))
    console.print(Text(versions, style="dim"))
    console.print()
    console.print(_last_size(times.sizes[-1], workload))
    if len(times.sizes) > 1:
        console.print()
        console.print(_all_sizes(times))
    console.print(Text(_footnote(workload, times), style="dim"))


def _last_size(size: Measured, workload: Workload) -> Table:
    """The largest size, in full."""
    table = _table(size.size, "time, ms", "6 of 10 calls", _unit(workload), "× PyTorch", "% of limit")
    for name, timing in size.times.items():
        spread = f"{timing.low:.4g} – {timing.high:.4g}"
        ratio = f"{size.times['eager'].median / timing.median:.2f}"
        share = f"{100 * size.times['limit'].median / timing.median:.0f}"
        speed = number(rate(size, name, workload))
        table.add_row(_name(name, workload), f"{timing.median:.4g}", spread, speed, ratio, share)
    return table


def _all_sizes(times: Times) -> Table:
    names = list(times.sizes[0].times)
    table = _table("time, ms", *(str(_name(name)) for name in names))
    for size in times.sizes:
        label = Text(f"{size.size}{'' if size.graph else ' ¹'}")
        table.add_row(label, *(f"{size.times[name].median:.4g}" for name in names))
    return table


def _unit(workload: Workload) -> str:
    return "TFLOP/s" if workload.compute_bound else "GB/s"


def rate(size: Measured, contender: str, workload: Workload) -> float:
    """GB/s, or TFLOP/s if arithmetic is what matters."""
    seconds = size.times[contender].median / 1e3
    return size.operations / seconds / 1e12 if workload.compute_bound else size.bytes / seconds / 1e9


def _footnote(workload: Workload, times: Times) -> str:
    limit = "the rate of the tensor cores (cuBLAS in float16)" if workload.compute_bound else "a copy of as many bytes"
    notes = f"limit: {limit}, measured in this run. × PyTorch: PyTorch's time over this one."
    if any(size.graph for size in times.sizes):
        notes += " Small sizes replay a CUDA graph, with inputs rotated so that L2 does not hold them."
    if not all(size.graph for size in times.sizes):
        notes += " ¹ Single calls, with L2 emptied before each."
    return notes


# Both


def _table(*heads: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim", pad_edge=False)
    for index, head in enumerate(heads):
        table.add_column(head, justify="right" if index else "left", no_wrap=True)
    return table


def _name(name: str, workload: Workload | None = None) -> Text:
    library = f" ({workload.library})" if workload is not None and workload.library else ""
    labels = {"eager": f"PyTorch{library}", "compiled": "torch.compile", "limit": "limit"}
    return Text(labels.get(name, name), style=_STYLES.get(name, ""))


def amount(value: float, base: int, single: str, unit: str) -> str:
    """A number with a prefix: 27 MiB, 14 M."""
    for prefix in ("", "k" if base == 1000 else "K", "M", "G", "T"):
        if value < base or prefix == "T":
            break
        value /= base
    return f"{number(value)} {prefix}{unit if prefix else single}".rstrip()
