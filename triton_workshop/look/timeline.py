"""Where one is in a launch: a program, and a moment of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from triton_simulator.lines import KernelLine
from triton_simulator.steps.steps import ProgramStep, program_number
from triton_simulator.steps.text import ARGUMENT, is_at_fault, step_text, value_text
from triton_workshop.look.recording import LaunchFault, RecordedLaunch, Recording, Request

Line = tuple[str, int]
"""A file, and the number of a line in it."""


class When(Enum):
    """Time at which a line has made a value, seen from a moment."""

    NOW = "now"
    EARLIER = "earlier"
    """In an iteration before."""
    LATER = "later"
    """It has not run yet."""


@dataclass(frozen=True)
class Note:
    """What a line has made: its value in short."""

    spellings: tuple[str, ...]
    """From long to short."""
    when: When = When.NOW


class Track:
    """Steps of one program, as moments in time.

    The kernel's own arguments are no moments.
    """

    def __init__(self, launch: RecordedLaunch, program: int) -> None:
        self.launch, self.program = launch, program
        self._spellings: dict[int, tuple[str, ...]] = {}
        self.arguments: list[ProgramStep] = []
        self.moments: list[ProgramStep] = []
        for step in launch.steps_of(program):
            is_kernel_argument = is_argument(step) and step.step.depth == 0
            steps = self.arguments if is_kernel_argument else self.moments
            steps.append(step)

    @cached_property
    def _by_line(self) -> dict[Line, list[int]]:
        """The moments at which each line has made something."""
        by_line: dict[Line, list[int]] = defaultdict(list)
        for index, step in enumerate(self.moments):
            by_line[line_of(step)].append(index)
        return by_line

    @cached_property
    def _calls(self) -> list[tuple[int, ...]]:
        """Calls that each moment is in, by numbers, outermost first."""
        calls: list[tuple[int, ...]] = []
        stack: tuple[int, ...] = (0,)
        count = 0
        argument_depth: int | None = None  # of the step before, if that is an argument
        for step in self.moments:
            depth, has_argument = step.step.depth, is_argument(step)
            # A call begins with the first of its arguments or, without any, with a step that is deeper.
            is_first_argument = has_argument and depth != argument_depth
            stack = stack[: depth if is_first_argument else depth + 1]
            # Several calls begin at once where a function without arguments calls another first.
            while len(stack) <= depth:
                count += 1
                stack = (*stack, count)
            calls.append(stack)
            argument_depth = depth if has_argument else None
        return calls

    def notes(self, moment: int) -> dict[Line, Note]:
        """Return what each line has made by a moment, or will make."""
        notes = {}
        for line, indices in self._by_line.items():
            until = bisect_right(indices, moment)
            index = indices[until - 1] if until else self._last_of_run(indices)
            when = self._when(index, moment) if until else When.LATER
            notes[line] = Note(self._named_together(index, indices) or self.spellings(index), when)
        return notes

    def _when(self, index: int, moment: int) -> When:
        """Return whether a moment belongs to the iteration that runs now."""
        call = self._calls[index]
        if self._calls[moment][: len(call)] != call:
            return When.EARLIER
        then, now = self.moments[index].step, self.moments[moment].step
        # Each function counts the iterations of its own loops only, so that those of two cannot be compared.
        shared = min(len(then.iteration), len(now.iteration)) if then.depth == now.depth else 0
        return When.NOW if then.iteration[:shared] == now.iteration[:shared] else When.EARLIER

    def _named_together(self, index: int, indices: list[int]) -> tuple[str, ...]:
        """Return the names that a line has assigned together, if several."""
        last, call = self.moments[index].step, self._calls[index]
        together = {}
        for other in reversed(indices[: indices.index(index) + 1]):
            at = self.moments[other].step
            if (at.iteration, self._calls[other]) != (last.iteration, call):
                break
            if at.name in together:
                break
            if at.name:
                together[at.name] = value_text(self.moments[other].value)
        texts = [f"{name} {text}" for name, text in reversed(together.items())]
        return (", ".join(texts),) if len(texts) > 1 else ()

    def spellings(self, moment: int) -> tuple[str, ...]:
        """Return a moment's value with its type, without, and without its place."""
        if moment not in self._spellings:  # looking through all values again at each key would take a tenth of a second
            step = self.moments[moment]
            short = step_text(step, with_type=False)
            self._spellings[moment] = step_text(step), short, short.partition("  ")[0]
        return self._spellings[moment]

    def _last_of_run(self, indices: list[int]) -> int:
        """Return the last moment of a line's first run.

        The name that it assigns comes after the parts of its value.
        """
        first = self.moments[indices[0]].step.iteration
        return next(
            (index for index in reversed(indices[:8]) if self.moments[index].step.iteration == first), indices[0]
        )

    def nearest(self, line: int, file: str | None, moment: int) -> int | None:
        """Return the line's moment that is nearest to this one, if any.

        Without a file, the line is one of any.
        """
        alike = [(path, indices) for (path, number), indices in self._by_line.items() if number == line]
        lines = [indices for path, indices in alike if file in (None, path)]
        if not lines:
            return None
        # Of the iteration that runs now, if the line ran in it.
        return min(lines[0], key=lambda index: (self._when(index, moment) is When.EARLIER, abs(index - moment), -index))

    def same(self, step: ProgramStep) -> int:
        """Return the moment that is most like another program's step."""
        at = step.step
        alike = [
            (
                other.step.iteration == at.iteration,
                other.step.name == at.name,
                other.step.operation == at.operation,
                -index,
            )
            for index, other in enumerate(self.moments)
            if line_of(other) == line_of(step)
        ]
        # The negative index makes the first of several the greatest.
        return -max(alike)[-1] if alike else 0

    def iteration(self, moment: int, offset: int) -> int | None:
        """Return the moment of the same line so many iterations on, if any."""
        step = self.moments[moment].step
        moments = [
            index
            for index in self._by_line[line_of(self.moments[moment])]
            if (self.moments[index].step.name, self.moments[index].step.operation) == (step.name, step.operation)
        ]
        target = moments.index(moment) + offset
        return moments[target] if 0 <= target < len(moments) else None

    def in_loop(self, moment: int) -> int:
        """Return the nearest moment inside a loop; this one if there is none."""
        looped = (index for index, step in enumerate(self.moments) if step.step.iteration)
        return min(looped, key=lambda index: abs(index - moment), default=moment)

    def at_iteration(self, moment: int, loop: int, number: int) -> int:
        """Return the same line's moment in an iteration of one of its loops.

        If the line did not run in it, that is the nearest moment of that iteration.
        """
        step = self.moments[moment].step
        wanted = (*step.iteration[:loop], number)
        inside = [index for index, other in enumerate(self.moments) if other.step.iteration[: loop + 1] == wanted]

        def likeness(index: int) -> tuple[bool, bool, bool, int]:
            other = self.moments[index]
            is_line = line_of(other) == line_of(self.moments[moment])
            is_same = (other.step.name, other.step.operation) == (step.name, step.operation)
            return is_line, is_same, other.step.iteration[loop + 1 :] == step.iteration[loop + 1 :], -index

        return max(inside, key=likeness, default=moment)

    def named(self, name: str, line: int, moment: int) -> int | None:
        """Return when a line made or used the value that has this name.

        It is the iteration that runs at a moment, if the line ran in it. If no value has the name, it is the line's.
        """
        here = self.nearest(line, None, moment)
        if here is None:
            return None
        indices = [index for index, step in enumerate(self.moments) if step.step.name == name]
        at_line = [index for index in indices if self.moments[index].step.line.number == line]
        before = [index for index in indices if index <= here]
        # A line that only uses the value shows the last one that was made until then.
        return min(at_line, key=lambda index: abs(index - here), default=before[-1] if before else here)

    def end_of_iteration(self, moment: int) -> int:
        """Return the last moment of the iteration that runs.

        Outside of loops, it is this moment.
        """
        iteration = self.moments[moment].step.iteration
        inside = (
            index
            for index, step in enumerate(self.moments)
            if iteration and step.step.iteration[: len(iteration)] == iteration
        )
        return max(inside, default=moment)

    def iterations(self, moment: int) -> tuple[tuple[int, int], ...]:
        """Return number and count of the iteration of each loop around a moment."""
        step = self.moments[moment]
        at = step.step.iteration
        counts = []
        for depth, number in enumerate(at):
            alike = (
                self.moments[index].step.iteration[depth]
                for index in self._by_line[line_of(step)]
                if self.moments[index].step.iteration[:depth] == at[:depth]
            )
            counts.append((number, 1 + max(alike)))
        return tuple(counts)


