"""Jobs for the compiler, and its answers.

All are plain data that processes send each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from triton_simulator.gpus import PROGRAM_THREADS, WARP_THREADS, Target

SHORT_CHARACTERS = 300
"""Characters of the compiler's words that are shown."""


@dataclass(frozen=True)
class PickledKernel:
    """A specialization on its way to the compiler.

    Launches whose `variant` is equal differ only in which sizes are 1 or divisible by 16: what Triton's front end says
    may depend on that, but hardly what a GPU has room for.
    """

    name: str
    variant: str
    data: bytes = field(repr=False)
    unknown: str = ""
    """The reason why it cannot be pickled; then there is no `data`."""
    numbers: tuple[tuple[str, int | float], ...] = ()
    """The arguments and options that are numbers, by name.

    They are those of the first launch that is specialized like this.
    """


@dataclass(frozen=True)
class LargeBlock:
    """A block of values in a kernel. Its dtype is named as in `tl`."""

    shape: tuple[int, ...]
    dtype: str
    bytes: int

    def __str__(self) -> str:
        return f"{' × '.join(f'{size:,}' for size in self.shape)} {self.dtype} values"


@dataclass(frozen=True)
class Refusal:
    """Reason why a kernel does not compile.

    `words` are the compiler's own; `file`, `line` and `source` are where it stopped, in the kernel or in a function of
    the script's that it calls. `chain` has the types and messages of the errors that led to it, outermost first.
    """

    words: str
    file: str = ""
    line: int | None = None
    chain: str = ""
    source: str = ""

    @property
    def summary(self) -> str:
        """The first of its words, on one line."""
        message = " ".join(self.words.split())
        return message if len(message) <= SHORT_CHARACTERS else f"{message[:SHORT_CHARACTERS]} …"


@dataclass(frozen=True)
class CompileJob:
    """Kernel to compile for a GPU, or only to be read by the front end."""

    kernel: PickledKernel
    target: Target | None
    with_assembly: bool = False
    """True if the answer shall have the assembly."""


@dataclass(frozen=True)
class Assembly:
    """Text of a compiled kernel, stage by stage.

    `sass` names the source line of each instruction.

    `resources` is what cuobjdump says the binary takes; shared memory, which a launch asks for, is not in it.
    """

    kernel: str
    ttir: str = field(repr=False)
    ttgir: str = field(repr=False)
    ptx: str = field(repr=False)
    sass: str = field(repr=False)
    resources: str = field(repr=False)
    shared_bytes: int
    warps: int
    stages: int
    tensor_columns: int = 0
    """Columns of tensor memory that a program takes, on GPUs that have any."""


@dataclass(frozen=True)
class Answer:
    """Compiler's answer to a job.

    It says why the compiler refuses the kernel, or how much shared memory a program takes.

    `slow`: it took too long. `unknown`: why nothing can be said, as the kernel names something that cannot be taken to
    another process.
    """

    job: CompileJob
    refusal: Refusal | None = None
    shared_bytes: int = 0
    slow: bool = False
    unknown: str = ""
    too_large: LargeBlock | None = None
    """A block that needs more registers than there are.

    The kernel was not compiled to the end.
    """
    warps: int = 0
    """Warps of a program; 0 if only a kernel compiled for NVIDIA's GPUs was looked at."""
    assembly: Assembly | None = None
    """The assembly, if the job asks for it."""

    @property
    def too_many_warps(self) -> bool:
        """Return whether no GPU, or not the job's, can launch so many warps.

        The compiler takes them.
        """
        return self.threads > PROGRAM_THREADS

    @property
    def threads(self) -> int:
        """The threads of a program, as far as its warps are known."""
        return self.warps * (WARP_THREADS if self.job.target is None else self.job.target.warp_threads)

    @property
    def does_not_fit(self) -> bool:
        """Return whether a program takes more shared memory than it can have.

        That is False for the front end's answers, and where the limit is not known.
        """
        limit = None if self.job.target is None else self.job.target.shared_bytes
        return limit is not None and self.shared_bytes > limit
