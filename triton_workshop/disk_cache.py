"""Cache of slow results in this user's cache folder.

They are valid as long as Triton, its variables and our code stay the same.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.atomic_write import write_atomically
from triton_workshop.code_version import code_version

CACHE = "TRITON_WORKSHOP_CACHE"
"""The variable that names another folder for a user's caches."""
READ_BY_TRITON = ("TRITON_", "DISABLE_", "LLVM_", "MLIR_", "NVPTX_", "PTXAS_", "USE_", "ALLOW_", "STORE_")
"""Prefixes of variables that change what Triton's compiler makes.

Its own list is `CACHE_INVALIDATING_ENV_VARS`.
"""
IGNORED = ("TRITON_WORKSHOP_", "TRITON_SIMULATOR", "TRITON_INTERPRET", "TRITON_DEFAULT_FP_FUSION")
"""Prefixes of variables that do not.

Some of them have the same value wherever it compiles for us.
"""


def cache_folder() -> Path:
    """Return this user's folder for all caches of the workshop."""
    import platformdirs  # which a page does not have

    root = os.environ.get(CACHE) or platformdirs.user_cache_dir("triton-workshop", appauthor=False)
    return Path(root).expanduser().absolute()


@dataclass(frozen=True)
class DiskCache:
    """Cache of answers, by keys whose `repr` has to tell them apart.

    It has at most so many entries, those that were used last.
    """

    name: str
    """Of its folder."""
    max_entries: int

    def get(self, *key: object) -> object | None:
        """Return the answer, or None."""
        file = self._file(key)
        with suppress(Exception):  # another version of ours may have written it
            answer: object = pickle.loads(file.read_bytes())
            os.utime(file)
            return answer
        return None

    def put(self, answer: object, *key: object) -> None:
        """Store an answer under a key."""
        file = self._file(key)
        with suppress(OSError):  # a cache that cannot be written is none
            write_atomically(file, pickle.dumps(answer))
            entries = sorted(file.parent.iterdir(), key=lambda entry: entry.stat().st_mtime)
            for old in entries[: -self.max_entries]:
                old.unlink()

    def _file(self, key: tuple[object, ...]) -> Path:
        variables = sorted(variable for variable in os.environ.items() if variable[0].startswith(READ_BY_TRITON))
        variables = [variable for variable in variables if not variable[0].startswith(IGNORED)]
        digest = hashlib.sha256(repr((key, code_version(), variables)).encode()).hexdigest()
        return cache_folder() / self.name / digest[:32]
