"""Report of the compiler's answers on a script's kernels."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from triton_simulator.compiler.compilation import ANSWER_SECONDS, Start, added_jobs, answers, jobs_for
from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_simulator.gpus import PROGRAM_THREADS, REGISTERS, Target, judged_with
from triton_simulator.without_library import has_backend, has_library

COMPILES = "It compiles for "
ALSO_COMPILES = "It also compiles for "
ACCEPTED = "Triton's front end accepts it. The rest of its compiler is not here."
"""The sentence for a kernel where Triton has no library."""
SUCCESS_PREFIXES = (COMPILES, ALSO_COMPILES, ACCEPTED)
"""Beginnings of good news."""


def is_success(line: str) -> bool:
    """Return whether a line only lists GPUs for which all is fine.

    Other lines say what is to be known about one of them.
    """
    return line.startswith(SUCCESS_PREFIXES)


def ask(
    kernels: Sequence[PickledKernel],
    start: Start,
    present: Set[int] = frozenset(),
    *,
    added: Sequence[Target] = (),
    two_processes: bool = False,
) -> Iterator[CompilerReport]:
    """Have kernels compiled for common GPUs and for this machine's own.

    Raises OSError.

    `present` are the compute capabilities of this machine's GPUs: 75 for 7.5. A second report follows, with the targets
    in `added` as well, if nothing speaks against the kernels by then. With `two_processes`, two of them share the work,
    which helps where they start at once.
    """
    targets = judged_with(present) if has_library() else ()
    here = tuple(target for target in targets if target.arch in present)
    compile_jobs = _answers_in_parallel if two_processes else answers
    readable = [kernel for kernel in kernels if not kernel.unknown]
    judged = [Answer(CompileJob(kernel, None), unknown=kernel.unknown) for kernel in kernels if kernel.unknown]
    judged += compile_jobs(jobs_for(readable, targets), start)
    judged += answers(_jobs_of_refused(judged, targets), start)
    report = CompilerReport(targets, here, tuple(judged))
    yield report
    rest = _rest_of(added, targets)
    if rest and report.allows_more:
        # What is slow only there says more of this machine than of the kernel.
        last = [answer for answer in compile_jobs(added_jobs(readable, rest), start) if not answer.slow]
        yield CompilerReport(targets, here, (*judged, *last), rest)


def _jobs_of_refused(judged: Sequence[Answer], targets: Sequence[Target]) -> list[CompileJob]:
    """Return the jobs that are left of kernels that a target has refused.

    A variant that is refused for the first target may compile for another one.
    """
    covered = {(answer.job.kernel, answer.job.target) for answer in judged}
    compiled = (answer for answer in judged if answer.job.target)
    refused = {answer.job.kernel for answer in compiled if answer.refusal or answer.does_not_fit}
    pairs = itertools.product(refused, targets)
    return [CompileJob(kernel, target) for kernel, target in pairs if (kernel, target) not in covered]


def _rest_of(added: Sequence[Target], targets: Sequence[Target]) -> tuple[Target, ...]:
    """Return the added targets that are not judged.

    This Triton compiles for all of them.
    """
    if not targets:
        return ()
    names = {target.name for target in targets}
    known = [target for target in added if target.name not in names]
    return tuple(target for target in known if has_backend(nvidia=target.is_nvidia))


def _answers_in_parallel(jobs: Sequence[CompileJob], start: Start) -> Iterator[Answer]:
    """Yield the answers of two processes.

    The first reads all kernels, if any are to be read, and both compile if nothing is refused by then.
    """
    read = [job for job in jobs if job.target is None]
    compiled = [job for job in jobs if job.target is not None]
    with ThreadPoolExecutor(1) as executor:
        pending: Future[list[Answer]] | None = None
        if not read:
            pending = executor.submit(lambda: list(answers(compiled[1::2], start)))
        for number, answer in enumerate(answers([*read, *compiled[::2]], start), 1):
            yield answer
            if number != len(read):
                continue
            # What the front end refuses compiles for no GPU: a second process would start in vain.
            if answer.refusal is None and compiled:
                pending = executor.submit(lambda: list(answers(compiled[1::2], start)))
        if pending is not None:
            yield from pending.result()


@dataclass(frozen=True)
class CompilerReport:
    """Compiler's answers on the kernels of a script, for these GPUs."""

    targets: tuple[Target, ...]
    present: tuple[Target, ...]
    """GPUs of this machine."""
    answers: tuple[Answer, ...]
    added: tuple[Target, ...] = ()
    """Targets for which a kernel need not compile: what is not fine there is a note."""

    @property
    def refused(self) -> Answer | None:
        """The answer on a kernel that compiles nowhere; None if all compile.

        Nowhere means for none of these GPUs, or for none of this machine's.
        """
        refused = [answer for answer in self.answers if answer.refusal is not None]
        relevant = self.present or self.targets
        for answer in refused:
            by = {candidate.job.target for candidate in refused if candidate.job.kernel == answer.job.kernel}
            # None is the front end, which refuses for all GPUs at once.
            is_for_all = None in by or by.issuperset(relevant)
            if is_for_all:
                return answer
        return None

    def memory_failures(self) -> tuple[Answer, ...]:
        """Return the answers on a kernel that no GPU has shared memory for.

        The GPUs are those of a workshop, or those of this machine.

        What does not fit where there is most of it fits nowhere, even if compiling for others took too long.
        """
        relevant = self.present or self.targets
        largest = max(relevant, key=lambda target: target.shared_bytes or 0, default=None)
        kernels = dict.fromkeys(answer.job.kernel for answer in self.answers if answer.does_not_fit)
        for kernel in kernels:
            answers = [answer for answer in self.answers if answer.job.kernel == kernel]
            failures = tuple(answer for answer in answers if answer.does_not_fit)
            small = {answer.job.target for answer in failures}
            unknown = {answer.job.target for answer in answers if answer.slow}
            if largest not in small:
                continue
            if (small | unknown).issuperset(relevant):
                return failures
        return ()

    @property
    def allows_more(self) -> bool:
        """True if it is worth asking about more targets.

        Nothing was refused then, and nothing took too long.
        """
        failures = (self.refused, self.memory_failures(), self.too_many_warps)
        if any(failures):
            return False
        return not any(answer.slow for answer in self.answers)

    @property
    def too_many_warps(self) -> Answer | None:
        """The answer on a kernel that no GPU can launch; None if there is none."""
        # The front end counts 32 threads a warp, the fewest of any GPU here: what is too many there is so everywhere.
        of_front_end = (answer for answer in self.answers if answer.job.target is None)
        return next((answer for answer in of_front_end if answer.too_many_warps), None)

    def lines(self) -> list[str]:
        """Return the sentences for somebody whose script is right."""
        if not self.targets:
            return [*([ACCEPTED] if self._accepted else []), *self.notes]
        lines = [
            f"{prefix}{join_names([str(target) for target in targets])}."
            for prefix, targets in ((COMPILES, self.fine), (ALSO_COMPILES, self._fine_of(self.added)))
            if targets
        ]
        return [*lines, *self.notes]

    def one_line(self, number_of: Callable[[int], int | None] = lambda line: line) -> str:
        """Return the report in one line.

        `number_of` gives the number that people see for a line of the kernel's file, or None if they see none.
        """
        answer = self.refused
        if answer is None or answer.refusal is None:
            return self._line_without_refusal()
        refusal = answer.refusal
        line = number_of(refusal.line) if refusal.line else None
        where = f", line {line}" if line is not None else ""
        return f"{answer.job.kernel.name} does not compile for a GPU{where}: {refusal.summary}"

    def _line_without_refusal(self) -> str:
        """Return the report in one line where no kernel is refused."""
        if not self.targets:
            accepted = "Triton's front end accepts it; there is no compiler here"
            return " · ".join([*([accepted] if self._accepted else []), *self.notes])
        names = [target.name for target in sorted(self.fine, key=lambda target: target.arch)]
        if not names:
            return " · ".join(self.notes)
        # The usual ones are a range; a GPU of this machine may be far beyond it.
        is_range = len(names) == len(self.targets) == len(judged_with(frozenset()))
        gpus = f"{names[0]} to {names[-1]}" if is_range else join_names(names)
        return " · ".join([f"compiles for {gpus}", *self.notes])

    @property
    def _accepted(self) -> bool:
        """Return whether the front end has accepted any kernel.

        Refusals are reported before this is asked.
        """
        return any(not answer.unknown for answer in self.answers)

    @property
    def fine(self) -> list[Target]:
        """The judged targets for which all kernels compile, with nothing to add."""
        return self._fine_of(self.targets)

    def _fine_of(self, targets: Sequence[Target]) -> list[Target]:
        compiled = {answer.job.target for answer in self.answers if not answer.unknown}
        notable = {answer.job.target for answer in self.answers if _note(answer)}
        return [target for target in targets if target in compiled - notable]

    @property
    def notes(self) -> list[str]:
        """Sentences on what is not fine for some GPUs, each once."""
        return list(dict.fromkeys(filter(None, map(_note, self.answers))))


