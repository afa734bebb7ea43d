"""The editor over a live block's code, in the colours of the slide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.widgets import TextArea
from textual.widgets.text_area import Selection, TextAreaTheme

from triton_workshop.deck.model import Block, Code
from triton_workshop.printing import CONTROLS
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.richtext import code_lines
from triton_workshop.viewer.live.editing import Draft, visible_text

INDENT = 4


class Editor(TextArea):
    """Editor of one block's visible lines.

    It is as tall as its text: the slide scrolls, not the editor.
    """

    DEFAULT_CSS = """
    Editor, Editor:focus { position: absolute; border: none; padding: 0; scrollbar-size: 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+e", "app.run", "Run", show=False),
        Binding("ctrl+o", "app.edit", "Next block", show=False),
        Binding("escape", "app.cancel", "Leave", show=False),
        Binding("ctrl+x", "app.stop", "Stop the block", show=False),
        Binding("shift+tab", "outdent", "Unindent", show=False),
        Binding("alt+up", "app.scroll(-1)", "Scroll up", show=False),
        Binding("alt+down", "app.scroll(1)", "Scroll down", show=False),
    ]

    def __init__(self, block: Block, code: Code, draft: Draft | None, palette: Palette) -> None:
        """Continue at the end of the draft.

        A draft that is not active is one Ctrl+Z away.
        """
        text = draft.text if draft else visible_text(block)
        super().__init__(text, show_line_numbers=True)
        self.block = block
        self.code_language = code.language
        self.cursor_blink = False
        self.indent_width = INDENT
        self.use_palette(palette)
        if draft is not None:
            self.history = draft.history
            if not draft.active:
                # One Ctrl+Z then undoes this replacement, and nothing that was typed before it.
                self.history.checkpoint()
                self.replace(visible_text(block), (0, 0), self.document.end)
        self.move_cursor((0, 0))

    def use_palette(self, palette: Palette) -> None:
        """Draw in the colours of a palette."""
        self.palette = palette
        self.register_theme(text_area_theme(palette))
        self.theme = palette.name

    def rows(self, width: int) -> int:
        """Return the rows that the text needs at a width."""
        # One column stays free for a cursor after the last letter.
        self.wrapped_document.wrap(max(width - self.gutter_width - 1, 1), tab_width=INDENT)
        return max(self.wrapped_document.height, 1)

    @property
    def cursor_row(self) -> int:
        """The row of the editor that the cursor is on."""
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    def put_cursor(self, x: int, y: int) -> None:
        """Put the cursor at a cell of the editor that was clicked."""
        self.move_cursor(self.wrapped_document.offset_to_location(Offset(max(x - self.gutter_width, 0), max(y, 0))))

    def get_line(self, line_index: int) -> Text:
        """Return a line in the colours of its language."""
        lines = code_lines(self.code_language, tuple(self.document.lines), self.palette)
        plain = self.document.get_line(line_index)
        # A line of another length would misplace the cursor and the selection.
        line = lines[line_index].copy() if len(lines[line_index]) == len(plain) else Text(plain)
        line.end, line.no_wrap = "", True
        return line

    def scroll_cursor_visible(self, *_: object, **__: object) -> Offset:
        """Scroll nothing."""
        # All of the editor is laid out; the slide decides whether to scroll.
        self._recompute_cursor_offset()  # type: ignore[no-untyped-call]
        return Offset(0, 0)

    async def _on_key(self, event: events.Key) -> None:  # runs before TextArea's, not instead of it
        is_handled = self._indent(event.key) or await self._act(event.key)
        if is_handled:
            event.stop()
            event.prevent_default()

    async def _act(self, key: str) -> bool:
        """Run a key's action now.

        On the key's way up to the app, letters typed after it would overtake it.
        """
        for binding in self._bindings.key_to_bindings.get(key, ()):
            if await self.app.run_action(binding.action, self):
                return True
        return False

    def _indent(self, key: str) -> bool:
        """Handle a key that indents, as code editors do.

        Return False for any other key.
        """
        start, end = sorted(self.selection)
        prefix = self.document.get_line(start[0])[: start[1]]
        if key == "enter":
            self._replace_via_keyboard(f"\n{next_indent(prefix)}", start, end)
        elif key == "tab":
            if start[0] != end[0]:  # several lines are selected
                self._change_lines(indented)
            else:
                self._replace_via_keyboard(" " * (INDENT - start[1] % INDENT), start, end)
        elif key == "backspace":
            is_in_indent = prefix != "" and prefix == indent_of(prefix)
            if start != end or not is_in_indent:
                return False
            width = (len(prefix) - 1) % INDENT + 1
            self._delete_via_keyboard((start[0], start[1] - width), start)
        else:
            return False
        return True

    def _on_paste(self, event: events.Paste) -> None:  # type: ignore[override]
        """Insert pasted text without tabs, control characters and CR line ends."""
        event.stop()
        event.prevent_default()
        text = "\n".join(event.text.splitlines()) + ("\n" if event.text.endswith(("\n", "\r")) else "")
        self._replace_via_keyboard(text.expandtabs(INDENT).translate(CONTROLS), *self.selection)

    def action_outdent(self) -> None:
        """Indent the selected lines one step less."""
        self._change_lines(outdented)

    def _change_lines(self, change: Callable[[list[str]], list[str]]) -> None:
        """Change the selected lines, or the cursor's, and keep them selected."""
        (first, start_column), (last, end_column) = sorted(self.selection)
        is_last_empty = last > first and end_column == 0
        if is_last_empty:  # nothing of the last line is selected
            last -= 1
        lines = [self.document.get_line(number) for number in range(first, last + 1)]
        changed = change(lines)
        # An edit that changes nothing would still take a Ctrl+Z.
        if changed == lines:
            return
        moved = self.selection.is_empty
        self._replace_via_keyboard("\n".join(changed), (first, 0), (last, len(lines[-1])))
        if moved:
            self.move_cursor((first, max(start_column + len(changed[0]) - len(lines[0]), 0)))
        else:
            self.selection = Selection((first, 0), (last, len(changed[-1])))

    def action_cursor_page_up(self) -> None:
        """Move the cursor up by half a screen."""
        self._page(-1)

    def action_cursor_page_down(self) -> None:
        """Move the cursor down by half a screen."""
        self._page(1)

    def _page(self, screens: int) -> None:
        """Move by a screen, not by the editor's own height."""
        rows = max(self.app.size.height // 2, 1)
        self.move_cursor(self.navigator.get_location_at_y_offset(self.cursor_location, screens * rows))


def text_area_theme(palette: Palette) -> TextAreaTheme:
    """Return the palette as a theme of Textual's TextArea."""
    line = Style(bgcolor=palette.well)
    return TextAreaTheme(
        name=palette.name,
        base_style=Style(color=palette.text, bgcolor=palette.panel),
        gutter_style=Style(color=palette.faint, bgcolor=palette.panel),
        cursor_style=Style(color=palette.background, bgcolor=palette.accent),
        cursor_line_style=line,
        cursor_line_gutter_style=Style(color=palette.muted, bgcolor=palette.well),
        bracket_matching_style=Style(color=palette.emphasis, bold=True, underline=True),
        selection_style=Style(bgcolor=palette.bar, color=palette.on_bar),
    )


def indent_of(line: str) -> str:
    """Return the spaces at the start of a line."""
    return line[: len(line) - len(line.lstrip(" "))]


def next_indent(prefix: str) -> str:
    """Return the next line's indent, given the text before the cursor."""
    indent = indent_of(prefix)
    statement = prefix.partition("#")[0].rstrip()
    if statement.endswith((":", "(", "[", "{")):
        return indent + " " * INDENT
    first_word = next(iter(statement.split()), "")
    if first_word in ("return", "raise", "pass", "break", "continue"):
        return indent[:-INDENT] if not open_bracket(statement) else indent
    return indent


def open_bracket(text: str) -> bool:
    """Return True if more brackets open than close."""
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}"))


def indented(lines: Iterable[str]) -> list[str]:
    """Indent lines one step further; empty ones stay empty."""
    return [f"{' ' * INDENT}{line}" if line else line for line in lines]


def outdented(lines: Iterable[str]) -> list[str]:
    """Indent lines one step less, as far as they are indented."""
    return [line[min(len(indent_of(line)), INDENT) :] for line in lines]
