"""Address of the GPUs of a room.

`workshop gpus` prints it and `present --gpus` takes it.
"""

from __future__ import annotations

import importlib.util
import re
import socket
from dataclasses import dataclass

from triton_workshop.errors import MisuseError

PORT = 10001
"""Port that presenters connect to; the next one below is for further machines."""
REACH_SECONDS = 5.0
"""Seconds that the machine with GPUs has to accept a connection."""
ADDRESS = re.compile(r"(?P<token>[\w-]{16,128})@(?P<host>[\w.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>\d{1,5})", re.ASCII)


@dataclass(frozen=True)
class Address:
    """Address of GPUs, and the token without which Ray refuses everything."""

    token: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str, option: str) -> Address:
        """Parse the value of an option. Raises MisuseError."""
        match = ADDRESS.fullmatch(text.strip())
        if match is not None:
            port = int(match["port"])
            if 0 < port < 1 << 16:
                return cls(match["token"], match["host"], port)
        raise MisuseError(
            f"{option}: expected TOKEN@HOST:PORT, as `workshop gpus` prints it on the machine with GPUs, "
            f"found {hide_token(text)!r}"
        )

    def check_reachable(self, option: str = "--gpus") -> None:
        """Raise MisuseError if nothing accepts connections there."""
        try:
            socket.create_connection((self.host.strip("[]"), self.port), REACH_SECONDS).close()
        except OSError as error:
            raise MisuseError(
                f"{option}: nothing answers at {self.location} ({error.strerror or error}). Expected `workshop gpus` "
                "to run there: start it, and let a firewall pass this port"
            ) from None

    @property
    def location(self) -> str:
        """Host and port, without the token."""
        return f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.token}@{self.location}"


def hide_token(text: str) -> str:
    """Return an address for a message that other people may see."""
    return re.sub(r".*@", "…@", text)


def require_ray() -> None:
    """Raise MisuseError if Ray is not installed on the presenter's machine."""
    if importlib.util.find_spec("ray") is None:
        raise MisuseError(
            "--gpus needs Ray, which is not installed yet; to install it: uv sync --extra room --extra gpus"
        )
