"""Right scripts in the styles that people use, odd ones too.

The checker may call none of them wrong.

An exercise's `right.txt` has each under its name, `== N-name`. One that does not import anything itself
begins as the exercise does. `N-name@word` needs a Triton whose language has that word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from triton_workshop.exercises import EXERCISES

from . import data_file

BEGINNING = """from triton_workshop import DEVICE, cdiv, check_tensors_gpu_ready

import torch
import triton
import triton.language as tl

"""


@dataclass(frozen=True)
class RightScript:
    """A script that has to pass."""

    name: str
    source: str
    required_word: str
    """A word of Triton's language that not every Triton has, or nothing."""

    def is_supported(self) -> bool:
        """Return whether the installed Triton has that word."""
        import triton_workshop

        # First: it chooses the simulator.
        assert triton_workshop.DEVICE
        import triton.language as tl

        return not self.required_word or hasattr(tl, self.required_word)


def right_scripts(number: str) -> list[RightScript]:
    """Return the right scripts of the exercise with this number."""
    text = data_file(EXERCISES[number], "right.txt").read_text(encoding="utf-8")
    _, *fields = re.split(r"^== ([\w-]+)@?(\w*)\n", text, flags=re.MULTILINE)
    scripts = zip(fields[::3], fields[1::3], fields[2::3], strict=True)
    return [RightScript(name, _with_imports(script.rstrip() + "\n"), word) for name, word, script in scripts]


def _with_imports(script: str) -> str:
    # A script in an odd style may import in its own way.
    return script if re.search(r"^import .*\btorch\b", script, re.MULTILINE) else BEGINNING + script
