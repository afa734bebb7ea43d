"""Outputs of a deck's live blocks, run now or recorded in a file."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from triton_workshop.atomic_write import write_atomically
from triton_workshop.deck.consent import Consent, live_code
from triton_workshop.deck.model import Block, Code, Deck, Execution
from triton_workshop.errors import MisuseError
from triton_workshop.page.encoding import as_webp
from triton_workshop.processes.languages import MissingProgramError
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import CannotRunError, Outcome, Script
from triton_workshop.screen.transcript import Transcript
from triton_workshop.validating.validate import Report

COLUMNS = 80
TIMEOUT_SECONDS = 60.0
"""Seconds that a block may take."""
WARM_UP_SECONDS = 60.0
"""Seconds to wait for the process that imports torch and Triton."""


@dataclass(frozen=True)
class Output:
    """Lines and ending of a block, and the picture of a +image block."""

    lines: tuple[Text, ...]
    ending: str
    failed: bool
    picture: bytes | None = None
    running: bool = False
    """True if more may come; then `ending` is the current status."""


@dataclass(frozen=True)
class RecordedRun:
    """One run of a block: code, printed text with colours, and pictures."""

    code: str
    printed: str
    ending: str
    failed: bool
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    picture: bytes | None = None
    """Picture of a +image block."""
    expected: bool = True
    """True if it ended as the deck promises."""

    def output(self) -> Output:
        """Return the output line by line."""
        with tempfile.TemporaryDirectory(prefix="workshop-") as folder:
            for name, data in self.pictures.items():
                # The name alone: a file of recordings could lead out of the folder.
                (Path(folder) / Path(name).name).write_bytes(data)
            transcript = Transcript(Path(folder))
            transcript.feed(self.printed.encode())
        return Output(tuple(transcript.visible_lines()), self.ending, self.failed, self.picture)


Recordings = Mapping[Block, RecordedRun]


def run_all(deck: Deck, consent: Consent, report: Report) -> Recordings:
    """Run every live block that there is consent to run.

    Blocks run in the deck's folder and in its order.
    """
    live = [live_block for live_block in live_code(deck) if consent.allows(live_block.code.execution)]
    recordings: dict[Block, RecordedRun] = {}
    with Runner() as runner:
        if live:
            runner.warm_up()
            runner.wait_until_warm(WARM_UP_SECONDS)
        for done, live_block in enumerate(live):
            report(done, len(live), deck.slides[live_block.slide - 1].name)
            recordings[live_block.block] = _run(runner, deck, live_block.code)
        report(len(live), len(live), "")
    return recordings


def _run(runner: Runner, deck: Deck, code: Code) -> RecordedRun:
    folder, data = deck.path.resolve().parent, bytearray()
    image = code.execution is Execution.IMAGE
    try:
        with tempfile.TemporaryDirectory(prefix="workshop-", dir=runner.folder()) as pictures_folder:
            script = Script(
                code.language,
                code.source,
                folder,
                COLUMNS,
                pictures=None if image else Path(pictures_folder),
                time_limit=TIMEOUT_SECONDS,
                alternative=code.alternative,
                numbers=code.visible_numbers,
            )
            with runner.run(script) as run:
                for chunk in run.output():
                    data += chunk
                outcome = run.wait()
            pictures = {file.name: as_webp(file.read_bytes()) for file in sorted(Path(pictures_folder).iterdir())}
    except (MissingProgramError, CannotRunError, OSError) as error:
        return RecordedRun(code.source, "", str(error), failed=True, expected=False)
    # What a +image block prints is a picture.
    has_drawn = image and outcome.succeeded
    picture = as_webp(bytes(data)) if has_drawn else None
    is_complete = picture is not None or not image
    return RecordedRun(
        code.source,
        "" if picture else data.decode(errors="replace"),
        outcome_text(outcome),
        not outcome.succeeded,
        {name: data for name, data in pictures.items() if data is not None},
        picture,
        outcome.succeeded is not code.expect_failure and is_complete,
    )


def outcome_text(outcome: Outcome) -> str:
    """Return how a run ended and its seconds, as the viewer puts it."""
    return f"{outcome.seconds:.1f} s" if outcome.succeeded else f"{outcome.reason} · {outcome.seconds:.1f} s"


def write_recordings(recordings: Recordings, file: Path) -> None:
    """Write recordings to a file. Raises OSError."""
    document = [_fields(run) for run in recordings.values()]
    text = json.dumps(document, indent=1, ensure_ascii=False, default=lambda data: base64.b64encode(data).decode())
    write_atomically(file, text.encode())


def _fields(run: RecordedRun) -> dict[str, Any]:
    return {name: value for name, value in asdict(run).items() if name != "expected"}


def read_recordings(file: Path, deck: Deck) -> Recordings:
    """Read recordings from a file, by blocks whose code is the same.

    Raises MisuseError.
    """
    try:
        recordings = [_recording(run) for run in json.loads(file.read_text(encoding="utf-8"))]
    except OSError as error:
        raise MisuseError(f"{file}: cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        message = f"{file}: expected outputs as written by: workshop handout --save-outputs {file}"
        raise MisuseError(message) from None
    by_code = {run.code: run for run in recordings}
    blocks = ((live_block.block, by_code.get(live_block.code.source)) for live_block in live_code(deck))
    return {block: recording for block, recording in blocks if recording is not None}


def _recording(fields: Any) -> RecordedRun:
    return RecordedRun(
        str(fields["code"]),
        str(fields["printed"]),
        str(fields["ending"]),
        bool(fields["failed"]),
        {name: base64.b64decode(data) for name, data in fields["pictures"].items()},
        base64.b64decode(str(fields["picture"])) if fields["picture"] else None,
    )
