"""A validation as JSON, for programs, and as Markdown, for a repository."""

from __future__ import annotations

import json
from dataclasses import asdict

from triton_workshop.deck.model import DeckProblem
from triton_workshop.validating.validation import BlockResult, SlideResult, Validation


def as_json(validation: Validation) -> str:
    """Return a validation as one JSON object.

    For a block that was not run, `passed` is null, and `reason` says why.
    """
    document = {
        "deck": str(validation.deck),
        "device": validation.environment.device,
        "machine": asdict(validation.environment),
        "passed": validation.passed,
        "seconds": round(validation.seconds, 3),
        "slides": [_slide(slide) for slide in validation.slides],
        "findings": [_problem(finding) for finding in validation.findings],
        "undrawn": [_problem(problem) for problem in validation.unsupported],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _problem(problem: DeckProblem) -> dict[str, object]:
    return {"file": str(problem.path), "line": problem.line, "message": problem.reason}


def _slide(slide: SlideResult) -> dict[str, object]:
    blocks = [_block(block) for block in slide.blocks]
    return {"slide": slide.number, "title": slide.title, "file": str(slide.path), "line": slide.line, "blocks": blocks}


def _block(result: BlockResult) -> dict[str, object]:
    return {
        "file": str(result.path),
        "line": result.block.line,
        "language": result.code.language,
        "seconds": round(result.seconds, 3),
        "exit": result.outcome.code if result.outcome else None,
        "expected": result.expected,
        "passed": None if result.skipped else result.passed,
        "reason": result.failure or result.skipped,
        "compiler": result.compiled,
        "output": result.text,
    }


def as_markdown(validation: Validation, command: str) -> str:
    """Return a validation as Markdown, as kept in `benchmarks/results/`.

    The document lists the machine, the versions and all live blocks.
    """
    environment = validation.environment
    deck = validation.deck.name
    versions = f"Python {environment.python}, PyTorch {environment.torch or '–'}, Triton {environment.triton or '–'}"
    where = f"{environment.runs_on}, {environment.cores} CPU cores, {environment.system}"
    rows = [_row(slide, block) for slide in validation.slides for block in slide.blocks]
    findings = [f"- {finding}" for finding in (*validation.findings, *validation.unsupported)]
    return "\n".join(
        [
            f"# Every live block of {deck}",
            "",
            f"`{command}` on {where}; {versions}.",
            f"{summary(validation)}. Seconds are for one run each; Python ran in a process with torch and Triton.",
            "",
            "| Slide | Title | Line | Language | Seconds | Exit | Expected | Result |",
            "| ---: | --- | ---: | --- | ---: | ---: | --- | --- |",
            *rows,
            *(["", *findings] if findings else []),
        ]
    )


def _row(slide: SlideResult, result: BlockResult) -> str:
    code = result.outcome.code if result.outcome else "–"
    seconds = f"{result.seconds:.1f}" if result.outcome else "–"
    block = (result.block.line, result.code.language, seconds, code, result.expected)
    cells = (slide.number, slide.title, *block, _verdict(result))
    # A bar would end its cell.
    escaped = [str(cell).replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _verdict(result: BlockResult) -> str:
    if result.failure:
        return result.failure
    if result.skipped:
        return f"not run: {result.skipped}"
    return f"as expected; {result.compiled}" if result.compiled else "as expected"


def summary(validation: Validation) -> str:
    """Return the outcome, in a sentence without its full stop."""
    blocks = validation.blocks
    failed = sum(not block.passed for block in blocks)
    skipped = sum(block.skipped is not None for block in blocks)
    ran = len(blocks) - failed - skipped
    phrases = [
        pluralize(len(validation.slides), "slide"),
        f"{ran} of {pluralize(len(blocks), 'block')} as expected" if blocks else "no live block",
        *([f"{failed} failed"] if failed else []),
        *([f"{skipped} not run"] if skipped else []),
        *([pluralize(len(validation.findings), "finding")] if validation.findings else []),
        f"{validation.seconds:.0f} s",
    ]
    return ", ".join(phrases)


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
