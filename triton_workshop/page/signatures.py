"""Signatures of a kernel's and a launcher's functions, for the editor.

`python -m triton_workshop.page.signatures` prints them as JSON, by the name before the dot: of each function, its
parameters and the first sentence of its docstring. It imports Triton, which what writes a page need not.
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

TRITON = ("jit", "cdiv", "next_power_of_2", "autotune", "heuristics", "Config")
"""Names of `triton` that a script may want."""
INTERNAL = (
    "condition",
    "philox_impl",
    "pair_uniform_to_normal",
    "pi32_t",
    "to_tensor",
    "uint_to_uniform_float",
    "void",
)
"""Names of `triton.language` that no kernel calls."""
REMOVED = ("make_block_ptr",)
DEVICE = ("", "Where kernels run, and tensors have to be: “cuda”, or “cpu” on the simulator.")
RANGES = {
    "range": ("(start, end, step=1, *, num_stages=None)", "Range of a loop, with hints for the compiler."),
    "static_range": ("(start, end, step=1)", "Range of a loop that the compiler unrolls."),
}
"""Entries of the loops' ranges, whose docstrings begin with an iterator's."""
ROLE = re.compile(r"(?::[\w:]+:)?(`+)(.+?)\1")
"""Text that reStructuredText marks as code."""
MEMBER_NOTE = "This function can also be called as a member function"
Entries = Mapping[str, tuple[str, str]]


def signatures() -> bytes:
    """Return the signatures as JSON, from a process that imports Triton."""
    command = [sys.executable, "-m", __name__]
    return subprocess.run(command, capture_output=True, check=True).stdout


def collect_signatures() -> dict[str, Entries]:
    """Return the signatures by the name before the dot.

    The workshop's own need none.
    """
    import triton_workshop
    import triton_workshop.utils_debug as utils  # before Triton: it puts kernels on the simulator

    import triton  # isort: skip
    import triton.language as tl  # isort: skip

    public = {*tl.__all__} - {*INTERNAL, *REMOVED}
    own = {name: getattr(triton_workshop, name) for name in triton_workshop.__all__ if name != "DEVICE"}
    return {
        "": {"DEVICE": DEVICE} | dict(_entries(own | {"print_if": utils.print_if})),
        "tl": dict(_entries({name: getattr(tl, name) for name in sorted(public)})) | RANGES,
        "triton": dict(_entries({name: getattr(triton, name) for name in TRITON})),
    }


def _entries(values: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield name, parameters and sentence of functions with a docstring.

    Types of elements come with their own.
    """
    from triton.language import dtype

    for name, value in values.items():
        function = getattr(value, "fn", value)  # a kernel's Python function
        if isinstance(value, dtype):
            yield name, ("", "Type of elements.")
            continue
        docstring = getattr(function, "__doc__", None) if callable(function) else None
        sentence = first_sentence(docstring or "")
        if sentence:
            yield name, (parameters(function), sentence)


def parameters(function: Any) -> str:
    """Return the parameters as a call may name them.

    Types, and parameters that only Triton passes, are left out.
    """
    signature = inspect.signature(function)
    public = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
        if not parameter.name.startswith("_")
    ]
    plain = inspect.Signature([_with_plain_default(parameter) for parameter in public])
    return str(plain)


class _DefaultText:
    """Default value whose repr is what a reader would write."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _with_plain_default(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is inspect.Parameter.empty or isinstance(default, str | int | float | None):
        return parameter
    is_constant = type(default).__name__ == "constexpr"
    return parameter.replace(default=_DefaultText(str(default.value if is_constant else default)))


def first_sentence(docstring: str) -> str:
    """Return the first sentence in plain text, which is no note on members."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(docstring))
    for paragraph in paragraphs:
        text = ROLE.sub(r"\2", " ".join(paragraph.split())).replace(r"\mathcal{N}", "N")
        sentence = re.split(r"(?<=[a-z)\]\d][.?!:])\s", text, maxsplit=1)[0].rstrip(".: ")
        if sentence and not sentence.startswith((MEMBER_NOTE, "..")):
            return f"{sentence[0].upper()}{sentence[1:]}."
    return ""


if __name__ == "__main__":
    print(json.dumps(collect_signatures(), ensure_ascii=False, separators=(",", ":")))
