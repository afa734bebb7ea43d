"""What the page's worker calls: get ready, run a block, check an exercise. Texts go in, JSON comes out."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.machinery import PathFinder
from pathlib import Path
from typing import NoReturn

WORK = Path("/tmp/page")
"""Where scripts run: it is emptied before each."""
WARMING = "2"
"""The exercise that is checked in advance: its cases are small, and its mistakes are drawn."""
MISTAKE = "0.393 * red", "0.393 * blue"


def prepare() -> None:
    """Import what scripts and the checker need. Call this first."""
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, "")  # the place of a script: each run puts its own there, and our files stay behind it
    sys.breakpointhook, os._exit = _no_debugger, _leave
    # The page's own counts microseconds in 32 bits, and fails after 36 minutes.
    time.process_time, time.process_time_ns = time.perf_counter, time.perf_counter_ns
    from triton_simulator.without_library import stand_in
    from triton_workshop.page.torch import install

    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, _LeftOut)
    install.install()
    stand_in.install()
    import triton_workshop
    from triton_simulator.races import waiting
    from triton_workshop import device
    from triton_workshop.checking.observing import child
    from triton_workshop.page.inside import blocks, judging, wording  # noqa: F401

    device.installed_gpus = lambda: ()  # type: ignore[assignment]  # nobody to ask
    child.prepare()
    for name in triton_workshop.__all__:  # as the first script would do it
        getattr(triton_workshop, name)
    waiting.Scheduler.wait = _cannot_wait  # type: ignore[assignment, method-assign]


def warm_up(step: int = 0) -> bool:
    """Check our own solution, then the same with a mistake, so that a learner's first check is as fast as the next.

    Returns whether there is another step: whatever is asked meanwhile comes before it.
    """
    from triton_workshop.exercises import EXERCISES

    right = EXERCISES[WARMING].solution
    check(WARMING, right.replace(*MISTAKE) if step else right, lambda verdict: None)
    return not step


def _no_debugger(*_arguments: object, **_named: object) -> None:
    """In place of Python's, which would find no terminal, and go on: on a laptop, a script stops there."""
    raise EOFError("there is no debugger in a page")


def _leave(status: int) -> NoReturn:
    """In place of Python's, which would end the page's Python with the script."""
    raise SystemExit(f"the script ended itself, exit status {status}")


class _LeftOut:
    """Finds what the page leaves out of Python's own modules, and says so."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.partition(".")[0] in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"{name} is not in this page; on your laptop it works", name=name)


def _cannot_wait(*_: object) -> None:
    from triton_workshop.errors import WorkshopError

    raise WorkshopError(
        "The programs of this kernel wait for each other. A page has no threads, so it cannot run them; on your laptop "
        "they run."
    )


def run_block(text: str, numbers: Sequence[int | None] = (), columns: int = 80, limit: float = 0) -> str:
    """Run a slide's block, which prints to descriptor 1. Returns a `blocks.Ran`."""
    from triton_workshop.page.inside import blocks

    ran = blocks.run(text, WORK, numbers=list(numbers), columns=columns, limit=limit or blocks.LIMIT)
    return json.dumps(asdict(ran))


def check(number: str, text: str, tell: Callable[[str], object], limit: float = 0, search: float = 0) -> str:
    """Check an exercise; `tell` hears each verdict, as JSON, and what the script prints is thrown away.

    Returns what the script has changed in this process.
    """
    from triton_workshop.checking.check import LIMIT_SECONDS
    from triton_workshop.exercises import EXERCISES
    from triton_workshop.page.inside import judging
    from triton_workshop.page.inside.cleaning import cleaned
    from triton_workshop.page.inside.output import printing_to
    from triton_workshop.page.inside.wording import described

    exercise = EXERCISES[number]
    with cleaned(WORK) as changed:
        file = WORK / f"{exercise.name}.py"
        file.write_text(text, encoding="utf-8")
        with printing_to(lambda printed: None):
            found = judging.verdicts(exercise, file, limit or LIMIT_SECONDS, search or judging.SEARCH_SECONDS)
            for verdict in found:
                tell(json.dumps(verdict.as_json() | {"described": described(verdict, exercise, text)}))
    return json.dumps(changed())
