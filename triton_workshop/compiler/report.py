"""What the compiler said about the kernels of a script, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from triton_workshop.compiler.compilation import SECONDS, Start, answers, jobs_for, new_process
from triton_workshop.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_workshop.compiler.targets import REGISTERS, Target, targets_with
from triton_workshop.device import visible_gpus
from triton_workshop.slide_environment import Numbers, number_of
from triton_workshop.without_library import has_library

COMPILES = "It compiles for "
ACCEPTED = "Triton's front end accepts it. Its compiler is not on this machine."
"""What is said where Triton has no library."""
GOOD_NEWS = (COMPILES, ACCEPTED)
"""How good news begins."""


def is_good_news(line: str) -> bool:
    """Whether a line says for which GPUs all is fine, and not what is to be known about one of them."""
    return line.startswith(GOOD_NEWS)


def ask(kernels: Sequence[PickledKernel], start: Start) -> CompilerReport:
    """Have kernels compiled for the GPUs that a workshop meets, and for this machine's own. Raises OSError.

    A second process helps where it starts at once; a new one would first have to import Triton.
    """
    capabilities = [gpu.compute_capability for gpu in visible_gpus() if gpu.runs_kernels]
    present = {10 * major + minor for major, minor in capabilities}
    targets = targets_with(present) if has_library() else ()
    answer = answers if start is new_process else _answers_of_two
    found = list(answer(jobs_for(kernels, targets), start))
    asked = {(answer.job.kernel, answer.job.target) for answer in found}
    refused = {answer.job.kernel for answer in found if (answer.refusal or answer.does_not_fit) and answer.job.target}
    # A variant that is refused for the newest GPU may compile for another one.
    more = [CompileJob(kernel, target) for kernel in refused for target in targets if (kernel, target) not in asked]
    found += answers(more, start)
    return CompilerReport(targets, tuple(target for target in targets if target.capability in present), tuple(found))


def _answers_of_two(jobs: Sequence[CompileJob], start: Start) -> Iterator[Answer]:
    """The answers of two processes: the first reads all kernels, and both compile if nothing is refused by then."""
    read = [job for job in jobs if job.target is None]
    compiled = [job for job in jobs if job.target is not None]
    with ThreadPoolExecutor(1) as beside:
        others: Future[list[Answer]] | None = None
        for number, answer in enumerate(answers([*read, *compiled[::2]], start), 1):
            yield answer
            if number == len(read) and answer.refusal is None:
                others = beside.submit(lambda: list(answers(compiled[1::2], start)))
        if others is not None:
            yield from others.result()


@dataclass(frozen=True)
class CompilerReport:
    """What the compiler said about the kernels of a script, for these GPUs."""

    targets: tuple[Target, ...]
    present: tuple[Target, ...]
    """Those of this machine."""
    answers: tuple[Answer, ...]

    @property
    def refused(self) -> Answer | None:
        """Why a kernel compiles for none of these GPUs, or for none of this machine's; None if all do."""
        refused = [answer for answer in self.answers if answer.refusal is not None]
        for answer in refused:
            by = {other.job.target for other in refused if other.job.kernel == answer.job.kernel}
            if None in by or by.issuperset(self.present or self.targets):
                return answer
        return None

    def without_room(self) -> tuple[Answer, ...]:
        """The answers on a kernel for which none of these GPUs has the shared memory, or none of this machine's."""
        found = [answer for answer in self.answers if answer.does_not_fit]
        for answer in found:
            same = tuple(other for other in found if other.job.kernel == answer.job.kernel)
            if {other.job.target for other in same}.issuperset(self.present or self.targets):
                return same
        return ()

    def lines(self) -> list[str]:
        """What somebody whose script is right should know."""
        if not self.targets:
            return [ACCEPTED, *self.notes]
        fine = [str(target) for target in self.fine]
        return [*([f"{COMPILES}{listed(fine)}."] if fine else []), *self.notes]

    def in_a_line(self, numbers: Numbers = ()) -> str:
        """The same in short; lines are named as a slide numbers them, if it does."""
        if (answer := self.refused) is None and not self.targets:
            return "Triton's front end accepts it; there is no compiler here"
        if answer is None:
            names = [f"sm_{target.capability}" for target in reversed(self.fine)]
            all_of_them = len(names) > 1 and len(names) == len(self.targets)
            compiles = f"compiles for {f'{names[0]} to {names[-1]}' if all_of_them else listed(names)}" if names else ""
            return " · ".join(filter(None, (compiles, *self.notes)))
        refusal = answer.refusal
        assert refusal is not None
        line = (number_of(refusal.line, numbers) if numbers else refusal.line) if refusal.line else None
        where = f", line {line}" if line is not None else ""
        return f"{answer.job.kernel.name} does not compile for a GPU{where}: {refusal.in_short}"

    @property
    def fine(self) -> list[Target]:
        """The GPUs for which all kernels compile, with nothing to add."""
        asked = {answer.job.target for answer in self.answers if not answer.unknown}
        notable = {answer.job.target for answer in self.answers if _note(answer)}
        return [target for target in self.targets if target in asked - notable]

    @property
    def notes(self) -> list[str]:
        """What is not fine for some GPUs, each sentence once."""
        return list(dict.fromkeys(filter(None, map(_note, self.answers))))


def _note(answer: Answer) -> str:
    """What is not fine about a kernel for one kind of GPU; empty if all is."""
    name, target = answer.job.kernel.name, answer.job.target
    if target is not None and answer.does_not_fit:
        need = f"{name} needs {answer.shared_bytes >> 10} KiB of shared memory"
        room = f"a program has {(target.shared_bytes or 0) >> 10} KiB on {target}"
        return f"{need}, and {room}. Use smaller blocks or fewer num_stages there."
    if (block := answer.too_large) is not None:
        return (
            f"{name} has a block of {block}: {block.bytes >> 10:,} KiB in one program, and all registers of an SM hold "
            f"{4 * REGISTERS >> 10} KiB. What they do not hold lies in slow memory, and compiling it takes minutes. "
            "Use smaller blocks, and more programs."
        )
    if target is None:
        return ""
    if answer.slow:
        return f"{name} compiles very slowly for {target}: it takes more than {SECONDS:g} s. Smaller blocks take less."
    if answer.refusal is not None:
        return f"{name} does not compile for {target}: {answer.refusal.words}"
    return ""


def shared_memory(answer: Answer) -> str:
    """How much a program takes on a GPU, and how much it can have there."""
    target = answer.job.target
    assert target is not None
    return f"{answer.shared_bytes >> 10} of {(target.shared_bytes or 0) >> 10} KiB on {target}"


def listed(words: Sequence[str]) -> str:
    """In a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
