"""Completion of an unfinished script with the solution's code.

That code takes the place of each `...`.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from triton_workshop.checking.diagnosing.alignment import Alignment, Slot, SlotKind, align
from triton_workshop.checking.diagnosing.repair import replaced_lines
from triton_workshop.checking.diagnosing.statements import Statement, every_statement_of
from triton_workshop.checking.observing.source import (
    Source,
    names_loaded,
    names_stored,
    nodes_of,
    parameters_of,
    stores_in,
)
from triton_workshop.exercises.exercise import todo_lines
from triton_workshop.exercises.todos import OpenTodo, open_todos
from triton_workshop.scripts import lines_of

ARITHMETIC = (ast.Assign, ast.Name, ast.expr_context, ast.BinOp, ast.operator, ast.Constant)
"""Syntax of a statement that gives a name to a number."""


@dataclass(frozen=True)
class Variant:
    """A script with the solution's code in some of its TODOs."""

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
        return align(self.whole.source)

    def keep_only(self, kept: Collection[int]) -> Variant | None:
        """Return the script with the learner's code in these TODOs only.

        None if some of it might be replaced: by what the solution's code elsewhere needs, or because a statement is
        taken for one of another TODO.
        """
        alignment = self._alignment
        slots = [slot for slot in alignment.different_slots() if slot.solution.todo not in (None, *kept)]
        if self._may_replace_more(slots, kept):
            return None
        if not self._has_todos_in_order():
            return None
        with_owners = {s: owners for s, owners in self._unpaired.items() if owners}
        dropped = [s for s, owners in with_owners.items() if owners.isdisjoint(kept)]
        lines = replaced_lines(alignment, slots, dropped)
        text = "\n".join(line for line, _ in lines) + "\n"
        origins: list[int | None] = []
        for _, number in lines:
            origins.append(None if number is None else self.whole.origin(number))
        return Variant(replace(self.script, text=text), tuple(origins))

    def _may_replace_more(self, slots: Sequence[Slot], kept: Collection[int]) -> bool:
        """Return whether the code for these slots may replace some that is kept."""
        repeated = [slot for slot in slots if len(slot.matches) > 1]
        if any(map(self._may_be_of_another, repeated)):
            return True
        needed = {*self._alignment.with_needed(slots)} - self._dispensable
        return any(slot.solution.todo in kept for slot in needed)

    def _has_todos_in_order(self) -> bool:
        """Return whether the learner's statements come in the TODOs' order.

        If not, a statement is taken for one of another TODO.
        """
        places: list[tuple[int, int | None]] = []
        for slot in self._alignment.slots:
            places += [(s.first, slot.solution.todo) for s in slot.matches]
        places.sort(key=lambda place: place[0])
        todos = [todo for _, todo in places if todo is not None]
        return todos == sorted(todos)

    @cached_property
    def _dispensable(self) -> frozenset[Slot]:
        """Statements without which a TODO is complete.

        They name a number made of parameters, such as a plane's size, which the learner has not named.
        """
        begun = {slot.solution.todo for slot in self._alignment.slots if slot.matches}
        parameters, loaded = parameters_of(self.script.kernel), names_loaded(self.script.tree)
        empty = [slot for slot in self._alignment.slots if not slot.matches]
        of_begun = [slot for slot in empty if slot.solution.todo in begun]
        numbers = [slot for slot in of_begun if _names_a_number(slot.solution, parameters)]
        return frozenset(slot for slot in numbers if names_stored(slot.solution.node).isdisjoint(loaded))

    def _may_be_of_another(self, slot: Slot) -> bool:
        """Return whether another filled TODO lacks a statement.

        The script may have it where a statement of this slot is repeated.
        """
        others = {*self.filled} - {slot.solution.todo}
        return any(not other.matches for other in self._alignment.slots if other.solution.todo in others)

    @cached_property
    def _shipped_statements(self) -> set[tuple[str, str]]:
        """The statements of the shipped file, each with its function."""
        shipped = replace(self.script, text=self.script.exercise.shipped_text)
        return {(s.function, s.dump) for s in every_statement_of(shipped)}

    def _is_own(self, statement: Statement) -> bool:
        is_shipped = (statement.function, statement.dump) in self._shipped_statements
        return not is_shipped and self.whole.origin(statement.first) is not None

    @cached_property
    def _paired(self) -> dict[Statement, int | None]:
        """The statements with a counterpart in the solution, with its TODO."""
        slots = self._alignment.of_kind(SlotKind.SOLUTION)
        paired: dict[Statement, int | None] = {}
        for slot in slots:
            paired |= dict.fromkeys(slot.matches, slot.solution.todo)
        return paired

    @cached_property
    def _unpaired(self) -> dict[Statement, frozenset[int]]:
        """The learner's statements without a counterpart, with their TODOs.

        A comment says which it is, on its line or above. Else it is the TODO that lacks a statement there. Else a name
        belongs to the TODOs that use it, and what is left to the TODO before it or after it. It is none for a loop's
        first line.
        """
        statements = every_statement_of(self._alignment.source)
        unpaired = [s for s in statements if s not in self._paired]
        unpaired = [s for s in unpaired if self._is_own(s)]
        others = set[tuple[str, str]]().union(*(s.keys for s in statements if s not in unpaired))
        todos: dict[Statement, frozenset[int]] = {}
        # Backwards, because the TODOs of a name follow from its users, which come later.
        for s in reversed(unpaired):
            own = s.keys - others
            users = [user for user in statements if user is not s and not user.uses.isdisjoint(own)]
            owners = set[int | None]().union(*(todos.get(user, {self._paired.get(user)}) for user in users))
            commented = self._commented_todo(s)
            around, lacking = self._todos_around(s, statements)
            if isinstance(s.node, ast.For | ast.While):
                todos[s] = frozenset()
            elif commented in self.filled:
                todos[s] = frozenset({commented})
            elif lacking:
                todos[s] = frozenset(lacking[:1])
            elif users:
                todos[s] = frozenset(todo for todo in owners if todo in self.filled)
            else:
                todos[s] = frozenset(around[:1])
        return todos

    def _commented_todo(self, statement: Statement) -> int | None:
        """Return the TODO that a comment names, on a statement's line or above it.

        Those above count only if each filled TODO of the function has one: people leave some of them out.
        """
        lines = self._alignment.source.lines
        if at_end := re.search(r"\S.*# *TODO (\d+)", lines[statement.last - 1]):
            return int(at_end[1])
        ours = (slot.solution for slot in self._alignment.slots)
        of_function = {s.todo for s in ours if s.function == statement.function}
        if not {*map(_heading, lines)} >= of_function & {*self.filled}:
            return None
        above = reversed(lines[: statement.first - 1])
        # The search ends at the function's head, or at code whose own end has a TODO: neither is a heading.
        return next((_heading(line) for line in above if re.search(r"# *TODO \d+|^(?:async )?def ", line)), None)

    def _todos_around(self, statement: Statement, statements: Sequence[Statement]) -> tuple[list[int], list[int]]:
        """Return the filled TODOs around a statement, and which of them lack one."""
        place = statements.index(statement)
        # TODOs are numbered from top to bottom: the nearest is the largest before, the smallest after.
        todos = [self._paired.get(s) for s in statements]
        before = max(filter(None, todos[:place]), default=0)
        after = min(filter(None, todos[place:]), default=len(self.script.exercise.hints))
        slots = self._alignment.of_kind(SlotKind.SOLUTION)
        empty = [slot for slot in slots if not slot.matches]
        lacking = {slot.solution.todo for slot in empty if slot not in self._dispensable}
        nearest = [number for number in (before, after) if number in self.filled]
        between = [number for number in self.filled if before <= number <= after]
        return nearest, [number for number in between if number in lacking]

    def lines_by_todo(self) -> dict[int, frozenset[int]]:
        """Return the script's lines by filled TODO, as far as can be told."""
        lines: dict[int, set[int]] = {number: set() for number in self.filled}
        of_todos = {s: todo for s, todo in self._paired.items() if todo}
        own = {s: frozenset({todo}) for s, todo in of_todos.items() if self._is_own(s)}
        for s, todos in (own | self._unpaired).items():
            origin = self.whole.origin(s.first)
            for todo in todos & lines.keys():
                assert origin is not None, "it is the learner's own"
                lines[todo].update(range(origin, origin + s.last - s.first + 1))
        return {number: frozenset(own) for number, own in lines.items()}

    def missing_names(self) -> dict[str, int]:
        """Return the names of the solution's kernel that the script lacks.

        They are the names in those TODOs that are filled in. Each comes with its TODO.
        """
        own = names_stored(self.script.kernel) if self.script.kernel else set[str]()
        missing: dict[str, int] = {}
        slots = [slot for slot in self._alignment.slots if slot not in self._dispensable]
        for s in [slot.solution for slot in slots if slot.solution.function == "kernel"]:
            if s.todo in self.filled:
                missing |= dict.fromkeys(sorted(names_stored(s.node) - own), s.todo)
        return missing

    def names_of(self, lines: Collection[int]) -> list[str]:
        """Return the names that lines of the kernel assign, in order."""
        return list(dict.fromkeys(name.id for name in stores_in(self.script.kernel) if name.lineno in lines))

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
    if not len(numbers) == len(todos) < len(exercise.hints):
        return None
    if not numbers <= _code_by_todo(exercise.solution).keys():
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
    uses = (name for name in nodes_of(source.kernel, ast.Name) if name.id in names)
    # From right to left, so that the columns of the others stay valid.
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
    text = "\n".join(line for line, _ in lines)
    return Variant(replace(source, text=text), tuple(origin for _, origin in lines))


def _names_a_number(statement: Statement, parameters: set[str]) -> bool:
    """Return whether a statement gives a name to a number made of parameters."""
    used = {name for _, name in statement.uses}
    is_arithmetic = all(isinstance(node, ARITHMETIC) for node in ast.walk(statement.node))
    return is_arithmetic and used <= parameters


def _heading(line: str) -> int | None:
    """Return the TODO that a line is a comment on; None for code."""
    heading = re.match(r"\s*# *TODO (\d+)", line)
    return int(heading[1]) if heading else None


def _code_by_todo(solution: str) -> dict[int, str]:
    """Return the solution's code for each TODO, without indentation."""
    lines, code = lines_of(solution), dict[int, list[str]]()
    for number, todo in todo_lines(solution).items():
        code.setdefault(todo, []).append(lines[number - 1])
    return {todo: textwrap.dedent("\n".join(own)) for todo, own in code.items()}
