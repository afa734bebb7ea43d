"""Explanation of findings: the hints and the line of the mistake."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from triton_workshop.checking.diagnosing.alignment import Alignment, align
from triton_workshop.checking.diagnosing.recognise import Diagnosis
from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.diagnosing.slips import Slip
from triton_workshop.checking.judging.classify import UNFAMILIAR_FAULTS
from triton_workshop.checking.judging.classify_error import SHAPES
from triton_workshop.checking.judging.explanations import explanation_named
from triton_workshop.checking.judging.phrases import add_missing_step, ask_about_line, final_hint, mark_as_symptom
from triton_workshop.checking.judging.placement import is_overwriting, placement_hints
from triton_workshop.checking.judging.spelling import unread_lookalike
from triton_workshop.checking.judging.symptom import Remedy, Symptom, blame_line, move_to_cause
from triton_workshop.checking.judging.verdict import Finding, FindingKind
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.mistakes import Mistake
from triton_workshop.hints import sentence

KINDS_ON_ANY_LINE = (FindingKind.CRASH, FindingKind.TIMEOUT, FindingKind.NOT_A_KERNEL)
"""Findings that stay where they happen.

Their cause may be another line.
"""
FAULTS = (FindingKind.OUT_OF_BOUNDS_LOAD, FindingKind.OUT_OF_BOUNDS_STORE)
"""Findings on a line whose address or mask is wrong."""
ATOMICS = "atomics-on-nothing"
"""What is there before an atomic explains all wrong numbers after it."""
MAX_HINTS = 3
"""A question, an idea, and a line."""


@dataclass(frozen=True)
class Explainer:
    """Applies what is known of a script's mistake to the findings on it."""

    source: Source
    diagnosis: Diagnosis

    @property
    def exercise(self) -> Exercise:
        return self.source.exercise

    def explain(self, symptom: Symptom) -> Finding:
        """Return the finding as the diagnosis explains it."""
        finding = self._leave_correct_line(self._apply(symptom.remedy, symptom.finding))
        return self._count_bugs(finding)

    def _apply(self, remedy: Remedy, finding: Finding) -> Finding:
        match remedy:
            case Remedy.NONE:
                return finding
            case Remedy.QUOTE:
                return self._quote_solution(finding)
            case Remedy.MOVE:
                return self._move(finding, self.diagnosis.culprit)
            case Remedy.MOVE_AND_QUOTE:
                return self._explain_error(finding)
            case Remedy.TODO:
                return self._explain_culprit(finding, self.diagnosis.culprit)
            case Remedy.ORIGIN:
                return self._explain_origin(finding)
            case Remedy.MISTAKE:
                return self._explain_result(finding)

    def _explain_error(self, finding: Finding) -> Finding:
        culprit = self.diagnosis.culprit
        if culprit is None:
            return finding
        # Of several lines that would have to be others, none is wrong by itself: shapes meet where the error says.
        stays_on_line = finding.hint_name == SHAPES and len(culprit.lines) > 1
        if not stays_on_line:
            finding = self._move(finding, culprit)
        return self._quote_solution(finding)

    def _explain_origin(self, finding: Finding) -> Finding:
        if not self.diagnosis.remembers:
            return finding
        return blame_line(_reused_result(finding), self.source.return_line(), self.source)

    def _explain_result(self, finding: Finding) -> Finding:
        # A statement too many that changes an input is the whole mistake: its hints say so already.
        if self._is_of_extra_statement(finding):
            return self._move(finding, self.diagnosis.culprit)
        explained = self._explain_mistake(finding)
        # People want to know first what such a fault is.
        if finding.kind in UNFAMILIAR_FAULTS:
            return replace(explained, hints=(finding.hints[0], *explained.hints[1:]))
        return explained

    def _is_of_extra_statement(self, finding: Finding) -> bool:
        """Return whether a statement too many changes an input."""
        if finding.kind is not FindingKind.INPUT_MODIFIED:
            return False
        culprit = self.diagnosis.culprit
        return culprit is not None and culprit.extra

    # Hints that follow the mistake

    def _explain_mistake(self, finding: Finding) -> Finding:
        """Return the finding with the hints of the mistake, or of its TODO."""
        culprit, mistake = self.diagnosis.culprit, self._mistake(finding)
        if self.diagnosis.remembers:
            return _reused_result(finding)
        if self.diagnosis.slip is not None:
            return self._explain_slip(finding, mistake, self.diagnosis.slip)
        if mistake is not None and not is_overwriting(culprit, self.source):
            return self._use_mistake(finding, mistake)
        if culprit is not None:
            return self._explain_culprit(finding, culprit)
        return self._explain_numbers(finding)

    def _explain_numbers(self, finding: Finding) -> Finding:
        """Return the finding with what is known of the script's numbers."""
        if self.diagnosis.line is not None and finding.hint_name != ATOMICS:
            return move_to_cause(finding, self.diagnosis.line, self.source)  # the first NaN
        if self.diagnosis.first_difference is not None:
            # The last hint gives way to what is known of this very script.
            finding = replace(finding, hints=(*finding.hints[: MAX_HINTS - 1], self._name_other()))
        if self.diagnosis.empty_sum_line is not None:
            hint = sentence("lines.sum-of-nothing", line=self.diagnosis.empty_sum_line)
            finding = replace(finding, hints=(*finding.hints[: MAX_HINTS - 1], hint))
        return self._explain_symptom(finding)

    def _explain_symptom(self, finding: Finding) -> Finding:
        """Return the finding as a symptom, of which no mistake is known."""
        deciding = self._at_deciding_line(finding)
        return deciding if deciding.line != finding.line else mark_as_symptom(finding)

    def _at_deciding_line(self, finding: Finding) -> Finding:
        """Return the finding at its line, unless others decide what the line does."""
        if finding.kind not in FAULTS:
            return finding
        if self.source.only_names_elements(finding.line):
            return move_to_cause(finding, None, self.source)
        return finding

    def _name_other(self) -> str:
        """Return a hint on the first numbers that are not the solution's.

        It is empty if they are not known.
        """
        if self.diagnosis.line is not None:
            return ""
        if self.diagnosis.first_difference is None:
            return ""
        name, line = self.diagnosis.first_difference
        return sentence("lines.other-numbers", name=name, line=line)

    def _mistake(self, finding: Finding) -> Mistake | None:
        """Return the recognised mistake, or the one that a fixed grid shows."""
        # To a search, a grid that is fixed is like any other that is too small: the text tells them apart.
        if self._is_of_fixed_grid(finding):
            for mistake in self.exercise.mistakes:
                if mistake.name == "fixed-grid":
                    return mistake
        return self.diagnosis.mistake

    def _is_of_fixed_grid(self, finding: Finding) -> bool:
        """Return whether the culprit of unwritten elements is a fixed grid."""
        if finding.kind is not FindingKind.UNWRITTEN:
            return False
        culprit = self.diagnosis.culprit
        return culprit is not None and self.source.has_fixed_grid(culprit.line)

    def _use_mistake(self, finding: Finding, mistake: Mistake) -> Finding:
        culprit = self.diagnosis.culprit
        question, *ideas = mistake.hints
        if culprit is None:
            hints = filter(None, (question, *ideas, self._name_other(), self._quote_missing_todo()))
            finding = replace(finding, hints=tuple(hints)[:MAX_HINTS], hint_name=mistake.name)
            if self.diagnosis.line is None:
                return self._at_deciding_line(finding)
            return blame_line(finding, self.diagnosis.line, self.source)
        # The line may be right by itself: what it uses was replaced together with it.
        is_unsure = culprit.with_others and not self._shows_in_store(culprit)
        only_stores = finding.kind is FindingKind.WRONG_VALUES and self.source.stores_a_name(culprit.line)
        is_right = is_unsure and only_stores
        if is_unsure and not is_right:
            question = ask_about_line(culprit, question)
        finding = replace(finding, hints=(question, *ideas, final_hint(culprit)), hint_name=mistake.name)
        return move_to_cause(finding, None, self.source) if is_right else self._move(finding, self._narrow(culprit))

    def _quote_missing_todo(self) -> str:
        """Return the solution's lines for the TODO, if the script lacks some."""
        todo = self.diagnosis.todo
        if not todo:
            return ""
        return self.exercise.solution_hint(todo) if self._lacks_code_of(todo) else ""

    def _shows_in_store(self, culprit: Culprit) -> bool:
        """Return whether the culprit only stores values with the mistake.

        Other lines have computed them, and the mistake is known to be in those.
        """
        if self.diagnosis.line is None:
            return False
        stores = [call.lineno for call in self.source.calls("store")]
        return culprit.with_others and culprit.line in stores

    def _narrow(self, culprit: Culprit) -> Culprit:
        """Return the culprit with the one line that shows the mistake."""
        line = self.diagnosis.line
        if line is None:
            return culprit
        shows_mistake = self._shows_in_store(culprit) or line in culprit.lines
        return replace(culprit, line=line, lines=frozenset({line})) if shows_mistake else culprit

    def _explain_slip(self, finding: Finding, mistake: Mistake | None, slip: Slip) -> Finding:
        """Return the finding on the line of a slip.

        Its hints are those of the mistake, if that is known.
        """
        name = mistake.name if mistake else slip.name
        question, idea = mistake.hints if mistake else explanation_named(slip.name).hints
        hints = (question, idea.replace("OLD", slip.old), sentence("lines.fixed-by", code=slip.code))
        return move_to_cause(replace(finding, hints=hints, hint_name=name), slip.line, self.source)

    def _explain_culprit(self, finding: Finding, culprit: Culprit | None) -> Finding:
        """Return the finding with the hints of the TODO of the culprit."""
        if culprit is None:
            return finding
        name, hints = placement_hints(culprit, self.source)
        if not hints:
            name, hints = self._hints_on(culprit)
        return self._move(replace(finding, hints=hints, hint_name=name), culprit)

    def _hints_on(self, culprit: Culprit) -> tuple[str, tuple[str, ...]]:
        """Return the name and hints of a TODO, or of a line as it was given."""
        if not culprit.todos:
            question = sentence("lines.as-given")
            return "given-line", (ask_about_line(culprit, question), final_hint(culprit))
        if narrow := self.source.narrow_type(culprit.line, culprit.code):
            question, idea = explanation_named("slip-type").hints
            return "slip-type", (question, idea.replace("OLD", narrow), final_hint(culprit))
        todo = culprit.todos[0]
        question, idea = self.exercise.hints[todo - 1]
        # The TODO's question is about the grid as well, which stands on another line.
        if self.source.names_its_grid(culprit.line):
            question = sentence("launch.arguments")
        return f"todo-{todo}", (ask_about_line(culprit, question), idea, final_hint(culprit))

    def _quote_solution(self, finding: Finding) -> Finding:
        """Return the finding with the solution's line as its last hint.

        It stays as it is if there is no such line, or no room for it.
        """
        culprit = self.diagnosis.culprit
        if culprit is None or finding.line not in culprit.lines:
            return finding
        if len(finding.hints) >= MAX_HINTS:
            return finding
        return replace(finding, hints=(*finding.hints, final_hint(culprit)))

    # The line to blame

    def _move(self, finding: Finding, culprit: Culprit | None) -> Finding:
        """Return the finding on the line where the mistake was made.

        Its message then says where it was noticed.
        """
        if culprit is None:
            return finding
        if culprit.line is None:
            return self._blame_missing_step(finding, culprit) if culprit.todos else finding
        # Of several lines, the one where it was noticed is as good as the first.
        if finding.line in culprit.lines:
            return finding
        return move_to_cause(finding, culprit.line, self.source)

    def _blame_missing_step(self, finding: Finding, culprit: Culprit) -> Finding:
        # A step may seem to be missing because its result has a name that nothing reads.
        if definition := unread_lookalike(self.source):
            finding = replace(finding, hints=definition.hints, hint_name="misspelt-definition")
            return move_to_cause(finding, definition.line, self.source)
        message = add_missing_step(finding.message, culprit, self.source)
        return blame_line(replace(finding, message=message), None, self.source)

    def _leave_correct_line(self, finding: Finding) -> Finding:
        """Return the finding, but not on a line that is the solution's own.

        There it was only noticed. If all of the script is the solution's but for one statement, that is the cause.
        """
        if finding.kind in KINDS_ON_ANY_LINE:
            return finding
        alignment = self._alignment
        if alignment is None or finding.line not in alignment.right_lines():
            return finding
        lines = alignment.other_lines()
        return move_to_cause(finding, lines[0] if len(lines) == 1 else None, self.source)

    @functools.cached_property
    def _alignment(self) -> Alignment | None:
        """The script beside the solution; None if the solution is spoilt."""
        try:
            return align(self.source)
        except (SyntaxError, ValueError):
            return None

    def _lacks_code_of(self, todo: int) -> bool:
        """Return whether the script lacks some of the solution's lines of a TODO."""
        return self._alignment is None or not self._alignment.has_all_of(self._alignment.places_of(todo))

    def _count_bugs(self, finding: Finding) -> Finding:
        """Return the finding with the number of planted bugs that are left."""
        remaining, planted = len(self.exercise.remaining_bugs(self.source.text)), len(self.exercise.planted_bugs)
        if not remaining:
            return finding
        message = sentence("messages.bugs-left", message=finding.message, left=remaining, planted=planted)
        return replace(finding, message=message)


def _reused_result(finding: Finding) -> Finding:
    return replace(finding, hints=explanation_named("remembers").hints, hint_name="remembers")
