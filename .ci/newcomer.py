"""Runs a command in a terminal of 80 × 24, walks through its screens and leaves. Python alone."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

VISITS = {
    "uv run workshop present": ((b"Three hours, four kernels", b"G"), (b"FlashAttention", b"q")),
    "uv run workshop watch": ((b"of 9 TODOs", b"q"),),
}
"""For each command, what it shows, and the key that is then pressed; the last one leaves."""
PATIENCE = 300.0
"""Seconds until a screen appears: half a thousand modules may have to be compiled to byte code before."""


def main() -> None:
    command = sys.argv[1:]
    screens = VISITS[" ".join(command)]
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    for words, key in screens:
        read_until(terminal, words, PATIENCE)
        os.write(terminal, key)
    read_until(terminal, None, 30)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(f"in and out with status {status}")
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
