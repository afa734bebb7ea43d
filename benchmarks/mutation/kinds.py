"""Which names of a function are of one kind."""

from __future__ import annotations

import ast

from benchmarks.mutation.script import is_kernel, name_of, parts


class Kinds:
    """Kinds of a function's names, by how they are made.

    They are pointers, numbers, blocks, offsets, masks and values.
    """

    def __init__(self, function: ast.FunctionDef) -> None:
        self.found: dict[str, str] = {}
        kernel = is_kernel(function)
        for argument in function.args.args:
            constant = argument.annotation is not None and "constexpr" in ast.dump(argument.annotation)
            self.found[argument.arg] = "block" if constant else "number" if kernel else "tensor"
        made = {name_of(node.targets[0]): node.value for node in ast.walk(function) if isinstance(node, ast.Assign)}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and name_of(node.func) in ("load", "store") and node.args:
                self._pointer(node.args[0], made)
        for node in parts(function):
            match node:
                case ast.Assign([target], value):
                    self._assign(target, value)
                case ast.For(target):
                    self._assign(target, None)

    def _pointer(self, address: ast.expr, made: dict[str, ast.expr]) -> None:
        """Return the pointer of an address: its first parameter.

        It may also be in what the first name is made of.
        """
        for node in ast.walk(address):
            if isinstance(node, ast.Name) and node.id in self.found:
                self.found[node.id] = "pointer"
                return
            if isinstance(node, ast.Name) and node.id in made:
                value = made.pop(node.id)  # once: it may be made of itself
                self._pointer(value, made)
                return

    def _assign(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple):
            parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for index, part in enumerate(target.elts):
                self._assign(part, parts[index] if parts else value)
        elif isinstance(target, ast.Name):
            self.found.setdefault(target.id, self.kind(value) if value else "index")

    def kind(self, value: ast.expr) -> str:
        match value:
            case ast.Name(name):
                return self.found.get(name, "")
            case ast.Constant():
                return "block"
            case ast.Compare() | ast.BoolOp() | ast.BinOp(_, ast.BitAnd() | ast.BitOr(), _) | ast.UnaryOp(ast.Invert()):
                return "mask"
            case ast.Subscript(inner) | ast.UnaryOp(_, inner) | ast.Attribute(inner, "T"):
                return self.kind(inner)
            case ast.Attribute(_, "shape") | ast.Call(ast.Attribute(_, "size" | "numel" | "stride")):
                return "number"
            case ast.BinOp(left, _, right):
                return min(self.kind(left), self.kind(right), key=RANKS.index)
            case ast.Call(function):
                return CALLS.get(name_of(function), "")
        return ""


CALLS = {
    "load": "values",
    "zeros": "values",
    "full": "values",
    "dot": "values",
    "minimum": "values",
    "fma": "values",
} | {
    "arange": "offsets",
    "program_id": "index",
    "num_programs": "index",
    "len": "number",
    "cdiv": "number",
    "empty": "tensor",
    "empty_like": "tensor",
    "zeros_like": "tensor",
    "new_empty": "tensor",
    "where": "values",
}
RANKS = ["values", "mask", "pointer", "offsets", "index", "tensor", "number", "block", ""]
"""Of two operands, the kind that the result has comes first."""
