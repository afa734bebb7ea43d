"""Draw what each exercise gets and returns, for the tasks in the page.

Run it by `python -m benchmarks.task_pictures`.

Pictures are shown as they are; of other tensors, numbers below 0 are blue and those above are orange.
"""

from __future__ import annotations

import ast
import base64
import io
import json
from collections.abc import Iterator

import numpy as np
import torch
from PIL import Image

from triton_workshop.atomic_write import write_atomically
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.page.assets import FOLDER

FILE = FOLDER / "task_pictures.json"
COLOURS = 64
"""Of a picture: more take more bytes than they show."""
ROWS, COLUMNS = 32, 48
"""The most elements of a tensor that are shown."""
NEAR_ZERO, BELOW, ABOVE = np.array((118, 124, 130)), np.array((64, 132, 214)), np.array((236, 150, 62))


def pictures(exercise: Exercise) -> list[dict[str, object]]:
    """Return a picture for each tensor of a call, and one for what it returns."""
    case = exercise.picture or exercise.cases[0]
    arguments = case.arguments("cpu")
    named = [*zip(parameters(exercise), arguments, strict=True), ("→", exercise.reference(*to_float64(arguments)))]
    is_picture = exercise.picture is not None
    return [draw(name, tensor, is_picture=is_picture) for name, tensor in named if tensor.ndim]


def parameters(exercise: Exercise) -> list[str]:
    """Return the names of the launcher's parameters."""
    functions = (each for each in ast.parse(exercise.shipped_text).body if isinstance(each, ast.FunctionDef))
    launcher = next(each for each in functions if each.name == exercise.launcher)
    return [argument.arg for argument in launcher.args.args]


def draw(name: str, tensor: torch.Tensor, *, is_picture: bool) -> dict[str, object]:
    pixels = colours(tensor.numpy(), is_picture=is_picture and tensor.ndim == 3)
    data = io.BytesIO()
    Image.fromarray(pixels).quantize(COLOURS).save(data, "PNG", optimize=True)
    shape = " × ".join(f"{size:,}" for size in tensor.shape)
    return {"name": name, "shape": shape, "png": base64.b64encode(data.getvalue()).decode(), "width": pixels.shape[1]}


def colours(numbers: np.ndarray, *, is_picture: bool) -> np.ndarray:
    """Return (rows, columns, 3) bytes of a picture's channels.

    Without channels, they are those of the first matrix.
    """
    if is_picture:
        channels = np.clip(numbers, 0, 1) * 255
        pixels: np.ndarray = channels.transpose(1, 2, 0).astype(np.uint8)
        return pixels
    while numbers.ndim > 2:
        numbers = numbers[0]
    shown = np.atleast_2d(numbers)[:ROWS, :COLUMNS].astype(np.float64)
    shares = np.clip(shown / (np.abs(shown).max() or 1), -1, 1)[..., None]
    ends = np.where(shares < 0, BELOW, ABOVE)
    shades: np.ndarray = (NEAR_ZERO + (ends - NEAR_ZERO) * np.abs(shares)).round().astype(np.uint8)
    return shades


def tasks() -> Iterator[tuple[str, list[dict[str, object]]]]:
    for number, exercise in EXERCISES.items():
        yield number, pictures(exercise)


def main() -> None:
    write_atomically(FILE, (json.dumps(dict(tasks()), ensure_ascii=False, indent=1) + "\n").encode())


if __name__ == "__main__":
    main()
