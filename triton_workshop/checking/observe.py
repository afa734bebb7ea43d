"""One call of a launcher, and everything that is to be known of it. It judges nothing: see `judge.py`."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from triton_workshop.checking.launches import (
    Launched,
    LaunchLog,
    bits,
    log_launches,
    memory_after_launches,
    storage_of,
    unwritten_elements,
)

if TYPE_CHECKING:
    from triton_workshop.checking.exercise import Launcher


class Origin(Enum):
    """Where the returned tensor comes from."""

    KERNEL = "stored by a launch, and not changed since"
    UNTOUCHED = "given to a launch that stored nothing to it"
    CHANGED = "stored by a launch, and changed since"
    ELSEWHERE = "never given to a launch"
    NO_LAUNCH = "there was no launch"
    UNKNOWN = "no simulator, so nobody knows"


@dataclass(frozen=True)
class Failure:
    """An exception that left the launcher, or the script when it was loaded."""

    type: str
    message: str
    line: int | None
    """The script's own line that is deepest in the error."""
    first_line: int | None = None
    """The script's own line that is outermost: where the launcher was when it happened."""
    chain: str = ""
    """The types and messages of the errors that led to it, outermost first."""


@dataclass(frozen=True)
class Observation:
    """What one call did. `output` is what it returned, if that is a tensor."""

    output: torch.Tensor | None = None
    output_type: str = ""
    unwritten: torch.Tensor | None = None
    """Where the output was never written, as far as launches on the simulator show."""
    origin: Origin = Origin.UNKNOWN
    launches: tuple[Launched, ...] = ()
    stored_storages: frozenset[int] = frozenset()
    output_storage: int = 0
    input_storages: tuple[int, ...] = ()
    loaded_inputs: tuple[bool, ...] = ()
    """For each argument whether a launch has loaded it, or a copy of it, or was given its numbers."""
    ready_made: tuple[torch.Tensor, ...] = ()
    """What launches loaded that neither they nor the caller had made: PyTorch's or numpy's work."""
    changed_inputs: tuple[int, ...] = ()
    """Positions, from 1, of the arguments that are not what they were."""
    earlier_answer_changed: bool = False
    failure: Failure | None = None
    loading: bool = False
    """Whether the script failed before its launcher was called."""
    timed_out: bool = False
    tampered: str = ""
    """A name of ours or of PyTorch's that the script has put something else in place of."""


class Observer:
    """Calls a launcher case by case. It remembers the answer before, so as to see it change."""

    def __init__(self, launcher: Launcher, file: Path, *, simulated: bool) -> None:
        self._launcher = launcher
        self._file = file
        self._simulated = simulated
        self._earlier: tuple[torch.Tensor, torch.Tensor] | None = None
        self._arguments: tuple[torch.Tensor, ...] = ()

    def observe(self, arguments: tuple[torch.Tensor, ...]) -> Observation:
        """Call the launcher. Its own output is kept, `Observation.output` is a copy.

        Arguments of the same shapes as before come in the very tensors of before: what is remembered by them shows.
        """
        arguments = self._arguments = _in_place_of(self._arguments, arguments)
        before = [argument.clone() for argument in arguments]
        with _uninitialised_memory_is_nan():
            if self._simulated:
                with log_launches(arguments) as log:
                    output, failure = self._call(arguments)
            else:
                log = LaunchLog(frozenset())
                output, failure = self._call(arguments)
        seen = Observation(
            output_type=type(output).__name__,
            launches=tuple(log.launches),
            stored_storages=frozenset(log.stored),
            input_storages=tuple(map(storage_of, arguments)),
            changed_inputs=_changed(arguments, before),
            failure=failure,
        )
        if failure is not None or not isinstance(output, torch.Tensor):
            return seen
        if self._simulated:
            seen = _with_origin(seen, log, output, before)
            if (
                seen.origin is Origin.KERNEL
                and storage_of(output) not in log.stored
                and self._from_elsewhere(arguments)
            ):
                seen = replace(seen, origin=Origin.ELSEWHERE)
        changed = self._earlier is not None and not _same(*self._earlier)
        self._earlier = (output, output.clone())
        answer = output.detach().clone().as_subclass(torch.Tensor)  # whoever judges it has no class of the script's
        return replace(seen, output=answer, output_storage=storage_of(output), earlier_answer_changed=changed)

    def _from_elsewhere(self, arguments: tuple[torch.Tensor, ...]) -> bool:
        """Whether the answer stays the same where all that kernels store is overwritten at once."""
        copies = tuple(argument.clone() for argument in arguments)
        answers = []
        for spoil in (False, True):
            with _uninitialised_memory_is_nan(), log_launches(copies, spoil=spoil):
                answers.append(self._call(copies)[0])
        first, second = answers
        return isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor) and _same(first, second)

    def forget(self) -> None:
        """Let go of the last answer: full-size ones are large."""
        self._earlier = None

    def _call(self, arguments: tuple[torch.Tensor, ...]) -> tuple[object, Failure | None]:
        try:
            output = self._launcher(*arguments)
            if not self._simulated:
                torch.cuda.synchronize()  # a fault in the kernel shows here, not in a later case
            return output, None
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            return None, failure_of(error, self._file)


