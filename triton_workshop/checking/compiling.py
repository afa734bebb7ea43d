"""The compiler's part of a check: a script that is right on the simulator must compile for a GPU and fit there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from triton_simulator.compiler.compilation import Start
from triton_simulator.compiler.jobs import Answer, Refusal
from triton_simulator.compiler.report import join_names, shared_memory, threads
from triton_simulator.gpus import ADDED
from triton_workshop.checking.judging.explanations import Explanation, explain_in_kernel, explanation_named
from triton_workshop.checking.judging.verdict import Finding, FindingKind, Verdict
from triton_workshop.checking.observing.source import Source, names_in
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.compilers import ask


def compiled(verdict: Verdict, start: Start) -> Verdict:
    """The verdict on a script that is right, with what the compiler says about its kernels.

    A compiler that cannot be started has nothing to say.
    """
    try:
        said = ask(verdict.kernels, start, ADDED)
    except OSError:
        return verdict
    if (refused := said.refused) is not None:
        return replace(verdict, findings=(_finding(refused, verdict),))
    if (too_many := said.too_many_warps) is not None and (found := _too_many_warps(too_many, verdict)) is not None:
        return replace(verdict, findings=(found,))
    if (without_room := said.memory_failures()) and (found := _no_room(without_room, verdict)) is not None:
        return replace(verdict, findings=(found,))
    return replace(verdict, compiler=tuple(said.lines()))


def _finding(answer: Answer, verdict: Verdict) -> Finding:
    refusal, source = answer.refusal, _source(verdict)
    assert refusal is not None
    explanation = _explanation(refusal, source)
    line, code = (refusal.line, refusal.source) if refusal.file == str(verdict.file) else (None, "")
    if explanation and (other := _line_of_cause(explanation, refusal, source)):
        line, code = other, source.line(other)
    return Finding(
        FindingKind.DOES_NOT_COMPILE,
        f"{answer.job.kernel.name} is right on the simulator, but Triton's compiler refuses it: {refusal.summary}",
        explanation.hints if explanation else (),
        line,
        code,
        hint_name=explanation.name if explanation else "",
    )


def _line_of_cause(explanation: Explanation, refusal: Refusal, source: Source) -> int | None:
    """Where a mistake was made that the compiler notices elsewhere; None if it is where the compiler stopped."""
    if explanation.name == "tile-too-small-for-dot":
        return source.sizes_line()
    if explanation.name == "number-beyond-float32" and (kernel := source.function_at(refusal.line)):
        return source.beyond_float32(kernel)
    if found := re.search(r"Loop-carried variable (\w+) has", refusal.words):
        return source.first_assignment(found[1], source.function_at(refusal.line))
    return source.launch_line() if explanation.at_launch else None


def _explanation(refusal: Refusal, source: Source) -> Explanation | None:
    found = re.fullmatch(r"NameError: (\w+) is not defined", refusal.words)
    kernel = source.function_at(refusal.line)
    if found and kernel and found[1] in names_in(kernel):
        own = explanation_named("only-in-a-loop")
        return replace(own, hints=tuple(hint.replace("NAME", found[1]) for hint in own.hints))
    if "fp64" in refusal.words and kernel and source.beyond_float32(kernel):
        return explanation_named("number-beyond-float32")
    return explain_in_kernel(refusal.chain or refusal.words, refusal.source)


def _no_room(answers: Sequence[Answer], verdict: Verdict) -> Finding | None:
    each = join_names([shared_memory(answer) for answer in answers])
    message = f"is right on the simulator, but no GPU here has the shared memory that it needs: {each}"
    return _does_not_fit(answers[0], verdict, message, "tiles-without-room", Source.sizes_line)


def _too_many_warps(answer: Answer, verdict: Verdict) -> Finding | None:
    message = f"is right on the simulator, but no GPU can launch it: {threads(answer)}"
    return _does_not_fit(answer, verdict, message, "warps-of-two", Source.launch_line)


def _does_not_fit(
    answer: Answer, verdict: Verdict, message: str, name: str, line_in: Callable[[Source], int | None]
) -> Finding | None:
    """A kernel that no GPU can launch. None if there is no telling, as a tuner leaves out what has no room."""
    source = _source(verdict)
    if source.mentions("autotune"):
        return None
    line, hints = line_in(source), explanation_named(name).hints
    told = f"{answer.job.kernel.name} {message}"
    return Finding(FindingKind.DOES_NOT_FIT, told, hints, line, source.line(line), hint_name=name)


def _source(verdict: Verdict) -> Source:
    """The script as it was judged: it may have been saved again since."""
    return Source(verdict.file, verdict.text, EXERCISES[verdict.exercise])
