"""The live blocks of a deck: their runs, outputs and outcomes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from triton_simulator.compiler.jobs import PickledKernel
from triton_workshop.deck.consent import EVERYTHING, REPLACING, Consent
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
from triton_workshop.viewer.reloading import match_items

if TYPE_CHECKING:
    from triton_workshop.look.recording import Recording, Request

INTAKE_SECONDS = 0.015
"""Seconds that one update may spend on output, to leave time to draw."""
MEMORY_FRACTION = 0.5
"""The fraction of the machine's memory that a block may use.

A mistake in a block then ends the block and not the talk.
"""
MIN_MEMORY_BYTES = 8 * 2**30
"""Bytes that every block may use.

Memory that torch and CUDA reserve but never touch counts too.
"""
Program = tuple[object, ...]
"""Everything that decides the result of running a block of code."""


class Status(Enum):
    """States of a run."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


@dataclass
class BlockRun:
    """One run of one block."""

    transcript: Transcript = field(default_factory=Transcript)
    status: Status = Status.WAITING
    started: float = 0.0
    outcome: Outcome | None = None
    """None until it ends, and for a block that could not start."""
    failure: str | None = None
    """The reason why it could not start."""
    process: Run | None = None
    cancelled: bool = False
    picture: Path | None = None
    """The file with the picture that a +image block has printed."""
    compiling: bool = False
    """True while Triton's compiler works on its kernels, after the simulator."""
    compiled: str = ""
    """The compiler's answer: the GPUs for which they compile, or an error."""
    refused: bool = False
    program: Program | None = None
    """The program that ran; None if that does not matter."""

    def is_of(self, block: Block) -> bool:
        """Return True if the block would run the same program now.

        It would not after an edit.
        """
        return self.program is None or self.program == program_of(block)

    def elapsed(self, now: float) -> float:
        """Return the seconds since it started."""
        return max(now - self.started, 0.0)


