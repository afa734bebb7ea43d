"""A room that answers as a test says, and keeps what it was told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ENTERED = json.dumps({"token": "secret", "number": 7, "name": "Ada"}).encode()


@dataclass
class Scripted:
    """What it answers, first to last; once that is used up, 204. `None` hangs up."""

    address: str
    answers: list[tuple[int, bytes] | None] = field(default_factory=list)
    heard: list[tuple[str, str | None, Any]] = field(default_factory=list)
    """Path, token, and what was told: a form's text, or a message without its time."""


@contextmanager
def scripted_room() -> Iterator[Scripted]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if "/gpus/" not in self.path:
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            room.heard.append((self.path, self.headers["Authorization"], None))
            self.answer()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if self.path.endswith("enter"):
                room.heard.append((self.path, None, body))
            else:
                message = {name: value for name, value in json.loads(body).items() if name != "told"}
                room.heard.append((self.path, self.headers["Authorization"], message))
            self.answer()

        def answer(self) -> None:
            answer = room.answers.pop(0) if room.answers else (204, b"")
            if answer is None:
                self.close_connection = True
                return
            status, content = answer
            self.send_response(status)
            if status in (302, 307):
                self.send_header("Location", content.decode())
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        room = Scripted(f"http://127.0.0.1:{server.server_port}/")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield room
        finally:
            server.shutdown()
            thread.join()
