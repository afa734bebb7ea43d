"""Instructions of PTX for inline assembly.

Those that compute run over the registers of all elements at once.

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
    return NotSimulatedError(f"the simulator cannot run `{statement}` of inline assembly; perhaps a GPU can")


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

    One that is not may change the result, as `add.cc` also sets a carry; or the kernel would not compile.
    """
    types = step.types
    if len(types) != (2 if step.name == "cvt" else 1):
        return False
    others = [modifier for modifier in step.modifiers if modifier not in ptx_numbers.TYPES]
    if step.name == "cvt":
        # How many operands it has depends on the types, and `_cvt` refuses others.
        target, source = types
        return any(
            target.name in targets.split() and source.name in sources.split() and _fits(others, form)
            for targets, sources, form in _CONVERSIONS
        )
    count, forms = _FORMS[step.name]
    return len(step.operands) == 1 + count and any(
        types[0].name in names.split() and _fits(others, form) for names, form in forms.items()
    )


def _fits(modifiers: Sequence[str], form: str) -> bool:
    """Return whether modifiers are those of a form: see `_FORMS`."""
    rest = list(modifiers)
    for group in form.split():
        found = [modifier for modifier in rest if modifier in group.removesuffix("?").split("|")]
        if len(found) > 1 or (not found and not group.endswith("?")):
            return False
        rest = [modifier for modifier in rest if modifier not in found]
    return not rest


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
    # There are no literals of these types.
    packed = [registers[operand] for operand in operands]
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
        function = (
            ptx_numbers.float_operation(name, type.lane, step.modifiers)
            if type.lane.float
            else ptx_numbers.integer_operation(name, step.modifiers)
        )
        return _apply(function, step, registers, type)

    return operation


def _mul(step: Instruction, registers: Registers) -> dict[str, Array]:
    """Multiply, and add if there is a third operand.

    Of integers, it gives the lower half, the upper half, or both.
    """
    type = step.types[-1]
    if type.lane.float:
        return _typed(step.name)(step, registers)
    result, first, second, *third = step.operands
    product = np.multiply(*(_operand(operand, registers, type).astype(type.wide) for operand in (first, second)))
    product = product >> type.bits if step.has("hi") else product
    wide = ptx_numbers.TYPES[f"{type.kind}{type.bits * (2 if step.has('wide') else 1)}"]
    total = product + _operand(third[0], registers, wide).astype(type.wide) if third else product
    return {result: to_bits(ptx_numbers.saturate(total) if step.has("sat") else total, wide)}


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
    """Compare; of two numbers in a register, the lower ones."""
    type, (result, *operands) = step.types[-1].lane, step.operands
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
        number = ptx_numbers.convert(number, source, target, step.modifiers)
        # The register may be wider: the sign of a signed number fills it.
        return {result: from_bits(number, target).astype(np.int64).view(np.uint64) if target.kind == "s" else number}
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

