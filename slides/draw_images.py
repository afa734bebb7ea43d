"""Draw the deck's diagrams into slides/images.

    uv run slides/draw_images.py [NAME…]

Without names it draws them all: NAME.png, and for terminals that show no pictures NAME.76.ans and NAME.116.ans. What
each shows stands at the function of its name, in slides/drawing; NAME_cells draws the same words and numbers in cells.
Poseidon's pictures and the dividers were made for this workshop, by scripts in commit f93d8a6.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from drawing import attention, hardware, matrices, memory, performance, pictures, programs
from drawing.canvas import Canvas
from drawing.cells import WIDTHS, CellCanvas

OUTPUT = Path(__file__).parent / "images"

DRAWINGS: dict[str, tuple[Callable[[Canvas], None], Callable[[CellCanvas], None]]] = {
    drawing.__name__: (drawing, in_cells)
    for drawing, in_cells in (
        (hardware.gpu_sms_programs, hardware.gpu_sms_programs_cells),
        (programs.programs_vector, programs.programs_vector_cells),
        (programs.scalar_block, programs.scalar_block_cells),
        (programs.grid_program_tile, programs.grid_program_tile_cells),
        (memory.memory_hierarchy, memory.memory_hierarchy_cells),
        (memory.row_major, memory.row_major_cells),
        (memory.offsets_2d, memory.offsets_2d_cells),
        (pictures.image_planes, pictures.image_planes_cells),
        (pictures.sliding_window, pictures.sliding_window_cells),
        (matrices.matmul_tiles, matrices.matmul_tiles_cells),
        (matrices.grouped_order, matrices.grouped_order_cells),
        (attention.attention_tiles, attention.attention_tiles_cells),
        (performance.leaky_relu, performance.leaky_relu_cells),
        (performance.fusion, performance.fusion_cells),
        (performance.roofline, performance.roofline_cells),
    )
}


def picture(name: str) -> Canvas:
    canvas = Canvas()
    DRAWINGS[name][0](canvas)
    return canvas


def in_cells(name: str, columns: int) -> CellCanvas:
    canvas = CellCanvas(columns)
    DRAWINGS[name][1](canvas)
    return canvas


def draw(name: str, folder: Path = OUTPUT) -> list[Path]:
    """Draw one diagram in each of its forms and say where they are."""
    png = folder / f"{name}.png"
    picture(name).save(png)
    texts = {folder / f"{name}.{columns}.ans": in_cells(name, columns).ansi for columns in WIDTHS}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return [png, *texts]


def main() -> None:
    names = sys.argv[1:] or list(DRAWINGS)
    unknown = [name for name in names if name not in DRAWINGS]
    if unknown:
        sys.exit(f"There is no drawing named {', '.join(unknown)}; expected one of {', '.join(DRAWINGS)}.")
    for name in names:
        print("wrote", *draw(name))


if __name__ == "__main__":
    main()
