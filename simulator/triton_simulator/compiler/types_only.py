"""A builder for Triton's code generator that knows types and nothing else.

What Triton's front end refuses, it refuses in Python: by the types of values, which it keeps itself, and by which names
are bound where. So it needs no compiled library: a builder whose every operation is just another value is enough. It
keeps what the front end decides by: how many results a function has, and which blocks a region has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Handle:
    """Value, type, location or attribute.

    Two are equal only if they are one.

    What is asked of it only for the sake of the code that is built gives another one.
    """

    def __getattr__(self, name: str) -> Callable[..., Handle]:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: Operation()

    def get_type(self) -> Handle:
        """Return the one type that there is."""
        return TYPE

    def get_name(self) -> str:
        """Return an empty name."""
        return ""


TYPE = Handle()


class Region:
    """Blocks of a function or of a body.

    A body is that of a loop, a branch or a combining function.
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def size(self) -> int:
        """Return the number of blocks."""
        return len(self.blocks)

    def push_back(self, block: Block) -> None:
        """Append a block."""
        self.blocks.append(block)


class Block(Handle):
    """A sequence of operations without a branch."""

    def __init__(self, region: Region) -> None:
        self._region = region
        region.blocks.append(self)

    def get_parent(self) -> Region:
        """Return the region that has this block."""
        return self._region

    def has_terminator(self) -> bool:
        """Return False: the front end may always add to a block."""
        return False

    def erase(self) -> None:
        """Remove the block from its region."""
        self._region.blocks.remove(self)

    merge_block_before: Callable[[Block, Block], None] = lambda self, _: self.erase()


class Operation(Handle):
    """Operation in the code, and the value that comes of it.

    A loop, a branch, a call or a reduction has regions with code of their own, and may have several results.
    """

    def __init__(self, results: int = 0) -> None:
        self._results = results
        self._regions: dict[object, Region] = {}
        self._blocks: dict[object, Block] = {}

    def get_num_results(self) -> int:
        """Return the number of results."""
        return self._results

    def get_region(self, number: object) -> Region:
        """Return a region, which is created when it is first asked for."""
        return self._regions.setdefault(number, Region())

    def get_body(self, number: object) -> Block:
        """Return the entry block of a region."""
        if number not in self._blocks:
            self._blocks[number] = Block(self.get_region(number))
        return self._blocks[number]

    def get_then_block(self) -> Block:
        """Return the block that runs if the condition is true."""
        return self.get_body("then")

    def get_else_block(self) -> Block:
        """Return the block that runs if the condition is false."""
        return self.get_body("else")

    def get_before(self) -> Region:
        """Return the region with a `while` loop's condition."""
        return self.get_region("before")

    def get_after(self) -> Region:
        """Return the region with a `while` loop's body."""
        return self.get_region("after")


class Function(Operation):
    """A function of the module: it knows how many values it takes and returns."""

    def __init__(self, kind: tuple[int, int]) -> None:
        super().__init__()
        self.kind = kind

    def reset_type(self, kind: tuple[int, int]) -> None:
        """Set the numbers of arguments and results."""
        self.kind = kind

    def get_num_args(self) -> int:
        """Return the number of arguments."""
        return self.kind[0]

    def add_entry_block(self) -> Block:
        """Return the function's first block."""
        return self.get_body(0)


class Module(Handle):
    """The functions of a kernel, by name."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}

    def has_function(self, name: str) -> bool:
        """Return whether a function of this name exists."""
        return name in self.functions

    def get_function(self, name: str) -> Function:
        """Return the function of this name."""
        return self.functions[name]


class Builder(Handle):
    """Takes the place of `ir.builder`."""

    def __init__(self, _context: object) -> None:
        self._block = Block(Region())

    # Where code goes

    def create_module(self) -> Module:
        """Return an empty module."""
        return Module()

    def get_or_insert_function(self, module: Module, name: str, kind: tuple[int, int], *_: object) -> Function:
        """Return the module's function of this name, which may be new."""
        return module.functions.setdefault(name, Function(kind))

    def get_function_ty(self, arguments: Sequence[Handle], results: Sequence[Handle]) -> tuple[int, int]:
        """Return the numbers of arguments and results as a type."""
        return len(arguments), len(results)

    def create_block(self) -> Block:
        """Return a new block in the current region."""
        return Block(self._block.get_parent())

    def create_block_with_parent(self, region: Region, _types: Sequence[Handle]) -> Block:
        """Return a new block in this region."""
        return Block(region)

    new_block = create_block

    def get_insertion_block(self) -> Block:
        """Return the block that new code goes to."""
        return self._block

    get_insertion_point = get_insertion_block

    def set_insertion_point_to_start(self, block: Block) -> None:
        """Let new code go to this block."""
        self._block = block

    set_insertion_point_to_end = restore_insertion_point = set_insertion_point_to_start

    # Operations with results of their own

    def call(self, function: Function, _arguments: Sequence[Handle]) -> Operation:
        """Return the call of a function, with as many results."""
        return Operation(function.kind[1])

    def create_split(self, _: Handle) -> tuple[Handle, Handle]:
        """Return the two halves of a block."""
        return Handle(), Handle()


class _Library:
    """Triton's library `ir`, with the builder of this module."""

    builder = Builder

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def make_attr(self, *_: object) -> Handle:
        """Return an attribute."""
        return Handle()


@contextmanager
def types_only() -> Iterator[list[Any]]:
    """Let Triton's code generator build nothing while this lasts.

    Yields the list of the types of the blocks that come up.
    """
    from triton.compiler import code_generator
    from triton.language import core, semantic

    blocks: list[Any] = []
    original = core.tensor.__init__

    def record_block(tensor: Any, handle: Any, type: Any) -> None:
        """Initialize a tensor, and record its type if it is a block."""
        original(tensor, handle, type)
        if type.is_block():
            blocks.append(type)

    library = code_generator.ir
    core.tensor.__init__ = record_block
    code_generator.ir = semantic.ir = _Library(library)
    try:
        yield blocks
    finally:
        code_generator.ir = semantic.ir = library
        core.tensor.__init__ = original
