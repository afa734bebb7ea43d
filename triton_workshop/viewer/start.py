"""Shows the first slide as early as possible: what can wait does, and what takes time begins first."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from triton_workshop.terminal import Terminal, ask


@contextmanager
def starting() -> Iterator[Callable[[], Terminal]]:
    """While the viewer is imported, asks the terminal what it can do; yields a function that waits for the answer.

    It also stops garbage collection until `first_slide_shown`. Objects made meanwhile stay, and scanning them
    repeatedly takes up to a tenth of the time.
    """
    gc.disable()
    try:
        # However this ends, it must be after the answer, which a shell would show as if it had been typed.
        with ThreadPoolExecutor(1) as background:
            yield background.submit(ask).result
    finally:
        first_slide_shown()


def first_slide_shown() -> None:
    """Allow garbage collection from now on, except for what was made before, which stays to the end."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
