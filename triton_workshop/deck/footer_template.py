"""A footer's template, as a theme writes it: `{title}  {current_slide} / {total_slides}`."""

from __future__ import annotations

import re

from .spelling import did_you_mean
from .yaml_values import YamlError

COUNTERS = ("current_slide", "total_slides")
VARIABLES = (*COUNTERS, "author", "title", "sub_title", "event", "location", "date")

_PIECE = re.compile(r"(?P<open>\{\{)|(?P<close>\}\})|\{(?P<name>[^{}]*)\}|(?P<text>[^{}]+)|(?P<odd>[{}])")


def read_template(text: str, line: int) -> list[tuple[str, bool]]:
    """The pieces, each with whether it is a variable's name.

    YamlError, at `line`, if presenterm would refuse the template.
    """
    pieces = []
    for match in _PIECE.finditer(text):
        if match["odd"]:
            what = "'{' is not closed" if match["odd"] == "{" else "'}' closes nothing"
            raise YamlError(f"footer: {what}; write it twice for a brace", line)
        name = match["name"]
        if name is None:
            pieces.append(("{" if match["open"] else "}" if match["close"] else match[0], False))
        elif name in VARIABLES:
            pieces.append((name, True))
        else:
            raise YamlError(f"footer: unknown variable '{name}'" + did_you_mean(name, VARIABLES), line)
    return pieces
