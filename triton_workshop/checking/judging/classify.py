"""Classification of calls: from an observation to findings."""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from triton_simulator.faults import Fault
from triton_simulator.lines import KernelLine
from triton_workshop.checking.judging.classify_error import classify_error
from triton_workshop.checking.judging.explanations import explanation_named
from triton_workshop.checking.judging.phrases import format_index, name_programs
from triton_workshop.checking.judging.picture import first_element, tile_map
from triton_workshop.checking.judging.symptom import (
    Remedy,
    Symptom,
    blame_line,
    explained_finding,
    finding_on_line,
    move_to_cause,
)
from triton_workshop.checking.judging.verdict import MAX_PROGRAMS, Finding, FindingKind
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.observe import Observation, Output
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import pluralize
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.hints import sentence, sentences

UNFAMILIAR_FAULTS = (FindingKind.WRAPPED_OFFSET, FindingKind.UNDEFINED_BRANCH, FindingKind.ENDLESS_WAIT)
"""Faults whose first hint is always the simulator's own advice.

Everybody knows what the others mean.
"""
RACE_OF_THREADS = "race-of-threads"
ELEMENT_MESSAGES = {
    FindingKind.UNWRITTEN: ("messages.one-unwritten", "messages.unwritten"),
    FindingKind.WRONG_VALUES: ("messages.one-wrong", "messages.wrong"),
}
"""By the kind of a finding: what it says of one element, and of several."""
RESULT_NAMES = ("output", "c", "loss", "gradient")
"""Names that launchers give to the tensor that they return."""


def classify_timeout(source: Source, seconds: float, line: int | None) -> Finding:
    """Report a script that did not finish."""
    # A `while` may never end. A `for` does, but may have far too many rounds.
    endless = any(isinstance(node, ast.While) for node in source.nodes)
    message = sentence("messages.timeout", seconds=seconds)
    return explained_finding(
        source, FindingKind.TIMEOUT, message, "infinite-loop" if endless else "too-much-work", line
    )


