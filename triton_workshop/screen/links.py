"""Opens links that are clicked."""

from __future__ import annotations

import os
import subprocess
import sys

SCHEMES = ("https://", "http://", "mailto:")
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER")
"""Variables without which Linux has no browser with a window.

Its other browsers would write into our terminal.
"""

_opening: list[subprocess.Popen[bytes]] = []


def open_link(link: str) -> str:
    """Open a link in the user's browser, if there is one.

    Return the message to show.
    """
    if not link.startswith(SCHEMES):
        return f"↗ {link}"
    if not has_browser():
        return f"no browser here: {link}"
    # In a separate process: a browser may take its time, write to the terminal, or not exist after all.
    command = [sys.executable, "-m", "webbrowser", "-t", link]
    quiet = subprocess.DEVNULL
    _opening[:] = [process for process in _opening if process.poll() is None]
    try:
        _opening.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True))
    except OSError:
        return f"no browser here: {link}"
    return f"↗ {link}"


def has_browser() -> bool:
    """Return True if links can be opened here."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in DISPLAYS)
