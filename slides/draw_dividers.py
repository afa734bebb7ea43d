"""Draw Poseidon for the first slide of each part into slides/images, as that part's kernels show him.

    uv run slides/draw_dividers.py

Sepia and edges are made by solutions/exercise_2.py and solutions/exercise_3.py, on the GPU or the simulator.
"""

from __future__ import annotations

import runpy
from pathlib import Path

# ruff: noqa: I001
from triton_workshop import DEVICE, load_image  # first: it chooses the GPU

import torch
from PIL import Image

from triton_workshop.checking.exercises.conv2d import SOBEL_X, SOBEL_Y
from triton_workshop.screen.palette import DARK

SLIDES = Path(__file__).parent
SOLUTIONS = SLIDES.parent / "solutions"
WIDTH, HEIGHT = 640, 480
GAP = 14
"""Pixels: about a terminal cell when the picture is 45 columns wide."""


def sepia(image: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = runpy.run_path(str(SOLUTIONS / "exercise_2.py"))["sepia"](image)
    return result


def edges(image: torch.Tensor) -> torch.Tensor:
    """The magnitude of the gradient, in the picture's shade of grey."""
    conv2d = runpy.run_path(str(SOLUTIONS / "exercise_3.py"))["conv2d"]
    found = torch.hypot(conv2d(image, image.new_tensor(SOBEL_X)), conv2d(image, image.new_tensor(SOBEL_Y)))
    return found.clamp(0, 1)[:, 2:-2, 2:-2]  # its frame is an edge too, as there are zeros outside


def apart(image: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    """The image cut into tiles, with the slides' background between them."""
    _, height, width = image.shape
    background = [int(DARK.background[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    result = image.new_tensor(background)[:, None, None].expand_as(image).clone()
    for row in range(rows):
        for column in range(columns):
            down = slice(row * height // rows, (row + 1) * height // rows - GAP)
            across = slice(column * width // columns, (column + 1) * width // columns - GAP)
            result[:, down, across] = image[:, down, across]
    return result


def main() -> None:
    image = load_image(SLIDES / "poseidon_triton.jpeg", width=WIDTH)[:, :HEIGHT].contiguous()
    pictures = {
        "poseidon_blocks": apart(image, 1, 4),
        "poseidon_sepia": sepia(image),
        "poseidon_edges": edges(image),
        "poseidon_tiles": apart(image, 3, 4),
    }
    for name, picture in pictures.items():
        pixels = (picture.permute(1, 2, 0) * 255).round().byte().cpu().numpy()
        path = SLIDES / "images" / f"{name}.jpeg"
        Image.fromarray(pixels).save(path, quality=88)
        print(f"wrote {path}, made on {DEVICE!r}")


if __name__ == "__main__":
    main()
