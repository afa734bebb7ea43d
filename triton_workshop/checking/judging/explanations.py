"""Triton's and Python's own error messages, in words for somebody who writes a first kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """What an error message means. `pattern` is searched for in the type and the message of each error in the chain.

    Where it is empty, the script's text tells: see `Judge.crash`.
    """

    name: str
    pattern: str
    hints: tuple[str, ...]
    at_launch: bool = False
    """Whether the mistake was made where the kernel is launched, wherever it came to light."""
    outside_kernels: bool = False
    """Whether the message means this only where no kernel is running."""
    inside_kernels: bool = False
    """Whether it means this only where one is."""


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
        "waits",
        r"BdbQuit|^EOFError",
        (
            "The script waits here for somebody at the keyboard, and a check has none. Take this line out.",
            "To step through a kernel with breakpoint(), run the script itself in a terminal without a GPU, or with "
            "TRITON_INTERPRET=1.",
        ),
    ),
    Explanation(
        "block-as-condition",
        r"is neither true nor false|truth value",
        (
            "How many answers does this question have: one, or one per element?",
            "A block has one per element, so `if` cannot choose. Give tl.load and tl.store the mask, or choose by "
            "element with tl.where(condition, a, b).",
        ),
    ),
    Explanation(
        "brackets",
        r"unsupported tensor index|is not an index|cannot be indexed",
        (
            "What do brackets do with a block or with a pointer?",
            "They only add axes, as in x[:, None]. Values come from tl.load(pointer + offset): one value per offset, "
            "a block for a block of offsets. Nothing takes a block apart.",
        ),
    ),
    Explanation(
        "one-block-per-load",
        "",
        (
            "How many blocks does one tl.load give?",
            "One, with the values that its pointers point to. Three blocks come from three loads, each with pointers "
            "of its own.",
        ),
    ),
    Explanation(
        "three-values-for-two",
        r"propagate_nan",
        (
            "How many arguments does this call have?",
            "tl.minimum and tl.maximum compare two values. Is a comma one too many? A number has a decimal point: 0.5.",
        ),
    ),
    Explanation(
        "address-for-tensor",
        "",
        (
            "What is a kernel given in place of a pointer?",
            "A number: it does not say what lies there. Hand over the tensor itself, x and not x.data_ptr(): Triton "
            "makes a pointer of it.",
        ),
    ),
    Explanation(
        "ellipsis",
        r"[Ee]llipsis",
        ("A `...` stands where a value belongs.",),
    ),
    Explanation(
        "grid-not-tuple",
        r"object of type 'int' has no len|'int' object is not (iterable|subscriptable)|can only concatenate list",
        ("A grid is a tuple, in parentheses, even with one number: grid = (n,), with the comma.",),
        outside_kernels=True,
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
        "grid-function",
        r"<lambda>\(\) takes 0 positional",
        ("A grid that is a function is handed the constexprs by name: lambda meta: (cdiv(n, meta['BLOCK_SIZE']),).",),
    ),
    Explanation(
        "argument-given-twice",
        r"got multiple values for argument",
        (
            "Which parameter does each argument of this call land in?",
            "One is given twice, by its place and by its name. Offsets are no argument of their own: they are added to "
            "the pointer, tl.load(pointer + offsets, mask=mask).",
        ),
    ),
    Explanation(
        "missing-argument",
        r"missing \d+ required positional argument|got an unexpected keyword argument|takes \d+ positional argument",
        (
            "Compare the call with the parameters of what it calls: each of them needs one value, in this order.",
            "A tuple counts as one value. With a star before it, as in *a.stride(), its parts are handed over.",
        ),
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
        "arange-of-numbers-known-late",
        r"arange's arguments must be",
        (
            "Which numbers are known before the kernel runs?",
            "Those of constexprs, such as BLOCK_SIZE. A program's number is not: count with tl.arange(0, BLOCK_SIZE), "
            "and add where the block starts.",
        ),
    ),
    Explanation(
        "missing-constexpr",
        r"arange's arguments|must be (of type )?`?(tl\.)?constexpr|static_range"
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
            "Is this a pointer, a value or an offset?",
            "A pointer says where, and tl.load(pointer) gives the value there. An offset is a whole number: `/` gives "
            "a float, `//` does not.",
        ),
    ),
    Explanation(
        "pointer-without-offsets",
        r"argument cannot be block type if pointer argument is not a block",
        (
            "To how many places does this pointer point, and how many values or masks come with it?",
            "A pointer alone is one place, the tensor's first element. output_ptr + offsets is a block of pointers.",
        ),
    ),
    Explanation(
        "pointer-and-value",
        r"cannot add pointers|pointer<|'pointer|[Uu]nsupported ptr type|invalid operands of type|pointer_type|"
        r"Expected dtype .*ptr|'int' object is not iterable",
        (
            "Is this a pointer or a value, and which of them is needed here?",
            "A pointer says where, a value what is there. tl.load(pointer) makes a value of it; arithmetic with two "
            "pointers makes nothing, and values are nowhere to load from or store to.",
        ),
    ),
    Explanation(
        "dot-shapes",
        r"accumulator shape is incompatible|must have equal ranks",
        (
            "Which three shapes meet in this tl.dot?",
            "tl.dot(a, b, accumulator): a is (M, K), b is (K, N), and the accumulator (M, N), a block from tl.zeros.",
        ),
    ),
    Explanation(
        "minimum-not-min",
        r"slice indices must be integers",
        ("tl.min and tl.max look along an axis of one block. tl.minimum(a, b) and tl.maximum(a, b) compare two.",),
    ),
    Explanation(
        "no-sizes-in-kernels",
        r"object of type 'tensor' has no len|^IndexError: list index out of range",
        (
            "Who knows how many elements a tensor has?",
            "The launcher. A kernel is given a pointer, which knows no sizes: hand them over as numbers.",
        ),
    ),
    Explanation(
        "no-kernel-value",
        r"'(range|list|tuple|str|NoneType|torch\.Size)' object has no attribute 'd?type'|cannot convert .* to tensor",
        (
            "What is this: a block, a number or a pointer? A kernel knows nothing else.",
            "tl.arange instead of range, x.numel() instead of x.shape, and a tensor for every pointer.",
        ),
    ),
    Explanation(
        "shapes-do-not-broadcast",
        r"Cannot make_shape_compatible|could not be broadcast|incompatible dimensions|[Cc]annot broadcast|broadcast",
        (
            "Which shapes meet here?",
            "[:, None] makes a column of a vector and [None, :] a row; together they make a 2-D block. What is to run "
            "down, and what to the right?",
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
        inside_kernels=True,
    ),
    Explanation(
        "misspelt-name",
        r"^NameError|has no attribute|UnboundLocalError",
        ("No such name. Is it spelt as where it was made, or as in tl's documentation?",),
    ),
)


def explain(chain: str, in_kernel: bool = False) -> Explanation | None:
    """What an error, each link of its chain on a line of its own, means for a kernel or a launch."""
    known = (
        each
        for each in EXPLANATIONS
        if each.pattern and not (each.outside_kernels if in_kernel else each.inside_kernels)
    )
    return next((each for each in known if re.search(each.pattern, chain, re.MULTILINE)), None)


def explanation_named(name: str) -> Explanation:
    return next(each for each in EXPLANATIONS if each.name == name)
