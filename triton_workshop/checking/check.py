"""The check itself: call the launcher case by case, compare, stop at the first thing that is wrong."""

from __future__ import annotations

import time
import tokenize
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from triton_workshop.checking.exercise import Case, Exercise, Launcher
from triton_workshop.checking.explanations import explain
from triton_workshop.checking.tolerance import tolerance
from triton_workshop.checking.unfinished import open_todos
from triton_workshop.checking.verdict import CaseResult, Finding, Kind, Verdict
from triton_workshop.simulator.faults import Fault, MemoryFaults


def check(exercise: Exercise, file: Path, launcher: Launcher | None, device: str) -> Verdict:
    """Check the script `file`, whose launcher is given as Python has loaded it; None where it defines none."""
    start = time.perf_counter()
    finding = _unfinished(exercise, file) or _missing(exercise, launcher)
    results: list[CaseResult] = []
    if finding is None and launcher is not None:
        for case in exercise.cases:
            finding = _run(exercise, case, file, launcher, device)
            results.append(CaseResult(case.name, passed=finding is None))
            if finding is not None:
                break
    return Verdict(
        exercise=exercise.number,
        file=file,
        device=device,
        seconds=time.perf_counter() - start,
        cases=tuple(results),
        findings=() if finding is None else (finding,),
    )


def _source(file: Path) -> str:
    """The script's text as Python reads it: a byte order mark and a coding comment are honoured."""
    with tokenize.open(file) as text:
        return text.read()


def _unfinished(exercise: Exercise, file: Path) -> Finding | None:
    todos = open_todos(_source(file))
    if not todos:
        return None
    first = todos[0]
    if first.number is None:
        message, hint = "a `...` still waits for code", ""
    else:
        message = f"TODO {first.number} of {len(exercise.hints)} is next: {first.task}"
        known = 1 <= first.number <= len(exercise.hints)
        hint = exercise.hints[first.number - 1] if known else ""
    return Finding(Kind.UNFINISHED, message, hint, first.line, first.source)


def _missing(exercise: Exercise, launcher: Launcher | None) -> Finding | None:
    if callable(launcher):
        return None
    return Finding(
        Kind.CRASH,
        f"the script defines no function {exercise.launcher}",
        "The checker calls it by this name; the shipped file has its signature.",
    )


def _run(exercise: Exercise, case: Case, file: Path, launcher: Launcher, device: str) -> Finding | None:
    arguments = case.arguments(device)
    before = [argument.clone() for argument in arguments]
    try:
        with _uninitialised_memory_is_nan():
            output = launcher(*arguments)
        if device == "cuda":
            torch.cuda.synchronize()  # a fault in the kernel shows here, not in a later case
    except MemoryFaults as error:
        return _memory_fault(error.faults[0], case)
    except (Exception, KeyboardInterrupt) as error:
        return _crash(error, file, case)
    for position, (now, then) in enumerate(zip(arguments, before, strict=True), start=1):
        if not torch.equal(now, then):
            message = f"argument {position} of {exercise.launcher} was changed: inputs are read only"
            return Finding(Kind.INPUT_MODIFIED, message, case=case.name)
    return _compare(exercise, case, arguments, output)


@contextmanager
def _uninitialised_memory_is_nan() -> Iterator[None]:
    """What a kernel leaves unwritten shows as NaN: so PyTorch's deterministic mode fills torch.empty.

    By its debug mode, because `torch.use_deterministic_algorithms` imports torch._inductor: 4 s.
    """
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)


def _memory_fault(fault: Fault, case: Case) -> Finding:
    """What the simulator saw first: the kernel went where it must not go."""
    kinds = {kind.value: kind for kind in Kind}
    hint = fault.advice[0].upper() + fault.advice[1:]
    return Finding(kinds.get(fault.kind, Kind.CRASH), fault.what, hint, fault.line.number, fault.line.text, case.name)


def _crash(error: BaseException, file: Path, case: Case) -> Finding:
    """The learner's own line: the deepest frame of the script in the error and what caused it."""
    line: int | None = None
    cause: BaseException = error
    link: BaseException | None = error
    while link is not None:
        cause = link
        for frame in traceback.extract_tb(link.__traceback__):
            if Path(frame.filename) == file:
                line = frame.lineno
        link = link.__cause__ or link.__context__
    source = _source(file).splitlines()[line - 1].strip() if line else ""
    message = "stopped by Ctrl+C" if isinstance(error, KeyboardInterrupt) else f"{type(cause).__name__}: {cause}"
    return Finding(Kind.CRASH, message, explain(message), line, source, case.name)


def _compare(exercise: Exercise, case: Case, arguments: tuple[torch.Tensor, ...], output: object) -> Finding | None:
    expected = exercise.reference(*(argument.double() for argument in arguments))
    if not isinstance(output, torch.Tensor) or output.shape != expected.shape:
        got = f"shape {tuple(output.shape)}" if isinstance(output, torch.Tensor) else type(output).__name__
        message = f"expected a tensor of shape {tuple(expected.shape)}, got {got}"
        return Finding(Kind.WRONG_SHAPE, message, case=case.name)
    if output.dtype != arguments[0].dtype:
        message = f"expected {arguments[0].dtype}, got {output.dtype}"
        return Finding(Kind.WRONG_DTYPE, message, case=case.name)
    unwritten = output.isnan()
    if unwritten.any():
        message = f"NaN in {_count(unwritten)}: never written, or computed from what was never loaded"
        hint = (
            f"Look at {_first(unwritten)}. Does the grid have a program for it? Does the mask let its store through? "
            "Is what it sums loaded with a mask and other=0.0?"
        )
        return Finding(Kind.UNWRITTEN, message, hint, case=case.name)
    allowed = tolerance(exercise, arguments)
    wrong = (output.double() - expected).abs() > allowed
    if wrong.any():
        return Finding(Kind.WRONG_VALUES, _describe(wrong, output, expected, allowed), case=case.name)
    return None


def _describe(wrong: torch.Tensor, output: torch.Tensor, expected: torch.Tensor, allowed: torch.Tensor) -> str:
    first = tuple(int(i) for i in wrong.nonzero()[0])
    return (
        f"wrong: {_count(wrong)}; {_first(wrong)} is {output[first].item():.7g}, "
        f"expected {expected[first].item():.7g} (± {allowed[first].item():.1g})"
    )


def _count(where: torch.Tensor) -> str:
    return f"{int(where.sum()):,} of {where.numel():,} element{'s' if where.numel() != 1 else ''}"


def _first(where: torch.Tensor) -> str:
    index = ", ".join(str(int(i)) for i in where.nonzero()[0])
    return f"element [{index}]"
