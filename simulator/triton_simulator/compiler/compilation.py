"""Compilation of kernels in another process.

The process is ended if it takes too long; what the compiler says is collected.

That process runs `child`, and whoever asks says how to start it. This one needs neither torch nor Triton.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel, Refusal
from triton_simulator.gpus import VERDICT_TARGETS, Target

ANSWER_SECONDS = 5.0
"""Seconds that the compiler may take for a kernel and a GPU.

After that, the answer is that it is slow.
"""
STARTING_SECONDS = 60.0
"""Seconds that a new process may take to import Triton from a slow disk."""

READY = "ready"
"""The first message of the process."""


class SlowError(Exception):
    """A process has not sent its next message in time."""


class CrashedError(Exception):
    """A process has ended before its next message; how, says the error's text."""


class CompileWorker(Protocol):
    """Process that runs `child.serve_jobs`, as its caller sees it."""

    def send(self, message: object) -> None:
        """Send a message to the process."""

    def next_message(self, seconds: float) -> object:
        """Return the next message.

        Raises SlowError if there is none within `seconds`, and CrashedError if the process has ended.
        """

    def end(self) -> None:
        """End it, whatever it does, and let go of it."""


Start = Callable[[], CompileWorker]
"""Starts `child.serve_jobs` in another process. Raises OSError."""


def jobs_for(kernels: Sequence[PickledKernel], targets: Sequence[Target] = VERDICT_TARGETS) -> list[CompileJob]:
    """Return the jobs for these launches' kernels, in order.

    The front end reads every specialization. Every variant is compiled for the first target, and the last one of each
    kernel, which is the largest case's, for the others.
    """
    variants = {kernel.variant: kernel for kernel in kernels}
    last = {kernel.name: kernel for kernel in kernels}
    for_first = itertools.product(targets[:1], variants.values())
    for_others = itertools.product(targets[1:], last.values())
    return [
        *(CompileJob(kernel, None) for kernel in kernels),
        *(CompileJob(kernel, target) for target, kernel in for_first),
        *(CompileJob(kernel, target) for target, kernel in for_others),
    ]


def added_jobs(kernels: Sequence[PickledKernel], targets: Sequence[Target]) -> list[CompileJob]:
    """Return the jobs for targets that are not judged.

    These compile the last variant of each kernel.
    """
    last = {kernel.name: kernel for kernel in kernels}
    return [CompileJob(kernel, target) for target, kernel in itertools.product(targets, last.values())]


def answers(jobs: Sequence[CompileJob], start: Start, seconds: float | None = None) -> Iterator[Answer]:
    """Yield the compiler's answer to each job.

    Each may take `seconds`, by default ANSWER_SECONDS. The first refusal by the front end is the last answer.

    A process that takes too long or crashes has answered for one job; another one goes on with the rest. Raises
    OSError.
    """
    remaining = list(jobs)
    while remaining:
        process = start()
        try:
            process.send(tuple(remaining))
            received = _receive_answers(process, tuple(remaining), seconds or ANSWER_SECONDS)
            for answer in received:
                remaining.remove(answer.job)
                yield answer
                is_last = answer.job.target is None and answer.refusal is not None
                if is_last:
                    return
        finally:
            process.end()


def _receive_answers(process: CompileWorker, jobs: Sequence[CompileJob], seconds: float) -> Iterator[Answer]:
    """Yield the answers of one process, as many as it gives."""
    ready = False
    for job in jobs:
        try:
            if not ready:
                ready = process.next_message(STARTING_SECONDS) == READY
            answer = process.next_message(seconds)
        except SlowError:
            yield Answer(job, slow=True)
            return
        except CrashedError as error:
            if not ready:
                raise OSError("Triton could not be imported in another process") from error
            yield Answer(job, Refusal(f"the compiler itself crashed: it was {error}"))
            return
        if not isinstance(answer, Answer):
            raise TypeError(f"expected an Answer from the compiler's process, got {type(answer).__name__}")
        yield answer
