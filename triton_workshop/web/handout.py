"""`workshop handout`: the deck as one HTML file, to take home."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from triton_workshop.atomic_write import write_whole
from triton_workshop.browser.bundle import Blob
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import Consent, home, in_force, live_code
from triton_workshop.deck.model import Deck, Execution
from triton_workshop.errors import MisuseError
from triton_workshop.validating.documents import counted
from triton_workshop.validating.report import progress
from triton_workshop.web.outputs import RecordedRun, Recordings, read_recordings, run_all, write_recordings
from triton_workshop.web.page import Page, links_to, make_page
from triton_workshop.web.slides import Writer

SCRIPTS = ("exercises/*.py", "solutions/*.py", "solutions/fast/*.py")
PASSED, FAILED, INTERRUPTED = 0, 1, 130


def run_handout(
    path: Path,
    file: Path,
    given: Consent,
    outputs: Path | None,
    record: Path | None,
    blobs: Callable[[], Sequence[Blob]] = tuple,
) -> int:
    """Write a deck's page and say what is in it; returns the exit status. Raises DeckError and MisuseError.

    Outputs come from the file `outputs`, or else from running the deck's code now, and are written to `record`. What
    `blobs` gathers lets kernels run in the page.
    """
    deck = load_deck(path)
    for target in filter(None, (file, record)):  # before anything has run for nothing
        if not target.absolute().parent.is_dir():
            raise MisuseError(f"{target}: expected a file in a folder that exists; there is no {target.parent}")
    inside = blobs()
    try:
        if outputs is not None:
            recordings = read_recordings(outputs, deck)
        else:
            with progress() as report:
                recordings = run_all(deck, in_force(deck, given), report)
    except KeyboardInterrupt:
        return INTERRUPTED
    page = handout(deck, recordings).whole(inside).encode()
    try:
        write_whole(file, page)
        if record is not None:
            write_recordings(recordings, record)
    except OSError as error:
        raise MisuseError(f"{error.filename or file}: cannot be written: {error.strerror or error}") from None
    shown = f"{counted(len(deck.slides), 'slide')}, {counted(len(recordings), 'output')}"
    print(f"{file}: {shown}, {len(page) / 2**20:.1f} MB. It needs no network: open it in any browser.")
    return _judged(deck, recordings)


def handout(deck: Deck, recordings: Recordings) -> Page:
    """The page of a deck with what its blocks printed, and the scripts of the exercises beside it."""
    scripts = scripts_beside(deck)
    outputs = {block: recording.output() for block, recording in recordings.items()}
    return make_page(Writer(deck, outputs, links_to(scripts)), scripts)


def _judged(deck: Deck, recordings: Recordings) -> int:
    """Say which blocks have no output, or another end than the deck promises."""
    status = PASSED
    for each in live_code(deck):
        problem = _problem(each.code.execution, recordings.get(each.block))
        if problem:
            print(f"{each.block.path or deck.path}:{each.block.line}: {problem}", file=sys.stderr)
            status = FAILED
    return status


def _problem(execution: Execution, recording: RecordedRun | None) -> str:
    if recording is None:
        return "" if execution is Execution.TERMINAL else "this code has no output in the page"
    return "" if recording.expected else f"unexpected result: {recording.ending}"


def scripts_beside(deck: Deck) -> dict[str, str]:
    """The scripts of exercises and solutions in the repository that the deck belongs to, by their path in it."""
    root = home()
    if root is None or not deck.path.resolve().is_relative_to(root):
        return {}
    files = [file for pattern in SCRIPTS for file in sorted(root.glob(pattern)) if file.is_file()]
    return {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8", errors="replace") for file in files}
