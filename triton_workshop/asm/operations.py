"""What a kernel's source asks for: its loads, stores, dots, atomics and reductions, as Triton's IR (TTIR) has them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

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
    """A kernel's argument that is no constant. `aligned`: it is known to be divisible by 16."""

    name: str
    kind: str
    aligned: bool

    @property
    def may_align(self) -> bool:
        """Whether the compiler asks if it is divisible by 16: of a pointer and of a whole number."""
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
        """Those of an element."""
        return _BITS.get(self.dtype, 8 if self.dtype.startswith("f8") else 32)


@dataclass(frozen=True)
class Ir:
    """The text of a kernel in TTIR or TTGIR."""

    text: str

    @cached_property
    def file(self) -> str:
        """The file in which the kernel stands."""
        return next((file for file, _ in self._places("#loc")), "")  # the module's location, which is the kernel's

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        head = re.search(r"tt\.func public @[\w$.]+\((.*)$", self.text, re.MULTILINE)
        found = _ARGUMENT.findall(head[1]) if head else []
        return tuple(Argument(name[1:], kind, _ALIGNED in attributes) for name, kind, attributes in found)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """In the order in which they stand in the text."""
        return tuple(self._operations())

    def _operations(self) -> Iterator[Operation]:
        opened: list[str] = []
        for line in map(str.strip, self.text.splitlines()):
            if line.endswith("({"):  # a region follows, and after it the location
                opened.append(line)
            else:
                yield from self._read(opened.pop() if line.startswith("})") and opened else line, line)

    def _read(self, head: str, end: str) -> Iterator[Operation]:
        name = _OPERATION.search(head)
        if name and name[1] in _KINDS and (line := self.line_of(end)) is not None:
            precision = re.search(r"inputPrecision = (\w+)", head)
            yield Operation(_KINDS[name[1]], line, *_block(end), precision[1] if precision else "")

    # Lines

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return dict(_ALIAS.findall(self.text))

    def line_of(self, text: str) -> int | None:
        """The innermost line of the kernel's file at which a line of the IR says that it is."""
        location = _LOCATION.search(text)
        places = self._places(location[1]) if location else ()
        return next((number for file, number in places if file == self.file), None)

    def _places(self, location: str) -> tuple[tuple[str, int], ...]:
        """The files and lines that a location names, the innermost call first."""
        found: list[tuple[str, int]] = []
        for token in re.findall(r'"[^"]*":\d+:\d+|#loc\d*', location):
            if match := _WHERE.match(token):
                found.append((match[1], int(match[2])))
            elif token in self._aliases:
                found += self._places(self._aliases[token][4:-1])
        return tuple(found)


def _block(line: str) -> tuple[tuple[int, ...], str]:
    """The shape and the dtype of the first block that a line's types name."""
    types = line.rpartition(" loc(")[0].rpartition(" : ")[2]
    if found := _TENSOR.search(types):
        return tuple(int(size) for size in found[1].split("x")[:-1]), found[3] or found[2]
    single = re.search(r"!tt\.ptr<(\w+)>", types) or re.search(r"\b(b?f\d+|i\d+)\b", types)
    return (), single[1] if single else ""