def _note(answer: Answer) -> str:
    """Return what is not fine about a kernel for one kind of GPU.

    Empty if all is.
    """
    name, target = answer.job.kernel.name, answer.job.target
    if answer.unknown:
        return (
            f"Whether {name} compiles for a GPU is not known, since it names something that cannot be taken to the "
            f"compiler's process: {answer.unknown}."
        )
    if target is not None and answer.does_not_fit:
        need = f"{name} needs {answer.shared_bytes >> 10} KiB of shared memory"
        limit = f"a program has {(target.shared_bytes or 0) >> 10} KiB on {target}"
        return f"{need}, and {limit}. Use smaller blocks or fewer num_stages there."
    if (block := answer.too_large) is not None:
        return (
            f"{name} has a block of {block}: {block.bytes >> 10:,} KiB in one program, and all registers of an SM hold "
            f"{4 * REGISTERS >> 10} KiB. What they do not hold lies in slow memory, and compiling it takes minutes. "
            "Use smaller blocks, and more programs."
        )
    if answer.too_many_warps:
        return f"{name} cannot be launched on {target or 'any GPU'}: {threads(answer)}."
    if target is None:
        return ""
    if answer.slow:
        slowly = f"it takes more than {ANSWER_SECONDS:g} s"
        return f"{name} compiles very slowly for {target}: {slowly}. Smaller blocks take less."
    if answer.refusal is not None:
        return f"{name} does not compile for {target}: {answer.refusal.words}"
    return ""


def threads(answer: Answer) -> str:
    """Return a phrase on a program's threads and their limit."""
    return f"{answer.warps} warps are {answer.threads:,} threads, and a program can have {PROGRAM_THREADS:,}"


def shared_memory(answer: Answer) -> str:
    """Return a phrase on a program's shared memory and its limit.

    Raises ValueError for an answer of the front end, which says nothing of it.
    """
    target = answer.job.target
    if target is None:
        raise ValueError("the front end says nothing of shared memory")
    return f"{answer.shared_bytes >> 10} of {(target.shared_bytes or 0) >> 10} KiB on {target}"


def join_names(names: Sequence[str]) -> str:
    """Return names as in a sentence: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
