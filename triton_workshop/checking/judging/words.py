"""How a finding says which programs, which element and which error it is about."""

from __future__ import annotations

from triton_workshop.checking.observing.observe import Failure


def shortened(failure: Failure) -> str:
    """Return a message's first lines, without the copy of the kernel that Triton's compiler puts before them."""
    text = failure.message.strip()
    if "^" in text:
        text = text.rpartition("^")[2].strip() or text
    words = " ".join([line.strip() for line in text.splitlines() if line.strip()][:3])[:400]
    return f"{failure.type}: {words}" if words else failure.type


def named(programs: tuple[tuple[int, ...], ...]) -> str:
    names = [str(program[0]) if len(program) == 1 else str(program) for program in programs]
    if len(names) == 1:
        return f"program {names[0]}"
    if len(names) <= 3:
        return f"programs {', '.join(names[:-1])} and {names[-1]}"
    return f"programs {names[0]}, {names[1]} … {names[-1]} ({len(names):,} of them)"


def bracketed(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"
