"""What Triton's front end refuses: the part of the compiler that reads a kernel's source, and that raises its errors.

It runs over `types_only` wherever it is asked. Where Triton's library is, `pipeline` confirms what is refused.
"""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from triton_workshop.compiler.asked import Refusal
from triton_workshop.compiler.carrying import CannotCarryError, home
from triton_workshop.compiler.launches import Specialization
from triton_workshop.compiler.types_only import types_only


def refused_by_types(special: Specialization) -> Refusal | None:
    """What the front end refuses, without Triton's library, for the newest of our GPUs."""
    from triton.compiler.code_generator import ast_to_ttir

    with types_only():
        return refusal_of(
            lambda: ast_to_ttir(special.kernel, source(special), None, _options(special), _functions(), _module_map())
        )


def source(special: Specialization) -> Any:
    """The specialization as Triton's compiler wants it."""
    from triton.compiler import ASTSource

    return ASTSource(
        special.kernel, signature=special.signature, constexprs=special.constants, attrs=special.attributes
    )


def refusal_of(compile_it: Callable[[], object]) -> Refusal | None:
    """Compile something, and return why the compiler refuses it; None if it does not. Raises CannotCarryError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile_it()
    except Exception as error:
        links = _links(error)
        for link in links:
            if isinstance(link, CannotCarryError):
                raise link from None
        return _refusal(links)
    return None


def _refusal(links: list[BaseException]) -> Refusal:
    """The innermost error's words, and the innermost line of the script's that the errors name."""
    words = next((_words(link) for link in reversed(links) if _words(link)), str(links[-1]))
    file, line = "", None
    for link in links:
        with suppress(LookupError):
            file, line = _place(link)
    chain = "\n".join(f"{type(link).__name__}: {_words(link)}" for link in links)
    return Refusal(words, file, line, chain, linecache.getline(file, line).strip() if line else "")


def _links(error: BaseException) -> list[BaseException]:
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        link = link.__cause__
    return links


def _words(error: BaseException) -> str:
    """What an error says, without the source that an error of Triton's shows in its message.

    Triton keeps an error of Python's by its representation: `NameError('y is not defined')`.
    """
    words = str(error.error_message or "") if hasattr(error, "error_message") else str(error) or type(error).__name__
    python = _REPRESENTATION.fullmatch(words)
    if python is None:
        return words
    said = str(ast.literal_eval(python[2]))
    return said if python[1] == "AssertionError" else f"{python[1]}: {said}"


_REPRESENTATION = re.compile(r"""(\w+)\(('.*'|".*")\)""", re.DOTALL)


def _place(error: BaseException) -> tuple[str, int]:
    """The file and the line that an error of Triton's means. Raises LookupError if it is not in the script's text."""
    text, node = getattr(error, "src", None), getattr(error, "node", None)
    where = home(text) if isinstance(text, str) else None
    line = getattr(node, "lineno", None)
    if where is None or line is None:
        raise LookupError
    return where.file, where.line + int(line) - 1


def _options(special: Specialization) -> Any:
    """What the front end asks about a GPU, as the newest of ours answers it."""
    return SimpleNamespace(
        arch="sm90",
        num_warps=special.options.get("num_warps", 4),
        debug=False,
        sanitize_overflow=False,
        supported_fp8_dtypes=("fp8e5", "fp8e4b15", "fp8e4nv"),
        deprecated_fp8_dot_operand_dtypes=(),
        default_dot_input_precision="tf32",
        allowed_dot_input_precisions=("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"),
        max_num_imprecise_acc_default=0,
    )


def _functions() -> dict[str, Any]:
    """What a GPU's part of Triton adds to the front end."""
    from triton.language.extra import cuda

    return {"convert_custom_types": cuda.convert_custom_float8_sm80, "min_dot_size": _min_dot_size()}


def _min_dot_size() -> Any:
    try:
        from triton.backends.compiler import GPUTarget
        from triton.backends.nvidia import compiler
    except ImportError:  # they come with Triton's library; without it, no size is too small
        return lambda _left, _right: (1, 1, 1)
    return compiler.min_dot_size(GPUTarget("cuda", 90, 32))


def _module_map() -> dict[str, Any]:
    from triton.language.extra.cuda import libdevice

    return {"triton.language.extra.libdevice": libdevice}
