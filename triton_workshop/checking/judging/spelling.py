"""Which of two spellings of a name is the odd one out: that where it gets its value, or that where it is read."""

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

ALIKE = 0.6
"""From what ratio of difflib's on one of two names is taken for the other."""
MUCH_ALIKE = 0.8
"""The same where one of them is right by itself, as far as is known."""


@dataclass(frozen=True)
class Definition:
    """Where a name gets its value."""

    name: str
    line: int
    hints: tuple[str, ...] = ()
    """What to say if it is misspelt."""


def misspelt_definition(source: Source, failure: Failure) -> Definition | None:
    """The definition of a name that is much like one that a line reads and nothing defines, if that is the failure.

    None if something reads that name as it is spelt there: then the line has misspelt it. None as well if only the
    defined name is one of the exercise's.
    """
    found = re.search(r"name '(\w+)' is not defined|variable '(\w+)'", failure.message)
    if found is None:
        return None
    name, line = found[1] or found[2], failure.line
    inside = source.function_at(line)
    # A name of another function is the right one there, rather than a misspelt one here.
    cutoff = ALIKE if _owner(source, name, inside) is None else MUCH_ALIKE
    scopes = [(_defined_in(inside), set(names_loaded(inside)))] if inside else []
    scopes.append((_defined_in(source.tree), {word for node in source.tree.body for word in names_loaded(node)}))
    for definitions, read in scopes:
        unread = {each.name: each for each in definitions if each.name not in read and each.name != name}
        for close in difflib.get_close_matches(name, unread, 1, cutoff):
            theirs = _words(source.exercise)
            if close in theirs and name not in theirs:
                return None
            where = "" if line is None else f" on line {line}"
            told = f"{name} is read{where}, and nothing defines it. {close} is defined here, and nothing reads it."
            advice = f"They are meant to be one name, it seems. Spell it {name} here, or {close} there."
            return replace(unread[close], hints=(told, advice))
    return None


def _words(exercise: Exercise) -> set[str]:
    """All words of the exercise as it is shipped, and of its solution."""
    return set(re.findall(r"\w+", exercise.shipped_text + exercise.solution))


def unread_lookalike(source: Source) -> Definition | None:
    """The definition of a name that nothing reads, and that is much like one that is read; None unless there is one.

    A name that the exercise has too is not misspelt.
    """
    found, theirs = [], _words(source.exercise)
    for function in filter(None, (*source.kernels, source.launcher)):
        read = set(names_loaded(function))
        for each in _defined_in(function):
            if each.name not in read | theirs and (close := difflib.get_close_matches(each.name, read, 1, MUCH_ALIKE)):
                told = f"Nothing reads {each.name}, which gets its value here. Is {close[0]} meant?"
                found.append(replace(each, hints=(told, f"The lines that read {close[0]} do not see this value.")))
    return found[0] if len(found) == 1 else None


def known_as(source: Source, failure: Failure) -> str:
    """Say where an undefined name is defined, or which name looks like it; empty if there is no such name.

    Of a name that the solution has in that function, the line that gives it its value is missing.
    """
    found = re.search(r"name '(\w+)' is not defined", failure.message)
    inside = source.function_at(failure.line)
    if found is None or inside is None:
        return ""
    name, names = found[1], names_in(inside)
    if name in _names_of_solution(source, inside):
        return f"No line of {inside.name} gives {name} a value. Was there one that did?"
    if (other := _owner(source, name, inside)) is not None:
        own = ", ".join(argument.arg for argument in inside.args.args[:3])
        return f"{name} is a name in {other.name}. Here, in {inside.name}, the parameters are called {own}."
    close = difflib.get_close_matches(name, names - {name}, 1)
    return f"{name} is not defined anywhere. Did you mean {close[0]}?" if close else ""


def _names_of_solution(source: Source, inside: Function) -> set[str]:
    """The names that the solution has in a function of the same name; none if it has no such function."""
    solution = replace(source, text=source.exercise.solution)
    with suppress(SyntaxError):  # the learner has spoilt it
        functions = (each for each in (*solution.kernels, solution.launcher) if each and each.name == inside.name)
        return {name for each in functions for name in names_in(each)}
    return set()


def _owner(source: Source, name: str, inside: Function | None) -> Function | None:
    """Of the kernel and the launcher, the one that has this name, if it is not the one that it is read in."""
    others = (each for each in (source.kernel, source.launcher) if each is not None and each is not inside)
    return next((each for each in others if name in names_in(each)), None)


def _defined_in(scope: ast.AST) -> Iterator[Definition]:
    """What a function, or a module outside of its functions and classes, gives a value to; the last one first."""
    found: list[Definition] = []
    waiting: list[ast.AST] = [scope]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name):
                found.append(Definition(name, node.lineno))
            case ast.alias(name, other):
                found.append(Definition(other or name.partition(".")[0], node.lineno))
            case ast.FunctionDef(name) if node is not scope:
                found.append(Definition(name, node.lineno))
                continue
            case ast.ClassDef() if node is not scope:
                continue
        waiting += ast.iter_child_nodes(node)
    return iter(sorted(found, key=lambda each: -each.line))
