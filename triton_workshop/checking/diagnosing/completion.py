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
from triton_workshop.checking.observing.source import Source, names_loaded, names_stored, parameters_of, stores_in
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
        places = [(s.first, slot.solution.todo) for slot in alignment.slots for s in slot.matches]
        order = [todo for _, todo in sorted(places, key=lambda place: place[0]) if todo is not None]
        replaces_more = any(len(slot.matches) > 1 and self._may_be_of_another(slot) for slot in slots)
        needed = {*alignment.with_needed(slots)} - self._dispensable
        needs_more = any(slot.solution.todo in kept for slot in needed)
        # TODOs out of order show that a statement is taken for one of another TODO.
        if replaces_more or needs_more or order != sorted(order):
            return None
        dropped = [s for s, owners in self._unpaired.items() if owners and owners.isdisjoint(kept)]
        lines = replaced_lines(alignment, slots, dropped)
        origins = tuple(None if number is None else self.whole.origin(number) for _, number in lines)
        text = "\n".join(line for line, _ in lines) + "\n"
        return Variant(replace(self.script, text=text), origins)

    @cached_property
    def _dispensable(self) -> frozenset[Slot]:
        """Statements without which a TODO is complete.

        They name a number made of parameters, such as a plane's size, which the learner has not named.
        """
        begun = {slot.solution.todo for slot in self._alignment.slots if slot.matches}
        parameters, loaded = parameters_of(self.script.kernel), names_loaded(self.script.tree)
        return frozenset(
            slot
            for slot in self._alignment.slots
            if not slot.matches
            and slot.solution.todo in begun
            and all(isinstance(node, ARITHMETIC) for node in ast.walk(slot.solution.node))
            and {name for _, name in slot.solution.uses} <= parameters
            and names_stored(slot.solution.node).isdisjoint(loaded)
        )

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
        return {s: slot.solution.todo for slot in slots for s in slot.matches}

    @cached_property
    def _unpaired(self) -> dict[Statement, frozenset[int]]:
        """The learner's statements without a counterpart, with their TODOs.

        A comment says which it is, on its line or above. Else it is the TODO that lacks a statement there. Else a name
        belongs to the TODOs that use it, and what is left to the TODO before it or after it. It is none for a loop's
        first line.
        """
        statements = every_statement_of(self._alignment.source)
        unpaired = [s for s in statements if s not in self._paired and self._is_own(s)]
        others = {key for s in statements if s not in unpaired for key in s.keys}
        todos: dict[Statement, frozenset[int]] = {}
        # Backwards, because the TODOs of a name follow from its users, which come later.
        for s in reversed(unpaired):
            users = [user for user in statements if user is not s and not user.uses.isdisjoint(s.keys - others)]
            owners = {todo for user in users for todo in todos.get(user, {self._paired.get(user)})}
            commented = self._commented_todo(s)
            around, lacking = self._todos_around(s, statements)
            if isinstance(s.node, ast.For | ast.While):
                todos[s] = frozenset()
            elif commented in self.filled:
                todos[s] = frozenset({commented})
            elif users and not lacking:
                todos[s] = frozenset(todo for todo in owners if todo in self.filled)
            else:
                todos[s] = frozenset([*lacking, *around][:1])
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
        before = max((todo for s in statements[:place] if (todo := self._paired.get(s))), default=0)
        after = min(
            (todo for s in statements[place:] if (todo := self._paired.get(s))), default=len(self.script.exercise.hints)
        )
        slots = self._alignment.of_kind(SlotKind.SOLUTION)
        lacking = {slot.solution.todo for slot in slots if not slot.matches and slot not in self._dispensable}
        return (
            [number for number in (before, after) if number in self.filled],
            [number for number in self.filled if before <= number <= after and number in lacking],
        )

    def lines_by_todo(self) -> dict[int, frozenset[int]]:
        """Return the script's lines by filled TODO, as far as can be told."""
        lines: dict[int, set[int]] = {number: set() for number in self.filled}
        own = {s: frozenset({todo}) for s, todo in self._paired.items() if todo and self._is_own(s)}
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
        return {
            name: s.todo
            for s in (slot.solution for slot in self._alignment.slots if slot not in self._dispensable)
            for name in sorted(names_stored(s.node))
            if s.function == "kernel" and s.todo is not None and s.todo in self.filled and name not in own
        }

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
    return Variant(replace(source, text="\n".join(line for line, _ in lines)), tuple(origin for _, origin in lines))


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
