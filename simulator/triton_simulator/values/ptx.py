"""Instructions of PTX for inline assembly.

Those that compute run over the registers of all elements at once.

A register is an array of bits, as uint64, whatever its width. What instructions do: NVIDIA, "PTX ISA".
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
import triton.language as tl

from triton_simulator.errors import NotSimulatedError
from triton_simulator.values import ptx_numbers
from triton_simulator.values.formats import Array, decode, encode, storage_dtype
from triton_simulator.values.ptx_numbers import Type, from_bits, result_bits, to_bits

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
        """Return the types among the modifiers."""
        return [ptx_numbers.TYPES[modifier] for modifier in self.modifiers if modifier in ptx_numbers.TYPES]

    def has(self, *modifiers: str) -> bool:
        """Return whether it has one of these modifiers."""
        return any(modifier in self.modifiers for modifier in modifiers)


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_STATEMENT = re.compile(r"(?:@(!?[\w$%]+)\s+)?([a-z]\w*)((?:(?:\.|::)\w+)*)\s*(.*)", re.DOTALL)


@functools.lru_cache(maxsize=64)
def parse(text: str) -> tuple[Instruction, ...]:
    """Return the instructions of a text.

    Scopes do not matter: no two of them use a name for two things in practice.
    """
    *statements, rest = _COMMENT.sub(" ", text).replace("$$", "$").split(";")
    if rest.strip("{} \t\r\n"):
        raise NotSimulatedError(f"inline assembly ends without a semicolon: {rest.strip()}")
    return tuple(filter(None, map(_parse_instruction, statements)))


def _parse_instruction(statement: str) -> Instruction | None:
    statement = statement.lstrip("{} \t\r\n").strip()
    # A register exists here as soon as it is written.
    if not statement or statement.startswith(".reg"):
        return None
    match = _STATEMENT.fullmatch(statement)
    if match is None:
        raise _not_simulated(statement)
    predicate, name, modifiers, operands = match.groups()
    # Commas inside braces separate the elements of one operand.
    fields = re.findall(r"\{[^}]*\}|[^,{}]+", operands)
    return Instruction(
        predicate or "",
        name,
        tuple(filter(None, modifiers.split("."))),
        tuple(field.strip() for field in fields if field.strip()),
    )


def _not_simulated(statement: object) -> NotSimulatedError:
    return NotSimulatedError(f"the simulator cannot run `{statement}` of inline assembly, and only a GPU can")


def run(text: str, registers: Registers) -> None:
    """Carry out a text, and add the registers that it writes.

    Raises NotSimulatedError.
    """
    for step in parse(text):
        operation = _OPERATIONS.get(step.name)
        if operation is None or not _is_understood(step):
            raise _not_simulated(step)
        try:
            written = operation(step, registers)
        except (KeyError, IndexError, ValueError) as error:  # a type or an operand that is not here
            raise _not_simulated(step) from error
        # Where the predicate is false, a register keeps what it had.
        condition = _operand(step.predicate, registers, ptx_numbers.TYPES["pred"]) if step.predicate else None
        if condition is None:
            registers.update(written)
            continue
        for name, bits in written.items():
            registers[name] = np.where(condition, bits, registers[name]) if name in registers else bits


def _is_understood(step: Instruction) -> bool:
    """Return whether its modifiers, its types and its operands are known.

    One that is not may change the result: `add.cc` also sets a carry.
    """
    sources, for_integers, for_floats = _FORMS[step.name]
    types = step.types
    has_floats = len(types) > 0 and types[-1].lane.float
    known = for_floats if has_floats else for_integers
    others = [modifier for modifier in step.modifiers if modifier not in ptx_numbers.TYPES]
    if not all(modifier in known for modifier in others):
        return False
    # How many operands `cvt` has depends on the type.
    if step.name == "cvt":
        return len(types) == 2
    return len(types) == 1 and len(step.operands) == 1 + sources


def _operand(operand: str, registers: Registers, type: Type) -> Array:
    """Return an operand's value as a number of this type."""
    if operand.startswith("!"):
        return np.asarray(~_operand(operand[1:], registers, type))
    if operand in registers:
        return from_bits(registers[operand], type)
    return from_bits(ptx_numbers.literal(operand, type), type)


