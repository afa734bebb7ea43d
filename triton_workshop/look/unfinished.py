"""A script with open TODOs, for a look at the learner's own lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from triton_simulator.lines import KernelLine
from triton_simulator.steps.steps import Step
from triton_workshop.checking.diagnosing.completion import Variant, complete
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.todos import open_todos
from triton_workshop.look.recording import LaunchFault, RecordedLaunch


def variants_of(source: Source) -> list[Variant]:
    """Return the variants of an unfinished script that run.

    One has the solution's code in all open TODOs, the other in the launcher only. The second goes as far as the
    learner's own lines do. There are none of a script without open TODOs.
    """
    try:
        completion = complete(source)
    except SyntaxError:
        return []
    if completion is None:
        return []
    return [completion.whole, completion.launched] if completion.open else []


@dataclass(frozen=True)
class OwnLines:
    """The lines of a variant that are the script's own."""

    script: Source
    variant: Variant

    @cached_property
    def _open(self) -> set[int]:
        return {todo.line for todo in open_todos(self.script.text)}

    def launch(self, launch: RecordedLaunch) -> RecordedLaunch:
        """Return a launch with only the steps and faults of the script's lines."""
        steps = tuple(step for step in map(self._step, launch.steps.all) if step is not None)
        faults = tuple(fault for fault in map(self._fault, launch.faults) if fault is not None)
        return replace(launch, steps=replace(launch.steps, all=steps), faults=faults)

    def _step(self, step: Step) -> Step | None:
        if step.line.file != str(self.variant.source.file):
            return step
        number = self.variant.origin(step.line.number)
        return (
            None
            if number is None or number in self._open
            else replace(step, line=KernelLine(str(self.script.file), number))
        )

    def _fault(self, fault: LaunchFault) -> LaunchFault | None:
        if fault.file != str(self.variant.source.file):
            return fault
        number = self.variant.origin(fault.line)
        return None if number is None else replace(fault, file=str(self.script.file), line=number)
