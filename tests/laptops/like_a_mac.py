"""Makes a Python on Linux behave as one on a Mac does, as far as our code and its tests could notice.

`.ci/laptops` has each process of an environment without Triton import this before anything else, so processes that
tests start are Mac-like too. Not imitated: Apple's processor and its arithmetic, PyTorch's build for it, watchfiles'
FSEvents, kqueue, the terminal's driver, a file system that ignores case, `platform.system()` (by which PyTorch finds
its own libraries), and processes started with `python -S`. C and Rust code goes on seeing Linux.
"""

from __future__ import annotations

import errno
import functools
import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

# Names that Python's documentation lists for Linux, and not for macOS. First those by which others decide what to do.
ABSENT = {
    "select": ("epoll", "EPOLLIN", "EPOLLOUT", "EPOLL_CLOEXEC"),
    "os": (
        *("sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_setparam", "sched_getscheduler"),
        *("sched_setscheduler", "sched_rr_get_interval", "memfd_create", "pidfd_open", "eventfd", "eventfd_read"),
        *("eventfd_write", "timerfd_create", "splice", "copy_file_range", "getrandom", "posix_fadvise"),
        *("posix_fallocate", "getxattr", "setxattr", "listxattr", "removexattr", "pipe2", "setns", "unshare"),
        *("getresuid", "setresuid", "getresgid", "setresgid", "fdatasync"),
        *("O_TMPFILE", "O_PATH", "O_DIRECT", "O_NOATIME", "P_PIDFD"),
    ),
    "signal": (
        *("pidfd_send_signal", "sigwaitinfo", "sigtimedwait", "SIGPOLL", "SIGPWR", "SIGSTKFLT", "SIGCLD"),
        *("SIGRTMIN", "SIGRTMAX"),
    ),
    "socket": (
        *("SO_PEERCRED", "SO_PASSCRED", "SO_BINDTODEVICE", "SO_MARK", "AF_NETLINK", "AF_PACKET", "AF_VSOCK", "AF_ALG"),
        *("SOCK_CLOEXEC", "SOCK_NONBLOCK", "SCM_CREDENTIALS"),
    ),
    "resource": ("prlimit", *(f"RLIMIT_{name}" for name in ("MSGQUEUE", "NICE", "RTPRIO", "RTTIME", "SIGPENDING"))),
    "fcntl": ("F_GETPIPE_SZ", "F_SETPIPE_SZ", "F_ADD_SEALS", "F_GET_SEALS", "F_NOTIFY"),
}
HIDDEN = ("/proc", "/sys")


def _become() -> None:
    for module, names in ABSENT.items():
        for name in names:
            vars(importlib.import_module(module)).pop(name, None)
    # Not before: these import modules that look for such names.
    import ctypes.util
    import platform
    import sysconfig

    sysconfig.get_config_vars()  # read from a file that is named for the platform
    proxies = ModuleType("_scproxy")  # macOS's settings, which urllib asks for
    vars(proxies).update(_get_proxies=dict, _get_proxy_settings=dict)
    sys.modules["_scproxy"] = proxies
    sys.platform = "darwin"
    platform.machine = lambda: "arm64"
    _forbid_forks()
    for name in ("stat", "lstat", "readlink", "access"):  # which no audit hook sees
        _hide(name)
    sys.addaudithook(_audit)
    find = ctypes.CDLL.__getattr__
    ctypes.CDLL.__getattr__ = lambda library, name: find(library, name if name != "prctl" else "no_prctl_on_a_mac")


def _forbid_forks() -> None:
    """In our package, that is. A script may fork there, too."""
    fork = os.fork

    def checked() -> int:
        caller = str(sys._getframe(1).f_globals.get("__name__"))
        assert not caller.startswith(("triton_workshop", "triton_simulator", "multiprocessing")), (
            "forks are not safe on a Mac"
        )
        return fork()

    os.fork = checked


def _hide(name: str) -> None:
    function: Callable[..., Any] = getattr(os, name)

    @functools.wraps(function)
    def hidden(path: Any, *arguments: Any, **options: Any) -> Any:
        if is_hidden(path):
            if name == "access":
                return False
            raise missing(path)
        return function(path, *arguments, **options)

    for supports in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if function in supports:
            supports.add(hidden)
    setattr(os, name, hidden)


def is_hidden(path: object) -> bool:
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    text = os.fsdecode(path)
    return text in HIDDEN or text.startswith(tuple(f"{folder}/" for folder in HIDDEN))


def missing(path: object) -> OSError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    match event, arguments:
        case (("open" | "os.listdir" | "os.scandir" | "glob.glob"), (path, *_)) if is_hidden(path):
            raise missing(path)
        case (("socket.bind" | "socket.connect" | "socket.sendto"), (_, address)):
            _check_address(address)


def _check_address(address: object) -> None:
    """A Mac has no addresses that are not files, and of 127.0.0.0/8 only the first."""
    if isinstance(address, str | bytes):
        if address[:1] in ("\0", b"\0"):
            raise missing(address)
    elif isinstance(address, tuple) and str(address[0]).startswith("127.") and address[0] != "127.0.0.1":
        raise OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))


_become()
