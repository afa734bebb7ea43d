"""What browsers get as it is: the pages, styles and scripts beside this file, and those of `browser`."""

from pathlib import Path

from triton_workshop.browser import bundle

SCRIPTS = ("page.js",)
"""The scripts of a page, in their order."""
LIVE_SCRIPTS = (*SCRIPTS, "parts.js", "loading.js", "transcript.js", "blocks.js", "exercises.js")
"""The scripts of a page in which kernels run."""
STYLES = ("page.css", "exercises.css")
"""The style of a page: these files, one after another."""


def asset(name: str) -> str:
    """The text of a file that belongs to the pages, by its name."""
    files = (folder / name for folder in (Path(__file__).parent, bundle.HERE))
    return next(file for file in files if file.is_file()).read_text(encoding="utf-8")
