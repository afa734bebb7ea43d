"""System calls that no script needs, as a filter for the kernel.

Source: Linux, "Seccomp BPF".

Where root runs a sandbox, a script is nobody in there, but to the kernel it owns what root owns. Mounts are read-only,
except those of devices, whose modes it could change. Other calls take memory that no process shows, or are where the
kernel's own mistakes have been.
"""

from __future__ import annotations

import errno
import platform
import struct

# By the machine's name: the kernel's number for it (linux/audit.h), and those of the calls
# (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).
_CHMOD_X86, _CHOWN_X86, _XATTR_X86 = (90, 91, 268, 452), (92, 93, 94, 260), (188, 189, 190, 197, 198, 199, 463, 466)
_CHMOD_ARM, _CHOWN_ARM, _XATTR_ARM = (52, 53, 452), (54, 55), (5, 6, 7, 14, 15, 16, 463, 466)
_OTHERS_X86 = {"ptrace": 101, "shmget": 29, "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321}
_OTHERS_ARM = {"ptrace": 117, "shmget": 194, "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280}
_OTHERS_X86 |= {"perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425}
_OTHERS_ARM |= {"perf_event_open": 241, "userfaultfd": 282, "io_uring_setup": 425}
MACHINES = {
    "x86_64": (0xC000003E, (*_CHMOD_X86, *_CHOWN_X86, *_XATTR_X86, *_OTHERS_X86.values())),
    "aarch64": (0xC00000B7, (*_CHMOD_ARM, *_CHOWN_ARM, *_XATTR_ARM, *_OTHERS_ARM.values())),
}
X32_CALLS = 0x40000000
"""From this number on, calls of another kind of program for the same processor."""
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06  # linux/bpf_common.h
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM  # linux/seccomp.h


def system_call_filter() -> bytes:
    """Return the filter as the kernel reads it.

    Raises OSError on a machine whose calls are not known here.
    """
    if platform.machine() not in MACHINES:
        raise OSError(f"expected a machine of {' or '.join(MACHINES)}, got {platform.machine()}")
    architecture, denied = MACHINES[platform.machine()]
    instructions = [
        (_LOAD, 0, 0, 4),  # seccomp_data.arch
        (_IF_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),  # seccomp_data.nr
        (_IF_AT_LEAST, len(denied) + 1, 0, X32_CALLS),
        *((_IF_EQUAL, len(denied) - position, 0, number) for position, number in enumerate(denied)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERROR),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
