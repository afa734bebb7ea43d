"""Gives pytest the option `--triton-simulator`, which loads the plugin.

pytest imports this wherever the package is installed, so it imports neither Triton nor the simulator until it is asked.
"""

from __future__ import annotations

import pytest

OPTION = "--triton-simulator"
PLUGIN = "triton_simulator.pytest_plugin"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--triton-simulator`."""
    help = (
        "run Triton kernels on the CPU; a test fails if its kernel breaks memory, races, waits for ever or is refused"
    )
    parser.getgroup("triton").addoption(OPTION, action="store_true", help=help)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the plugin if the option is given."""
    manager = early_config.pluginmanager
    if early_config.known_args_namespace.triton_simulator and not manager.has_plugin(PLUGIN):
        manager.import_plugin(PLUGIN)
        from triton_simulator import pytest_plugin

        pytest_plugin.pytest_load_initial_conftests()  # too late for pytest, which has begun to call this hook
