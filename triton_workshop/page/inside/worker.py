"""Functions that the page's worker calls.

It prepares, runs blocks and checks exercises. Texts go in, JSON comes out.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from triton_workshop.page.inside.python import adapt_python

if TYPE_CHECKING:
    from triton_workshop.page.inside.interruption import Pause

WORK_FOLDER = Path("/tmp/page")
"""Folder in which scripts run, emptied before each."""
WARM_UP_EXERCISE = "2"
"""Exercise that is checked in advance.

Its cases are small, and its mistakes are drawn.
"""
MISTAKE = "0.393 * red", "0.393 * blue"


def prepare() -> None:
    """Import what scripts need. Call this first.

    The checker is as much again, which `check` imports before it runs a script.
    """
    os.environ["TRITON_INTERPRET"] = "1"
    sys.path.insert(0, "")  # each run replaces it by its script's folder, and our files stay behind it
    adapt_python()
    from triton_simulator.without_library import stand_in
    from triton_workshop.page.torch import install

    install.install()
    stand_in.install()
    import triton_workshop
    from triton_workshop.device import use_simulator
    from triton_workshop.page.inside import blocks  # noqa: F401
    from triton_workshop.simulation import simulate

    use_simulator()
    simulate()
    for name in triton_workshop.__all__:  # as the first script would do it
        getattr(triton_workshop, name)


def warm_up(step: int = 0) -> bool:
    """Check our solution, then the same with a mistake.

    So a learner's first check is as fast as the next. Returns whether there is another step: requests in between come
    before it.
    """
    from triton_workshop.exercises import EXERCISES

    solution = EXERCISES[WARM_UP_EXERCISE].solution
    check(WARM_UP_EXERCISE, solution.replace(*MISTAKE) if step else solution, lambda verdict: None)
    return not step


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
    number: str,
    text: str,
    notify: Callable[[str], object],
    limit_seconds: float = 0,
    search_seconds: float = 0,
    pause: Pause | None = None,
    on_case: Callable[[bool], None] = lambda passed: None,
) -> str:
    """Check an exercise; return what the script has changed, as JSON.

    `notify` is called with each verdict, as JSON, and `on_case` with whether a case has passed. What the script prints
    is thrown away. `pause` may end the check.
    """
    # Imported here, as these import torch and Triton, which `prepare` has to put in place before.
    from triton_workshop.checking.check import LIMIT_SECONDS
    from triton_workshop.exercises import EXERCISES
    from triton_workshop.page.inside import judging, looking
    from triton_workshop.page.inside.cleaning import clean_process
    from triton_workshop.page.inside.interruption import interruptible
    from triton_workshop.page.inside.output import capture_output
    from triton_workshop.page.inside.wording import describe_verdict

    exercise = EXERCISES[number]
    looking.forget()
    with clean_process(WORK_FOLDER) as changed:
        file = WORK_FOLDER / f"{exercise.name}.py"
        file.write_text(text, encoding="utf-8")
        with capture_output(lambda printed: None), interruptible(pause) as checkpoint:
            verdicts = judging.verdicts(
                exercise,
                file,
                limit_seconds or LIMIT_SECONDS,
                search_seconds or judging.SEARCH_SECONDS,
                lambda case: on_case(case.passed),
            )
            for verdict in verdicts:
                checkpoint()
                notify(json.dumps(verdict.as_json() | {"described": describe_verdict(verdict, exercise, text)}))
    return json.dumps(changed())


def demo(number: str, text: str, photo: memoryview | None = None, pause: Pause | None = None) -> str:
    """Run a right script on a picture; return its results as JSON.

    `photo` is the reader's picture, as a file has it; by default it is the workshop's. `pause` may end the run.
    """
    from triton_workshop.exercises import EXERCISES
    from triton_workshop.page.inside.cleaning import clean_process
    from triton_workshop.page.inside.demo import demonstrate
    from triton_workshop.page.inside.interruption import interruptible
    from triton_workshop.page.inside.output import capture_output

    exercise, made = EXERCISES[number], dict[str, object](pictures=[])
    with clean_process(WORK_FOLDER) as changed, capture_output(lambda printed: None), interruptible(pause):
        file = WORK_FOLDER / f"{exercise.name}.py"
        file.write_text(text, encoding="utf-8")
        made = demonstrate(exercise, file, text, bytes(photo or b""))
    return json.dumps({"demo": made, "changed": changed()})


def look(number: str, text: str, wish: str, pause: Pause | None = None) -> str:
    """Look inside a script; return a view and what the script has changed.

    A wish and the result are JSON. A scratch pad has no number of an exercise. `pause` may end the run.
    """
    from triton_workshop.exercises import EXERCISES
    from triton_workshop.page.inside import looking
    from triton_workshop.page.inside.cleaning import clean_process
    from triton_workshop.page.inside.interruption import interruptible
    from triton_workshop.page.inside.output import capture_output

    exercise, view = EXERCISES.get(number), dict[str, object](problem="")
    with clean_process(WORK_FOLDER) as changed, capture_output(lambda printed: None), interruptible(pause):
        file = WORK_FOLDER / f"{exercise.name if exercise else 'script'}.py"
        file.write_text(text, encoding="utf-8")
        view = looking.look(exercise, file, text, json.loads(wish))
    return json.dumps({"view": view, "changed": changed()})
