"""What the compiler makes of a script's kernels, by processes that stay warm; kept until something changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from triton_simulator.compiler.compilation import Start, answers
from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel
from triton_simulator.gpus import Target
from triton_workshop.asm.requests import Request
from triton_workshop.disk_cache import DiskCache
from triton_workshop.processes.call import EndedError, TimeIsUpError
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner

LAUNCHES = "triton_workshop.asm.launches:send_launches"
LIMIT_SECONDS = 60.0
"""Seconds that a script may take on the simulator, and a kernel to compile."""
MOST = 6
"""How many kernels of a script are compiled, unless one is named."""
MOST_KEPT = 64
CACHE = DiskCache("asm", MOST_KEPT)


@dataclass(frozen=True)
class ScriptRun:
    """What a script has launched. `tuned`: kernels for which a GPU would choose one of so many configurations.

    `files` are those that the script has imported, other than libraries. `failure`: the error that ended it, with
    its line.
    """

    kernels: tuple[PickledKernel, ...]
    tuned: tuple[tuple[str, int], ...] = ()
    files: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class Build:
    """What a script launched, and what the compiler says of the first kernels, or of those that were named."""

    run: ScriptRun
    answers: tuple[Answer, ...] = ()

    def error(self, kernel: str | None) -> str:
        """Why there is nothing to show; empty if there is something."""
        run = self.run
        if "NVIDIA driver" in run.failure:
            return f"it asks for a GPU itself, so it cannot run on the simulator ({run.failure.partition(':')[0]})"
        if run.failure:
            return run.failure
        if not run.kernels:
            return "it launches no kernel, so there is nothing to compile"
        if not any(is_named(each, kernel) for each in run.kernels):
            names = (each.name.partition(" ")[0] for each in run.kernels)
            return f"it launches no kernel {kernel}, but {', '.join(names)}"
        if any(answer.assembly is not None for answer in self.answers):
            return ""
        return _without_assembly(self.answers[0])

    def notes(self, kernel: str | None) -> Iterator[str]:
        """What the summaries themselves do not say."""
        yield from (_without_assembly(each) for each in self.answers if each.assembly is None)
        kernels = [each for each in self.run.kernels if is_named(each, kernel)]
        for name, number in self.run.tuned:
            if any(is_named(each, name) for each in kernels[:MOST]):
                yield f"{name} is tuned: a GPU would try {number} configurations, and this is the first of them."
        if len(kernels) > MOST:
            yield (
                f"{len(kernels)} kernels are launched, and these are the first {MOST}; --kernel NAME:2 shows another."
            )


def _without_assembly(answer: Answer) -> str:
    name, target = answer.job.kernel.name, answer.job.target
    if (refusal := answer.refusal) is not None:
        where = f", line {refusal.line}" if refusal.line else ""
        return f"{name} does not compile for {target}{where}: {refusal.summary}"
    if answer.slow:
        return f"{name} takes more than a minute to compile for {target}; smaller blocks take less"
    if answer.unknown:
        return f"{name} names something that cannot be taken to the compiler's process: {answer.unknown}"
    return f"{name} has no room on {target}: it needs {answer.shared_bytes >> 10} KiB of shared memory"


def build(request: Request, target: Target, kernel: str | None, runner: Runner, output: int) -> Build:
    """Run a script's launches and compile them; what the script prints goes to `output`. Raises OSError."""
    runner.warm_up(Mode.COMPILER)
    run = run_script(request, runner, output)
    if run.failure:
        return Build(run)
    run = replace(run, kernels=_numbered(run.kernels))
    made = Build(run, compile_kernels([each for each in run.kernels if is_named(each, kernel)], target, warm(runner)))
    CACHE.keep((_digests(run.files), made), request, target.name, kernel)
    return made


def cached_build(request: Request, target: Target, kernel: str | None) -> Build | None:
    """The build that is known, if the files that the script imported are still the same."""
    match CACHE.get(request, target.name, kernel):
        case (list() as digests, Build() as known) if digests == _digests(known.run.files):
            return known
    return None


def _digests(files: Sequence[str]) -> list[str]:
    return [hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "" for file in map(Path, files)]


def compile_kernels(kernels: Sequence[PickledKernel], target: Target, start: Start) -> tuple[Answer, ...]:
    """What the compiler says, and makes, of the first of these kernels. Raises OSError."""
    jobs = [CompileJob(each, target, shown=True) for each in kernels[:MOST]]
    unknown = [Answer(job, unknown=job.kernel.unknown) for job in jobs if job.kernel.unknown]
    known = [job for job in jobs if not job.kernel.unknown]
    return (*unknown, *answers(known, start, LIMIT_SECONDS))


def run_script(request: Request, runner: Runner, output: int) -> ScriptRun:
    """What a script launches on the simulator. Raises OSError."""
    script = runner.call(LAUNCHES, request, output=output, patience=LIMIT_SECONDS)
    try:
        with script:
            run = next(script.messages(), None)
    except TimeIsUpError:
        return ScriptRun((), failure=f"it had not ended after {LIMIT_SECONDS:g} s on the simulator")
    except EndedError as error:
        return ScriptRun((), failure=f"its process was {error}")
    assert isinstance(run, ScriptRun)
    return run


def is_named(kernel: PickledKernel, wanted: str | None) -> bool:
    """Whether `--kernel` means it: `scale` is all that it is launched as, and `scale:2` the second of that."""
    numbered, _, _ = kernel.name.partition(" ")
    return wanted in (None, numbered, numbered.partition(":")[0])


def _numbered(kernels: Sequence[PickledKernel]) -> tuple[PickledKernel, ...]:
    """Those of the same name with a number and what differs between them: `scale:2 (BLOCK = 64)`."""
    return tuple(_with_number(kernel, [each for each in kernels if each.name == kernel.name]) for kernel in kernels)


def _with_number(kernel: PickledKernel, same: list[PickledKernel]) -> PickledKernel:
    if len(same) == 1:
        return kernel
    differ = [pair for pair in kernel.numbers if any(pair not in each.numbers for each in same)]
    figures = ", ".join(f"{name} = {value:,}" for name, value in differ)
    return replace(kernel, name=f"{kernel.name}:{same.index(kernel) + 1}{f' ({figures})' * bool(differ)}")