@dataclass(frozen=True)
class Classifier:
    """Finds what is wrong with calls of one script."""

    source: Source
    limit_seconds: float

    @property
    def exercise(self) -> Exercise:
        return self.source.exercise

    def classify(self, comparison: Comparison) -> tuple[Symptom, ...]:
        """Return what is wrong with one call, with the cause first."""
        # In the order of causes: a fault explains an exception or a wrong result that follows it.
        observation = comparison.seen
        if observation.timed_out:
            line = observation.failure.line if observation.failure else None
            return (Symptom(classify_timeout(self.source, self.limit_seconds, line)),)
        if observation.faults:
            return tuple(Symptom(self._fault(fault, comparison), Remedy.MISTAKE) for fault in observation.faults)
        if observation.failure is not None:
            return (classify_error(self.source, observation.failure),)
        if observation.stored_outside:
            return (Symptom(_stored_outside()),)
        symptom = self._changed_input(observation) or self._result(comparison)
        if symptom is not None:
            return (symptom,)
        return tuple(Symptom(self._thread_race(fault)) for fault in observation.thread_races)

    def _fault(self, fault: Fault, comparison: Comparison) -> Finding:
        kind, line = FindingKind(fault.kind), self._line_in_script(fault.line)
        hint = fault.advice
        # With a mask on the line already, the advice to add one would mislead.
        if (
            fault.argument
            and fault.outside > 0
            and self.source.is_masked(line)
            and kind not in UNFAMILIAR_FAULTS
            and not fault.wrapped
        ):
            hint = sentence("values.let-through")
        finding = finding_on_line(self.source, kind, fault.summary, (hint,), line, str(kind))
        # What wrapped around is a product, which another line may have computed.
        if fault.wrapped and not self.source.multiplies_in_address(line):
            finding = move_to_cause(finding, None, self.source)
        programs = tuple(program for program in (fault.program, fault.peer) if program is not None)
        return replace(
            finding,
            argument=fault.argument,
            programs=programs,
            elements=fault.elements,
            tiles=tile_map(comparison),
        )

    def _thread_race(self, fault: Fault) -> Finding:
        line = self._line_in_script(fault.line)
        return finding_on_line(self.source, FindingKind.RACE, fault.summary, (fault.advice,), line, RACE_OF_THREADS)

    def _line_in_script(self, line: KernelLine) -> int | None:
        """Return the number of a line; None if it is in another file."""
        return line.number if Path(line.file).resolve() == self.source.file else None

    # What it did to its inputs, and where its result came from

    def _changed_input(self, observation: Observation) -> Symptom | None:
        if not observation.changed_inputs:
            return None
        message = sentence(
            "messages.input-changed", argument=observation.changed_inputs[0], launcher=self.exercise.launcher
        )
        finding = explained_finding(self.source, FindingKind.INPUT_MODIFIED, message, "edits-inputs")
        return Symptom(finding, Remedy.MISTAKE)

    def _result(self, comparison: Comparison) -> Symptom | None:
        observation, output, launcher = comparison.seen, comparison.seen.output, self.exercise.launcher
        if output is None:
            return self._shape(comparison.expected, observation.output_type, _type_hint(observation.output_type))
        provenance = output.provenance
        if provenance is Provenance.NO_LAUNCH:
            return self._no_launch(comparison)
        # Its shape says more of a result than where it came from, and only equal shapes can be compared.
        if output.values.shape != comparison.expected.shape:
            shape = sentence("messages.shape", shape=tuple(output.values.shape))
            return self._shape(comparison.expected, shape, "wrong-shape")
        if provenance is Provenance.CHANGED:
            return self._not_the_kernel(sentence("messages.changed-afterwards"))
        if provenance is Provenance.ELSEWHERE:
            return self._not_the_kernel(sentence("messages.stored-by-none", launcher=launcher))
        dtype = self.exercise.result_dtype(*comparison.arguments)
        if output.values.dtype != dtype:
            return self._dtype(dtype, output.values.dtype)
        if not comparison.right:
            return self._incorrect_values(comparison)
        if provenance is Provenance.UNTOUCHED:
            return self._not_the_kernel(sentence("messages.right-by-chance"))
        return self._correct_values(observation, output)

    def _no_launch(self, comparison: Comparison) -> Symptom:
        message = sentence("messages.no-launch", launcher=self.exercise.launcher)
        if comparison.right:
            return self._not_the_kernel(message)
        line = self.source.launch_line()
        name = "no-launch" if line is None else "launch-not-reached"
        return Symptom(explained_finding(self.source, FindingKind.NOT_A_KERNEL, message, name, line), Remedy.ORIGIN)

    def _not_the_kernel(self, message: str) -> Symptom:
        """Report that the result did not come from stores of the script's kernel."""
        line = self.source.return_line()
        finding = explained_finding(self.source, FindingKind.NOT_A_KERNEL, message, "python-did-it", line)
        return Symptom(finding, Remedy.ORIGIN)

    def _shape(self, expected: torch.Tensor, actual: str, name: str) -> Symptom:
        message = sentence("messages.wrong-shape", expected=tuple(expected.shape), actual=actual)
        line = self.source.return_line()
        finding = explained_finding(self.source, FindingKind.WRONG_SHAPE, message, name, line)
        return Symptom(finding, Remedy.MOVE)

    def _dtype(self, expected: torch.dtype, actual: torch.dtype) -> Symptom:
        line = next(iter(self.source.assignments(*RESULT_NAMES)), None)
        message = sentence("messages.wrong-dtype", expected=expected, actual=actual)
        finding = explained_finding(self.source, FindingKind.WRONG_DTYPE, message, "wrong-dtype", line)
        return Symptom(finding, Remedy.QUOTE)

    # A right result

    def _correct_values(self, observation: Observation, output: Output) -> Symptom | None:
        """Return what is wrong with a call whose result is right, if anything."""
        if output.changes_earlier:
            message = sentence("messages.previous-result-changed")
            kind = FindingKind.WRONG_VALUES
            return Symptom(explained_finding(self.source, kind, message, "one-output-for-all-calls"))
        return self._partly_stored(output) or self._unreachable_tensor(observation)

    def _partly_stored(self, output: Output) -> Symptom | None:
        """Report a right result of which a kernel stored a part only.

        If the rest is one number everywhere, it is no finding.
        """
        values, unwritten = output.values, output.unwritten
        if output.provenance is not Provenance.KERNEL:
            return None
        if unwritten is None:
            return None
        rest = values[unwritten]
        if not len(rest):
            return None
        # One number, such as zero, may well have been there before the launch.
        is_one_number = (rest == rest[0]).all() or rest.isnan().all()
        if is_one_number:
            return None
        elements = pluralize(values.numel(), "element")
        message = sentence("messages.partly-stored", stored=values.numel() - len(rest), elements=elements)
        line = self.source.return_line()
        return Symptom(explained_finding(self.source, FindingKind.NOT_A_KERNEL, message, "python-did-it", line))

    def _unreachable_tensor(self, observation: Observation) -> Symptom | None:
        """Report tensors in the CPU's memory.

        They are right here, but a GPU would refuse them.
        """
        if not observation.unreachable:
            return None
        line, reason = observation.unreachable[0]
        message = sentence("messages.unreachable", reason=reason)
        return Symptom(explained_finding(self.source, FindingKind.CRASH, message, "on-the-cpu", line))

    # A wrong result

    def _incorrect_values(self, comparison: Comparison) -> Symptom:
        if comparison.unwritten.any():
            return Symptom(_unwritten(comparison), Remedy.MISTAKE)
        return Symptom(self._undefined(self._wrong(comparison), comparison), Remedy.MISTAKE)

    def _wrong(self, comparison: Comparison) -> Finding:
        finding = _element_finding(FindingKind.WRONG_VALUES, comparison, comparison.wrong)
        # All NaN have one origin: the line that makes the first one matters, and not an element's offsets.
        if comparison.is_nan_where_wrong or self.source.adds_to_noise:
            name = "atomics-on-nothing" if self.source.adds_to_nothing else "not-a-number"
            finding = replace(finding, hints=explanation_named(name).hints, hint_name=name)
            line = self.source.atomic_line()
            return blame_line(finding, line, self.source) if self.source.adds_to_nothing else finding
        assert finding.element is not None, "some element is wrong"
        hint = sentence("values.follow-element", index=format_index(finding.element.index))
        return replace(finding, hints=(hint,))

    def _undefined(self, finding: Finding, comparison: Comparison) -> Finding:
        """Return the finding on an undefined load, if that is its cause."""
        faults = itertools.chain.from_iterable(launch.undefined for launch in comparison.seen.launches)
        fault, output = next(faults, None), comparison.seen.output
        if fault is None or fault.load is None:
            return finding
        # An undefined value shows as NaN once it is stored.
        is_stored = output is not None and bool(output.values.isnan().any())
        if not is_stored:
            return finding
        message = f"{finding.message}; {fault.summary}"
        finding = replace(finding, message=message, hints=(fault.advice, *finding.hints), argument=fault.loaded)
        return blame_line(finding, self._line_in_script(fault.load) or finding.line, self.source)


