"""Launches of `triton.autotune` on the simulator.

Their times would mean nothing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from triton.runtime.autotuner import Autotuner

from triton_simulator.launch.executor import is_refused, launch_lock
from triton_simulator.launch.refusals import check_tuned

_original_run = Autotuner.run


def run_tuned(tuner: Any, *arguments: Any, **named: Any) -> Any:
    """Launch the first configuration that compiles.

    The search is done once for each key of the tuner.

    As with Triton's tuner, one that fails a `tl.static_assert` is not taken. If none is left, raises what the last one
    raised. Where Triton would compare configurations, its hook leaves the tensors as after that: reset to zero.
    """
    with launch_lock:
        # Triton's pruning reads the arguments there.
        tuner.nargs = dict(zip(tuner.arg_names, arguments, strict=False))
        try:
            if len(tuner.configs) == 1:
                return _launch(tuner, tuner.configs[0], arguments, named)
            key = _key(tuner, named)
            if key in tuner.cache:
                return _launch(tuner, tuner.cache[key], arguments, named)
            configurations = tuner.prune_configs(named)
            compares = len(configurations) > 1 or not _skips_single_configuration()
            *candidates, last = configurations
            for configuration in candidates:
                with _suppress_refusal():
                    return _launch(tuner, configuration, arguments, named, key=key, compares=compares)
            return _launch(tuner, last, arguments, named, key=key, compares=compares)
        finally:
            tuner.nargs = None


def _key(tuner: Any, named: dict[str, Any]) -> tuple[Any, ...]:
    """Return the key for which Triton's tuner keeps a configuration.

    It consists of the tuner's key arguments and all types.
    """
    arguments = {name: value for name, value in {**tuner.nargs, **named}.items() if name in tuner.arg_names}
    values = [arguments[name] for name in tuner.keys if name in arguments]
    return (*values, *(str(value.dtype) for value in arguments.values() if hasattr(value, "dtype")))


@functools.cache
def _skips_single_configuration() -> bool:
    """Return whether the tuner times nothing for a single configuration.

    One may be left by pruning. Triton 3.6 times it all the same.
    """
    return "len(pruned_configs) == 1" in inspect.getsource(_original_run)


def _launch(
    tuner: Any,
    configuration: Any,
    arguments: tuple[Any, ...],
    named: dict[str, Any],
    *,
    key: tuple[Any, ...] | None = None,
    compares: bool = False,
) -> Any:
    tuned = configuration.all_kwargs()
    check_tuned(tuner.base_fn.__name__, named, tuned)
    all_arguments = {**tuner.nargs, **named, **tuned}
    tuner.best_config = configuration
    if compares:
        tuner.pre_hook(all_arguments, reset_only=True)
    if configuration.pre_hook is not None:
        configuration.pre_hook(all_arguments)
    result = tuner.fn.run(*arguments, **named, **tuned)
    if key is not None:
        tuner.cache[key] = configuration
    return result


@contextmanager
def _suppress_refusal() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not is_refused(error):
            raise
