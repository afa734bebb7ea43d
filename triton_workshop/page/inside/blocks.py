"""Runs a slide's block in this process, as the viewer has another one do it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.exercises.cases import PICTURE
from triton_workshop.page.inside.cleaning import cleaned
from triton_workshop.page.inside.limit import TimeIsUpError, limited
from triton_workshop.page.inside.output import printing_to
from triton_workshop.processes.execution import as_the_script_sees_it, execute, take_over
from triton_workshop.processes.locations import namer
from triton_workshop.processes.script import environment
from triton_workshop.processes.slide_pictures import in_slide
from triton_workshop.slide_environment import Numbers, numbering

LIMIT = 60.0
"""Seconds that a block may take."""
NAME = "block.py"


@dataclass(frozen=True)
class Ran:
    """How a block ended: in words where it failed. `changed` is what it did to the modules of this process."""

    failed: str
    seconds: float
    changed: Sequence[str]


def run(
    text: str,
    folder: Path,
    *,
    numbers: Numbers = (),
    columns: int = 80,
    limit: float = LIMIT,
) -> Ran:
    """Run a block's code in an empty folder. What it prints goes to descriptor 1.

    Pictures that it shows are left in that folder as PNG files, which the output names (`images.HANDED_OVER`).
    `numbers` are those of its lines on the slide.
    """
    started, failed, spent = time.perf_counter(), "", list[str]()
    with cleaned(folder) as changed:
        shutil.copyfile(PICTURE, folder / PICTURE.name)  # as in the deck's own folder
        file = folder / NAME
        file.write_text(text, encoding="utf-8")
        os.environ.update(environment(columns, folder))
        os.environ.update(numbering(file, numbers) if numbers else {})
        main, rename = sys.modules["__main__"], namer(file, numbers)
        with printing_to(lambda printed: os.write(1, rename(printed.encode("utf-8", "replace")))):
            script = take_over([str(file)])
            in_slide()
            try:
                with limited(limit, str(file).__eq__):
                    execute(script)
            except SystemExit as leaving:
                failed = _status(leaving)
            except TimeIsUpError as up:
                failed = f"over the time limit of {limit:g} s, on line {up.line}"
            except BaseException as error:
                error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
                shown = as_the_script_sees_it(error)
                sys.excepthook(type(shown), shown, shown.__traceback__)
                failed = "exit 1"
                if isinstance(error, MemoryError):  # what has grown never shrinks
                    spent.append("its memory")
            finally:
                sys.modules["__main__"] = main
    return Ran(failed, time.perf_counter() - started, [*changed(), *spent])


def _status(leaving: SystemExit) -> str:
    if leaving.code is None or leaving.code == 0:
        return ""
    if not isinstance(leaving.code, int):
        print(leaving.code, file=sys.stderr)
    return f"exit {leaving.code if isinstance(leaving.code, int) else 1}"
