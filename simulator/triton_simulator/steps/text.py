"""Steps as text: a value in a few words, and a program line by line."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from triton_simulator.lines import statement_text
from triton_simulator.steps.steps import Array, FaultSite, ProgramStep, ProgramValue

MAX_CODE_COLUMNS = 64
"""Columns of source text before a value; the value of a longer line stands below it."""
MAX_PLAIN_TEXT = 32
"""Characters of a string, a tuple and the like."""
ARGUMENT = "argument"
"""The operation of a step by which a function gets an argument."""
FIRST_ITERATIONS = 2
"""Iterations of a loop that are printed before the last one."""


def type_text(value: ProgramValue) -> str:
    """Return dtype and shape, such as `fp32[16 × 32]`; none for constants."""
    if value.dtype in ("constexpr", "tuple"):
        return ""
    dtype = value.dtype.removeprefix("pointer<").removesuffix(">") + "*" * value.is_pointer
    return f"{dtype}[{' × '.join(map(str, value.shape))}]" if value.shape else dtype


Marks = Sequence[tuple[Array | None, str]]
"""Elements that have something in common, and the word for it."""


def value_text(value: ProgramValue, undefined: Marks | None = None) -> str:
    """Return the numbers in short: one, or the least and the greatest.

    `undefined` says why elements are undefined, if that is known.
    """
    numbers = value.numbers
    if value.dtype == "tuple" or value.parts:
        return f"({', '.join(_part_text(name, part) for name, part in value.parts)})"
    if numbers.dtype == object:
        return object_text(numbers.item())
    if value.is_pointer:
        parts = [f"{value.argument}[{_range_text(numbers)}]"]
    elif numbers.dtype == np.bool_:
        parts = [_truth_text(numbers)]
    else:
        parts = [*_defined_texts(value)]
    marks = (*(undefined or ((value.undefined, "undefined"),)), (value.wrapped, "beyond int32"))
    for mask, word in marks:
        if mask is not None and mask.any():
            parts.append(_count_text(mask, word))
    return ", ".join(parts)


def _part_text(name: str, part: ProgramValue) -> str:
    return " ".join(filter(None, (name, type_text(part) if part.shape else "", value_text(part))))


def object_text(thing: object) -> str:
    """Return what is no number in short: a function by its name."""
    text = getattr(thing, "__name__", None) or _representation(thing)
    return text if len(text) <= MAX_PLAIN_TEXT else f"{text[:MAX_PLAIN_TEXT]}…"


def _representation(thing: object) -> str:
    """Return an object's own text, or else its class.

    One of Triton's may need a launch to look at itself.
    """
    try:
        return str(thing) if type(thing).__module__.startswith("triton.") else repr(thing)
    except Exception:
        return type(thing).__name__


def number_text(number: object) -> str:
    """Return one number, with four significant digits of a float."""
    if isinstance(number, bool | np.bool_):
        return "true" if number else "false"
    return f"{number:.4g}" if isinstance(number, float | np.floating) else str(number)


def step_text(step: ProgramStep, *, with_type: bool = True) -> str:
    """Return what a step made: `int32[1024]  1024 … 2047`."""
    value = "  ".join(filter(None, (type_text(step.value) if with_type else "", value_text(step.value, _marks(step)))))
    if step.pointer is None:
        return value
    place = _place_text(step.pointer, step.mask)
    if step.operand is not None:
        return f"{value_text(step.operand)}  ⇄ {place}, before {value_text(step.value)}"
    return f"{value}  {'→' if step.step.operation == 'store' else '←'} {place}"


def _marks(step: ProgramStep) -> Marks | None:
    """Return why elements of a load are undefined.

    Either its mask keeps them out, without `other=`, or they lie outside of the argument.
    """
    undefined = step.value.undefined
    if undefined is None or step.pointer is None:
        return None
    if step.step.operation != "load":
        return None
    kept = np.broadcast_to(np.True_ if step.mask is None else step.mask.numbers, undefined.shape)
    return (undefined & ~kept, "masked"), (undefined & kept, "outside")


def program_text(
    steps: Sequence[ProgramStep], sources: Mapping[str, Sequence[str]], sites: Sequence[FaultSite] = ()
) -> str:
    """Return a program's steps: each line that ran, with its value.

    Of a loop, that is the first iterations, the last one, and those with a fault at one of `sites`, which are marked.
    `sources` has the lines of each file.
    """
    rows = list(_program_rows(steps, sources, sites))
    width = max((len(row.code) for row in rows if len(row.code) <= MAX_CODE_COLUMNS), default=0)
    return "\n".join(itertools.chain.from_iterable(row.lines(width) for row in rows))


@dataclass(frozen=True)
class _Row:
    number: str
    code: str
    value: str
    is_fault: bool = False
    heading: str = ""
    """The function that begins or goes on with this row, if it is another one."""

    def lines(self, width: int) -> Iterator[str]:
        """Yield the row; the value stands below code that is too long for it."""
        if self.heading:
            yield f"       {self.heading}"
        start = f"{'✗' if self.is_fault else ' '}{self.number:>5} "
        if len(self.code) > width and self.value:
            yield f"{start}{self.code}"
            yield f"{'':7}{'':{width}}  {self.value}"
        else:
            yield f"{start}{self.code:<{width}}  {self.value}".rstrip()


def _program_rows(
    steps: Sequence[ProgramStep], sources: Mapping[str, Sequence[str]], sites: Sequence[FaultSite]
) -> Iterator[_Row]:
    last_iterations = _last_iterations(steps)
    # Of a fault, the whole iteration is shown, to see how its line got there.
    faulty = {(step.step.function, step.step.iteration) for step in steps if is_at_fault(step, sites)}
    several = _lines_with_several(steps)
    shown: tuple[object, ...] = ()
    function = ("", "", 0)
    left_out = False
    for step in steps:
        at = step.step
        is_faulty = (at.function, at.iteration) in faulty
        if not is_faulty and not _is_printed(at.iteration, last_iterations[at.function, at.depth]):
            if not left_out:
                yield _Row("", f"{'    ' * len(at.iteration)}    …", "")
            left_out = True
            continue
        left_out = False
        place = (at.line, at.iteration, at.operation == ARGUMENT)
        # Arguments share the function's first line, but each has a text of its own: its name.
        has_text = place != shown or at.operation == ARGUMENT
        code = _code(step, sources) if has_text else ""
        shown = place
        value = f"{_name_text(step, code, is_one_of_several=_run_of(step) in several)}{step_text(step)}"
        before, function = function, (at.line.file, at.function, at.depth)
        # Only a change of function needs a heading: a kernel that calls none has no heading at all.
        heading = f"{at.function}, {Path(at.line.file).name}:" if before not in (("", "", 0), function) else ""
        yield _Row(str(at.line.number), code, value, is_at_fault(step, sites), heading)


def _code(step: ProgramStep, sources: Mapping[str, Sequence[str]]) -> str:
    at = step.step
    if at.operation == ARGUMENT:
        return f"{'    ' * (at.depth + 1)}{at.name}"
    lines = sources.get(at.line.file, ())
    if at.line.number > len(lines):
        return at.line.text
    line = lines[at.line.number - 1].rstrip()
    return f"{line[: len(line) - len(line.lstrip())]}{statement_text(lines, at.line.number)}"


def is_at_fault(step: ProgramStep, sites: Sequence[FaultSite]) -> bool:
    """Return whether a step reaches a fault's element, at the fault's line."""
    indices = (index for line, index in sites if line == step.step.line)
    return any(_reaches(step, index) for index in indices)


def _reaches(step: ProgramStep, index: int | None) -> bool:
    if index is None:
        return True
    if step.pointer is None:
        return False
    reached = step.pointer.numbers == index
    return bool((reached if step.mask is None else reached & step.mask.numbers).any())


Run = tuple[object, ...]


def _run_of(step: ProgramStep) -> Run:
    """Return a line with the iteration in which it runs."""
    at = step.step
    return at.line, at.depth, at.iteration


def _lines_with_several(steps: Iterable[ProgramStep]) -> set[Run]:
    """Return the runs of lines that assign several names, as `a, b = …` does."""
    names: dict[Run, set[str]] = {}
    for step in steps:
        is_assignment = step.step.name and step.step.operation != ARGUMENT
        if is_assignment:
            names.setdefault(_run_of(step), set()).add(step.step.name)
    return {run for run, assigned in names.items() if len(assigned) > 1}


def _name_text(step: ProgramStep, code: str, *, is_one_of_several: bool) -> str:
    """Return a value's name, unless its line assigns nothing else."""
    at = step.step
    if at.name:
        has_label = is_one_of_several or not code
        return f"{at.name}: " if has_label else ""
    return f"{at.operation}: " if step.pointer is None else ""


