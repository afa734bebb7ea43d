"""What the compiler, Triton's interpreter and the simulator say of each construct: `python -m compiler.measure`.

To be run in `tests/`. It prints a table, or with `--write` records the compiler's verdicts under the installed
version of Triton in `constructs/verdicts.json`. Constructs are measured in children, so that a crash or an endless loop
is a result like another.
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from triton_workshop.without_library import provide

VERDICTS = Path(__file__).parent / "constructs" / "verdicts.json"
LIMIT = 20
"""Seconds that one construct may take."""
WORDS = 160
"""Characters that are kept of a message."""
FRONT_END_ONLY = "CONSTRUCTS_FRONT_END_ONLY"
Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="constructs; all of them if none is named")
    parser.add_argument("--json", action="store_true", help="print everything that was measured")
    parser.add_argument("--differences", action="store_true", help="print only where a verdict or a result differs")
    parser.add_argument("--write", action="store_true", help="record the compiler's verdicts")
    parser.add_argument("--front-end", action="store_true", help="leave out the rest of the compiler, which is slow")
    parser.add_argument("--column", choices=COLUMNS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.column:
        measure_column(options.column, options.names)
        return
    if options.front_end:
        os.environ[FRONT_END_ONLY] = "1"
    chosen = ["compiler"] if options.write else list(COLUMNS)
    columns = {column: _in_a_process(column, options.names) for column in chosen}
    if options.write:
        write_verdicts(columns["compiler"])
    elif options.json:
        print(json.dumps(columns, indent=1))
    else:
        print_table(columns, only_differences=options.differences)


def _in_a_process(column: str, names: list[str]) -> dict[str, Result]:
    """Triton is imported for compiling or for interpreting, and stays so: each column has its own process."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TRITON_CACHE_DIR": folder}
        environment.pop("TRITON_INTERPRET", None)
        if column in INTERPRETED:
            environment["TRITON_INTERPRET"] = "1"
        command = [sys.executable, "-m", "compiler.measure", "--column", column, *names]
        output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: result for line in output.splitlines() for name, result in json.loads(line).items()}


# One column, in its process.


def measure_column(column: str, names: list[str]) -> None:
    if column == "simulator":
        from triton_workshop.simulator import install

        install()
    provide()
    import triton.compiler  # noqa: F401  # before the forks, as all that each of them needs

    from compiler import arguments  # noqa: F401
    from compiler.constructs import constructs

    kernels = {name: kernel for name, kernel in constructs().items() if not names or name in names}
    # Triton's interpreter leaves its language patched after some errors.
    for name, result in measured(COLUMNS[column], kernels, 1 if column == "interpreter" else 50):
        print(json.dumps({name: result}), flush=True)


def measured(measure: Callable[[Any], Result], kernels: dict[str, Any], together: int) -> Iterator[tuple[str, Result]]:
    """Each construct's result, from children that measure up to `together` of them.

    If one ends its child, that is its result, and the next child goes on after it.
    """
    left = list(kernels.items())
    while left:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            _measure_all(measure, left[:together], write)
        os.close(write)
        with os.fdopen(read) as answers:
            results = [json.loads(answer) for answer in answers]
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        yield from results
        left = left[len(results) :]
        if ended and left:
            how = f"no answer in {LIMIT} s" if ended == -signal.SIGALRM else f"exit status {ended}"
            yield left.pop(0)[0], {"verdict": f"crashes: {how}"}


def _measure_all(measure: Callable[[Any], Result], kernels: list[tuple[str, Any]], write: int) -> NoReturn:
    """Send each result as soon as it is there. What MLIR prints about an error belongs to the verdict."""
    for name, kernel in kernels:
        signal.alarm(LIMIT)
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
            for stream in (1, 2):
                os.dup2(printed.fileno(), stream)
            result = measure(kernel)
            printed.seek(0)
            errors = [line.split("error: ", 1)[1] for line in printed if "error: " in line]
        if errors and result["verdict"] not in ("takes", "runs"):
            result["verdict"] += f" [{errors[0].strip()[:WORDS]}]"
        os.write(write, (json.dumps([name, result]) + "\n").encode())
    os._exit(0)


