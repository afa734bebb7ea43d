"""The scrolling part of a slide between title and footer, with the editor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.geometry import Region, Spacing

from triton_workshop.deck.model import Block, Code, Deck
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows
from triton_workshop.viewer.live.live_blocks import BlockRun, match_blocks
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.slides.fragment import Spot, SpotTarget
from triton_workshop.viewer.slides.page import EDITOR_INSET, DrawnSlide
from triton_workshop.viewer.slides.view import OpenEditor

if TYPE_CHECKING:
    from textual.widgets import TextArea

    from triton_workshop.viewer.live.editor import Editor


class Body(VerticalScroll, can_focus=False):
    """A page, which scrolls if it is taller than the screen.

    At most one of its blocks is edited.
    """

    DEFAULT_CSS = """
    Body { height: 1fr; scrollbar-size: 0 0; background: $background; }
    Body > Rows { background: $background; min-height: 0; }
    """

    def __init__(self, presentation: Presentation, redraw: Callable[[], None]) -> None:
        """Show a presentation; `redraw` composes its page again."""
        self.canvas = Rows(name="canvas")
        super().__init__(self.canvas)
        self.presentation = presentation
        self.redraw = redraw
        self.page = DrawnSlide((), (), 0, (), {})
        self.editor: Editor | None = None
        self.follows = False
        """True to scroll to output while it grows."""

    def draw(self, page: DrawnSlide, *, from_top: bool = False) -> None:
        """Show a page, and the editor where it belongs on it."""
        self.page = page
        if from_top:
            # Otherwise Textual scrolls after its next refresh, which already shows the new page.
            self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self.canvas.show(page.body)
        spot = self._editor_spot()
        if self.editor is not None and spot is not None:
            width = max(spot.width - EDITOR_INSET, 1)
            self.editor.styles.width, self.editor.styles.height = width, self.editor.rows(width)
            self.editor.styles.offset = (spot.x + EDITOR_INSET, spot.y)

    def spot_at(self, x: int, y: int) -> Spot | None:
        """Return the spot at a cell of the page, if there is one."""
        return next((spot for spot in self.page.spots if spot.covers(x, y)), None)

    # Scrolling

    @property
    def more(self) -> bool:
        """True if a part of the page is below the screen."""
        return len(self.page.body) - self.page.body_rows > self.scroll_offset.y

    def scroll_by(self, amount: float) -> None:
        """Scroll by lines, or by a fraction of the screen."""
        self.follows = False
        rows = amount if isinstance(amount, int) else round(amount * self.size.height)
        self.scroll_relative(y=rows, animate=False)

    def on_mouse_scroll_up(self) -> None:
        """Stop following the output."""
        self.follows = False

    def show_revealed(self, previous_rows: int) -> None:
        """Scroll to the rows that a step has added.

        If they are taller than the screen, scroll to their top.
        """
        if len(self.page.body) > previous_rows:
            self._scroll_down(min(len(self.page.body) - self.page.body_rows, previous_rows))

    def follow_output(self, runs: Mapping[Block, BlockRun]) -> None:
        """Scroll to the end of the newest output, unless the presenter scrolled."""
        if not self.follows:
            return
        blocks = [block for block in self.page.live if block in runs]
        started = [block for block in blocks if runs[block].started]
        if started:
            newest = max(started, key=lambda block: runs[block].started)
            self._scroll_down(self.page.live[newest].bottom - self.page.body_rows)

    def _scroll_down(self, row: int) -> None:
        if row > self.scroll_offset.y:
            self.call_after_refresh(self.scroll_to, y=row, animate=False, force=True)

    # Editing

    def edit_next(self, palette: Palette) -> bool:
        """Open the editor on the next live block; after the last, close it.

        Return whether there is a block to edit.
        """
        blocks = self.presentation.editable()
        current = self.edited
        if current is None:
            if blocks:
                self.open_editor(blocks[0], palette)
        elif current in blocks[:-1]:
            self.open_editor(blocks[blocks.index(current) + 1], palette)
        else:
            self.close_editor()
        return bool(blocks)

    def open_editor(self, edited: Block, palette: Palette, x: int = 0, y: int = 0) -> None:
        """Open the editor on a block, with the cursor at a cell of its code."""
        from triton_workshop.viewer.live.editor import Editor  # not before: the first slide does not wait for it

        self.close_editor()
        block = self.presentation.edits.source(edited)
        if isinstance(block.content, Code):
            self.editor = Editor(block, block.content, self.presentation.edits.draft(block), palette)
            self.canvas.mount(self.editor)
            self.redraw()
            self.editor.put_cursor(x - EDITOR_INSET, y)
            self.editor.focus(scroll_visible=False)
            self.follows = False
            self.call_after_refresh(self._show_all_of_editor)

    def save_edit(self) -> None:
        """Store the editor's text as an edit."""
        if self.editor is not None:
            self.presentation.edit(self.editor.block, self.editor.text, self.editor.history)

    def close_editor(self) -> None:
        """Close the editor, if it is open, and store its text."""
        if self.editor is not None:
            self.save_edit()
            self._remove_editor(self.editor)
            self.redraw()

    def _remove_editor(self, editor: Editor) -> None:
        editor.screen.set_focus(None)  # now, so that the next key is not typed into it
        editor.remove()
        self.editor = None

    def follow_reload(self, old_deck: Deck, palette: Palette) -> bool:
        """Keep the editor on its code in a deck that was read again.

        If the code is gone, close the editor. Return whether it was closed.
        """
        if self.editor is None:
            return False
        block = match_blocks(old_deck, self.presentation.deck_read).get(self.editor.block)
        if block is None or self.presentation.edits.current(block) not in self.presentation.editable():
            self._remove_editor(self.editor)
            return True
        self.editor.block = block
        self.editor.use_palette(palette)
        return False

    @property
    def edited(self) -> Block | None:
        """The block under the editor, as it is shown."""
        return None if self.editor is None else self.presentation.edits.current(self.editor.block)

    @property
    def open(self) -> OpenEditor | None:
        """The editor as a page needs it."""
        block = self.edited
        if self.editor is None or block is None:
            return None
        return OpenEditor(block, self.editor.rows)

    def _editor_spot(self) -> Spot | None:
        """Return the spot of the code under the editor."""
        block = self.edited
        return next((spot for spot in self.page.spots if (spot.block, spot.target) == (block, SpotTarget.CODE)), None)

    def _show_all_of_editor(self) -> None:
        """Scroll just far enough to show the header and the code.

        If they are too tall, show their start.
        """
        spot = self._editor_spot()
        if spot is not None:
            region = Region(0, spot.y - 1, 1, min(spot.height + 1, self.page.body_rows))
            self.scroll_to_region(region, animate=False, force=True)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Redraw when the text needs more or fewer rows."""
        editor = self.editor
        if event.text_area is not editor:
            return
        if editor.rows(editor.size.width) != editor.size.height:
            self.redraw()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Scroll to the cursor, with a row above and below it."""
        if event.text_area is not self.editor:
            return
        spot = self._editor_spot()
        if spot is not None:
            row = Region(0, spot.y + self.editor.cursor_row, 1, 1)
            around = Spacing(1, 0, 1, 0)
            self.call_after_refresh(self.scroll_to_region, row, spacing=around, animate=False, force=True)
