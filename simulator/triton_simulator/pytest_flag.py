"""Gives pytest the option `--triton-simulator`, which loads the plugin.

pytest imports this wherever the package is installed, so it imports neither Triton nor the simulator until it is asked.
"""

from __future__ import annotations

import pytest

from triton_simulator.pytest_options import SIMULATOR, add_options, option_without_simulator

PLUGIN = "triton_simulator.pytest_plugin"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Load the plugin if the option is given.

    Raises UsageError if another option needs it.
    """
    manager = early_config.pluginmanager
    if manager.has_plugin(PLUGIN):
        return
    options = early_config.known_args_namespace
    if options.triton_simulator:
        manager.import_plugin(PLUGIN)
        from triton_simulator import pytest_plugin

        pytest_plugin.pytest_load_initial_conftests()  # too late for pytest, which has begun to call this hook
    elif option := option_without_simulator(options):
        raise pytest.UsageError(f"{option} needs {SIMULATOR}.")