def failure_of(error: BaseException, file: Path) -> Failure:
    """What is to be told of an exception: the cause of it all, on the learner's own deepest line."""
    lines: list[int | None] = []
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        for frame in traceback.extract_tb(link.__traceback__):
            if Path(frame.filename) == file:
                lines.append(frame.lineno)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    cause = links[-1]
    line = lines[-1] if lines else None
    if isinstance(cause, SyntaxError) and cause.filename == str(file):
        line = cause.lineno
    message = str(getattr(cause, "msg", cause)) if isinstance(cause, SyntaxError) else str(cause)
    chain = "\n".join(f"{type(each).__name__}: {each}" for each in links)
    return Failure(type(cause).__name__, message, _line_in_kernel(cause, file) or line, next(iter(lines), None), chain)


def _line_in_kernel(error: BaseException, file: Path) -> int | None:
    """Where Triton's compiler stopped: it counts lines from the kernel's own first one."""
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    if not isinstance(source, str) or node is None or not hasattr(node, "lineno"):
        return None
    before, found, _ = file.read_text(encoding="utf-8").partition(source.strip())
    return before.count("\n") + int(node.lineno) if found else None


def _in_place_of(old: tuple[torch.Tensor, ...], new: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    if [(t.shape, t.stride()) for t in old] != [(t.shape, t.stride()) for t in new]:
        return new
    return tuple(then.copy_(now) for then, now in zip(old, new, strict=True))


def _with_origin(seen: Observation, log: LaunchLog, output: torch.Tensor, inputs: list[torch.Tensor]) -> Observation:
    # A filter of nine weights can also be handed over as nine numbers.
    loaded = [*log.loaded.values(), torch.tensor(log.handed, dtype=torch.float64)]
    fresh = tuple(tensor for storage, tensor in log.loaded.items() if storage not in seen.input_storages)
    return replace(
        seen,
        unwritten=unwritten_elements(log, output),
        origin=_origin(log, output),
        loaded_inputs=tuple(
            storage in log.loaded or any(_hold([tensor], argument) for tensor in loaded)
            for storage, argument in zip(seen.input_storages, inputs, strict=True)
        ),
        ready_made=fresh,
    )


def _origin(log: LaunchLog, output: torch.Tensor) -> Origin:
    if not log.launches:
        return Origin.NO_LAUNCH
    stored = memory_after_launches(log, output)
    if stored is not None:
        return Origin.KERNEL if _same(stored, output) else Origin.CHANGED
    given = {tensor.storage for launch in log.launches for tensor in launch.tensors.values()}
    if storage_of(output) in given:
        return Origin.UNTOUCHED
    # A copy of what launches have stored: a slice of a padded buffer, planes stacked, float64 made float32.
    return Origin.KERNEL if _hold(list(log.stored.values()), output) else Origin.ELSEWHERE


def _hold(memories: list[torch.Tensor], part: torch.Tensor) -> bool:
    """Whether all the values of a tensor are among those of others, converted to its dtype."""
    if part.is_complex() or not 0 < part.numel() <= sum(memory.numel() for memory in memories):
        return False
    held = torch.cat([bits(memory.to(part.dtype)).flatten() for memory in memories])
    return bool(torch.isin(bits(part), held).all())


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Bit by bit: a NaN equals itself."""
    return torch.equal(bits(one), bits(other))


def _changed(arguments: tuple[torch.Tensor, ...], before: list[torch.Tensor]) -> tuple[int, ...]:
    pairs = enumerate(zip(arguments, before, strict=True), start=1)
    return tuple(position for position, (now, then) in pairs if now.shape != then.shape or not _same(now, then))


@contextmanager
def _uninitialised_memory_is_nan() -> Iterator[None]:
    """What a kernel leaves unwritten shows as NaN: so PyTorch's deterministic mode fills torch.empty.

    By its debug mode, because `torch.use_deterministic_algorithms` imports torch._inductor: 4 s.
    """
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
