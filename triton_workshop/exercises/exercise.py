"""What describes an exercise. Nothing here needs torch until a case is made, so lists and hints are quick."""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from triton_workshop.exercises.mistakes import Edit, Mistake, table_of
from triton_workshop.repository import ROOT

if TYPE_CHECKING:
    import torch

    Launcher = Callable[..., torch.Tensor]

PICTURE = ROOT / "slides" / "poseidon_triton.jpeg"
FEW_BITS = 20
"""Half a million is enough for blocks of any size, and a tensor of more elements takes the simulator little time."""


@dataclass(frozen=True)
class Case:
    """One call of the launcher. `arguments(device)` makes its tensors, the same ones every time.

    A tensor without dimensions represents a number, and the launcher gets a number: see `handed_over`.
    """

    name: str
    arguments: Callable[[str], tuple[torch.Tensor, ...]]
    scaled_down: Case | None = None
    """What stands in for it where there is too little memory for tensors whose rows lie that far apart."""
    integer_bits: int = 32
    """Bits of an int32 in kernels on the simulator: fewer in a case that stands in for another one."""

    @property
    def is_large(self) -> bool:
        """Whether its tensors take much memory. Most of it is mapped and never touched."""
        return self.scaled_down is not None or self.integer_bits < 32


@dataclass(frozen=True)
class Axis:
    """An axis of the solution's grid, which divides a dimension of the output into blocks."""

    dimension: int
    block: str | None
    """The constexpr that holds the block's size; None if a program owns one index of this dimension."""
    size: int = 1
    """The block's size in the solution."""


@dataclass(frozen=True)
class Showing:
    """A picture to look at once the exercise is right: the input, then each result beside it."""

    caption: str
    make: Callable[[Launcher, torch.Tensor], tuple[torch.Tensor, ...]]
    """From the launcher and the workshop's picture (3, height, width): the results to show, of the same height."""


