"""Keeps what took long in this user's cache folder, as long as Triton, its variables and our code stay the same."""

from __future__ import annotations

import hashlib
import os
import pickle
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.atomic_write import write_whole
from triton_workshop.code_on_disk import code_on_disk

CACHE = "TRITON_WORKSHOP_CACHE"
"""The variable that names another folder than the system's for a user's caches."""
READ_BY_TRITON = ("TRITON_", "DISABLE_", "LLVM_", "MLIR_", "NVPTX_", "PTXAS_", "USE_", "ALLOW_", "STORE_")
"""How the variables begin that change what Triton's compiler makes (its own list is `CACHE_INVALIDATING_ENV_VARS`)."""
OURS = ("TRITON_WORKSHOP_", "TRITON_SIMULATOR", "TRITON_INTERPRET", "TRITON_DEFAULT_FP_FUSION")
"""Those that do not, or that have the same value wherever it compiles for us."""


def cache_folder() -> Path:
    """This user's folder for all caches of the workshop."""
    import platformdirs  # which a page does not have

    root = os.environ.get(CACHE) or platformdirs.user_cache_dir("triton-workshop", appauthor=False)
    return Path(root).expanduser().absolute()


@dataclass(frozen=True)
class DiskCache:
    """Answers by what was asked, all of which its `repr` has to tell: at most so many, those that were of use last."""

    name: str
    """Of its folder."""
    most: int

    def get(self, *asked: object) -> object | None:
        """The answer, or None."""
        file = self._file(asked)
        with suppress(Exception):  # another version of ours may have written it
            answer: object = pickle.loads(file.read_bytes())
            os.utime(file)
            return answer
        return None

    def keep(self, answer: object, *asked: object) -> None:
        file = self._file(asked)
        with suppress(OSError):  # a cache that cannot be written is none
            write_whole(file, pickle.dumps(answer))
            kept = sorted(file.parent.iterdir(), key=lambda each: each.stat().st_mtime)
            for old in kept[: -self.most]:
                old.unlink()

    def _file(self, asked: tuple[object, ...]) -> Path:
        variables = sorted(each for each in os.environ.items() if each[0].startswith(READ_BY_TRITON))
        variables = [each for each in variables if not each[0].startswith(OURS)]
        digest = hashlib.sha256(repr((asked, code_on_disk(), variables)).encode()).hexdigest()
        return cache_folder() / self.name / digest[:32]
