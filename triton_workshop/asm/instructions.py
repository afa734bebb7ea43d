"""A kernel's instructions for a GPU (SASS), each with the source line that it comes from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_PLACE = re.compile(r'//## File "([^"]*)", line (\d+)')
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?P<text>(?:@!?U?P\w+\s+)?(?P<opcode>[A-Z][\w.]*)[^;]*);")
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}
TENSOR_CORES = ("HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "BGMMA", "QGMMA", "UTC")
"""How the instructions of tensor cores begin."""
BULK_LOADS = ("UTMALDG", "UBLKCP")
"""Copies of a whole tile into shared memory, by the tensor memory accelerator."""
_KINDS = {
    "load": ("LDG", "LDGSTS", "LD", *BULK_LOADS),
    "store": ("STG", "ST", "UTMASTG", "UTMAREDG"),
    "dot": (*TENSOR_CORES, "FFMA", "FFMA2", "DFMA"),
    "atomic": ("ATOMG", "ATOM", "RED", "REDG", "ATOMS"),
    "reduction": ("SHFL", "REDUX", "CREDUX", "STS", "LDS"),
}


@dataclass(frozen=True)
class Instruction:
    """One instruction. `line` is the line of the kernel's file that it comes from; None if it has none."""

    opcode: str
    text: str
    line: int | None

    @property
    def name(self) -> str:
        """The operation's name, without what modifies it."""
        return self.opcode.partition(".")[0]

    @property
    def bits(self) -> int:
        """How many bits an access moves for each thread."""
        return next((_WIDTHS[part] for part in self.opcode.split(".")[1:] if part in _WIDTHS), 32)

    def does(self, kind: str) -> bool:
        """Whether it does the work of such an operation: a load, a store, a dot, an atomic or a reduction."""
        return self.name.startswith(TENSOR_CORES) if self.name.startswith("UTC") else self.name in _KINDS[kind]

    @property
    def asynchronous(self) -> bool:
        """Whether it is a load that copies to shared memory while the program goes on."""
        return self.name == "LDGSTS" or self.bulk

    @property
    def bulk(self) -> bool:
        return self.name in BULK_LOADS


def instructions(sass: str, file: str) -> tuple[Instruction, ...]:
    """The instructions in what `nvdisasm -g` prints, by the lines of this file."""
    found: list[Instruction] = []
    line: int | None = None
    for text in sass.splitlines():
        if place := _PLACE.search(text):
            line = int(place[2]) if place[1] == file else None
        elif match := _INSTRUCTION.match(text):
            found.append(Instruction(match["opcode"], " ".join(match["text"].split()), line))
    while found and found[-1].opcode in ("NOP", "BRA"):  # the padding, and the loop that nothing enters
        found.pop()
    return tuple(found)


def counted(found: Iterable[Instruction]) -> tuple[tuple[str, int], ...]:
    """How many there are of each, the most frequent first."""
    return tuple(Counter(each.opcode for each in found).most_common())
