"""Process inside a sandbox: gets ready, takes one script, and calls it.

Nothing here is safe from the script once that is loaded, and nothing has to be: see `judging`.
"""

from __future__ import annotations

import json
import os
import resource
import socket
from pathlib import Path
from typing import Any

import torch

from triton_workshop.checking.full_size import observe_guarded
from triton_workshop.checking.observing.child import observer_of, prepare, warm_up
from triton_workshop.checking.observing.failure import failure_of
from triton_workshop.checking.observing.observe import Observation, Observer, Output
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.pool.arena import Arena, Placed, memory_of
from triton_workshop.pool.batch import Batch
from triton_workshop.pool.observations import write_observation
from triton_workshop.pool.sandbox import GPU_MEMORY_BYTES, HEADER_BYTES, MEMORY_BYTES, TEMPORARY_BYTES
from triton_workshop.processes.process import limit_memory

MAX_FILES = 1024
MAX_THREADS = 512
"""Threads of all its processes. The kernel keeps this limit, except for root."""


def main(connection: int, arena: int, *, gpu: bool) -> None:
    """Get ready, say so, and answer requests until the other side goes."""
    if gpu:
        from triton_workshop.setup.kernel import add_is_correct  # which settles that Triton is for the GPU

        add_is_correct()
        total = torch.cuda.get_device_properties(0).total_memory
        # A script that takes too much by mistake gets PyTorch's error; what it does on purpose, the watch ends.
        torch.cuda.set_per_process_memory_fraction(min(1.0, GPU_MEMORY_BYTES / total))
    else:
        prepare()
        warm_up()
    _limit()
    end = socket.socket(fileno=connection)
    devnull = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(devnull, standard)
    send(end, {"ready": True})
    script = Script(Arena(arena), gpu)
    while (request := receive(end)) is not None:
        send(end, script.answer(request))


def _limit() -> None:
    limits = {
        resource.RLIMIT_NOFILE: MAX_FILES,
        resource.RLIMIT_NPROC: MAX_THREADS,
        resource.RLIMIT_FSIZE: TEMPORARY_BYTES,
        resource.RLIMIT_CORE: 0,
    }
    for limit, most in limits.items():
        hard = resource.getrlimit(limit)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))
    limit_memory(0, MEMORY_BYTES)


def send(end: socket.socket, message: dict[str, Any]) -> None:
    """Send a message as JSON, with its length before it."""
    data = json.dumps(message).encode()
    end.sendall(len(data).to_bytes(HEADER_BYTES, "little") + data)


def receive(end: socket.socket) -> dict[str, Any] | None:
    """Return the next message; None if the other side has gone."""
    header = end.recv(HEADER_BYTES, socket.MSG_WAITALL)
    if len(header) < HEADER_BYTES:
        return None
    message: dict[str, Any] = json.loads(end.recv(int.from_bytes(header, "little"), socket.MSG_WAITALL))
    return message


class Script:
    """The one script of this process."""

    def __init__(self, arena: Arena, gpu: bool) -> None:
        self._arena = arena
        self._gpu = gpu
        self._device = "cuda" if gpu else "cpu"
        self._file = Path()
        self._observer: Observer | None = None
        self._batch: Batch | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what is requested, and return what is to be said of it."""
        actions = {
            "load": self._load,
            "call": self._call,
            "prepare": self._prepare,
            "record": self._record,
            "time": self._time,
            "result": self._result,
        }
        try:
            return actions[request["do"]](request)
        except BaseException as error:  # the script's, or what it has changed
            return write_observation(Observation(failure=failure_of(error, self._file)), self._arena, 0)

    def _load(self, request: dict[str, Any]) -> dict[str, Any]:
        self._file = Path(request["file"])
        source = Source(self._file, request["text"], EXERCISES[request["exercise"]])
        observer = observer_of(source, simulated=not self._gpu, compiled=False)
        if isinstance(observer, Observation):
            return write_observation(observer, self._arena, 0)
        self._observer = observer
        return {"loaded": True}

    def _call(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._observer is not None, "it is loaded first"
        placed = [Placed(**fields) for fields in request["arguments"]]
        arguments = tuple(map(self._take, placed))
        observation = observe_guarded(self._observer, arguments) if self._gpu else self._observer.observe(arguments)
        return write_observation(observation, self._arena, request["result_at"])

    def _take(self, placed: Placed) -> torch.Tensor:
        """Return a copy of a tensor in the arena, where the script runs."""
        memory = memory_of(self._arena.view(placed)).to(self._device, copy=True)
        return memory.as_strided(placed.shape, placed.stride, 0)

    def _prepare(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._observer is not None, "it is loaded first"
        base = tuple(self._take(Placed(**fields)) for fields in request["arguments"])
        self._batch = Batch(base, self._device)
        return {"prepared": True}

    def _record(self, _request: dict[str, Any]) -> dict[str, Any]:
        assert self._observer is not None, "it is loaded first"
        assert self._batch is not None, "it is prepared first"
        self._batch.record(self._observer.launcher)
        return {"recorded": True}

    def _time(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._observer is not None, "it is loaded first"
        assert self._batch is not None, "it is prepared first"
        self._batch.make(request["shifts"])
        return {"milliseconds": self._batch.call(self._observer.launcher, request["repeats"])}

    def _result(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._batch is not None, "it is prepared first"
        result = self._batch.results[request["number"]]
        output = Output(result) if isinstance(result, torch.Tensor) else None
        observation = Observation(output, type(result).__name__)
        return write_observation(observation, self._arena, request["result_at"])
