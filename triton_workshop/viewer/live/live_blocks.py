"""The live blocks of a deck: what each has printed, which are running, and how each ended."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from triton_simulator.compiler.jobs import PickledKernel
from triton_workshop.deck.consent import EVERYTHING, Consent
from triton_workshop.deck.model import Block, Code, Deck, Execution, Slide, code_blocks, walk
from triton_workshop.languages import runnable
from triton_workshop.processes.compilers import compile_kernels, warm
from triton_workshop.processes.process import CAN_FORK, SHUTDOWN_GRACE_SECONDS, machine_memory
from triton_workshop.processes.run import GRACE_SECONDS, Run
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import CannotRunError, Outcome, Script
from triton_workshop.screen.transcript import Transcript
from triton_workshop.slide_environment import number_of
from triton_workshop.viewer.live.image_blocks import receive_picture
from triton_workshop.viewer.reloading import pairs

INTAKE_SECONDS = 0.015
"""How long one update may spend on output before the screen gets its turn."""
MEMORY_PART = 0.5
"""The fraction of the machine's memory that a block may use, so that a slip ends the block and not the talk."""
MEMORY_LEAST_BYTES = 8 * 2**30
"""Bytes that every block may use, as memory that torch and CUDA reserve but never touch counts too."""
IN_PLACE = (Execution.REPLACE, Execution.IMAGE)
"""Ways to run code whose output is shown in place of the code."""


Program = tuple[object, ...]
"""Everything that decides the result of running a block of code."""


class Status(Enum):
    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


@dataclass
class BlockRun:
    """One run of one block. `outcome` is None until it ends, and for a block that could not start."""

    transcript: Transcript = field(default_factory=Transcript)
    status: Status = Status.WAITING
    started: float = 0.0
    outcome: Outcome | None = None
    failure: str | None = None
    """Why it could not start."""
    process: Run | None = None
    cancelled: bool = False
    picture: Path | None = None
    """The file with the picture that a +image block has printed."""
    compiling: bool = False
    """Whether Triton's compiler is being asked about its kernels, which ran on the simulator."""
    compiled: str = ""
    """What the compiler said: for which GPUs they compile, or why they do not."""
    refused: bool = False
    program: Program | None = None
    """What ran; None if that does not matter."""

    def is_of(self, block: Block) -> bool:
        """Whether this is what the block would run now, and not what it was before an edit."""
        return self.program is None or self.program == program_of(block)

    def elapsed(self, now: float) -> float:
        """Seconds since it started."""
        return max(now - self.started, 0.0)


