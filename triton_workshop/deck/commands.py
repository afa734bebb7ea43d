"""Comment commands such as `<!-- pause -->`: all of them as one table, and how a comment becomes one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from . import yaml_values
from .model import Alignment
from .spelling import did_you_mean
from .yaml_values import YamlError

Value = None | bool | int | str | tuple[int, ...]


@dataclass(frozen=True)
class Argument:
    """What a command takes: how to read it, and an example for errors."""

    read: Callable[[yaml.Node], Value]
    example: str


def _whole(low: int, high: int) -> Callable[[yaml.Node], int]:
    return lambda node: yaml_values.number(node, low, high)


def _weights(node: yaml.Node) -> tuple[int, ...]:
    weights = tuple(yaml_values.number(item, 1, 255) for item in yaml_values.sequence(node))
    if not weights:
        raise YamlError("expected at least one column")
    return weights


def _alignment(node: yaml.Node) -> str:
    value = yaml_values.text(node)
    if value not in list(Alignment):
        raise YamlError(f"unknown alignment '{value}'" + did_you_mean(value, Alignment))
    return value


_SWITCH = Argument(yaml_values.boolean, "true")
_INDEX = Argument(_whole(0, 254), "0")
_COUNT = Argument(_whole(0, 2**32 - 1), "2")
_SPACING = Argument(_whole(1, 255), "2")
_FONT_SIZE = Argument(_whole(1, 7), "2")
_WEIGHTS = Argument(_weights, "[2, 1]")
_ALIGNMENT = Argument(_alignment, "center")
_PATH = Argument(yaml_values.text, "other.md")
_TEXT = Argument(yaml_values.text, "some text")
_IDENTIFIER = Argument(yaml_values.text, "name")


@dataclass(frozen=True)
class Command:
    """A row of the table: a name, what the command takes (None if nothing), and what it does."""

    name: str
    argument: Argument | None
    effect: str
    alias: str | None = None
    unreleased: bool = False
    """Whether presenterm 0.16.1 still refuses it."""


COMMANDS = (
    Command("pause", None, "ends a step"),
    Command("end_slide", None, "ends the slide and every setting made on it"),
    Command("new_line", None, "one empty line", alias="newline"),
    Command("new_lines", _COUNT, "empty lines", alias="newlines"),
    Command("jump_to_middle", None, "what follows is centred vertically"),
    Command("column_layout", _WEIGHTS, "starts columns of these relative widths"),
    Command("column", _INDEX, "what follows goes in this column, counted from 0"),
    Command("reset_layout", None, "ends the columns"),
    Command("incremental_lists", _SWITCH, "list items appear one by one, to the end of the slide"),
    Command("incremental_tables", _SWITCH, "table rows appear one by one, to the end of the slide", unreleased=True),
    Command("list_item_newlines", _SPACING, "line feeds after each list item"),
    Command("font_size", _FONT_SIZE, "text size, in terminals that support sizes"),
    Command("alignment", _ALIGNMENT, "alignment of the rest of the slide"),
    Command("no_footer", None, "this slide has no footer"),
    Command("skip_slide", None, "this slide is left out"),
    Command("include", _PATH, "inserts another file's slides"),
    Command("speaker_note", _TEXT, "said, not shown"),
    Command("snippet_output", _IDENTIFIER, "shows the output of the code block with this +id"),
    Command("comment", _TEXT, "ignored"),
)

_BY_NAME = {name: command for command in COMMANDS for name in (command.name, command.alias) if name}


@dataclass(frozen=True)
class Call:
    """A command as a deck uses it."""

    command: Command
    value: Value = None


@dataclass(frozen=True)
class Ignored:
    """A comment that presenterm ignores; `suspicion` says what its author may have meant by it."""

    suspicion: str | None = None


def read_comment(comment: str, prefix: str = "") -> Call | Ignored:
    """What a comment means, without its `<!--` and `-->`. YamlError if presenterm would refuse it."""
    comment = comment.strip()
    try:
        return _read_call(_without_prefix(comment, prefix))
    except YamlError as error:
        if "\n" in comment:
            return Ignored(_suspicion(comment, error))
        if not comment.startswith(prefix) or _is_for_an_editor(comment):
            return Ignored()
        if "-->" in comment:
            raise YamlError("each comment must be on a line of its own") from None
        raise


def _without_prefix(comment: str, prefix: str) -> str:
    while prefix and comment.startswith(prefix):
        comment = comment[len(prefix) :]
    return comment


def _is_for_an_editor(comment: str) -> bool:
    return comment in ("{{{", "}}}") or comment.startswith(("//", "vim:"))


def _suspicion(comment: str, error: YamlError) -> str | None:
    """Why a multi-line comment, which presenterm silently drops, may have been meant as a command."""
    first = re.match(r"(\w+)\s*:", comment)
    if not first:
        return None
    hint = "" if first[1] in _BY_NAME else did_you_mean(first[1], _BY_NAME)
    if first[1] not in _BY_NAME and "did you mean" not in hint:
        return None
    return f"this comment is ignored: {error.reason}"


def _read_call(text: str) -> Call:
    node = yaml_values.compose(text)
    if node is None:
        raise YamlError("an empty comment; write <!-- // --> for one that is ignored")
    if isinstance(node, yaml.ScalarNode):
        command = _named(yaml_values.text(node))
        if command.argument:
            raise YamlError(f"'{command.name}' needs a value, as in '{command.name}: {command.argument.example}'")
        return Call(command)
    entries = yaml_values.mapping(node)
    if len(entries) != 1:
        raise YamlError("expected one command in a comment")
    [(name, argument)] = entries.items()
    command = _named(name)
    if command.argument is None:
        raise YamlError(f"'{command.name}' takes no value: write <!-- {command.name} -->")
    try:
        return Call(command, command.argument.read(argument))
    except YamlError as error:
        raise YamlError(f"'{command.name}': {error.reason}", error.line) from None


def _named(name: str) -> Command:
    command = _BY_NAME.get(name)
    if command is None:
        raise YamlError(f"unknown command '{name}'" + did_you_mean(name, _BY_NAME))
    return command