def _last_iterations(steps: Iterable[ProgramStep]) -> dict[tuple[str, int], tuple[int, ...]]:
    """Return the greatest iteration of each loop level, by function."""
    last: dict[tuple[str, int], tuple[int, ...]] = {}
    for step in steps:
        key, iteration = (step.step.function, step.step.depth), step.step.iteration
        before = last.get(key, ())
        # Steps outside of inner loops have fewer numbers; a missing one counts as 0.
        length = max(len(before), len(iteration))
        padded = ((*numbers, *(0,) * (length - len(numbers))) for numbers in (before, iteration))
        last[key] = tuple(max(pair) for pair in zip(*padded, strict=True))
    return last


def _is_printed(iteration: Sequence[int], last: Sequence[int]) -> bool:
    return all(number < FIRST_ITERATIONS or number == end for number, end in zip(iteration, last, strict=False))


def _range_text(numbers: Array) -> str:
    low, high = numbers.min(), numbers.max()
    return number_text(low) if low == high else f"{number_text(low)} … {number_text(high)}"


def _truth_text(numbers: Array) -> str:
    true = int(numbers.sum())
    if not numbers.shape:
        return number_text(bool(true))
    if true in (0, numbers.size):
        return "all true" if true else "all false"
    return f"{true} of {numbers.size} true"


def _defined_texts(value: ProgramValue) -> Iterator[str]:
    numbers = value.numbers
    defined = numbers if value.undefined is None else numbers[~value.undefined]
    nans = np.isnan(defined) if defined.dtype.kind == "f" else np.zeros(defined.shape, np.bool_)
    if not nans.all():
        clean = defined[~nans]
        # "all" is said only if no element is left out as undefined or NaN.
        same = clean.size == numbers.size > 1 and bool((clean == clean.flat[0]).all())
        yield f"{'all ' * same}{_range_text(clean)}"
    if nans.any():
        yield _count_text(nans, "NaN")


def _count_text(mask: Array, noun: str) -> str:
    if not mask.shape:
        return noun
    return f"all {noun}" if mask.all() else f"{int(mask.sum())} {noun}"


def _place_text(pointer: ProgramValue, mask: ProgramValue | None) -> str:
    """Return the elements that an operation reaches, and their number."""
    if mask is None or mask.numbers.all():
        return value_text(pointer)
    chosen = np.broadcast_to(mask.numbers, pointer.shape)
    if not chosen.any():
        return f"{pointer.argument}, masked"
    reached = f"{pointer.argument}[{_range_text(pointer.numbers[chosen])}]"
    return f"{reached}, {int(chosen.sum())} of {chosen.size}"
