"""Errors of a script in words, on the learner's own line."""

from __future__ import annotations

import itertools
import linecache
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

MOST_CHARACTERS = 20_000
"""Of an error's message: a kernel's text is in one of Triton's."""
MOST_LINKS = 100
"""Of a chain of errors, from the outermost one."""


@dataclass(frozen=True)
class Failure:
    """An exception that left the launcher, or the script when it was loaded."""

    type: str
    message: str
    line: int | None
    """The script's innermost line in the traceback."""
    first_line: int | None = None
    """The script's outermost line in the traceback: where the launcher was."""
    chain: str = ""
    """The types and messages of the errors that led to it, outermost first."""
    loading: bool = False
    """The script failed before its launcher was called."""


def failure_of(error: BaseException, file: Path) -> Failure:
    """Describe an exception by its first cause, on the script's own line.

    The line is the innermost one of the script's.
    """
    links = _links(error)
    frames = itertools.chain.from_iterable(traceback.extract_tb(link.__traceback__) for link in links)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == file]
    cause = links[-1]
    line = lines[-1] if lines else None
    text: object = cause
    if isinstance(cause, SyntaxError):
        # What cannot be parsed has no frame: the error itself has the line.
        is_in_script = cause.filename == str(file) and isinstance(cause.lineno, int)
        line = cause.lineno if is_in_script else line
        text = cause.msg or cause
    message = _text(text)
    chain = "\n".join(f"{type(link).__name__}: {_text(link)}" for link in links)
    return Failure(type(cause).__name__, message, _line_in_kernel(cause, file) or line, next(iter(lines), None), chain)


def _links(error: BaseException) -> list[BaseException]:
    """Return an error and those that led to it, outermost first."""
    links: list[BaseException] = []
    link: BaseException | None = error
    # A script can set `__cause__`, so that the chain may be a circle, or have thousands of links.
    while link is not None and len(links) < MOST_LINKS:
        is_circle = any(link is earlier for earlier in links)
        if is_circle:
            break
        links.append(link)
        link = _reason_of(link)
    return links


def _reason_of(error: BaseException) -> BaseException | None:
    """Return the error that led to another one."""
    if cause := error.__cause__:
        return cause
    # As in a traceback of Python's, `raise … from None` hides the context.
    return None if error.__suppress_context__ else error.__context__


def unobservable_failure(error: Exception, file: Path) -> Failure:
    """Describe an error of the observer, which the script may have caused."""
    failure = failure_of(error, file)
    return replace(failure, type="Unobservable", message=f"{failure.type}: {failure.message}", chain="")


def _text(message: object) -> str:
    """Return a message, or what can be read of it.

    It may be megabytes long, without end for a terminal, or an error itself.
    """
    try:
        text = str(message)
    except BaseException as error:
        return f"(a message that cannot be read: {type(error).__name__})"
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS // 2]} … {text[-MOST_CHARACTERS // 2 :]}"
    if text.startswith("CUDA error: "):  # what follows is advice for authors of CUDA
        text = text.splitlines()[0]
    return text.encode(errors="backslashreplace").decode()  # a lone surrogate can be shown nowhere


def _line_in_kernel(error: BaseException, file: Path) -> int | None:
    """Return the line where Triton's compiler stopped.

    It counts lines from the kernel's own first one.
    """
    try:
        source, line = error.src, error.node.lineno  # type: ignore[attr-defined]
    except Exception:  # it is none of the compiler's
        return None
    if not isinstance(source, str) or not isinstance(line, int):
        return None
    prefix, match, _ = "".join(linecache.getlines(str(file))).partition(source.strip())
    return prefix.count("\n") + line if match else None
