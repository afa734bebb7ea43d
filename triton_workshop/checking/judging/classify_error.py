"""Classification of errors: from an exception to a finding."""

from __future__ import annotations

import ast
import itertools
import re

from triton_simulator.errors import NotSimulatedError
from triton_workshop.checking.judging.explanations import (
    Explanation,
    explanation_named,
    find_explanation,
    find_kernel_explanation,
)
from triton_workshop.checking.judging.launch_arguments import explain_argument_count
from triton_workshop.checking.judging.phrases import shorten_error
from triton_workshop.checking.judging.spelling import explain_undefined_name, misspelt_definition
from triton_workshop.checking.judging.symptom import (
    Remedy,
    Symptom,
    explained_finding,
    finding_on_line,
    move_to_cause,
)
from triton_workshop.checking.judging.verdict import Finding, FindingKind
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.source import Source
from triton_workshop.hints import sentence

WAITING_CALLS = ("breakpoint", "set_trace", "input")
"""Calls that wait for somebody at the keyboard."""
NOT_SIMULATED = re.compile(rf"^{NotSimulatedError.__name__}: (.*)$", re.MULTILINE)
DETAILS = {"misspelt-name": explain_undefined_name, "missing-argument": explain_argument_count}
"""Functions that add a first hint, by the name of an explanation.

They look at the script's text.
"""
SHAPES = "shapes-do-not-broadcast"


def classify_error(source: Source, failure: Failure) -> Symptom:
    """Report an exception on the learner's own line.

    Triton's messages are cut to what matters.
    """
    if match := NOT_SIMULATED.search(failure.chain):
        message = sentence("messages.not-simulated", reason=match[1])
        return Symptom(explained_finding(source, FindingKind.NOT_SIMULATED, message, "not-simulated", failure.line))
    kind, message = FindingKind.of_error(failure.type), shorten_error(failure)
    explanation = _explanation(source, failure)
    if explanation is None:
        return Symptom(finding_on_line(source, kind, message, (), failure.line, "crash"), Remedy.TODO)
    name = explanation.name
    # The line that stops may be right, and the one that defines the name misspelt.
    misspelling = _misspelling(source, failure) if name in ("misspelt-name", "no-value-yet") else None
    if misspelling is not None:
        return Symptom(misspelling, Remedy.QUOTE)
    detail = DETAILS[name](source, failure) if name in DETAILS else ""
    hints = (detail, *explanation.hints) if detail else explanation.hints
    finding = finding_on_line(source, kind, message, hints, _line_to_blame(source, failure, explanation), name)
    return Symptom(finding, Remedy.QUOTE if explanation.at_once else Remedy.MOVE_AND_QUOTE)


def _line_to_blame(source: Source, failure: Failure, explanation: Explanation) -> int | None:
    line = failure.first_line if explanation.at_launch else failure.line
    if explanation.name == "waits":
        # The error comes from inside of Python's debugger, or from the end of an input that nobody typed.
        return next((call.lineno for call in source.calls(*WAITING_CALLS)), line)
    return line


def _explanation(source: Source, failure: Failure) -> Explanation | None:
    explanation = _explain_by_text(source, failure) or _explain_by_error(source, failure)
    if explanation is not None and explanation.name != SHAPES:
        return explanation
    # Matrices that are multiplied by * do not fit together, unless they are square.
    if _multiplies_blocks(source, failure.line):
        return explanation_named("dot-not-star")
    return explanation


def _explain_by_text(source: Source, failure: Failure) -> Explanation | None:
    """Return an explanation that the script's text gives, if it does.

    It gives a better clue than the error then.
    """
    # Without a grid, the call fails inside of Triton, with an error about something else.
    if failure.first_line is not None and failure.first_line == source.bare_call():
        return explanation_named("kernel-called-without-grid")
    waiting_lines = [call.lineno for call in source.calls(*WAITING_CALLS)]
    if failure.line in waiting_lines:
        return explanation_named("waits")
    error = find_explanation(_error_text(failure), _is_in_kernel(failure))
    if error is None:
        return None
    match error.name:
        case "brackets" if source.unpacks_a_load(failure.line):
            return explanation_named("one-block-per-load")
        case "pointer-and-value" if source.mentions("data_ptr"):
            return explanation_named("address-for-tensor")
    return None


def _explain_by_error(source: Source, failure: Failure) -> Explanation | None:
    """Return an explanation of the error, or else of one that led to it."""
    text, code, in_kernel = _error_text(failure), source.line(failure.line), _is_in_kernel(failure)
    explanation = find_kernel_explanation(text, code) if in_kernel else find_explanation(text, in_kernel, code)
    return explanation or find_explanation(failure.chain, in_kernel, code)


def _error_text(failure: Failure) -> str:
    return f"{failure.type}: {failure.message}"


def _is_in_kernel(failure: Failure) -> bool:
    return failure.line != failure.first_line


def _misspelling(source: Source, failure: Failure) -> Finding | None:
    """Return the finding on the definition that misspells a name.

    None if that is not the matter.
    """
    definition = misspelt_definition(source, failure)
    if definition is None:
        return None
    message = shorten_error(failure)
    finding = finding_on_line(source, FindingKind.CRASH, message, definition.hints, failure.line, "misspelt-definition")
    return move_to_cause(finding, definition.line, source)


def _multiplies_blocks(source: Source, line: int | None) -> bool:
    """Return whether all products on a line are of matrices named a and b."""
    nodes = [node for node in source.nodes_of(ast.BinOp) if node.lineno == line]
    products = [node for node in nodes if isinstance(node.op, ast.Mult | ast.MatMult)]
    if not products:
        return False
    factors = itertools.chain.from_iterable((node.left, node.right) for node in products)
    return all(map(_is_matrix, factors))


def _is_matrix(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("a", "b")
