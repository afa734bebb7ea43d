"""Comment commands such as `<!-- pause -->`, listed in `commands.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

from . import yaml_values
from .errors import RefusedError
from .model import Alignment
from .spelling import did_you_mean

CommandValue = bool | int | str | tuple[int, ...] | None


@dataclass(frozen=True)
class Command:
    """A row of the table."""

    name: str
    alias: str | None = None
    takes: str | None = None
    """The kind of its value; None if it takes none."""
    example: str = ""
    unreleased: bool = False
    """True if presenterm 0.16.1 still refuses it."""


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
COMMANDS = tuple(Command(name, **row) for name, row in _TABLE.items())
_BY_NAME = {name: command for command in COMMANDS for name in (command.name, command.alias) if name}


@dataclass(frozen=True)
class Directive:
    """A command as a deck uses it."""

    command: Command
    value: CommandValue = None


@dataclass(frozen=True)
class Ignored:
    """Comment that presenterm ignores.

    If its author may have meant a command, `suspicion` says which.
    """

    suspicion: str | None = None


def read_comment(comment: str, prefix: str = "") -> Directive | Ignored:
    """Read a comment, without its `<!--` and `-->`.

    Raises RefusedError if presenterm would refuse it.
    """
    comment = comment.strip()
    try:
        return _read_directive(_without_prefix(comment, prefix))
    except RefusedError as error:
        # presenterm takes a comment of several lines for a remark, unless it is a command.
        if "\n" in comment:
            return Ignored(_suspicion(comment, error))
        is_remark = not comment.startswith(prefix) or _is_for_an_editor(comment)
        if is_remark:
            return Ignored()
        if "-->" in comment:
            raise RefusedError("each comment must be on a line of its own") from None
        raise


def _without_prefix(comment: str, prefix: str) -> str:
    if not prefix:
        return comment
    # presenterm strips the prefix as often as it is there.
    while comment.startswith(prefix):
        comment = comment[len(prefix) :]
    return comment


def _is_for_an_editor(comment: str) -> bool:
    return comment in ("{{{", "}}}") or comment.startswith(("//", "vim:"))


def _suspicion(comment: str, error: RefusedError) -> str | None:
    """Return the reason why a comment may have been meant as a command.

    presenterm silently drops a comment of several lines.
    """
    first = re.match(r"(\w+)\s*:", comment)
    if first is None:
        return None
    name = first[1]
    is_like_command = name in _BY_NAME or "did you mean" in did_you_mean(name, _BY_NAME)
    return f"this comment is ignored: {error.reason}" if is_like_command else None


def _read_directive(text: str) -> Directive:
    node = yaml_values.compose(text)
    if node is None:
        raise RefusedError("an empty comment; write <!-- // --> for one that is ignored")
    if isinstance(node, yaml.ScalarNode):
        command = _named(yaml_values.text(node))
        if command.takes:
            raise RefusedError(f"'{command.name}' needs a value, as in '{command.name}: {command.example}'")
        return Directive(command)
    entries = yaml_values.mapping(node)
    if len(entries) != 1:
        raise RefusedError("expected one command in a comment")
    [(name, value)] = entries.items()
    command = _named(name)
    if command.takes is None:
        raise RefusedError(f"'{command.name}' takes no value: write <!-- {command.name} -->")
    try:
        return Directive(command, _value(command.takes, value))
    except RefusedError as error:
        raise RefusedError(f"'{command.name}': {error.reason}", error.line) from None


def _named(name: str) -> Command:
    command = _BY_NAME.get(name)
    if command is None:
        raise RefusedError(f"unknown command '{name}'" + did_you_mean(name, _BY_NAME))
    return command


def _value(kind: str, node: yaml.Node) -> CommandValue:
    if kind == "alignment":
        return yaml_values.one_of(node, list(Alignment), kind)
    if kind != "weights":
        return yaml_values.read(kind, node)
    weights = tuple(yaml_values.number(item, 1, 255) for item in yaml_values.sequence(node))
    if not weights:
        raise RefusedError("expected at least one column")
    return weights
