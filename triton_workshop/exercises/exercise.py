"""Description of an exercise.

Torch is imported when a case makes its tensors, so lists and hints are quick.
"""

from __future__ import annotations

import difflib
import functools
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from triton_simulator.gpus import H200, GpuModel
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.goals import Goal, load_goals
from triton_workshop.exercises.mistakes import Edit, Mistake, load_table
from triton_workshop.repository import ROOT
from triton_workshop.scripts import lines_of

if TYPE_CHECKING:
    import torch

    Launcher = Callable[..., torch.Tensor]


@dataclass(frozen=True)
class Axis:
    """An axis of the solution's grid, which divides a dimension of the output."""

    dimension: int
    block: str | None
    """The constexpr with the block's size; None if a program owns one index."""
    size: int = 1
    """The block's size in the solution."""


@dataclass(frozen=True)
class Demo:
    """A picture to look at once the exercise is right.

    It shows the input, then each result beside it.
    """

    caption: str
    render: Callable[[Launcher, torch.Tensor], tuple[torch.Tensor, ...]]
    """Results, from the launcher and the workshop's picture.

    The picture is (3, height, width), and results have its height.
    """


@dataclass(frozen=True)
class Exercise:
    """Everything that the checker, reports and tests know of an exercise."""

    number: str
    """With a letter if it is optional: `a` for a warm-up, or a variation's.

    Variations, from `b` on, are for those who finish early.
    """
    package: str
    """Its folder as a package: `__name__` there."""
    title: str
    launcher: str
    """The name of the only function that the checker calls."""
    cases: tuple[Case, ...]
    """Small and awkward, for the simulator."""
    long_cases: tuple[Case, ...]
    """Large along one axis only, for the simulator.

    A grid that does not grow with the input leaves a part of it out.
    """
    gpu_cases: tuple[Case, ...]
    """Full size."""
    reference: Callable[..., torch.Tensor]
    """The right answer, exact enough if it is given float64 tensors."""
    reduction_length: Callable[..., int]
    """The number of terms in the sum of an output element, for the tolerance."""
    tiling: tuple[Axis, ...]
    """The axes of the grid, in order."""
    bytes_moved: Callable[..., int]
    """From the arguments, the least number of bytes to read and write."""
    operations: Callable[..., int]
    """From the arguments, the number of floating-point operations."""
    demo: Demo | None = None
    picture: Case | None = None
    """A call whose result people can look at.

    It shows what is wrong, and is not judged.
    """
    accumulates_in_float32: bool = True
    """True if arithmetic is in float32 whatever the arguments' dtype.

    Then only the result is rounded to that dtype.
    """
    roundings: Callable[..., torch.Tensor] | None = None
    """From float64 arguments, each element's error before its last rounding.

    The unit is the last place of a 1. None if the result is a sum of products, for which `tolerance` knows a bound.
    """
    rounded_terms: Callable[..., torch.Tensor] | None = None
    """From float64 arguments, sums of terms that may be rounded early.

    Their absolute values count. They may be rounded to the arguments' dtype, or cut off to TF32, before they are added
    in float32. None if no term may.
    """
    unmasked_operations: Callable[..., int] | None = None
    """From the arguments, the operations by tl.dot if a kernel skips nothing.

    As many show that it computes what its mask then hides. None if nothing need be hidden.
    """
    result_dtype: Callable[..., torch.dtype] = lambda *arguments: arguments[-1].dtype
    """From the arguments, the dtype that the result must have."""
    fixed_sizes: tuple[int, ...] = ()
    """Powers of two in the task, such as how many weights share a scale.

    None of them is a tile's size.
    """
    larger_cases: tuple[Case, ...] = ()
    """Larger along one axis than all others.

    They are for scripts with a number that may bound it. What they show is a finding where a grid does not grow, and a
    remark elsewhere.
    """
    int64_case: Case | None = None
    """A case with more elements than an int32 holds.

    None if tensors cannot have so many. See `narrow_int32_case`: an int32 has few bits there.
    """
    session: int = 1
    """The half-day that it belongs to."""

    @property
    def kernel(self) -> str:
        return f"{self.launcher}_kernel"

    @property
    def is_optional(self) -> bool:
        """True for a warm-up or a variation, which nobody has to do."""
        return not self.number.isdecimal()

    @property
    def is_warm_up(self) -> bool:
        """True if it comes before the exercise of its number.

        Where kernels are to be made faster, there is none of the number alone.
        """
        return self.number.endswith("a") and not self.goals

    @property
    def position(self) -> tuple[int, int]:
        """Its place among all exercises: a number, and the place within it."""
        digits = self.number.rstrip(ascii_lowercase)
        # A warm-up, `a`, comes before the exercise without a letter.
        order = ("a", "", *ascii_lowercase[1:])
        return int(digits), order.index(self.number.removeprefix(digits))

    @property
    def task_noun(self) -> str:
        """The plural noun for a learner's tasks in its file."""
        if self.goals:
            return "goals"
        return "bugs" if self.planted_bugs else "TODOs"

    @property
    def tasks(self) -> int:
        """The number of a learner's tasks in its file."""
        return len(self.goals) or len(self.hints)

    @property
    def folder(self) -> Path:
        """The folder with its description, mistakes and workload."""
        return Path(__file__).with_name(self.package.rpartition(".")[2])

    @property
    def name(self) -> str:
        """The name of its files, without an extension."""
        return f"exercise_{self.number}"

    @property
    def exercise_file(self) -> Path:
        return ROOT / "exercises" / f"{self.name}.py"

    @property
    def solution_file(self) -> Path:
        return ROOT / "solutions" / f"{self.name}.py"

    @property
    def fast_file(self) -> Path | None:
        """The solution at the limit of the hardware, if the exercise has one."""
        file = ROOT / "solutions" / "fast" / f"{self.name}.py"
        return file if file.is_file() else None

    def __reduce__(self) -> tuple[Callable[[str], Exercise], tuple[str]]:
        """Pickle it by its number: another process has the same exercise."""
        return _load_exercise, (self.number,)

    @property
    def simulated_cases(self) -> tuple[Case, ...]:
        """All cases of a check on the simulator, in order."""
        return (*self.cases, *self.long_cases)

    @property
    def largest_cases(self) -> tuple[Case, ...]:
        """The last two that are not long.

        Mistakes that look the same in a small case may differ in these.
        """
        return self.cases[-2:]

    def find_case(self, name: str) -> Case:
        """Return the case with this name, among those that run on the simulator."""
        substitutes = (case.scaled_down for case in self.simulated_cases)
        candidates = (*self.simulated_cases, *substitutes, *self.larger_cases, self.int64_case, self.picture)
        return next(case for case in candidates if case and case.name == name)

    @property
    def shipped_text(self) -> str:
        """The exercise's text as shipped.

        Its folder has a copy, as a learner's own file changes.
        """
        return (self.folder / "shipped.txt").read_text(encoding="utf-8")

    @property
    def solution(self) -> str:
        """The solution's text; empty if the learner has removed the file."""
        try:
            return self.solution_file.read_text(encoding="utf-8")
        except OSError:
            return ""

    @property
    def hints(self) -> tuple[tuple[str, str], ...]:
        """A question and an idea for each TODO.

        The third hint is the solution's own line.
        """
        return load_table(self.folder).todo_hints

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        return load_table(self.folder).mistakes

    def knows(self, mistake: str) -> bool:
        """Return whether one of its known mistakes has this name."""
        return any(known.name == mistake for known in self.mistakes)

    @property
    def planted_bugs(self) -> tuple[Edit, ...]:
        """The bugs in a file to repair, one for each numbered part."""
        return load_table(self.folder).planted_bugs

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What its kernel may cost; most exercises have no such goals."""
        return load_goals(self.folder)

    @property
    def gpu(self) -> GpuModel:
        """The GPU for which costs are measured."""
        return next((goal.gpu for goal in self.goals), H200)

    def goal_hints(self, goal: Goal) -> tuple[str, ...]:
        """Return the hints of a goal; the last one quotes the solution.

        Those are its lines that are not in the file as shipped.
        """
        lines = difflib.ndiff(self.shipped_text.splitlines(), self.solution.splitlines())
        changed = [line[2:] for line in lines if line.startswith("+ ") and line[2:].strip()]
        return (*goal.hints, *([quote_solution(textwrap.dedent("\n".join(changed)))] if changed else []))

    def remaining_bugs(self, text: str) -> tuple[Edit, ...]:
        """Return the planted bugs that a script still has, letter by letter."""
        return tuple(bug for bug in self.planted_bugs if all(new in text for _, new in bug.changes))

    def todo_hints(self, todo: int) -> tuple[str, ...]:
        """Return the three hints of a TODO, numbered from 1.

        There are two if the solution no longer has the TODO.
        """
        return (*self.hints[todo - 1], *filter(None, [self.solution_hint(todo)]))

    def solution_hint(self, todo: int) -> str:
        """Return the last hint of a TODO; empty if the solution lacks it."""
        solution = self.solution
        lines = lines_of(solution)
        code = [lines[number - 1] for number, of in todo_lines(solution).items() if of == todo]
        return quote_solution(textwrap.dedent("\n".join(code)).strip()) if code else ""


def _load_exercise(number: str) -> Exercise:
    from triton_workshop.exercises import EXERCISES

    return EXERCISES[number]


def quote_solution(code: str) -> str:
    """Return a hint with the solution's own lines.

    A line stands beside the words where there is room for both in 80 columns.
    """
    fits = "\n" not in code and len(code) <= 60
    return f"The solution has:{' ' if fits else chr(10)}{code}"


@functools.cache
def todo_lines(solution: str) -> dict[int, int]:
    """Return the number of the TODO that each line of a solution belongs to.

    A TODO reaches from its `# N: …` comment to the next empty line.
    """
    todos, current = {}, None
    for number, line in enumerate(lines_of(solution), 1):
        if comment := re.match(r" *# (\d+): ", line):
            current = int(comment[1])
        elif not line.strip():
            current = None
        elif current is not None:
            todos[number] = current
    return todos


def edited_todos(edit: Edit, solution: str) -> set[int | None]:
    """Return the TODOs in which a solution is edited.

    None is for a line that the exercise gives.
    """
    todos = todo_lines(solution)
    return {todos.get(line) for line in edit.changed_lines(solution)}
