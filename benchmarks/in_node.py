"""The page's Python in node, without a browser.

It is for measurements and tests of what runs in a tab.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from triton_workshop.page import bundle, parts

SCRIPT = Path(__file__).with_suffix(".mjs")
WATCHDOG = 120.0
"""Seconds after which no answer will come any more."""


class PageEndedError(Exception):
    """The process has ended without an answer."""


class PageInNode:
    """Process of node's that answers as a page's worker does.

    One that must run nothing more is replaced.
    """

    def __init__(self, folder: Path) -> None:
        self._command = ["node", str(SCRIPT), str(folder)]
        self._process: subprocess.Popen[str] | None = None
        self.started = list[float]()
        """Seconds that each process took until it was ready."""

    def ask(self, **asked: Any) -> dict[str, Any]:
        """Return the worker's answer.

        Raises RuntimeError if it fails, PageEndedError if it ends.
        """
        process = self._process or self._start()
        try:
            answer = self._exchange(process, asked)
        except PageEndedError:
            self.close()
            raise
        if "error" in answer:
            self.close()  # as the page does: after `os._exit`, Pyodide answers nothing more
            raise RuntimeError(answer["error"])
        if answer.get("changed"):
            self.close()
        return answer

    def _start(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self.started.append(self._exchange(self._process, None)["seconds"])
        return self._process

    @staticmethod
    def _exchange(process: subprocess.Popen[str], asked: Any) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        if asked is not None:
            process.stdin.write(json.dumps(asked) + "\n")
            process.stdin.flush()
        watchdog = threading.Timer(WATCHDOG, process.kill)  # as the page's, for loops in C
        watchdog.start()
        line = process.stdout.readline()
        watchdog.cancel()
        if not line:
            raise PageEndedError(f"node ended: exit status {process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process = None


@contextlib.contextmanager
def page_in_node(
    folder: Path | None = None, *, whole: bool = False, beside: bytes | None = None
) -> Iterator[PageInNode]:
    """Start a page in node.

    Its parts come from the cache or from this folder, or are `whole` ones. Raises WorkshopError.

    `beside` is a zip of what shall lie beside our own Python.
    """
    with tempfile.TemporaryDirectory(prefix="workshop-page-") as place:
        for name, contents in (
            bundle.contents(parts.ensure_parts(folder), everything=True) if whole else _of_the_page(folder)
        ):
            Path(place, name).write_bytes(contents)
        if beside:
            Path(place, "beside.zip").write_bytes(beside)
        page = PageInNode(Path(place))
        try:
            yield page
        finally:
            page.close()


def _of_the_page(folder: Path | None) -> Iterator[tuple[str, bytes]]:
    """What a page is sent, which is gathered only once."""
    yield from ((blob.name, gzip.decompress(blob.data)) for blob in bundle.build_bundle(folder).blobs)
