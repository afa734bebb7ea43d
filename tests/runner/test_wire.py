"""What goes between the parts of the warm runner."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence

import pytest

if sys.platform == "win32":
    pytest.skip("descriptors travel over Unix sockets", allow_module_level=True)

from triton_workshop.runner.wire import Connection, Request

REQUEST = Request(("block.py",), "/", {})


def test_a_request_that_was_read_whole_has_been_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the parent would take it for lost, and a script would run twice."""
    ours, theirs = socket.socketpair()
    send_fds = socket.send_fds
    received: list[Request] = []

    def answered_at_once(end: socket.socket, buffers: Sequence[bytes], files: Sequence[int]) -> int:
        sent = send_fds(end, buffers, files)
        request, copies = Connection(theirs).receive_request()
        received.append(request)
        for copy in copies:
            os.close(copy)
        theirs.close()
        return sent

    monkeypatch.setattr(socket, "send_fds", answered_at_once)
    with ours:
        Connection(ours).send_request(REQUEST, [0])
    assert received == [REQUEST]
