"""Right scripts by the hundred, put together from tables: 200 for each exercise, the same 200 each time.

A table has styles (`== name: `), each a way to write the whole script, and parts (`== $name: `) that stand in styles
and in other parts. Where people differ there is a point: `<<this || that>>`; `<<@tag this || that>>` chooses as the
other points of that tag do, and `\\n` in it is a new line. A style that has neither `$def` nor `$begin` is followed by
`$launcher`; one called `name@word` needs a Triton whose language has that word. NAMES: what things are called instead.
"""

from __future__ import annotations

import importlib
import re
from collections import Counter
from dataclasses import dataclass

NUMBER = 200
"""For each exercise."""
OF_OLDER = 4
"""Of each style that needs an older Triton, beside those."""
SECTION = re.compile(r"^== ([$\w@]+):\s", re.MULTILINE)
POINT = re.compile(r"\$(?P<part>\w+)|<<(@(?P<tag>\w+)\s)?(?P<options>.*?)>>", re.DOTALL)
PACKAGE = ("DEVICE", "cdiv", "check_tensors_gpu_ready")
FRAME = r"""from triton_workshop import PACKAGE

<<import torch\nimport triton\nimport triton.language as tl || import triton, torch\nfrom triton import language as tl>>

BODY

if __name__ == "__main__":
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="NUMBER")
"""


@dataclass(frozen=True)
class Variant:
    name: str
    source: str
    choices: dict[str, int]
    """The number of the option, by the tag or the text of its point."""
    needs: str
    """A word of Triton's language that not every Triton has, or nothing."""

    def there(self) -> bool:
        """Whether the installed Triton has it."""
        import triton_workshop

        assert triton_workshop.DEVICE  # first: it chooses the simulator
        import triton.language as tl

        return not self.needs or hasattr(tl, self.needs)


def variants(exercise: str) -> list[Variant]:
    table = importlib.import_module(f"{__name__}.exercise_{exercise}")
    _, *parts = SECTION.split(table.TABLE)
    sections = {name: text.rstrip("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}
    styles = [name for name in sections if not name.startswith("$")]
    older = [style for style in styles if "@" in style]
    frame, counts, made = FRAME.replace("NUMBER", exercise), Counter[object](), dict[str, Variant]()
    for style in [style for style in styles if style not in older] * NUMBER + older * OF_OLDER:
        if len(made) < NUMBER or style in older:
            source, choices = _written(style, sections, table.NAMES, frame, counts)
            name, _, needs = style.partition("@")
            made.setdefault(source, Variant(f"{len(made) + 1:03}-{name}", source, choices, needs))
    # 77 has no factor in common with 200: neighbours differ, and any part from the beginning is an even one.
    every = list(made.values())
    return [every[index * 77 % NUMBER] for index in range(NUMBER)] + every[NUMBER:]


def _written(
    style: str, sections: dict[str, str], names: tuple[str, ...], frame: str, counts: Counter[object]
) -> tuple[str, dict[str, int]]:
    """A script, of what has come together least so far, and its choices."""
    choices = {style: 0}

    def choose(point: str, number: int) -> int:
        if point not in choices:
            together = [sum(counts[point, option, old] for old in choices.items()) for option in range(number)]
            choices[point] = min(range(number), key=lambda option: (together[option], counts[point, option]))
            counts.update([(point, choices[point]), *((point, choices[point], old) for old in choices.items())])
        return choices[point]

    launcher = "" if re.search(r"\$(begin|def)\b", sections[style]) else "\n$launcher"
    text = frame.replace("BODY", sections[style] + launcher)
    while (match := POINT.search(text)) is not None:
        line = text[text.rfind("\n", 0, match.start()) + 1 :]
        if match["part"]:
            new, line_end = sections["$" + match["part"]], "\n"
        else:
            options, line_end = re.split(r"\s*\|\|\s*", match["options"]), r"\n"
            new = options[choose(match["tag"] or re.sub(r"\s+", " ", match["options"]), len(options))]
        new = new.replace(line_end, "\n" + line[: len(line) - len(line.lstrip(" "))])
        text = text[: match.start()] + new + text[match.end() :]
    renamed = dict(pair.split(":") for pair in names[choose("names", len(names))].split())
    # As names of arguments these two are Triton's.
    text = re.sub(r"\b(?!(?:mask|acc)=)[A-Za-z_]\w*\b", lambda word: renamed.get(word[0], word[0]), text)
    used = [name for name in PACKAGE if re.search(rf"\b{name}\b", text)]
    text = text.replace("PACKAGE", ", ".join(used if used and choose("imported", 2) else PACKAGE), 1)
    return re.sub(r"(\n .*)\n+(?=[@\w])", r"\1\n\n\n", re.sub(r" +\n", "\n", text)), choices
