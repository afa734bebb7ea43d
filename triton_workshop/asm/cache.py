"""Keeps what the compiler has made of a script, as long as the script and the files that it imported stay the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.asm.asked import Launching, ScriptRun
from triton_workshop.compiler.jobs import Answer
from triton_workshop.compiler.targets import Target
from triton_workshop.disk_cache import DiskCache

MOST_KEPT = 64
CACHE = DiskCache("asm", MOST_KEPT)


@dataclass(frozen=True)
class Made:
    """What a script launched, and what the compiler says of the first kernels, or of those that were named."""

    launched: ScriptRun
    answers: tuple[Answer, ...] = ()


def cached(asked: Launching, target: Target, kernel: str | None) -> Made | None:
    """What is known of a question, if the files that the script imported are still the same."""
    match CACHE.get(asked, target.capability, kernel):
        case (list() as digests, Made() as made) if digests == _digests(made.launched.files):
            return made
    return None


def keep(asked: Launching, target: Target, kernel: str | None, made: Made) -> None:
    """Keep an answer."""
    CACHE.keep((_digests(made.launched.files), made), asked, target.capability, kernel)


def _digests(files: Sequence[str]) -> list[str]:
    return [hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else "" for file in map(Path, files)]
