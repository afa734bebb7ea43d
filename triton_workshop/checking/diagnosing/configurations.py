"""Runs a right script again with each other configuration of its autotuner: the simulator takes the first one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from triton_workshop.checking.diagnosing.tile_sizes import OtherSize, is_refused
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import Case


def other_configuration_of(
    source: Source,
    cases: Sequence[Case],
    observe: Callable[[str, Case], Observation | None],
    right: Callable[[str, Case], bool],
) -> OtherSize | None:
    """Find a configuration with which the script goes wrong. The arguments are as in `other_size_of`."""
    for configurations in _lists(source):
        first, *others = (_text(source, each) for each in configurations.elts)
        for number, other in enumerate(others, start=2):
            text = _with_first(source, configurations, [other, first, *(each for each in others if each is not other)])
            for case in cases:
                seen = observe(text, case)
                if seen is None or is_refused(seen, text):
                    break
                if not right(text, case):
                    return OtherSize("the first configuration of triton.autotune", f"number {number}", case.name, seen)
    return None


def _lists(source: Source) -> Iterator[ast.List]:
    """The lists of configurations that stand in the script, with two at least."""
    for call in source.calls("autotune"):
        named = [keyword.value for keyword in call.keywords if keyword.arg == "configs"]
        for given in (*call.args[:1], *named):
            if isinstance(given, ast.List) and len(given.elts) > 1:
                yield given


def _text(source: Source, node: ast.expr) -> str:
    return ast.get_source_segment(source.text, node) or ast.unparse(node)


def _with_first(source: Source, configurations: ast.List, texts: Sequence[str]) -> str:
    """The script's text with the configurations in another order, on the lines on which they were."""
    before = _text(source, configurations)
    after = f"[{', '.join(' '.join(text.split()) for text in texts)}]"
    return source.text.replace(before, after + "\n" * before.count("\n"), 1)
