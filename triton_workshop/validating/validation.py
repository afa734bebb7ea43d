"""The result of validating a deck. Frozen dataclasses: no screen, nothing runs."""

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
    """One live block: how it ended and what it printed. `outcome` is None if it was not run."""

    path: Path
    """The file that contains the block, the deck or an included one; the block's line counts there."""
    block: Block
    code: Code
    outcome: Outcome | None = None
    output: bytes = b""
    failure: str | None = None
    """Why this is not what the deck promises; None if it is, or if the block was not run."""
    skipped: str | None = None
    """Why it was not run."""
    launched: tuple[PickledKernel, ...] = ()
    """What its launches on the simulator ask of the compiler."""
    compiled: str = ""
    """What the compiler said."""

    @property
    def passed(self) -> bool:
        return self.failure is None

    @property
    def expected(self) -> str:
        return "failure" if self.code.expect_failure else "success"

    @property
    def seconds(self) -> float:
        return self.outcome.seconds if self.outcome else 0.0

    @property
    def text(self) -> str:
        """What it printed, as plain text: without colours, each line as its last carriage return left it."""
        text = without_sequences(self.output.decode(errors="replace")).replace("\r\n", "\n")
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
    """What is wrong with the deck itself."""
    seconds: float
    undrawn: tuple[DeckProblem, ...] = ()
    """What presenterm draws and we do not. Nothing is wrong with it."""

    @property
    def blocks(self) -> tuple[BlockResult, ...]:
        return tuple(block for slide in self.slides for block in slide.blocks)

    @property
    def passed(self) -> bool:
        return not self.findings and all(block.passed for block in self.blocks)
