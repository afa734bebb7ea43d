"""Leaves garbage for later while an app starts.

What is made before the first picture stays to the end, and scanning it repeatedly takes up to a tenth of the time.
"""

from __future__ import annotations

import gc


def postpone_collection() -> None:
    """Collect no garbage until the first picture is shown."""
    gc.disable()


def resume_collection() -> None:
    """Collect garbage from now on, except for what was made before."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
