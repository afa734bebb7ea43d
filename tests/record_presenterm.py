"""Asks presenterm about every case of the dialect's table, and records its answers. Some ten seconds; needs POSIX.

uv run python tests/record_presenterm.py           writes the recording
uv run python tests/record_presenterm.py --check   shows where presenterm's answers differ from the recording
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import closing
from difflib import unified_diff
from pathlib import Path

from deck.conftest import filled
from deck.dialect import CASES
from deck.recording import FLAGS, RECORD, RECORDING, VERSION, Answer, recording_of
from viewer.presenterm import Presenterm


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=f"Record what presenterm {VERSION} answers.")
    parser.add_argument("--check", action="store_true", help="only compare with the recording")
    checks = parser.parse_args(arguments).check
    program = presenterm()
    new = recording_of({way: answers(program, flags) for way, flags in FLAGS.items()})
    if checks:
        check(new)
    else:
        write(new)


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


def check(new: str) -> None:
    old = RECORDING.read_text(encoding="utf-8") if RECORDING.exists() else ""
    if old == new:
        print(f"presenterm {VERSION} answers as recorded")
        return
    # Not splitlines: a word may have a character in it that Python takes for a line's end.
    print(*unified_diff(old.split("\n"), new.split("\n"), "recorded", "now", lineterm="", n=0), sep="\n")
    sys.exit(f"presenterm's answers differ from the recording; to update it: {RECORD}")


def write(new: str) -> None:
    """Whole at once: a reader finds the old recording or the new one."""
    part = RECORDING.with_suffix(".part")
    part.write_text(new, encoding="utf-8", newline="\n")
    part.replace(RECORDING)
    print(f"{RECORDING.name}: {len(CASES)} cases")


if __name__ == "__main__":
    main()