@dataclass(frozen=True)
class Exercise:
    """Everything that the checker, the reports, the benchmark and the tests know about an exercise."""

    number: str
    """With a letter for what nobody has to do: `a` for a warm-up, from `b` on variations for those who finish early."""
    package: str
    """Its folder's name as a package: `__name__` there."""
    title: str
    launcher: str
    """The name of the only function that the checker calls."""
    cases: tuple[Case, ...]
    """Small and awkward, for the simulator."""
    long_cases: tuple[Case, ...]
    """Large along one axis only, for the simulator: a grid that does not grow with the input leaves part of it out."""
    gpu_cases: tuple[Case, ...]
    """Full size."""
    reference: Callable[..., torch.Tensor]
    """The right answer. Called with float64 tensors, it is exact enough for every check."""
    reduction_length: Callable[..., int]
    """How many products or terms each output element sums: the tolerance follows from it."""
    tiling: tuple[Axis, ...]
    """The axes of the grid, in order."""
    bytes_moved: Callable[..., int]
    """From the arguments, the least number of bytes that must be read and written."""
    operations: Callable[..., int]
    """From the arguments, the number of floating-point operations."""
    showing: Showing | None = None
    picture: Case | None = None
    """A call whose result people can look at. It shows what is wrong, and is not judged."""
    sums_in_float32: bool = True
    """Whether arithmetic is in float32 whatever the arguments' dtype, so that only the result is rounded to it."""
    roundings: Callable[..., torch.Tensor] | None = None
    """From float64 arguments, by how many units in the last place of a 1 each element may be off, before it is rounded
    to its dtype. None if the result is a sum of products, for which `tolerance` knows a bound."""
    rounded_terms: Callable[..., torch.Tensor] | None = None
    """From float64 arguments, the sum of the absolute values of those terms of each element that may be rounded to the
    arguments' dtype, or cut off to TF32, before they are added in float32. None if none may."""
    too_many_products: Callable[..., int] | None = None
    """From the arguments, how many operations by tl.dot show that a kernel computes what its mask then hides. None if
    nothing need be hidden."""
    result_dtype: Callable[..., torch.dtype] = lambda *arguments: arguments[-1].dtype
    """From the arguments, the dtype that the result must have."""
    given_sizes: tuple[int, ...] = ()
    """Powers of two that the task gives, such as how many weights share a scale: none of them is a tile's size."""
    larger_cases: tuple[Case, ...] = ()
    """Larger along one axis than all others, for scripts with a number that may bound it: a remark, and no finding."""
    wide_case: Case | None = None
    """With tensors that have more elements than an int32 holds, see `in_few_bits`, where those may need int64."""
    half: int = 1
    """The half-day that it belongs to."""

    @property
    def kernel(self) -> str:
        return f"{self.launcher}_kernel"

    @property
    def optional(self) -> bool:
        """Whether it is a warm-up or a variation, which nobody has to do."""
        return not self.number.isdecimal()

    @property
    def warm_up(self) -> bool:
        """Whether it comes before the exercise of its number."""
        return self.number.endswith("a")

    @property
    def position(self) -> tuple[int, int]:
        """Where it stands among all exercises: its number, and 0 for the exercise that everybody does."""
        digits = self.number.rstrip(ascii_lowercase)
        order = {"a": -1, "": 0} | {letter: place for place, letter in enumerate(ascii_lowercase) if letter != "a"}
        return int(digits), order[self.number.removeprefix(digits)]

    @property
    def folder(self) -> Path:
        """The folder with its description, mistakes and workload."""
        return Path(__file__).with_name(self.package.rpartition(".")[2])

    @property
    def tasks(self) -> str:
        """What a learner has to do in its file."""
        return "bugs" if self.planted else "TODOs"

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
        """The solution at the limit of the hardware; None if the exercise has only one solution."""
        file = ROOT / "solutions" / "fast" / f"{self.name}.py"
        return file if file.is_file() else None

    def __reduce__(self) -> tuple[Callable[[str], Exercise], tuple[str]]:
        """Pickle it by its number: another process has the same exercise."""
        return _numbered, (self.number,)

    @property
    def simulated_cases(self) -> tuple[Case, ...]:
        """All that the simulator runs, in order."""
        return (*self.cases, *self.long_cases)

    @property
    def largest_cases(self) -> tuple[Case, ...]:
        """The last two that are not long: mistakes that look the same in a small case may differ in these."""
        return self.cases[-2:]

    def case_named(self, name: str) -> Case:
        scaled = (case.scaled_down for case in self.simulated_cases)
        every = (*self.simulated_cases, *scaled, *self.larger_cases, self.wide_case, self.picture)
        return next(case for case in every if case and case.name == name)

    def shipped(self) -> str:
        """Return the exercise's text as shipped, of which its folder has a copy: a learner's own file changes."""
        return (self.folder / "shipped.txt").read_text(encoding="utf-8")

    @property
    def hints(self) -> tuple[tuple[str, str], ...]:
        """A question and an idea for each TODO. The third hint is the solution's own line."""
        return table_of(self.folder).todos

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        return table_of(self.folder).mistakes

    @property
    def planted(self) -> tuple[Edit, ...]:
        """The bugs in the file as it is shipped, one for each numbered part, where it has to be repaired."""
        return table_of(self.folder).planted

    def planted_in(self, text: str) -> tuple[Edit, ...]:
        """Those of the planted bugs that a script still has, letter by letter."""
        return tuple(edit for edit in self.planted if all(new in text for _, new in edit.changes))

    @property
    def solution(self) -> str:
        """The solution's text; empty if the learner has removed the file."""
        try:
            return self.solution_file.read_text(encoding="utf-8")
        except OSError:
            return ""

    def todo_hints(self, todo: int) -> tuple[str, ...]:
        """The three hints of a TODO, numbered from 1; two if the solution no longer has the TODO."""
        return (*self.hints[todo - 1], *filter(None, [self.quote(todo)]))

    def quote(self, todo: int) -> str:
        """The solution's own line or lines for a TODO; empty if there are none."""
        lines = self.solution.splitlines()
        own = [lines[number - 1] for number, of in todo_lines(self.solution).items() if of == todo]
        return solution_has(textwrap.dedent("\n".join(own)).strip()) if own else ""


def _numbered(number: str) -> Exercise:
    from triton_workshop.exercises import EXERCISES

    return EXERCISES[number]


def handed_over(arguments: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor | float, ...]:
    """A case's arguments as the launcher gets them."""
    return tuple(argument if argument.ndim else argument.item() for argument in arguments)


