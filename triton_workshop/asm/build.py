"""Compilation of a script's kernels for a look at their instructions.

Processes that stay warm do it, and the result is cached until something changes.
"""

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
"""Time limit for a script on the simulator, and for one kernel's compiler."""
MAX_KERNELS = 6
"""Kernels of a script that are compiled, unless one is named."""
MAX_CACHED = 64
CACHE = DiskCache("asm", MAX_CACHED)


@dataclass(frozen=True)
class ScriptRun:
    """Launches of a script.

    `tuned`: kernels for which a GPU would choose one of so many configurations. `files` are those that the script has
    imported, other than libraries. `failure`: the error that ended it, with its line.
    """

    kernels: tuple[PickledKernel, ...]
    tuned: tuple[tuple[str, int], ...] = ()
    files: tuple[str, ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class Build:
    """Launches of a script, and the compiler's answers.

    It was asked about the first kernels, or about those that were named.
    """

    run: ScriptRun
    answers: tuple[Answer, ...] = ()

    def error(self, kernel: str | None) -> str:
        """Why there is nothing to show; empty if there is something."""
        run = self.run
        # From PyTorch's error for a tensor on "cuda" where there is no GPU.
        if "NVIDIA driver" in run.failure:
            return f"it asks for a GPU itself, so it cannot run on the simulator ({run.failure.partition(':')[0]})"
        if run.failure:
            return run.failure
        if not run.kernels:
            return "it launches no kernel, so there is nothing to compile"
        if not any(is_named(launched, kernel) for launched in run.kernels):
            names = (launched.name.partition(" ")[0] for launched in run.kernels)
            return f"it launches no kernel {kernel}, but {', '.join(names)}"
        if any(answer.assembly is not None for answer in self.answers):
            return ""
        return _without_assembly(self.answers[0])

    def notes(self, kernel: str | None) -> Iterator[str]:
        """Yield sentences on what the summaries do not mention."""
        yield from (_without_assembly(answer) for answer in self.answers if answer.assembly is None)
        kernels = [launched for launched in self.run.kernels if is_named(launched, kernel)]
        for name, number in self.run.tuned:
            if any(is_named(launched, name) for launched in kernels[:MAX_KERNELS]):
                yield f"{name} is tuned: a GPU would try {number} configurations, and this is the first of them."
        if len(kernels) > MAX_KERNELS:
            first = f"{len(kernels)} kernels are launched, and these are the first {MAX_KERNELS}"
            yield f"{first}; --kernel NAME:2 shows another."


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
    """Run a script's launches and compile them. Raises OSError.

    What the script prints goes to `output`.
    """
    runner.warm_up(Mode.COMPILER)  # it imports Triton while the script runs
    run = run_script(request, runner, output)
    if run.failure:
        return Build(run)
    run = replace(run, kernels=_numbered(run.kernels))
    kernels = [launched for launched in run.kernels if is_named(launched, kernel)]
    result = Build(run, compile_kernels(kernels, target, warm(runner)))
    CACHE.put((_digests(run.files), result), request, target.name, kernel)
    return result


def cached_build(request: Request, target: Target, kernel: str | None) -> Build | None:
    """Return the cached build, if the script's imports have not changed."""
    match CACHE.get(request, target.name, kernel):
        case (list() as digests, Build() as known) if digests == _digests(known.run.files):
            return known
    return None


def _digests(files: Sequence[str]) -> list[str]:
    return [_digest(Path(file)) for file in files]


def _digest(file: Path) -> str:
    """Return the digest of a file; empty if there is none."""
    if not file.is_file():
        return ""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def compile_kernels(kernels: Sequence[PickledKernel], target: Target, start: Start) -> tuple[Answer, ...]:
    """Return the compiler's answers on the first kernels. Raises OSError."""
    jobs = [CompileJob(kernel, target, with_assembly=True) for kernel in kernels[:MAX_KERNELS]]
    # What cannot be pickled has no data that the compiler's process could read.
    unknown = [Answer(job, unknown=job.kernel.unknown) for job in jobs if job.kernel.unknown]
    readable = [job for job in jobs if not job.kernel.unknown]
    return (*unknown, *answers(readable, start, LIMIT_SECONDS))


def run_script(request: Request, runner: Runner, output: int) -> ScriptRun:
    """Run a script on the simulator, and collect its launches. Raises OSError."""
    script = runner.call(LAUNCHES, request, output=output, timeout=LIMIT_SECONDS)
    try:
        with script:
            run = next(script.messages(), None)
    except TimeIsUpError:
        return ScriptRun((), failure=f"it had not ended after {LIMIT_SECONDS:g} s on the simulator")
    except EndedError as error:
        return ScriptRun((), failure=f"its process was {error}")
    assert isinstance(run, ScriptRun)
    return run


def is_named(kernel: PickledKernel, selector: str | None) -> bool:
    """Return whether `--kernel` means this kernel.

    `scale` means all that is launched as scale, and `scale:2` the second of these.
    """
    numbered, _, _ = kernel.name.partition(" ")
    return selector in (None, numbered, numbered.partition(":")[0])


def _numbered(kernels: Sequence[PickledKernel]) -> tuple[PickledKernel, ...]:
    """Number the kernels of the same name.

    The name also says what differs between them: `scale:2 (BLOCK = 64)`.
    """
    return tuple(_with_number(kernel, kernels) for kernel in kernels)


def _with_number(kernel: PickledKernel, kernels: Sequence[PickledKernel]) -> PickledKernel:
    same = [peer for peer in kernels if peer.name == kernel.name]
    if len(same) == 1:
        return kernel
    differ = [pair for pair in kernel.numbers if any(pair not in peer.numbers for peer in same)]
    figures = ", ".join(f"{name} = {value:,}" for name, value in differ)
    return replace(kernel, name=f"{kernel.name}:{same.index(kernel) + 1}{f' ({figures})' * bool(differ)}")
