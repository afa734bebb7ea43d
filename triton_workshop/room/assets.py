"""Pages, styles and scripts that only a room has."""

from pathlib import Path

from triton_workshop.page.assets import asset


def room_asset(name: str) -> str:
    """Return the text of a file of the room."""
    return asset(name, Path(__file__).parent)
