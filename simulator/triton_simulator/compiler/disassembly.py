"""Disassembly of compiled kernels.

The disassemblers are those in Triton's wheel, and need no GPU.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from triton_simulator.compiler.jobs import Assembly

_LOCATION = re.compile(r"\s*\.loc\s+(\d+ \d+ \d+)(?:.*?inlined_at (\d+ \d+ \d+))?.*?(?:// (.*))?$")
"""Place in the source: `file line column`, its call's, and a comment.

The comment is from older LLVM, which states calls in it.
"""
_TIMEOUT_SECONDS = 60


def correct_lines(ptx: str) -> str:
    """Return PTX with the kernel's own source lines.

    Each instruction is on the line of the kernel's file that it comes from.

    A masked load is inline assembly: a zero for each register, and then the load. LLVM counts the source line up by one
    for each of these instructions. All of them are on the line that is stated first in the assembly or, if none is
    stated there before the first instruction, on the one that held before it.
    What comes of a function in another file, such as `tl.sum`, is on the line of the kernel's file that calls it.
    """
    return "\n".join(map(_call_site_mover(ptx), _strip_counted_lines(ptx.split("\n"))))


def _strip_counted_lines(lines: list[str]) -> Iterator[str]:
    inside = begun = False
    for line in lines:
        is_border = "begin inline asm" in line or "end inline asm" in line
        if is_border:
            inside, begun = "begin" in line, False
        elif begun:
            if _LOCATION.match(line):
                continue
        elif inside:
            begun = bool(line.strip())
        yield line


def _call_site_mover(ptx: str) -> Callable[[str], str]:
    """Return a function that moves a line's `.loc` to the kernel's file.

    That file is the first that is named. A location in another file becomes the place where that one is called.
    """
    first = next(filter(None, map(_LOCATION.match, ptx.split("\n"))), None)
    kernel_file = name = ""
    if first:
        kernel_file, name = first[1].split()[0], (first[3] or "").partition(":")[0]
    calls: dict[str, str] = {}

    def move_line(line: str) -> str:
        """Return the line, with its location in the kernel's file."""
        stated = _LOCATION.match(line)
        if stated is None:
            return line
        if stated[1].startswith(f"{kernel_file} "):
            return line
        call = calls.get(stated[2] or "", stated[2])
        comment = stated[3] or ""
        if in_comment := re.search(rf"@\[ {re.escape(name)}:(\d+):(\d+)", comment):
            call = f"{kernel_file} {in_comment[1]} {in_comment[2]}"
        calls[stated[1]] = call or stated[1]
        return f"\t.loc\t{calls[stated[1]]}"

    return move_line


def assembly(stages: Mapping[str, Any], metadata: Mapping[str, Any]) -> Assembly:
    """Return a kernel's text by stage, and what its binary is.

    Raises OSError if a disassembler fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(stages["cubin"])
        # -ndf leaves out an analysis for older GPUs, which takes a third of the time and changes nothing here.
        disassembler = ("nvdisasm", "-g", "-c", "-ndf", str(file))
        sass, resources = _run_tools([disassembler, ("cuobjdump", "-res-usage", str(file))])
    return Assembly(
        kernel=str(metadata["name"]),
        ttir=stages["ttir"],
        ttgir=stages["ttgir"],
        ptx=stages["ptx"],
        sass=sass,
        resources=resources,
        shared_bytes=int(metadata.get("shared") or 0),
        warps=int(metadata["num_warps"]),
        stages=int(metadata["num_stages"]),
        tensor_columns=int(metadata.get("tmem_size") or 0),
    )


def _run_tools(commands: list[tuple[str, ...]]) -> list[str]:
    """Run tools of Triton's wheel at once, and return their outputs."""
    import triton

    tools = Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    started = [
        subprocess.Popen((tools / tool, *rest), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for tool, *rest in commands
    ]
    # All tools have started by now, so waiting for one after the other takes no longer than the slowest.
    outputs = [process.communicate(timeout=_TIMEOUT_SECONDS) for process in started]
    for (tool, *_), process, (_, errors) in zip(commands, started, outputs, strict=True):
        if process.returncode:
            raise OSError(f"{tool} could not read what Triton's compiler made: {errors.strip()}")
    return [output for output, _ in outputs]
