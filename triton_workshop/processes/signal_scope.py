"""Confinement of a script's signals to itself (Linux).

A script that ends its parent would end the process that judges it. The kernel's Landlock prevents this since Linux
6.12, in 0.1 ms (Documentation/userspace-api/landlock.rst, "IPC scoping"). On an older kernel, or on another system,
nothing changes.
"""

from __future__ import annotations

import os
import struct
import sys

CREATE_RULESET, RESTRICT_SELF = 444, 446  # the same on every architecture
SCOPE_SIGNAL = 1 << 1  # linux/landlock.h
PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h


def confine_signals() -> bool:
    """Confine this thread's signals to this process and what it starts.

    Return True if the kernel can do this.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    library = ctypes.CDLL(None)
    rules = struct.pack("QQQ", 0, 0, SCOPE_SIGNAL)  # struct landlock_ruleset_attr: files and network as before
    ruleset = library.syscall(CREATE_RULESET, rules, len(rules), 0)
    if ruleset < 0:
        return False
    library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)  # without this, only root may restrict itself
    try:
        return bool(library.syscall(RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)
