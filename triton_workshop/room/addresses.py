"""Where the slides are served, and the address by which the room gets there."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from triton_workshop.errors import MisuseError
from triton_workshop.viewer.sharing import Invitation

LOOPBACK = "127.0.0.1"
PORT = 8000
LONGEST_URL = 200
"""Characters: a code that holds more is hard to scan."""
EXAMPLE_ADDRESSES = ("192.0.2.1", "2001:db8::1")
"""Addresses for examples (RFC 5737, RFC 3849): the way there shows which of ours is in the network."""


@dataclass(frozen=True)
class Where:
    """An address of this machine and a port; `url` is how the room gets there, if that is another way."""

    host: str = LOOPBACK
    port: int = PORT
    url: str = ""
    proxy: str = ""
    """The address, or network, of a proxy that says who is behind it."""

    @property
    def own(self) -> str:
        """The address with which this machine gets there."""
        everywhere = {"0.0.0.0": LOOPBACK, "::": "::1"}
        host = everywhere.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    @property
    def address(self) -> str:
        """The address for the room."""
        everywhere = self.host in ("0.0.0.0", "::")
        return self.url or (Where(own_address() or LOOPBACK, self.port).own if everywhere else self.own)

    @property
    def only_here(self) -> bool:
        """Whether no other machine gets there, as far as we were told."""
        return not (self.url or self.proxy) and ipaddress.ip_address(self.host).is_loopback

    def invitation(self, word: str, ticket: str, key: str, *, kernels: bool = True) -> Invitation:
        """How to get there: the link has the ticket in place of the word. `kernels` is whether its pages run them."""
        import segno

        link = f"{self.address}?word={quote(ticket)}"
        code = segno.make_qr(link, error="l")
        modules = tuple(tuple(module == 1 for module in row) for row in code.matrix)
        return Invitation(self.address, word, link, modules, self.own, key, self.only_here, kernels)


def where_to_share(share: str, port: int, url: str, proxy: str = "") -> Where:
    """What `--share`, `--port`, `--url` and `--proxy` ask for. Raises MisuseError."""
    if proxy and not is_network(proxy):
        raise MisuseError(f"--proxy: expected the address of a proxy, such as 127.0.0.1, found {proxy!r}")
    if url:
        if not is_address(url):
            raise MisuseError(f"--url: expected an address such as https://talks.example.org/triton, found {url!r}")
        url = f"{url.rstrip('/')}/"
    if share == "lan":
        host = own_address()
        if host is None:
            raise MisuseError("--share lan: this machine is not in a network; for this machine alone, use --share")
        return Where(host, port, url, proxy)
    host = LOOPBACK if share == "localhost" else share.strip("[]")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise MisuseError(f"--share: expected lan, or an address such as 192.168.0.7, found {share}") from None
    return Where(host, port, url, proxy)


def is_network(text: str) -> bool:
    """Whether this is an address, or several with the same beginning, such as 10.0.0.0/8."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


def is_address(url: str) -> bool:
    """Whether the room can get there, and a code can hold it."""
    try:
        parts = urlsplit(url)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # a bracket that is not closed, or a port that is no number
        return False
    return (
        bool(named)
        and not (parts.query or parts.fragment)
        and len(url) <= LONGEST_URL
        and url.isprintable()
        and " " not in url
    )


def own_address() -> str | None:
    """This machine's address in its network; None if it is in none. Nothing is sent."""
    for family, elsewhere in zip((socket.AF_INET, socket.AF_INET6), EXAMPLE_ADDRESSES, strict=True):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as asking:
                asking.connect((elsewhere, 9))
                address = ipaddress.ip_address(asking.getsockname()[0])
        except OSError:
            continue
        if not (address.is_loopback or address.is_link_local or address.is_unspecified):
            return str(address)
    return None
