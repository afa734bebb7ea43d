"""Right scripts, as people write them, in odd styles too: none of them may be called wrong.

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
    name: str
    source: str
    needs: str
    """A word of Triton's language that not every Triton has, or nothing."""

    def there(self) -> bool:
        """Whether the installed Triton has it."""
        import triton_workshop

        assert triton_workshop.DEVICE  # first: it chooses the simulator
        import triton.language as tl

        return not self.needs or hasattr(tl, self.needs)


def right_scripts(exercise: str) -> list[RightScript]:
    text = data_file(EXERCISES[exercise], "right.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"^== ([\w-]+)@?(\w*)\n", text, flags=re.MULTILINE)
    each = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return [RightScript(name, _whole(script.rstrip() + "\n"), needs) for name, needs, script in each]


def _whole(script: str) -> str:
    return script if re.search(r"^import .*\btorch\b", script, re.MULTILINE) else BEGINNING + script
