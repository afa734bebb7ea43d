"""Triton's whole compiler, for a GPU that is not there: from a kernel's source to a binary."""

from __future__ import annotations

import linecache
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from triton_workshop.compiler.front_end import backend_for, read, refusal_of, refused_by_types
from triton_workshop.compiler.jobs import Refusal
from triton_workshop.compiler.launches import Specialization
from triton_workshop.compiler.targets import TARGETS, Target
from triton_workshop.without_library import has_library

_DIAGNOSTIC = re.compile(
    r"""^(?:loc\()?"?(?P<file>[^"\n]*?)"?:(?P<line>\d+):\d+\)?: error: (?P<words>.*)$""", re.MULTILINE
)
"""How the library reports an error: `FILE:LINE:COLUMN: error: WORDS`, or `loc("FILE":LINE:COLUMN): error: WORDS`."""


def refused_by_front_end(special: Specialization) -> Refusal | None:
    """Why Triton's front end refuses a kernel. Where the whole compiler is, it has the last word."""
    refusal = refused_by_types(special)
    return refusal and compiled(special, TARGETS[0])[0] if has_library() else refusal


def compiled(special: Specialization, target: Target) -> tuple[Refusal | None, int]:
    """Compile for a GPU: why the compiler refuses, and the bytes of shared memory that a program takes."""
    shared = 0

    def compile_it() -> None:
        nonlocal shared
        shared = _shared_bytes(special, target)

    with _standard_error() as said:
        refusal = refusal_of(compile_it)
        said.seek(0)
        return refusal and _with_diagnostic(refusal, said.read()), shared


def _shared_bytes(special: Specialization, target: Target) -> int:
    from triton._C.libtriton import ir
    from triton.backends.compiler import Language

    backend = backend_for(target)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    result, options = read(special, backend, context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, Language.TRITON)
    metadata: dict[str, Any] = {"hash": "", "target": backend.target, **vars(options)}
    for stage in stages.values():
        result = stage(result, metadata)
    return int(metadata.get("shared") or 0)


@contextmanager
def _standard_error() -> Iterator[IO[str]]:
    """Collect what is written to standard error: Triton's library explains itself there, and not in its errors."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        os.dup2(said.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(before, 2)
            os.close(before)


def _with_diagnostic(refusal: Refusal, said: str) -> Refusal:
    """The refusal in the library's words, and on its line, if the library has said any."""
    found = _DIAGNOSTIC.search(said)
    if found is None:
        return refusal
    words, file, line = found["words"], found["file"], int(found["line"])
    return Refusal(words, file, line, f"{refusal.chain}\n{words}", linecache.getline(file, line).strip())
