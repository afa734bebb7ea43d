"""The warm parents that commands share: one for each mode and environment, found by a socket that only we can open."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from triton_workshop.runner.idle import idle_seconds
from triton_workshop.runner.modes import INTERPRET, LOADED_EARLY, Mode
from triton_workshop.runner.wire import Connection, user_at

LOADED_EARLY_TOO = ("LC_", "LANG", "TZ")


def connect(mode: Mode, environment: Mapping[str, str]) -> Connection:
    """A connection to the parent for this mode and environment, started where there is none and one may stay.

    Raises IdleError, and OSError where there is no parent.
    """
    stays = idle_seconds(environment)
    folder = runtime_folder(environment)
    address = folder / f"{mode}-{_fingerprint(environment)}.sock"
    with _alone(folder):
        try:
            return _connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            if not stays:
                raise
            _put_up(mode, address, environment, stays)
            return _connect(address)


def runtime_folder(environment: Mapping[str, str]) -> Path:
    """The folder of our sockets, which nobody else can enter. Raises PermissionError for one that others own or see."""
    base = environment.get("XDG_RUNTIME_DIR", "")
    user = os.geteuid()
    folder = Path(base, "triton-workshop") if base else Path("/tmp", f"triton-workshop-{user}")
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != user or stat.S_IMODE(state.st_mode) & 0o077:
        raise PermissionError(
            errno.EPERM, "expected a folder that only its owner, who runs this, can enter", str(folder)
        )
    return folder


def _fingerprint(environment: Mapping[str, str]) -> str:
    """Differs where a parent's interpreter or what it read of its environment at the start would differ."""
    early = (*LOADED_EARLY, *LOADED_EARLY_TOO)
    variables = sorted(item for item in environment.items() if item[0].startswith(early))
    return f"{zlib.crc32(repr((sys.executable, sys.version, variables)).encode()):08x}"


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One command at a time looks for a parent and starts one."""
    with Path(folder, "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _connect(address: Path) -> Connection:
    end = socket.socket(socket.AF_UNIX)
    try:
        end.connect(str(address))
        if user_at(end) != os.geteuid():
            raise PermissionError(errno.EPERM, "another user listens there", str(address))
    except BaseException:
        end.close()
        raise
    return Connection(end)


def _put_up(mode: Mode, address: Path, environment: Mapping[str, str], stays: float) -> None:
    """Starts a parent that listens. It can be connected to at once, and answers when it has imported everything."""
    # What these need takes time to import, and is seldom needed.
    from triton_workshop.runner.start import start_parent
    from triton_workshop.runner.strays import OWNER

    address.unlink(missing_ok=True)  # of a parent that was killed
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(address))
        door.listen(64)
        # It serves other commands too, when whoever started this one has gone.
        variables = {name: value for name, value in environment.items() if name not in (INTERPRET, OWNER)}
        start_parent(mode, door.fileno(), variables, stays)
