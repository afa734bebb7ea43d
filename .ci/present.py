"""Runs `uv run workshop present` in a terminal of 80 × 24, walks to the end of the deck and leaves. Python alone."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

COMMAND = ["uv", "run", "workshop", "present"]
FIRST, LAST = b"Three hours, four kernels", b"FlashAttention"
PATIENCE = 900.0
"""Seconds until the first slide: the environment may have to be downloaded."""


def main() -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(COMMAND[0], COMMAND)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    read_until(terminal, FIRST, PATIENCE)
    os.write(terminal, b"G")
    read_until(terminal, LAST, 30)
    os.write(terminal, b"q")
    read_until(terminal, None, 30)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(f"from the first slide to the last, and out with status {status}")
    sys.exit(status)


def read_until(terminal: int, words: bytes | None, seconds: float) -> None:
    """Read what the command writes until these words come; None for its end. Answers what a terminal is asked."""
    written, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # the terminal has nobody on the other side any more
            chunk = b""
        if not chunk:
            if words is None:
                return
            break
        written += chunk
        if b"\x1b[c" in chunk:
            os.write(terminal, b"\x1b[?62;22c")  # a terminal with colours and no pictures
        if words is not None and words.lower() in written.lower():
            return
    sys.exit(f"expected {words!r}, got {written[-2000:]!r}")


if __name__ == "__main__":
    main()