def _apply(function: Callable[..., Array], step: Instruction, registers: Registers, type: Type) -> dict[str, Array]:
    """Apply a function to operands of one type.

    For types such as f16x2, it is applied to each of their halves.
    """
    result, *operands = step.operands
    if type.lanes == 1:
        numbers = function(*(_flushed(_operand(operand, registers, type), step) for operand in operands))
        return {result: result_bits(numbers, type, step.modifiers)}
    lane = type.lane
    packed = [
        registers[operand] if operand in registers else ptx_numbers.literal(operand, ptx_numbers.TYPES["b32"])
        for operand in operands
    ]
    # Both halves are computed from the same registers, the upper one after a shift.
    halves = [
        result_bits(
            function(*(_flushed(from_bits(register >> np.uint64(shift), lane), step) for register in packed)),
            lane,
            step.modifiers,
        )
        for shift in (0, lane.bits)
    ]
    return {result: halves[0] | halves[1] << np.uint64(lane.bits)}


def _flushed(numbers: Array, step: Instruction) -> Array:
    """Return an operand, without subnormal numbers if it says `.ftz`."""
    return ptx_numbers.flush_subnormals(numbers) if step.has("ftz") else numbers


def _simple(function: Callable[..., Array]) -> Callable[[Instruction, Registers], dict[str, Array]]:
    return lambda step, registers: _apply(function, step, registers, step.types[-1])


def _prmt(step: Instruction, registers: Registers) -> dict[str, Array]:
    mode = next((modifier for modifier in step.modifiers if modifier in ptx_numbers.PERMUTATIONS), "")
    return _apply(functools.partial(ptx_numbers.permute_bytes, mode), step, registers, step.types[-1])


def _typed(name: str) -> Callable[[Instruction, Registers], dict[str, Array]]:
    """Return an operation whose function depends on the type."""

    def operation(step: Instruction, registers: Registers) -> dict[str, Array]:
        """Apply the function for the instruction's type."""
        type = step.types[-1]
        find = ptx_numbers.float_operation if type.lane.float else ptx_numbers.integer_operation
        return _apply(find(name, type.lane, step.modifiers), step, registers, type)

    return operation


