"""What the compiler made of a kernel, as text: by the disassemblers in Triton's wheel, which need no GPU."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from triton_simulator.compiler.jobs import Assembly

_STATED = re.compile(r"\s*\.loc\s+(\d+ \d+ \d+)(?:.*?inlined_at (\d+ \d+ \d+))?.*?(?:// (.*))?$")
"""A place in the source as `file line column`, the place of its call, and a comment, where older LLVM states calls."""
_SECONDS = 60


def with_true_lines(ptx: str) -> str:
    """PTX whose instructions are on the lines of the kernel's file that they come from.

    A masked load is inline assembly: a zero for each register, and then the load. LLVM counts the source line up by one
    for each of these instructions. All of them are on the line that is stated first in the assembly or, if none is
    stated there before the first instruction, on the one that held before it.
    What comes of a function in another file, such as `tl.sum`, is on the line of the kernel's file that calls it.
    """
    return "\n".join(map(_at_its_call(ptx), _without_counting(ptx.split("\n"))))


def _without_counting(lines: list[str]) -> Iterator[str]:
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


def _at_its_call(ptx: str) -> Callable[[str], str]:
    """Moves a line's `.loc` to the kernel's file, which is the first that is named: to where another one is called."""
    first = next((found for found in map(_STATED.match, ptx.split("\n")) if found), None)
    own, name = (first[1].split()[0], (first[3] or "").partition(":")[0]) if first else ("", "")
    calls: dict[str, str] = {}

    def moved(line: str) -> str:
        if (stated := _STATED.match(line)) is None or stated[1].startswith(f"{own} "):
            return line
        call = calls.get(stated[2] or "", stated[2])
        if in_comment := re.search(rf"@\[ {re.escape(name)}:(\d+):(\d+)", stated[3] or ""):
            call = f"{own} {in_comment[1]} {in_comment[2]}"
        calls[stated[1]] = call or stated[1]
        return f"\t.loc\t{calls[stated[1]]}"

    return moved


def assembly(made: Mapping[str, Any], metadata: Mapping[str, Any]) -> Assembly:
    """All that was made on the way to a binary, by stage, and what that binary is. Raises OSError."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.cubin"
        file.write_bytes(made["cubin"])
        # -ndf leaves out an analysis for older GPUs, which takes a third of the time and changes nothing here.
        disassembler = ("nvdisasm", "-g", "-c", "-ndf", str(file))
        sass, resources = _said_by([disassembler, ("cuobjdump", "-res-usage", str(file))])
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