@dataclass(frozen=True)
class Position:
    """Position in a recording: a launch, a program's track, and a moment."""

    recording: Recording
    launch: int
    track: Track
    moment: int = 0

    @classmethod
    def start(cls, recording: Recording, launch: int = 0, program: int = 0) -> Position:
        """Return the first moment of a program."""
        return cls(recording, launch, Track(recording.launches[launch], program))

    @property
    def step(self) -> ProgramStep | None:
        """The step that is looked at; None if the program has none."""
        return self.track.moments[self.moment] if self.track.moments else None

    def move(self, moment: int) -> Position:
        """Return the position at another moment, or at the nearest end."""
        return replace(self, moment=max(0, min(moment, len(self.track.moments) - 1)))

    def go_to_program(self, program: int) -> Position:
        """Return the same line and iteration in another program."""
        other = replace(self, track=Track(self.track.launch, program))
        return other.move(other.track.same(self.step) if self.step else 0)

    def go_to_line(self, line: int, file: str | None = None) -> Position:
        """Return the nearest moment of a line, if it has one."""
        moment = self.track.nearest(line, file, self.moment)
        return self if moment is None else self.move(moment)

    def go_to_fault(self, fault: LaunchFault) -> Position:
        """Return the first moment of a fault, or else the nearest one of its line."""
        site = KernelLine(*fault.at), fault.index
        moments = (index for index, step in enumerate(self.track.moments) if is_at_fault(step, [site]))
        moment = next(moments, None)
        return self.go_to_line(fault.line, fault.file) if moment is None else self.move(moment)

    @property
    def fault(self) -> LaunchFault | None:
        """The fault of this program and line, or of the line, or the first."""
        faults, line = self.track.launch.faults, line_of(self.step) if self.step else ("", 0)
        here = [fault for fault in faults if fault.at == line]
        mine = [fault for fault in here if fault.program == self.track.program]
        return next(iter([*mine, *here, *faults]), None)

    def go_to_launch(self, launch: int) -> Position:
        """Return the beginning of another launch."""
        return Position.start(self.recording, launch % len(self.recording.launches))


