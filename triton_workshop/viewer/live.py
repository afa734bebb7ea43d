"""The live blocks of a deck: what each has printed, which run now, and how each ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory

from triton_workshop.consent import EVERYTHING, Consent
from triton_workshop.deck.model import Block, Code, Deck, Execution, Slide, SnippetOutput, origin, walk
from triton_workshop.runner import FAREWELL, CannotRunError, Origin, Outcome, Run, Script, WarmRunner, runnable
from triton_workshop.viewer.reloading import pairs
from triton_workshop.viewer.transcript import Transcript

INTAKE_SECONDS = 0.015
"""How long one update may take in output before the screen gets its turn."""


class Status(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


@dataclass
class Cell:
    """One run of one block. `outcome` is None until it ends, and for a block that could not start."""

    transcript: Transcript = field(default_factory=Transcript)
    status: Status = Status.WAITING
    started: float = 0.0
    outcome: Outcome | None = None
    failure: str | None = None
    """Why it could not start."""
    run: Run | None = None
    cancelled: bool = False

    def elapsed(self, now: float) -> float:
        """Seconds since it started."""
        return max(now - self.started, 0.0)


class LiveBlocks:
    """Runs blocks, one batch after the other in the order given, and keeps what they print.

    The processes are read by threads of their own; `update` brings what they read into view. `close` ends all.
    """

    def __init__(self, deck: Path, consent: Consent = EVERYTHING) -> None:
        """`deck` is its file, in whose folder blocks run, as far as there is consent."""
        self.deck = deck
        self.consent = consent
        self._runner = WarmRunner()
        self._pictures = TemporaryDirectory(prefix="workshop-pictures-", ignore_cleanup_errors=True)
        """Where blocks leave what they show, until it is taken in."""
        self.cells: dict[Block, Cell] = {}
        self._threads: list[threading.Thread] = []
        self._closed = False

    def warm_up(self, deck: Deck) -> None:
        """Begins to import what the deck's Python blocks import, in a process beside this one; returns at once."""
        codes = [block.content for slide in deck.slides for block in walk(slide.blocks)]
        if any(isinstance(c, Code) and c.language == "python" and c.execution is not Execution.NONE for c in codes):
            self._runner.warm_up()

    def start(self, blocks: Sequence[tuple[Block, int]]) -> None:
        """Runs each block, given with the columns it may fill.

        Those that run or wait already are left alone, and so are those that there is no consent to.
        """
        batch: list[tuple[Cell, Script]] = []
        for block, columns in blocks:
            code = block.content
            old = self.cells.get(block)
            if not isinstance(code, Code) or (old is not None and old.status is not Status.ENDED):
                continue
            if not self.allows(block):
                continue
            pictures = Path(self._pictures.name)
            cell = self.cells[block] = Cell(Transcript(pictures))
            file, line = origin(code, block, self.deck)
            script = Script(
                code.language,
                code.source,
                self.deck.parent,
                columns,
                pictures=pictures,
                origin=Origin(file.name, line),
            )
            batch.append((cell, script))
        if batch and not self._closed:
            thread = threading.Thread(target=self._work, args=(batch,), daemon=True)
            self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]
            thread.start()

    def allows(self, block: Block) -> bool:
        """Whether there is consent to run this block."""
        return isinstance(block.content, Code) and self.consent.allows(block.content.execution)

    def _work(self, batch: Sequence[tuple[Cell, Script]]) -> None:
        for cell, script in batch:
            try:
                if not cell.cancelled:
                    self._run(cell, script)
            except (CannotRunError, OSError) as error:
                cell.failure = str(error)
            finally:
                cell.status = Status.ENDED

    def _run(self, cell: Cell, script: Script) -> None:
        cell.started = time.monotonic()
        cell.status = Status.RUNNING
        with self._runner.run(script) as run:
            cell.run = run
            if cell.cancelled:  # a stop that came while the process started
                run.stop()
            for chunk in run.output():
                cell.transcript.receive(chunk)
            cell.outcome = run.wait()

    def update(self) -> None:
        """Takes in what has arrived, for a moment at most."""
        deadline = time.monotonic() + INTAKE_SECONDS
        for cell in self.cells.values():
            while time.monotonic() < deadline and cell.transcript.take_in():
                pass

    @property
    def busy(self) -> bool:
        """Whether a block runs, waits, or has printed what `update` has not yet taken in."""
        return any(cell.status is not Status.ENDED or cell.transcript.behind for cell in self.cells.values())

    @property
    def running(self) -> int:
        return sum(cell.status is not Status.ENDED for cell in self.cells.values())

    def stop(self, *blocks: Block) -> None:
        """Interrupts what runs, and forgets what waits: these blocks, or all."""
        for block, cell in self.cells.items():
            if cell.status is not Status.ENDED and (not blocks or block in blocks):
                cell.cancelled = True
                if cell.run is not None:
                    cell.run.stop()

    def close(self) -> None:
        """Ends everything, and waits until it is gone: interrupted first, so that a script can clean up."""
        self._closed = True
        for cell in self.cells.values():
            cell.cancelled = True
            if cell.run is not None:
                cell.run.stop(grace=FAREWELL)
        for thread in self._threads:
            thread.join(timeout=5)
        self._runner.close()
        self._pictures.cleanup()

    def carry_over(self, before: Deck, after: Deck, *versions: Block) -> None:
        """Gives the outputs to the same code in a deck that was read again, or in these edits of its blocks."""
        old, new = _code_of(before), _code_of(after)
        same = pairs([text for text, _ in old], [text for text, _ in new])
        cells = self.cells
        self.cells = {new[there][1]: cells.pop(old[here][1]) for here, there in same.items() if old[here][1] in cells}
        for version in versions:
            edited = next((block for block in cells if same_code(block, version)), None)
            if edited is not None:
                self.cells[version] = cells.pop(edited)
        for cell in cells.values():
            cell.cancelled = True
            if cell.run is not None:
                cell.run.stop()


def same_code(one: Block, other: Block) -> bool:
    a, b = one.content, other.content
    return isinstance(a, Code) and isinstance(b, Code) and (a.language, a.source) == (b.language, b.source)


def _code_of(deck: Deck) -> list[tuple[tuple[str, str | None, str], Block]]:
    """A deck's blocks of code, each with what it runs."""
    blocks = [block for slide in deck.slides for block in walk(slide.blocks)]
    codes = [(block.content, block) for block in blocks if isinstance(block.content, Code)]
    return [((code.language, code.alternative, code.source), block) for code, block in codes]


def live(block: Block, *when: Execution) -> bool:
    """Whether this is code that runs here, at one of these occasions."""
    return isinstance(block.content, Code) and block.content.execution in when and runnable(block.content.language)


def blocks_to_run(slide: Slide, step: int, *when: Execution) -> list[Block]:
    """The live blocks that are visible at a step, in order."""
    return [block for block in walk(slide.blocks) if block.step <= step and live(block, *when)]


def shown_elsewhere(deck: Deck) -> Mapping[str, Block]:
    """Blocks by identifier, of those whose output a `snippet_output` shows in another place."""
    every = [block for slide in deck.slides for block in walk(slide.blocks)]
    wanted = {block.content.identifier for block in every if isinstance(block.content, SnippetOutput)}
    return {
        block.content.identifier: block
        for block in every
        if isinstance(block.content, Code) and block.content.identifier in wanted and block.content.identifier
    }
