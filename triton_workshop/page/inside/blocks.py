"""Execution of a slide's block in this process.

The viewer has another process do it.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.page.inside.cleaning import clean_process
from triton_workshop.page.inside.output import capture_output
from triton_workshop.page.inside.time_limit import TimeIsUpError, time_limit
from triton_workshop.processes.execution import become_main, execute, without_internal_frames
from triton_workshop.processes.locations import line_renamer
from triton_workshop.processes.script import environment
from triton_workshop.processes.slide_pictures import PICTURE_LIBRARY, show_pictures_in_slide
from triton_workshop.repository import PICTURE
from triton_workshop.slide_environment import Numbers, numbering

LIMIT_SECONDS = 60.0
"""Seconds that a block may take."""
NAME = "block.py"


@dataclass(frozen=True)
class BlockResult:
    """End of a block, in words where it failed.

    `changed` lists its changes to the modules of this process.
    """

    failed: str
    seconds: float
    changed: Sequence[str]


def run(
    text: str,
    folder: Path,
    *,
    numbers: Numbers = (),
    columns: int = 80,
    limit_seconds: float = LIMIT_SECONDS,
) -> BlockResult:
    """Run a block's code in an empty folder; it prints to descriptor 1.

    Pictures that it shows are left in that folder as PNG files, which the output names (`images.PICTURE_MARK`).
    `numbers` are those of its lines on the slide.
    """
    started, failed, exhausted = time.perf_counter(), "", list[str]()
    with clean_process(folder) as changed:
        shutil.copyfile(PICTURE, folder / PICTURE.name)  # as in the deck's own folder
        file = folder / NAME
        file.write_text(text, encoding="utf-8")
        os.environ.update(environment(columns, folder))
        os.environ.update(numbering(file, numbers) if numbers else {})
        main, rename = sys.modules["__main__"], line_renamer(file, numbers)
        with capture_output(lambda printed: os.write(1, rename(printed.encode("utf-8", "replace")))):
            script = become_main([str(file)])
            if PICTURE_LIBRARY.search(text.encode()):  # others need not wait for PIL
                show_pictures_in_slide()
            try:
                with time_limit(limit_seconds, str(file).__eq__):
                    execute(script)
            except SystemExit as exit_error:
                failed = _exit_status(exit_error)
            except TimeIsUpError as timeout:
                failed = f"over the time limit of {limit_seconds:g} s, on line {timeout.line}"
            except BaseException as error:
                visible_error = without_internal_frames(error)
                sys.excepthook(type(visible_error), visible_error, visible_error.__traceback__)
                failed = "exit 1"
                if isinstance(error, MemoryError):  # what has grown never shrinks
                    exhausted.append("its memory")
            finally:
                sys.modules["__main__"] = main
    return BlockResult(failed, time.perf_counter() - started, [*changed(), *exhausted])


def _exit_status(exit_error: SystemExit) -> str:
    if exit_error.code in (None, 0):
        return ""
    if not isinstance(exit_error.code, int):
        print(exit_error.code, file=sys.stderr)
    return f"exit {exit_error.code if isinstance(exit_error.code, int) else 1}"
