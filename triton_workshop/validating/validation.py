"""Result of validating a deck, as frozen dataclasses.

There is no screen here, and nothing runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from triton_simulator.compiler.jobs import PickledKernel
from triton_workshop.deck.model import Block, Code, DeckProblem
from triton_workshop.processes.script import Outcome
from triton_workshop.screen.program_output import without_sequences
from triton_workshop.validating.environment import Environment


@dataclass(frozen=True)
class BlockResult:
    """Result of a live block.

    `outcome` is None if the block was not run.
    """

    path: Path
    """The file that contains the block, the deck or an included one.

    The block's line counts there.
    """
    block: Block
    code: Code
    outcome: Outcome | None = None
    output: bytes = b""
    failure: str | None = None
    """The difference from what the deck promises, or None.

    It is None if the block was not run, too.
    """
    skipped: str | None = None
    """The reason why it was not run."""
    launched: tuple[PickledKernel, ...] = ()
    """Compiler jobs of its launches on the simulator."""
    compiled: str = ""
    """The compiler's report in one line."""

    @property
    def passed(self) -> bool:
        """True unless the block failed; also for one that was not run."""
        return self.failure is None

    @property
    def expected(self) -> str:
        """The expected outcome as a word."""
        return "failure" if self.code.expect_failure else "success"

    @property
    def seconds(self) -> float:
        """Seconds that the block ran."""
        return self.outcome.seconds if self.outcome else 0.0

    @property
    def text(self) -> str:
        """The output as plain text.

        Colours are left out, and each line is as its last carriage return left it.
        """
        text = without_sequences(self.output.decode(errors="replace")).replace("\r\n", "\n")
        # A progress bar redraws its line after each carriage return.
        return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


@dataclass(frozen=True)
class SlideResult:
    """A slide, by its number from 1, with its live blocks in order."""

    number: int
    title: str
    path: Path
    line: int
    blocks: tuple[BlockResult, ...] = ()


@dataclass(frozen=True)
class Validation:
    """A deck as found on this machine."""

    deck: Path
    environment: Environment
    slides: tuple[SlideResult, ...]
    findings: tuple[DeckProblem, ...]
    """Defects of the deck itself."""
    seconds: float
    unsupported: tuple[DeckProblem, ...] = ()
    """Parts that presenterm draws and we do not; nothing is wrong with them."""

    @property
    def blocks(self) -> tuple[BlockResult, ...]:
        """All live blocks, in order."""
        return tuple(block for slide in self.slides for block in slide.blocks)

    @property
    def passed(self) -> bool:
        """True if there is neither a finding nor a failed block."""
        return not self.findings and all(block.passed for block in self.blocks)