def _mul(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Multiply, and add if there is a third operand.

    Of integers, it gives the lower half, the upper half, or both.
    """
    type = step.types[-1]
    if type.lane.float:
        return _typed(step.name)(step, registers)
    if not step.has("lo", "hi", "wide"):
        raise _not_simulated(step)
    # Products of 64-bit numbers have no wider type here for their upper half.
    if type.bits > 32 and not step.has("lo"):
        raise _not_simulated(step)
    result, first, second, *third = step.operands
    product = np.multiply(*(_operand(operand, registers, type).astype(type.wide) for operand in (first, second)))
    product = product >> type.bits if step.has("hi") else product
    wide = ptx_numbers.TYPES[f"{type.kind}{type.bits * (2 if step.has('wide') else 1)}"]
    total = product + _operand(third[0], registers, wide).astype(type.wide) if third else product
    return {result: to_bits(ptx_numbers.saturate(total, type) if step.has("sat") else total, wide)}


def _mov(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Copy a register, or pack or unpack what stands in braces."""
    type, (result, source) = step.types[-1], step.operands
    if result.startswith("{"):
        names = _split_braces(result)
        bits = type.bits // len(names)
        register = registers[source]
        # The first name in braces has the lowest bits.
        fields = [
            (register >> np.uint64(bits * position)) & np.uint64((1 << bits) - 1) for position in range(len(names))
        ]
        # In PTX, `_` is a register that nobody reads.
        return {name: field for name, field in zip(names, fields, strict=True) if name != "_"}
    if source.startswith("{"):
        names = _split_braces(source)
        bits = type.bits // len(names)
        field = ptx_numbers.TYPES[f"b{bits}"]
        shifted = [
            to_bits(_operand(name, registers, field), field) << np.uint64(bits * position)
            for position, name in enumerate(names)
        ]
        return {result: functools.reduce(np.bitwise_or, shifted)}
    return {result: to_bits(_operand(source, registers, type), type)}


def _split_braces(braces: str) -> list[str]:
    return [name.strip() for name in braces.strip("{}").split(",")]


def _setp(step: Instruction, registers: Registers) -> dict[str, Array]:
    type, (result, *operands) = step.types[-1], step.operands
    if "|" in result:
        raise _not_simulated(step)
    return {
        result: ptx_numbers.COMPARISONS[step.modifiers[0]](
            *(_flushed(_operand(operand, registers, type), step) for operand in operands)
        )
    }


def _selp(step: Instruction, registers: Registers) -> dict[str, Array]:
    type, (result, yes, no, predicate) = step.types[-1], step.operands
    condition = _operand(predicate, registers, ptx_numbers.TYPES["pred"])
    return {result: to_bits(np.where(condition, *(_operand(operand, registers, type) for operand in (yes, no))), type)}


def _shift(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Shift bits; by more than there are leaves nothing, or the sign."""
    type, (result, value, by) = step.types[-1], step.operands
    amount = _operand(by, registers, ptx_numbers.TYPES["u32"]).astype(np.int64)
    number = _operand(value, registers, type)
    copies_sign = step.name == "shr" and type.kind == "s"
    if copies_sign:
        return {result: to_bits(number.astype(np.int64) >> np.minimum(amount, 63), type)}
    wide, count = number.astype(np.uint64), np.minimum(amount, 63).astype(np.uint64)
    shifted = wide << count if step.name == "shl" else wide >> count
    return {result: to_bits(np.where(amount >= type.bits, np.uint64(0), shifted), type)}


def _cvt(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Convert between types.

    Two numbers become the halves of one, where the type says so.
    """
    target, source = step.types
    result, *operands = step.operands
    if target.lanes == 1:
        (operand,) = operands
        number = _operand(operand, registers, source)
        return {result: ptx_numbers.convert(number, source, target, step.modifiers)}
    if source.lanes == 2:
        (operand,) = operands
        register, bits = registers[operand], source.lane.bits
        numbers = [from_bits(register >> np.uint64(bits), source.lane), from_bits(register, source.lane)]
    else:
        numbers = [_operand(number, registers, source) for number in operands]
    # PTX names the upper half first.
    high, low = (ptx_numbers.convert(number, source.lane, target.lane, step.modifiers) for number in numbers)
    return {result: high << np.uint64(target.lane.bits) | low}


_OPERATIONS: dict[str, Callable[[Instruction, Registers], dict[str, Array]]] = {
    "mov": _mov, "cvt": _cvt, "setp": _setp, "selp": _selp, "shl": _shift, "shr": _shift, "prmt": _prmt,
    "mul": _mul, "mad": _mul,
    **{name: _typed(name) for name in ("add", "sub", "fma", "min", "max", "neg", "abs", "div", "rem")},
    **{name: _typed(name) for name in ("ex2", "lg2", "rcp", "sqrt", "rsqrt", "sin", "cos", "tanh")},
    **{name: _simple(function) for name, function in ptx_numbers.BIT_OPERATIONS.items()},
}  # fmt: skip

_DIRECTIONS = frozenset(ptx_numbers.MODES)
_FORMS: dict[str, tuple[int, Collection[str], Collection[str]]] = {
    "mov": (1, (), ()), "selp": (3, (), ()), "shl": (2, (), ()), "shr": (2, (), ()),
    "cvt": (1, ptx_numbers.CONVERSION_MODIFIERS, ptx_numbers.CONVERSION_MODIFIERS),
    "setp": (2, ptx_numbers.COMPARISONS.keys(), ptx_numbers.COMPARISONS.keys() | {"ftz"}),
    "add": (2, {"sat"}, _DIRECTIONS | {"ftz", "sat"}), "sub": (2, {"sat"}, _DIRECTIONS | {"ftz", "sat"}),
    "mul": (2, {"lo", "hi", "wide"}, _DIRECTIONS | {"ftz", "sat"}),
    "mad": (3, {"lo", "hi", "wide", "sat"}, _DIRECTIONS | {"ftz", "sat"}),
    "fma": (3, (), _DIRECTIONS | {"ftz", "sat", "relu"}),
    "div": (2, (), _DIRECTIONS | {"approx", "full", "ftz"}), "rem": (2, (), ()),
    **dict.fromkeys(("min", "max"), (2, {"relu"}, {"ftz", "NaN", "xorsign", "abs"})),
    **dict.fromkeys(("neg", "abs"), (1, (), {"ftz"})),
    **dict.fromkeys(("and", "or", "xor"), (2, (), ())), **dict.fromkeys(("not", "brev", "clz", "popc"), (1, (), ())),
    "prmt": (3, ptx_numbers.PERMUTATIONS.keys(), ()), "lop3": (4, (), ()), "bfe": (3, (), ()), "bfi": (4, (), ()),
    **dict.fromkeys(("ex2", "lg2", "rsqrt", "sin", "cos", "tanh"), (1, (), {"approx", "ftz"})),
    **dict.fromkeys(("rcp", "sqrt"), (1, (), _DIRECTIONS | {"approx", "ftz"})),
}  # fmt: skip
"""For each name, how many operands it reads, and its modifiers besides types: on integers or bits, and on floats."""


# How blocks get into registers


def pack_registers(values: Sequence[Array], dtypes: Sequence[tl.dtype], pack: int) -> list[Array]:
    """Return the registers that hold `pack` elements of each block.

    The blocks are (N, pack). Small elements share a register of 32 bits.
    """
    registers = []
    for value, dtype in zip(values, dtypes, strict=True):
        stored = encode(value, dtype)
        bits = stored.view(f"u{stored.itemsize}").astype(np.uint64)
        width, per_register = 8 * stored.itemsize, _elements_per_register(stored.itemsize, pack)
        for start in range(0, pack, per_register):
            positions = range(per_register)
            registers.append(
                functools.reduce(
                    np.bitwise_or, [bits[:, start + position] << np.uint64(width * position) for position in positions]
                )
            )
    return registers


def unpack_registers(registers: Sequence[Array], dtype: tl.dtype, size: int, pack: int) -> Array:
    """Return the elements that registers hold, (N, pack).

    Each is of `size` bytes.
    """
    per_register = _elements_per_register(size, pack)
    fields = [
        registers[position // per_register] >> np.uint64(8 * size * (position % per_register))
        & np.uint64((1 << 8 * size) - 1)
        for position in range(pack)
    ]
    stored = np.stack(fields, axis=-1).astype(f"u{size}")
    # A register may hold anything, while the bytes of numpy's truth values are 0 and 1 only.
    return stored.astype(np.bool_) if dtype is tl.int1 else decode(stored.view(storage_dtype(dtype)), dtype)


def register_count(size: int, pack: int) -> int:
    """Return how many registers hold `pack` elements of `size` bytes."""
    return pack // _elements_per_register(size, pack)


def _elements_per_register(size: int, pack: int) -> int:
    per_register = min(max(1, 4 // size), pack)
    if pack % per_register:
        raise ValueError(f"pack={pack} does not fill registers with elements of {size} bytes")
    return per_register
