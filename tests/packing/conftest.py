"""A registry on this machine: a server with small made-up wheels, which can be told to misbehave."""

from __future__ import annotations

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from triton_workshop.packing.locked import Wheel


@dataclass
class Registry:
    """What the server has, how it behaves, and where each of its answers began."""

    address: str
    files: dict[str, bytes] = field(default_factory=dict)
    resumes: bool = True
    longest: int | None = None
    """After how many bytes it ends an answer, whatever it has promised."""
    answers: list[tuple[str, int]] = field(default_factory=list)

    def wheel(self, file: str, data: bytes) -> Wheel:
        """Add a wheel."""
        self.files[file] = data
        name, version, *_ = file.split("-")
        return Wheel(name, version, file, f"{self.address}/{file}", len(data), hashlib.sha256(data).hexdigest())


@pytest.fixture
def registry() -> Iterator[Registry]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path[1:]
            if name not in registry.files:
                self.send_error(404)
                return
            asked = self.headers["Range"] if registry.resumes else None
            start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
            data = registry.files[name][start:]
            registry.answers.append((name, start))
            self.send_response(206 if asked else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: registry.longest])

        def log_message(self, format: str, *arguments: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        registry = Registry(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield registry
        server.shutdown()


def zip_of(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()
