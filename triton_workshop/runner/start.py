"""Starts a warm parent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

from triton_workshop.runner.freshness import PACKAGE
from triton_workshop.runner.modes import Mode


def start_parent(
    mode: Mode, door: int, variables: Mapping[str, str], idle_seconds: float | None = None
) -> subprocess.Popen[bytes]:
    """Starts the process that `parent.main` describes. Raises OSError."""
    program = (
        # Not -m, which would look for modules in the current folder first.
        f"import sys; sys.path[0] = {str(PACKAGE.parent)!r}; from triton_workshop.runner import parent; "
        f"parent.main(parent.Mode({mode.value!r}), {door}, idle_seconds={idle_seconds})"
    )
    return subprocess.Popen(
        [sys.executable, "-u", "-c", program],
        cwd="/",
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[door],
        start_new_session=True,
    )
