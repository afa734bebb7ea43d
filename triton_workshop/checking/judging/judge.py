"""Decides from what a call did what is wrong with it, with the cause first."""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from triton_simulator.errors import NotSimulatedError
from triton_simulator.faults import Fault
from triton_simulator.lines import KernelLine
from triton_workshop.checking.diagnosing.alignment import Alignment, aligned
from triton_workshop.checking.diagnosing.recognise import NO_DIAGNOSIS, Diagnosis
from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.diagnosing.slips import Slip
from triton_workshop.checking.judging.explanations import Explanation, explain, explain_in_kernel, explanation_named
from triton_workshop.checking.judging.launch_arguments import missing_argument
from triton_workshop.checking.judging.misplaced import hints_about, overwrites
from triton_workshop.checking.judging.picture import element_of, tile_map
from triton_workshop.checking.judging.spelling import known_as, misspelt_definition, unread_lookalike
from triton_workshop.checking.judging.verdict import MOST_PROGRAMS, Finding, FindingKind
from triton_workshop.checking.judging.words import (
    bracketed,
    last_hint,
    look_at,
    missing_step,
    named,
    only_noticed,
    shortened,
)
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import pluralize
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.mistakes import Mistake

ELSEWHERE = (FindingKind.CRASH, FindingKind.TIMEOUT, FindingKind.NOT_A_KERNEL)
"""What is reported where it happens, although the cause may be another line."""
EXPLAINED = (FindingKind.WRAPPED_OFFSET, FindingKind.UNDEFINED_BRANCH, FindingKind.ENDLESS_WAIT)
"""Faults whose first hint is always the simulator's own advice."""
WAITS = ("breakpoint", "set_trace", "input")
"""Calls that wait for somebody at the keyboard."""
THREADS = "race-of-threads"
HINTS = 3
"""A question, an idea, and a line."""
LET_THROUGH = (
    "The mask lets this element through. Does it compare with the right size, by < and not by <=, and does every "
    "program of the grid own a block that exists?"
)


