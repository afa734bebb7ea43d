"""Each command with what may fail on a machine: its message is for people, without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from triton_workshop.disk_cache import CACHE
from triton_workshop.repository import ROOT

MAIN = "import sys; from triton_workshop.cli import main; main()"
EVERY = {
    "handout": "handout DECK --live -o HERE/page.html",
    "site": "site HERE/site DECK",
    "validate": "validate DECK",
    "present": "present DECK",
    "asm": "asm 1 --plain",
    "list": "list",
    "hint": "hint 1",
    "board": "board",
    "leave": "leave",
}


def offline(here: Path) -> dict[str, str]:
    """npm is there, and reaches nobody."""
    npm = here / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\necho 'nobody answers' >&2\nexit 1\n")
    npm.chmod(0o755)
    return {CACHE: str(here / "cache"), "PATH": f"{npm.parent}{os.pathsep}{os.environ['PATH']}"}


def no_folder(here: Path) -> dict[str, str]:
    """Where the cache would be, nothing can be written."""
    (here / "file").write_text("")
    return {CACHE: str(here / "file" / "cache")}


def full_disk(here: Path) -> dict[str, str]:
    """No file can grow, as on a full disk."""
    return {CACHE: str(here / "cache")}


def _let_no_file_grow() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script, and a limit of POSIX")
@pytest.mark.parametrize("failure", [offline, no_folder, full_disk])
@pytest.mark.parametrize("command", EVERY)
def test_no_failure_shows_a_traceback(command: str, failure: Callable[[Path], dict[str, str]], tmp_path: Path) -> None:
    (tmp_path / "deck.md").write_text("One\n===\n\nonly words\n")
    words = EVERY[command].replace("DECK", str(tmp_path / "deck.md")).replace("HERE", str(tmp_path)).split()
    ended = subprocess.run(
        [sys.executable, "-c", MAIN, *words],
        env={**os.environ, "HOME": str(tmp_path), **failure(tmp_path)},
        preexec_fn=_let_no_file_grow if failure is full_disk else None,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in ended.stdout + ended.stderr
    if command in ("handout", "site"):
        assert ended.returncode != 0
        assert ended.stderr.splitlines()[-1]
        assert not (tmp_path / "page.html").exists()


EXERCISE = str(ROOT / "exercises" / "exercise_1.py")
PRINTS = {
    "list": ["-c", MAIN, "list"],
    "check, as JSON": ["-c", MAIN, "check", "1", "--json"],
    "the deck": ["-c", MAIN, "present"],
    "help": ["-c", MAIN, "--help"],
    "an exercise": [EXERCISE],
    "an exercise, unbuffered": ["-u", EXERCISE],
    "setup-check": ["-c", "from triton_workshop.setup.commands import main; main()"],
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", PRINTS.values(), ids=PRINTS)
def test_output_that_cannot_be_written_is_told_in_a_sentence(words: list[str], desk: Path) -> None:
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, *words], env=buffered, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.stderr.splitlines()[-1] == "error: the output cannot be written: No space left on device"
    assert "Traceback" not in ended.stderr
    assert ended.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe of POSIX")
def test_a_reader_that_has_seen_enough_is_no_failure(desk: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-c", MAIN, "list"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert ended.stderr == ""
