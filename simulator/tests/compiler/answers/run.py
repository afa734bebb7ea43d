"""Runs constructs on the simulator, and asks the front end and the compiler about them: a process for each.

`python -m simulator.tests.compiler.answers.run simulator FOLDER NAME …` writes to FOLDER what each construct asks of
the compiler, and `… compiler FOLDER NAME …` reads it there. Both print a line of JSON for each construct.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

CONSTRUCTS = Path(__file__).with_name("constructs.json")
HEAD = "import triton\nimport triton.language as tl\n"
"""How each construct's source begins, which the file leaves out."""


def constructs() -> dict[str, dict[str, Any]]:
    """The constructs by name: a source, a call, what an H200 gave, and what the compiler said.

    `gpu` has the results of one H200 under Triton 3.6.0, "refuses", or "not run"; `compiler` is whether Triton 3.9.0
    compiles it for sm_90, "compiles" or "refuses".
    """
    return {each["name"]: each for each in json.loads(CONSTRUCTS.read_text(encoding="utf-8"))}


def main() -> None:
    mode, folder, *names = sys.argv[1:]
    known = constructs()
    ask = {"simulator": _simulator, "compiler": _compiler}[mode]()
    for name in names:
        with contextlib.redirect_stdout(io.StringIO()):
            said = ask(known[name], Path(folder))
        print(json.dumps({"name": name, **said}), flush=True)


# On the simulator


def _simulator() -> Any:
    from triton_simulator import install

    install()
    import torch
    import triton

    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8))  # descriptors need it
    return _run


def _run(construct: dict[str, Any], folder: Path) -> dict[str, Any]:
    from triton_simulator.compiler.launches import Launches

    from .arguments import Arguments

    arguments, launches = Arguments(), Launches()
    said: dict[str, Any] = {}
    with warnings.catch_warnings(), launches.listen():
        warnings.simplefilter("ignore")
        try:
            eval(construct["call"], vars(_module(construct, folder)), arguments)
        except Exception as error:  # as a verdict
            said["refuses"] = f"{type(error).__name__}: {error}"
        else:
            said["results"] = arguments.results()
    (folder / construct["name"]).write_bytes(pickle.dumps(launches.kernels()))
    return said


def _module(construct: dict[str, Any], folder: Path) -> Any:
    file = folder / f"construct_{construct['name']}.py"
    source: str = construct["source"]
    future, _, rest = source.rpartition("from __future__ import annotations\n")
    file.write_text(f"{'from __future__ import annotations' if rest != source else ''}\n{future}{HEAD}{rest}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


# In the compiler


def _compiler() -> Any:
    from triton_simulator.compiler import pickling
    from triton_simulator.without_library import provide

    provide()
    pickling.prepare()
    return _ask


def _ask(construct: dict[str, Any], folder: Path) -> dict[str, Any]:
    from triton_simulator.compiler import pipeline
    from triton_simulator.compiler.front_end import read_by_types
    from triton_simulator.compiler.jobs import CompileJob
    from triton_simulator.compiler.pickling import CannotPickleError, load_kernel
    from triton_simulator.gpus import DEFAULT_TARGET
    from triton_simulator.without_library import has_library

    for kernel in pickle.loads((folder / construct["name"]).read_bytes()):
        try:
            special = load_kernel(kernel.data) if not kernel.unknown else None
            if special is None:
                return {"unknown": kernel.unknown}
            refusal, _ = read_by_types(special)
            if refusal is not None:
                return {"refuses": refusal.summary, "by": "front end"}
            if has_library():
                refusal = pipeline.compile_job(CompileJob(kernel, DEFAULT_TARGET), special).refusal
                if refusal is not None:
                    return {"refuses": refusal.summary, "by": "library"}
        except CannotPickleError as error:
            return {"unknown": str(error)}
    return {}


if __name__ == "__main__":
    main()
