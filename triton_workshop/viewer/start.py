"""The way to the first slide: what can wait for it waits, and what takes time begins first."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from triton_workshop.viewer.terminal import Terminal, ask


@contextmanager
def starting() -> Iterator[Callable[[], Terminal]]:
    """While the viewer is imported, the terminal is asked what it can do; what is given waits for its answer.

    Nor is garbage collected until `first_slide_shown`. What is made meanwhile stays, and to look through it again and
    again takes up to a tenth of the time.
    """
    gc.disable()
    try:
        # However this ends, it ends after the answer: a shell would show it as if it had been typed.
        with ThreadPoolExecutor(1) as background:
            yield background.submit(ask).result
    finally:
        first_slide_shown()


def first_slide_shown() -> None:
    """Lets garbage be collected from now on, what was made before excepted: it stays to the end."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
