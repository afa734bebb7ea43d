"""A scripted room, and the file of somebody who may join it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attendance.scripted import Scripted, scripted_room


@pytest.fixture
def room() -> Iterator[Scripted]:
    with scripted_room() as scripted:
        yield scripted


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "room.json"
