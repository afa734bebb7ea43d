"""From a script to what the compiler makes of its kernels: by processes that stay warm, and once for all in a cache."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from triton_workshop.asm.asked import Launched, Launching
from triton_workshop.atomic_write import write_whole
from triton_workshop.compiler.compilation import answers
from triton_workshop.compiler.jobs import Answer, CompileJob
from triton_workshop.compiler.targets import Target
from triton_workshop.processes.call import EndedError, TimeIsUpError
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.warm import code_on_disk

LAUNCHES = "triton_workshop.asm.launching:send_launches"
CACHE = "TRITON_WORKSHOP_CACHE"
LIMIT_SECONDS = 60.0
"""Seconds that a script may take on the simulator."""
COMPILING_SECONDS = 60.0
MOST = 6
"""How many kernels are shown unless one is named."""
MOST_KEPT = 64
"""How many answers the cache keeps."""


@dataclass(frozen=True)
class Made:
    """What a script launched, and what the compiler says of the first kernels, or of those that were named."""

    launched: Launched
    answers: tuple[Answer, ...] = ()


def make(asked: Launching, target: Target, kernel: str | None, runner: Runner, output: int) -> Made:
    """Run a script's launches and compile them; what the script prints goes to `output`. Raises OSError."""
    key = _cache_file(asked, target, kernel)
    if (known := _cached(key)) is not None:
        return known
    runner.warm_up(Mode.COMPILER)
    launched = launches_of(asked, runner, output)
    chosen = [each for each in launched.kernels if kernel in (None, each.name)][:MOST]
    if launched.failure:
        return Made(launched)
    known_ones = [each for each in chosen if not each.unknown]
    jobs = [CompileJob(each, target, shown=True) for each in known_ones]
    made = Made(
        replace(launched, kernels=tuple(replace(each, data=b"") for each in launched.kernels)),
        (
            *(Answer(CompileJob(each, target), unknown=each.unknown) for each in chosen if each.unknown),
            *answers(jobs, warm(runner), COMPILING_SECONDS),
        ),
    )
    _keep(key, made)
    return made


def launches_of(asked: Launching, runner: Runner, output: int) -> Launched:
    """What a script launches on the simulator. Raises OSError."""
    script = runner.call(LAUNCHES, asked, output=output, patience=LIMIT_SECONDS)
    try:
        with script:
            launched = next(script.messages(), None)
    except TimeIsUpError:
        return Launched((), failure=f"it had not ended after {LIMIT_SECONDS:g} s on the simulator")
    except EndedError as error:
        return Launched((), failure=f"its process was {error}")
    assert isinstance(launched, Launched)
    return launched


# The cache


def _cache_file(asked: Launching, target: Target, kernel: str | None) -> Path:
    """Where an answer is kept: its name says what was asked, and of which code, Triton's and ours included."""
    digest = hashlib.sha256(repr((asked, target.capability, kernel, code_on_disk())).encode()).hexdigest()
    root = os.environ.get(CACHE) or platformdirs.user_cache_dir("triton-workshop", appauthor=False)
    return Path(root) / "asm" / digest[:32]


def _cached(file: Path) -> Made | None:
    """What is kept there, if the files that the script imported are still the same."""
    with suppress(Exception):  # another version of ours may have written it
        digests, made = pickle.loads(file.read_bytes())
        if digests == _digests(made.launched.files) and isinstance(made, Made):
            os.utime(file)
            return made
    return None


def _keep(file: Path, made: Made) -> None:
    with suppress(OSError):  # a cache that cannot be written is none
        write_whole(file, pickle.dumps((_digests(made.launched.files), made)))
        kept = sorted(file.parent.iterdir(), key=lambda each: each.stat().st_mtime)
        for old in kept[:-MOST_KEPT]:
            old.unlink()


def _digests(files: Sequence[str]) -> list[str]:
    return [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
