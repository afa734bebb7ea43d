"""Right kernels, each with one thing changed at random: `python -m simulator.tests.corruptions COUNT`.

Whatever they do, the process lives: an access is refused, an error is raised, or a result is wrong.
"""

from __future__ import annotations

import ast
import collections
import copy
import faulthandler
import inspect
import os
import random
import signal
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

NUMBERS = (-1, 0, 1, 2, 7, 31, 32, 1000, 2**20, 2**31 - 1)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def corrupt(function: ast.FunctionDef, chance: random.Random) -> ast.FunctionDef:
    """A copy of a kernel in which one thing differs."""
    changed = copy.deepcopy(function)
    inside = [node for statement in changed.body for node in ast.walk(statement)]
    names = sorted({node.id for node in inside if isinstance(node, ast.Name)} - {"tl"})
    chance.shuffle(inside)
    for node in inside:
        if isinstance(node, ast.Name) and chance.random() < 0.9:
            continue  # most of these give a type error and nothing else
        if isinstance(node, ast.Constant) and type(node.value) is int:
            node.value = chance.choice(NUMBERS)
        elif isinstance(node, ast.BinOp):
            node.op = chance.choice(OPERATORS)()
        elif isinstance(node, ast.Compare):
            node.ops = [chance.choice(COMPARISONS)()]
        elif isinstance(node, ast.Call) and node.keywords:
            node.keywords.pop(chance.randrange(len(node.keywords)))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            node.id = chance.choice(names)
        else:
            continue
        return changed
    return changed


PLANTED = """
def loads_too_far(x_ptr):
    tl.store(x_ptr + tl.program_id(0), tl.load(x_ptr + 64))

def stores_too_far(x_ptr):
    tl.store(x_ptr + 64, 1.0)

def races(x_ptr):
    tl.store(x_ptr, tl.program_id(0))
"""
"""What chance need not find, whichever kernels there are: one of each fault."""


def compiled(function: ast.FunctionDef, names: dict[str, Any], path: Path) -> Any:
    """The kernel, from a file of its own: Triton reads its source."""
    function.decorator_list = [ast.parse("triton.jit", mode="eval").body]
    source = ast.unparse(ast.fix_missing_locations(function))
    path.write_text(source, encoding="utf-8")
    space = dict(names)
    exec(compile(source, path, "exec"), space)
    return space[function.name]


def too_long(_signal: int, _frame: Any) -> None:
    raise TimeoutError


def main() -> None:
    faulthandler.enable()
    os.environ["TRITON_INTERPRET"] = "1"
    from triton_simulator import KernelFaults

    from . import executors, test_right_kernels  # noqa: F401

    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    outcomes: collections.Counter[str] = collections.Counter()
    signal.signal(signal.SIGALRM, too_long)
    with tempfile.TemporaryDirectory() as folder:
        for function in ast.parse(PLANTED).body:
            assert isinstance(function, ast.FunctionDef)
            kernel = compiled(function, vars(test_right_kernels), Path(folder) / f"{function.name}.py")
            try:
                kernel[(4,)](test_right_kernels.torch.zeros(64))
            except KernelFaults as faults:
                outcomes[f"planted {faults.faults[0].kind}"] += 1
        for number in range(int(sys.argv[1])):
            case = chance.choice(test_right_kernels.CASES)
            tree = ast.parse(textwrap.dedent(inspect.getsource(case.kernel.fn)))
            function = corrupt(tree.body[0], chance)
            kernel = compiled(function, vars(test_right_kernels), Path(folder) / f"kernel_{number}.py")
            # Again and again: where one error is answered by a run program by program, the next one ends that too.
            signal.setitimer(signal.ITIMER_REAL, 2, 0.5)
            try:
                result, expected = case.run(kernel)
                outcomes["right" if result.equal(expected) else "another result"] += 1
            except KernelFaults as faults:
                outcomes[faults.faults[0].kind] += 1
            except TimeoutError:
                outcomes["too long"] += 1
            except Exception as error:
                outcomes[type(error).__name__] += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    print({str(outcome): count for outcome, count in outcomes.items()})


if __name__ == "__main__":
    main()
