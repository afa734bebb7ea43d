"""The pictures on the screen that the terminal itself shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from triton_workshop.screen.rows import Rows
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.pictures.drawing import PlacedPicture, clear_picture_caches

if TYPE_CHECKING:
    from triton_workshop.viewer.pictures.widget import KittyImageCache, PictureWidget


class PlacedPictures:
    """Pictures over rows that leave space for them."""

    def __init__(self) -> None:
        self.kitty_cache: KittyImageCache | None = None
        self._widgets: dict[Rows, list[PictureWidget]] = {}

    def place(self, pictures: Sequence[PlacedPicture], rows: Rows, terminal: Terminal) -> None:
        """Show these pictures, and no others, over some rows.

        A picture that is there already is only moved, so that the terminal need not get it again.
        """
        unused, widgets = self._widgets.get(rows, []), []
        for position in pictures:
            widget = next((widget for widget in unused if widget.picture == position.picture), None)
            if widget is not None:
                unused.remove(widget)
            else:
                from triton_workshop.viewer.pictures.widget import (
                    KittyImageCache,
                    PictureWidget,
                )  # not before a picture

                self.kitty_cache = self.kitty_cache or KittyImageCache()
                widget = PictureWidget(position.picture, terminal, self.kitty_cache)
                rows.mount(widget)
            widget.styles.offset = (position.x, position.y)
            widgets.append(widget)
        for widget in unused:
            widget.display = False  # hidden now; it is removed a moment later
            widget.remove()
        self._widgets[rows] = widgets

    def redraw(self) -> None:
        """Draw all pictures again, as some terminals lose them."""
        for widgets in self._widgets.values():
            for widget in widgets:
                widget.redraw()

    def forget(self, terminal: Terminal) -> str:
        """Drop everything made from picture files, after a save.

        Return the sequence that `release` returns.
        """
        clear_picture_caches()
        if terminal.shows_pictures:
            from triton_workshop.viewer.pictures.widget import clear_prepared

            clear_prepared()
        for rows in self._widgets:
            self.place((), rows, terminal)
        return self.release(terminal)

    def release(self, terminal: Terminal) -> str:
        """Return the sequence that frees the terminal's stored pictures."""
        return self.kitty_cache.release(terminal) if self.kitty_cache is not None else ""
