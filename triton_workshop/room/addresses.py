"""Addresses of the server, on this machine and for the room."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from triton_workshop.errors import MisuseError
from triton_workshop.viewer.sharing import Invitation

LOOPBACK = "127.0.0.1"
PORT = 8000
MAX_URL_CHARACTERS = 200
"""Characters of an address: a QR code that holds more is hard to scan."""
PROBE_TARGETS = ("192.0.2.1", "2001:db8::1")
"""Addresses for examples (RFC 5737, RFC 3849).

The route there shows which of this machine's addresses is in the network.
"""


@dataclass(frozen=True)
class Endpoint:
    """Address of this machine, and a port.

    `url` is how the room gets there, if that is another way.
    """

    host: str = LOOPBACK
    port: int = PORT
    url: str = ""
    proxy: str = ""
    """Address, or network, of a proxy that forwards its clients' addresses."""

    @property
    def local_address(self) -> str:
        """Address by which this machine gets there."""
        everywhere = {"0.0.0.0": LOOPBACK, "::": "::1"}
        host = everywhere.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    @property
    def address(self) -> str:
        """Address for the room."""
        if self.url:
            return self.url
        if self.host not in ("0.0.0.0", "::"):
            return self.local_address
        host = network_address() or LOOPBACK
        return Endpoint(host, self.port).local_address

    @property
    def local_only(self) -> bool:
        """True if no other machine gets there, as far as the options say."""
        has_other_way = bool(self.url or self.proxy)
        return not has_other_way and ipaddress.ip_address(self.host).is_loopback

    def invitation(self, word: str, ticket: str, key: str, *, kernels: bool = True) -> Invitation:
        """Return the invitation; its link has the ticket in place of the word.

        `kernels` is True if its pages run kernels.
        """
        import segno

        link = f"{self.address}?word={quote(ticket)}"
        code = segno.make_qr(link, error="l")
        modules = tuple(tuple(module == 1 for module in row) for row in code.matrix)
        return Invitation(self.address, word, link, modules, self.local_address, key, self.local_only, kernels)


def parse_endpoint(share: str, port: int, url: str, proxy: str = "") -> Endpoint:
    """Parse the values of `--share`, `--port`, `--url` and `--proxy`.

    Raises MisuseError.
    """
    if proxy and not is_network(proxy):
        raise MisuseError(f"--proxy: expected the address of a proxy, such as 127.0.0.1, found {proxy!r}")
    if url:
        if not is_address(url):
            raise MisuseError(f"--url: expected an address such as https://talks.example.org/triton, found {url!r}")
        # A page's relative links start at the last slash.
        url = f"{url.rstrip('/')}/"
    if share == "lan":
        host = network_address()
        if host is None:
            raise MisuseError("--share lan: this machine is not in a network; for this machine alone, use --share")
        return Endpoint(host, port, url, proxy)
    host = LOOPBACK if share == "localhost" else share.strip("[]")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        raise MisuseError(f"--share: expected lan, or an address such as 192.168.0.7, found {share}") from None
    return Endpoint(host, port, url, proxy)


def is_network(text: str) -> bool:
    """Return whether a text is an address, or a network such as 10.0.0.0/8."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


def is_address(url: str) -> bool:
    """Return whether the room can get there, and a QR code can hold it."""
    try:
        parsed = urlsplit(url)
        is_web = parsed.scheme in ("http", "https") and parsed.port != 0
    except ValueError:  # a bracket that is not closed, or a port that is no number
        return False
    has_suffix = bool(parsed.query or parsed.fragment)
    if has_suffix:
        return False
    is_printable = url.isprintable() and " " not in url
    if not is_printable:
        return False
    has_host = is_web and bool(parsed.hostname)
    return has_host and len(url) <= MAX_URL_CHARACTERS


def network_address() -> str | None:
    """Return this machine's address in its network, or None.

    Nothing is sent.
    """
    for family, target in zip((socket.AF_INET, socket.AF_INET6), PROBE_TARGETS, strict=True):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((target, 9))
                address = ipaddress.ip_address(probe.getsockname()[0])
        except OSError:
            continue
        is_own = address.is_loopback or address.is_unspecified
        is_in_network = not is_own and not address.is_link_local
        if is_in_network:
            return str(address)
    return None
