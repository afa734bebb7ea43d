"""The address of a room's GPUs, as people type it."""

from __future__ import annotations

import socket

import pytest

from triton_workshop.errors import MisuseError
from triton_workshop.pool.address import Address

TOKEN = "0123456789abcdef"


@pytest.mark.parametrize("place", ["10.0.0.7:10001", "gpu-1.example.org:1", "[fe80::1]:65535"])
def test_an_address_is_accepted(place: str) -> None:
    address = Address.parse(f"{TOKEN}@{place}", "--gpus")
    assert str(address) == f"{TOKEN}@{place}"
    assert address.location == place


@pytest.mark.parametrize(
    "text",
    [
        *("", "10.0.0.7:10001", "short@10.0.0.7:1", f"{TOKEN}@host", f"{TOKEN}@host:0", f"{TOKEN}@host:65536"),
        *(f"{TOKEN}@b@c:1", f"{TOKEN} @b:1"),
    ],
)
def test_an_address_of_another_form_is_refused_without_its_token(text: str) -> None:
    with pytest.raises(MisuseError, match=r"expected TOKEN@HOST:PORT, as `workshop gpus` prints it") as error:
        Address.parse(text, "--gpus")
    assert TOKEN not in str(error.value)


def test_an_address_where_nothing_listens_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = Address(TOKEN, "127.0.0.1", server.getsockname()[1])
        address.check_reachable()
    with pytest.raises(MisuseError, match=r"nothing answers at 127\.0\.0\.1"):
        address.check_reachable()
