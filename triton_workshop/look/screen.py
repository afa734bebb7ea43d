"""The screen of a look inside: the source, and one value beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from triton_workshop.checking.own_errors import reraise_in_tests
from triton_workshop.look.grid import GridMap
from triton_workshop.look.keys import HELP, KEYS
from triton_workshop.look.notices import notices
from triton_workshop.look.recording import Recording, Request
from triton_workshop.look.source import NO_LINE, draw_lines, lines_at, row_of
from triton_workshop.look.timeline import FIRST, Line, Position, Target, line_of, numbers_text
from triton_workshop.look.values import Frame, draw_arguments, draw_moment, last_first_column
from triton_workshop.screen.box import Keys
from triton_workshop.screen.choice import Choice
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.theme import report_styles
from triton_workshop.slide_environment import number_of

WIDE_COLUMNS = 110
"""Columns from which the value stands beside the source."""
BUG_MESSAGE = "this cannot be shown, because of a bug in the workshop"
WAITS = "Running on the simulator, to see every value …"


class Source(VerticalScroll, can_focus=False):
    """The source; a click on a line asks for what it made."""

    def __init__(self, on_line: Callable[[int], None]) -> None:
        self.text = Static()
        super().__init__(self.text)
        self._on_line = on_line

    def on_click(self, event: events.Click) -> None:
        event.stop()
        offset = event.get_content_offset(self)
        if offset is not None:
            self._on_line(offset.y + round(self.scroll_y))


class LookScreen(ModalScreen[None]):
    """Shows a script's launches until somebody has seen enough."""

    DEFAULT_CSS = """
    LookScreen { background: $background; color: $foreground; overflow: hidden; }
    LookScreen .bar { height: 1; padding: 0 2; color: $on-bar; background: $primary; text-wrap: nowrap; }
    LookScreen #position, LookScreen #notice { height: auto; max-height: 3; padding: 0 2; }
    LookScreen #panes { height: 1fr; layout: vertical; }
    LookScreen Source { height: 55%; scrollbar-size: 1 1; scrollbar-color: $accent 50%; scrollbar-gutter: stable; }
    LookScreen #value { height: 1fr; padding: 0 1 0 2; scrollbar-size: 1 1; border-top: solid $accent 50%;
        scrollbar-color: $accent 50%; scrollbar-gutter: stable; }
    LookScreen.wide #panes { layout: horizontal; }
    LookScreen.wide Source { height: 100%; width: 58%; }
    LookScreen.wide #value { height: 100%; border-top: none; border-left: solid $accent 50%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        title: str,
        request: Request,
        record: Callable[[Request], Recording],
        palette: Palette,
        target: Target = FIRST,
        cases: Sequence[str] = (),
    ) -> None:
        """Look at what a request records.

        `record` may take seconds, and is called in a thread. `cases` are the names of an exercise's cases, to choose
        from.
        """
        super().__init__()
        self.heading, self.request, self.record, self.palette, self.target = title, request, record, palette, target
        self.cases = cases
        self.position: Position | None = None
        self.shows_arguments = False
        self.first_column = 0
        self._fault = 0
        """The fault that the key has shown last, by its number in the launch."""
        self.message = ""
        """What a key had to say, in the bar until the next one."""
        self.bar, self.position_line, self.notice = Static(classes="bar"), Static(id="position"), Static(id="notice")
        self.source = Source(self._go_to_row)
        self.value_text = Static()
        self.value_pane = VerticalScroll(self.value_text, id="value", can_focus=False)

    def compose(self) -> ComposeResult:
        yield self.bar
        yield self.position_line
        yield self.notice
        with Container(id="panes"):
            yield self.source
            yield self.value_pane
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.app.console.push_theme(report_styles(self.palette))
        self.bar.update(Text(self.heading, no_wrap=True, overflow="ellipsis"))
        self._start(self.request)

    def on_unmount(self) -> None:
        self.app.console.pop_theme()

    def on_resize(self) -> None:
        self.set_class(self.app.size.width >= WIDE_COLUMNS, "wide")
        self.call_after_refresh(self._draw)

    # Recording

    def _start(self, request: Request) -> None:
        self.request = request
        self.notice.display = True
        self.notice.update(Text(WAITS, "accent"))
        self.run_worker(lambda: self._work(request), thread=True, group="record", exclusive=True, exit_on_error=False)

    def _work(self, request: Request) -> None:
        try:
            recording = self.target.record(request, self.record)
        except OSError as error:
            recording = Recording(failure=str(error))
        except Exception as error:
            reraise_in_tests(error)
            recording = Recording(failure=f"{BUG_MESSAGE}: {error!r}")
        with suppress(RuntimeError):  # the app has ended in the meantime
            self.app.call_from_thread(self._receive, request, recording)

    def _receive(self, request: Request, recording: Recording) -> None:
        # A thread cannot be stopped: a recording that somebody no longer waits for is dropped.
        if request is self.request:
            with self._keeping_the_talk():
                self._show(recording)

    @contextmanager
    def _keeping_the_talk(self) -> Iterator[None]:
        """Say what went wrong in here, in place of ending the app.

        The app may be a talk's.
        """
        try:
            yield
        except Exception as error:
            reraise_in_tests(error)
            self.notice.display = True
            self.notice.update(Text(f"{BUG_MESSAGE}: {error!r}", "bad"))

    def _show(self, recording: Recording) -> None:
        problem = recording.error or self.target.problem(recording)
        if problem:
            self.notice.update(Text(problem, "bad"))
            return
        self.position = self.target.find(recording)
        self._draw()

    # Drawing

    def _draw(self) -> None:
        if self.position is not None and self.is_attached:
            with self._keeping_the_talk():
                self._draw_position(self.position)

    def _draw_position(self, position: Position) -> None:
        launch = position.track.launch
        self.bar.update(Text(self.message or f"{self.heading} · {launch.kernel}", no_wrap=True, overflow="ellipsis"))
        self.message = ""
        self.position_line.update(describe_position(position))
        notice = describe_notice(position)
        self.notice.display = bool(notice)
        self.notice.update(notice)
        columns = self.source.scrollable_content_region.width
        self.source.text.update(Text("\n").join(draw_lines(position, self.palette, columns, self._number)))
        value = draw_arguments(position.track) if self.shows_arguments else draw_moment(position, self._frame())
        self.value_text.update(value)
        # Only then is the pane as high as its new text, and can scroll to its end.
        self.call_after_refresh(self._scroll_to_line)

    def _frame(self) -> Frame:
        """Return the room for the value."""
        region = self.value_pane.scrollable_content_region
        return Frame(
            self.palette,
            max(region.width - 1, 20),
            max(region.height, 8),
            self.first_column,
            has_256_colours=self.app.console.color_system == "256",
        )

    def _number(self, line: Line) -> str:
        """Return the number of a line: that of the slide, if it stands on one."""
        file, number = line
        if line == NO_LINE:
            return ""
        is_on_slide = bool(self.request.numbers) and file == str(self.request.file)
        if is_on_slide:
            return str(number_of(number, self.request.numbers) or "")
        return str(number)

    def _scroll_to_line(self) -> None:
        """Keep the line of the step in sight, with those around it."""
        if self.position is None or self.position.step is None:
            return
        row, height = row_of(lines_at(self.position), line_of(self.position.step)), self.source.size.height
        top = round(self.source.scroll_y)
        margin = min(3, height // 4)
        if not top + margin <= row < top + height - margin:
            self.source.scroll_to(y=max(0, row - height // 2), animate=False)

    def _move(self, position: Position) -> None:
        if self.position is not None and position.moment != self.position.moment:
            self.value_pane.scroll_home(animate=False)
        self.position, self.shows_arguments, self.first_column = position, False, 0
        self._draw()

    # Keys

    def _go_to_row(self, row: int) -> None:
        if self.position is not None:
            lines = lines_at(self.position)
            if row < len(lines):
                file, number = lines[row].line
                self._move(self.position.go_to_line(number, file))

    def action_step(self, offset: int) -> None:
        """Go so many steps on in time."""
        if self.position is not None:
            self._move(self.position.move(self.position.moment + offset))

    def action_end(self, moment: int) -> None:
        """Go to the first step, or with -1 to the last."""
        if self.position is not None:
            self._move(self.position.move(len(self.position.track.moments) if moment else 0))

    def action_iteration(self, offset: int) -> None:
        """Go to this line in another iteration."""
        if self.position is not None and self.position.step is not None:
            moment = self.position.track.iteration(self.position.moment, offset)
            if moment is None:
                in_loop = bool(self.position.step.step.iteration)
                self._show_message("this line has no other iteration" + " in this direction" * in_loop)
            else:
                self._move(self.position.move(moment))

    def action_program(self, offset: int) -> None:
        """Go to another program."""
        if self.position is not None:
            program = self.position.track.program + offset
            if 0 <= program < self.position.track.launch.programs:
                self._go_to_program(program)
            else:
                self._show_message("this is the last program" if offset > 0 else "this is the first program")

    def action_grid(self) -> None:
        """Choose a program on a map."""
        if self.position is not None:
            self.app.push_screen(GridMap(self.position.track.launch, self.position.track.program), self._go_to_program)

    def _go_to_program(self, program: int | None) -> None:
        if program is None or self.position is None:
            return
        launch, step = self.position.track.launch, self.position.step
        if launch.has(program):
            self._move(self.position.go_to_program(program))
            return
        self._run_again(self.position, program, None if step is None else step.step.line.number)

    def _run_again(self, position: Position, program: int, line: int | None) -> None:
        """Run the script for a program that was left out for lack of room."""
        self.target = Target(ids=position.track.launch.ids(program), line=line, launch=position.launch)
        self._start(replace(self.request, programs=(program,), launch=position.launch))

    def action_launch(self, offset: int) -> None:
        """Go to another launch."""
        if self.position is not None:
            if len(self.position.recording.launches) == 1:
                self._show_message("the script launches nothing else")
                return
            position = self.position.go_to_launch(self.position.launch + offset)
            if position.track.launch.has(position.track.program):
                self._move(position)
            else:
                # Its steps were left out, so the script runs again for this launch alone.
                self.target = Target(launch=position.launch)
                self._start(replace(self.request, programs=None, launch=position.launch))

    def action_fault(self) -> None:
        """Go to the program and the line of the next fault."""
        if self.position is None:
            return
        faults = self.position.track.launch.faults
        if not faults:
            self._show_message("nothing illegal was found; the result may be wrong all the same")
            return
        current = (self.position.track.program, line_of(self.position.step)) if self.position.step else None
        matches = [index for index, fault in enumerate(faults) if (fault.program, fault.at) == current]
        # A program may have several at a line: then it is the one that was shown last.
        last = self._fault if self._fault in matches else next(iter(matches), -1)
        self._fault = (last + 1) % len(faults)
        fault = faults[self._fault]
        if not self.position.track.launch.has(fault.program):
            self._run_again(self.position, fault.program, fault.line)
        else:
            self._move(self.position.go_to_program(fault.program).go_to_fault(fault))

    def action_case(self) -> None:
        """Choose another case of the exercise."""
        if not self.cases:
            self._show_message("only an exercise has cases")
            return
        current = self.position.recording.case if self.position else self.request.case
        chosen = self.cases.index(current) if current in self.cases else 0
        self.app.push_screen(Choice("Cases", map(Text, self.cases), chosen), self._go_to_case)

    def _go_to_case(self, index: int | None) -> None:
        if index is not None:
            self.target = FIRST
            self._start(replace(self.request, case=self.cases[index], programs=None, launch=None))

    def action_arguments(self) -> None:
        """Show the kernel's arguments, or the value again."""
        self.shows_arguments = not self.shows_arguments
        self._draw()

    def action_scroll_value(self, pages: int) -> None:
        """Scroll the value by a page."""
        self.value_pane.scroll_relative(y=pages * max(self.value_pane.size.height - 2, 1), animate=False)

    def action_columns(self, direction: int) -> None:
        """Show other columns of a wide table."""
        if self.position is not None and self.position.step is not None:
            last = last_first_column(self.position.step, self._frame())
            # The pane may have become wider in the meantime.
            self.first_column = min(max(0, min(self.first_column, last) + 4 * direction), last)
            self._draw()

    def action_keys(self) -> None:
        """List the keys."""
        self.app.push_screen(Keys(HELP, self.palette))

    def _show_message(self, message: str) -> None:
        self.message = message
        self._draw()


def describe_position(position: Position) -> Text:
    """Say which program this is, which iteration, and which step."""
    track = position.track
    ids, grid = numbers_text(track.launch.ids(track.program)), numbers_text(track.launch.grid)
    text = Text.assemble(("Program ", "muted"), (ids, "accent"), (f" in a grid of {grid}", "muted"), no_wrap=True)
    if track.moments:
        for number, count in track.iterations(position.moment):
            text.append("   iteration ", "muted").append(str(number + 1), "accent").append(f" of {count}", "muted")
        text.append("   step ", "muted").append(str(position.moment + 1), "accent")
        text.append(f" of {len(track.moments)}", "muted")
    if len(position.recording.launches) > 1:
        text.append(f"   launch {position.launch + 1} of {len(position.recording.launches)}", "muted")
    return text


def describe_notice(position: Position) -> Text:
    """Say what went wrong, and what is missing; nothing if all is there."""
    return Text("  ").join(Text(text, tone) for text, tone in notices(position))
