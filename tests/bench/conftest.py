"""Kernels of these tests run in this process, on the simulator: see `simulator/conftest.py`."""

from __future__ import annotations

from simulator.tests.conftest import _interpreted, pytest_collect_file, pytest_collection_finish  # noqa: F401
