"""`workshop gpus`: keeps Ray running on a machine with GPUs."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from platformdirs import user_state_path
from rich.console import Console
from rich.table import Table
from rich.text import Text

from triton_workshop.device import runs_on_a_gpu, visible_gpus
from triton_workshop.errors import MisuseError, WorkshopError
from triton_workshop.pool.address import PORT, Address
from triton_workshop.pool.capacity import SLOTS, UNCONTAINED, ActorStatus, own_status
from triton_workshop.processes.call import IMPORT_SECONDS, start
from triton_workshop.processes.process import NewProcess, RunningProcess
from triton_workshop.processes.wire import Connection

STATE_FOLDER = "TRITON_WORKSHOP_GPUS"
"""Variable for the folder of the token, in place of the user's own."""
START_SECONDS = 120.0
"""Seconds that Ray may take to start, from a slow disk or on a busy machine."""
POLL_SECONDS = 0.2
RETRY_SECONDS = 1.0
"""Seconds between the end of Ray and its next start."""
GRACE_SECONDS = 2.0
"""Seconds that Ray has to end its processes before they are killed."""
MAX_FAILURES = 3
"""Starts in a row that may fail."""
OBJECT_STORE_BYTES = 80_000_000
"""Nearly Ray's minimum: scripts and answers are small, and travel without it."""
VARIABLES = {
    "RAY_AUTH_MODE": "token",
    # Ray would end processes on a machine whose memory is full of other things; sandboxes have limits of their own.
    "RAY_memory_monitor_refresh_ms": "0",
    # No idle processes: each actor's starts when it is asked for.
    "RAY_enable_worker_prestart": "0",
    "RAY_prestart_worker_first_driver": "0",
    "RAY_num_workers_soft_limit": "0",
    "RAY_enable_metrics_collection": "0",
    "RAY_task_events_report_interval_ms": "0",
    "RAY_event_stats": "0",
    "RAY_BACKEND_LOG_LEVEL": "warning",
    "RAY_ROTATION_MAX_BYTES": str(1 << 20),
    "RAY_ROTATION_BACKUP_COUNT": "1",
    # Its handlers of forks may crash the process that Ray starts for a driver.
    "GRPC_ENABLE_FORK_SUPPORT": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}


def serve_gpus(
    port: int = PORT, host: str = "", ray: str = "", slots: int | None = None, *, uncontained: bool = False
) -> None:
    """Serve this machine's GPUs, until Ctrl+C or a signal.

    `host` is the address by which others get here; `ray` that of a cluster to join. Each GPU runs `slots` scripts at a
    time, by default as many as fit. Raises MisuseError and WorkshopError.
    """
    if find_spec("ray") is None:
        raise MisuseError("Ray is not installed yet; type: uv run --extra gpus workshop gpus")
    reason = refusal()
    if reason and not uncontained:
        raise MisuseError(
            f"{reason}\nTo run scripts without a sandbox all the same, where everybody in the room may do everything "
            "that you may on this machine: --uncontained"
        )
    cluster = Address.parse(ray, "--ray") if ray else None
    if cluster is not None:
        cluster.check_reachable("--ray")
    else:
        # Ray's own port is one below that of its clients: see `ray_command`.
        for each in (port, port - 1):
            refuse_used_port(each)
    console = Console()
    if slots is not None:
        # In the environment, as the actors that Ray starts read it, too.
        os.environ[SLOTS] = str(slots)
    status = own_status(gpu=runs_on_a_gpu())
    with ExitStack() as stack:
        stack.enter_context(interrupted_by_signals())
        token_file = stack.enter_context(token_of(cluster))
        variables = {**os.environ, **VARIABLES, "RAY_AUTH_TOKEN_PATH": str(token_file)}
        # What is set in the shell would win over the options, or take the sandbox away unasked.
        for name in ("RAY_ADDRESS", "RAY_AUTH_TOKEN", UNCONTAINED):
            variables.pop(name, None)
        if uncontained:
            variables[UNCONTAINED] = "1"
        with suppress(KeyboardInterrupt):
            keep_running(console, status, port, host, cluster, token_file, variables)
            return
    console.print("Ray has ended here, and everything that it started.")


