"""`workshop handout`, the deck as one HTML file to take home, and `workshop site`, as files for a web host."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from triton_workshop.atomic_write import write_whole
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import Consent, home, in_force, live_code
from triton_workshop.deck.model import Deck, Table
from triton_workshop.errors import MisuseError
from triton_workshop.interruption import INTERRUPTED
from triton_workshop.page.bundle import PageBundle
from triton_workshop.page.markup import element, escaped
from triton_workshop.page.outputs import RecordedRun, Recordings, read_recordings, run_all, write_recordings
from triton_workshop.page.page import Page, links_to, make_page
from triton_workshop.page.slides import Writer
from triton_workshop.validating.documents import counted
from triton_workshop.validating.report import progress

SCRIPTS = ("exercises/*.py", "solutions/*.py", "solutions/fast/*.py")
TEXTS = ("*.md", "docs/*.md", "benchmarks/results/*.md")
"""Files that slides and notes name, and that are not in the page."""
ALONE = "docs/alone.md"
"""The text whose first table is an order for who learns alone."""
PARTS = "parts/"
"""Where a site has what kernels need."""
PASSED, FAILED = 0, 1


def run_handout(
    path: Path,
    file: Path,
    given: Consent,
    outputs: Path | None,
    record: Path | None,
    gather: Callable[[], PageBundle] | None = None,
) -> int:
    """Write a deck's page and say what is in it; returns the exit status. Raises DeckError and MisuseError.

    Outputs come from the file `outputs`, or else from running the deck's code now, and are written to `record`. What
    `gather` gathers lets kernels run in the page.
    """
    deck = load_deck(path)
    for target in filter(None, (file, record)):  # before anything has run for nothing
        if not target.absolute().parent.is_dir():
            raise MisuseError(f"{target}: expected a file in a folder that exists; there is no {target.parent}")
    bundle = gather() if gather else None
    recordings = recorded(deck, given, outputs)
    if recordings is None:
        return INTERRUPTED
    page = handout(deck, recordings, live=bundle is not None).standalone(bundle).encode()
    with writing(file):
        write_whole(file, page)
        if record is not None:
            write_recordings(recordings, record)
    print(
        f"{file}: {shown(deck, recordings)}, {len(page) / 2**20:.1f} MB. It needs no network: open it in any browser."
    )
    return judged(deck, recordings)


def run_site(path: Path, folder: Path, given: Consent, outputs: Path | None, gather: Callable[[], PageBundle]) -> int:
    """Write a deck's page as files for any web host; returns the exit status. Raises DeckError and MisuseError."""
    deck = load_deck(path)
    bundle = gather()
    recordings = recorded(deck, given, outputs)
    if recordings is None:
        return INTERRUPTED
    page = handout(deck, recordings, live=True).standalone(bundle, folder=PARTS)
    with writing(folder):
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        for blob in bundle.blobs:
            write_whole(folder / blob.address(PARTS), blob.data)
        write_whole(folder / "index.html", page.encode())  # the last, as it names the others
        for file in {*(folder / PARTS).glob("*.gz")} - {folder / blob.address(PARTS) for blob in bundle.blobs}:
            file.unlink()
    size = len(page.encode()) + sum(len(blob.data) for blob in bundle.blobs)
    print(
        f"{folder}: {shown(deck, recordings)}, {len(bundle.blobs) + 1} files, {size / 2**20:.1f} MB, for any web host."
    )
    return judged(deck, recordings)


def recorded(deck: Deck, given: Consent, outputs: Path | None) -> Recordings | None:
    """What the deck's code prints, from this file or from running it now; None if somebody stops that."""
    if outputs is not None:
        return read_recordings(outputs, deck)
    try:
        with progress() as report:
            return run_all(deck, in_force(deck, given), report)
    except KeyboardInterrupt:
        return None


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Raises MisuseError where a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise MisuseError(f"{error.filename or target}: cannot be written: {error.strerror or error}") from None


