"""Why there is nothing to show of a script, or what a summary does not say, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from triton_workshop.asm.asked import MOST, is_called
from triton_workshop.asm.cache import Made
from triton_workshop.compiler.jobs import Answer


def trouble_of(made: Made, kernel: str | None) -> str:
    """Why there is nothing to show; empty if there is something."""
    launched = made.launched
    if "NVIDIA driver" in launched.failure:
        return f"it asks for a GPU itself, so it cannot run on the simulator ({launched.failure.partition(':')[0]})"
    if launched.failure:
        return launched.failure
    if not launched.kernels:
        return "it launches no kernel, so there is nothing to compile"
    if not any(is_called(each, kernel) for each in launched.kernels):
        names = (each.name.partition(" ")[0] for each in launched.kernels)
        return f"it launches no kernel {kernel}, but {', '.join(names)}"
    if any(answer.assembly is not None for answer in made.answers):
        return ""
    return _without_assembly(made.answers[0])


def _without_assembly(answer: Answer) -> str:
    name, target = answer.job.kernel.name, answer.job.target
    if (refusal := answer.refusal) is not None:
        where = f", line {refusal.line}" if refusal.line else ""
        return f"{name} does not compile for {target}{where}: {refusal.in_short}"
    if answer.slow:
        return f"{name} takes more than a minute to compile for {target}; smaller blocks take less"
    if answer.unknown:
        return f"{name} names something that cannot be taken to the compiler's process: {answer.unknown}"
    return f"{name} has no room on {target}: it needs {answer.shared_bytes >> 10} KiB of shared memory"


def notes_of(made: Made, kernel: str | None) -> Iterator[str]:
    """What the summaries themselves do not say."""
    yield from (_without_assembly(each) for each in made.answers if each.assembly is None)
    kernels = [each for each in made.launched.kernels if is_called(each, kernel)]
    for name, configurations in made.launched.tuned:
        if any(is_called(each, name) for each in kernels[:MOST]):
            yield f"{name} is tuned: a GPU would try {configurations} configurations, and this is the first of them."
    if len(kernels) > MOST:
        yield f"{len(kernels)} kernels are launched, and these are the first {MOST}; --kernel NAME:2 shows another."