def keep_running(
    console: Console,
    status: ActorStatus,
    port: int,
    host: str,
    cluster: Address | None,
    token_file: Path,
    variables: Mapping[str, str],
) -> None:
    """Start Ray, and again whenever it ends.

    Raises KeyboardInterrupt, and WorkshopError if it does not start.
    """
    failures, is_shown = 0, False
    while True:
        # Its sockets' names may have 107 bytes, so this is no folder of the user, whose name may be long.
        with (
            tempfile.TemporaryDirectory(prefix="tw-", dir="/tmp", ignore_cleanup_errors=True) as folder,
            tempfile.TemporaryFile() as output,
        ):
            command = ray_command(folder, port, cluster)
            with running(command, output, variables) as process:
                with console.status("Ray starts …"):
                    own_host = wait_until_started(process, Path(folder), output, None if cluster else port)
                if own_host is None:
                    failures += 1
                    if failures == MAX_FAILURES:
                        raise WorkshopError(f"Ray does not start here. Its last words:\n{last_words(output)}")
                    continue
                failures = 0
                if not is_shown:
                    is_shown = True
                    token = token_file.read_text(encoding="ascii").strip()
                    print_screen(console, status, Address(token, host or own_host, port), cluster)
                else:
                    console.print("Ray runs again; the lines above still hold.")
                while not process.has_ended():
                    time.sleep(POLL_SECONDS)
        console.print("Ray has ended unexpectedly, and starts again …")
        time.sleep(RETRY_SECONDS)


@contextmanager
def running(command: list[str], output: IO[bytes], variables: Mapping[str, str]) -> Iterator[RunningProcess]:
    """Run Ray, whose processes are all in one group, and end them all."""
    with Path(os.devnull).open("rb") as nothing:
        started = NewProcess(command, (nothing.fileno(), output.fileno(), output.fileno()), variables)
    with RunningProcess(started, ExitStack()) as process:
        try:
            yield process
        finally:
            started.signal_group(signal.SIGTERM)
            process.wait_for_end(GRACE_SECONDS)


def ray_command(folder: str, port: int, cluster: Address | None) -> list[str]:
    """Return the command that runs Ray with little more than it needs."""
    gpus = len(visible_gpus()) if runs_on_a_gpu() else 0
    lean = [
        *("--block", "--disable-usage-stats", "--include-log-monitor=false", f"--num-gpus={gpus}"),
        *(f"--object-store-memory={OBJECT_STORE_BYTES}", "--min-worker-port=0", "--max-worker-port=0"),
    ]
    start = [sys.executable, "-m", "ray.scripts.scripts", "start", *lean]
    if cluster is not None:
        return [*start, f"--address={cluster.location}"]
    head = ["--head", f"--temp-dir={folder}", "--include-dashboard=false", "--no-monitor"]
    return [*start, *head, f"--port={port - 1}", f"--ray-client-server-port={port}"]


def wait_until_started(process: RunningProcess, folder: Path, output: IO[bytes], port: int | None) -> str | None:
    """Wait until Ray runs; return its address here, or None if it fails.

    `port` is the head's, which presenters connect to.
    """
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.has_ended():
            return None
        time.sleep(POLL_SECONDS)
        if port is None:
            # Only a head is told to write into this folder: of a machine that joins, the output says so.
            if b"Ray runtime started" in os.pread(output.fileno(), 1 << 16, 0):
                return ""
            continue
        with suppress(OSError):
            address = (folder / "ray_current_cluster").read_text(encoding="ascii")
            host = address.strip().rpartition(":")[0]
            # Ray may write the file before anything listens.
            socket.create_connection((host.strip("[]"), port), 1).close()
            return host
    return None


def refusal() -> str | None:
    """Return why scripts cannot be contained on this machine.

    Another process finds out, as that imports torch, and this one stays for hours.
    """
    with Path(os.devnull).open("wb") as nothing, start(send_refusal, output=nothing.fileno()) as call:
        answer = call.next_message(IMPORT_SECONDS)
    return None if answer is None else str(answer)


