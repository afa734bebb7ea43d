"""Compiling side of `compilation`, in a process of its own.

Triton was imported there without its interpreter.
"""

from __future__ import annotations

import tempfile
from typing import Protocol

from triton_simulator.compiler import pickling, pipeline
from triton_simulator.compiler.compilation import READY
from triton_simulator.compiler.jobs import Answer
from triton_simulator.without_library import provide


class ParentConnection(Protocol):
    """This process's end of the connection to whoever started it."""

    def send(self, message: object) -> None:
        """Send a message to the parent."""

    def receive(self) -> object:
        """Wait for the next message. Raises EOFError if none will come any more."""


def serve_jobs(connection: ParentConnection, folder: str) -> None:
    """Import the compiler, wait for jobs, and send an Answer to each.

    A job that cannot be done has no answer but why nothing can be said.

    The compiler's files go into the folder, which whoever started this removes.
    """
    tempfile.tempdir = folder
    provide()
    pickling.prepare()
    connection.send(READY)
    try:
        jobs = connection.receive()
    except EOFError:  # no request will come any more
        return
    if not isinstance(jobs, tuple):
        raise TypeError(f"expected a tuple of jobs, got {type(jobs).__name__}")
    for job in jobs:
        try:
            special = pickling.load_kernel(job.kernel.data)
            answer = pipeline.read_job(job, special) if job.target is None else pipeline.compile_job(job, special)
        except pickling.CannotPickleError as error:
            answer = Answer(job, unknown=str(error))
        connection.send(answer)
