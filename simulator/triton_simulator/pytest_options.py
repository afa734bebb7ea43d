"""Options of the pytest plugin.

They are known wherever the package is installed, so this imports neither Triton nor the simulator.
"""

from __future__ import annotations

import pytest

SIMULATOR = "--triton-simulator"
REPORT = "--triton-report"
STEPS = "--triton-steps"
PROGRAM = "--triton-program"
STRICT_VIEWS = "--triton-strict-views"
NO_COMPILER = "--no-triton-compiler"
_HELP = {
    SIMULATOR: "run Triton kernels on the CPU; a test fails if its kernel breaks memory, races, waits for ever or is "
    "refused",
    REPORT: "list the Triton kernels that ran on the simulator, with launches, faults, and undefined results",
    STEPS: "show in a failed test's report what the program at fault did, or program 0: each line with its value",
    STRICT_VIEWS: "let kernels access the elements of a view only, and not the rest of the tensor that it is of",
    NO_COMPILER: "do not ask Triton's front end whether the kernels that tests launch compile for a GPU",
}


def add_options(parser: pytest.Parser) -> None:
    """Add the options, unless another of our plugins has done so."""
    group = parser.getgroup("triton-simulator", "Triton kernels without a GPU")
    if not group.options:
        for option, help in _HELP.items():
            group.addoption(option, action="store_true", help=help)
        help = "the program that --triton-steps shows, such as 3 or 1,0; by default the one at fault, or program 0"
        group.addoption(PROGRAM, metavar="IDS", default="", help=help)


def option_without_simulator(options: object) -> str:
    """Return an option that needs the simulator, if one is given.

    Otherwise the string is empty.
    """
    return next(
        (each for each in (REPORT, STEPS, PROGRAM, STRICT_VIEWS) if getattr(options, _attribute(each), False)), ""
    )


def _attribute(option: str) -> str:
    return option.lstrip("-").replace("-", "_")
