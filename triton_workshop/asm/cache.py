"""Keeps what the compiler has made of a script, as long as the script, Triton and our own code stay the same."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from triton_workshop.asm.asked import Launching, ScriptRun
from triton_workshop.atomic_write import write_whole
from triton_workshop.compiler.jobs import Answer
from triton_workshop.compiler.targets import Target
from triton_workshop.processes.warm import code_on_disk

CACHE = "TRITON_WORKSHOP_CACHE"
"""The variable that names another folder than the system's for a user's caches."""
MOST_KEPT = 64


@dataclass(frozen=True)
class Made:
    """What a script launched, and what the compiler says of the first kernels, or of those that were named."""

    launched: ScriptRun
    answers: tuple[Answer, ...] = ()


def cached(asked: Launching, target: Target, kernel: str | None) -> Made | None:
    """What is known of a question, if the files that the script imported are still the same."""
    file = _file(asked, target, kernel)
    with suppress(Exception):  # another version of ours may have written it
        digests, made = pickle.loads(file.read_bytes())
        if digests == _digests(made.launched.files) and isinstance(made, Made):
            os.utime(file)
            return made
    return None


def keep(asked: Launching, target: Target, kernel: str | None, made: Made) -> None:
    """Keep an answer, and no more than MOST_KEPT: those that were of use last."""
    file = _file(asked, target, kernel)
    with suppress(OSError):  # a cache that cannot be written is none
        write_whole(file, pickle.dumps((_digests(made.launched.files), made)))
        kept = sorted(file.parent.iterdir(), key=lambda each: each.stat().st_mtime)
        for old in kept[:-MOST_KEPT]:
            old.unlink()


def _file(asked: Launching, target: Target, kernel: str | None) -> Path:
    """Where an answer is kept: its name says what was asked, and of which code, Triton's and ours included."""
    digest = hashlib.sha256(repr((asked, target.capability, kernel, code_on_disk())).encode()).hexdigest()
    root = os.environ.get(CACHE) or platformdirs.user_cache_dir("triton-workshop", appauthor=False)
    return Path(root) / "asm" / digest[:32]


def _digests(files: Sequence[str]) -> list[str]:
    return [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
