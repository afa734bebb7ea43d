"""The files whose tests have marks by their names are there."""

from __future__ import annotations

from types import ModuleType

import pytest

from simulator.tests import conftest as of_the_simulator
from tests import conftest as of_the_workshop


@pytest.mark.parametrize("conftest", [of_the_workshop, of_the_simulator], ids=lambda conftest: conftest.__name__)
def test_every_entry_begins_the_path_of_a_test_file(conftest: ModuleType) -> None:
    """One that matches nothing would take tests out of .ci/laptops or .ci/bare, and nobody would notice."""
    files = [file.relative_to(conftest.HERE).as_posix() for file in conftest.HERE.rglob("test_*.py")]
    entries = (*conftest.PLATFORM, *conftest.BARE, *getattr(conftest, "SLOW", ()), *getattr(conftest, "IN_NODE", ()))
    assert [entry for entry in entries if not any(file.startswith(entry) for file in files)] == []
