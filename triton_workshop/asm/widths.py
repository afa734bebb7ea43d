"""Why a load or a store is made of narrow instructions, although memory answers best to 16 bytes for each thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from triton_workshop.asm.operations import Argument, Ir, Operation

WIDEST = 128
"""Bits that one instruction moves for each thread at most (256 on Blackwell)."""
MULTIPLE = 16
"""What Triton asks of an argument: whether it is a multiple of this."""


@dataclass(frozen=True)
class Reasons:
    """Explains the accesses of one kernel. `numbers` are the arguments of its launch that are numbers."""

    ir: Ir
    numbers: Mapping[str, int | float]
    threads: int
    narrowed: int
    """How many loads are wide in PTX and narrow in SASS."""

    def of(self, operation: Operation, narrowest: int, narrow: int) -> str:
        """Why an access takes instructions of so few bits, so many of them.

        Empty if that is all there is to move, or unknown.
        """
        share = self._share(operation)
        if not operation.shape or narrowest >= WIDEST:
            return ""
        if share <= narrowest:
            return self._of_a_small_block(operation, share)
        if operation.kind == "load" and narrow <= self.narrowed:
            return "PTX asks for 128 bits, and ptxas loads only the values that are used"
        pointers, shifts = self.ir.reached_from(operation.operands[0])
        alone, products = self.ir.terms(operation.operands[0], pointers)
        if blamed := self._unknown(alone):
            return self._of_an_argument(blamed[0], operation)
        for product in products:
            if len(factors := list(map(self._named, self._unknown(product)))) > 1:
                neither = f"neither {' nor '.join(factors)} is a multiple of {MULTIPLE}"
                return f"{neither}, so the compiler does not expect it of their product"
        masks = {name for mask in operation.operands[1:] for name in self.ir.reached_from(mask)[0]}
        if blamed := self._unknown(masks):
            return self._because(blamed[0], operation, "the mask may end between neighbours")
        at_once = min(WIDEST, share) // operation.bits
        if odd := sorted(shift for shift in shifts if shift % at_once):
            return f"offsets are shifted by {' or '.join(map(_signed, odd))}, which is no multiple of {at_once}"
        return ""

    def unknown(self, operation: Operation) -> str:
        """What is left to say of a narrow access."""
        at_once = self._share(operation) // operation.bits
        if not operation.shape or at_once < 2:
            return ""
        return f"the compiler cannot tell that {min(at_once, WIDEST // operation.bits)} elements lie side by side"

    def _share(self, operation: Operation) -> int:
        """The bits of a thread."""
        return operation.elements * operation.bits // self.threads

    def _of_a_small_block(self, operation: Operation, share: int) -> str:
        elements, each = operation.elements, share // operation.bits
        has = f"{each} element{'s' * (each > 1)}" if each else "less than one element"
        return f"a block of {elements:,} has {has} for each of {self.threads} threads"

    def _of_an_argument(self, blamed: Argument, operation: Operation) -> str:
        if blamed.is_pointer:
            return f"{blamed.name} does not start at a multiple of 16 bytes"
        where = "rows need not start" if len(operation.shape) > 1 else "a block need not start"
        return self._because(blamed, operation, f"{where} at a multiple of 16 bytes")

    def _because(self, argument: Argument, operation: Operation, what: str) -> str:
        named, at_once = self._named(argument), WIDEST // operation.bits
        if self.numbers.get(argument.name, 1) % at_once == 0:
            return f"{named} is a multiple of {at_once}, but the compiler only asks whether it is one of {MULTIPLE}"
        return f"{named} is no multiple of {MULTIPLE}, so {what}"

    def _named(self, argument: Argument) -> str:
        value = self.numbers.get(argument.name)
        return argument.name if value is None else f"{argument.name} = {value:,}"

    def _unknown(self, names: set[str]) -> list[Argument]:
        """Those of these arguments that are not known to be multiples."""
        unknown = (each for each in self.ir.arguments if each.name in names and not each.aligned)
        return [each for each in unknown if each.is_pointer or each.kind in ("i32", "i64")]


def _signed(number: int) -> str:
    return f"−{-number}" if number < 0 else str(number)
