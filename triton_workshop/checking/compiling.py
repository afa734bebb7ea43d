"""The compiler's part of a check.

A script that is right on the simulator must compile for a GPU and fit there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from triton_simulator.compiler.compilation import Start, answers
from triton_simulator.compiler.jobs import Answer, CompileJob, Refusal
from triton_simulator.compiler.report import CompilerReport, join_names, shared_memory, threads
from triton_simulator.gpus import EXTRA_TARGETS
from triton_simulator.without_library import has_library
from triton_workshop.checking.judging.explanations import Explanation, explanation_named, find_kernel_explanation
from triton_workshop.checking.judging.goals import describe_unknown, judged_goals, missed_goal
from triton_workshop.checking.judging.verdict import Finding, FindingKind, Verdict
from triton_workshop.checking.observing.source import Function, Source, names_in
from triton_workshop.costs.figures import compiled_figures
from triton_workshop.exercises import EXERCISES
from triton_workshop.hints import sentence
from triton_workshop.processes.compilers import compiler_reports


def check_compilation(verdict: Verdict, start: Start, *, shows_costs: bool = False) -> Verdict:
    """Return the last of the `compiler_verdicts`."""
    *_, last = compiler_verdicts(verdict, start, shows_costs=shows_costs)
    return last


def compiler_verdicts(verdict: Verdict, start: Start, *, shows_costs: bool = False) -> Iterator[Verdict]:
    """Yield a right script's verdict with what the compiler says of it.

    The first is on the GPUs that decide. If they take the script, a second one is on the `EXTRA_TARGETS`, too. A
    compiler that cannot be started has nothing to say. Where there are goals, one on these comes before all.
    """
    answer = verdict
    try:
        answer = verdict = with_compiled_costs(verdict, start, shows_costs=shows_costs)
        if verdict.findings:
            yield verdict
            return
        if verdict.goals:
            yield verdict
        unknown = tuple(describe_unknown(verdict.goals))
        for report in compiler_reports(verdict.kernels, start, EXTRA_TARGETS):
            finding = _find_obstacle(report, verdict)
            if finding is not None:
                yield replace(verdict, findings=(finding,))
                return
            answer = replace(verdict, compiler=(*report.lines(), *unknown))
            yield answer
    except OSError:
        yield answer


GOAL_SECONDS = 20.0
"""Seconds that the compiler may take for a kernel whose costs are of interest."""


def with_compiled_costs(verdict: Verdict, start: Start, *, shows_costs: bool = False) -> Verdict:
    """Return a right script's verdict with its costs by the compiler.

    The first goal that it misses is a finding. Raises OSError.
    """
    exercise = EXERCISES[verdict.exercise]
    if not verdict.launched:
        return verdict
    has_compiled_goals = any(not goal.quantity.is_counted for goal in exercise.goals)
    is_asked = shows_costs or has_compiled_goals
    if not is_asked:
        return verdict
    target = exercise.gpu.target
    jobs = [CompileJob(kernel, target, with_assembly=True) for kernel in verdict.launched if not kernel.unknown]
    found = list(answers(jobs, start, GOAL_SECONDS)) if has_library() else []
    if any(map(_is_incomplete, found)):
        return replace(verdict, findings=(_not_compiled(verdict),)) if exercise.goals else verdict
    # The costs of some of the kernels would look like those of all.
    have_assembly = all(answer.assembly for answer in found)
    known = len(found) == len(verdict.launched) and have_assembly
    figures = compiled_figures(found, verdict.file, verdict.text) if known else {}
    verdict = replace(verdict, figures={**verdict.figures, **figures})
    verdict = replace(verdict, goals=judged_goals(exercise, verdict.figures))
    return replace(verdict, findings=missed_goal(_source(verdict), verdict.goals))


def _is_incomplete(answer: Answer) -> bool:
    """Return whether the compiler did not come to the end of a kernel."""
    return answer.slow or answer.too_large is not None


def _not_compiled(verdict: Verdict) -> Finding:
    source = _source(verdict)
    message = sentence("goals.not-compiled", gpu=EXERCISES[verdict.exercise].gpu.name, seconds=GOAL_SECONDS)
    line = source.sizes_line()
    return Finding(FindingKind.CORRECT_BUT_SLOW, message, (), line, source.line(line))


def retract_unconfirmed_todos(verdict: Verdict, start: Start) -> Verdict:
    """Return the verdict on an unfinished script, checked by the compiler.

    No TODO is right in it if the compiler refuses the script's kernels.
    """
    has_right_todo = any(todo.right for todo in verdict.todos)
    if not has_right_todo:
        return verdict
    if not next(compiler_verdicts(replace(verdict, findings=()), start)).findings:
        return verdict
    return replace(verdict, todos=tuple(replace(todo, right=False) for todo in verdict.todos))


def _find_obstacle(report: CompilerReport, verdict: Verdict) -> Finding | None:
    """Return what keeps a kernel from running on any GPU."""
    answer = report.refused
    if answer is not None:
        return _report_refusal(answer, verdict)
    answer = report.too_many_warps
    finding = None if answer is None else _report_warps(answer, verdict)
    if finding is not None:
        return finding
    oversized = report.memory_failures()
    return _report_memory(oversized, verdict) if oversized else None


def _report_refusal(answer: Answer, verdict: Verdict) -> Finding:
    refusal, source = answer.refusal, _source(verdict)
    assert refusal is not None
    explanation = _find_explanation(refusal, source)
    line, code = (refusal.line, refusal.source) if refusal.file == str(verdict.file) else (None, "")
    cause_line = _line_of_cause(explanation, refusal, source) if explanation else None
    if cause_line:
        line, code = cause_line, source.line(cause_line)
    return Finding(
        FindingKind.DOES_NOT_COMPILE,
        sentence("messages.refused-by-the-compiler", kernel=answer.job.kernel.name, summary=refusal.summary),
        explanation.hints if explanation else (),
        line,
        code,
        hint_name=explanation.name if explanation else "",
    )


def _line_of_cause(explanation: Explanation, refusal: Refusal, source: Source) -> int | None:
    """Return the line of a mistake that the compiler notices elsewhere.

    It is None if the mistake is where the compiler stopped.
    """
    if explanation.name == "tile-too-small-for-dot":
        return source.sizes_line()
    if explanation.name == "number-beyond-float32" and (kernel := source.function_at(refusal.line)):
        return source.beyond_float32(kernel)
    # The compiler stops at the loop, but the type to change is that of the first value.
    if match := re.search(r"Loop-carried variable (\w+) has", refusal.words):
        return source.first_assignment(match[1], source.function_at(refusal.line))
    return source.launch_line() if explanation.at_launch else None


def _find_explanation(refusal: Refusal, source: Source) -> Explanation | None:
    kernel = source.function_at(refusal.line)
    explanation = _explain_by_text(refusal, source, kernel) if kernel else None
    if explanation is not None:
        return explanation
    return find_kernel_explanation(refusal.chain or refusal.words, refusal.source)


def _explain_by_text(refusal: Refusal, source: Source, kernel: Function) -> Explanation | None:
    """Return an explanation that the kernel's text gives, if it does."""
    match = re.fullmatch(r"NameError: (\w+) is not defined", refusal.words)
    # The compiler forgets a name that gets its first value in a loop or a branch.
    if match and match[1] in names_in(kernel):
        explanation = explanation_named("only-in-a-loop")
        return replace(explanation, hints=tuple(hint.replace("NAME", match[1]) for hint in explanation.hints))
    if "fp64" in refusal.words and source.beyond_float32(kernel):
        return explanation_named("number-beyond-float32")
    return None