class LiveBlocks:
    """Runs blocks, in batches and in the order given, and keeps what they print.

    A separate thread reads each process; `update` brings what it read into view. `close` ends everything.
    """

    def __init__(self, deck: Path, consent: Consent = EVERYTHING) -> None:
        """`deck` is its file; blocks run in its folder, as far as there is consent."""
        self.deck = deck
        self.consent = consent
        self._runner = Runner()
        self.runs: dict[Block, BlockRun] = {}
        self._threads: list[threading.Thread] = []
        self._compiler = threading.Lock()
        """One at a time: compiling is for the background."""
        memory = machine_memory()
        self._memory_limit = None if memory is None else max(int(memory * MEMORY_PART), MEMORY_LEAST_BYTES)
        self._warm = False
        self._closed = False

    def warm_up(self, deck: Deck) -> None:
        """Start to import what the deck's Python blocks import, in another process; return immediately."""
        codes = [block.content for block in code_blocks(deck) if isinstance(block.content, Code)]
        if any(code.language == "python" and code.execution is not Execution.NONE for code in codes):
            self._runner.warm_up()
            self._warm = True

    def stay_warm(self) -> None:
        """Get ready again what has waited for so long that it has ended, as somebody goes on with the slides."""
        if self._warm and not CAN_FORK:  # a parent that forks does not end before us
            self._runner.warm_up()

    def start(self, blocks: Sequence[tuple[Block, int]]) -> None:
        """Run each block, given with the columns it may fill.

        Blocks that are already running or waiting are left alone, and so are blocks without consent. What still runs
        of a block from before an edit is stopped.
        """
        batch: list[tuple[BlockRun, Script, Code]] = []
        for block, columns in blocks:
            code = block.content
            if not isinstance(code, Code) or not self.allows(block):
                continue
            before = self.runs.get(block)
            if before is not None and before.status is not Status.ENDED:
                if before.is_of(block):
                    continue
                _end([before])
            try:
                script = self._script(code, columns)
            except OSError as error:  # no room for its pictures
                self.fail(block, str(error))
                continue
            run = self.runs[block] = BlockRun(Transcript(script.pictures), program=program_of(block))
            batch.append((run, script, code))
        if batch and not self._closed:
            self._in_a_thread(self._work, batch)

    def _in_a_thread(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]
        thread.start()

    def allows(self, block: Block) -> bool:
        """Whether there is consent to run this block."""
        return isinstance(block.content, Code) and self.consent.allows(block.content.execution)

    def picture_folder(self) -> Path:
        """Where blocks leave the pictures that they show, until the end of the talk. Raises OSError."""
        folder = self._runner.folder() / "pictures"
        folder.mkdir(exist_ok=True)
        return folder

    def _script(self, code: Code, columns: int) -> Script:
        return Script(
            code.language,
            code.source,
            self.deck.parent,
            columns,
            alternative=code.alternative,
            memory_limit=self._memory_limit,
            pictures=self.picture_folder() if code.execution is not Execution.IMAGE else None,
            numbers=code.visible_numbers,
        )

    def fail(self, block: Block, reason: str) -> None:
        """Record that a block could not start."""
        self.runs[block] = BlockRun(status=Status.ENDED, failure=reason)

    def _work(self, batch: Sequence[tuple[BlockRun, Script, Code]]) -> None:
        for run, script, code in batch:
            try:
                if not run.cancelled:
                    self._run(run, script, code)
            except (CannotRunError, OSError) as error:
                run.failure = str(error)
            finally:
                run.status = Status.ENDED

    def _run(self, run: BlockRun, script: Script, code: Code) -> None:
        run.started = time.monotonic()
        run.status = Status.RUNNING
        with self._runner.run(script) as process:
            run.process = process
            if run.cancelled:  # a stop came while the process was starting
                process.stop()
            if code.execution is Execution.IMAGE:
                self._receive_picture(run, process)
            else:
                for chunk in process.output():
                    run.transcript.receive(chunk)
            run.outcome = process.wait()
            kernels = process.launched()
        if kernels and run.outcome.succeeded:
            run.compiling = True
            self._in_a_thread(self._compile, run, kernels, code)

    def _compile(self, run: BlockRun, kernels: Sequence[PickledKernel], code: Code) -> None:
        """Say whether what ran on the simulator compiles for a GPU."""
        try:
            with self._compiler:
                said = compile_kernels(kernels, warm(self._runner))
            numbers = code.visible_numbers
            run.refused = said.refused is not None
            run.compiled = said.one_line(lambda line: number_of(line, numbers) if numbers else line)
        except OSError:  # it could not be started: there is nothing to say
            pass
        finally:
            run.compiling = False

    def _receive_picture(self, run: BlockRun, process: Run) -> None:
        printed = receive_picture(process.output(), self.picture_folder())
        if process.wait().succeeded:
            run.picture = printed.picture
            run.failure = printed.problem
        if run.picture is None and printed.text:
            run.transcript.receive(printed.text)

    def update(self) -> None:
        """Take in what has arrived, within a time limit."""
        deadline = time.monotonic() + INTAKE_SECONDS
        for run in self.runs.values():
            try:
                while time.monotonic() < deadline and run.transcript.process_pending():
                    pass
            except Exception as error:  # the block's slide shows it, and the talk goes on
                run.transcript = Transcript()
                run.failure = f"its output cannot be shown, because of a bug in the viewer: {error!r}"

    @property
    def busy(self) -> bool:
        """Whether a block is running, waiting or being compiled, or has output that `update` has not taken in."""
        runs = self.runs.values()
        return any(run.status is not Status.ENDED or run.transcript.has_pending or run.compiling for run in runs)

    @property
    def running(self) -> int:
        return len({id(run) for run in self.runs.values() if run.status is not Status.ENDED})

    def stop(self, *blocks: Block) -> None:
        """Interrupt blocks that run, and forget those that wait: these blocks, or all."""
        chosen = [run for block, run in self.runs.items() if not blocks or block in blocks]
        _end([run for run in chosen if run.status is not Status.ENDED])

    def close(self) -> None:
        """End everything, and wait until it is gone; interrupt first, so that scripts can clean up."""
        self._closed = True
        _end(list(self.runs.values()), SHUTDOWN_GRACE_SECONDS)
        for thread in self._threads:
            thread.join(timeout=5)
        self._runner.close()

    def hand_on(self, before: Block, after: Block) -> None:
        """Keep the output of a block that is edited, unless the edit has one of its own and nothing runs."""
        run = self.runs.get(before)
        if run is not None and (after not in self.runs or run.status is not Status.ENDED):
            self.runs[after] = run

    def carry_over(self, same: Mapping[Block, Block]) -> None:
        """Give the outputs to the same code in a deck that was read again; end what runs of any other."""
        runs = self.runs
        self.runs = {there: runs[here] for here, there in same.items() if here in runs}
        kept = set(map(id, self.runs.values()))
        _end([run for run in runs.values() if id(run) not in kept])


