"""`workshop validate`: what it does, and its exit status."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from rich.console import Console

from triton_workshop.interruption import INTERRUPTED
from triton_workshop.printing import use_utf8
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script
from triton_workshop.validating import documents, report
from triton_workshop.validating.blocks import Rules
from triton_workshop.validating.validate import Widths, validate

PASSED, FAILED = 0, 1
WARM_UP_SECONDS = 60.0
"""Seconds to wait for warm processes before going on without them."""


def run_validate(path: Path, rules: Rules, widths: Widths, *, as_json: bool, as_markdown: bool) -> int:
    """Validate a deck, and print the result.

    Raises NoSuchDeckError and NoSuchSlideError.
    """
    try:
        with Runner() as runner, report.progress() as watch:

            def start(script: Script) -> Run:
                """Run a block as the viewer does, in a process with torch and Triton.

                The first block waits for that process.
                """
                runner.warm_up()
                runner.wait_until_warm(WARM_UP_SECONDS)
                return runner.run(script)

            validation = validate(path, rules, widths, watch, start, warm(runner))
    except KeyboardInterrupt:
        return INTERRUPTED
    use_utf8()
    if as_json:
        print(documents.as_json(validation))
    elif as_markdown:
        print(documents.as_markdown(validation, f"uv run workshop {shlex.join(sys.argv[1:])}"))
    else:
        report.print_validation(validation, Console(highlight=False))
    return PASSED if validation.passed else FAILED
