"""What the compiler made of a kernel, as text: by the disassemblers in Triton's wheel, which need no GPU."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from triton_workshop.compiler.jobs import Assembly

_STATED = re.compile(r"\s*\.loc\s")
_SECONDS = 60


def with_true_lines(ptx: str) -> str:
    """PTX whose instructions are on the lines of the source that they come from.

    A masked load is inline assembly: a zero for each register, and then the load. LLVM counts the source line up by one
    for each of these instructions. All of them are on the line that is stated first in the assembly or, if none is
    stated there before the first instruction, on the one that held before it.
    """
    return "\n".join(_true_lines(ptx.split("\n")))


def _true_lines(lines: list[str]) -> Iterator[str]:
    inside = begun = False
    for line in lines:
        if "begin inline asm" in line or "end inline asm" in line:
            inside, begun = "begin" in line, False
        elif inside and _STATED.match(line):
            if begun:
                continue
            begun = True
        elif inside and line.strip():
            begun = True
        yield line


def assembly(made: Mapping[str, Any], metadata: Mapping[str, Any]) -> Assembly:
    """All that was made on the way to a binary, by stage, and what that binary is. Raises OSError."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(made["cubin"])
        sass, resources = _said_by([("nvdisasm", "-gi", "-c", str(file)), ("cuobjdump", "-res-usage", str(file))])
    return Assembly(
        kernel=str(metadata["name"]),
        ttir=made["ttir"],
        ttgir=made["ttgir"],
        ptx=made["ptx"],
        sass=sass,
        resources=resources,
        shared_bytes=int(metadata.get("shared") or 0),
        warps=int(metadata["num_warps"]),
        stages=int(metadata["num_stages"]),
    )


def _said_by(commands: list[tuple[str, ...]]) -> list[str]:
    """What these tools of Triton's wheel print, all at once."""
    import triton

    tools = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    started = [
        subprocess.Popen((tools / tool, *rest), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for tool, *rest in commands
    ]
    said = [process.communicate(timeout=_SECONDS) for process in started]
    for (tool, *_), process, (_, errors) in zip(commands, started, said, strict=True):
        if process.returncode:
            raise OSError(f"{tool} could not read what Triton's compiler made: {errors.strip()}")
    return [output for output, _ in said]
