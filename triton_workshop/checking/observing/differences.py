"""Which parts of a statement are not as in another one: small expressions that a hint can quote."""

from __future__ import annotations

import ast

LONGEST = 40
"""Characters. A longer expression is no closer look."""
MOST = 2
"""More differences than these make another statement, of which there is nothing to quote."""


def differences(theirs: ast.stmt, ours: ast.stmt, code: str) -> tuple[str, ...]:
    """The parts of their statement that differ from ours, as they stand in its code; none where there is no telling."""
    if isinstance(theirs, ast.Assign) and isinstance(ours, ast.AugAssign):
        found = {f"{ast.unparse(theirs.targets[0])} =": None}
    else:
        found = dict.fromkeys(_parts(theirs, ours, None))
    small = [text for text in found if text and len(text) <= LONGEST and _stands_in(text, code)]
    return tuple(small) if len(small) == len(found) <= MOST else ()


def _stands_in(text: str, code: str) -> bool:
    """Whether a part stands in the code like this, spaces and what was left out apart."""
    there = "".join(code.split())
    return all("".join(piece.split()) in there for piece in text.split("…"))


def _parts(theirs: ast.AST, ours: ast.AST, around: ast.AST | None) -> list[str]:
    """The differing parts; `around` is the call, product, comparison or index that they are in."""
    if ast.dump(theirs) == ast.dump(ours):
        return []
    if isinstance(theirs, ast.expr) and isinstance(ours, ast.expr) and (wrapped := _around(theirs, ours)):
        return [wrapped]
    within, wanted = list(ast.iter_child_nodes(theirs)), list(ast.iter_child_nodes(ours))
    if type(theirs) is type(ours) and _plain(theirs) == _plain(ours) and len(within) == len(wanted):
        inner = theirs if isinstance(theirs, ast.BinOp | ast.Compare | ast.Call | ast.Subscript) else around
        found = [text for pair in zip(within, wanted, strict=True) for text in _parts(*pair, inner)]
        whole = ast.unparse(theirs) if inner is theirs else ""
        return [whole] if len(found) > 1 and 0 < len(whole) <= LONGEST else found
    whole = ast.unparse(around) if around is not None else ""
    small = isinstance(theirs, ast.Name | ast.Constant | ast.Slice) or not isinstance(theirs, ast.expr)
    return [whole if small and 0 < len(whole) <= LONGEST else _text(theirs)]


def _around(theirs: ast.expr, ours: ast.expr) -> str:
    """Their expression with ours in it left out: `tl.maximum(…, 0)`; empty where ours is not in it."""
    wanted = ast.dump(ours)
    if not any(ast.dump(part) == wanted for part in ast.walk(theirs) if isinstance(part, ast.expr)):
        return ""
    return ast.unparse(theirs).replace(ast.unparse(ours), "…", 1)


def _plain(node: ast.AST) -> list[object]:
    """What a node holds beside its parts: a name, a number."""
    values = [value for name, value in ast.iter_fields(node) if name not in ("ctx", "type_comment")]
    return [value for value in values if not isinstance(value, ast.AST | list)]


def _text(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.expr) else ""
