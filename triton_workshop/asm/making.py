"""From a script to what the compiler makes of its kernels, by processes that stay warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from triton_workshop.asm.asked import MOST, Launching, ScriptRun, is_called, told_apart
from triton_workshop.asm.cache import Made, keep
from triton_workshop.compiler.compilation import Start, answers
from triton_workshop.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_workshop.compiler.targets import Target
from triton_workshop.processes.call import EndedError, TimeIsUpError
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner

LAUNCHES = "triton_workshop.asm.launching:send_launches"
LIMIT_SECONDS = 60.0
"""Seconds that a script may take on the simulator, and a kernel to compile."""


def make(asked: Launching, target: Target, kernel: str | None, runner: Runner, output: int) -> Made:
    """Run a script's launches and compile them; what the script prints goes to `output`. Raises OSError."""
    runner.warm_up(Mode.COMPILER)
    launched = launches_of(asked, runner, output)
    if launched.failure:
        return Made(launched)
    launched = replace(launched, kernels=told_apart(launched.kernels))
    made = Made(
        launched, compiled([each for each in launched.kernels if is_called(each, kernel)], target, warm(runner))
    )
    keep(asked, target, kernel, made)
    return made


def compiled(kernels: Sequence[PickledKernel], target: Target, start: Start) -> tuple[Answer, ...]:
    """What the compiler says, and makes, of the first of these kernels. Raises OSError."""
    jobs = [CompileJob(each, target, shown=True) for each in kernels[:MOST]]
    unknown = [Answer(job, unknown=job.kernel.unknown) for job in jobs if job.kernel.unknown]
    known = [job for job in jobs if not job.kernel.unknown]
    return (*unknown, *answers(known, start, LIMIT_SECONDS))


def launches_of(asked: Launching, runner: Runner, output: int) -> ScriptRun:
    """What a script launches on the simulator. Raises OSError."""
    script = runner.call(LAUNCHES, asked, output=output, patience=LIMIT_SECONDS)
    try:
        with script:
            launched = next(script.messages(), None)
    except TimeIsUpError:
        return ScriptRun((), failure=f"it had not ended after {LIMIT_SECONDS:g} s on the simulator")
    except EndedError as error:
        return ScriptRun((), failure=f"its process was {error}")
    assert isinstance(launched, ScriptRun)
    return launched