def _end(runs: Sequence[BlockRun], grace: float = GRACE_SECONDS) -> None:
    """Interrupt what runs. What waits is forgotten first, or it would start as soon as the block before it ends."""
    for run in runs:
        run.cancelled = True
    for run in {id(run): run for run in runs}.values():  # an edit shows the run from before it
        if run.process is not None:
            run.process.stop(grace)


def blocks_again(before: Deck, after: Deck) -> dict[Block, Block]:
    """Where a deck's blocks of code are in that deck as it was read again, without those whose code is gone.

    Identical blocks are matched by their neighbours.
    """
    old, new = code_blocks(before), code_blocks(after)
    same = pairs([*map(program_of, old)], [*map(program_of, new)])
    return {old[here]: new[there] for here, there in same.items()}


def program_of(block: Block) -> Program:
    """What a block of code runs."""
    code = block.content
    assert isinstance(code, Code)
    return code.language, code.source, code.alternative, code.execution is Execution.IMAGE


def live(block: Block, *when: Execution) -> bool:
    """Whether this is code that runs here, on one of these occasions."""
    return isinstance(block.content, Code) and block.content.execution in when and runnable(block.content.language)


def blocks_to_run(slide: Slide, step: int, *when: Execution) -> list[Block]:
    """The live blocks that are visible at a step, in order."""
    return [block for block in walk(slide.blocks) if block.step <= step and live(block, *when)]


def blocks_to_start(slide: Slide) -> list[Block]:
    """What a slide runs automatically when it is first shown: presenterm's automatic blocks."""
    return blocks_to_run(slide, slide.steps - 1, Execution.AUTOMATIC, *IN_PLACE)


def blocks_for_key(slide: Slide, step: int) -> list[Block]:
    """What Ctrl+E runs: the visible code or, only if there is none, blocks whose output replaces their code."""
    seen = blocks_to_run(slide, step, Execution.ON_KEY, Execution.AUTOMATIC)
    return seen or blocks_to_run(slide, step, *IN_PLACE)


def in_place(block: Block) -> bool:
    """Whether this block's output is shown in place of its code."""
    return isinstance(block.content, Code) and block.content.execution in IN_PLACE
