"""Findings before the search for their mistake."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from triton_workshop.checking.judging.explanations import explanation_named
from triton_workshop.checking.judging.verdict import Finding, FindingKind
from triton_workshop.checking.observing.source import Source
from triton_workshop.hints import sentence


class Remedy(Enum):
    """Effect of a diagnosis on the hints and the line of a finding."""

    NONE = auto()
    """It does not: the finding says all that there is to say."""
    QUOTE = auto()
    """The last hint is the solution's line, if it is the one to blame."""
    MOVE = auto()
    """The line is the one where the mistake was made."""
    MOVE_AND_QUOTE = auto()
    """Both."""
    TODO = auto()
    """Hints and line are those of the TODO with the mistake."""
    MISTAKE = auto()
    """Hints and line are those of the mistake, if it is known."""
    ORIGIN = auto()
    """The hints say that the script reuses an earlier result, if so."""


@dataclass(frozen=True)
class Symptom:
    """A finding, as far as a single call shows what is wrong."""

    finding: Finding
    remedy: Remedy = Remedy.NONE


def finding_on_line(
    source: Source, kind: FindingKind, message: str, hints: tuple[str, ...], line: int | None, name: str
) -> Finding:
    """Return a finding on a line of the script, with hints of this name."""
    return Finding(kind, message, hints, line, source.line(line), hint_name=name)


def explained_finding(source: Source, kind: FindingKind, message: str, name: str, line: int | None = None) -> Finding:
    """Return a finding with the hints of the explanation of this name."""
    return finding_on_line(source, kind, message, explanation_named(name).hints, line, name)


def blame_line(finding: Finding, line: int | None, source: Source) -> Finding:
    """Return the finding on another line, or on none."""
    return replace(finding, line=line, source=source.line(line))


def move_to_cause(finding: Finding, line: int | None, source: Source) -> Finding:
    """Return the finding on the line of its cause.

    Its message then says on which line it was noticed.
    """
    # A finding without a line was noticed nowhere in particular.
    if finding.line not in (None, line):
        finding = replace(finding, message=sentence("messages.on-line", message=finding.message, line=finding.line))
    return blame_line(finding, line, source)
