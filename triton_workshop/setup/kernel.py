"""A small kernel that shows whether kernels run here.

setup-check runs it in a separate process, so that a crash or a hang is an answer too.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from pathlib import Path

from triton_workshop import DEVICE, cdiv  # first: settles where the kernel runs

# isort: split
import torch
import triton
import triton.language as tl

from triton_workshop.processes.wire import Connection

N_ELEMENTS = 1000  # not a multiple of the block size, so the last program needs its mask
BLOCK_SIZE = 256


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


def add_is_correct() -> bool:
    """Return whether the kernel adds as torch does.

    It must write nothing where the mask is false.
    """
    programs = cdiv(N_ELEMENTS, BLOCK_SIZE)
    x = torch.rand(N_ELEMENTS, device=DEVICE)
    y = torch.rand(N_ELEMENTS, device=DEVICE)
    untouched = -1.0  # not a sum of two values from 0 to 1
    output = torch.full((programs * BLOCK_SIZE,), untouched, device=DEVICE)
    add_kernel[(programs,)](x, y, output, N_ELEMENTS, BLOCK_SIZE=BLOCK_SIZE)
    inside, outside = output[:N_ELEMENTS], output[N_ELEMENTS:]
    return torch.equal(inside, x + y) and bool((outside == untouched).all())


def load_torchvision() -> None:
    """Load torchvision's compiled part into this torch. Raises OSError.

    Their versions may not match. Importing all of torchvision would show the same and take 4 s more.
    """
    package = importlib.util.find_spec("torchvision")
    if package is not None and package.origin is not None:
        for library in Path(package.origin).parent.glob("_C*"):
            torch.ops.load_library(library)


def facts() -> Iterator[dict[str, str | float | None]]:
    """Yield facts about this machine as soon as they are known.

    So a later crash loses nothing.
    """
    # As plain text: unpickling PyTorch's own type would import PyTorch in the reader.
    yield {"torch": str(torch.__version__), "torch_cuda": torch.version.cuda, "triton": triton.__version__}
    start = time.perf_counter()
    correct = add_is_correct()
    yield {"correct": correct, "seconds": time.perf_counter() - start}
    load_torchvision()


def main(connection: Connection) -> None:
    """Send the facts to the process that started this one."""
    for fact in facts():
        connection.send(fact)


if __name__ == "__main__":
    print(*facts(), sep="\n")
