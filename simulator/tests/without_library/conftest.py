"""These tests compare with the Triton of this process: see `simulator/conftest.py`."""

from __future__ import annotations

from ..conftest import _interpreted, pytest_collection_finish  # noqa: F401
