"""Chromium, for the pages of a room."""

from tests.chromium import browser  # noqa: F401
