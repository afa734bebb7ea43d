"""Why a load or a store is made of narrow instructions, although memory answers best to 16 bytes for each thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triton_workshop.asm.operations import Argument, Ir, Operation
from triton_workshop.compiler.report import listed

WIDEST = 128
"""Bits that one instruction moves for each thread at most (256 on Blackwell)."""


@dataclass(frozen=True)
class Reasons:
    """Explains the accesses of one kernel, by what the compiler states of it, and never by how a value came about.

    `numbers` are the arguments of its launch that are numbers.
    """

    ir: Ir
    numbers: Mapping[str, int | float]
    threads: int
    narrowed: int
    """How many loads are wide in PTX and narrow in SASS."""

    def of(self, operation: Operation, narrowest: int, narrow: int) -> str:
        """Why an access takes instructions of so few bits, so many of them; empty if that is all there is to move."""
        share = operation.elements * operation.bits // self.threads
        if not operation.shape or narrowest >= WIDEST:
            return ""
        if share <= narrowest:
            return self._small_block(operation, share)
        if operation.kind == "load" and narrow <= self.narrowed:
            return "PTX asks for 128 bits, and ptxas loads only the values that are used"
        if odd := [self._named(each) for each in self.ir.arguments if each.may_align and not each.aligned]:
            return f"not known to the compiler as {'multiples' if odd[1:] else 'a multiple'} of 16: {listed(odd)}"
        side_by_side = min(WIDEST, share) // operation.bits
        return (
            f"the compiler cannot tell that {side_by_side} elements lie side by side, "
            f"from a multiple of {side_by_side * operation.bits // 8} bytes on"
        )

    def _small_block(self, operation: Operation, share: int) -> str:
        elements, each = operation.elements, share // operation.bits
        has = f"{each} element{'s' * (each > 1)}" if each else "less than one element"
        return f"a block of {elements:,} has {has} for each of {self.threads} threads"

    def _named(self, argument: Argument) -> str:
        value = self.numbers.get(argument.name)
        return argument.name if value is None else f"{argument.name} = {value:,}"
