"""What a deck may override of its theme, as far as we draw it."""

from textwrap import indent

from .case import Case, Cases, front, refuses, shows


def override(yaml: str) -> str:
    return front("theme:\n  override:\n" + indent(yaml, "    "))


def at(path: str, value: str) -> str:
    """`a.b` and a value as nested YAML."""
    *outer, last = path.split(".")
    return "\n".join(
        [*("  " * depth + f"{key}:" for depth, key in enumerate(outer)), "  " * len(outer) + f"{last}: {value}"]
    )


def wrong(path: str, value: str, reason: str) -> Case:
    """presenterm refuses this value of this key."""
    return refuses(f"{path}: {value}", override(at(path, value)), 4 + path.count("."), reason)


def colours(key: str) -> list[Case]:
    return [
        wrong(f"{key}.foreground", "rde", "did you mean 'red'?"),
        wrong(f"{key}.background", "'#ff0000'", "unknown colour"),
    ]


DEFAULT = """\
default:
  alignment: center
  minimum_size: 4
  minimum_margin:
    fixed: 1
  margin:
    percent: 8
  colors:
    foreground: red
    background: 'ff0000'"""

THEME: Cases = {
    "theme override": [
        shows("nothing", front("theme:\n  override:"), "text"),
        refuses("a list", front("theme:\n  override: []"), 3, "expected 'key: value'"),
        refuses("a key given twice", override("table:\ntable:"), 5, "'table' is given twice"),
    ],
    "theme default": [
        shows("all of its keys", override(DEFAULT), "text"),
        wrong("default.margin.fixed", "65536", "from 0 to 65535"),
        wrong("default.margin.percent", "x", "expected a whole number"),
        *colours("default.colors"),
    ],
    "theme slide_title": colours("slide_title.colors"),
}