def send_refusal(connection: Connection) -> None:
    """Send why scripts cannot be contained here, or None."""
    from triton_workshop.pool import sandbox

    connection.send(sandbox.refusal())


def refuse_used_port(port: int) -> None:
    """Raise MisuseError if something listens on a port already."""
    with socket.socket() as probe:
        # A port whose connections have just ended is in use for a minute, and yet free to listen on.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError as error:
            raise MisuseError(
                f"--port: port {port} cannot be used here ({error.strerror}), as if `workshop gpus` runs already; "
                f"for another one, and the next one below: --port {port + 1000}"
            ) from None


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let SIGTERM, and SIGHUP of a closed terminal, end this as Ctrl+C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    previous = [(number, signal.signal(number, interrupt)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in previous:
            signal.signal(number, handler)


# The token


@contextmanager
def token_of(cluster: Address | None) -> Iterator[Path]:
    """Provide a file with the token.

    It is this user's own, or for a while that of the cluster to join. In the environment, every
    process of Ray would hand it on to its children.
    """
    folder = Path(os.environ.get(STATE_FOLDER) or user_state_path("triton-workshop") / "gpus")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if cluster is None:
        file = folder / "token"
        # The token stays the same, so that lines which were typed before still hold.
        with suppress(FileExistsError):
            write_private(file, secrets.token_hex(16))
        yield file
        return
    file = folder / f"token-{os.getpid()}"
    # A killed process with the same number may have left its file behind.
    file.unlink(missing_ok=True)
    write_private(file, cluster.token)
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def write_private(file: Path, text: str) -> None:
    """Write a new file that only its owner can read. Raises FileExistsError."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(text)


# The screen


def print_screen(console: Console, status: ActorStatus, address: Address, cluster: Address | None) -> None:
    """Print what is served here, and the lines to type elsewhere."""
    gpus = visible_gpus() if runs_on_a_gpu() else ()
    scripts = "1 script at a time" if status.slots == 1 else f"{status.slots} scripts at a time"
    found = Table.grid(padding=(0, 2))
    for gpu in gpus:
        found.add_row(Text("✓", "green"), gpu.name, scripts)
    if not gpus:
        found.add_row(Text("!", "yellow"), "No GPU: the simulator", scripts)
    console.print(found)
    console.print()
    if cluster is not None:
        console.print(f"This machine serves with the others of {cluster.location}, where the presenter's line is.")
    else:
        print_line(console, "Type on the presenter's machine:", presenter_line(address))
        joined = Address(address.token, address.host, address.port - 1)
        print_line(console, "Type on further machines with GPUs:", f"uv run --extra gpus workshop gpus --ray {joined}")
        plain = f"RAY_AUTH_MODE=token RAY_AUTH_TOKEN={address.token} ray start --address={joined.location}"
        print_line(console, "or, with Ray alone:", plain)
    console.print(firewall_advice(address, cluster is None))
    console.print("Ctrl+C ends it. This window stays open until then.", style="dim")


def print_line(console: Console, label: str, line: str) -> None:
    """Print a line to copy, in one piece."""
    console.print(label)
    console.print(Text(f"  {line}", "bold cyan"), soft_wrap=True)
    console.print()


def presenter_line(address: Address) -> str:
    """Return the line for the presenter's machine."""
    return f"uv run --extra room --extra gpus workshop present --share lan --gpus {address}"


def firewall_advice(address: Address, is_head: bool) -> str:
    """Return which ports a firewall passes and closes."""
    if not is_head:
        return "A firewall passes all ports between the machines with GPUs, and closes this one to all others."
    return (
        f"Ray listens on every interface. A firewall passes port {address.port} from the presenter's machine alone, "
        "all ports between machines with GPUs, and nothing else. Ray answers nobody without the token above, but "
        "sends it unencrypted: in a strange network, use a tunnel of ssh."
    )


def last_words(output: IO[bytes]) -> str:
    """Return the end of what Ray has printed."""
    output.seek(0)
    lines = output.read().decode(errors="replace").strip().splitlines()
    return "\n".join(lines[-5:])
