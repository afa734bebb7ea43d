"""On a Mac one program at a time can listen on the notes' port; Linux gives it to all."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock


@pytest.fixture(autouse=sys.platform == "darwin")
def _alone() -> Iterator[None]:
    with FileLock(Path(tempfile.gettempdir(), "triton-workshop-tests-of-notes.lock")):
        yield
