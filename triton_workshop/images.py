"""Pictures: from a file to a tensor, and from a tensor to a screen.

The screen is the terminal or a slide; without either, a picture goes to a file.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from triton_workshop.device import resolve_device
from triton_workshop.slide_environment import PICTURES, SLIDE
from triton_workshop.terminal import query_terminal
from triton_workshop.terminal_pictures import MAX_PICTURE_COLUMNS, half_blocks, picture_output

if TYPE_CHECKING:
    import torch
    from PIL import Image

PICTURE_MARK = "\x1b_triton-workshop:picture;{}\x1b\\"
"""Mark in a process's output of the place where it has shown a picture.

It has the name of a PNG file in that folder, as an APC sequence, which terminals ignore (ECMA-48, 8.3.2).
"""
MAX_SIDE_PIXELS = 1600
"""Longest side in pixels of a picture that is sent to the viewer.

A slide across a projector's screen can show no more.
"""
PRESENTERM_MARGIN_COLUMNS = 10
"""Columns that presenterm keeps free beside a block's output."""


def load_image(path: str | Path, width: int | None = None) -> torch.Tensor:
    """Load a picture as a float32 tensor of shape (3, height, width).

    It is contiguous and on `DEVICE`, with values 0 to 1. With `width`, in pixels, it is scaled to that width and keeps
    its proportions.
    """
    import numpy as np
    import torch
    from PIL import Image

    device = resolve_device()
    with Image.open(path) as file:
        picture = file.convert("RGB")
    if width is not None:
        picture = picture.resize((width, max(1, round(width * picture.height / picture.width))))
    # Not with torchvision, whose import takes seconds, during which a slide would wait for its picture.
    pixels = torch.from_numpy(np.array(picture)).permute(2, 0, 1)
    return pixels.to(torch.float32).div(255).contiguous().to(device)


def show_image(picture: torch.Tensor | Image.Image | str | Path) -> None:
    """Show a picture in the terminal or in the slide, or else save a PNG.

    A tensor is (3, height, width), or (1, height, width) or (height, width) for shades of grey, with values 0 to 1;
    values outside are clipped. Raises ValueError for any other shape.
    """
    image = as_pil(picture)
    viewer = os.environ.get(PICTURES)
    if viewer:
        with suppress(OSError):  # the viewer is on another machine, or has gone
            _send_to_viewer(image, Path(viewer))
            return
    if sys.stdout.isatty():
        _show_in_terminal(image)
        return
    columns = slide_columns(os.environ)
    if columns is not None:
        print(half_blocks(image, min(columns, MAX_PICTURE_COLUMNS)), flush=True)
        return
    with tempfile.NamedTemporaryFile(prefix="triton-workshop-", suffix=".png", delete=False) as file:
        image.save(file, format="PNG")
    print(f"picture written to {file.name}", flush=True)


def _send_to_viewer(image: Image.Image, folder: Path) -> None:
    """Send the picture to the viewer.

    The viewer shows it at this place in the output. Raises OSError.
    """
    if max(image.size) > MAX_SIDE_PIXELS:
        image = image.copy()
        image.thumbnail((MAX_SIDE_PIXELS, MAX_SIDE_PIXELS))
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".png", delete=False) as file:
        image.save(file, format="PNG", compress_level=1)
    print(end=PICTURE_MARK.format(Path(file.name).name), flush=True)


def as_pil(picture: torch.Tensor | Image.Image | str | Path) -> Image.Image:
    """Return the picture as 8-bit RGB; transparent parts become white."""
    from PIL import Image

    if isinstance(picture, Image.Image):
        return _opaque(picture)
    if isinstance(picture, str | Path):
        with Image.open(picture) as file:
            # PIL reads the pixels only now, so the file has to be open.
            return _opaque(file)
    # NaN has no byte of its own: whatever it became would differ between machines.
    values = picture.detach().float().nan_to_num(0.0).clamp(0.0, 1.0).cpu()
    if values.ndim == 2:
        values = values[None]
    if values.ndim != 3 or values.shape[0] not in (1, 3):
        raise ValueError(f"expected a picture of shape (3, height, width), got {tuple(picture.shape)}")
    bytes_ = values.expand(3, -1, -1).permute(1, 2, 0).mul(255).round().byte().contiguous().numpy()
    return Image.fromarray(bytes_)


def _opaque(picture: Image.Image) -> Image.Image:
    from PIL import Image

    if not picture.has_transparency_data:
        return picture.convert("RGB")
    layer = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def slide_columns(environ: Mapping[str, str]) -> int | None:
    """Return the columns for a picture in this process's slide.

    Return None outside slides. `TRITON_WORKSHOP_SLIDE` gives the width. presenterm does not set it, so there the
    terminal's width decides.
    """
    value = environ.get(SLIDE, "")
    if value.isdecimal() and int(value) > 0:
        return int(value)
    if _parent_is_presenterm():
        return max(20, _controlling_terminal_columns() - PRESENTERM_MARGIN_COLUMNS)
    return None


@functools.cache
def _parent_is_presenterm() -> bool:
    return "presenterm" in _process_name(os.getppid())


def _process_name(pid: int) -> str:
    command = Path(f"/proc/{pid}/comm")
    if command.exists():
        return command.read_text(encoding="utf-8", errors="replace")
    if shutil.which("ps") is None:
        return ""
    return subprocess.run(["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout


def _controlling_terminal_columns() -> int:
    try:
        with Path("/dev/tty").open("rb") as terminal:
            return os.get_terminal_size(terminal.fileno()).columns
    except OSError:
        return 80


def _show_in_terminal(image: Image.Image) -> None:
    columns = min(MAX_PICTURE_COLUMNS, shutil.get_terminal_size().columns)
    terminal = query_terminal()
    if terminal.shows_pictures:
        print(end=picture_output(image, terminal, columns), flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    # With Rich, which knows which terminals have 256 colours or none.
    Console().print(Text.from_ansi(half_blocks(image, columns)))
