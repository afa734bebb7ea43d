"""Names of a kernel or launcher that are easily mistaken."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from triton_workshop.checking.observing.source import (
    Function,
    argument_of,
    callee_name,
    is_product,
    names_in,
    names_loaded,
    names_stored,
    operand_of,
    walk,
)

MEMORY = ("load", "store", "atomic_add")
"""Calls whose first argument is an address."""
SPLITTING = ("range", "static_range", "cdiv")
"""Calls that say into how many pieces of which size something is split."""
COUNTING = ("range", "static_range", "arange")
OF_TENSORS = ("shape", "size", "stride", "numel", "dtype", "device")
ALIKE = 0.5
"""Ratio of difflib's from which two names are easily mistaken."""
FEW = 4
"""Of so many sizes, each is easily mistaken for each other."""


class Names:
    """Names of a function by kind; those of one kind may be mistaken."""

    def __init__(self, function: Function, is_kernel: bool) -> None:
        arguments = [argument.arg for argument in function.args.args]
        pointers = _pointers(function) if is_kernel else set[str]()
        named = {name for name in names_in(function) if not name.startswith("_")}
        self.unread = named.difference(names_loaded(function))
        self.sizes = [name for name in arguments if name not in pointers]
        self.pointers = [name for name in arguments if name in pointers | self.unread]  # that one may be either
        # Sorted, as a set of strings has another order in each process.
        self.assigned = sorted(names_in(function) - set(arguments))
        self.conditions = _conditions(function)
        assignments = [node for node in walk(function) if isinstance(node, ast.Assign)]
        self.origins = {name: {*names_loaded(node.value)} for node in assignments for name in names_stored(node)}
        """For each name, those from which it is computed: `tile` may be meant where `pid` stands."""
        annotated = {argument.arg for argument in function.args.args if argument.annotation is not None}
        self.products = {
            name
            for node in walk(function)
            if isinstance(node, ast.Assign) and is_product(node.value)
            for name in names_stored(node)
        }
        self.constants = [name for name in self.sizes if name in annotated]
        made = [
            node for node in ast.walk(function) if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        ]
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        self._reads = [{*names_loaded(call)} for call in calls if callee_name(call) in SPLITTING]
        counting = [call for call in calls if callee_name(call) in COUNTING and call.args]
        # Of a loop with several arguments, the last one need not be its number of rounds.
        bounds = [call.args[-1] for call in counting if len(call.args) == 1 or callee_name(call) == "arange"]
        self.rounds = sorted({ast.unparse(bound) for bound in bounds if isinstance(bound, ast.Constant)})
        """The numbers of rounds of loops and of elements of ranges, as they are written."""
        owners = [
            node.value for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr in OF_TENSORS
        ]
        tensors = {node.id for node in owners if isinstance(node, ast.Name)}
        tensors.update(*(names_stored(node) for node in made if ast.unparse(node.value).startswith("torch.")))
        self.tensors = sorted(tensors)

    def factors_of(self, node: ast.AST) -> list[str]:
        """Return what may be missing as a factor, the likely ones first.

        Those are sizes that stand together with its names elsewhere, as `BLOCK` does with `n` in `cdiv(n, BLOCK)`.
        """
        names = set(names_loaded(node))
        together = Counter(
            size for read in self._reads if read & names for size in read.difference(names) if size in self.sizes
        )
        return [*sorted(self.sizes, key=lambda size: -together[size]), *self.rounds]

    def like(self, name: str) -> Sequence[str]:
        """The others of its kind; a condition is no number."""
        group = next((group for group in (self.pointers, self.sizes, self.assigned) if name in group), [])
        # GROUP and group are easily mistaken, although one is given and the other computed.
        # Not by `+=`, which would add to the list that `self` keeps.
        group = group + [
            alternative for alternative in self.assigned if name in self.sizes and alternative.lower() == name.lower()
        ]
        alike = [alternative for alternative in group if (alternative in self.conditions) == (name in self.conditions)]
        return [alternative for alternative in alike if alternative != name]

    def are_alike(self, name: str, alternative: str) -> bool:
        """Return whether one name is easily mistaken for another.

        `stride_am` is for `stride_ak`, and any name if there are only a few.
        """
        if (name in self.constants) != (alternative in self.constants):
            return name.lower() == alternative.lower()
        few = name in self.sizes and len(self.constants if name in self.constants else self.sizes) <= FEW
        # Two different letters have a ratio of 0, but are easily mistaken.
        return few or len(name) == len(alternative) == 1 or SequenceMatcher(None, name, alternative).ratio() >= ALIKE


def _conditions(function: Function) -> set[str]:
    """The names of what is true or false, such as masks."""
    nodes = list(ast.walk(function))
    calls = (node for node in nodes if isinstance(node, ast.Call))
    masks = (keyword.value for call in calls for keyword in call.keywords if keyword.arg == "mask")
    found = {value.id for value in masks if isinstance(value, ast.Name)}
    for node in nodes:  # in their order, so that a mask of masks comes after those
        if isinstance(node, ast.Assign) and _is_condition(node.value, found):
            found |= names_stored(node)
    return found


def _is_condition(node: ast.expr, known: set[str]) -> bool:
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return True
        # `x & 15` is a number: at least one side has to be a mask.
        case ast.BinOp(left, ast.BitAnd() | ast.BitOr() | ast.BitXor(), right):
            return _is_condition(left, known) or _is_condition(right, known)
        case ast.UnaryOp(ast.Invert(), inner) | ast.Subscript(inner):
            return _is_condition(inner, known)
        case ast.Name(name):
            return name in known
    return False


def _pointers(function: Function) -> set[str]:
    """The parameters that addresses begin with."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and callee_name(node) in MEMORY)
    addresses = (operand_of(call) or argument_of(call, 0, "pointer") for call in calls)
    return {name for address in addresses if address is not None for name in _beginning(address, values)}


def _beginning(address: ast.expr, values: dict[str, list[ast.expr]]) -> Iterator[str]:
    # An address begins with its pointer: `x_ptr + offsets`.
    while isinstance(address, ast.BinOp):
        address = address.left
    if isinstance(address, ast.Name):
        yield address.id
        # Without that name: `at = at + step` would never come to an end.
        others = {name: value for name, value in values.items() if name != address.id}
        for value in values.get(address.id, ()):
            yield from _beginning(value, others)
