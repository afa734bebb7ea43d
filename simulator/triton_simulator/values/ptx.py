"""Inline assembly: the instructions of PTX that compute, over the registers of all elements at once.

A register is an array of bits, as uint64, whatever its width. What instructions do: NVIDIA, "PTX ISA".
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import triton.language as tl

from triton_simulator.errors import NotSimulatedError
from triton_simulator.values import ptx_numbers
from triton_simulator.values.formats import Array, decode, encode, stored_as
from triton_simulator.values.ptx_numbers import Type, as_bits, as_numbers, computed_bits

Registers = dict[str, Array]


@dataclass(frozen=True)
class Instruction:
    """`@p name.modifiers operands;`"""

    predicate: str
    name: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join((self.name, *self.modifiers))

    @property
    def types(self) -> list[Type]:
        return [ptx_numbers.TYPES[each] for each in self.modifiers if each in ptx_numbers.TYPES]

    def has(self, *modifiers: str) -> bool:
        return any(each in self.modifiers for each in modifiers)


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(r"(?:@(!?[\w$%]+)\s+)?([a-z]\w*)((?:(?:\.|::)\w+)*)\s*(.*)", re.DOTALL)


@functools.lru_cache(maxsize=64)
def parsed(text: str) -> tuple[Instruction, ...]:
    """The instructions of a text. Scopes do not matter: no two of them use a name for two things in practice."""
    *statements, rest = _COMMENT.sub(" ", text).replace("$$", "$").split(";")
    if rest.strip("{} \t\r\n"):
        raise NotSimulatedError(f"inline assembly ends without a semicolon: {rest.strip()}")
    return tuple(filter(None, map(_instruction, statements)))


def _instruction(statement: str) -> Instruction | None:
    statement = statement.lstrip("{} \t\r\n").strip()
    if not statement or statement.startswith(".reg"):
        return None
    found = _STATEMENT.fullmatch(statement)
    if found is None:
        raise _not_simulated(statement)
    predicate, name, modifiers, operands = found.groups()
    parts = re.findall(r"\{[^}]*\}|[^,{}]+", operands)
    return Instruction(
        predicate or "",
        name,
        tuple(filter(None, modifiers.split("."))),
        tuple(part.strip() for part in parts if part.strip()),
    )


def _not_simulated(what: object) -> NotSimulatedError:
    return NotSimulatedError(f"the simulator cannot run `{what}` of inline assembly, and only a GPU can")


def run(text: str, registers: Registers) -> None:
    """Carry out a text; registers that it writes are added. Raises NotSimulatedError."""
    for step in parsed(text):
        operation = _OPERATIONS.get(step.name)
        if operation is None:
            raise _not_simulated(step)
        try:
            written = operation(step, registers)
        except (KeyError, IndexError, ValueError) as error:  # a type or an operand that is not here
            raise _not_simulated(step) from error
        here = _operand(step.predicate, registers, ptx_numbers.TYPES["pred"]) if step.predicate else None
        for name, bits in written.items():
            registers[name] = bits if here is None or name not in registers else np.where(here, bits, registers[name])


def _operand(operand: str, registers: Registers, type: Type) -> Array:
    """An operand's value as a number of this type."""
    if operand.startswith("!"):
        return np.asarray(~_operand(operand[1:], registers, type))
    if operand in registers:
        return as_numbers(registers[operand], type)
    return as_numbers(ptx_numbers.literal(operand, type), type)


def _applied(function: Callable[..., Array], step: Instruction, registers: Registers, type: Type) -> dict[str, Array]:
    """A function of operands of one type, or, for types such as f16x2, of each of their halves."""
    result, *operands = step.operands
    if type.lanes == 1:
        numbers = function(*(_operand(each, registers, type) for each in operands))
        return {result: computed_bits(numbers, type, step.modifiers)}
    part = type.lane
    words = [
        registers[each] if each in registers else ptx_numbers.literal(each, ptx_numbers.TYPES["b32"])
        for each in operands
    ]
    halves = [
        computed_bits(function(*(as_numbers(word >> np.uint64(shift), part) for word in words)), part, step.modifiers)
        for shift in (0, part.bits)
    ]
    return {result: halves[0] | halves[1] << np.uint64(part.bits)}


def _simple(function: Callable[..., Array]) -> Callable[[Instruction, Registers], dict[str, Array]]:
    return lambda step, registers: _applied(function, step, registers, step.types[-1])


def _typed(name: str) -> Callable[[Instruction, Registers], dict[str, Array]]:
    """An operation whose function depends on the type."""

    def operation(step: Instruction, registers: Registers) -> dict[str, Array]:
        type = step.types[-1]
        table = ptx_numbers.OF_FLOATS if type.lane.float else ptx_numbers.OF_INTEGERS
        return _applied(table[name], step, registers, type)

    return operation


