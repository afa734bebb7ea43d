"""How much memory the machine has."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""What a container may have, in bytes, or `max` (Linux, "Control Group v2")."""


def machine_memory() -> int | None:
    """Bytes of memory of this machine, or of the container that this is; None where nobody says."""
    sizes: list[int] = []
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):
        sizes.append(int(CONTAINER_LIMIT.read_text()))
    return min(sizes, default=None)
