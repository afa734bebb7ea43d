"""Kernels of these tests are launched in this process, on the simulator, and compiled in others."""

from __future__ import annotations

from ..conftest import _interpreted, pytest_collection_finish  # noqa: F401
