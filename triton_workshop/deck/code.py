"""From fenced blocks to the code that is shown and the code that runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from triton_workshop.languages import languages

from . import yaml_values
from .consent import Consent
from .errors import RefusedError
from .fences import RENDERED_LANGUAGES, Fence, Highlight
from .model import Code, Execution
from .spelling import did_you_mean


def read_code(
    fence: Fence, lines: Sequence[str], folder: Path, line: int, auto_render: Sequence[str], allowed: Consent
) -> Code:
    """Return the block that opens on this line of a file in `folder`.

    RefusedError, with its line from the fence on, if presenterm would refuse it.
    """
    code, first = fence.code, line + 1
    # A ```file block names its language inside, and all that follows depends on the language.
    if code.language == "file":
        code, lines, first = _external(code, lines, folder)
    if code.language in auto_render:
        code = replace(code, render=True)
    _check(code, fence.validate_alternative, allowed)
    code = _filled(code, lines, first)
    return replace(
        code,
        highlights=tuple(_line_numbers(group, len(code.lines)) for group in fence.highlights),
        execution=Execution.NONE if code.render else code.execution,
        alternative=code.alternative or fence.validate_alternative,
    )


def _filled(code: Code, lines: Sequence[str], first: int) -> Code:
    """Return the block with its lines, counted from `first`."""
    prefix = languages()[code.language].hidden_prefix if code.language in languages() else ""
    hidden: frozenset[int] = frozenset()
    if prefix:
        hidden = frozenset(index for index, text in enumerate(lines) if text.startswith(prefix))
    return replace(
        code,
        # Terminals have tab stops of their own: what is shown has spaces, and what runs keeps its tabs.
        lines=tuple(text.replace("\t", "    ") for index, text in enumerate(lines) if index not in hidden),
        source="".join(text.removeprefix(prefix) + "\n" for text in lines),
        source_lines=tuple(range(first, first + len(lines))),
        hidden=hidden,
    )


def missing_highlight(fence: Fence, code: Code) -> int | None:
    """Return a line that is highlighted but not there, or None.

    The line is one that the block's highlights name and the code, as shown, does not have. presenterm accepts it
    silently, and highlights nothing.
    """
    groups = (group for group in fence.highlights if group)
    # The ends of a range decide, as all other lines lie between them.
    ends = chain.from_iterable((lines.start, lines.stop - 1) for lines in chain.from_iterable(groups))
    return next((number for number in ends if not 1 <= number <= len(code.lines)), None)


def _external(code: Code, lines: Sequence[str], folder: Path) -> tuple[Code, Sequence[str], int]:
    """Resolve a ```file block.

    Return the block with its language and file, the lines that it takes from there, and the number of the first.
    """
    try:
        return _read_external(code, "\n".join(lines), folder)
    except RefusedError as error:
        raise RefusedError(f"file: {error.reason}", error.line + 1) from None


def _read_external(code: Code, text: str, folder: Path) -> tuple[Code, Sequence[str], int]:
    root = yaml_values.compose(text)
    entries = yaml_values.mapping(root) if root else {}
    for key in ("path", "language"):
        if key not in entries:
            raise RefusedError(f"needs '{key}: …'")
    path = folder / yaml_values.text(entries["path"])
    first, last = (
        yaml_values.number(entries[key], 0, 2**32) if yaml_values.optional(entries, key) else default
        for key, default in (("start_line", 1), ("end_line", 2**32))
    )
    # presenterm takes line 0 for the first.
    first = max(first, 1)
    try:
        contents = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = "not found" if isinstance(error, FileNotFoundError) else "cannot be read as text"
        raise RefusedError(f"{reason}: {entries['path'].value}") from None
    language = yaml_values.text(entries["language"]).lower()
    return replace(code, language=language, file=path), contents.removesuffix("\n").split("\n")[first - 1 : last], first


def _check(code: Code, validate_alternative: str | None, allowed: Consent) -> None:
    """Check what depends on the language."""
    if code.render and code.language not in RENDERED_LANGUAGES:
        raise RefusedError(f"'{code.language}' cannot be rendered; valid: {', '.join(RENDERED_LANGUAGES)}")
    # Code that may not run is shown without being checked.
    is_executable = not code.render and code.execution is not Execution.NONE
    runs = is_executable and allowed.allows(code.execution)
    if runs or code.validate:
        _check_language(code.language, {code.alternative if runs else None, validate_alternative})


def _check_language(name: str, alternatives: set[str | None]) -> None:
    language = languages().get(name)
    if language is None:
        raise RefusedError(f"'{name}' cannot be run" + did_you_mean(name, languages()))
    valid_names = language.alternatives
    names = {name for name in alternatives if name is not None}
    # Sorted, as a set's order changes from run to run, and the first one is reported.
    for alternative in sorted(names.difference(valid_names)):
        valid = did_you_mean(alternative, valid_names) if valid_names else "; it has none"
        raise RefusedError(f"unknown alternative '{alternative}' for {name}" + valid)


def _line_numbers(group: Highlight, count: int) -> frozenset[int] | None:
    """Return the group's lines that exist."""
    if group is None:
        return None
    ranges = (range(max(lines.start, 1), min(lines.stop, count + 1)) for lines in group)
    return frozenset(chain.from_iterable(ranges))
