"""Looks into a wrong script of a style of its own.

Its lines are known by what they compute: see `values`. The solution, run with the script's tile sizes, has the right
numbers, and the solution with a known mistake has the wrong ones.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from triton_workshop.checking.diagnosing.structure import has_twin, line_like
from triton_workshop.checking.diagnosing.values import (
    BASES,
    KNOWN,
    Definition,
    Likeness,
    Lines,
    Numbers,
    factors_of,
    first_difference,
    likeness,
    share,
)
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import (
    Assignment,
    Source,
    names_loaded,
    names_stored,
    nodes_of,
)
from triton_workshop.exercises.mistakes import Edit
from triton_workshop.scripts import lines_of

if TYPE_CHECKING:
    from triton_simulator import Launch

COPY = re.compile(r"\w+ = tl\.load\(.*\)(\.to\([\w.]+\))?$")
"""A line that loads and does nothing else, as far as one line shows it."""
PARTLY = 0.1
"""Share of a line's numbers that have to be right, for the line to be meant as the solution's."""
MAX_SIZES = 4
"""Tile sizes of the solution to try: the script's may have other names."""
COMPARISON = re.compile("[<>=]=|[<>]")
SIZES = re.compile(r"^( *)(BLOCK_SIZE\w*(?:, \w+)*) = ([\d, ]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Watched:
    """A call of a script, with what its lines computed."""

    launches: tuple[Launch, ...]
    lines: Lines


Watch = Callable[[str], Watched | None]
"""Runs a text, and watches its lines; None if time is up."""


@dataclass(frozen=True)
class Sight:
    """A script beside the solution, line by line, in the case that failed."""

    source: Source
    script: Watched
    solution: Watched
    sizes: Mapping[str, int]
    """The solution's tile sizes: as the script's, as far as they are known."""

    @cached_property
    def factors(self) -> list[float]:
        return factors_of([*self.script.launches, *self.solution.launches])

    @cached_property
    def likenesses(self) -> dict[Definition, Likeness]:
        """How much of the numbers of each of the script's lines the solution has."""
        return {
            definition: likeness(numbers, self.solution.lines, self.factors)
            for definition, numbers in self.distinctive_lines.items()
        }

    @cached_property
    def distinctive_lines(self) -> dict[Definition, Numbers]:
        """The script's lines that can be known by their numbers, in order."""
        return _distinctive(self.script.lines)

    def shown_by(self, lines: Iterable[int]) -> set[int]:
        """Return the solution's next lines that show a change of these lines.

        Their numbers show it. There are none if the changed lines are in the launcher, or show in the result only.
        """
        uses = _uses_in(self.source.exercise.solution)
        distinctive = {definition.line for definition in self._of_solution}
        exposed, passed, todo = set[int](), set[int](), set(lines)
        while todo:
            exposed |= todo & distinctive
            passed |= todo
            # What shows on a distinctive line need not be followed further; in a loop, lines may use each other.
            todo = _users_at(todo - distinctive, uses) - passed
        return exposed

    def line_of(self, edit: Edit) -> int | None:
        """Return the script's launch or its only loop, if an edit changes it.

        What the edit changes is the solution's. Neither computes any numbers.
        """
        exercise = self.source.exercise
        solution = Source(exercise.solution_file, exercise.solution, exercise)
        first = min(edit.changed_lines(exercise.solution))
        if solution.launcher is not None and first >= solution.launcher.lineno:
            new = _formulas(edit.apply(exercise.solution)) - _formulas(exercise.solution)
            return self._line_of_formula() if new else self.source.launch_line()
        if not isinstance(solution.statement_at(first), ast.For):
            return None
        loops = [node.lineno for node in _nodes_of_kernels(self.source) if isinstance(node, LOOPS)]
        return loops[0] if len(loops) == 1 else None

    def _line_of_formula(self) -> int | None:
        """Return the launch, or the only line that computes what it passes.

        It is the launch if that has a formula.

        A launch that passes names only is right by itself.
        """
        calls = self.source.launches()
        if len(calls) != 1:
            return self.source.launch_line()
        call = calls[0]
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(map(_formulas_in, arguments)):
            return self.source.launch_line()
        passed = set[str]().union(*map(names_loaded, arguments))
        nodes = nodes_of(self.source.launcher or call, ast.Assign)
        of_arguments = [node for node in nodes if names_stored(node) & passed]
        lines = [node.lineno for node in of_arguments if _formulas_in(node.value)]
        return lines[0] if len(lines) == 1 else None

    def roles(self) -> dict[str, str]:
        """Return the solution's names with the same numbers as the script's names."""
        found = self._roles_of_arguments()
        variables = (definition for definition in self.distinctive_lines if definition.name.isidentifier())
        known = (definition for definition in variables if self.likenesses[definition].is_known())
        for definition in known:
            if definition.name in found:
                continue
            names = self._counterparts(definition)
            # Several of the solution's names may have these numbers; two of the script's should not get the same.
            free = [name for name in names if name not in found.values()]
            if names:
                found[definition.name] = (free or names)[0]
        return found

    def _counterparts(self, definition: Definition) -> list[str]:
        """Return the solution's names that have a definition's numbers."""
        same = [counterpart for counterpart in self.solution.lines if self._are_same(definition, counterpart)]
        return [counterpart.name for counterpart in same if counterpart.name.isidentifier()]

    def _are_same(self, definition: Definition, counterpart: Definition) -> bool:
        factor = self.factors[self.likenesses[definition].factor]
        return share(self.script.lines[definition], self.solution.lines[counterpart], factor) >= KNOWN

    def _roles_of_arguments(self) -> dict[str, str]:
        """Return the names of arguments that only one of the solution's equals."""
        theirs, ours = (
            {
                name: value
                for launch in watched.launches
                for name, value in launch.arguments.items()
                # A 1 may be a stride, a size or a count: it says nothing about its name.
                if type(value) is int and value > 1
            }
            for watched in (self.script, self.solution)
        )
        named = {value: name for name, value in ours.items()}
        once = {value for value in ours.values() if list(ours.values()).count(value) == 1}
        return {name: named[value] for name, value in theirs.items() if value in once}

    def line_like(self, edits: Iterable[Edit]) -> int | None:
        """Return the line that looks like one of these edits.

        The edits are those of the solution: see `structure`.
        """
        solution = self.source.exercise.solution
        # Its later changes may be right by themselves in a script that is written differently.
        firsts = [Edit(edit.changes[:1]) for edit in edits if edit.applies_to(solution)]
        mistaken = [first.apply(solution) for first in firsts]
        return line_like(self.source, solution, mistaken, self.roles(), self._right_lines())

    def _right_lines(self) -> set[int]:
        return self.known_lines() | (self._settled_lines - self._load_lines)

    @cached_property
    def _load_lines(self) -> set[int]:
        return {definition.line for definition, numbers in self.distinctive_lines.items() if numbers.is_load}

    def known_lines(self) -> set[int]:
        """Return the script's lines whose numbers are all right.

        Loads are not among them: a load may have a wrong number here and there.
        """
        unknown = {definition.line for definition, like in self.likenesses.items() if not like.is_known()}
        return {definition.line for definition in self.likenesses} - unknown - self._load_lines

    def index_lines(self) -> set[int]:
        """Return the lines that compute places."""
        return {definition.line for definition, numbers in self.script.lines.items() if numbers.is_index}

    def unknown_lines(self) -> set[int]:
        """Return the lines whose numbers are not known to be right.

        The numbers are wrong, or unlike any of the solution's.
        """
        return {definition.line for definition in self.unknown_definitions()}

    def suspects(self) -> set[int]:
        """Return the lines that have numbers of their own, but read none.

        What they read is the solution's, or has no numbers to be known by.
        """
        counterparts = [definition for definition in self.likenesses if self._differs(definition)]
        # Numbers that come from no tensor may be written in another way.
        with_data = [definition for definition in counterparts if definition.line in self._lines_with_data]
        definitions = with_data or counterparts
        return {definition.line for definition in definitions if not self._reads_any_of(definition, definitions)}

    @cached_property
    def _lines_with_data(self) -> set[int]:
        """The lines that load, or use what was loaded."""
        loads = {definition.line for definition, numbers in self.script.lines.items() if numbers.is_load}
        helpers = [kernel.name for kernel in self.source.kernels if loads & {*_lines_of(kernel)}]
        # Without a name, `calls` returns every call.
        if helpers:
            loads |= {call.lineno for call in self.source.calls(*helpers)}
        return loads.union(*map(self._users, loads))

    def _reads_any_of(self, definition: Definition, counterparts: Iterable[Definition]) -> bool:
        read = _names_read_at(self.source, definition.line)
        earlier = (counterpart for counterpart in counterparts if counterpart.line < definition.line)
        return any(counterpart.name in read for counterpart in earlier)

    def missing_lines(self) -> list[int]:
        """Return the solution's lines whose numbers the script lacks, in order.

        The script has these numbers nowhere. If it has earlier ones only times a factor of the task, such as a scale,
        the first of those comes first.
        """
        absent = sorted({definition.line for definition, like in self._of_solution.items() if not like.is_known()})
        scaled = [definition.line for definition, like in self._of_solution.items() if like.factor >= BASES]
        return [*([min(scaled)] if scaled else []), *absent]

    @cached_property
    def _of_solution(self) -> dict[Definition, Likeness]:
        # Here the solution's numbers are multiplied, not the script's: by the reciprocals, in the same order.
        backwards = [1 / factor for factor in self.factors]
        likenesses: dict[Definition, Likeness] = {}
        for definition, numbers in _distinctive(self.solution.lines).items():
            if not numbers.is_index:
                likenesses[definition] = likeness(numbers, self.script.lines, backwards)
        return likenesses

    def wrong_definition(self, mistaken: Watched, edited: Collection[int]) -> Definition | None:
        """Return the first definition whose numbers come from a mistake.

        The solution has them only with that mistake. There is none if even in the solution, the mistake shows
        elsewhere than where it is `edited`. If it is in a load or a mask there, the definition has to have one too:
        what it uses may be wrong otherwise.
        """
        at_once = self._shows_at_once(mistaken, edited)
        # An edited line without numbers to know it by, such as a mask, shows on the lines that use it.
        is_shown = at_once or self._shows_at_once(mistaken, self.shown_by(edited))
        if not is_shown:
            return None
        found, results = [], _results(mistaken.lines, edited)
        for definition, numbers in self.distinctive_lines.items():
            wrong, right = likeness(numbers, results, self.factors), self.likenesses[definition]
            if not wrong.is_known():
                continue
            # Numbers without their scale are the solution's too, but only times a factor.
            is_mistaken = wrong.factor < right.factor or not right.is_known()
            if is_mistaken:
                found.append(definition)
        first = min(found, key=self._first_wrong_step, default=None)
        if first is None or self._may_follow(first):
            return None
        lines, line = lines_of(self.source.exercise.solution), self.source.line(first.line)
        code = "\n".join(lines[number - 1] for number in edited)
        # Where the mistake shows only on a later line, this one may merely use it, unless both compare.
        is_certain = at_once or all(map(COMPARISON.search, (code, line)))
        if not is_certain:
            return None
        if "tl.load(" not in code:
            return first
        return first if "load" in line else None

    def _may_follow(self, definition: Definition) -> bool:
        """Return whether wrong numbers may come from a mistake elsewhere."""
        if self._reads_differences(definition):
            return True
        if self._loads_unknown(definition):
            return True
        numbers = self.script.lines[definition]
        # Of two lines that do the same to two halves, the numbers do not say which one is wrong.
        if numbers.is_exact and has_twin(self.source, definition.line):
            return True
        # Its address and its mask were made on other lines, where the mistake may be.
        return numbers.is_load and self.source.only_names_elements(definition.line)

    def _first_wrong_step(self, definition: Definition) -> int:
        # Another base of an exponential is right in itself; a missing factor of the task may be the mistake.
        bases = self.factors[:BASES]
        return first_difference(self.script.lines[definition], self.solution.lines, bases)

    def _shows_at_once(self, mistaken: Watched, edited: Collection[int]) -> bool:
        distinctive = _distinctive(mistaken.lines)
        # Both texts are the solution's, in one style, so no factor lies between them.
        unknown = [
            definition
            for definition, numbers in distinctive.items()
            if not likeness(numbers, self.solution.lines, [1.0]).is_known()
        ]
        steps = {
            definition: first_difference(distinctive[definition], self.solution.lines, [1.0]) for definition in unknown
        }
        first = min(unknown, key=lambda definition: steps[definition], default=None)
        return first is not None and first.line in edited

    def unknown_definitions(self) -> list[Definition]:
        """Return the definitions whose numbers are not the solution's.

        They do not become the solution's on later lines either.
        """
        known = {definition.line for definition, like in self.likenesses.items() if like.is_known()}
        unknown = [definition for definition in self.likenesses if self._differs(definition)]
        # In a loop, a line may use what it has assigned itself.
        return [definition for definition in unknown if not (self._users(definition.line) - {definition.line}) & known]

    def _loads_unknown(self, definition: Definition) -> bool:
        """Return whether a definition loads an earlier kernel's unknown numbers.

        That kernel has stored them, and the solution has them nowhere.
        """
        kernels = {launch.kernel for launch in self.script.launches}
        if len(kernels) < 2:
            return False
        read = _names_read_at(self.source, definition.line)
        loads = (counterpart for counterpart, numbers in self.distinctive_lines.items() if numbers.is_load)
        unknown = (counterpart for counterpart in loads if not self.likenesses[counterpart].is_known())
        return any(counterpart.line == definition.line or counterpart.name in read for counterpart in unknown)

    def _differs(self, definition: Definition) -> bool:
        """Return whether a definition has numbers that the solution has nowhere.

        Indices do not count.
        """
        if self.likenesses[definition].is_known():
            return False
        if self.script.lines[definition].is_index:
            return False
        return definition.line not in self._settled_lines

    @cached_property
    def _settled_lines(self) -> set[int]:
        """The lines with numbers of their own that become the solution's.

        It has those of the line's last operation, or of its last round, or of all lines that read it. What an earlier
        kernel stores is another's input, and what is loaded need not have the type of the solution's.
        """
        last = {definition.line: definition for definition in self.likenesses}
        known = {line for line, definition in last.items() if self.likenesses[definition].is_known()}
        ends = {line for line, definition in last.items() if self._ends_right(definition)}
        loads = {
            definition.line
            for definition, like in self.likenesses.items()
            if like.is_known() and self._is_copy(definition)
        }
        every_store = {line for line, definition in last.items() if definition.name == "store"}
        stores = {line for line in every_store if not self._is_in_last_kernel(line)}
        uses = _uses_in(self.source.text)
        # What is masked otherwise has other numbers too, of which a maximum may say nothing.
        masks = {line for line in last if "where(" in self.source.line(line)}
        # A line with some of the solution's numbers is meant to have all of them, whatever reads it.
        unlike = {line for line, definition in last.items() if self.likenesses[definition].share < PARTLY} - masks
        readers = {line: (uses.get(line, frozenset()) & set(last)) - {line} for line in unlike}
        used = {line: users for line, users in readers.items() if users}
        read = {line for line, users in used.items() if users <= known}
        return known | (ends - masks) | loads | stores | read

    def _ends_right(self, definition: Definition) -> bool:
        """Return whether a line that runs several times ends right.

        It does if its last numbers are the solution's.
        """
        blocks = [block for block in self.script.lines[definition].blocks if len(block)]
        if len(blocks) < 2:
            return False
        # The edges are those of all rounds, so they say nothing about the last one.
        numbers = replace(self.script.lines[definition], blocks=blocks[-1:], edges=[])
        numbers.close()
        return likeness(numbers, self.solution.lines, self.factors).is_known()

    def _is_copy(self, definition: Definition) -> bool:
        """Return whether a line only gives a name to what is loaded there."""
        return self.script.lines[definition].is_load and bool(COPY.match(self.source.line(definition.line).strip()))

    def _is_in_last_kernel(self, line: int) -> bool:
        """Return whether a line is in the kernel launched last or in a function."""
        # There is one: what is watched has launched something.
        *_, last = names = [launch.kernel for launch in self.script.launches]
        earlier_names = {*names} - {last}
        earlier = [kernel for kernel in self.source.kernels if kernel.name in earlier_names]
        return not any(line in _lines_of(kernel) for kernel in earlier)

    def _is_shared(self, line: int) -> bool:
        """Return whether a line is in a function that is called in several places."""
        inside = [kernel.name for kernel in self.source.kernels if line in _lines_of(kernel)]
        return any(len(self.source.calls(name)) > 1 for name in inside)

    def first_difference(self) -> Definition | None:
        """Return the first definition with other numbers than the solution.

        All that it reads is right. A function that is called in several places is right, as far as one knows: its first
        call is the one to look at.
        """
        unknown = self.unknown_definitions()
        shared = [definition for definition in unknown if self._is_shared(definition.line)]
        first = next((definition for definition in unknown if definition not in shared), None)
        if first is None or self.script.lines[first].is_load:
            return None
        if first.name == "return":
            return None
        if shared and first.name == "store":
            return None
        is_first = all(self._is_shared(earlier.line) for earlier in self._differences_before(first.line))
        if not is_first:
            return None
        return None if self._reads_differences(first) else first

    def _differences_before(self, line: int) -> list[Definition]:
        """Return the definitions on earlier lines that differ."""
        earlier = [definition for definition in self.likenesses if definition.line < line]
        return [definition for definition in earlier if self._differs(definition)]

    def _reads_differences(self, definition: Definition) -> bool:
        """Return whether a definition reads wrong numbers of an earlier line.

        Wrong numbers are those that are not the solution's.
        """
        names = {earlier.name for earlier in self._differences_before(definition.line)}
        read = _names_read_at(self.source, definition.line)
        if not names.isdisjoint(read):
            return True
        helpers = [kernel for kernel in self.source.kernels if kernel.name in read]
        called = set[int]().union(*map(_lines_of, helpers))
        unknown_lines = [unknown.line for unknown in self.unknown_definitions() if unknown.line in called]
        return not all(map(self._is_shared, unknown_lines))

    def first_nan(self) -> Definition | None:
        """Return the definition that computes the first NaN or infinity.

        It does so from right numbers. None if the solution has a NaN or an infinity too.
        """
        has_nan = any(numbers.first_nan is not None for numbers in self.solution.lines.values())
        if has_nan:
            return None
        steps = {
            definition: numbers.first_nan for definition, numbers in self.script.lines.items() if not numbers.is_load
        }
        found = {definition: step for definition, step in steps.items() if step is not None}
        first = min(found, key=lambda definition: found[definition], default=None)
        if first is None or self._reads_differences(first):
            return None
        return first

    def is_after_loop(self, definition: Definition) -> bool:
        """Return whether a definition stands behind a loop of its kernel.

        A NaN there comes of what the loop has summed, as where one divides by it or takes its logarithm: the loop has
        left something out.
        """
        for kernel in self.source.kernels:
            if definition.line not in _lines_of(kernel):
                continue
            loops = [_lines_of(node) for node in ast.walk(kernel) if isinstance(node, LOOPS)]
            is_behind = any(lines[-1] < definition.line for lines in loops)
            if is_behind:
                return not any(definition.line in lines for lines in loops)
        return False

    def _users(self, line: int) -> set[int]:
        """Return the lines that use what a line assigns, or what those assign."""
        uses, found, todo = _uses_in(self.source.text), set[int](), [line]
        while todo:
            users = _users_at(todo, uses)
            todo = list(users - found)
            found |= users
        return found


def _distinctive(lines: Lines) -> Lines:
    """Return the lines that can be known by their numbers, in order."""
    return {definition: numbers for definition, numbers in lines.items() if numbers.is_distinctive}


def _results(lines: Lines, edited: Collection[int]) -> Lines:
    """Return the lines; of those that are edited, only their results.

    What a wrong line computes on its way may be right by itself, such as what it subtracts too late.
    """
    last = {definition.line: definition for definition in lines}
    return {line: numbers for line, numbers in lines.items() if line.line not in edited or line == last[line.line]}


def _formulas(text: str) -> set[str]:
    return set(_formulas_in(ast.parse(text)))


def _formulas_in(tree: ast.AST) -> list[str]:
    """Return the quotients and powers, as no grid or size has them."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp)]
    return [ast.dump(node) for node in nodes if isinstance(node.op, ast.Div | ast.Pow)]


def _nodes_of_kernels(source: Source) -> Iterator[ast.AST]:
    return itertools.chain.from_iterable(map(ast.walk, source.kernels))


def _lines_of(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


Uses = Mapping[int, frozenset[int]]
"""For each line, those that read what it assigns: later ones, or any in the same loop."""


@functools.lru_cache(maxsize=4)
def _uses_in(text: str) -> Uses:
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    found: dict[int, frozenset[int]] = {}
    for function in functions:
        nodes = list(ast.walk(function))
        loops = [_lines_of(node) for node in nodes if isinstance(node, LOOPS)]
        readers = [(node.lineno, _names_read(node)) for node in nodes if isinstance(node, Reading)]
        for node in nodes:
            if isinstance(node, Assignment):
                users = frozenset(_users_of(node, readers, loops))
                for line in _lines_of(node):
                    # A line may have several assignments, as in `a = x; b = y`.
                    found[line] = found.get(line, frozenset()) | users
    return found


def _users_at(lines: Iterable[int], uses: Uses) -> set[int]:
    """Return the lines that read what any of these assigns."""
    return set[int]().union(*(uses.get(line, frozenset()) for line in lines))


Reading = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.Expr | ast.Return


LOOPS = ast.For | ast.While


def _names_read_at(source: Source, line: int) -> frozenset[str]:
    """Return the names that a line reads."""
    nodes = [node for node in _nodes_of_kernels(source) if isinstance(node, Reading)]
    return frozenset[str]().union(*(_names_read(node) for node in nodes if node.lineno == line))


def _names_read(node: ast.AST) -> frozenset[str]:
    if isinstance(node, ast.For):
        return frozenset(names_loaded(node.iter))
    read = frozenset(names_loaded(node))
    # `x += y` reads x, but the tree has it only as a name that is stored.
    return read | names_stored(node) if isinstance(node, ast.AugAssign) else read


def _users_of(node: Assignment, readers: Sequence[tuple[int, frozenset[str]]], loops: Sequence[range]) -> Iterator[int]:
    names = names_stored(node)
    around = [lines for lines in loops if node.lineno in lines]
    in_loops = set[int]().union(*around)
    for line, read in readers:
        if names.isdisjoint(read):
            continue
        if line > node.lineno or line in in_loops:
            yield line


def compare_to_solution(source: Source, observation: Observation, watch: Watch) -> Sight | None:
    """Compare a script to the solution with the script's tile sizes."""
    script = watch(source.text)
    if script is None or not script.lines:
        return None
    sights = []
    for sizes in itertools.islice(_possible_sizes(source, observation), MAX_SIZES):
        solution = watch(with_sizes(source.exercise.solution, sizes))
        if solution is not None:
            sights.append(Sight(source, script, solution, sizes))
    # Names do not always say which size is which: with the right ones, the most lines agree.
    return max(sights, key=lambda sight: len(sight.known_lines()), default=None)


def with_sizes(text: str, sizes: Mapping[str, int]) -> str:
    """Return the text of a solution with other tile sizes."""

    def changed(match: re.Match[str]) -> str:
        names, values = match[2].split(", "), match[3].split(", ")
        pairs = zip(names, values, strict=False)
        return f"{match[1]}{match[2]} = {', '.join(str(sizes.get(name, value)) for name, value in pairs)}"

    return SIZES.sub(changed, text)


def _possible_sizes(source: Source, observation: Observation) -> Iterator[dict[str, int]]:
    """Yield possible tile sizes for the solution.

    Those that the script's names suggest come first.
    """
    match = SIZES.search(source.exercise.solution)
    assigned = match[2].split(", ") if match else []
    # Beside them may be a size that the task gives, such as GROUP_SIZE.
    names = [name for name in assigned if name.startswith("BLOCK")]
    constexprs = _constexprs(source, observation)
    by_letter: dict[str, int] = {}
    for name in names:
        # The last part names the axis, as in BLOCK_SIZE_M and TILE_M; that of a single BLOCK_SIZE names none.
        axis = name.rpartition("_")[2] if len(names) > 1 else None
        for parameter, size in constexprs.items():
            has_same_axis = axis is not None and parameter.upper().endswith(axis)
            if has_same_axis or name == parameter:
                by_letter[name] = size
    rest = [name for name in names if name not in by_letter]
    left = set(constexprs.values()).difference(by_letter.values())
    yielded = []
    for values in itertools.permutations(sorted(left), min(len(rest), len(left))):
        sizes = by_letter | dict(zip(rest, values, strict=False))
        if sizes not in yielded:
            yielded.append(sizes)
            yield sizes
    if by_letter not in yielded:
        yield by_letter


def _constexprs(source: Source, observation: Observation) -> dict[str, int]:
    """Return the script's constexpr numbers that may be tile sizes."""
    names = {
        argument.arg
        for kernel in source.kernels
        for argument in kernel.args.args
        if argument.annotation is not None and "constexpr" in ast.unparse(argument.annotation)
    }
    sizes: dict[str, int] = {}
    for launch in observation.launches:
        for name, size in launch.numbers.items():
            if name not in names:
                continue
            if not isinstance(size, int):
                continue
            if _may_be_tile_size(name, size):
                sizes[name] = size
    return sizes


def _may_be_tile_size(name: str, size: int) -> bool:
    """Return whether a number may be a tile size, by itself and by its name."""
    if size < 4:
        return False
    is_power_of_two = size & (size - 1) == 0
    if not is_power_of_two:
        return False
    # The length of an attention head is a power of two as well, but no tile size.
    return "DIM" not in name.upper() and name != "D"
