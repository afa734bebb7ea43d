"""Runs a right script with the other configurations of its autotuner.

The simulator takes the first one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from triton_workshop.checking.diagnosing.tile_sizes import OtherSize, is_refused
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source, argument_of
from triton_workshop.exercises.cases import Case


def find_configuration(
    source: Source,
    cases: Sequence[Case],
    observe: Callable[[str, Case], Observation | None],
    right: Callable[[str, Case], bool],
) -> OtherSize | None:
    """Find a configuration with which the script goes wrong.

    The arguments are as in `other_size_of`.
    """
    for configurations in _lists(source):
        first, *rest = (_text(source, configuration) for configuration in configurations.elts)
        for number, moved in enumerate(rest, start=2):
            others = [configuration for configuration in rest if configuration is not moved]
            text = _with_first(source, configurations, [moved, first, *others])
            for case in cases:
                observation = observe(text, case)
                if observation is None or is_refused(observation, text):
                    break
                if not right(text, case):
                    return OtherSize(
                        "the first configuration of triton.autotune", f"number {number}", case.name, observation
                    )
    return None


def _lists(source: Source) -> Iterator[ast.List]:
    """The lists of configurations that stand in the script, with two at least."""
    for call in source.calls("autotune"):
        match argument_of(call, 0, "configs"):
            case ast.List([_, _, *_]) as configurations:
                yield configurations


def _text(source: Source, node: ast.expr) -> str:
    return ast.get_source_segment(source.text, node) or ast.unparse(node)


def _with_first(source: Source, configurations: ast.List, texts: Sequence[str]) -> str:
    """Return the script's text with configurations in another order.

    They stay on the lines on which they were.
    """
    old = _text(source, configurations)
    new = f"[{', '.join(' '.join(text.split()) for text in texts)}]"
    return source.text.replace(old, new + "\n" * old.count("\n"), 1)