def _stored_outside() -> Finding:
    message, hints = sentence("messages.stored-outside"), sentences("values.stored-outside")
    return Finding(FindingKind.OUT_OF_BOUNDS_STORE, message, hints, hint_name="mask-missing")


def _type_hint(output_type: str) -> str:
    """Return the explanation's name for a result that is no such tensor."""
    if output_type.startswith("a tensor "):
        return "odd-tensor-returned"
    return "no-return" if output_type == "NoneType" else "no-tensor-returned"


def _unwritten(comparison: Comparison) -> Finding:
    finding = _element_finding(FindingKind.UNWRITTEN, comparison, comparison.unwritten)
    owners = comparison.owners(comparison.unwritten)
    message = finding.message
    if owners:
        is_one = finding.elements == 1
        name = "messages.should-have-written-it" if is_one else "messages.should-have-written-them"
        message = sentence(name, message=message, programs=name_programs(owners))
    return replace(finding, message=message, hints=_unwritten_hints(comparison))


def _unwritten_hints(comparison: Comparison) -> tuple[str, ...]:
    grid, expected_grid = comparison.grid, comparison.wanted_grid
    again = comparison.launch.stored_again if comparison.launch is not None else 0
    if again:
        return sentence("values.stored-again", number=pluralize(again, "store")), sentence("values.begins-elsewhere")
    if not comparison.has_tiles_of_the_solution:
        return (sentence("values.unwritten"),)
    is_large_enough = all(size >= expected for size, expected in zip(grid, expected_grid, strict=True))
    if is_large_enough:
        return (sentence("values.grid-large-enough"),)
    return sentence("values.unwritten"), sentence("values.grid-too-small", grid=grid, expected=expected_grid)


def _element_finding(kind: FindingKind, comparison: Comparison, marks: torch.Tensor) -> Finding:
    """Report the marked elements."""
    element, number = first_element(comparison, marks), int(marks.sum())
    singular, plural = ELEMENT_MESSAGES[kind]
    elements = pluralize(marks.numel(), "element")
    index = format_index(element.index)
    return Finding(
        kind,
        sentence(singular if number == 1 else plural, number=number, elements=elements, index=index),
        hint_name=str(kind),
        programs=comparison.owners(marks)[:MAX_PROGRAMS],
        elements=number,
        element=element,
        tiles=tile_map(comparison),
    )
