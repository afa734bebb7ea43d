"""The commands `workshop handout` and `workshop site`.

The first writes the deck as one HTML file to take home, the second as files for a web host.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from triton_workshop.atomic_write import write_atomically
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import Consent, home, in_force, live_code
from triton_workshop.deck.model import Block, Deck
from triton_workshop.errors import MisuseError
from triton_workshop.interruption import INTERRUPTED
from triton_workshop.page.assets import asset
from triton_workshop.page.bundle import PageBundle
from triton_workshop.page.course import Course, load_course
from triton_workshop.page.outputs import RecordedRun, Recordings, read_recordings, run_all, write_recordings
from triton_workshop.page.page import OFFLINE, Page, make_page, script_links
from triton_workshop.page.slides import Writer
from triton_workshop.repository import PICTURE
from triton_workshop.validating.documents import pluralize
from triton_workshop.validating.report import progress

SCRIPTS = ("exercises/*.py", "solutions/*.py", "solutions/fast/*.py")
DOCUMENTS = ("*.md", "docs/*.md", "benchmarks/results/*.md")
"""Files that slides and notes name, and that are not in the page."""
PREVIEW = "preview.jpeg"
PARTS = "parts/"
"""Folder of a site's blobs."""
PASSED, FAILED = 0, 1


def run_handout(
    path: Path,
    file: Path,
    consent: Consent,
    outputs: Sequence[Path],
    record: Path | None,
    build: Callable[[], PageBundle] | None = None,
    *,
    as_course: bool = False,
) -> int:
    """Write a deck's page and print its size; return the exit status.

    Of a folder with a course, it is the course's page.

    Outputs come from the files `outputs`, or else from running the deck's code now, and are written to `record`. The
    bundle by `build` lets kernels run in the page. Raises DeckError and MisuseError.
    """
    course = load_course(path.parent) if as_course else None
    deck = load_deck(path) if course is None else course.deck
    for target in filter(None, (file, record)):  # before anything has run for nothing
        if not target.absolute().parent.is_dir():
            raise MisuseError(f"{target}: expected a file in a folder that exists; there is no {target.parent}")
    bundle = build() if build else None
    recordings = load_recordings(deck, consent, outputs)
    if recordings is None:
        return INTERRUPTED
    page = handout(deck, recordings, live=bundle is not None, course=course).standalone(bundle).encode()
    with report_write_errors(file):
        write_atomically(file, page)
        if record is not None:
            write_recordings(recordings, record)
    content, megabytes = describe_content(deck, recordings), len(page) / 2**20
    print(f"{file}: {content}, {megabytes:.1f} MB. It needs no network: open it in any browser.")
    return report_problems(deck, recordings)


def run_site(
    path: Path,
    folder: Path,
    consent: Consent,
    outputs: Sequence[Path],
    build: Callable[[], PageBundle],
    *,
    as_course: bool = False,
    url: str = "",
) -> int:
    """Write a deck's page as files; return the exit status.

    Of a folder with a course, it is the course's page. `url` is where the folder will be: previews of links need a
    picture's whole address.

    Raises DeckError and MisuseError.
    """
    course = load_course(path.parent) if as_course else None
    deck = load_deck(path) if course is None else course.deck
    bundle = build()
    recordings = load_recordings(deck, consent, outputs)
    if recordings is None:
        return INTERRUPTED
    preview = f"{url.rstrip('/')}/{PREVIEW}" if url else ""
    page = handout(deck, recordings, live=True, course=course).standalone(bundle, PARTS, preview)
    with report_write_errors(folder):
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        for blob in bundle.blobs:
            write_atomically(folder / blob.address(PARTS), blob.data)
        write_atomically(folder / OFFLINE, asset(OFFLINE).encode())
        if url:
            write_atomically(folder / PREVIEW, PICTURE.read_bytes())
        write_atomically(folder / "index.html", page.encode())  # the last, as it names the others
        blobs = {folder / blob.address(PARTS) for blob in bundle.blobs}
        # Blobs of the page that was here before, which named them until now.
        for file in {*(folder / PARTS).glob("*.gz")} - blobs:
            file.unlink()
    content, megabytes = describe_content(deck, recordings), (len(page.encode()) + bundle.size) / 2**20
    print(f"{folder}: {content}, {len(bundle.blobs) + 1} files, {megabytes:.1f} MB, for any web host.")
    return report_problems(deck, recordings)


