"""Pictures of PIL and matplotlib on a slide.

Their own `show()` brings a picture to the slide, as our `show_image` does. Outside slides nothing changes.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from triton_workshop.processes.process import program
from triton_workshop.scripts import read_bytes
from triton_workshop.slide_environment import SLIDE

PICTURE_LIBRARY = re.compile(rb"\b(?:PIL|matplotlib|pylab|pyplot|seaborn|torchvision)\b")
"""Names in a script's text by which it may show pictures itself."""
PREPARED = program("from triton_workshop.processes.execution import main; main()")

# By name: this module knows neither pictures nor plots.
IMAGES, BACKEND = "triton_workshop.images", "triton_workshop.matplotlib_backend"


def show_pictures_in_slide() -> None:
    """Have `show()` show pictures in the slide, if there is one."""
    if SLIDE not in os.environ:
        return
    os.environ.setdefault("MPLBACKEND", f"module://{BACKEND}")  # matplotlib reads it when imported
    with suppress(ImportError):
        viewers = importlib.import_module("PIL.ImageShow")
        # Before the programs that PIL's `Image.show` looks for on this machine.
        viewers.register(type("SlideViewer", (viewers.Viewer,), {"show_image": _show_image}), 0)


def _show_image(_: object, image: object, **_options: object) -> int:
    importlib.import_module(IMAGES).show_image(image)
    return 1


def python_command(arguments: Sequence[str], *, in_slide: bool = True) -> list[str]:
    """Return the command `python -u ARGUMENTS…`.

    A script in a slide that may show pictures is started in another way.
    """
    try:
        prepared = in_slide and PICTURE_LIBRARY.search(read_bytes(Path(arguments[0]))) is not None
    except OSError:  # Python itself reads or reports this best
        prepared = False
    return [sys.executable, "-u", *(["-c", PREPARED] if prepared else []), *arguments]
