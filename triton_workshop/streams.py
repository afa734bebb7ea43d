"""What has to hold of standard output before marks such as ✓ are written to it."""

from __future__ import annotations

import io
import sys


def speak_utf8() -> None:
    """Write UTF-8 wherever output goes. On Windows a pipe is not UTF-8, and a ✓ could not be written to it."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")
