"""Compiler's output for a kernel: operations in Triton's IR, and SASS."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from triton_simulator.gpus import TARGETS, TENSOR_MEMORY_MMA, WARP_GROUP_MMA

_KINDS = {
    "tt.load": "load",
    "tt.descriptor_load": "load",
    "tt.descriptor_gather": "load",
    "tt.store": "store",
    "tt.descriptor_store": "store",
    "tt.descriptor_scatter": "store",
    "tt.dot": "dot",
    "tt.dot_scaled": "dot",
    "tt.atomic_rmw": "atomic",
    "tt.atomic_cas": "atomic",
    "tt.descriptor_reduce": "atomic",
    "tt.reduce": "reduction",
    "tt.scan": "reduction",
    "ttg.convert_layout": "conversion",
}
_OPERATION = re.compile(r'(?:^|[\s"])(tt[gn]?\.[a-z_]+)(?![\w.])')
_ALIAS = re.compile(r"^(#loc\d*) = (loc\(.*\))$", re.MULTILINE)
_WHERE = re.compile(r'"([^"]*)":(\d+):(\d+)')
_LOCATION = re.compile(r"loc\((.*)\)$")
_TENSOR = re.compile(r"tensor<((?:\d+x)+)(!tt\.ptr<(\w+)>|\w+)")
_ARGUMENT = re.compile(r"(%[\w$.-]+): (!?[^{}]*?)( \{[^}]*\})? loc\(")
_ALIGNED = "tt.divisibility = 16"
_BITS = {"f64": 64, "i64": 64, "f16": 16, "bf16": 16, "i16": 16, "i8": 8, "i1": 8}


@dataclass(frozen=True)
class Argument:
    """A kernel's argument that is no constant.

    `aligned`: it is known to be divisible by 16.
    """

    name: str
    kind: str
    aligned: bool

    @property
    def may_align(self) -> bool:
        """True if the compiler asks whether it is divisible by 16.

        It asks that of a pointer and of a whole number.
        """
        return self.kind.startswith("!tt.ptr") or self.kind in ("i32", "i64")


@dataclass(frozen=True)
class Operation:
    """One operation of the source, on a line of the kernel's file.

    `shape` and `dtype` are those of the block that it loads, stores, adds to memory or reduces, of a dot those of its
    first factor; a single value has no shape. `precision` is a dot's.
    """

    kind: str
    line: int
    shape: tuple[int, ...]
    dtype: str
    precision: str = ""

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return _BITS.get(self.dtype, 8 if self.dtype.startswith("f8") else 32)


@dataclass(frozen=True)
class Ir:
    """The text of a kernel in TTIR or TTGIR."""

    text: str

    @cached_property
    def file(self) -> str:
        """The file in which the kernel stands."""
        return next((file for file, _ in self._locations("#loc")), "")  # the module's location, which is the kernel's

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        head = re.search(r"tt\.func public @[\w$.]+\((.*)$", self.text, re.MULTILINE)
        matches = _ARGUMENT.findall(head[1]) if head else []
        return tuple(Argument(name[1:], kind, _ALIGNED in attributes) for name, kind, attributes in matches)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """In the order in which they stand in the text."""
        return tuple(self._operations())

    def _operations(self) -> Iterator[Operation]:
        # Regions lie in each other, and what opened one is needed when its location is reached.
        opened: list[str] = []
        for line in map(str.strip, self.text.splitlines()):
            if line.endswith("({"):  # a region follows, and after it the location
                opened.append(line)
                continue
            closes = line.startswith("})") and opened
            yield from self._read(opened.pop() if closes else line, line)

    def _read(self, head: str, end: str) -> Iterator[Operation]:
        name = _OPERATION.search(head)
        if not name or name[1] not in _KINDS:
            return
        line = self.line_of(end)
        if line is not None:
            precision = re.search(r"inputPrecision = (\w+)", head)
            yield Operation(_KINDS[name[1]], line, *_block(end), precision[1] if precision else "")

    # Lines

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return dict(_ALIAS.findall(self.text))

    def line_of(self, text: str) -> int | None:
        """Return the line of the kernel's file that a line of the IR names.

        It is the innermost, and None if there is none.
        """
        location = _LOCATION.search(text)
        locations = self._locations(location[1]) if location else ()
        return next((number for file, number in locations if file == self.file), None)

    def _locations(self, location: str) -> tuple[tuple[str, int], ...]:
        """The files and lines that a location names, the innermost call first."""
        locations: list[tuple[str, int]] = []
        # A location is a place, a reference to another one, or several of both: calls, the innermost first.
        for token in re.findall(r'"[^"]*":\d+:\d+|#loc\d*', location):
            if match := _WHERE.match(token):
                locations.append((match[1], int(match[2])))
            elif token in self._aliases:
                locations += self._locations(self._aliases[token][4:-1])
        return tuple(locations)


def _block(line: str) -> tuple[tuple[int, ...], str]:
    """The shape and the dtype of the first block that a line's types name."""
    types = line.rpartition(" loc(")[0].rpartition(" : ")[2]
    if match := _TENSOR.search(types):
        return tuple(int(size) for size in match[1].split("x")[:-1]), match[3] or match[2]
    single = re.search(r"!tt\.ptr<(\w+)>", types) or re.search(r"\b(b?f\d+|i\d+)\b", types)
    return (), single[1] if single else ""


# Instructions

