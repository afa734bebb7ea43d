"""A kernel's instructions for a GPU (SASS), each with the source line that it comes from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from triton_workshop.asm.operations import Ir

_PLACE = re.compile(r'//## File "([^"]*)", line (\d+)')
_LABEL = re.compile(r"\s*(\.L_x_\d+:)")
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?P<text>(?:@!?U?P\w+\s+)?(?P<opcode>[A-Z][\w.]*)[^;]*);")
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}
TENSOR_CORES = ("HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "OMMA", "HGMMA", "IGMMA", "BGMMA", "QGMMA", "UTC")
"""How the instructions of tensor cores begin."""
_OF_WARP_GROUPS = ("HGMMA", "IGMMA", "BGMMA", "QGMMA")
"""Those that four warps run together, and that wait for nothing until the last of a product."""
ASYNCHRONOUS = "LDGSTS"
"""Copies of a few bytes to shared memory while the program goes on."""
BULK = ("UTMALDG", "UBLKCP", "UTMASTG", "UTMAREDG")
"""Copies of a whole tile to shared memory and from there, as asynchronous, by the tensor memory accelerator."""
_KINDS = {
    "load": ("LDG", "LDGSTS", "LD", "UTMALDG", "UBLKCP"),
    "store": ("STG", "ST", "UTMASTG"),
    "dot": (*TENSOR_CORES, "FFMA", "FFMA2", "DFMA"),
    "atomic": ("ATOMG", "ATOM", "RED", "REDG", "ATOMS", "UTMAREDG"),
    "reduction": ("SHFL", "REDUX", "CREDUX", "STS", "LDS"),
}


@dataclass(frozen=True)
class Instruction:
    """One instruction. `line` is the line of the kernel's file that it comes from; None if it has none.

    `text` is all of it, after the labels that name it as the target of a branch.
    """

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
        return self.name in _KINDS[kind] or (kind == "dot" and self.name.startswith("UTC"))


def instructions(sass: str, ir: Ir) -> tuple[Instruction, ...]:
    """The instructions in what `nvdisasm -g` prints, by the lines of the kernel's file, which this IR names."""
    found: list[Instruction] = []
    line: int | None = None
    labels: list[str] = []
    for text in sass.splitlines():
        if place := _PLACE.search(text):
            line = int(place[2]) if place[1] == ir.file else None
        elif label := _LABEL.match(text):
            labels.append(label[1])
        elif match := _INSTRUCTION.match(text):
            found.append(Instruction(match["opcode"], " ".join([*labels, *match["text"].split()]), line))
            labels.clear()
    while found and found[-1].opcode in ("NOP", "BRA"):  # the padding, and the loop that nothing enters
        found.pop()
    return tuple(_at_their_products(found, {each.line for each in ir.operations if each.kind == "dot"}))


def _at_their_products(found: Sequence[Instruction], products: Set[int]) -> Iterator[Instruction]:
    """Put the instructions of a product, which add to the same registers, on its line.

    They run asynchronously, so ptxas moves some of them away, and then gives them the line of what stands there. If
    that is all of them, they belong to the only product without any.
    """
    lines: dict[int, int] = {}
    moved: list[int] = []
    for chain in _chains(found):
        told = [line for place in chain if (line := found[place].line) is not None and line in products]
        if told:
            lines |= dict.fromkeys(chain, Counter(told).most_common(1)[0][0])
        else:
            moved += chain
    if len(left := products - {*lines.values()}) == 1:
        lines |= dict.fromkeys(moved, *left)
    return (replace(each, line=lines.get(place, each.line)) for place, each in enumerate(found))


def _chains(found: Sequence[Instruction]) -> Iterator[list[int]]:
    """The places of the instructions of each product. The last of them counts down a barrier."""
    open_chains: dict[str, list[int]] = {}
    for place, each in enumerate(found):
        if each.name in _OF_WARP_GROUPS:
            accumulator = each.text.partition(each.opcode)[2].partition(",")[0]
            open_chains.setdefault(accumulator, []).append(place)
            if "gsb0" in each.text:
                yield open_chains.pop(accumulator)
    yield from open_chains.values()
