"""The editor that lies over a live block's code, in the colours of the slide."""

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
from triton_workshop.viewer.live.editing import Draft, shown_text

INDENT = 4


class Editor(TextArea):
    """Edits the visible lines of one block. As tall as its text: the slide scrolls, not the editor."""

    DEFAULT_CSS = """
    Editor, Editor:focus { position: absolute; border: none; padding: 0; scrollbar-size: 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+e", "app.run", "Run", show=False),
        Binding("ctrl+o", "app.edit", "Next block", show=False),
        Binding("escape", "app.forget", "Leave", show=False),
        Binding("ctrl+x", "app.stop", "Stop the block", show=False),
        Binding("shift+tab", "outdent", "Unindent", show=False),
        Binding("alt+up", "app.scroll(-1)", "Scroll up", show=False),
        Binding("alt+down", "app.scroll(1)", "Scroll down", show=False),
    ]

    def __init__(self, block: Block, code: Code, draft: Draft | None, palette: Palette) -> None:
        """Continue where the draft ended; a draft that was put aside is one Ctrl+Z away."""
        text = draft.text if draft else shown_text(block)
        super().__init__(text, show_line_numbers=True)
        self.block = block
        self.code_language = code.language
        self.cursor_blink = False
        self.indent_width = INDENT
        self.use(palette)
        if draft is not None:
            self.history = draft.history
            if draft.aside:
                self.history.checkpoint()
                self.replace(shown_text(block), (0, 0), self.document.end)
        self.move_cursor((0, 0))

    def use(self, palette: Palette) -> None:
        self.palette = palette
        self.register_theme(text_area_theme(palette))
        self.theme = palette.name

    def rows(self, width: int) -> int:
        """The rows that the text needs at a width."""
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
        lines = code_lines(self.code_language, tuple(self.document.lines), self.palette)
        plain = self.document.get_line(line_index)
        # A line of another length would misplace the cursor and the selection.
        line = lines[line_index].copy() if len(lines[line_index]) == len(plain) else Text(plain)
        line.end, line.no_wrap = "", True
        return line

    def scroll_cursor_visible(self, *_: object, **__: object) -> Offset:
        # All of the editor is laid out; the slide decides whether to scroll.
        self._recompute_cursor_offset()  # type: ignore[no-untyped-call]
        return Offset(0, 0)

    async def _on_key(self, event: events.Key) -> None:  # runs before TextArea's, not instead of it
        if self._indent(event.key) or await self._act(event.key):
            event.stop()
            event.prevent_default()

    async def _act(self, key: str) -> bool:
        """Do now what a key is bound to. On its way up to the app, letters typed after it would overtake it."""
        for binding in self._bindings.key_to_bindings.get(key, ()):
            if await self.app.run_action(binding.action, self):
                return True
        return False

    def _indent(self, key: str) -> bool:
        """Handle keys around indentation as code editors do; return whether this was one of them."""
        start, end = sorted(self.selection)
        before = self.document.get_line(start[0])[: start[1]]
        if key == "enter":
            self._replace_via_keyboard(f"\n{next_indent(before)}", start, end)
        elif key == "tab" and start[0] != end[0]:
            self._change_lines(indented)
        elif key == "tab":
            self._replace_via_keyboard(" " * (INDENT - start[1] % INDENT), start, end)
        elif key == "backspace" and start == end and before and before == indent_of(before):
            width = (len(before) - 1) % INDENT + 1
            self._delete_via_keyboard((start[0], start[1] - width), start)
        else:
            return False
        return True

    def _on_paste(self, event: events.Paste) -> None:  # type: ignore[override]
        """Take what a terminal pastes as code: no tabs, no control characters, line ends normalised."""
        event.stop()
        event.prevent_default()
        text = "\n".join(event.text.splitlines()) + ("\n" if event.text.endswith(("\n", "\r")) else "")
        self._replace_via_keyboard(text.expandtabs(INDENT).translate(CONTROLS), *self.selection)

    def action_outdent(self) -> None:
        self._change_lines(outdented)

    def _change_lines(self, change: Callable[[list[str]], list[str]]) -> None:
        """Change the selected lines, or the cursor's, and keep them selected."""
        (first, start_column), (last, end_column) = sorted(self.selection)
        if last > first and end_column == 0:  # nothing of the last line is selected
            last -= 1
        lines = [self.document.get_line(number) for number in range(first, last + 1)]
        changed = change(lines)
        if changed == lines:
            return
        moved = self.selection.is_empty
        self._replace_via_keyboard("\n".join(changed), (first, 0), (last, len(lines[-1])))
        if moved:
            self.move_cursor((first, max(start_column + len(changed[0]) - len(lines[0]), 0)))
        else:
            self.selection = Selection((first, 0), (last, len(changed[-1])))

    def action_cursor_page_up(self) -> None:
        self._page(-1)

    def action_cursor_page_down(self) -> None:
        self._page(1)

    def _page(self, screens: int) -> None:
        """Move by a screen, not by the editor's own height."""
        rows = max(self.app.size.height // 2, 1)
        self.move_cursor(self.navigator.get_location_at_y_offset(self.cursor_location, screens * rows))


def text_area_theme(palette: Palette) -> TextAreaTheme:
    """The palette as Textual's TextArea wants it."""
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
    return line[: len(line) - len(line.lstrip(" "))]


def next_indent(before: str) -> str:
    """How far to indent the next line, given what is before the cursor."""
    indent = indent_of(before)
    statement = before.partition("#")[0].rstrip()
    if statement.endswith((":", "(", "[", "{")):
        return indent + " " * INDENT
    if statement.split() and statement.split()[0] in ("return", "raise", "pass", "break", "continue"):
        return indent[:-INDENT] if not open_bracket(statement) else indent
    return indent


def open_bracket(text: str) -> bool:
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}"))


def indented(lines: Iterable[str]) -> list[str]:
    """Lines indented one step further; empty ones stay empty."""
    return [f"{' ' * INDENT}{line}" if line else line for line in lines]


def outdented(lines: Iterable[str]) -> list[str]:
    """Lines indented one step less, as far as they are indented."""
    return [line[min(len(indent_of(line)), INDENT) :] for line in lines]