_PLACE = re.compile(r'//## File "([^"]*)", line (\d+)')
_LABEL = re.compile(r"\s*(\.L_x_\d+:)")
_LABELS = re.compile(r"(\.L_x_\d+):")
_TARGET = re.compile(r"`\((\.L_x_\d+)\)")
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?P<text>(?:@!?U?P\w+\s+)?(?P<opcode>[A-Z][\w.]*)[^;]*);")
_WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128, "256": 256}
TENSOR_CORES = tuple(
    sorted({begin for target in TARGETS.values() if target.is_nvidia for begin in target.tensor_instructions})
)
"""Beginnings of the names of the tensor cores' instructions."""
ASYNCHRONOUS = "LDGSTS"
"""Copies of a few bytes to shared memory while the program goes on."""
BULK = ("UTMALDG", "UBLKCP", "UTMASTG", "UTMAREDG")
"""Copies of a whole tile to and from shared memory.

The tensor memory accelerator does them, asynchronously.
"""
_OPCODES = {
    "load": ("LDG", "LDGSTS", "LD", "UTMALDG", "UBLKCP"),
    "store": ("STG", "ST", "UTMASTG"),
    "dot": (*TENSOR_CORES, "FFMA", "FFMA2", "DFMA"),
    "atomic": ("ATOMG", "ATOM", "RED", "REDG", "ATOMS", "UTMAREDG"),
    "reduction": ("SHFL", "REDUX", "CREDUX", "STS", "LDS"),
}


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    `line` is the line of the kernel's file that it comes from; None if it has none.

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
        """Bits that an access moves for each thread."""
        return next((_WIDTHS[part] for part in self.opcode.split(".")[1:] if part in _WIDTHS), 32)

    def does(self, kind: str) -> bool:
        """Return whether it does the work of an operation of this kind.

        The kinds are load, store, dot, atomic and reduction.
        """
        return self.name in _OPCODES[kind] or (kind == "dot" and self.name.startswith(TENSOR_MEMORY_MMA))


def instructions(sass: str, ir: Ir) -> tuple[Instruction, ...]:
    """Return the instructions in the output of `nvdisasm -g`.

    Their lines are those of the kernel's file, which this IR names.
    """
    result: list[Instruction] = []
    line: int | None = None
    labels: list[str] = []
    for text in sass.splitlines():
        if location := _PLACE.search(text):
            # A place in another file, such as tl.sum's, says nothing of a line that people see.
            line = int(location[2]) if location[1] == ir.file else None
        elif label := _LABEL.match(text):
            labels.append(label[1])
        elif match := _INSTRUCTION.match(text):
            result.append(Instruction(match["opcode"], " ".join([*labels, *match["text"].split()]), line))
            labels.clear()
    while result and result[-1].opcode in ("NOP", "BRA"):  # the padding, and the loop that nothing enters
        result.pop()
    return tuple(_assign_products(result, {operation.line for operation in ir.operations if operation.kind == "dot"}))


def loop_barriers(sass: Sequence[Instruction]) -> tuple[int | None, ...]:
    """Return the line of each barrier of all threads inside a loop.

    A loop is what lies between a branch and a label before it.
    """
    starts = {label: index for index, instruction in enumerate(sass) for label in _LABELS.findall(instruction.text)}
    loops = [
        range(starts[target[1]], index)
        for index, instruction in enumerate(sass)
        if instruction.name == "BRA" and (target := _TARGET.search(instruction.text))
        # Each kernel ends with a branch to itself, which is no loop.
        if starts.get(target[1], index) < index
    ]
    looping = {*itertools.chain.from_iterable(loops)}
    barriers = ((index, each) for index, each in enumerate(sass) if each.opcode.startswith("BAR.SYNC"))
    return tuple(barrier.line for index, barrier in barriers if index in looping)


def _assign_products(instructions: Sequence[Instruction], products: Set[int]) -> Iterator[Instruction]:
    """Put the instructions of a product on its line.

    They add to the same registers and run asynchronously, so ptxas moves some of them away, and then gives them the
    line of what stands there. If that is all of them, they belong to the only product without any.
    """
    lines: dict[int, int] = {}
    moved: list[int] = []
    for chain in _chains(instructions):
        chain_lines = [instructions[index].line for index in chain]
        product_lines = [line for line in chain_lines if line is not None and line in products]
        if product_lines:
            # Most of a product's instructions stay where they were, so the most frequent line is its own.
            lines |= dict.fromkeys(chain, Counter(product_lines).most_common(1)[0][0])
        else:
            moved += chain
    if len(unassigned := products - {*lines.values()}) == 1:
        lines |= dict.fromkeys(moved, *unassigned)
    return (
        replace(instruction, line=lines.get(index, instruction.line)) for index, instruction in enumerate(instructions)
    )


def _chains(instructions: Sequence[Instruction]) -> Iterator[list[int]]:
    """Yield the indices of the instructions of each product.

    The last of them counts down a barrier.
    """
    open_chains: dict[str, list[int]] = {}
    for index, instruction in enumerate(instructions):
        if instruction.name in WARP_GROUP_MMA:
            # Products run one after the other, so those that are open have different accumulators.
            accumulator = instruction.text.partition(instruction.opcode)[2].partition(",")[0]
            open_chains.setdefault(accumulator, []).append(index)
            if "gsb0" in instruction.text:
                yield open_chains.pop(accumulator)
    yield from open_chains.values()