def in_float64(arguments: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """A case's arguments for the reference: integers stay as they are."""
    return tuple(argument.double() if argument.is_floating_point() else argument for argument in arguments)


def solution_has(code: str) -> str:
    """The last hint: the solution's own line or lines, beside the words where there is room in 80 columns."""
    beside = "\n" not in code and len(code) <= 60
    return f"The solution has:{' ' if beside else chr(10)}{code}"


@functools.cache
def todo_lines(solution: str) -> dict[int, int]:
    """By line of a solution: the number of its TODO, which reaches from its `# N: …` comment to the next empty line."""
    found, current = {}, None
    for number, line in enumerate(solution.splitlines(), 1):
        if comment := re.match(r" *# (\d+): ", line):
            current = int(comment[1])
        elif not line.strip():
            current = None
        elif current is not None:
            found[number] = current
    return found


def todos_of(edit: Edit, solution: str) -> set[int | None]:
    """The TODOs in which a solution is edited; None is for a line that the exercise gives."""
    todos = todo_lines(solution)
    return {todos.get(line) for line in edit.lines(solution)}


def random_case(name: str, seed: tuple[int | str, ...], *shapes: tuple[int, ...], pictures: bool = True) -> Case:
    """A case of random tensors; each seed gives others.

    They are float32 and normally distributed; those with three dimensions are from 0 to 1 if they are `pictures`.
    """
    return Case(name, lambda device: tuple(tensor.to(device) for tensor in _random(seed, shapes, pictures)))


def _random(seed: tuple[int | str, ...], shapes: tuple[tuple[int, ...], ...], pictures: bool) -> Iterator[torch.Tensor]:
    import torch

    generator = generator_of(seed)
    for shape in shapes:
        yield (torch.rand if len(shape) == 3 and pictures else torch.randn)(shape, generator=generator)


def generator_of(seed: tuple[int | str, ...]) -> torch.Generator:
    """A source of random numbers, such as integers, that gives the same ones for the same seed."""
    import torch

    return torch.Generator().manual_seed(int.from_bytes("/".join(map(str, seed)).encode()) % 2**31)


def in_dtype(case: Case, dtype: str) -> Case:
    """A case with its tensors in another dtype, named as torch does; numbers and integers stay as they are.

    What is a view with gaps is none afterwards.
    """

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        import torch

        wanted = getattr(torch, dtype)
        given = case.arguments(device)
        return tuple(each.to(wanted) if each.ndim and each.is_floating_point() else each for each in given)

    return replace(case, name=f"{case.name}, {dtype}", arguments=arguments)


def in_few_bits(case: Case) -> Case:
    """A case for an int32 of so few bits that it holds each size, and no offset of the last rows."""
    return replace(case, name=f"{case.name}, int32 of {FEW_BITS} bits", integer_bits=FEW_BITS)


def changed(case: Case, name: str, change: Callable[..., tuple[torch.Tensor, ...]]) -> Case:
    """A case with what `change` makes of another's tensors, such as views of them."""
    return Case(name, lambda device: change(*case.arguments(device)))


def with_first(case: Case, how: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Case:
    """A case whose first tensor is changed as `how` says; the others stay."""
    return changed(case, f"{case.name}, {how}", lambda first, *others: (change(first), *others))


def beyond_float16(length: int, like: torch.Tensor) -> torch.Tensor:
    """Powers of 2, for a tensor: some make its numbers too large for float16, some too small, and some are 1."""
    import torch

    factors = torch.tensor((1.0, 2.0**20, 2.0**-30), dtype=like.dtype, device=like.device)
    return factors.repeat(length)[:length]


def counted(number: int, noun: str) -> str:
    """A number of things, in words."""
    plural = {"query": "queries"}.get(noun, f"{noun}s")
    return f"{number:,} {noun if number == 1 else plural}"


def small_picture(device: str) -> torch.Tensor:
    """The workshop's picture, (3, height, 64), values 0 to 1. Without torchvision, whose import takes seconds."""
    import torch
    from PIL import Image

    with Image.open(PICTURE) as file:
        file.draft("RGB", (256, 256))  # a JPEG is decoded smaller at once
        picture = file.convert("RGB")
        picture = picture.resize((64, round(64 * picture.height / picture.width)))
    pixels = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    planes = pixels.view(picture.height, picture.width, 3).permute(2, 0, 1).float() / 255
    return planes.contiguous().to(device)
