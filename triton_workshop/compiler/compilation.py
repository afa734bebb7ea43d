"""Has kernels compiled in another process, which is ended if it takes too long, and collects what the compiler says.

That process runs `child`. This one needs neither torch nor Triton.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from triton_workshop.compiler.jobs import Answer, CompileJob, PickledKernel, Refusal
from triton_workshop.compiler.targets import TARGETS, Target
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError
from triton_workshop.processes.modes import Mode, compiling
from triton_workshop.processes.runner import Runner

COMPILER = "triton_workshop.compiler.child:compile_when_asked"
SECONDS = 5.0
"""How long the compiler may take for a kernel and a GPU before the answer is that it is slow."""
STARTING = 60.0
"""Seconds that a new process may take to import Triton from a slow disk."""

READY = "ready"
"""What the process says first."""

Start = Callable[[], Call]
"""Starts `compile_when_asked` in another process. Raises OSError."""


def jobs_for(kernels: Sequence[PickledKernel], targets: Sequence[Target] = TARGETS) -> list[CompileJob]:
    """What to ask about these launches' kernels, in order.

    The front end reads every specialization. Every variant is compiled for the newest GPU, and the last one of each
    kernel, which is the largest case's, for the others.
    """
    variants = {kernel.variant: kernel for kernel in kernels}
    last = {kernel.name: kernel for kernel in kernels}
    return [
        *(CompileJob(kernel, None) for kernel in kernels),
        *(CompileJob(kernel, target) for target in targets[:1] for kernel in variants.values()),
        *(CompileJob(kernel, target) for target in targets[1:] for kernel in last.values()),
    ]


def answers(jobs: Sequence[CompileJob], start: Start) -> Iterator[Answer]:
    """What the compiler says about each, until its front end refuses one.

    A process that takes too long or crashes has answered for one job; another one goes on with the rest. Raises
    OSError.
    """
    left = list(jobs)
    while left:
        process = start()
        try:
            process.send(tuple(left))
            answered = _answers_of(process, left)
            for answer in answered:
                left.remove(answer.job)
                yield answer
                if answer.job.target is None and answer.refusal is not None:
                    return
        finally:
            process.kill()
            process.close()


def _answers_of(process: Call, jobs: Sequence[CompileJob]) -> Iterator[Answer]:
    """The answers of one process, as many as it gives."""
    ready = False
    for job in jobs:
        try:
            if not ready:
                ready = process.next_message(STARTING) == READY
            answer = process.next_message(SECONDS)
        except TimeIsUpError:
            yield Answer(job, slow=True)
            return
        except EndedError as error:
            if not ready:
                raise OSError("Triton could not be imported in another process") from error
            yield Answer(job, Refusal(f"the compiler itself crashed: it was {error}"))
            return
        assert isinstance(answer, Answer)
        yield answer


def new_process() -> Call:
    """Start a process for the compiler. Raises OSError."""
    with Path(os.devnull).open("wb") as nowhere:
        return call.start(COMPILER, output=nowhere.fileno(), variables=compiling(os.environ))


def warm(runner: Runner) -> Start:
    """How to start processes for the compiler that have imported Triton before."""

    def start() -> Call:
        with Path(os.devnull).open("wb") as nowhere:
            return runner.call(COMPILER, output=nowhere.fileno(), mode=Mode.COMPILER)

    return start
