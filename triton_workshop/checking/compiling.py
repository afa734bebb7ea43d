"""The compiler's part of a check: a script that is right on the simulator must compile for a GPU, too."""

from __future__ import annotations

from dataclasses import replace

from triton_workshop.checking.judging.explanations import explain
from triton_workshop.checking.judging.verdict import Finding, Kind, Verdict
from triton_workshop.compiler.compilation import Start
from triton_workshop.compiler.jobs import Answer
from triton_workshop.compiler.report import ask


def compiled(verdict: Verdict, start: Start) -> Verdict:
    """The verdict on a script that is right, with what the compiler says about its kernels.

    A compiler that cannot be started has nothing to say.
    """
    try:
        said = ask(verdict.kernels, start)
    except OSError:
        return verdict
    refused = said.refused
    if refused is None:
        return replace(verdict, compiler=tuple(said.lines()))
    return replace(verdict, findings=(_finding(refused, verdict),))


def _finding(answer: Answer, verdict: Verdict) -> Finding:
    refusal = answer.refusal
    assert refusal is not None
    explanation = explain(refusal.chain or refusal.words, in_kernel=True)
    here = refusal.file == str(verdict.file)
    return Finding(
        Kind.DOES_NOT_COMPILE,
        f"{answer.job.kernel.name} is right on the simulator, but Triton's compiler refuses it: {refusal.in_short}",
        explanation.hints if explanation else (),
        refusal.line if here else None,
        refusal.source if here else "",
        hint_name=explanation.name if explanation else "",
    )
