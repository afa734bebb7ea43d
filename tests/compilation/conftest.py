"""Kernels of these tests are launched in this process, on the simulator, and compiled in others."""

from __future__ import annotations

from simulator.tests.conftest import _interpreted, pytest_collect_file, pytest_collection_finish  # noqa: F401
