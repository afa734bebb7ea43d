"""From a deck's file to its validation."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path

from triton_simulator.compiler.compilation import Start as StartCompiler
from triton_workshop.deck import DeckError, NoSuchDeckError, load_deck
from triton_workshop.deck.consent import in_force
from triton_workshop.deck.model import Block, Deck, DeckProblem, Slide, walk
from triton_workshop.processes.compilers import new_process
from triton_workshop.processes.run import Run
from triton_workshop.validating.blocks import Rules, Start, compile_launches, live_block, run_block
from triton_workshop.validating.environment import this_environment
from triton_workshop.validating.inspection import find_defects
from triton_workshop.validating.validation import BlockResult, SlideResult, Validation

COLUMNS = 80
"""Columns of an output if nothing says otherwise."""

Widths = Callable[[Deck], Mapping[Block, int]]
"""For a deck, how many columns the output of each live block has."""
Report = Callable[[int, int, str], None]
"""Function that is called before each block.

Its arguments are the number of blocks that are done, the number of all, and the title of the next block's slide.
"""


class NoSuchSlideError(Exception):
    """Slide that the deck does not have.

    The message says how many it has.
    """


def validate(
    path: Path,
    rules: Rules | None = None,
    widths: Widths = lambda deck: {},
    report: Report = lambda done, blocks, title: None,
    start: Start = Run,
    compiler: StartCompiler = new_process,
) -> Validation:
    """Read a deck, inspect it, and run its live blocks in order.

    They run in the deck's folder. Kernels that run on the simulator are compiled too, in the background. A deck that
    presenterm would refuse gets one finding, and none of it runs. Raises NoSuchDeckError if there is no deck, and
    NoSuchSlideError if `rules.only` names no slide.
    """
    rules = rules or Rules()
    started = time.monotonic()
    environment = this_environment()
    try:
        deck = load_deck(path)
    except NoSuchDeckError:
        raise
    except DeckError as error:
        refusal = DeckProblem(error.path, error.line, error.reason)
        return Validation(path, environment, (), (refusal,), time.monotonic() - started)
    slides = select_slides(deck, rules.only)
    findings = find_defects(deck)
    # The workshop's own decks need no consent.
    rules = replace(rules, consent=in_force(deck, rules.consent))
    columns, folder = widths(deck), deck.path.resolve().parent
    # Kernels are compiled while the next block runs.
    with ThreadPoolExecutor(1) as background:

        def judge(block: BlockResult) -> Future[BlockResult]:
            """Run a block, and have its launches compiled in the background."""
            ran = run_block(block, folder, columns.get(block.block, COLUMNS), rules, start)
            return background.submit(compile_launches, ran, compiler)

        slides = _run_blocks(slides, judge, report)
    return Validation(path, environment, slides, findings, time.monotonic() - started, deck.unsupported)


def select_slides(deck: Deck, only: int | None) -> tuple[SlideResult, ...]:
    """Return the slides to validate, with live blocks that have not run."""
    if only is not None and not 1 <= only <= len(deck.slides):
        raise NoSuchSlideError(f"{deck.path}: no slide {only}; it has {len(deck.slides)}")
    slides = (_empty_result(deck, slide, number) for number, slide in enumerate(deck.slides, 1))
    return tuple(slide for slide in slides if only in (None, slide.number))


def _empty_result(deck: Deck, slide: Slide, number: int) -> SlideResult:
    title = deck.title if slide.introduction else slide.name
    blocks = (live_block(block, deck.path) for block in walk(slide.blocks))
    live_blocks = tuple(block for block in blocks if block is not None)
    return SlideResult(number, title, slide.path or deck.path, slide.line, live_blocks)


def _run_blocks(
    slides: tuple[SlideResult, ...], judge: Callable[[BlockResult], Future[BlockResult]], report: Report
) -> tuple[SlideResult, ...]:
    total = sum(len(slide.blocks) for slide in slides)
    results: list[Future[BlockResult]] = []
    for slide in slides:
        for block in slide.blocks:
            report(len(results), total, slide.title)
            results.append(judge(block))
    report(total, total, "")
    # Results are in the order of the blocks, so each slide takes as many as it has.
    blocks = (result.result() for result in results)
    return tuple(replace(slide, blocks=tuple(islice(blocks, len(slide.blocks)))) for slide in slides)
