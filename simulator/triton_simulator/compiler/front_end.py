"""Refusals by Triton's front end.

The front end is the part of the compiler that reads a kernel's source, and that raises its errors.

It runs over `types_only` wherever it is asked. Where Triton's library is, `pipeline` confirms what is refused.
"""

from __future__ import annotations

import ast
import linecache
import math
import re
import warnings
from collections.abc import Callable
from typing import Any

from triton_simulator.compiler.jobs import LargeBlock, Refusal
from triton_simulator.compiler.launches import Specialization
from triton_simulator.compiler.pickling import CannotPickleError, find_source
from triton_simulator.compiler.types_only import types_only
from triton_simulator.gpus import DEFAULT_TARGET, Target


def read_by_types(special: Specialization) -> tuple[Refusal | None, LargeBlock | None]:
    """Return the front end's refusal and the largest block, by types only.

    It reads for the default target, and needs no library of Triton's.
    """
    with types_only() as blocks:
        refusal = refusal_of(lambda: read(special, backend_for(DEFAULT_TARGET), None))
    return refusal, max(
        map(_describe_block, filter(_is_float_block, blocks)), key=lambda block: block.bytes, default=None
    )


def _is_float_block(type: Any) -> bool:
    """Return whether a block holds numbers that a kernel computes with.

    Pointers and offsets do not count: the compiler makes them again when it needs them.
    """
    return bool(type.scalar.is_floating())


def _describe_block(type: Any) -> LargeBlock:
    shape = tuple(int(getattr(size, "value", size)) for size in type.shape)
    name = re.sub(r"^(b?)fp?(?=\d+$)", r"\1float", str(type.scalar))
    return LargeBlock(shape, name, math.prod(shape) * type.scalar.primitive_bitwidth // 8)


def backend_for(target: Target) -> Any:
    """Return Triton's compiler backend for a kind of GPU."""
    from triton.backends.compiler import GPUTarget

    if target.is_nvidia:
        from triton.backends.nvidia.compiler import CUDABackend

        return CUDABackend(GPUTarget("cuda", target.arch, target.warp_threads))
    from triton.backends.amd.compiler import HIPBackend

    return HIPBackend(GPUTarget("hip", target.arch, target.warp_threads))


def read(special: Specialization, backend: Any, context: Any) -> tuple[Any, Any]:
    """Return what the front end makes of a kernel, and its options.

    Raises what the front end raises, and KeyError for an option that Triton does not know.
    """
    from triton.compiler import ASTSource

    source = ASTSource(
        special.kernel, signature=special.signature, constexprs=special.constants, attrs=special.attributes
    )
    options = backend.parse_options(dict(special.options))
    if unknown := special.options.keys() - vars(options).keys():
        raise KeyError(f"Keyword argument {min(unknown)} was specified but unrecognised")  # as Triton at a launch
    functions = backend.get_codegen_implementation(options)
    special.kernel.cache_key  # noqa: B018  # for which Triton looks at all that a kernel names, and refuses some
    return source.make_ir(backend.target, options, functions, backend.get_module_map(), context), options


def refusal_of(compile_kernel: Callable[[], object]) -> Refusal | None:
    """Compile something, and return the compiler's refusal or None.

    Raises CannotPickleError.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile_kernel()
    except Exception as error:
        # A call chain in the kernel gives a chain of errors, each with the source line of its call.
        links = _error_chain(error)
        for link in links:
            if isinstance(link, CannotPickleError):
                raise link from None
        refusal = _refusal(links)
        if unknown := re.match(r"CannotPickleError: (.*)", refusal.words):  # Triton has kept its text only
            raise CannotPickleError(unknown[1]) from None
        return refusal
    return None


def _refusal(links: list[BaseException]) -> Refusal:
    """Return the refusal that a chain of errors amounts to.

    It has the innermost error's message, and the innermost line of the script's that the errors name.
    """
    message = next((_message(link) for link in reversed(links) if _message(link)), str(links[-1]))
    file, line = next(filter(None, map(_location, reversed(links))), ("", None))
    chain = "\n".join(f"{type(link).__name__}: {_message(link)}" for link in links)
    return Refusal(message, file, line, chain, linecache.getline(file, line).strip() if line else "")


def _error_chain(error: BaseException) -> list[BaseException]:
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        link = link.__cause__
    return links


def _message(error: BaseException) -> str:
    """Return an error's message, without the source that Triton shows in it.

    Triton keeps an error of Python's by its representation: `NameError('y is not defined')`.
    """
    message = _raw_message(error)
    python = _REPRESENTATION.fullmatch(message)
    if python is None:
        return message
    text = str(ast.literal_eval(python[2]))
    return text if python[1] == "AssertionError" else f"{python[1]}: {text}"


def _raw_message(error: BaseException) -> str:
    """Return an error's message as it is, or its type if it has none."""
    if hasattr(error, "error_message"):
        return str(error.error_message or "")
    return str(error) or type(error).__name__


_REPRESENTATION = re.compile(r"""(\w+)\(('.*'|".*")\)""", re.DOTALL)


def _location(error: BaseException) -> tuple[str, int] | None:
    """Return the file and line of a Triton error.

    None if they are not in the script's text.
    """
    text, node = getattr(error, "src", None), getattr(error, "node", None)
    source = find_source(text) if isinstance(text, str) else None
    line = getattr(node, "lineno", None)
    if source is None or line is None:
        return None
    # Triton counts a function's lines from its `def`, which is line 1.
    return source.file, source.line + int(line) - 1
