"""What the compiler, its types alone and the simulator say of each construct, for `test_constructs`.

`python -m simulator.tests.compiler.measure` records the compiler's verdicts under the installed version of Triton in
`constructs/verdicts.json`. Constructs are measured in children, so that a crash or an endless loop is a result like
another.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from triton_simulator.without_library import provide

VERDICTS = Path(__file__).parent / "constructs" / "verdicts.json"
LIMIT = 20
"""Seconds that one construct may take."""
WORDS = 160
"""Characters that are kept of a message."""
TOGETHER = 50
"""Constructs that one child measures."""
Measure = Callable[[Any], str]
"""From a kernel to a verdict."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--column", choices=COLUMNS, help="print what one of them says, and record nothing")
    column = parser.parse_args().column
    if column:
        for name, verdict in verdicts_of(column):
            print(json.dumps({name: verdict}), flush=True)
    else:
        write_verdicts(dict(verdicts_of("compiler")))


def write_verdicts(verdicts: Mapping[str, str]) -> None:
    """Record what the compiler of this version says; what other versions said stays."""
    import triton

    known: dict[str, dict[str, str]] = json.loads(VERDICTS.read_text())
    for name, verdict in verdicts.items():
        known[name] = dict(sorted({**known.get(name, {}), triton.__version__: verdict}.items()))
    VERDICTS.write_text(json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n")


def verdicts_of(column: str) -> Iterator[tuple[str, str]]:
    """Triton is imported for compiling or for interpreting, and stays so: each column needs its own process."""
    if column == "simulator":
        from triton_simulator import install

        install()
    provide()
    import triton.compiler  # noqa: F401  # before the forks, as all that each of them needs

    from . import arguments  # noqa: F401
    from .constructs import constructs

    return measured(COLUMNS[column], constructs())


def measured(measure: Measure, kernels: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each construct's verdict, from children that measure up to `TOGETHER` of them.

    If one ends its child, that is its verdict, and the next child goes on after it.
    """
    left = list(kernels.items())
    while left:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            _measure_all(measure, left[:TOGETHER], write)
        os.close(write)
        with os.fdopen(read) as answers:
            results = [json.loads(answer) for answer in answers]
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        yield from results
        left = left[len(results) :]
        if ended and left:
            how = f"no answer in {LIMIT} s" if ended == -signal.SIGALRM else f"exit status {ended}"
            yield left.pop(0)[0], f"crashes: {how}"


def _measure_all(measure: Measure, kernels: list[tuple[str, Any]], write: int) -> NoReturn:
    """Send each verdict as soon as it is there. What MLIR prints about an error belongs to the verdict."""
    for name, kernel in kernels:
        signal.alarm(LIMIT)
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
            for stream in (1, 2):
                os.dup2(printed.fileno(), stream)
            verdict = measure(kernel)
            printed.seek(0)
            errors = [line.split("error: ", 1)[1] for line in printed if "error: " in line]
        if errors and verdict not in ("takes", "runs"):
            verdict += f" [{errors[0].strip()[:WORDS]}]"
        os.write(write, (json.dumps([name, verdict]) + "\n").encode())
    os._exit(0)


def compiled(kernel: Any) -> str:
    """The front end's verdict, and if it takes the kernel what the rest of the pipeline says."""
    import triton

    verdict = read(kernel)
    if verdict == "takes":
        try:
            triton.compile(_source(kernel), target=_target())
        except Exception as error:
            return f"takes, then fails: {words(error)}"
    return verdict


def read(kernel: Any) -> str:
    """What `triton.compile` does first: the kernel's source becomes Triton's IR, or is refused."""
    from triton._C.libtriton import ir
    from triton.compiler.compiler import make_backend

    backend, context = make_backend(_target()), ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(backend.parse_options({}))
    try:
        _source(kernel).make_ir(_target(), backend.parse_options({}), functions, backend.get_module_map(), context)
    except Exception as error:
        return f"refuses: {refusal(error)}"
    return "takes"


def _target() -> Any:
    from triton.backends.compiler import GPUTarget

    return GPUTarget("cuda", 80, 32)


def _source(kernel: Any) -> Any:
    from triton.compiler import ASTSource

    from .arguments import parameters

    given = parameters(kernel.fn)
    return ASTSource(
        kernel,
        {name: kind for name, (kind, _) in given.items()},
        {name: value for name, (kind, value) in given.items() if kind == "constexpr"},
        {(place,): [["tt.divisibility", 16]] for place, (kind, _) in enumerate(given.values()) if str(kind)[0] == "*"},
    )


def refusal(error: BaseException) -> str:
    """Where in the kernel (its `def` is line 1), and the words of the innermost error."""
    line = getattr(getattr(error, "node", None), "lineno", None)
    inner = error
    while getattr(inner, "node", None) is not None and inner.__cause__ is not None:
        inner = inner.__cause__
    return f"line {line}: {words(inner)}" if line else words(inner)


def words(error: BaseException) -> str:
    """The type and the first words of an error."""
    text = getattr(error, "error_message", None) or str(error)
    return f"{type(error).__name__}: {' '.join(text.split())[:WORDS]}"


def launched(kernel: Any) -> str:
    """Run it on the simulator."""
    import torch
    import triton

    from .arguments import PROGRAMS, TENSORS, parameters, tensor

    given = parameters(kernel.fn)
    arguments = {name: tensor(name) if name in TENSORS else value for name, (_, value) in given.items()}
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8))
    try:
        kernel[(PROGRAMS,)](*arguments.values())
    except Exception as error:
        inner = error
        while inner.__cause__ is not None:
            inner = inner.__cause__
        kind = "faults" if type(inner).__name__ == "KernelFaults" else "refuses"
        return f"{kind}: {words(inner)}"
    return "runs"


def checked(kernel: Any) -> str:
    """What our front end says, which needs no compiled library."""
    from triton_simulator.compiler.front_end import read_by_types
    from triton_simulator.compiler.launches import Specialization

    from .arguments import parameters

    given = parameters(kernel.fn)
    constants = {(place,): value for place, (kind, value) in enumerate(given.values()) if kind == "constexpr"}
    refusal, _ = read_by_types(Specialization(kernel, {n: kind for n, (kind, _) in given.items()}, constants, {}, {}))
    return f"refuses: {refusal.words[:WORDS]}" if refusal else "takes"


COLUMNS: dict[str, Measure] = {"compiler": compiled, "front-end": read, "types": checked, "simulator": launched}

if __name__ == "__main__":
    main()
