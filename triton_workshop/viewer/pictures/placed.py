"""The terminal's own pictures on the screen: which are there, where, and what the terminal holds for us."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from triton_workshop.screen.rows import Rows
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.pictures.drawing import PlacedPicture, forget_pictures

if TYPE_CHECKING:
    from triton_workshop.viewer.pictures.widget import Held, PictureWidget


class PlacedPictures:
    """Pictures that the terminal itself shows, over rows that leave room for them."""

    def __init__(self) -> None:
        self.held: Held | None = None
        self._widgets: dict[Rows, list[PictureWidget]] = {}

    def place(self, pictures: Sequence[PlacedPicture], rows: Rows, terminal: Terminal) -> None:
        """Put these pictures, and no others, where some rows want them; those that only move are moved."""
        left, placed = self._widgets.get(rows, []), []
        for at in pictures:
            widget = next((widget for widget in left if widget.picture == at.picture), None)
            if widget is not None:
                left.remove(widget)
            else:
                from triton_workshop.viewer.pictures.widget import Held, PictureWidget  # not before there is a picture

                self.held = self.held or Held()
                widget = PictureWidget(at.picture, terminal, self.held)
                rows.mount(widget)
            widget.styles.offset = (at.x, at.y)
            placed.append(widget)
        for widget in left:
            widget.display = False  # hidden now; it is removed a moment later
            widget.remove()
        self._widgets[rows] = placed

    def draw_again(self) -> None:
        """Draw all of them again, as some terminals lose them."""
        for widgets in self._widgets.values():
            for widget in widgets:
                widget.draw_again()

    def forget(self, terminal: Terminal) -> str:
        """Forget everything made from picture files, which have been saved since; return what `let_go` does."""
        forget_pictures()
        if terminal.shows_pictures:
            from triton_workshop.viewer.pictures.widget import forget_prepared

            forget_prepared()
        for rows in self._widgets:
            self.place((), rows, terminal)
        return self.let_go(terminal)

    def let_go(self, terminal: Terminal) -> str:
        """The sequence that makes the terminal forget what it holds for us."""
        return self.held.let_go(terminal) if self.held is not None else ""
