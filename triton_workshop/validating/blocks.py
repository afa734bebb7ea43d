"""Runs the live blocks of a deck, and judges how each ended."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from triton_simulator.compiler import compilation
from triton_simulator.compiler.jobs import PickledKernel
from triton_workshop.deck.consent import EVERYTHING, Consent, flag
from triton_workshop.deck.model import Block, Code, Execution, origin
from triton_workshop.processes.compilers import compile_kernels
from triton_workshop.processes.languages import MissingProgramError
from triton_workshop.processes.run import Run
from triton_workshop.processes.script import CannotRunError, Origin, Outcome, Script
from triton_workshop.validating.validation import BlockResult

MAX_OUTPUT_BYTES = 2**20
"""Bytes kept of an output, from its end."""


Start = Callable[[Script], Run]
"""Starts a script, in a new process or in a warm one."""


@dataclass(frozen=True)
class Rules:
    """Limits for a block, in seconds, and the blocks to run.

    `timeout` ends a block, `limit` only fails it. `only` picks a slide, from 1. Blocks without `consent` are not run.
    """

    timeout: float = 60.0
    limit: float | None = None
    only: int | None = None
    consent: Consent = EVERYTHING


def run_block(result: BlockResult, folder: Path, columns: int, rules: Rules, start: Start) -> BlockResult:
    """Run a block in `folder`, and return its result.

    Its lines have that many columns.
    """
    code = result.code
    if not rules.consent.allows(code.execution):
        return replace(result, skipped=f"runs only with {flag(code.execution)}")
    file, line = origin(code, result.block, result.path)
    script = Script(
        code.language,
        code.source,
        folder,
        columns,
        origin=Origin(file.name, line),
        alternative=code.alternative,
        time_limit=rules.timeout,
    )
    try:
        outcome, output, launched = collect_run(start(script))
    except MissingProgramError as error:
        return replace(result, skipped=str(error))
    except (CannotRunError, OSError) as error:
        return replace(result, failure=str(error))
    failed = failure(code, outcome, output, rules)
    return replace(result, outcome=outcome, output=output, failure=failed, launched=launched)


def compile_launches(result: BlockResult, start: compilation.Start) -> BlockResult:
    """Compile the kernels that a block launched on the simulator.

    Return the result with the compiler's report.
    """
    if not result.launched or not result.passed:
        return result
    # A block that is to fail may do so in its kernel.
    if result.code.expect_failure:
        return result
    try:
        report = compile_kernels(result.launched, start)
    except OSError as error:
        return replace(result, compiled=f"the compiler could not be started: {error}")
    line = report.one_line()
    return replace(result, failure=line) if report.refused else replace(result, compiled=line)


def collect_run(run: Run) -> tuple[Outcome, bytes, tuple[PickledKernel, ...]]:
    """Wait for a run to end.

    Return its outcome, the end of its output, and the compiler jobs of its launches.
    """
    with run:
        printed = bytearray()
        for chunk in run.output():
            printed += chunk
            # An endless output must not fill the memory.
            del printed[:-MAX_OUTPUT_BYTES]
        return run.wait(), bytes(printed), run.launched()


def failure(code: Code, outcome: Outcome, output: bytes, rules: Rules) -> str | None:
    """Return the difference from what the deck promises, or None."""
    if outcome.timed_out:  # even if it should fail: hanging is not failing
        return f"still running after {rules.timeout:g} s"
    if code.expect_failure and outcome.succeeded:
        return "exit 0, but it is marked +expect:failure"
    if not code.expect_failure and not outcome.succeeded:
        return outcome.reason
    if code.execution is Execution.IMAGE and not _is_picture(output):
        return "its output is not a picture, but it is marked +image"
    if rules.limit is not None and outcome.seconds > rules.limit:
        return f"slower than {rules.limit:g} s"
    return None


def _is_picture(output: bytes) -> bool:
    from PIL import Image

    try:
        Image.open(io.BytesIO(output)).close()
    except (OSError, ValueError, SyntaxError):
        return False
    return True


def live_block(block: Block, deck: Path) -> BlockResult | None:
    """Return an empty result for a block that the deck says how to run.

    Return None for any other.
    """
    code = block.content
    if not isinstance(code, Code):
        return None
    if code.execution is Execution.NONE and not code.validate:
        return None
    return BlockResult(block.path or deck, block, code)