class LiveBlocks:
    """Runner of blocks, which keeps their output.

    Blocks run in batches, in the order given.

    A separate thread reads each process; `update` brings what it read into view. `close` ends everything.
    """

    def __init__(self, deck: Path, consent: Consent = EVERYTHING) -> None:
        """Run the blocks of a deck, given by its file, in the deck's folder."""
        self.deck = deck
        self.consent = consent
        self._runner = Runner()
        self.runs: dict[Block, BlockRun] = {}
        self._threads: list[threading.Thread] = []
        self._compiler = threading.Lock()
        """Lets one thread compile at a time, as compiling is for the background."""
        memory = machine_memory()
        self._memory_limit = None if memory is None else max(int(memory * MEMORY_FRACTION), MIN_MEMORY_BYTES)
        self._warm = False
        self._closed = False

    def warm_up(self, deck: Deck) -> None:
        """Start to import torch and Triton in another process; return at once.

        A deck without Python blocks needs neither.
        """
        codes = [block.content for block in code_blocks(deck) if isinstance(block.content, Code)]
        executions = {code.execution for code in codes if code.language == "python"}
        if executions - {Execution.NONE}:
            self._runner.warm_up()
            self._warm = True

    def stay_warm(self) -> None:
        """Replace a prepared process that has ended because it waited for long."""
        may_have_ended = self._warm and not CAN_FORK  # a parent that forks does not end before us
        if may_have_ended:
            self._runner.warm_up()

    def start(self, blocks: Sequence[tuple[Block, int]]) -> None:
        """Run each block, given with the columns it may fill.

        Blocks that are already running or waiting are skipped, and so are blocks without consent. A run from before
        an edit of the block is stopped.
        """
        batch: list[tuple[BlockRun, Script, Code]] = []
        for block, columns in blocks:
            code = block.content
            if not isinstance(code, Code) or not self.allows(block):
                continue
            previous = self.runs.get(block)
            if previous is not None and previous.status is not Status.ENDED:
                if previous.is_of(block):
                    continue
                _end([previous])
            try:
                script = self._script(code, columns)
            except OSError as error:  # no room for its pictures
                self.fail(block, str(error))
                continue
            run = self.runs[block] = BlockRun(Transcript(script.pictures), program=program_of(block))
            batch.append((run, script, code))
        can_start = batch and not self._closed
        if can_start:
            self._start_thread(self._work, batch)

    def _start_thread(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads = [*(thread for thread in self._threads if thread.is_alive()), thread]
        thread.start()

    def allows(self, block: Block) -> bool:
        """Return True if there is consent to run this block."""
        return isinstance(block.content, Code) and self.consent.allows(block.content.execution)

    def picture_folder(self) -> Path:
        """Return the folder for the blocks' pictures, until the end of the talk.

        Raises OSError.
        """
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

    def can_look(self, block: Block) -> bool:
        """Return True if a block is Python that has run.

        One can look inside the kernels of such a block.
        """
        code = block.content
        is_python = isinstance(code, Code) and code.language == "python"
        has_run = block in self.runs and self.allows(block)
        return is_python and has_run

    def look_request(self, block: Block) -> Request:
        """Return the request to record a block's launches."""
        from triton_workshop.look.recording import Request

        code = block.content
        assert isinstance(code, Code)
        file = self.deck.parent / f"{self.deck.stem}, a block.py"
        return Request(file, code.source, folder=self.deck.parent, numbers=code.visible_numbers)

    def look(self, request: Request) -> Recording:
        """Record launches, which may take seconds. Raises OSError."""
        from triton_workshop.look.recorder import record_quietly

        return record_quietly(request, self._runner)

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
        can_compile = kernels and run.outcome.succeeded
        if can_compile:
            run.compiling = True
            self._start_thread(self._compile, run, kernels, code)

    def _compile(self, run: BlockRun, kernels: Sequence[PickledKernel], code: Code) -> None:
        """Compile kernels that ran on the simulator, and record the answer."""
        try:
            with self._compiler:
                answer = compile_kernels(kernels, warm(self._runner))
            numbers = code.visible_numbers
            run.refused = answer.refused is not None
            run.compiled = answer.one_line(lambda line: number_of(line, numbers) if numbers else line)
        except OSError:  # it could not be started: there is nothing to say
            pass
        finally:
            run.compiling = False

    def _receive_picture(self, run: BlockRun, process: Run) -> None:
        printed = receive_picture(process.output(), self.picture_folder())
        if process.wait().succeeded:
            run.picture = printed.picture
            run.failure = printed.problem
        has_only_text = run.picture is None and printed.text
        if has_only_text:
            run.transcript.receive(printed.text)

    def update(self) -> None:
        """Process the output that has arrived, within a time limit."""
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
        """True while a block runs, waits, is compiled, or has pending output."""
        if self.running:
            return True
        runs = self.runs.values()
        return any(run.transcript.has_pending or run.compiling for run in runs)

    @property
    def running(self) -> int:
        """The number of runs that have not ended."""
        return len({id(run) for run in self.runs.values() if run.status is not Status.ENDED})

    def stop(self, *blocks: Block) -> None:
        """Interrupt blocks that run, and drop those that wait.

        Without arguments, stop all blocks.
        """
        chosen = set(blocks or self.runs)
        runs = [run for block, run in self.runs.items() if block in chosen]
        _end([run for run in runs if run.status is not Status.ENDED])

    def close(self) -> None:
        """End everything, and wait until it is gone.

        Scripts are interrupted first, so that they can clean up.
        """
        self._closed = True
        _end(list(self.runs.values()), SHUTDOWN_GRACE_SECONDS)
        for thread in self._threads:
            thread.join(timeout=5)
        self._runner.close()

    def share_run(self, block: Block, edited: Block) -> None:
        """Show the run of a block at its edit too.

        The edit keeps a run of its own, unless the block still runs.
        """
        run = self.runs.get(block)
        if run is None:
            return
        keeps_own_run = edited in self.runs and run.status is Status.ENDED
        if not keeps_own_run:
            self.runs[edited] = run

    def remap(self, matches: Mapping[Block, Block]) -> None:
        """Move the runs to the same code in a deck that was read again.

        Runs of any other code are ended.
        """
        runs = self.runs
        self.runs = {new: runs[old] for old, new in matches.items() if old in runs}
        # By identity: a run cannot be hashed, and an edit may share the run of its block.
        remaining = set(map(id, self.runs.values()))
        _end([run for run in runs.values() if id(run) not in remaining])


def _end(runs: Sequence[BlockRun], grace: float = GRACE_SECONDS) -> None:
    """Interrupt runs.

    Those that wait are cancelled first, or they would start as soon as the block before them ends.
    """
    for run in runs:
        run.cancelled = True
    different_runs = {id(run): run for run in runs}  # an edit shows the run from before it
    for run in different_runs.values():
        if run.process is not None:
            run.process.stop(grace)


def match_blocks(old_deck: Deck, new_deck: Deck) -> dict[Block, Block]:
    """Match a deck's blocks of code with those of the same deck, read again.

    Identical blocks are matched by their neighbours. Blocks whose code is gone are left out.
    """
    old, new = code_blocks(old_deck), code_blocks(new_deck)
    indices = match_items([*map(program_of, old)], [*map(program_of, new)])
    return {old[index]: new[new_index] for index, new_index in indices.items()}


def program_of(block: Block) -> Program:
    """Return the program of a block of code."""
    code = block.content
    assert isinstance(code, Code)
    return code.language, code.source, code.alternative, code.execution is Execution.IMAGE


def live(block: Block, *when: Execution) -> bool:
    """Return True for code that runs on one of these occasions."""
    code = block.content
    if not isinstance(code, Code):
        return False
    return code.execution in when and runnable(code.language)


def blocks_to_run(slide: Slide, step: int, *when: Execution) -> list[Block]:
    """Return the live blocks that are visible at a step, in order."""
    visible = (block for block in walk(slide.blocks) if block.step <= step)
    return [block for block in visible if live(block, *when)]


def blocks_to_start(slide: Slide) -> list[Block]:
    """Return the blocks that run when their slide is first shown."""
    return blocks_to_run(slide, slide.steps - 1, Execution.AUTOMATIC, *REPLACING)


def blocks_for_key(slide: Slide, step: int) -> list[Block]:
    """Return the blocks that Ctrl+E runs.

    These are the visible code or, only if there is none, blocks whose output replaces their code.
    """
    visible = blocks_to_run(slide, step, Execution.ON_KEY, Execution.AUTOMATIC)
    return visible or blocks_to_run(slide, step, *REPLACING)


def replaces_code(block: Block) -> bool:
    """Return True if the block's output is shown instead of its code."""
    return isinstance(block.content, Code) and block.content.execution in REPLACING
