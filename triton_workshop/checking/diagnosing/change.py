"""A small change of a script."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """Code that takes the place of other code."""

    kind: str
    node: ast.expr | ast.stmt
    """The node that is replaced; it is on one line."""
    replacement: str
    names_the_unread: bool = False
    """It uses a parameter that nothing uses so far.

    That one is missing somewhere.
    """
    far_fetched: bool = False
    """It is a name for quite another one; there are many of those."""
    also: tuple[tuple[ast.expr | ast.stmt, str], ...] = ()
    """Other nodes that are replaced with it, and their code."""
    line: int = 0
    """The line to blame, if it is not the node's."""

    @property
    def nodes(self) -> tuple[tuple[ast.expr | ast.stmt, str], ...]:
        """All that is replaced, and by what."""
        return (self.node, self.replacement), *self.also

    @property
    def place(self) -> int:
        """The line to blame."""
        return self.line or self.node.lineno
