"""Searches for a mistake and its line, in the script's own process.

The script has been observed before.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import io
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from triton_workshop.checking.diagnosing import tries as time_limits
from triton_workshop.checking.diagnosing.alignment import align
from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.configurations import find_configuration
from triton_workshop.checking.diagnosing.forms import Forms, forms_of
from triton_workshop.checking.diagnosing.limits import Limit, limits_of
from triton_workshop.checking.diagnosing.recognise import Diagnosis, diagnose, fails_alike
from triton_workshop.checking.diagnosing.repair import Culprit, find_culprit
from triton_workshop.checking.diagnosing.sight import Sight, compare_to_solution
from triton_workshop.checking.diagnosing.slips import Slip, find_slip, likely_changes
from triton_workshop.checking.diagnosing.structure import has_twin
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize, other_size_of, with_changes
from triton_workshop.checking.diagnosing.tries import Tries
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.own_errors import suppress_own_errors
from triton_workshop.exercises.cases import Case
from triton_workshop.processes.signal_scope import confine_signals
from triton_workshop.processes.wire import Connection

LIKE = 0.1
"""Share of a script's statements that are the solution's, from which on it is worth a try to repair it by those."""
FIXED_PROGRAMS = 16
"""A grid of so many in the text may be meant to be enough for any input."""
NOT_STORED = (Provenance.NO_LAUNCH, Provenance.CHANGED, Provenance.ELSEWHERE)


def send_diagnosis(connection: Connection, source: Source, name: str) -> None:
    """Send the mistake that makes a case fail, whenever more is known."""
    prepare()
    confine_signals()
    with silence_output(), suppress_own_errors():
        for diagnosis in diagnoses_of(source, source.exercise.find_case(name)):
            connection.send(diagnosis)


def send_other_size(connection: Connection, source: Source) -> None:
    """Send a tile size that a right script depends on, or None."""
    prepare()
    confine_signals()
    dependency: OtherSize | None = None
    with silence_output(), suppress_own_errors():
        dependency = other_size(source)
    connection.send(dependency)


def send_limits(connection: Connection, source: Source) -> None:
    """Send the sizes up to which a right script is right."""
    prepare()
    confine_signals()
    with silence_output():
        for limit in limits(source):
            connection.send(limit)


@contextlib.contextmanager
def silence_output() -> Iterator[None]:
    """Throw away what is printed past Python, too."""
    with open(os.devnull, "wb") as null:  # noqa: PTH123 (a device)
        descriptors = [(number, os.dup(number)) for number in (1, 2)]
        for number, _ in descriptors:
            os.dup2(null.fileno(), number)
    try:
        yield
    finally:
        for number, file in descriptors:
            os.dup2(file, number)
            os.close(file)


def diagnoses_of(source: Source, case: Case, seconds: float | None = None) -> Iterator[Diagnosis]:
    """Find the mistake that makes this case fail, and its line.

    What takes long comes after a preliminary diagnosis.

    `seconds` of processor time are for all tries of a repair together, by default `tries.SEARCH_SECONDS`. A script in a
    style of its own has as many to compare its values, as many to recognise its mistake, by default
    `tries.SIGHT_SECONDS` each, as many for a slip, by default `tries.SLIP_SECONDS`, and half of `tries.SIGHT_SECONDS`
    to go on with each of the last two. As many are to try slips in every case, by default `tries.CONFIRM_SECONDS`.
    """
    tries = Tries(source, seconds)
    # Here the script is loaded again: what it remembers of other cases is gone.
    if tries.is_right(source.text, case):
        yield Diagnosis(remembers=True)
        return
    observation = tries.observe(source.text, case)
    # A result that no kernel has stored is explained by that, whatever its values are.
    if observation is None or _is_not_stored(observation):
        yield Diagnosis()
        return
    culprit = (
        None
        if _is_unlike(source)
        else find_culprit(
            source,
            lambda text: tries.is_repair(text, case),
            lambda text: all(tries.is_right(text, larger_case) for larger_case in source.exercise.largest_cases),
            lambda text: fails_alike(source.exercise, case, observation, tries.observe(text, case)),
        )
    )
    if observation.failure:  # an error message with an explanation needs no search: no edit says more
        yield Diagnosis(culprit)
        return
    share = Shares(seconds)
    sight = None
    if culprit is None:
        yield Diagnosis(is_preliminary=True)  # what is wrong, at once
        # Where something is never written, or outside, the numbers say nothing.
        has_numbers = not observation.faults and _is_written(observation)
        if has_numbers:
            with contextlib.suppress(SyntaxError):
                tries.extend(share.first)
                sight = compare_to_solution(source, observation, lambda text: tries.watch(text, case))
    slips = _SlipSearch(tries, source, case, observation, culprit, sight)
    diagnosis = _recognise(source, case, culprit, tries, sight, observation, share.first)
    is_recognised = diagnosis.line is not None and diagnosis.mistake is not None
    is_new = culprit is None and not is_recognised
    is_open = is_new or _is_unclear(source, culprit, diagnosis)
    if not is_open:
        yield diagnosis
        return
    # Now, as what is wrong is known, and the process may be ended while it looks further. A line may still be another.
    yield replace(diagnosis, line=None if is_new else diagnosis.line, is_preliminary=True)
    slip = slips.find(share.slip) if is_new else None
    if is_new and diagnosis.mistake is None:
        if slip is not None:
            yield replace(diagnosis, slip=slip, is_preliminary=True)
        # What was tried before is remembered: the search goes on.
        diagnosis = _recognise(source, case, culprit, tries, sight, observation, share.rest)
    if slip is None and _is_unclear(source, culprit, diagnosis):
        slip = slips.find(tries.remaining + (share.rest if is_new else share.slip))
    if slip is None:
        yield diagnosis if observation.faults else _with_likely_line(diagnosis, sight)
    else:
        yield replace(diagnosis, culprit=None, slip=slip)


def next_quietly(diagnoses: Iterator[Diagnosis]) -> Diagnosis | None:
    """Return the next diagnosis, or None after the last.

    What the script prints is thrown away.
    """
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return next(diagnoses, None)


@dataclass(frozen=True)
class Shares:
    """Shares of the time for a script in a style of its own."""

    seconds: float | None
    """For all of it, if not as `tries` says."""

    @property
    def first(self) -> float:
        """Seconds to recognise what is likely."""
        return time_limits.SIGHT_SECONDS if self.seconds is None else self.seconds

    @property
    def rest(self) -> float:
        """Seconds for what the first tries have not found."""
        return self.first / 2

    @property
    def slip(self) -> float:
        """Seconds for a slip."""
        return time_limits.SLIP_SECONDS if self.seconds is None else self.seconds


def _recognise(
    source: Source,
    case: Case,
    culprit: Culprit | None,
    tries: Tries,
    sight: Sight | None,
    observation: Observation,
    seconds: float,
) -> Diagnosis:
    """Return the mistake that is recognised within so much time, and its line."""
    if culprit is None:
        tries.extend(seconds)
    diagnosis = diagnose(source, case, culprit, tries.observe, sight)
    return diagnosis if sight is None else _with_line(diagnosis, sight, tries, case, observation)


def _with_line(diagnosis: Diagnosis, sight: Sight, tries: Tries, case: Case, observation: Observation) -> Diagnosis:
    """Return the diagnosis with the line whose numbers are wrong."""
    if diagnosis.line is not None:
        return diagnosis
    # A fault has a line of its own: what is read there or stored there has no right numbers.
    if observation.faults:
        return diagnosis
    mistaken = tries.watch(diagnosis.edited, case) if diagnosis.edited else None
    definition = None if mistaken is None else sight.wrong_definition(mistaken, diagnosis.edited_lines)
    if definition is not None:
        return replace(diagnosis, line=definition.line)
    if diagnosis.mistake is not None:
        return diagnosis
    definition = sight.first_nan() if _is_nan(observation) else None
    if definition is None:
        return diagnosis
    if sight.is_after_loop(definition):
        return replace(diagnosis, empty_sum_line=definition.line)
    return replace(diagnosis, line=definition.line)


def _with_likely_line(diagnosis: Diagnosis, sight: Sight | None) -> Diagnosis:
    """Return the diagnosis with a line that is like the mistake's.

    Or else it has the first numbers that are others. This is weaker than wrong numbers, or than a change that makes the
    script right.
    """
    if (
        sight is None
        or diagnosis.culprit is not None
        or diagnosis.line is not None
        or diagnosis.empty_sum_line is not None
    ):
        return diagnosis
    if diagnosis.mistake is not None:
        line = sight.line_like(diagnosis.mistake.edits)
        if line is not None:
            return replace(diagnosis, line=line)
    line = diagnosis.similar_line
    if line is not None and _may_be_wrong(line, sight):
        return replace(diagnosis, line=line)
    found = sight.first_difference()
    return diagnosis if found is None else replace(diagnosis, first_difference=(found.name, found.line))


def _may_be_wrong(line: int, sight: Sight) -> bool:
    """Return whether a line that looks like a mistake's may be that line."""
    # A line with the solution's numbers is right, whatever it looks like.
    if line in sight.known_lines():
        return False
    return not has_twin(sight.source, line)


