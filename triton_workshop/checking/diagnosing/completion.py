"""Completion of an unfinished script with the solution's code.

That code takes the place of each `...`.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from triton_workshop.checking.diagnosing.alignment import Alignment, aligned
from triton_workshop.checking.diagnosing.repair import replace_slots
from triton_workshop.checking.diagnosing.statements import Statement, statements_of
from triton_workshop.checking.observing.source import Source, names_stored, stores_in
from triton_workshop.exercises.exercise import todo_lines
from triton_workshop.exercises.todos import OpenTodo, open_todos


@dataclass(frozen=True)
class Variant:
    """A script with the solution's code in some of its open TODOs."""

    source: Source
    origins: tuple[int | None, ...]
    """For each line its line in the script; None for the solution's."""

    def origin(self, line: int) -> int | None:
        """Return the line in the script, from the one here."""
        return self.origins[line - 1] if line <= len(self.origins) else None


@dataclass(frozen=True)
class Completion:
    """An unfinished script, and what completes it."""

    script: Source
    whole: Variant
    """With the solution's code in all open TODOs."""
    open: frozenset[int]

    @property
    def filled(self) -> tuple[int, ...]:
        """The TODOs that the learner has filled in."""
        count = len(self.script.exercise.hints)
        return tuple(number for number in range(1, count + 1) if number not in self.open)

    @cached_property
    def launched(self) -> Variant:
        """The script with the solution's code in the launcher only.

        The kernel goes as far as the learner's own code does.
        """
        launcher = self.script.launcher
        todos = (todo for todo in open_todos(self.script.text) if self.script.function_at(todo.line) is launcher)
        return _fill(self.script, [*todos] if launcher else [])

    @property
    def _alignment(self) -> Alignment:
        return aligned(self.whole.source)

    def keep_only(self, kept: Collection[int]) -> str | None:
        """Return the script with the learner's code in these TODOs only.

        None if some of it might be replaced: by what the solution's code elsewhere needs, or because a statement is
        taken for one of another TODO.
        """
        alignment = self._alignment
        slots = [slot for slot in alignment.different() if slot.solution.todo not in (None, *kept)]
        places = [(s.first, slot.solution.todo) for slot in alignment.slots for s in slot.matches]
        order = [todo for _, todo in sorted(places, key=lambda place: place[0]) if todo is not None]
        replaces_more = any(len(slot.matches) > 1 for slot in slots)
        needs_more = any(slot.solution.todo in kept for slot in alignment.with_needed(slots))
        return None if replaces_more or needs_more or order != sorted(order) else replace_slots(alignment, slots)

    def lines_by_todo(self) -> dict[int, frozenset[int]]:
        """Return the script's lines by filled TODO, as far as can be told.

        A statement that has no counterpart in the solution belongs to the TODO of the one before it, or is the first of
        the next one.
        """
        numbers = {s: slot.solution.todo for slot in self._alignment.slots for s in slot.matches}
        shipped = _statements(self.script, self.script.exercise.shipped_text)
        given = {(s.function, s.dump) for s in shipped}
        lines: dict[int, set[int]] = {number: set() for number in self.filled}
        last, current = 0, None
        for s in self._alignment.script:
            origin, last = self.whole.origin(s.first), numbers.get(s) or last
            if origin is None or (s.function, s.dump) in given:
                current = None
                continue
            current = numbers.get(s) or current or next((number for number in self.filled if number > last), None)
            if current in lines:
                lines[current].update(range(origin, origin + s.last - s.first + 1))
        return {number: frozenset(own) for number, own in lines.items()}

    def missing_names(self) -> dict[str, int]:
        """Return the names of the solution's kernel that the script lacks.

        They are the names in those TODOs that are filled in. Each comes with its TODO.
        """
        own = names_stored(self.script.kernel) if self.script.kernel else set[str]()
        return {
            name: s.todo
            for s in _statements(self.script, self.script.exercise.solution)
            for name in sorted(names_stored(s.node))
            if s.function == "kernel" and s.todo is not None and s.todo in self.filled and name not in own
        }

    def own_names(self) -> list[str]:
        """Return the names in the kernel that only the learner has, in order."""
        solution = replace(self.script, text=self.script.exercise.solution)
        known = names_stored(solution.kernel) if solution.kernel else set[str]()
        return list(dict.fromkeys(name.id for name in stores_in(self.script.kernel) if name.id not in known))


def complete(source: Source) -> Completion | None:
    """Return what completes a script.

    None if a `...` is none of the exercise's TODOs, or if no TODO is filled in. Raises SyntaxError.
    """
    exercise, todos = source.exercise, open_todos(source.text)
    numbers = frozenset(todo.number for todo in todos if todo.number)
    if not len(numbers) == len(todos) < len(exercise.hints) or not numbers <= _code_by_todo(exercise.solution).keys():
        return None
    whole = _fill(source, todos)
    try:
        whole.source.tree  # noqa: B018  # a `...` may have stood in brackets of several lines
    except SyntaxError:
        return None
    return Completion(source, whole, numbers)


def rename(source: Source, names: Mapping[str, str]) -> Source:
    """Return a script whose kernel has other names."""
    lines = [line.encode() for line in source.lines]  # as Python counts columns
    nodes = ast.walk(source.kernel) if source.kernel else iter(())
    uses = (node for node in nodes if isinstance(node, ast.Name) and node.id in names)
    for node in sorted(uses, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + names[node.id].encode() + line[node.end_col_offset :]
    return replace(source, text=b"\n".join(lines).decode())


def _fill(source: Source, todos: Sequence[OpenTodo]) -> Variant:
    """Return a script with the solution's code in these TODOs."""
    code, places = _code_by_todo(source.exercise.solution), {todo.line: todo.number for todo in todos}
    lines: list[tuple[str, int | None]] = []
    for number, line in enumerate(source.lines, 1):
        todo = places.get(number)
        if todo is None:
            lines.append((line, number))
        else:
            margin = line[: len(line) - len(line.lstrip())]
            lines += [(added, None) for added in textwrap.indent(code[todo], margin).split("\n")]
    return Variant(replace(source, text="\n".join(line for line, _ in lines)), tuple(origin for _, origin in lines))


def _code_by_todo(solution: str) -> dict[int, str]:
    """Return the solution's code for each TODO, without indentation."""
    lines, code = solution.splitlines(), dict[int, list[str]]()
    for number, todo in todo_lines(solution).items():
        code.setdefault(todo, []).append(lines[number - 1])
    return {todo: textwrap.dedent("\n".join(own)) for todo, own in code.items()}


def _statements(source: Source, text: str) -> tuple[Statement, ...]:
    return statements_of(replace(source, text=text))
