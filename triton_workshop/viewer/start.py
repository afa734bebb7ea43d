"""Fast start of the viewer, in an order that shows the first slide early."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from triton_workshop.screen.garbage_collection import postpone_collection, resume_collection
from triton_workshop.terminal import Terminal, query_terminal


@contextmanager
def starting() -> Iterator[Callable[[], Terminal]]:
    """Query the terminal's abilities while the viewer is imported.

    Yield a function that waits for the answer.
    """
    postpone_collection()
    try:
        # However this ends, it must be after the answer, which a shell would show as if it had been typed.
        with ThreadPoolExecutor(1) as background:
            yield background.submit(query_terminal).result
    finally:
        resume_collection()