def _is_unlike(source: Source) -> bool:
    """Return whether a script has hardly a line of the solution.

    If so, its lines fit nowhere in the solution.
    """
    with contextlib.suppress(SyntaxError, ValueError):
        alignment = align(source)
        return len(alignment.right_lines()) < LIKE * len(alignment.script)
    return False


def _is_nan(observation: Observation) -> bool:
    """Return whether some of the result is NaN, but written."""
    output = observation.output
    if output is None or output.unwritten is None:
        return False
    return bool((output.values.isnan() & ~output.unwritten).any())


def _is_not_stored(observation: Observation) -> bool:
    """Return whether there is a result, but no kernel has stored it."""
    return observation.output is not None and observation.output.provenance in NOT_STORED


def _is_written(observation: Observation) -> bool:
    """Return whether every element of the result is written."""
    return observation.output is not None and not observation.output.missing.any()


def _is_unclear(source: Source, culprit: Culprit | None, diagnosis: Diagnosis) -> bool:
    """Return whether another line than the culprit's may be the cause.

    These are lines that it uses, or the path that its line chooses. Any line may be, where none is known.
    """
    if culprit is None:
        return diagnosis.line is None
    if culprit.extra:
        return False
    at_path = isinstance(source.statement_at(culprit.line), ast.If) and not culprit.instead
    return culprit.with_others or at_path


