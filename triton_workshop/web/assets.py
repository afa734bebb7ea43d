"""What browsers get as it is: the pages, styles and scripts beside this file."""

from pathlib import Path


def asset(name: str) -> str:
    """The text of a file that belongs to the pages, by its name."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
