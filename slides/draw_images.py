"""Draw the deck's diagrams into slides/images.

    uv run slides/draw_images.py [NAME…]

Without names it draws them all. What each shows stands at the function of its name, in slides/drawing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from drawing import matrices, memory, performance, pictures, programs
from drawing.canvas import Canvas

OUTPUT = Path(__file__).parent / "images"

DRAWINGS: dict[str, Callable[[Canvas], None]] = {
    drawing.__name__: drawing
    for drawing in (
        programs.programs_vector,
        programs.scalar_block,
        programs.grid_program_tile,
        memory.memory_hierarchy,
        memory.row_major,
        memory.offsets_2d,
        pictures.image_planes,
        pictures.sliding_window,
        matrices.matmul_tiles,
        matrices.grouped_order,
        performance.leaky_relu,
        performance.fusion,
        performance.roofline,
    )
}


def draw(name: str, folder: Path = OUTPUT) -> Path:
    """Draw one picture and say where it is."""
    canvas = Canvas()
    DRAWINGS[name](canvas)
    path = folder / f"{name}.png"
    canvas.save(path)
    return path


def main() -> None:
    names = sys.argv[1:] or list(DRAWINGS)
    unknown = [name for name in names if name not in DRAWINGS]
    if unknown:
        sys.exit(f"There is no drawing named {', '.join(unknown)}; name one of {', '.join(DRAWINGS)}.")
    for name in names:
        print(f"wrote {draw(name)}")


if __name__ == "__main__":
    main()