@dataclass(frozen=True)
class _SlipSearch:
    """Search for a slip, which goes on where it has stopped."""

    tries: Tries
    source: Source
    case: Case
    observation: Observation
    culprit: Culprit | None
    sight: Sight | None

    def find(self, seconds: float) -> Slip | None:
        """Return a slip that is found within so much time."""
        # Before the time begins, as the first call may run the script once more.
        changes = self._changes
        self.tries.extend(seconds)
        slip = find_slip(
            self.source,
            self.tries.passing(changes, self.case),
            lambda text: self.tries.is_repair(text, self.case),
            self.tries.is_right_in_all,
        )
        if slip is None or self._may_be_the_launch(slip):
            return None
        return slip

    def _may_be_the_launch(self, slip: Slip) -> bool:
        """Return whether exchanged arguments may be the mistake as well.

        Names that fit have said no before: an argument that is named like its parameter stays.
        """
        if not self._is_in_kernel(slip.line):
            return False
        exchanges = [each for each in self._changes if each.kind == "arguments"]
        # In a kernel, arguments are those of a helper or of one of Triton's functions.
        outside = [each for each in exchanges if not self._is_in_kernel(each.node.lineno)]
        return any(self.tries.is_repair(with_changes(self.source, each.nodes), self.case) for each in outside)

    def _is_in_kernel(self, line: int) -> bool:
        """Return whether a line is one of a kernel's."""
        for kernel in self.source.kernels:
            last = kernel.end_lineno or kernel.lineno
            if kernel.lineno <= line <= last:
                return True
        return False

    @functools.cached_property
    def _changes(self) -> list[Change]:
        return likely_changes(
            self.source,
            self._noticed,
            self._later,
            self._forms,
            nearby=self.culprit is not None,
            misplaced=bool(self.observation.faults) or not _is_written(self.observation),
        )

    @functools.cached_property
    def _noticed(self) -> set[int]:
        """The lines where the mistake was noticed."""
        launch_line = self.source.launch_line() or 0
        found = {fault.line.number for fault in self.observation.faults[:1]}
        if found and self.culprit is None:  # sizes and strides come from the launch
            found.add(launch_line)
        if self.culprit is not None:
            found |= self.culprit.lines
        if self.sight is not None:
            found |= self.sight.suspects()
        if found:
            return found
        return {launch_line, *(call.lineno for call in self.source.calls("store"))}

    @functools.cached_property
    def _later(self) -> set[int]:
        """Lines that use wrong numbers, and those with the solution's.

        Right places may be taken in a wrong order.
        """
        if self.sight is None:
            return set()
        return self.sight.unknown_lines() | (self.sight.known_lines() - self.sight.index_lines())

    @functools.cached_property
    def _forms(self) -> Forms:
        return forms_of(self.sight.script.launches if self.sight else self.tries.record(self.source.text, self.case))


def limits(source: Source, seconds: float | None = None) -> Iterator[Limit]:
    """Find up to which sizes a right script is right, as `diagnoses_of` does."""
    seconds = time_limits.LIMIT_SECONDS if seconds is None else seconds
    tries = Tries(source, seconds, slow=math.inf, longest=seconds)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield from limits_of(source, tries.observe, tries.is_right, lambda: tries.extend(seconds))


def other_size(source: Source, seconds: float | None = None) -> OtherSize | None:
    """Find a tile size that a right script depends on, as `diagnoses_of` does."""
    seconds = time_limits.LIMIT_SECONDS if seconds is None else seconds
    tries = Tries(source, seconds, slow=math.inf)  # smaller tiles take longer, and are right
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        last, runs = source.exercise.cases[-3:], (tries.observe, tries.is_right)
        every = (*last, *source.exercise.long_cases)
        # Smaller tiles need more programs: a fixed grid that is too small for larger inputs shows in a long case.
        of_size = every if source.fixed_programs() >= FIXED_PROGRAMS else last
        return other_size_of(source, of_size, *runs) or find_configuration(source, every, *runs)