def load_recordings(deck: Deck, consent: Consent, outputs: Sequence[Path]) -> Recordings | None:
    """Return the outputs of the deck, from files or from running it now.

    None if somebody stops that.
    """
    if outputs:
        recordings: dict[Block, RecordedRun] = {}
        for file in outputs:
            recordings.update(read_recordings(file, deck))
        return recordings
    try:
        with progress() as report:
            return run_all(deck, in_force(deck, consent), report)
    except KeyboardInterrupt:
        return None


@contextmanager
def report_write_errors(target: Path) -> Iterator[None]:
    """Raise MisuseError where a file cannot be written."""
    try:
        yield
    except OSError as error:
        file = error.filename or target
        raise MisuseError(f"{file}: cannot be written: {error.strerror or error}") from None


def describe_content(deck: Deck, recordings: Recordings) -> str:
    """Return the number of slides and outputs, in words."""
    return f"{pluralize(len(deck.slides), 'slide')}, {pluralize(len(recordings), 'output')}"


def handout(deck: Deck, recordings: Recordings, *, live: bool = False, course: Course | None = None) -> Page:
    """Return the page of a deck with its outputs and linked scripts.

    In one that is `live`, the exercises open in an editor. The deck may be that of a course, which leads through it.
    """
    scripts = linked_scripts(deck)
    outputs = {block: recording.output() for block, recording in recordings.items()}
    writer = Writer(deck, outputs, script_links(scripts) | linked_documents(deck), live=live)
    return make_page(writer, scripts, course.markup(), course.sections) if course else make_page(writer, scripts)


def report_problems(deck: Deck, recordings: Recordings) -> int:
    """Print which blocks have no output, or not the expected one.

    Returns the exit status.
    """
    status = PASSED
    for live_block in live_code(deck):
        problem = _problem(recordings.get(live_block.block))
        if problem:
            print(f"{live_block.block.path or deck.path}:{live_block.block.line}: {problem}", file=sys.stderr)
            status = FAILED
    return status


def _problem(recording: RecordedRun | None) -> str:
    if recording is None:
        return "this code has no output in the page"
    return "" if recording.expected else f"unexpected result: {recording.ending}"


def linked_scripts(deck: Deck) -> dict[str, str]:
    """Return the scripts of the deck's repository, by their path in it."""
    files = _repository_files(deck, SCRIPTS)
    return {path: file.read_text(encoding="utf-8", errors="replace") for path, file in files.items()}


def linked_documents(deck: Deck) -> dict[str, str]:
    """Return the web addresses of the deck's repository's documents.

    Empty if it was not cloned from the web.
    """
    files = _repository_files(deck, DOCUMENTS)
    address = web_address(deck.path.resolve().parent) if files else None
    if not address:
        return {}
    return {path: f"{address}/blob/HEAD/{path}" for path in files}


def web_address(folder: Path) -> str | None:
    """Return the web address of the repository of a folder, or None."""
    command = ["git", "-C", str(folder), "config", "--get", "remote.origin.url"]
    try:
        url = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    match = re.fullmatch(r"(?:https://|git@|ssh://git@)(?:[^@/]+@)?([\w.-]+)[:/]([\w./-]+?)(?:\.git)?/?", url.strip())
    return f"https://{match[1]}/{match[2]}" if match else None


def _repository_files(deck: Deck, patterns: Sequence[str]) -> dict[str, Path]:
    """Return files of the deck's repository, by their path in it."""
    root = home()
    if root is None:
        return {}
    if not deck.path.resolve().is_relative_to(root):
        return {}
    paths = chain.from_iterable(sorted(root.glob(pattern)) for pattern in patterns)
    return {path.relative_to(root).as_posix(): path for path in paths if path.is_file()}
