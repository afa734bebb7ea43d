"""Asks presenterm about every case of the dialect's table, and records its answers. Some ten seconds; needs POSIX.

`git diff` then shows where they differ from those before.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from tests.deck.conftest import filled
from tests.deck.dialect import CASES
from tests.deck.recording import FLAGS, RECORDING, VERSION, Answer, recording_of
from tests.viewer.presenterm import Presenterm


def main() -> None:
    program = presenterm()
    recording = recording_of({way: answers(program, flags) for way, flags in FLAGS.items()})
    RECORDING.write_text(recording, encoding="utf-8", newline="\n")
    print(f"{RECORDING.name}: {len(CASES)} cases")


def presenterm() -> str:
    """The program, which has to be of the version that we stand beside."""
    install = f"to install it: cargo install --locked presenterm@{VERSION}"
    program = shutil.which("presenterm")
    if program is None:
        sys.exit(f"presenterm is not installed; {install}")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if said != f"presenterm {VERSION}":
        sys.exit(f"expected presenterm {VERSION}, got '{said}' from {program}; {install}")
    return program


def answers(program: str, flags: Iterable[str]) -> dict[str, Answer]:
    with tempfile.TemporaryDirectory() as folder, closing(Presenterm(program, filled(Path(folder)), *flags)) as asked:
        return {name: asked.answer(case.deck) for name, case in CASES.items()}


if __name__ == "__main__":
    main()