_INTEGERS = "s16 s32 s64 u16 u32 u64"
_MODE, _INTEGRAL_MODE = "rn|rz|rm|rp", "rni|rzi|rmi|rpi"
_ORDER = "eq|ne|lt|le|gt|ge"
_FLOAT_ORDER = f"{_ORDER}|equ|neu|ltu|leu|gtu|geu|num|nan"
_SUM = {"f16 f16x2": "rn? ftz? sat?", "bf16 bf16x2": "rn?", "f32": f"{_MODE}? ftz? sat?", "f64": f"{_MODE}?"}
_FUSED = {"f32": f"{_MODE} ftz? sat?", "f64": _MODE}
_EXTREME = {
    "s16 s64 u16 u32 u64": "", "s32": "relu?", "f16 f16x2 f32": "ftz? NaN? xorsign? abs?",
    "bf16 bf16x2": "NaN? xorsign? abs?", "f64": "",
}  # fmt: skip
_SIGN = {"s16 s32 s64 bf16 bf16x2 f64": "", "f16 f16x2 f32": "ftz?"}
_FORMS: dict[str, tuple[int, dict[str, str]]] = {
    "mov": (1, {f"pred b16 b32 b64 {_INTEGERS} f32 f64": ""}), "selp": (3, {f"b16 b32 b64 {_INTEGERS} f32 f64": ""}),
    "shl": (2, {"b16 b32 b64": ""}), "shr": (2, {f"b16 b32 b64 {_INTEGERS}": ""}),
    "setp": (2, {
        "b16 b32 b64": "eq|ne", "s16 s32 s64": _ORDER, "u16 u32 u64": f"{_ORDER}|lo|ls|hi|hs",
        "f16 f16x2 f32": f"{_FLOAT_ORDER} ftz?", "bf16 bf16x2 f64": _FLOAT_ORDER,
    }),
    **dict.fromkeys(("add", "sub"), (2, {"s16 s64 u16 u32 u64": "", "s32": "sat?", **_SUM})),
    "mul": (2, {"s16 s32 u16 u32": "lo|hi|wide", "s64 u64": "lo", **_SUM}),
    "mad": (3, {"s16 s32 u16 u32": "lo|hi|wide", "s64 u64": "lo", "s32": "hi sat", **_FUSED}),
    "fma": (3, {"f16 f16x2": "rn ftz? sat|relu?", "bf16 bf16x2": "rn relu?", **_FUSED}),
    "div": (2, {_INTEGERS: "", "f32": f"{_MODE}|approx|full ftz?", "f64": _MODE}), "rem": (2, {_INTEGERS: ""}),
    **dict.fromkeys(("min", "max"), (2, _EXTREME)), **dict.fromkeys(("neg", "abs"), (1, _SIGN)),
    **dict.fromkeys(("and", "or", "xor"), (2, {"pred b16 b32 b64": ""})), "not": (1, {"pred b16 b32 b64": ""}),
    **dict.fromkeys(("brev", "clz", "popc"), (1, {"b32 b64": ""})),
    "prmt": (3, {"b32": "|".join(ptx_numbers.PERMUTATIONS) + "?"}), "lop3": (4, {"b32": ""}),
    "bfe": (3, {"s32 s64 u32 u64": ""}), "bfi": (4, {"b32 b64": ""}),
    "ex2": (1, {"f16 f16x2": "approx", "bf16 bf16x2": "approx ftz", "f32": "approx ftz?"}),
    **dict.fromkeys(("lg2", "sin", "cos"), (1, {"f32": "approx ftz?"})),
    "rsqrt": (1, {"f32": "approx ftz?", "f64": "approx"}), "tanh": (1, {"f16 f16x2 bf16 bf16x2 f32": "approx"}),
    **dict.fromkeys(("rcp", "sqrt"), (1, {"f32": f"{_MODE}|approx ftz?", "f64": _MODE})),
}  # fmt: skip
"""For each name, how many operands it reads, and by types the modifiers that ptxas takes and that are simulated.

There is one modifier of each group, or at most one where a group ends in a question mark.
"""
_ALL_INTEGERS, _FLOATS = f"s8 u8 {_INTEGERS}", "f16 bf16 f32 f64"
_NARROWING = f"{_MODE} ftz? sat? relu? satfinite?"
_CONVERSIONS = (
    (_ALL_INTEGERS, _ALL_INTEGERS, "sat?"),
    (_ALL_INTEGERS, _FLOATS, f"{_INTEGRAL_MODE} ftz? sat?"),
    (_FLOATS, _ALL_INTEGERS, f"{_MODE} ftz? sat?"),
    ("f16 bf16", "f32 f64", _NARROWING), ("f32", "f64", _NARROWING),
    ("f16 bf16", "f16 bf16", f"{_MODE}|{_INTEGRAL_MODE}? sat?"),
    ("f32", "f16 bf16 f32", f"{_MODE}|{_INTEGRAL_MODE}? ftz? sat?"),
    ("f64", _FLOATS, f"{_MODE}|{_INTEGRAL_MODE}? ftz? sat?"),
    ("tf32", "f32", "rn|rz relu?"), ("tf32", "f32", "rna"),
    ("f16x2 bf16x2", "f32", "rn|rz relu? satfinite?"), ("f16x2", "e4m3x2 e5m2x2", "rn relu?"),
    ("e4m3x2 e5m2x2", "f16x2 f32", "rn satfinite relu?"),
)  # fmt: skip
"""For each `cvt`, the types of its results, those of its operands, and its modifiers as in `_FORMS`."""


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
