"""Misspelt names, where they get their value or are read."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.source import Function, Source, names_in, names_loaded
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.hints import sentence, sentences

MIN_SIMILARITY = 0.6
"""From what ratio of difflib's on one of two names is taken for the other."""
MIN_SIMILARITY_TO_CORRECT_NAME = 0.8
"""The same where one of them is right by itself, as far as is known."""


@dataclass(frozen=True)
class Definition:
    """Definition of a name."""

    name: str
    line: int
    hints: tuple[str, ...] = ()
    """The hints if it is misspelt."""


def misspelt_definition(source: Source, failure: Failure) -> Definition | None:
    """Return the definition that misspells the undefined name of a failure.

    None if something reads the defined name as it is spelt there: then the failing line has misspelt it. None as well
    if only the defined name is one of the exercise's.
    """
    match = re.search(r"name '(\w+)' is not defined|variable '(\w+)'", failure.message)
    if match is None:
        return None
    name, line = match[1] or match[2], failure.line
    function = source.function_at(line)
    # A name of another function is the right one there, rather than a misspelt one here.
    is_new = _owner(source, name, function) is None
    cutoff = MIN_SIMILARITY if is_new else MIN_SIMILARITY_TO_CORRECT_NAME
    scopes = [(_definitions_in(function), set(names_loaded(function)))] if function else []
    scopes.append((_definitions_in(source.tree), set(names_loaded(source.tree))))
    for definitions, loaded_names in scopes:
        # Definitions come last one first, so the dictionary keeps the first of each name.
        unread = {
            definition.name: definition
            for definition in definitions
            if definition.name not in loaded_names and definition.name != name
        }
        for lookalike in difflib.get_close_matches(name, unread, 1, cutoff):
            exercise_names = _names_of_exercise(source.exercise)
            # The exercise spells it as the definition does: then the line that reads it has misspelt it.
            if lookalike in exercise_names and name not in exercise_names:
                return None
            return replace(unread[lookalike], hints=_misspelling_hints(name, line, lookalike))
    return None


def _misspelling_hints(name: str, line: int | None, definition: str) -> tuple[str, ...]:
    if line is None:
        return sentences("names.misspelt-definition", name=name, definition=definition)
    return sentences("names.misspelt-definition-on-line", name=name, line=line, definition=definition)


def _names_of_exercise(exercise: Exercise) -> set[str]:
    """Return all names in the exercise as it is shipped, and in its solution."""
    return set(re.findall(r"\w+", exercise.shipped_text + exercise.solution))


def unread_lookalike(source: Source) -> Definition | None:
    """Return the one unread definition that looks like a name that is read.

    A name that the exercise has too is not misspelt. None if there is no such definition, or more than one.
    """
    lookalikes, exercise_names = [], _names_of_exercise(source.exercise)
    for function in filter(None, (*source.kernels, source.launcher)):
        loaded_names = set(names_loaded(function))
        for definition in _definitions_in(function):
            name = definition.name
            if name in loaded_names | exercise_names:
                continue
            if close := difflib.get_close_matches(name, loaded_names, 1, MIN_SIMILARITY_TO_CORRECT_NAME):
                hints = sentences("names.never-read", name=name, lookalike=close[0])
                lookalikes.append(replace(definition, hints=hints))
    return lookalikes[0] if len(lookalikes) == 1 else None


def explain_undefined_name(source: Source, failure: Failure) -> str:
    """Explain an undefined name by where it is defined, or by a lookalike.

    The explanation is empty if there is neither. Of a name that the solution has in that function, the line that gives
    it its value is missing.
    """
    match = re.search(r"name '(\w+)' is not defined", failure.message)
    function = source.function_at(failure.line)
    if match is None:
        return ""
    if function is None:
        return ""
    name, names = match[1], names_in(function)
    if name in _names_of_solution(source, function):
        return sentence("names.no-value", function=function.name, name=name)
    if (owner := _owner(source, name, function)) is not None:
        parameters = ", ".join(argument.arg for argument in function.args.args[:3])
        return sentence(
            "names.of-another-function", name=name, other=owner.name, function=function.name, parameters=parameters
        )
    close = difflib.get_close_matches(name, names - {name}, 1)
    return sentence("names.undefined", name=name, lookalike=close[0]) if close else ""


def _names_of_solution(source: Source, function: Function) -> set[str]:
    """Return the names in the solution's function of the same name, if any."""
    solution = replace(source, text=source.exercise.solution)
    with suppress(SyntaxError):  # the learner has spoilt it
        functions = (*solution.kernels, solution.launcher)
        return {
            name
            for candidate in functions
            if candidate and candidate.name == function.name
            for name in names_in(candidate)
        }
    return set()


def _owner(source: Source, name: str, function: Function | None) -> Function | None:
    """Return the kernel or launcher with this name, unless it is `function`."""
    others = [candidate for candidate in (source.kernel, source.launcher) if candidate is not function]
    for other in others:
        if other is not None and name in names_in(other):
            return other
    return None


def _definitions_in(scope: ast.AST) -> Iterator[Definition]:
    """Yield the definitions in a function or module, the last one first.

    Those in functions and classes inside of it do not count.
    """
    definitions: list[Definition] = []
    pending: list[ast.AST] = [scope]
    while pending:
        node = pending.pop()
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name):
                definitions.append(Definition(name, node.lineno))
            case ast.alias(name, alias):
                # `import a.b` defines `a`.
                definitions.append(Definition(alias or name.partition(".")[0], node.lineno))
            case ast.FunctionDef(name) if node is not scope:
                definitions.append(Definition(name, node.lineno))
                continue
            case ast.ClassDef() if node is not scope:
                continue
        pending += ast.iter_child_nodes(node)
    return iter(sorted(definitions, key=lambda definition: -definition.line))
