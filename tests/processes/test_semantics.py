"""What a script sees is what `python -u FILE` would show it, cold and warm alike."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.processes import finish
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="warm processes are forks, on Linux only")

MATMUL = """
from triton_workshop import DEVICE, cdiv
import torch, triton
import triton.language as tl

@triton.jit
def double_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    tl.store(y_ptr + offsets, 2 * tl.load(x_ptr + offsets, mask=mask), mask=mask)

x = torch.arange(1000.0, device=DEVICE)
y = torch.empty_like(x)
double_kernel[(cdiv(1000, 256),)](x, y, 1000, BLOCK_SIZE=256)
print(torch.equal(y, x + x), (torch.ones(300, 300, device=DEVICE) @ torch.ones(300, 300, device=DEVICE)).sum().item())
"""
THREADS_AND_EXIT = """
import atexit, threading, time
class Last:
    def __del__(self): print("finalizer")
held = Last()
atexit.register(print, "exit handler")
def late():
    time.sleep(0.05)
    print("thread")
threading.Thread(target=late).start()
print("main")
"""
SPAWN = """
import multiprocessing, os
def square(x): return x * x
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        print(pool.map(square, [3, 4]))
"""
PICKLE = """
import pickle
class Point: pass
print(type(pickle.loads(pickle.dumps(Point()))) is Point)
"""
FORK = """
import os, sys
child = os.fork()
if child == 0:
    print("child")
    sys.exit(0)
os.waitpid(child, 0)
print("parent")
"""

SAME = {
    "module": "import sys; print(sys.modules['__main__'].__dict__ is globals(), sorted(globals()))",
    "module's values": "print(__doc__, __package__, __spec__, __cached__, __annotations__)",
    "path": "import sys, os; print(sys.path[0] == os.path.dirname(__file__), '' in sys.path)",
    "flags": "import sys; print(sys.flags, sys.orig_argv[:2])",
    "encodings": "import sys; print([(s.encoding, s.errors, s.isatty(), s.name) for s in (sys.stdout, sys.stderr)])",
    "streams": "import sys; print(sys.stdout.write_through, sys.stdout.line_buffering, sys.stdout is sys.__stdout__)",
    "signals": "import signal; print([signal.getsignal(n) for n in (2, 15, 17, 13)], signal.pthread_sigmask(0, []))",
    "threads": "import threading; print(threading.active_count(), threading.current_thread().name)",
    "leader of a session": "import os; print(os.getsid(0) == os.getpgid(0) == os.getpid())",
    "descriptors": "import os; print(sorted(int(f) for f in os.listdir('/proc/self/fd'))[:3])",
    "no line feed": "import sys; sys.stdout.write('a'); sys.stderr.write('b'); sys.stdout.write('c')",
    "bytes": r"import os, sys; os.write(1, b'\xff\x00\xfe'); sys.stdout.buffer.write(b'\x80\n')",
    "future": "def f(x: undefined): pass",
    "exit with a number": "import sys; sys.exit(7)",
    "exit beyond 255": "import sys; sys.exit(259)",
    "exit with minus one": "import sys; sys.exit(-1)",
    "exit with a text": "import sys; sys.exit('enough')",
    "exit with nothing": "raise SystemExit",
    "exit at once": "import os; os._exit(9)",
    "error": "def f():\n    return 1 / 0\n\nf()",
    "error with a cause": "try:\n    {}['x']\nexcept KeyError as e:\n    raise ValueError('no') from e",
    "group of errors": "raise ExceptionGroup('many', [ValueError('one'), TypeError('two')])",
    "recursion": "def f(): f()\ntry: f()\nexcept RecursionError as e: print(e)",
    "syntax error": "x = (1,\nprint(2)",
    "wrong indentation": "if True:\nprint(1)",
    "encoding cookie": "# -*- coding: utf-8 -*-\nprint('ü')",
    "own error hook": "import sys\nsys.excepthook = lambda *e: print('hook', e[0].__name__)\n1 / 0",
    "interrupt": "raise KeyboardInterrupt",
    "terminated": "import os, time; os.kill(os.getpid(), 15); time.sleep(60)",
    "crash": "import ctypes; ctypes.string_at(0)",
    "threads, exit handlers, finalizers": THREADS_AND_EXIT,
    "error in an exit handler": "import atexit\natexit.register(lambda: 1 / 0)\nprint('done')",
    "error in a thread": "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
    "source of a function": "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f))",
    "source of a class": "import inspect\nclass C:\n    x = 1\nprint(inspect.getsource(C))",
    "pickle": PICKLE,
    "spawned pool": SPAWN,
    "fork": FORK,
    "import of a neighbour": "import neighbour; print(neighbour.value, neighbour.__file__.endswith('neighbour.py'))",
    "kernel": MATMUL,
    "warning": "import warnings; warnings.warn('careful')",
    "deprecation": "import warnings; warnings.warn('old', DeprecationWarning)",
    "nothing": "",
}


def without_places(text: str) -> list[str]:
    """Text without what differs from run to run: the temporary folder, addresses, thread numbers."""
    return re.sub(r"(?:workshop-\w+/?)+|0x[0-9a-f]+|Thread-\d+", "*", text).split("\n")


@pytest.mark.parametrize("claim", SAME)
def test_a_warm_run_is_as_a_cold_one(warm: Runner, tmp_path: Path, claim: str) -> None:
    (tmp_path / "neighbour.py").write_text("value = 5\n")
    source = SAME[claim].replace(
        "import neighbour", f"import sys; sys.path.append({str(tmp_path)!r}); import neighbour"
    )
    cold_text, cold = finish(Run, source, tmp_path)
    warm_text, outcome = finish(warm.run, source, tmp_path)
    assert without_places(warm_text) == without_places(cold_text)
    assert outcome.reason == cold.reason


def test_a_traceback_has_the_scripts_lines_only(warm: Runner, tmp_path: Path) -> None:
    source = "import torch\ndef call():\n    torch.nn.Linear(2, 3)(torch.ones(5))\ncall()"
    printed, _ = finish(warm.run, source, tmp_path)
    assert "shapes" in printed
    assert re.findall(r'/(\w+)\.py", line (\d+), in', printed) == [("block", "4"), ("block", "3")]


def test_random_numbers_differ_from_run_to_run(warm: Runner, tmp_path: Path) -> None:
    source = "import random, numpy, torch\nprint(random.random(), numpy.random.rand(), torch.rand(1).item())"
    printed = [word for _ in range(2) for word in finish(warm.run, source, tmp_path)[0].split()]
    assert len(set(printed)) == 6