@dataclass(frozen=True)
class Target:
    """Position to look at first: a fault, unless something else is given."""

    kernel: str | None = None
    ids: tuple[int, ...] = ()
    """A program's ids along the axes of the grid."""
    line: int | None = None
    launch: int | None = None
    """The launch's number, from 0."""
    or_first: bool = False
    """Stands for the first program where this one does not exist.

    What a verdict names may be a program that should have been launched.
    """

    def find(self, recording: Recording) -> Position:
        """Return the position; by default, the first moment of a launch."""
        index = self._launch_index(recording)
        launch = recording.launches[index]
        program, fault = self._program(launch), self._fault(launch)
        position = Position.start(recording, index, program)
        if not position.track.moments and launch.steps.all:
            position = Position.start(recording, index, int(launch.steps.all[0].programs[0]))
        if fault is not None:
            return position.go_to_fault(fault)
        return position if self.line is None else position.go_to_line(self.line)

    def problem(self, recording: Recording) -> str:
        """Return why there is no such kernel or program; empty if there is."""
        launch = recording.launches[self._launch_index(recording)]
        if self.launch is not None and self.launch >= len(recording.launches):
            return f"it has {len(recording.launches)} launches, and no launch {self.launch + 1}"
        if self.kernel not in (None, launch.kernel):
            names = ", ".join(dict.fromkeys(each.kernel for each in recording.launches))
            return f"it launches no kernel {self.kernel}, but {names}"
        has_program = self.or_first or program_number(self.ids, launch.grid) is not None
        if not has_program:
            return f"its grid is {numbers_text(launch.grid)}, so it has no program {numbers_text(self.ids)}"
        return ""

    def record(self, request: Request, record: Callable[[Request], Recording]) -> Recording:
        """Return a recording that has the wanted program.

        If there was no room for it at first, the script runs again.
        """
        recording = record(request)
        problem = recording.error or self.problem(recording)
        if problem:
            return recording
        index = self._launch_index(recording)
        launch = recording.launches[index]
        program = self._program(launch)
        if launch.has(program):
            return recording
        return record(replace(request, programs=(program,), launch=index))

    def _launch_index(self, recording: Recording) -> int:
        launches = recording.launches
        if self.launch is not None and self.launch < len(launches):
            return self.launch
        named = [index for index, launch in enumerate(launches) if self.kernel in (None, launch.kernel)]
        with_faults = [index for index in named if self._fault(launches[index]) is not None]
        # After a run for one launch only, the others have no steps.
        with_steps = [index for index in named if launches[index].steps.all]
        return next(iter([*with_faults, *with_steps, *named]), 0)

    def _program(self, launch: RecordedLaunch) -> int:
        fault = self._fault(launch)
        if fault is not None:
            return fault.program
        return program_number(self.ids, launch.grid) or 0

    def _fault(self, launch: RecordedLaunch) -> LaunchFault | None:
        """Return the fault to look at: none where a program or a line is given."""
        if self.ids:
            return None
        return next(iter(launch.faults), None) if self.line is None else None


FIRST = Target()
"""The first moment of the first program of the first launch."""


def is_argument(step: ProgramStep) -> bool:
    """Return whether a step is a function that gets an argument."""
    return step.step.operation == ARGUMENT


def numbers_text(numbers: Sequence[int]) -> str:
    """Return ids or a grid as Triton writes them: `(3, 2)`."""
    return f"({', '.join(map(str, numbers))})"


def line_of(step: ProgramStep) -> Line:
    """Return the line that a step stands on."""
    return step.step.line.file, step.step.line.number
