"""Verdicts on calls of a script: classified, then explained."""

from __future__ import annotations

from dataclasses import dataclass, replace

from triton_workshop.checking.diagnosing.recognise import NO_DIAGNOSIS, Diagnosis
from triton_workshop.checking.judging.classify import RACE_OF_THREADS, Classifier, classify_timeout
from triton_workshop.checking.judging.classify_error import WAITING_CALLS, classify_error
from triton_workshop.checking.judging.explain import Explainer
from triton_workshop.checking.judging.verdict import Finding, FindingKind
from triton_workshop.checking.observing.comparison import Comparison
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.exercise import Exercise

UNDIAGNOSED_KINDS = (FindingKind.TIMEOUT, FindingKind.NOT_SIMULATED, FindingKind.CORRECT_BUT_SLOW)


@dataclass(frozen=True)
class Judge:
    """Judges the calls of one script."""

    source: Source
    limit: float
    """Seconds for each run."""
    diagnosis: Diagnosis = NO_DIAGNOSIS
    """The mistake and its place, once they are known."""
    shows_costs: bool = False
    """What a right script costs is wanted even if there are no goals."""

    @property
    def exercise(self) -> Exercise:
        return self.source.exercise

    @property
    def counts(self) -> bool:
        """True if what a right script costs is counted."""
        return self.shows_costs or bool(self.exercise.goals)

    def can_be_diagnosed(self, observation: Observation, finding: Finding) -> bool:
        """Return whether running changed lines may show the mistake."""
        if finding.kind in UNDIAGNOSED_KINDS or finding.hint_name == RACE_OF_THREADS:
            return False
        if observation.loading:
            return False
        return not (self.source.adds_to_noise or self.source.calls(*WAITING_CALLS))

    def findings(self, case: str, comparison: Comparison) -> tuple[Finding, ...]:
        """Return what is wrong with one call, with the cause first."""
        explainer = Explainer(self.source, self.diagnosis)
        symptoms = Classifier(self.source, self.limit).classify(comparison)
        return tuple(replace(explainer.explain(symptom), case=case) for symptom in symptoms)

    def timeout(self, line: int | None) -> Finding:
        """Report a script that did not finish, where it was stopped on this line."""
        return classify_timeout(self.source, self.limit, line)

    def crash(self, failure: Failure) -> Finding:
        """Report an exception, before any search for its cause."""
        return classify_error(self.source, failure).finding