def compiled(kernel: Any) -> Result:
    """The front end's verdict, and if it takes the kernel what the rest of the pipeline says, for sm_80."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from compiler.arguments import parameters

    given = parameters(kernel.fn)
    target = GPUTarget("cuda", 80, 32)
    source = ASTSource(
        kernel,
        {name: kind for name, (kind, _) in given.items()},
        {name: value for name, (kind, value) in given.items() if kind == "constexpr"},
        {(place,): [["tt.divisibility", 16]] for place, (kind, _) in enumerate(given.values()) if str(kind)[0] == "*"},
    )
    try:
        _front_end(source, target)
    except Exception as error:
        return {"verdict": f"refuses: {refusal(error)}"}
    if os.environ.get(FRONT_END_ONLY):
        return {"verdict": "takes"}
    try:
        triton.compile(source, target=target)
    except Exception as error:
        return {"verdict": f"takes, then fails: {words(error)}"}
    return {"verdict": "takes"}


def _front_end(source: Any, target: Any) -> None:
    """What `triton.compile` does first: the kernel's source becomes Triton's IR, or is refused."""
    from triton._C.libtriton import ir
    from triton.compiler.compiler import make_backend

    backend, context = make_backend(target), ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions = backend.get_codegen_implementation(backend.parse_options({}))
    source.make_ir(target, backend.parse_options({}), functions, backend.get_module_map(), context)


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


def launched(kernel: Any) -> Result:
    """Run it as this process interprets kernels: what it wrote, or why it could not."""
    from compiler.arguments import PROGRAMS, TENSORS, parameters, tensor

    given = parameters(kernel.fn)
    arguments = {name: tensor(name) if name in TENSORS else value for name, (_, value) in given.items()}
    try:
        kernel[(PROGRAMS,)](*arguments.values())
    except Exception as error:
        inner = error
        while inner.__cause__ is not None:
            inner = inner.__cause__
        kind = "faults" if type(inner).__name__ == "MemoryFaults" else "refuses"
        return {"verdict": f"{kind}: {_line_of(inner, kernel)}{words(inner)}"}
    outputs = {name: arguments[name].double().tolist() for name in given if name in TENSORS}
    return {"verdict": "runs", "outputs": outputs}


def _line_of(error: BaseException, kernel: Any) -> str:
    file, first = inspect.getsourcefile(kernel.fn), kernel.fn.__code__.co_firstlineno
    trace, line = error.__traceback__, None
    while trace is not None:
        code = trace.tb_frame.f_code
        if (code.co_filename, code.co_name) == (file, kernel.fn.__name__):
            line = trace.tb_lineno - first
        trace = trace.tb_next
    return f"line {line}: " if line is not None else ""


def checked(kernel: Any) -> Result:
    """What our front end says, which needs no compiled library."""
    from compiler.arguments import parameters
    from triton_workshop.compiler.front_end import refused_by_types
    from triton_workshop.compiler.launches import Specialization

    given = parameters(kernel.fn)
    constants = {(place,): value for place, (kind, value) in enumerate(given.values()) if kind == "constexpr"}
    refusal = refused_by_types(Specialization(kernel, {n: kind for n, (kind, _) in given.items()}, constants, {}, {}))
    return {"verdict": f"refuses: {refusal.words[:WORDS]}" if refusal else "takes"}


COLUMNS: dict[str, Callable[[Any], Result]] = {
    "compiler": compiled,
    "types": checked,
    "interpreter": launched,
    "simulator": launched,
}
INTERPRETED = ("interpreter", "simulator")


# All columns together.


def write_verdicts(results: dict[str, Result]) -> None:
    """Record what the compiler of this version says; what other versions said stays."""
    known: dict[str, dict[str, str]] = json.loads(VERDICTS.read_text()) if VERDICTS.exists() else {}
    import triton

    installed = triton.__version__
    merged = {name: {**known.get(name, {}), installed: result["verdict"]} for name, result in results.items()}
    known.update({name: dict(sorted(verdicts.items())) for name, verdicts in merged.items()})
    VERDICTS.write_text(json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n")


def print_table(columns: dict[str, dict[str, Result]], *, only_differences: bool) -> None:
    print("| construct | " + " | ".join(columns) + " | agree |")
    print("| --- |" + " --- |" * (len(columns) + 1))
    agree = 0
    names = list(columns["compiler"])
    for name in names:
        results = {column: by_name[name] for column, by_name in columns.items()}
        said = agreement(results)
        agree += said == "yes"
        if said != "yes" or not only_differences:
            cells = [results[column]["verdict"].replace("|", "\\|").replace("\n", " ") for column in columns]
            print(f"| {name} | {' | '.join(cells)} | {said} |")
    takes = sum(result["verdict"] == "takes" for result in columns["compiler"].values())
    print(f"\n{len(names)} constructs, of which the compiler takes {takes}; the simulator agrees on {agree}.")


def agreement(results: dict[str, Result]) -> str:
    """Whether the simulator says what the compiler says, and computes what Triton's interpreter computes."""
    takes = results["compiler"]["verdict"] == "takes"
    ours, theirs = results["simulator"], results["interpreter"]
    if takes is ours["verdict"].startswith("refuses"):
        return "only the compiler takes it" if takes else "the compiler refuses it"
    if not takes:
        return "the compiler refuses it" if not ours["verdict"].startswith("refuses") else "yes"
    if "outputs" in ours and "outputs" in theirs and not same(ours["outputs"], theirs["outputs"]):
        return "other output than the interpreter's"
    return "yes" if ours["verdict"] == "runs" else ours["verdict"].split(":")[0]


def same(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> bool:
    pairs = [(a, b) for name in ours for a, b in zip(ours[name], theirs[name], strict=True)]
    return all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5) or (a != a and b != b) for a, b in pairs)


if __name__ == "__main__":
    main()