def shown(deck: Deck, recordings: Recordings) -> str:
    return f"{counted(len(deck.slides), 'slide')}, {counted(len(recordings), 'output')}"


def handout(deck: Deck, recordings: Recordings, *, live: bool = False) -> Page:
    """The page of a deck with what its blocks printed, and the scripts of the exercises beside it.

    In one that is `live`, the exercises open in an editor.
    """
    scripts = scripts_beside(deck)
    outputs = {block: recording.output() for block, recording in recordings.items()}
    writer = Writer(deck, outputs, links_to(scripts) | texts_elsewhere(deck), live=live)
    return make_page(writer, scripts, learning_alone(writer) if live else "")


def learning_alone(writer: Writer) -> str:
    """The order of slides and exercises for who learns alone, as a text beside the deck has it, with links."""
    tables = (
        (slide, block)
        for file in _files_beside(writer.deck, [ALONE]).values()
        for slide in load_deck(file).slides
        for block in slide.blocks
        if isinstance(block.content, Table)
    )
    if (found := next(tables, None)) is None:
        return ""
    slide, table = found
    titles = [(escaped(each.name or ""), f"#slide-{number}") for number, each in enumerate(writer.deck.slides, 1)]

    def link(quoted: re.Match[str]) -> str:
        place = next((place for title, place in titles if title.startswith(quoted[0])), None)
        return quoted[0] if place is None else element("a", quoted[0], href=place)

    written = re.sub(r"(?<=&quot;)\w[^&]*(?=&quot;)", link, writer.blocks([table], slide))
    linked = re.sub(r"<td>(\d)(?=: )", r'<td><a href="#exercise-\1">\1</a>', written)
    summary = element("summary", "Alone? Take the slides and exercises in this order")
    return element("details", summary + linked, class_="alone")


def judged(deck: Deck, recordings: Recordings) -> int:
    """Say which blocks have no output, or another end than the deck promises."""
    status = PASSED
    for each in live_code(deck):
        problem = _problem(recordings.get(each.block))
        if problem:
            print(f"{each.block.path or deck.path}:{each.block.line}: {problem}", file=sys.stderr)
            status = FAILED
    return status


def _problem(recording: RecordedRun | None) -> str:
    if recording is None:
        return "this code has no output in the page"
    return "" if recording.expected else f"unexpected result: {recording.ending}"


def scripts_beside(deck: Deck) -> dict[str, str]:
    """The scripts of exercises and solutions in the repository that the deck belongs to, by their path in it."""
    files = _files_beside(deck, SCRIPTS)
    return {path: file.read_text(encoding="utf-8", errors="replace") for path, file in files.items()}


def texts_elsewhere(deck: Deck) -> dict[str, str]:
    """Where the repository that the deck belongs to has its texts on the web, if it was cloned from there."""
    files = _files_beside(deck, TEXTS)
    address = web_address(deck.path.resolve().parent) if files else None
    return {path: f"{address}/blob/HEAD/{path}" for path in files} if address else {}


def web_address(folder: Path) -> str | None:
    """Where the repository of this folder can be read on the web; None if it was not cloned from there."""
    command = ["git", "-C", str(folder), "config", "--get", "remote.origin.url"]
    try:
        url = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.fullmatch(r"(?:https://|git@|ssh://git@)(?:[^@/]+@)?([\w.-]+)[:/]([\w./-]+?)(?:\.git)?/?", url.strip())
    return f"https://{found[1]}/{found[2]}" if found else None


def _files_beside(deck: Deck, patterns: Sequence[str]) -> dict[str, Path]:
    """Files of the repository that the deck belongs to, by their path in it."""
    root = home()
    if root is None or not deck.path.resolve().is_relative_to(root):
        return {}
    files = [file for pattern in patterns for file in sorted(root.glob(pattern)) if file.is_file()]
    return {file.relative_to(root).as_posix(): file for file in files}
