"""Functions that the page's worker calls.

It prepares, runs blocks and checks exercises. Texts go in, JSON comes out.
"""

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

WORK_FOLDER = Path("/tmp/page")
"""Folder in which scripts run, emptied before each."""
WARM_UP_EXERCISE = "2"
"""Exercise that is checked in advance.

Its cases are small, and its mistakes are drawn.
"""
MISTAKE = "0.393 * red", "0.393 * blue"


def prepare() -> None:
    """Import what scripts and the checker need. Call this first."""
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, "")  # each run replaces it by its script's folder, and our files stay behind it
    _patch(
        (sys, "breakpointhook", _no_debugger),
        (os, "_exit", _exit_script),
        # The page's own count microseconds in 32 bits, and fail after 36 minutes.
        (time, "process_time", time.perf_counter),
        (time, "process_time_ns", time.perf_counter_ns),
    )
    from triton_simulator.without_library import stand_in
    from triton_workshop.page.torch import install

    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, _ExcludedModules)
    install.install()
    stand_in.install()
    import triton_workshop
    from triton_simulator.races import waiting
    from triton_workshop import device
    from triton_workshop.checking.observing import child
    from triton_workshop.page.inside import blocks, judging, wording  # noqa: F401

    _patch(
        (device, "installed_gpus", lambda: ()),  # there is no driver to ask
        (waiting.Scheduler, "wait", _cannot_wait),
    )
    child.prepare()
    for name in triton_workshop.__all__:  # as the first script would do it
        getattr(triton_workshop, name)


def _patch(*patches: tuple[object, str, object]) -> None:
    """Replace attributes for good: this Python runs nothing but a page."""
    for owner, name, replacement in patches:
        setattr(owner, name, replacement)


def warm_up(step: int = 0) -> bool:
    """Check our solution, then the same with a mistake.

    So a learner's first check is as fast as the next. Returns whether there is another step: requests in between come
    before it.
    """
    from triton_workshop.exercises import EXERCISES

    solution = EXERCISES[WARM_UP_EXERCISE].solution
    check(WARM_UP_EXERCISE, solution.replace(*MISTAKE) if step else solution, lambda verdict: None)
    return not step


def _no_debugger(*_arguments: object, **_keywords: object) -> None:
    """Refuse to debug, where Python's own hook would find no terminal.

    On a laptop, a script stops there.
    """
    raise EOFError("there is no debugger in a page")


def _exit_script(status: int) -> NoReturn:
    """End the script, where Python's own would end the page's Python."""
    raise SystemExit(f"the script ended itself, exit status {status}")


class _ExcludedModules:
    """Finder of Python's own modules that the page leaves out."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Raise for a module of Python's own."""
        if name.partition(".")[0] in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"{name} is not in this page; on your laptop it works", name=name)


def _cannot_wait(*_: object) -> None:
    from triton_workshop.errors import WorkshopError

    raise WorkshopError(
        "The programs of this kernel wait for each other. A page has no threads, so it cannot run them; on your laptop "
        "they run."
    )


def run_block(text: str, numbers: Sequence[int | None] = (), columns: int = 80, limit_seconds: float = 0) -> str:
    """Run a slide's block, which prints to descriptor 1.

    Returns a `blocks.BlockResult` as JSON.
    """
    from triton_workshop.page.inside import blocks

    result = blocks.run(
        text, WORK_FOLDER, numbers=list(numbers), columns=columns, limit_seconds=limit_seconds or blocks.LIMIT_SECONDS
    )
    return json.dumps(asdict(result))


def check(
    number: str, text: str, notify: Callable[[str], object], limit_seconds: float = 0, search_seconds: float = 0
) -> str:
    """Check an exercise; return what the script has changed, as JSON.

    `notify` is called with each verdict, as JSON. What the script prints is thrown away.
    """
    from triton_workshop.checking.check import LIMIT_SECONDS
    from triton_workshop.exercises import EXERCISES
    from triton_workshop.page.inside import judging, looking
    from triton_workshop.page.inside.cleaning import clean_process
    from triton_workshop.page.inside.output import capture_output
    from triton_workshop.page.inside.wording import describe_verdict

    exercise = EXERCISES[number]
    looking.forget()
    with clean_process(WORK_FOLDER) as changed:
        file = WORK_FOLDER / f"{exercise.name}.py"
        file.write_text(text, encoding="utf-8")
        with capture_output(lambda printed: None):
            verdicts = judging.verdicts(
                exercise, file, limit_seconds or LIMIT_SECONDS, search_seconds or judging.SEARCH_SECONDS
            )
            for verdict in verdicts:
                notify(json.dumps(verdict.as_json() | {"described": describe_verdict(verdict, exercise, text)}))
    return json.dumps(changed())


def look(number: str, text: str, wish: str) -> str:
    """Look inside a script; return a view and what the script has changed.

    A wish and the result are JSON.
    """
    from triton_workshop.exercises import EXERCISES
    from triton_workshop.page.inside import looking
    from triton_workshop.page.inside.cleaning import clean_process
    from triton_workshop.page.inside.output import capture_output

    exercise = EXERCISES[number]
    with clean_process(WORK_FOLDER) as changed, capture_output(lambda printed: None):
        file = WORK_FOLDER / f"{exercise.name}.py"
        file.write_text(text, encoding="utf-8")
        view = looking.look(exercise, file, text, json.loads(wish))
    return json.dumps({"view": view, "changed": changed()})