def _report_memory(answers: Sequence[Answer], verdict: Verdict) -> Finding | None:
    kernel, needs = answers[0].job.kernel.name, join_names([shared_memory(answer) for answer in answers])
    message = sentence("messages.without-memory", kernel=kernel, needs=needs)
    return _report_misfit(verdict, message, "tiles-without-room", Source.sizes_line)


def _report_warps(answer: Answer, verdict: Verdict) -> Finding | None:
    message = sentence("messages.without-warps", kernel=answer.job.kernel.name, threads=threads(answer))
    return _report_misfit(verdict, message, "warps-of-two", Source.launch_line)


def _report_misfit(
    verdict: Verdict, message: str, name: str, line_in: Callable[[Source], int | None]
) -> Finding | None:
    """Report a kernel that no GPU can launch.

    The result is None if there is no telling, as a tuner leaves out what has no room.
    """
    source = _source(verdict)
    if source.mentions("autotune"):
        return None  # the simulator takes the first configuration, a GPU any that fits
    line, hints = line_in(source), explanation_named(name).hints
    return Finding(FindingKind.DOES_NOT_FIT, message, hints, line, source.line(line), hint_name=name)


def _source(verdict: Verdict) -> Source:
    """The script as it was judged: it may have been saved again since."""
    return Source(verdict.file, verdict.text, EXERCISES[verdict.exercise])