@dataclass(frozen=True)
class Judge:
    """Knows the script that was run, and what its exercise asks for."""

    source: Source
    limit: float
    diagnosis: Diagnosis = NO_DIAGNOSIS
    """Which mistake it is, and where, once that is known."""

    @property
    def exercise(self) -> Exercise:
        return self.source.exercise

    def can_be_diagnosed(self, seen: Observation, finding: Finding) -> bool:
        """Whether it makes sense to run the script again with some of its lines replaced."""
        unclear = finding.kind not in (FindingKind.TIMEOUT, FindingKind.NOT_SIMULATED) and finding.hint_name != THREADS
        return unclear and not (seen.loading or self.source.adds_to_noise or self.source.calls(*WAITS))

    def findings(self, case: str, comparison: Comparison) -> tuple[Finding, ...]:
        """Return what is wrong with one call, with the cause first."""
        return tuple(
            self._counted(replace(self._on_no_right_line(finding), case=case)) for finding in self._found(comparison)
        )

    def _counted(self, finding: Finding) -> Finding:
        """The finding with how many of the planted bugs are still there, if the exercise has any."""
        left, planted = len(self.exercise.remaining_bugs(self.source.text)), len(self.exercise.planted_bugs)
        told = f"{finding.message}. Bugs left: {left} of {planted}" if left else finding.message
        return replace(finding, message=told)

    def _found(self, comparison: Comparison) -> tuple[Finding, ...]:
        seen = comparison.seen
        if seen.timed_out:
            return (self.timeout(seen.failure.line if seen.failure else None),)
        if seen.faults:
            return tuple(self._fault(fault, comparison) for fault in seen.faults)
        if seen.failure is not None:
            return (self.crash(seen.failure),)
        if seen.stored_outside:
            return (_stored_outside(),)
        finding = self._inputs(seen) or self._answer(comparison)
        return tuple(map(self._threads, seen.thread_races)) if finding is None else (finding,)

    # What stopped it

    def timeout(self, line: int | None) -> Finding:
        endless = any(isinstance(node, ast.While) for node in self.source.nodes)
        message = f"not finished after {self.limit:g} s, so it was stopped"
        return self._explained(FindingKind.TIMEOUT, message, "infinite-loop" if endless else "too-much-work", line)

    def crash(self, failure: Failure) -> Finding:
        """Report an exception on the learner's own line, with Triton's messages cut to what matters."""
        if unknown := re.search(rf"^{NotSimulatedError.__name__}: (.*)$", failure.chain, re.MULTILINE):
            message = f"{unknown[1]}. The kernel may be correct"
            return self._explained(FindingKind.NOT_SIMULATED, message, "not-simulated", failure.line)
        in_kernel = failure.line != failure.first_line
        text = f"{failure.type}: {failure.message}"
        explanation = self._by_text(failure) or self._explanation(text, failure.chain, failure.line, in_kernel)
        if explanation is None or explanation.name == "shapes-do-not-broadcast":
            explanation = explanation_named("dot-not-star") if self._multiplies_blocks(failure.line) else explanation
        line = failure.first_line if explanation and explanation.at_launch else failure.line
        if explanation is None:
            finding = self._finding(FindingKind.of_error(failure.type), shortened(failure), (), line, "crash")
            return finding if self.diagnosis.culprit is None else self._at(self.diagnosis.culprit, finding)
        name, hints, culprit = explanation.name, explanation.hints, self.diagnosis.culprit
        if name in ("misspelt-name", "no-value-yet") and (spelt := self._spelt(failure)):
            return self._with_own(spelt)
        if name == "waits":
            line = next((call.lineno for call in self.source.calls(*WAITS)), line)
        known = {"misspelt-name": known_as, "missing-argument": missing_argument}.get(name)
        hints = (*filter(None, [known and known(self.source, failure)]), *hints)
        finding = self._finding(FindingKind.of_error(failure.type), shortened(failure), hints, line, name)
        # Of several lines that would have to be others, none is wrong by itself: shapes meet where the error says.
        meets = name == "shapes-do-not-broadcast" and culprit is not None and len(culprit.lines) > 1
        stays = explanation.at_once or meets
        return self._with_own(finding if stays or culprit is None else self._moved(finding, culprit))

    def _explanation(self, text: str, chain: str, line: int | None, in_kernel: bool) -> Explanation | None:
        code = self.source.line(line)
        if in_kernel:
            return explain_in_kernel(text, code) or explain(chain, in_kernel, code)
        return explain(text, in_kernel, code) or explain(chain, in_kernel, code)

    def _by_text(self, failure: Failure) -> Explanation | None:
        """Return an explanation for which the script's text gives a better clue than the error."""
        error = explain(f"{failure.type}: {failure.message}", failure.line != failure.first_line)
        if failure.first_line is not None and failure.first_line == self.source.bare_call():
            return explanation_named("kernel-called-without-grid")
        if any(call.lineno == failure.line for call in self.source.calls(*WAITS)):
            return explanation_named("waits")
        if error is not None and error.name == "brackets" and self.source.unpacks_a_load(failure.line):
            return explanation_named("one-block-per-load")
        if error is not None and error.name == "pointer-and-value" and self.source.mentions("data_ptr"):
            return explanation_named("address-for-tensor")
        return None

    def _spelt(self, failure: Failure) -> Finding | None:
        """The finding on the line that misspells a name where it gets its value; None if that is not the matter."""
        definition = misspelt_definition(self.source, failure)
        if definition is None:
            return None
        name = "misspelt-definition"
        noticed = self._finding(FindingKind.CRASH, shortened(failure), definition.hints, failure.line, name)
        return self._on(noticed, definition.line)

    def _multiplies_blocks(self, line: int | None) -> bool:
        nodes = [node for node in self.source.nodes if isinstance(node, ast.BinOp) and node.lineno == line]
        products = [node for node in nodes if isinstance(node.op, ast.Mult | ast.MatMult)]
        sides = [side for node in products for side in (node.left, node.right)]
        return bool(sides) and all(isinstance(side, ast.Name) and side.id in ("a", "b") for side in sides)

    def _fault(self, fault: Fault, comparison: Comparison) -> Finding:
        line = self._own_line(fault.line)
        let_through = fault.argument and fault.outside > 0 and self.source.is_masked(line)
        finding = self._finding(
            FindingKind(fault.kind),
            fault.what,
            (LET_THROUGH if let_through else fault.advice,),
            line,
            str(fault.kind),
        )
        programs = tuple(program for program in (fault.program, fault.other) if program is not None)
        told = replace(finding, argument=fault.argument, programs=programs, elements=fault.elements)
        found = self._diagnosed(replace(told, tiles=tile_map(comparison)))
        # Everybody knows what it means to read outside a tensor; not so for these.
        return replace(found, hints=(fault.advice, *found.hints[1:])) if found.kind in EXPLAINED else found

    def _threads(self, fault: Fault) -> Finding:
        return self._finding(FindingKind.RACE, fault.what, (fault.advice,), self._own_line(fault.line), THREADS)

    # What it did to its inputs, and what it gave back

    def _inputs(self, seen: Observation) -> Finding | None:
        if not seen.changed_inputs:
            return None
        message = f"argument {seen.changed_inputs[0]} of {self.exercise.launcher} was changed: inputs are read-only"
        finding, culprit = self._explained(FindingKind.INPUT_MODIFIED, message, "edits-inputs"), self.diagnosis.culprit
        return self._moved(finding, culprit) if culprit and culprit.extra else self._diagnosed(finding)

    def _answer(self, comparison: Comparison) -> Finding | None:
        seen, expected = comparison.seen, comparison.expected
        if seen.provenance is Provenance.NO_LAUNCH:
            message = f"{self.exercise.launcher} launched no kernel of this file"
            return self._not_the_kernel(message, "python-did-it" if comparison.right else "no-launch")
        if seen.output is None or seen.output.shape != expected.shape:
            return self._shape(expected, seen)
        if seen.provenance is Provenance.CHANGED:
            return self._not_the_kernel("the tensor that the kernel stored was changed afterwards")
        if seen.provenance is Provenance.ELSEWHERE:
            message = f"the tensor that {self.exercise.launcher} returns was not stored by a kernel"
            return self._not_the_kernel(message)
        if seen.output.dtype != (wanted := self.exercise.result_dtype(*comparison.arguments)):
            return self._dtype(wanted, seen.output.dtype)
        if comparison.right and seen.provenance is Provenance.UNTOUCHED:
            return self._not_the_kernel("the answer is right, but no kernel stored it")
        return self._values(comparison)

    def _not_the_kernel(self, message: str, name: str = "python-did-it") -> Finding:
        """Report that the answer did not come from stores of the script's kernel."""
        if self.diagnosis.remembers:
            name = "remembers"
        line = self.source.launch_line() if name == "no-launch" else self.source.return_line()
        if name == "no-launch" and line is not None:
            name = "launch-not-reached"
        return self._explained(FindingKind.NOT_A_KERNEL, message, name, line)

    def _shape(self, expected: torch.Tensor, seen: Observation) -> Finding:
        got = seen.output_type if seen.output is None else f"shape {tuple(seen.output.shape)}"
        message = f"expected a tensor of shape {tuple(expected.shape)}, got {got}"
        name = "wrong-shape"
        if seen.output is None:
            name = {"NoneType": "no-return"}.get(seen.output_type, "no-tensor-returned")
            name = "odd-tensor-returned" if seen.output_type.startswith("a tensor ") else name
        finding = self._explained(FindingKind.WRONG_SHAPE, message, name, self.source.return_line())
        return finding if self.diagnosis.culprit is None else self._moved(finding, self.diagnosis.culprit)

    def _dtype(self, expected: torch.dtype, got: torch.dtype) -> Finding:
        line = next(iter(self.source.assignments("output", "c", "loss", "gradient")), None)
        finding = self._explained(FindingKind.WRONG_DTYPE, f"expected {expected}, got {got}", "wrong-dtype", line)
        return self._with_own(finding)

    def _values(self, comparison: Comparison) -> Finding | None:
        if not comparison.right and comparison.unwritten.any():
            return self._diagnosed(self._unwritten(comparison))
        if not comparison.right:
            return self._diagnosed(self._undefined(self._wrong(comparison), comparison))
        if comparison.seen.earlier_answer_changed:
            message = "this call changed the tensor that the previous call returned"
            return self._explained(FindingKind.WRONG_VALUES, message, "one-output-for-all-calls")
        return self._partly_stored(comparison.seen) or self._unreachable(comparison.seen)

    def _partly_stored(self, seen: Observation) -> Finding | None:
        """Report a right answer of which a kernel stored a part only, and the rest is not one number everywhere."""
        if seen.provenance is not Provenance.KERNEL or seen.unwritten is None or seen.output is None:
            return None
        rest = seen.output[seen.unwritten]
        if not len(rest) or (rest == rest[0]).all() or rest.isnan().all():
            return None
        stored, every = seen.output.numel() - len(rest), pluralize(seen.output.numel(), "element")
        message = f"the answer is right, but a kernel stored only {stored:,} of {every}"
        return self._explained(FindingKind.NOT_A_KERNEL, message, "python-did-it", self.source.return_line())

    def _unreachable(self, seen: Observation) -> Finding | None:
        """Report what a GPU would refuse, although it is right here: tensors in the CPU's memory."""
        if not seen.unreachable:
            return None
        line, why = seen.unreachable[0]
        return self._explained(FindingKind.CRASH, f"right here, but not on a GPU: {why}", "on-the-cpu", line)

    def _unwritten(self, comparison: Comparison) -> Finding:
        owners = comparison.owners(comparison.unwritten)
        them = "it" if comparison.unwritten.sum() == 1 else "them"
        grid, wanted = comparison.grid, comparison.wanted_grid
        hints: tuple[str, ...] = (
            "Does the grid have a program for these elements, and does the mask let its store through?",
        )
        if comparison.has_tiles_of_the_solution and all(has >= needs for has, needs in zip(grid, wanted, strict=True)):
            hints = ("The grid is large enough. Does every program reach the store, and does the mask let it through?",)
        elif comparison.has_tiles_of_the_solution:
            hints = (*hints, f"The grid was {grid}; blocks of this size need {wanted}.")
        shown = self._at_elements(FindingKind.UNWRITTEN, "never written", comparison, comparison.unwritten)
        message = f"{shown.message}; {named(owners)} should have written {them}" if owners else shown.message
        return replace(shown, message=message, hints=hints)

    def _wrong(self, comparison: Comparison) -> Finding:
        shown = self._at_elements(FindingKind.WRONG_VALUES, "wrong", comparison, comparison.wrong)
        assert shown.element is not None
        follow = (
            f"Take element {bracketed(shown.element.index)} and follow it: which program owns it, which offsets does "
            "that program compute, and what does it load there?"
        )
        if comparison.is_nan_where_wrong or self.source.adds_to_noise:
            name = "atomics-on-nothing" if self.source.adds_to_nothing else "not-a-number"
            shown = replace(shown, hints=explanation_named(name).hints, hint_name=name)
            return self._blamed(shown, self.source.atomic_line()) if self.source.adds_to_nothing else shown
        return replace(shown, hints=(follow,))

    def _undefined(self, finding: Finding, comparison: Comparison) -> Finding:
        """The finding on the load that left undefined what the kernel stored, if that is why elements are wrong."""
        told = next((fault for launch in comparison.seen.launches for fault in launch.undefined), None)
        output = comparison.seen.output
        if told is None or told.load is None or output is None or not output.isnan().any():
            return finding
        message = f"{finding.message}; {told.what}"
        found = replace(finding, message=message, hints=(told.advice, *finding.hints), argument=told.loaded)
        return self._blamed(found, self._own_line(told.load) or found.line)

    def _own_line(self, line: KernelLine) -> int | None:
        return line.number if Path(line.file).resolve() == self.source.file else None

    def _at_elements(self, kind: FindingKind, what: str, comparison: Comparison, marks: torch.Tensor) -> Finding:
        """What is wrong with the marked elements."""
        element, number = element_of(comparison, marks), int(marks.sum())
        elements = f"{number:,} of {pluralize(marks.numel(), 'element')}"
        return Finding(
            kind,
            f"{elements} {'is' if number == 1 else 'are'} {what}, starting with {bracketed(element.index)}",
            hint_name=str(kind),
            programs=comparison.owners(marks)[:MOST_PROGRAMS],
            elements=number,
            element=element,
            tiles=tile_map(comparison),
        )

    # Hints that follow the mistake

    def _diagnosed(self, finding: Finding) -> Finding:
        """Return the finding with the hints of the mistake that was made, or of the TODO in which it was made."""
        culprit, mistake, todo = self.diagnosis.culprit, self.diagnosis.mistake, self.diagnosis.todo
        if self.diagnosis.remembers:
            return replace(finding, hints=explanation_named("remembers").hints, hint_name="remembers")
        if finding.kind is FindingKind.UNWRITTEN and culprit and self.source.has_fixed_grid(culprit.line):
            mistake = next((each for each in self.exercise.mistakes if each.name == "fixed-grid"), mistake)
        if self.diagnosis.slip is not None:
            return self._slipped(finding, mistake, self.diagnosis.slip)
        if mistake is None or overwrites(culprit, self.source):
            return only_noticed(finding) if culprit is None else self._at(culprit, finding)
        own = last_hint(culprit) if culprit else self.exercise.solution_hint(todo) if todo and self._lacks(todo) else ""
        question, *ideas = mistake.hints
        shown = self.diagnosis.line
        used = shown is not None and culprit is not None and self._only_stores(culprit)
        question = f"{look_at(culprit)}{question}" if culprit and culprit.with_others and not used else question
        found = replace(finding, hints=(question, *ideas, *filter(None, [own])), hint_name=mistake.name)
        if culprit is None:
            return self._blamed(found, self.diagnosis.line or finding.line)
        if shown is not None and (used or shown in culprit.lines):  # of several, the one that shows this mistake
            culprit = replace(culprit, line=shown, lines=frozenset({shown}))
        return self._moved(found, culprit)

    def _only_stores(self, culprit: Culprit) -> bool:
        """Whether the line stores what others have computed, so that the mistake is in those as well as it is here."""
        return culprit.with_others and culprit.line in [call.lineno for call in self.source.calls("store")]

    def _slipped(self, finding: Finding, mistake: Mistake | None, slip: Slip) -> Finding:
        """The finding on the line of a slip; its hints are those of the mistake, if that is known."""
        question, idea = mistake.hints if mistake else explanation_named(slip.name).hints
        hints = (question, idea.replace("OLD", slip.old), f"With this instead, the result is right: {slip.code}")
        name = mistake.name if mistake else slip.name
        return self._on(replace(finding, hints=hints, hint_name=name), slip.line)

    def _at(self, culprit: Culprit, finding: Finding) -> Finding:
        """The finding with the hints of the TODO in which the mistake was made."""
        name, hints = hints_about(culprit, self.source)
        if not hints and culprit.todos:
            name = f"todo-{culprit.todos[0]}"
            question, idea = self.exercise.hints[culprit.todos[0] - 1]
            hints = (f"{look_at(culprit)}{question}", idea, last_hint(culprit))
        elif not hints:
            name = "given-line"
            hints = (f"{look_at(culprit)}Is it as the exercise gave it to you?", last_hint(culprit))
        return self._moved(replace(finding, hints=hints, hint_name=name), culprit)

    def _with_own(self, finding: Finding) -> Finding:
        """The finding with the solution's own line as the third hint, if it has a line, and room for that hint."""
        culprit = self.diagnosis.culprit
        if culprit is None or finding.line not in culprit.lines or len(finding.hints) >= HINTS:
            return finding
        return replace(finding, hints=(*finding.hints, last_hint(culprit)))

    def _moved(self, finding: Finding, culprit: Culprit) -> Finding:
        """Return the finding on the line where the mistake was made; its message says where it was noticed."""
        if culprit.line is None and culprit.todos:
            if own := unread_lookalike(self.source):
                return self._on(replace(finding, hints=own.hints, hint_name="misspelt-definition"), own.line)
            message = f"{finding.message}; {missing_step(culprit, self.source)}"
            return self._blamed(replace(finding, message=message), None)
        if finding.line in culprit.lines or culprit.line is None:
            return finding
        return self._on(finding, culprit.line)

    def _on(self, finding: Finding, line: int) -> Finding:
        if finding.line not in (None, line):
            finding = replace(finding, message=f"{finding.message} (on line {finding.line})")
        return self._blamed(finding, line)

    def _on_no_right_line(self, finding: Finding) -> Finding:
        """Return the finding on no line that is the solution's own, where it was only noticed: the cause is elsewhere.

        If all of the script is the solution's but for one statement, that is the cause.
        """
        if finding.kind in ELSEWHERE or self._alignment is None or finding.line not in self._alignment.right_lines():
            return finding
        others = self._alignment.other_lines()
        noticed = replace(finding, message=f"{finding.message} (on line {finding.line})")
        return self._blamed(noticed, others[0] if len(others) == 1 else None)

    @functools.cached_property
    def _alignment(self) -> Alignment | None:
        """The script beside the solution; None if the learner has spoilt the solution."""
        try:
            return aligned(self.source)
        except (SyntaxError, ValueError):
            return None

    def _lacks(self, todo: int) -> bool:
        """Whether the script has not all of what the solution has for a TODO."""
        return self._alignment is None or not self._alignment.has_all_of(self._alignment.places_of(todo))

    def _explained(self, kind: FindingKind, message: str, name: str, line: int | None = None) -> Finding:
        return self._finding(kind, message, explanation_named(name).hints, line, name)

    def _finding(self, kind: FindingKind, message: str, hints: tuple[str, ...], line: int | None, name: str) -> Finding:
        return Finding(kind, message, hints, line, self.source.line(line), hint_name=name)

    def _blamed(self, finding: Finding, line: int | None) -> Finding:
        return replace(finding, line=line, source=self.source.line(line))


def _stored_outside() -> Finding:
    message = "a kernel stored to memory before or after one of its arguments"
    hints = ("Which mask keeps the store inside?", "Compare the offsets of the store with the tensor's size.")
    return Finding(FindingKind.OUT_OF_BOUNDS_STORE, message, hints, hint_name="mask-missing")
