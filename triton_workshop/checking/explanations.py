"""Triton's and Python's own error messages, in words for somebody who writes a first kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """What an error message means. `pattern` is searched for in the type and the message of each error in the chain."""

    name: str
    pattern: str
    hints: tuple[str, ...]
    at_launch: bool = False
    """Whether the mistake was made where the kernel is launched, wherever it came to light."""


EXPLANATIONS = (
    Explanation(
        "wrong-import-order",
        r"Triton was imported before triton_workshop",
        ("triton_workshop decides where kernels run: it has to be imported before torch and triton.",),
    ),
    Explanation(
        "block-pointers-gone",
        r"make_block_ptr|tl\.advance|'advance'|[Bb]lock.pointer",
        (
            "Block pointers are gone from this Triton. Which other way is there to say where a block lies?",
            "Pointers and masks work everywhere. The newer way are tensor descriptors: tl.make_tensor_descriptor(base, "
            "shape, strides, block_shape), with .load([row, col]) and .store([row, col], values).",
        ),
    ),
    Explanation(
        "exits",
        r"^SystemExit",
        ("The script ends itself here. The checker needs the result: return it.",),
    ),
    Explanation("stopped", r"^KeyboardInterrupt", ("Stopped by Ctrl+C.",)),
    Explanation(
        "ellipsis",
        r"[Ee]llipsis",
        ("A `...` stands where a value belongs.",),
    ),
    Explanation(
        "grid-not-tuple",
        r"object of type 'int' has no len|'int' object is not (iterable|subscriptable)|can only concatenate list",
        ("A grid is a tuple, in parentheses, even with one number: grid = (n,), with the comma.",),
    ),
    Explanation(
        "grid-not-whole",
        r"'float' object cannot be interpreted as an integer",
        ("`/` gives a float. A grid counts programs: cdiv(elements, block) rounds up to a whole number.",),
    ),
    Explanation(
        "kernel-called-without-grid",
        r"has no attribute 'grid_idx'|`_semantic` argument must be provided|Cannot call @triton\.jit'd outside",
        ("A kernel is launched on a grid: name_of_the_kernel[grid](...), with the brackets.",),
    ),
    Explanation(
        "not-jitted",
        r"'function' object is not subscriptable",
        ("Only a kernel can be launched on a grid: `@triton.jit` stands above its definition.",),
    ),
    Explanation(
        "dot-not-star",
        r"__matmul__|unsupported operand type\(s\) for @",
        ("Blocks are multiplied by tl.dot(a, b). `*` multiplies element by element, and `@` is PyTorch's.",),
    ),
    Explanation(
        "wrong-device",
        r"not compiled with CUDA|No CUDA GPUs|Found no NVIDIA driver|Expected all tensors to be on the same device"
        r"|cannot be accessed from Triton \(cpu tensor",
        (
            "Where does this tensor lie, and where do kernels run?",
            "Make new tensors on the device of the input: torch.empty_like(x), or device=x.device.",
        ),
    ),
    Explanation(
        "missing-argument",
        r"missing \d+ required positional argument|got an unexpected keyword argument|takes \d+ positional argument"
        r"|got multiple values for argument",
        ("Compare the call with the kernel's parameters: each of them needs one value, in this order.",),
    ),
    Explanation(
        "block-not-power-of-two",
        r"must be a power of 2|[Ss]hape element \d+ must be a power",
        (
            "Which sizes can a block have?",
            "A power of two: 16, 32, 64 and so on. What a block has too many, the mask leaves out.",
        ),
    ),
    Explanation(
        "print-in-kernel",
        r"f-string",
        (
            "Who prints on a GPU?",
            "Text is made by Python, which does not run there: tl.device_print(prefix, value) prints from a kernel; "
            "print and f-strings work on the simulator.",
        ),
    ),
    Explanation(
        "missing-constexpr",
        r"arange's arguments must be|arange's arguments|must be (of type )?`?(tl\.)?constexpr|static_range"
        r"|[Ss]hape element \d+ must have type|constexpr",
        (
            "Which sizes have to be known when the kernel is compiled?",
            "Those of blocks and of unrolled loops: the kernel's parameter is declared `NAME: tl.constexpr`.",
        ),
    ),
    Explanation(
        "not-a-tensor",
        r"numpy\.ndarray|'ndarray'|'list' object has no attribute|Unsupported type .*(ndarray|list)|\bndarray\b",
        ("A kernel takes tensors and numbers: torch.empty instead of np.empty.",),
        at_launch=True,
    ),
    Explanation(
        "float-offset",
        r"pointer<\w+> and (triton\.language\.)?(float|fp)\d",
        (
            "Which of the numbers that make this offset is no whole number?",
            "`/` gives a float, and memory has no half places: `//` divides whole numbers.",
        ),
    ),
    Explanation(
        "pointer-and-value",
        r"cannot add pointers|pointer<|'pointer|[Uu]nsupported ptr type|invalid operands of type|pointer_type|"
        r"cannot be indexed|Expected dtype .*ptr|unsupported tensor index",
        (
            "Is this a pointer or a value, and which of them is needed here?",
            "A pointer says where, a value what is there. tl.load(pointer) makes a value of it; arithmetic with two "
            "pointers makes nothing, and values are nowhere to load from or store to.",
        ),
    ),
    Explanation(
        "shapes-do-not-broadcast",
        r"Cannot make_shape_compatible|could not be broadcast|incompatible dimensions|[Cc]annot broadcast|broadcast",
        (
            "Which shapes meet here?",
            "rows[:, None] is a column and cols[None, :] a row; together they make a 2-D block. Two vectors of "
            "different lengths make nothing.",
        ),
    ),
    Explanation(
        "python-function-in-kernel",
        r"torch\.|_tensor\.py|Tensor\b.*\btensor|unsupported operand type",
        (
            "Which functions does Triton know?",
            "Inside a kernel only tl functions and other `@triton.jit` functions work: it is compiled, not run by "
            "Python.",
        ),
    ),
    Explanation(
        "misspelt-name",
        r"^NameError|has no attribute|UnboundLocalError",
        ("No such name. Is it spelt as where it was made, or as in tl's documentation?",),
    ),
)


def explain(chain: str) -> Explanation | None:
    """What an error, each link of its chain on a line of its own, means for a kernel or a launch."""
    found = (each for each in EXPLANATIONS if re.search(each.pattern, chain, re.MULTILINE))
    return next(found, None)


def explanation_named(name: str) -> Explanation:
    return next(each for each in EXPLANATIONS if each.name == name)
