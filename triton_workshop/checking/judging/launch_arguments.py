"""Which argument of a launch went to which of the kernel's parameters."""

from __future__ import annotations

import ast
import re

from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.source import Function, Source

_MISSING = re.compile(r"(\w+)\(\) missing (\d+) required positional arguments?: (.*)")
_UNEXPECTED = re.compile(r"(\w+)\(\) takes (\d+) positional arguments? but (\d+)")


def missing_argument(source: Source, failure: Failure) -> str:
    """Say which parameter a launch has no argument for, or which argument is too many; empty if it is no such error.

    Python names the last parameters, as arguments go by position: the first argument that is named like another
    parameter shows where they began to be shifted.
    """
    found = _MISSING.match(failure.message) or _UNEXPECTED.match(failure.message)
    kernel = next((each for each in source.kernels if found and each.name == found[1]), None)
    launch = next((call for call in source.calls() if _launches(call, kernel)), None)
    if found is None or kernel is None or launch is None:
        return ""
    names = [parameter.arg for parameter in (*kernel.args.posonlyargs, *kernel.args.args)]
    known = {keyword.arg for keyword in launch.keywords}
    given = len(names) - len(known.intersection(names)) - int(found[2]) if found.re is _MISSING else int(found[3])
    arguments = _by_position(launch, given)
    tuples = [text for text in arguments if text.endswith((".stride()", ".shape")) and not text.startswith("*")]
    if tuples:
        return f"{tuples[0]} is one value here, a tuple. *{tuples[0]} passes its numbers one by one."
    shifted = next((pair for pair in zip(names, arguments, strict=False) if _is_for_another(*pair, names)), None)
    if shifted is not None:
        parameter, argument = shifted
        return f"{parameter} gets {argument} here: is the argument for {parameter} missing, or one before it too many?"
    if found.re is _MISSING:
        return f"{kernel.name} has {len(names)} parameters, and this launch has nothing for {found[3]}."
    return f"{kernel.name} has {len(names)} parameters, and this launch passes {given} values: {', '.join(names)}."


def _launches(call: ast.Call, kernel: Function | None) -> bool:
    of = call.func.value if isinstance(call.func, ast.Subscript) else None
    return kernel is not None and isinstance(of, ast.Name) and of.id == kernel.name


def _by_position(launch: ast.Call, given: int) -> list[str]:
    """What each parameter gets, as it is written; each starred argument takes its share of those that are left."""
    stars = sum(isinstance(argument, ast.Starred) for argument in launch.args)
    each, rest = divmod(given - len(launch.args) + stars, stars) if stars else (0, 0)
    if rest or each < 0:
        return []
    written = [[ast.unparse(argument)] * (each if isinstance(argument, ast.Starred) else 1) for argument in launch.args]
    return [text for texts in written for text in texts]


def _is_for_another(parameter: str, argument: str, names: list[str]) -> bool:
    """Whether an argument is named as another parameter is, and not as the one that it goes to."""
    meant = {argument, f"{argument}_ptr"}
    return parameter not in meant and not meant.isdisjoint(names)
