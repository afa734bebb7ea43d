"""PIL's and matplotlib's own `show()` in a slide: they bring the picture there, as our `show_image` does.

Nothing is imported for it before a script imports what it is for, and nothing changes outside of slides.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from triton_workshop.processes.freshness import PACKAGE

SLIDE = "TRITON_WORKSHOP_SLIDE"
NAMED = re.compile(rb"\b(?:PIL|matplotlib|pylab|pyplot|seaborn|torchvision)\b")
"""What a script names that may show pictures by itself."""
PREPARED = (
    # Not -m, which would look for modules in the current folder first.
    f"import sys; sys.path[0] = {str(PACKAGE.parent)!r}; from triton_workshop.processes.as_main import main; main()"
)

# By name: this room knows neither pictures nor plots.
IMAGES, BACKEND = "triton_workshop.images", "triton_workshop.matplotlib_backend"


def in_slide() -> None:
    """From now on in this process, where it is a slide's: what shows pictures shows them in the slide."""
    if SLIDE not in os.environ:
        return
    later: dict[str, Callable[[ModuleType], None]] = {}
    for name, change in (("PIL.ImageShow", _show_as_we_do), ("matplotlib", _draw_for_slides)):
        if (module := sys.modules.get(name)) is not None:
            change(module)
        else:
            later[name] = change
    sys.meta_path.insert(0, _Changes(later))


def python_command(arguments: Sequence[str], *, in_slide: bool = True) -> list[str]:
    """What runs `python -u ARGUMENTS…`: those words, but for a script in a slide that may show pictures."""
    try:
        prepared = in_slide and NAMED.search(Path(arguments[0]).read_bytes()) is not None
    except OSError:  # which Python says best
        prepared = False
    return [sys.executable, "-u", *(["-c", PREPARED] if prepared else []), *arguments]


def _show_as_we_do(pillow: ModuleType) -> None:
    """Puts our `show_image` before the programs that PIL's `Image.show` looks for on this machine."""

    def show_image(_: object, image: object, **_options: object) -> int:
        importlib.import_module(IMAGES).show_image(image)
        return 1

    pillow.register(type("SlideViewer", (pillow.Viewer,), {"show_image": show_image}), 0)


def _draw_for_slides(matplotlib: ModuleType) -> None:
    matplotlib.rcParams["backend"] = f"module://{BACKEND}"


class _Changes:
    """A finder of modules that finds none, but has some changed once they are imported."""

    def __init__(self, changes: dict[str, Callable[[ModuleType], None]]) -> None:
        self._changes = changes

    def find_spec(self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None) -> ModuleSpec | None:
        change = self._changes.pop(name, None)
        spec = importlib.util.find_spec(name) if change is not None else None
        if change is None or spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_change(module: ModuleType) -> None:
            execute(module)
            change(module)

        # On this one loader, so that the module keeps it with all that it can do.
        vars(spec.loader)["exec_module"] = execute_and_change
        return spec
