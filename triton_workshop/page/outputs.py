"""What the live blocks of a deck print, as a page shows it: run now, or recorded before in a file."""

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
    """What a block printed, how it ended, and the picture that a +image block made."""

    lines: tuple[Text, ...]
    ending: str
    failed: bool
    picture: bytes | None = None
    running: bool = False
    """Whether there may be more to come; then `ending` says how it stands."""


@dataclass(frozen=True)
class RecordedRun:
    """One run of one block: its code, what it printed with its colours, and the pictures that it showed, by name."""

    code: str
    printed: str
    ending: str
    failed: bool
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    picture: bytes | None = None
    """What a +image block made."""
    expected: bool = True
    """Whether it ended as the deck promises."""

    def output(self) -> Output:
        """What it printed, line by line."""
        with tempfile.TemporaryDirectory(prefix="workshop-") as place:
            for name, data in self.pictures.items():
                (Path(place) / Path(name).name).write_bytes(data)
            transcript = Transcript(Path(place))
            transcript.feed(self.printed.encode())
        return Output(tuple(transcript.visible_lines()), self.ending, self.failed, self.picture)


Recordings = Mapping[Block, RecordedRun]


def run_all(deck: Deck, consent: Consent, report: Report) -> Recordings:
    """Run every live block that there is consent to run, in the deck's folder and in its order."""
    live = [each for each in live_code(deck) if consent.allows(each.code.execution)]
    recordings: dict[Block, RecordedRun] = {}
    with Runner() as runner:
        if live:
            runner.warm_up()
            runner.wait_until_warm(WARM_UP_SECONDS)
        for done, each in enumerate(live):
            report(done, len(live), deck.slides[each.slide - 1].name)
            recordings[each.block] = _run(runner, deck, each.code)
        report(len(live), len(live), "")
    return recordings


def _run(runner: Runner, deck: Deck, code: Code) -> RecordedRun:
    folder, data = deck.path.resolve().parent, bytearray()
    image = code.execution is Execution.IMAGE
    try:
        with tempfile.TemporaryDirectory(prefix="workshop-", dir=runner.folder()) as place:
            script = Script(
                code.language,
                code.source,
                folder,
                COLUMNS,
                pictures=None if image else Path(place),
                time_limit=TIMEOUT_SECONDS,
                alternative=code.alternative,
                numbers=code.visible_numbers,
            )
            with runner.run(script) as run:
                for chunk in run.output():
                    data += chunk
                outcome = run.wait()
            shown = {file.name: as_webp(file.read_bytes()) for file in sorted(Path(place).iterdir())}
    except (MissingProgramError, CannotRunError, OSError) as error:
        return RecordedRun(code.source, "", str(error), failed=True, expected=False)
    picture = as_webp(bytes(data)) if image and outcome.succeeded else None
    return RecordedRun(
        code.source,
        "" if picture else data.decode(errors="replace"),
        ending(outcome),
        not outcome.succeeded,
        {name: data for name, data in shown.items() if data is not None},
        picture,
        outcome.succeeded is not code.expect_failure and (picture is not None or not image),
    )


def ending(outcome: Outcome) -> str:
    """How a run ended and how long it took, as the viewer says it."""
    return f"{outcome.seconds:.1f} s" if outcome.succeeded else f"{outcome.reason} · {outcome.seconds:.1f} s"


def write_recordings(recordings: Recordings, file: Path) -> None:
    """Raises OSError."""
    document = [
        {name: value for name, value in asdict(one).items() if name != "expected"} for one in recordings.values()
    ]
    text = json.dumps(document, indent=1, ensure_ascii=False, default=lambda data: base64.b64encode(data).decode())
    write_atomically(file, text.encode())


def read_recordings(file: Path, deck: Deck) -> Recordings:
    """The recordings in a file, by the deck's blocks that have the same code still. Raises MisuseError."""
    try:
        recordings = [_recording(one) for one in json.loads(file.read_text(encoding="utf-8"))]
    except OSError as error:
        raise MisuseError(f"{file}: cannot be read: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError, AttributeError):
        message = f"{file}: expected outputs as written by: workshop handout --save-outputs {file}"
        raise MisuseError(message) from None
    by_code = {one.code: one for one in recordings}
    blocks = ((each.block, by_code.get(each.code.source)) for each in live_code(deck))
    return {block: recording for block, recording in blocks if recording is not None}


def _recording(said: Any) -> RecordedRun:
    return RecordedRun(
        str(said["code"]),
        str(said["printed"]),
        str(said["ending"]),
        bool(said["failed"]),
        {name: base64.b64decode(data) for name, data in said["pictures"].items()},
        base64.b64decode(str(said["picture"])) if said["picture"] else None,
    )
