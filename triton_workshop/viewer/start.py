"""Shows the first slide as early as possible: what can wait does, and what takes time begins first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from triton_workshop.screen.garbage_collection import postpone_collection, resume_collection
from triton_workshop.terminal import Terminal, query_terminal


@contextmanager
def starting() -> Iterator[Callable[[], Terminal]]:
    """While the viewer is imported, asks the terminal what it can do; yields a function that waits for the answer."""
    postpone_collection()
    try:
        # However this ends, it must be after the answer, which a shell would show as if it had been typed.
        with ThreadPoolExecutor(1) as background:
            yield background.submit(query_terminal).result
    finally:
        resume_collection()
