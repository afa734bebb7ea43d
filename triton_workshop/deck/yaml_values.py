"""Values of YAML, read by the type that is expected, as presenterm does.

`title: 3` is the text "3"; `column: "0"` is not a number. So values are read from YAML's nodes, which still know how
they were written.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Mapping

import yaml

from .errors import RefusedError
from .spelling import did_you_mean

_WHOLE_NUMBER = re.compile(r"\+?(0|[1-9][0-9]*|0x[0-9a-fA-F]+|0o[0-7]+|0b[01]+)")


def compose(text: str) -> yaml.Node | None:
    """Return the text's one YAML node, or None if the text is empty.

    Raises RefusedError if it is not YAML.
    """
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # Read on with the blank that presenterm takes this tab for.
        if mark and _is_blank(text, mark.index):
            return compose(f"{text[: mark.index]} {text[mark.index + 1 :]}")
        raise RefusedError(f"not valid YAML: {error.problem}", mark.line if mark else 0) from None
    except yaml.YAMLError as error:
        raise RefusedError(f"not valid YAML: {str(error).splitlines()[0]}") from None
    except (RecursionError, ValueError):
        raise RefusedError("not valid YAML: nested too deeply") from None


def _is_blank(text: str, index: int) -> bool:
    """Return True for a tab after a key.

    presenterm's YAML accepts it as a blank, but PyYAML refuses it.
    """
    prefix = text[text.rfind("\n", 0, index) + 1 : index].rstrip(" ")
    return text[index : index + 1] == "\t" and prefix.endswith(":")


def line_of(node: yaml.Node) -> int:
    """Return the node's line, from 0."""
    return int(node.start_mark.line)


def _unquoted(node: yaml.Node) -> str | None:
    """Return the text of a scalar without quotes; None for another node."""
    is_unquoted = isinstance(node, yaml.ScalarNode) and not node.style
    return str(node.value) if is_unquoted else None


def is_null(node: yaml.Node) -> bool:
    """Return True for a null, written or omitted."""
    return _unquoted(node) in ("", "~", "null", "Null", "NULL")


def is_empty(node: yaml.Node) -> bool:
    """Return True if there is nothing at all.

    presenterm accepts that in place of keys, but refuses a written null.
    """
    return _unquoted(node) == ""


def optional(entries: Mapping[str, yaml.Node], key: str) -> yaml.Node | None:
    """Return the value of a key that may be omitted or null."""
    node = entries.get(key)
    if node is None:
        return None
    return None if is_null(node) else node


def describe(node: yaml.Node) -> str:
    """Return the words with which an error names a node."""
    if isinstance(node, yaml.ScalarNode):
        return f"'{textwrap.shorten(node.value, 40, placeholder='…')}'" if node.value else "nothing"
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def text(node: yaml.Node) -> str:
    """Return a scalar as text."""
    if not isinstance(node, yaml.ScalarNode):
        raise RefusedError(f"expected text, got {describe(node)}", line_of(node))
    return str(node.value)


def boolean(node: yaml.Node) -> bool:
    """Return a boolean that is not quoted."""
    word = _unquoted(node)
    if word in ("true", "True", "TRUE"):
        return True
    if word in ("false", "False", "FALSE"):
        return False
    raise RefusedError(f"expected true or false, got {describe(node)}", line_of(node))


def number(node: yaml.Node, low: int, high: int) -> int:
    """Return a whole number from `low` to `high`."""
    digits = _unquoted(node) or ""
    if _WHOLE_NUMBER.fullmatch(digits):
        # More digits than any bound has cannot be in range, and Python refuses to convert thousands of them.
        value = int(digits, 0) if len(digits) < 40 else high + 1
        if low <= value <= high:
            return value
    raise RefusedError(f"expected a whole number from {low} to {high}, got {describe(node)}", line_of(node))


def one_of(node: yaml.Node, choices: Collection[str], noun: str = "value") -> str:
    """Return a text that is one of the choices."""
    value = text(node)
    if value not in choices:
        raise RefusedError(f"unknown {noun} '{value}'" + did_you_mean(value, choices), line_of(node))
    return value


def read(kind: str, node: yaml.Node) -> str | bool | int:
    """Return a value of a kind that a table names.

    The kind is `text`, `switch`, `0..255`, or choices joined by `or`, as in `one or another`.
    """
    if kind == "text":
        return text(node)
    if kind == "switch":
        return boolean(node)
    low, is_range, high = kind.partition("..")
    return number(node, int(low), int(high)) if is_range else one_of(node, kind.split(" or "))


def sequence(node: yaml.Node) -> list[yaml.Node]:
    """Return the items of a list, none if it is empty."""
    if is_empty(node):
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise RefusedError(f"expected a list, got {describe(node)}", line_of(node))
    return list(node.value)


def texts(node: yaml.Node) -> tuple[str, ...]:
    """Return the items of a list of texts."""
    return tuple(text(item) for item in sequence(node))


def mapping(node: yaml.Node, valid: Collection[str] = (), kind: str = "key") -> dict[str, yaml.Node]:
    """Return the entries of a mapping.

    A duplicate key is an error, and so is a key that is not among the valid ones, if those are given.
    """
    if not isinstance(node, yaml.MappingNode):
        raise RefusedError(f"expected 'key: value' lines, got {describe(node)}", line_of(node))
    entries: dict[str, yaml.Node] = {}
    for key_node, value in node.value:
        key = text(key_node)
        if key in entries:
            raise RefusedError(f"'{key}' is given twice", line_of(key_node))
        if valid and key not in valid:
            raise RefusedError(f"unknown {kind} '{key}'" + did_you_mean(key, valid), line_of(key_node))
        entries[key] = value
    return entries