def _mul(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Products, and sums with them: of integers the lower half, the upper half, or both."""
    type = step.types[-1]
    if type.lane.float:
        return _typed(step.name)(step, registers)
    if not step.has("lo", "hi", "wide") or (type.bits > 32 and not step.has("lo")):
        raise _not_simulated(step)
    result, first, second, *third = step.operands
    product = np.multiply(*(_operand(each, registers, type).astype(type.wide) for each in (first, second)))
    product = product >> type.bits if step.has("hi") else product
    wide = ptx_numbers.TYPES[f"{type.kind}{type.bits * (2 if step.has('wide') else 1)}"]
    total = product + _operand(third[0], registers, wide).astype(type.wide) if third else product
    return {result: as_bits(total, wide)}


def _mov(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Copies, and packs or unpacks what stands in braces."""
    type, (result, source) = step.types[-1], step.operands
    if result.startswith("{"):
        names = _names(result)
        bits = type.bits // len(names)
        word = registers[source]
        parts = [(word >> np.uint64(bits * place)) & np.uint64((1 << bits) - 1) for place in range(len(names))]
        return {name: part for name, part in zip(names, parts, strict=True) if name != "_"}
    if source.startswith("{"):
        names = _names(source)
        bits = type.bits // len(names)
        part = ptx_numbers.TYPES[f"b{bits}"]
        words = [
            as_bits(_operand(name, registers, part), part) << np.uint64(bits * place)
            for place, name in enumerate(names)
        ]
        return {result: functools.reduce(np.bitwise_or, words)}
    return {result: as_bits(_operand(source, registers, type), type)}


def _names(braces: str) -> list[str]:
    return [name.strip() for name in braces.strip("{}").split(",")]


def _setp(step: Instruction, registers: Registers) -> dict[str, Array]:
    type, (result, *operands) = step.types[-1], step.operands
    if len(operands) != 2 or "|" in result:
        raise _not_simulated(step)
    return {result: ptx_numbers.COMPARISONS[step.modifiers[0]](*(_operand(each, registers, type) for each in operands))}


def _selp(step: Instruction, registers: Registers) -> dict[str, Array]:
    type, (result, yes, no, predicate) = step.types[-1], step.operands
    here = _operand(predicate, registers, ptx_numbers.TYPES["pred"])
    return {result: as_bits(np.where(here, *(_operand(each, registers, type) for each in (yes, no))), type)}


def _shift(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Shifts by more bits than there are leave nothing, or the sign."""
    type, (result, value, by) = step.types[-1], step.operands
    amount = _operand(by, registers, ptx_numbers.TYPES["u32"]).astype(np.int64)
    number = _operand(value, registers, type)
    if step.name == "shr" and type.kind == "s":
        return {result: as_bits(number.astype(np.int64) >> np.minimum(amount, 63), type)}
    wide, count = number.astype(np.uint64), np.minimum(amount, 63).astype(np.uint64)
    shifted = wide << count if step.name == "shl" else wide >> count
    return {result: as_bits(np.where(amount >= type.bits, np.uint64(0), shifted), type)}


def _cvt(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Conversions: two numbers become the halves of one, where the type says so."""
    target, source = step.types
    result, *operands = step.operands
    if target.lanes == 1:
        number = _operand(operands[0], registers, source)
        return {result: ptx_numbers.converted(number, source, target, step.modifiers)}
    if source.lanes == 2:
        word, bits = registers[operands[0]], source.lane.bits
        numbers = [as_numbers(word >> np.uint64(bits), source.lane), as_numbers(word, source.lane)]
    else:
        numbers = [_operand(each, registers, source) for each in operands]
    high, low = (ptx_numbers.converted(each, source.lane, target.lane, step.modifiers) for each in numbers)
    return {result: high << np.uint64(target.lane.bits) | low}


_OPERATIONS: dict[str, Callable[[Instruction, Registers], dict[str, Array]]] = {
    "mov": _mov, "cvt": _cvt, "setp": _setp, "selp": _selp, "shl": _shift, "shr": _shift,
    "mul": _mul, "mad": _mul, "fma": _typed("fma"),
    **{name: _typed(name) for name in ("add", "sub", "min", "max", "neg", "abs", "div", "rem")},
    **{name: _simple(function) for name, function in ptx_numbers.OF_BITS.items()},
    **{name: _simple(function) for name, function in ptx_numbers.APPROXIMATIONS.items()},
}  # fmt: skip


# How blocks get into registers


def registers_of(values: Sequence[Array], dtypes: Sequence[tl.dtype], pack: int) -> list[Array]:
    """The registers that hold `pack` elements of each block, (N, pack): small ones share one of 32 bits."""
    registers = []
    for value, dtype in zip(values, dtypes, strict=True):
        stored = encode(value, dtype)
        bits = stored.view(f"u{stored.itemsize}").astype(np.uint64)
        width, together = 8 * stored.itemsize, _together(stored.itemsize, pack)
        for start in range(0, pack, together):
            places = range(together)
            registers.append(
                functools.reduce(
                    np.bitwise_or, [bits[:, start + place] << np.uint64(width * place) for place in places]
                )
            )
    return registers


def elements_of(registers: Sequence[Array], dtype: tl.dtype, size: int, pack: int) -> Array:
    """The elements that registers hold, (N, pack); each is of so many bytes."""
    together = _together(size, pack)
    parts = [
        registers[place // together] >> np.uint64(8 * size * (place % together)) & np.uint64((1 << 8 * size) - 1)
        for place in range(pack)
    ]
    stored = np.stack(parts, axis=-1).astype(f"u{size}")
    return stored.astype(np.bool_) if dtype is tl.int1 else decode(stored.view(stored_as(dtype)), dtype)


def count(size: int, pack: int) -> int:
    """How many registers hold `pack` elements of so many bytes."""
    return pack // _together(size, pack)


def _together(size: int, pack: int) -> int:
    together = min(max(1, 4 // size), pack)
    if pack % together:
        raise ValueError(f"pack={pack} does not fill registers with elements of {size} bytes")
    return together
