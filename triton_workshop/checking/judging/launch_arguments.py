"""Arguments of a launch, and the parameters that they go to."""

from __future__ import annotations

import ast
import re

from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.source import Function, Source
from triton_workshop.hints import sentence

_MISSING = re.compile(r"(\w+)\(\) missing (\d+) required positional arguments?: (.*)")
_UNEXPECTED = re.compile(r"(\w+)\(\) takes (\d+) positional arguments? but (\d+)")


def explain_argument_count(source: Source, failure: Failure) -> str:
    """Explain which argument of a launch is missing or too many.

    Python names the last parameters, as arguments go by position: the first argument that is named like another
    parameter shows where they began to be shifted. Empty if the error is another one.
    """
    match = _MISSING.match(failure.message) or _UNEXPECTED.match(failure.message)
    if match is None:
        return ""
    kernel = next((kernel for kernel in source.kernels if kernel.name == match[1]), None)
    if kernel is None:
        return ""
    launch = next((call for call in source.calls() if _is_launch(call, kernel)), None)
    if launch is None:
        return ""
    parameters = [parameter.arg for parameter in (*kernel.args.posonlyargs, *kernel.args.args)]
    keywords = {keyword.arg for keyword in launch.keywords}
    is_missing = match.re is _MISSING
    # One of Python's messages counts the missing arguments, the other those that were passed.
    passed = len(parameters) - len(keywords.intersection(parameters)) - int(match[2]) if is_missing else int(match[3])
    arguments = _positional_arguments(launch, passed)
    # A tuple in place of its numbers is the likeliest reason, and shifts all that follow.
    plain = [text for text in arguments if not text.startswith("*")]
    tuples = [text for text in plain if text.endswith((".stride()", ".shape"))]
    if tuples:
        return sentence("launch.tuple", argument=tuples[0])
    # Not strict: that their numbers differ is the error.
    for parameter, argument in zip(parameters, arguments, strict=False):
        if _is_for_another(parameter, argument, parameters):
            return sentence("launch.shifted", parameter=parameter, argument=argument)
    count = len(parameters)
    if is_missing:
        return sentence("launch.too-few", kernel=kernel.name, number=count, missing=match[3])
    names = ", ".join(parameters)
    return sentence("launch.too-many", kernel=kernel.name, number=count, passed=passed, parameters=names)


def _is_launch(call: ast.Call, kernel: Function) -> bool:
    launched = call.func.value if isinstance(call.func, ast.Subscript) else None
    return isinstance(launched, ast.Name) and launched.id == kernel.name


def _positional_arguments(launch: ast.Call, passed: int) -> list[str]:
    """Return the argument that each parameter gets, as it is written.

    Each starred argument takes the same number of parameters. Empty if that does not come out even.
    """
    stars = sum(isinstance(argument, ast.Starred) for argument in launch.args)
    share, rest = divmod(passed - len(launch.args) + stars, stars) if stars else (0, 0)
    if rest or share < 0:
        return []
    texts: list[str] = []
    for argument in launch.args:
        count = share if isinstance(argument, ast.Starred) else 1
        texts += [ast.unparse(argument)] * count
    return texts


def _is_for_another(parameter: str, argument: str, parameters: list[str]) -> bool:
    """Return whether an argument has the name of another parameter."""
    # A tensor `x` goes to a parameter `x_ptr`.
    candidates = {argument, f"{argument}_ptr"}
    return parameter not in candidates and not candidates.isdisjoint(parameters)
