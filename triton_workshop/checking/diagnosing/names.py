"""Names of a kernel or launcher that are easily mistaken."""

from __future__ import annotations

import ast
import itertools
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
    nodes_of,
    operand_of,
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
        assignments = list(nodes_of(function, ast.Assign))
        self.origins = _origins(assignments)
        """For each name, those from which it is computed: `tile` may be meant where `pid` stands."""
        annotated = {argument.arg for argument in function.args.args if argument.annotation is not None}
        products = [node for node in assignments if is_product(node.value)]
        self.products = set[str]().union(*map(names_stored, products))
        self.constants = [name for name in self.sizes if name in annotated]
        calls = list(nodes_of(function, ast.Call))
        self._reads = [{*names_loaded(call)} for call in calls if callee_name(call) in SPLITTING]
        bounds = [call.args[-1] for call in calls if _has_number_of_rounds(call)]
        self.rounds = sorted({ast.unparse(bound) for bound in bounds if isinstance(bound, ast.Constant)})
        """The numbers of rounds of loops and of elements of ranges, as they are written."""
        results = [node for node in assignments if _is_of_torch(node.value)]
        self.tensors = sorted(_owners(function).union(*map(names_stored, results)))

    def factors_of(self, node: ast.AST) -> list[str]:
        """Return what may be missing as a factor, the likely ones first.

        Those are sizes that stand together with its names elsewhere, as `BLOCK` does with `n` in `cdiv(n, BLOCK)`.
        """
        names = set(names_loaded(node))
        together = Counter[str]()
        for read in self._reads:
            if read & names:
                together.update(read.difference(names).intersection(self.sizes))
        return [*sorted(self.sizes, key=lambda size: -together[size]), *self.rounds]

    def like(self, name: str) -> Sequence[str]:
        """The others of its kind; a condition is no number."""
        group = next((group for group in (self.pointers, self.sizes, self.assigned) if name in group), [])
        if name in self.sizes:
            # GROUP and group are easily mistaken, although one is given and the other computed.
            # Not by `+=`, which would add to the list that `self` keeps.
            group = group + [alternative for alternative in self.assigned if alternative.lower() == name.lower()]
        alike = [alternative for alternative in group if (alternative in self.conditions) == (name in self.conditions)]
        return [alternative for alternative in alike if alternative != name]

    def are_alike(self, name: str, alternative: str) -> bool:
        """Return whether one name is easily mistaken for another.

        `stride_am` is for `stride_ak`, and any name if there are only a few.
        """
        if (name in self.constants) != (alternative in self.constants):
            return name.lower() == alternative.lower()
        if self._is_one_of_few(name):
            return True
        # Two different letters have a ratio of 0, but are easily mistaken.
        if len(name) == len(alternative) == 1:
            return True
        return SequenceMatcher(None, name, alternative).ratio() >= ALIKE

    def _is_one_of_few(self, name: str) -> bool:
        """Return whether a name is a size, and there are only a few of its kind."""
        if name not in self.sizes:
            return False
        sizes = self.constants if name in self.constants else self.sizes
        return len(sizes) <= FEW


def _origins(assignments: list[ast.Assign]) -> dict[str, set[str]]:
    """Return the names that the last value of each name is computed from."""
    origins: dict[str, set[str]] = {}
    for node in assignments:
        for name in names_stored(node):
            origins[name] = {*names_loaded(node.value)}
    return origins


def _owners(function: Function) -> set[str]:
    """Return the names that have a tensor's attributes."""
    owners = [node.value for node in nodes_of(function, ast.Attribute) if node.attr in OF_TENSORS]
    return {owner.id for owner in owners if isinstance(owner, ast.Name)}


def _has_number_of_rounds(call: ast.Call) -> bool:
    """Return whether a call's last argument is a number of rounds."""
    name = callee_name(call)
    if name not in COUNTING:
        return False
    if not call.args:
        return False
    # Of a loop with several arguments, the last one need not be its number of rounds.
    return name == "arange" or len(call.args) == 1


def _is_of_torch(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value).startswith("torch.")


def _conditions(function: Function) -> set[str]:
    """The names of what is true or false, such as masks."""
    keywords = itertools.chain.from_iterable(call.keywords for call in nodes_of(function, ast.Call))
    masks = (keyword.value for keyword in keywords if keyword.arg == "mask")
    found = {value.id for value in masks if isinstance(value, ast.Name)}
    for node in nodes_of(function, ast.Assign):  # in their order, so that a mask of masks comes after those
        if _is_condition(node.value, found):
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
    for node in nodes_of(function, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Name):
            values.setdefault(target.id, []).append(node.value)
    pointers = set[str]()
    for call in nodes_of(function, ast.Call):
        if callee_name(call) not in MEMORY:
            continue
        address = operand_of(call) or argument_of(call, 0, "pointer")
        if address is not None:
            pointers.update(_beginning(address, values))
    return pointers


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
