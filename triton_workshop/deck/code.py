"""From fenced blocks to the code that is shown and the code that runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from triton_workshop.languages import Language, languages

from . import yaml_values
from .fences import RENDERED_LANGUAGES, Fence, FenceError, Highlight, read_fence
from .markdown import CodeBlock
from .model import Code, Execution
from .spelling import did_you_mean
from .yaml_values import YamlError


class CodeError(Exception):
    """Why presenterm would refuse a code block. `offset` counts lines from the block's first."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


@dataclass(frozen=True)
class Allowed:
    """Which blocks may run: presenterm's -x, and its -X for those whose output replaces the code."""

    executes: bool = True
    replaces: bool = True

    def to_run(self, fence: Fence) -> bool:
        replaced = fence.execution in (Execution.REPLACE, Execution.IMAGE)
        return fence.runs and (self.replaces if replaced else self.executes)


@dataclass(frozen=True)
class _External:
    """What a ```file block says."""

    path: Path
    language: str
    first: int
    lines: tuple[str, ...]


def read_code(block: CodeBlock, folder: Path, line: int, auto_render: tuple[str, ...], allowed: Allowed) -> Code:
    """The block that opens on this line of a file in `folder`."""
    try:
        fence = read_fence(block.info)
    except FenceError as error:
        raise CodeError(str(error)) from None
    external = _external(block, folder) if fence.language == "file" else None
    name = external.language if external else fence.language
    lines = external.lines if external else block.lines
    render = fence.render or name in auto_render
    _check(fence, name, render, allowed)
    prefix = languages()[name].hidden_prefix if name in languages() else ""
    hidden = frozenset(index for index, text in enumerate(lines) if prefix and text.startswith(prefix))
    visible = tuple(text.replace("\t", "    ") for index, text in enumerate(lines) if index not in hidden)
    first = external.first if external else line + 1
    return Code(
        language=name,
        lines=visible,
        source="".join(text.removeprefix(prefix) + "\n" for text in lines),
        source_lines=tuple(range(first, first + len(lines))),
        highlights=tuple(_line_numbers(group, len(visible)) for group in fence.highlights),
        execution=Execution.NONE if render else fence.execution,
        alternative=fence.alternative or fence.validate_alternative,
        line_numbers=fence.line_numbers,
        background=fence.background,
        identifier=fence.identifier,
        validate=fence.validate,
        expect_failure=fence.expect_failure,
        pty=fence.pty,
        render_width_percent=fence.width_percent,
        render=render,
        file=external.path if external else None,
        hidden=hidden,
    )


def missing_highlight(block: CodeBlock, code: Code) -> int | None:
    """A line that the block's highlights name but the code, as shown, does not have; None if there is none.

    presenterm accepts it silently, and highlights nothing.
    """
    groups = read_fence(block.info).highlights
    ends = [number for group in groups if group for lines in group for number in (lines.start, lines.stop - 1)]
    return next((number for number in ends if not 1 <= number <= len(code.lines)), None)


def _external(block: CodeBlock, folder: Path) -> _External:
    try:
        return _read_external("\n".join(block.lines), folder)
    except YamlError as error:
        raise CodeError(f"file: {error.reason}", error.line + 1) from None


def _read_external(text: str, folder: Path) -> _External:
    root = yaml_values.compose(text)
    entries = yaml_values.mapping(root) if root else {}
    for key in ("path", "language"):
        if key not in entries:
            raise YamlError(f"needs '{key}: …'")
    path = folder / yaml_values.text(entries["path"])
    bounds = {
        key: yaml_values.number(entries[key], 0, 2**32) if yaml_values.given(entries, key) else default
        for key, default in (("start_line", 1), ("end_line", 2**32))
    }
    first, last = max(bounds["start_line"], 1), bounds["end_line"]
    try:
        contents = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = "not found" if isinstance(error, FileNotFoundError) else "cannot be read as text"
        raise YamlError(f"{reason}: {entries['path'].value}") from None
    lines = tuple(contents.removesuffix("\n").split("\n")[first - 1 : last])
    return _External(path, yaml_values.text(entries["language"]).lower(), first, lines)


def _check(fence: Fence, name: str, render: bool, allowed: Allowed) -> None:
    """Checks that need to know the language."""
    if render and name not in RENDERED_LANGUAGES:
        raise CodeError(f"'{name}' cannot be rendered; valid: {', '.join(RENDERED_LANGUAGES)}")
    if fence.identifier is not None and (render or fence.execution not in (Execution.ON_KEY, Execution.AUTOMATIC)):
        raise CodeError("+id can only be used with +exec or +auto_exec")
    runs = allowed.to_run(fence) and not render
    if runs or fence.validate:
        alternatives = {fence.alternative if runs else None, fence.validate_alternative} - {None}
        _check_language(name, {str(alternative) for alternative in alternatives})


def _check_language(name: str, alternatives: set[str]) -> None:
    language = languages().get(name)
    if language is None:
        raise CodeError(f"'{name}' cannot be run" + did_you_mean(name, languages()))
    for alternative in sorted(alternatives - language.alternatives.keys()):
        raise CodeError(f"unknown alternative '{alternative}' for {name}" + _alternatives(language, alternative))


def _alternatives(language: Language, word: str) -> str:
    return did_you_mean(word, language.alternatives) if language.alternatives else "; it has none"


def _line_numbers(group: Highlight, count: int) -> frozenset[int] | None:
    """The group's lines that exist."""
    if group is None:
        return None
    return frozenset(number for lines in group for number in range(max(lines.start, 1), min(lines.stop, count + 1)))
