"""Runs in the process of a learner's script, after it was observed: finds which mistake it made, and where."""

from __future__ import annotations

import ast
import contextlib
import io
import math
import os
from collections.abc import Iterator
from dataclasses import replace

from triton_workshop.checking.diagnosing import tries as allowed
from triton_workshop.checking.diagnosing.configurations import other_configuration_of
from triton_workshop.checking.diagnosing.limits import Limit, limits_of
from triton_workshop.checking.diagnosing.recognise import Diagnosis, diagnose, fails_alike
from triton_workshop.checking.diagnosing.repair import Culprit, find_culprit
from triton_workshop.checking.diagnosing.slips import Slip, find_slip
from triton_workshop.checking.diagnosing.tile_sizes import OtherSize, other_size_of
from triton_workshop.checking.diagnosing.tries import Tries
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.provenance import Provenance
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.own_errors import dispensable
from triton_workshop.exercises.cases import Case
from triton_workshop.processes.signal_scope import keep_signals_inside
from triton_workshop.processes.wire import Connection


def send_diagnosis(connection: Connection, source: Source, name: str) -> None:
    """Send which mistake makes the case of this name fail, and where it is: whenever more is known."""
    prepare()
    keep_signals_inside()
    with _silent(), dispensable():
        for diagnosis in diagnoses_of(source, source.exercise.find_case(name)):
            connection.send(diagnosis)


def send_other_size(connection: Connection, source: Source) -> None:
    """Send a tile size that a right script depends on, or None."""
    prepare()
    keep_signals_inside()
    found: OtherSize | None = None
    with _silent(), dispensable():
        found = other_size(source)
    connection.send(found)


def send_limits(connection: Connection, source: Source) -> None:
    """Send up to which sizes a right script is right, one limit after the other."""
    prepare()
    keep_signals_inside()
    with _silent():
        for limit in limits(source):
            connection.send(limit)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Throw away what is printed past Python, too."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 (a device)
        kept = [(number, os.dup(number)) for number in (1, 2)]
        for number, _ in kept:
            os.dup2(nowhere.fileno(), number)
    try:
        yield
    finally:
        for number, file in kept:
            os.dup2(file, number)
            os.close(file)


def diagnosis_of(source: Source, case: Case, seconds: float | None = None) -> Diagnosis:
    """The last of the `diagnoses_of` this case."""
    *_, last = diagnoses_of(source, case, seconds)
    return last


def diagnoses_of(source: Source, case: Case, seconds: float | None = None) -> Iterator[Diagnosis]:
    """Find which mistake makes this case fail, and where it is. What the script prints is thrown away.

    `seconds` of processor time are for all tries together, by default `tries.SEARCH_SECONDS`. For a slip in a script of
    which those have shown nothing there are half as many again, by default `tries.SLIP_SECONDS`, and as many to try it
    in every case, by default `tries.CONFIRM_SECONDS`.
    """
    tries = Tries(source, seconds)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if tries.right(source.text, case):
            yield Diagnosis(remembers=True)
            return
        seen = tries.observe(source.text, case)
        if seen is None or seen.provenance in (Provenance.NO_LAUNCH, Provenance.CHANGED, Provenance.ELSEWHERE):
            yield Diagnosis()
            return
        culprit = find_culprit(
            source,
            lambda text: tries.repaired(text, case),
            lambda text: all(tries.right(text, each) for each in source.exercise.largest_cases),
            lambda text: fails_alike(source.exercise, case, seen, tries.observe(text, case)),
        )
        if seen.failure:  # an error message with an explanation needs no search: no edit says more
            yield Diagnosis(culprit)
            return
        diagnosis = diagnose(source, case, culprit, tries.observe)
        yield diagnosis
        unclear = diagnosis.line is None if culprit is None else _is_unclear(source, culprit)
        if unclear and (slip := _slip(source, case, seen, culprit, seconds)):
            yield replace(diagnosis, culprit=None, slip=slip)


def _is_unclear(source: Source, culprit: Culprit) -> bool:
    """Whether others may be the cause: lines that it uses, or what a path does that its line chooses."""
    at_path = isinstance(source.statement_at(culprit.line), ast.If) and not culprit.instead
    return (culprit.with_others or at_path) and not culprit.extra


def _slip(source: Source, case: Case, seen: Observation, culprit: Culprit | None, seconds: float | None) -> Slip | None:
    tries = Tries(source, allowed.SLIP_SECONDS if seconds is None else seconds / 2)
    last = Tries(source, allowed.CONFIRM_SECONDS if seconds is None else seconds)
    noticed = {fault.line.number for fault in seen.faults[:1]} | (culprit.lines if culprit else set[int]())
    return find_slip(
        source,
        noticed,
        lambda text: tries.repaired(text, case),
        last.right_in_all,
        nearby=culprit is not None,
    )


def limits(source: Source, seconds: float | None = None) -> Iterator[Limit]:
    """Find up to which sizes a right script is right, as `diagnosis_of` does."""
    seconds = allowed.LIMIT_SECONDS if seconds is None else seconds
    tries = Tries(source, seconds, slow=math.inf, longest=seconds)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield from limits_of(source, tries.observe, tries.right, lambda: tries.extend(seconds))


def other_size(source: Source, seconds: float | None = None) -> OtherSize | None:
    """Find a tile size that a right script depends on, as `diagnosis_of` does."""
    seconds = allowed.LIMIT_SECONDS if seconds is None else seconds
    tries = Tries(source, seconds, slow=math.inf)  # smaller tiles take longer, and are right
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        last, runs = source.exercise.cases[-3:], (tries.observe, tries.right)
        every = (*last, *source.exercise.long_cases)
        return other_size_of(source, last, *runs) or other_configuration_of(source, every, *runs)
