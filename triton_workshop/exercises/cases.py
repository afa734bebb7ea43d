"""Calls of a launcher, and ways to make them.

Torch is imported when a case makes its tensors.

Of an exercise's cases, small awkward ones come first, and the first one catches the simplest mistake; the last two tell
mistakes apart. One row, one column or one head meets several blocks of everything else, as it may have a kernel of its
own, and two cases differ in their values only. A long case has more tiles than a GPU has multiprocessors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from triton_workshop.repository import PICTURE

if TYPE_CHECKING:
    import torch

NARROW_BITS = 20
"""Bits of an int32 in an exercise's `int64_case`.

Half a million is enough for blocks of any size, and a tensor of more elements takes the simulator little time.
"""


@dataclass(frozen=True)
class Case:
    """One call of the launcher.

    `arguments(device)` makes the same tensors every time. A tensor without dimensions represents a number, and the
    launcher gets a number: see `launcher_args`.
    """

    name: str
    arguments: Callable[[str], tuple[torch.Tensor, ...]]
    scaled_down: Case | None = None
    """Substitute where memory is too small for rows that far apart."""
    integer_bits: int = 32
    """Bits of an int32 in kernels on the simulator: fewer in a substitute."""

    @property
    def is_large(self) -> bool:
        """True if its tensors take much memory, mapped and hardly touched."""
        return self.scaled_down is not None or self.integer_bits < 32


def launcher_args(arguments: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor | float, ...]:
    """Return a case's arguments as the launcher gets them."""
    return tuple(argument if argument.ndim else argument.item() for argument in arguments)


def to_float64(arguments: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """Return a case's arguments for the reference: integers stay as they are."""
    return tuple(argument.double() if argument.is_floating_point() else argument for argument in arguments)


def random_case(name: str, seed: tuple[int | str, ...], *shapes: tuple[int, ...], pictures: bool = True) -> Case:
    """Return a case of random tensors; each seed gives others.

    They are float32 and normally distributed; those with three dimensions are from 0 to 1 if they are `pictures`.
    """
    return Case(name, lambda device: tuple(tensor.to(device) for tensor in _random_tensors(seed, shapes, pictures)))


def _random_tensors(
    seed: tuple[int | str, ...], shapes: tuple[tuple[int, ...], ...], pictures: bool
) -> Iterator[torch.Tensor]:
    import torch

    generator = seeded_generator(seed)
    for shape in shapes:
        is_picture = pictures and len(shape) == 3
        fill = torch.rand if is_picture else torch.randn
        yield fill(shape, generator=generator)


def seeded_generator(seed: tuple[int | str, ...]) -> torch.Generator:
    """Return a generator that gives the same numbers for the same seed."""
    import torch

    return torch.Generator().manual_seed(int.from_bytes("/".join(map(str, seed)).encode()) % 2**31)


def cast_case(case: Case, dtype: str) -> Case:
    """Return a case with its tensors in another dtype, named as torch does.

    Numbers and integers stay as they are. A view with gaps is none afterwards.
    """

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        import torch

        target: torch.dtype = getattr(torch, dtype)

        def cast(tensor: torch.Tensor) -> torch.Tensor:
            is_cast = tensor.ndim and tensor.is_floating_point()
            return tensor.to(target) if is_cast else tensor

        return tuple(map(cast, case.arguments(device)))

    return replace(case, name=f"{case.name}, {dtype}", arguments=arguments)


def narrow_int32_case(case: Case) -> Case:
    """Return a case whose int32 holds sizes, but not the last rows' offsets."""
    return replace(case, name=f"{case.name}, int32 of {NARROW_BITS} bits", integer_bits=NARROW_BITS)


def transform_case(case: Case, name: str, transform: Callable[..., tuple[torch.Tensor, ...]]) -> Case:
    """Return a case with other tensors, such as views of this one's."""
    return Case(name, lambda device: transform(*case.arguments(device)))


def vary_case(case: Case, suffix: str, transform: Callable[..., tuple[torch.Tensor, ...]]) -> Case:
    """Return a case with other tensors, whose name says in which way."""
    return transform_case(case, f"{case.name}, {suffix}", transform)


def vary_first(case: Case, suffix: str, transform: Callable[[torch.Tensor], torch.Tensor]) -> Case:
    """Return a case with another first tensor, whose name says in which way."""
    return vary_case(case, suffix, lambda first, *others: (transform(first), *others))


def extreme_factors(length: int, like: torch.Tensor) -> torch.Tensor:
    """Return factors of 1, and powers of 2 beyond float16's range."""
    import torch

    factors = torch.tensor((1.0, 2.0**20, 2.0**-30), dtype=like.dtype, device=like.device)
    return factors.repeat(length)[:length]


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun, such as "2 queries"."""
    plural = {"query": "queries"}.get(noun, f"{noun}s")
    return f"{number:,} {noun if number == 1 else plural}"


def small_picture(device: str) -> torch.Tensor:
    """Return the workshop's picture, (3, height, 64), values 0 to 1.

    It does without torchvision, whose import takes seconds.
    """
    import torch
    from PIL import Image

    with Image.open(PICTURE) as file:
        file.draft("RGB", (256, 256))  # a JPEG is decoded smaller at once
        picture = file.convert("RGB")
        picture = picture.resize((64, round(64 * picture.height / picture.width)))
    pixels = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    planes = pixels.view(picture.height, picture.width, 3).permute(2, 0, 1).float() / 255
    return planes.contiguous().to(device)
