"""The pages, styles and scripts that only a room has."""

from pathlib import Path

from triton_workshop.page.assets import asset


def room_asset(name: str) -> str:
    """Text of a file of the room."""
    return asset(name, Path(__file__).parent)
