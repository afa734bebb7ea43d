"""Triton's whole compiler, without a GPU.

It takes a kernel from its source to a binary.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from triton_simulator.compiler.disassembly import assembly, correct_lines
from triton_simulator.compiler.front_end import backend_for, read, read_by_types, refusal_of
from triton_simulator.compiler.jobs import Answer, CompileJob, LargeBlock, Refusal
from triton_simulator.compiler.launches import Specialization
from triton_simulator.gpus import DEFAULT_TARGET, REGISTERS, THREAD_REGISTERS, WARP_THREADS, Target
from triton_simulator.without_library import has_library

_DIAGNOSTIC = re.compile(
    r"""^(?:loc\()?"?(?P<file>[^"\n]*?)"?:(?P<line>\d+):\d+\)?: error: (?P<words>.*)$""", re.MULTILINE
)
"""Error of the library: `FILE:LINE:COLUMN: error: WORDS`.

It may also be `loc("FILE":LINE:COLUMN): error: WORDS`.
"""


def read_job(job: CompileJob, special: Specialization) -> Answer:
    """Return the front end's answer to a job.

    Where the whole compiler is, that has the last word on a refusal.
    """
    refusal, largest = read_by_types(special)
    if refusal is not None and has_library():
        return replace(compile_job(replace(job, target=DEFAULT_TARGET), special), job=job)
    return Answer(job, refusal, too_large=largest if _is_too_large(largest, special) else None, warps=_warps(special))


def _warps(special: Specialization) -> int:
    return int(special.options.get("num_warps") or 4)


def _is_too_large(block: LargeBlock | None, special: Specialization) -> bool:
    """Return whether a block has more values than the registers hold.

    Neither an SM nor the program's threads have enough of them.

    No GPU refuses it: with 4 warps, an H100 ran sums of 512 × 512 float32 values, compiled for 44 s, and a block of
    4 MiB, for 107 s; both kept most of them in slow memory (Triton 3.6). In 32 warps such a block compiles in seconds.
    """
    registers = max(REGISTERS, THREAD_REGISTERS * WARP_THREADS * _warps(special))
    return block is not None and block.bytes > 4 * registers


def compile_job(job: CompileJob, special: Specialization) -> Answer:
    """Compile a kernel for its GPU.

    Stops early if there is no hope: what has no room there can take minutes more.
    """
    answer = Answer(job)

    def compile_kernel() -> None:
        """Compile the job, and keep the answer."""
        nonlocal answer
        answer = _run_stages(job, special)

    with _standard_error() as stderr:
        refusal = refusal_of(compile_kernel)
        stderr.seek(0)
        return Answer(job, _with_diagnostic(refusal, stderr.read())) if refusal else answer


LARGE_BLOCK = re.compile(r"tensor<(?:\d{3,}x\d{2,}|\d{2,}x\d{3,}|\d{5,})x")
"""A block in Triton's GPU IR that may have no room.

Kernels with smaller ones compile in a second or two.
"""


def _run_stages(job: CompileJob, special: Specialization) -> Answer:
    from triton._C.libtriton import ir
    from triton.backends.compiler import Language

    if job.target is None:
        raise ValueError("a job without a target is for the front end")
    backend = backend_for(job.target)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    result, options = read(special, backend, context)
    stages: dict[str, Any] = {}
    backend.add_stages(stages, options, Language.TRITON)
    metadata: dict[str, Any] = {"hash": "", "target": backend.target, **vars(options)}
    outputs: dict[str, Any] = {}
    for name, stage in stages.items():
        result = stage(result, metadata)
        if job.with_assembly:
            # ptxas takes the binary's lines from the PTX, so they are corrected before it runs.
            result = correct_lines(result) if name == "ptx" else result
            # Kept as text: the next stage changes the module in place.
            outputs[name] = result if isinstance(result, bytes) else str(result)
        has_large_block = name == "ttgir" and LARGE_BLOCK.search(str(result)) is not None
        if has_large_block:
            answer = Answer(job, shared_bytes=_shared_bytes(result, options, job.target))
            _, largest = read_by_types(special)
            answer = replace(answer, too_large=largest) if _is_too_large(largest, special) else answer
            if answer.does_not_fit or answer.too_large:
                return answer
    # AMD's warps have twice as many threads, so what is launched elsewhere may be too much there.
    warps = 0 if job.target.is_nvidia else _warps(special)
    answer = Answer(job, shared_bytes=int(metadata.get("shared") or 0), warps=warps)
    return replace(answer, assembly=assembly(outputs, metadata)) if job.with_assembly else answer


def _shared_bytes(module: Any, options: Any, target: Target) -> int:
    """Return the bytes of shared memory that Triton will give a program.

    They are found by the first passes of the stage that comes after `ttgir`.

    0 if this Triton has no such passes, as for AMD: the stage itself says it later.
    """
    if not target.is_nvidia:
        return 0
    from triton._C.libtriton import ir, nvidia, passes
    from triton.backends.nvidia.compiler import get_ptx_version_from_options

    try:
        # The passes change a module, and the next stage needs this one as it is: its text gives a copy.
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "module.mlir"
            file.write_text(str(module), encoding="utf-8")
            copy = ir.parse_mlir_module(str(file), module.context)
        manager = ir.pass_manager(module.context)
        passes.ttgpuir.add_combine_tensor_select_and_if(manager)
        passes.ttgpuir.add_allocate_warp_groups(manager)
        passes.convert.add_scf_to_cf(manager)
        passes.gluon.add_inliner(manager)
        version = get_ptx_version_from_options(options, target.arch)
        nvidia.passes.ttgpuir.add_allocate_shared_memory_nv(manager, target.arch, version)
        manager.run(copy, "shared memory")
        return int(copy.get_int_attr("ttg.shared") or 0)
    except (AttributeError, TypeError, RuntimeError):
        return 0


@contextmanager
def _standard_error() -> Iterator[IO[str]]:
    """Capture standard error while this lasts.

    Triton's library explains itself there, and not in its errors.
    """
    sys.stderr.flush()
    original = os.dup(2)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as capture:
        # The library is C++: it writes to the descriptor, past `sys.stderr`.
        os.dup2(capture.fileno(), 2)
        try:
            yield capture
        finally:
            os.dup2(original, 2)
            os.close(original)


def _with_diagnostic(refusal: Refusal, output: str) -> Refusal:
    """Return the refusal in the library's words, if it has said any.

    Its line is then the library's, too.
    """
    match = _DIAGNOSTIC.search(output)
    if match is None:
        return refusal
    message, file, line = match["words"], match["file"], int(match["line"])
    return Refusal(message, file, line, f"{refusal.chain}\n{message}", linecache.getline(file, line).strip())
