"""From what a call did to what is wrong with it: the cause first."""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass, replace

import torch

from triton_workshop.checking.exercises.exercise import Exercise, solution_has
from triton_workshop.checking.judging.comparison import Comparison, compare
from triton_workshop.checking.judging.explanations import Explanation, explain, explanation_named
from triton_workshop.checking.judging.picture import element_of, tile_map
from triton_workshop.checking.judging.verdict import MOST_PROGRAMS, Finding, Kind
from triton_workshop.checking.observing.observe import Failure, Observation, Origin
from triton_workshop.checking.observing.recognise import NO_DIAGNOSIS, Diagnosis
from triton_workshop.checking.observing.repair import Culprit
from triton_workshop.checking.observing.source import Source, called, names_in
from triton_workshop.simulator.faults import Fault

REPAIRABLE = frozenset(Kind) - {Kind.UNFINISHED, Kind.TIMEOUT, Kind.NOT_A_KERNEL}
WASTE = 9
"""Times as many idle programs as busy ones are worth a word: for small inputs a few idle ones are nobody's fault."""
WAITS = frozenset({"breakpoint", "set_trace", "input"})
"""What waits for somebody at the keyboard."""
AT_ONCE = frozenset(
    {
        "misspelt-name",
        "kernel-called-without-grid",
        "missing-argument",
        "argument-given-twice",
        "exits",
        "stopped",
        "waits",
    }
)
"""What is wrong on the very line where it stops."""


@dataclass(frozen=True)
class Judge:
    """Knows what an exercise asks for, and the script that was run."""

    exercise: Exercise
    source: Source
    limit: float
    diagnosis: Diagnosis = NO_DIAGNOSIS
    """Where and what the mistake is, once that is known."""

    @property
    def culprit(self) -> Culprit | None:
        return self.diagnosis.culprit

    def can_be_repaired(self, seen: Observation, finding: Finding) -> bool:
        """Whether it makes sense to try the solution's lines in the place of the script's, one TODO after the other."""
        waits = any(called(node) in WAITS for node in self._calls())
        return finding.kind in REPAIRABLE and not seen.loading and not waits

    def findings(
        self,
        case: str,
        arguments: tuple[torch.Tensor, ...],
        seen: Observation,
    ) -> tuple[Finding, ...]:
        """What is wrong with one call, the cause first."""
        found = self._found(arguments, seen)
        return tuple(replace(finding, case=case) for finding in found)

    def _found(self, arguments: tuple[torch.Tensor, ...], seen: Observation) -> tuple[Finding, ...]:
        if seen.timed_out:
            return (self.timeout(seen.failure.line if seen.failure else None),)
        faults = [fault for launch in seen.launches for fault in launch.faults]
        if faults:
            return tuple(self._fault(fault, arguments, seen) for fault in faults)
        if seen.failure is not None:
            return (self.crash(seen.failure),)
        finding = self._inputs(seen) or self._answer(arguments, seen)
        return () if finding is None else (finding,)

    def remark(self, case: str, seen: Observation) -> str:
        """What a right script might do better; empty where there is nothing to say."""
        for launch in seen.launches:
            busy = launch.programs - launch.idle
            if launch.idle >= WASTE * max(busy, 1):
                return (
                    f"Right, but wasteful: {launch.idle:,} of {launch.programs:,} programs had nothing to do ({case}). "
                    "A grid counts blocks, not elements."
                )
        return ""

    # What stopped it

    def timeout(self, line: int | None) -> Finding:
        hints = (
            "Which loop does not end, and what would have to change for it to end?",
            "The line above is where the time ran out. A loop that counts needs its count to grow in every turn.",
        )
        name = "infinite-loop"
        if not any(isinstance(node, ast.While) for node in ast.walk(self.source.tree)):
            name, hints = "too-much-work", TOO_MUCH_WORK
        message = f"not done after {self.limit:g} s, so it was stopped"
        return Finding(Kind.TIMEOUT, message, hints, line, self.source.line(line), hint_name=name)

    def crash(self, failure: Failure) -> Finding:
        """An exception, on the learner's own line, Triton's messages cut to what matters."""
        message = _short(failure)
        in_kernel = failure.line != failure.first_line
        explanation = explain(f"{failure.type}: {failure.message}", in_kernel) or explain(failure.chain, in_kernel)
        name, hints = (explanation.name, explanation.hints) if explanation else ("", ())
        line = failure.first_line if explanation and explanation.at_launch else failure.line
        if name == "waits":
            line = next((node.lineno for node in self._calls() if called(node) in WAITS), line)
        if name == "misspelt-name" and (known := self._known_as(failure)):
            hints = (known, *hints)
        bare = self.source.bare_call()
        if bare is not None and failure.first_line == bare:
            without = explanation_named("kernel-called-without-grid")
            name, hints, line = without.name, without.hints, bare
        if name in ("shapes-do-not-broadcast", "") and self._multiplies_blocks(failure.line):
            name, hints = "dot-not-star", ("Blocks are multiplied by tl.dot(a, b): `*` goes element by element.",)
        by_text = self._by_text(name, failure)
        if by_text is not None:
            name, hints = by_text.name, by_text.hints
        finding = Finding(Kind.CRASH, message, hints, line, self.source.line(line), hint_name=name or "crash")
        if self.culprit is None or name in AT_ONCE:
            return finding
        if not name:
            return self._at_the_culprit(finding, self.culprit)
        hints = (f"{_look_at(self.culprit)}{hints[0]}", *hints[1:]) if self.culprit.parts else hints
        return self._moved(replace(finding, hints=hints), line, self.culprit)

    def _by_text(self, name: str, failure: Failure) -> Explanation | None:
        """What the script's text says more exactly than the error."""
        if any(called(node) in WAITS and node.lineno == failure.line for node in self._calls()):
            return explanation_named("waits")
        if name == "brackets" and self.source.unpacks_a_load(failure.line):
            return explanation_named("one-block-per-load")
        if name == "pointer-and-value" and self.source.mentions("data_ptr"):
            return explanation_named("address-for-tensor")
        return None

    def _calls(self) -> list[ast.Call]:
        return [node for node in ast.walk(self.source.tree) if isinstance(node, ast.Call)]

    def _known_as(self, failure: Failure) -> str:
        """What a name that nothing has is called elsewhere, or what looks like it; empty where nothing does."""
        found = re.search(r"name '(\w+)' is not defined", failure.message)
        inside = self.source.function_at(failure.line)
        if found is None or inside is None:
            return ""
        name, kernel, launcher = found[1], self.source.kernel, self.source.launcher
        here, names = inside.name, names_in(inside)
        for other in (kernel, launcher):
            if other is not None and other is not inside and name in names_in(other):
                own = ", ".join(argument.arg for argument in inside.args.args[:3])
                return f"{name} is a name in {other.name}. Here, in {here}, the parameters are called {own}."
        close = difflib.get_close_matches(name, names - {name}, 1)
        return f"{name} is made nowhere. Is {close[0]} meant?" if close else ""

    def _multiplies_blocks(self, line: int | None) -> bool:
        nodes = [node for node in ast.walk(self.source.tree) if isinstance(node, ast.BinOp) and node.lineno == line]
        products = [node for node in nodes if isinstance(node.op, ast.Mult | ast.MatMult)]
        sides = [side for node in products for side in (node.left, node.right)]
        return bool(sides) and all(isinstance(side, ast.Name) and side.id in ("a", "b") for side in sides)

    def _fault(self, fault: Fault, arguments: tuple[torch.Tensor, ...], seen: Observation) -> Finding:
        kinds = {kind.value: kind for kind in Kind}
        kind = kinds.get(fault.kind, Kind.CRASH)
        line = fault.line.number if fault.line.file == str(self.source.file) else None
        finding = Finding(
            kind,
            fault.what,
            (fault.advice[0].upper() + fault.advice[1:],),
            line,
            self.source.line(line),
            hint_name=str(fault.kind),
            argument=fault.argument,
            programs=tuple(program for program in (fault.program, fault.other) if program is not None),
            elements=fault.elements,
        )
        comparison = compare(self.exercise, arguments, seen)
        return self._recognised(replace(finding, tiles=tile_map(comparison)))

    # What it did to its inputs, and what it gave back

    def _inputs(self, seen: Observation) -> Finding | None:
        if not seen.changed_inputs:
            return None
        message = f"argument {seen.changed_inputs[0]} of {self.exercise.launcher} was changed: inputs are read only"
        return self._recognised(Finding(Kind.INPUT_MODIFIED, message, READ_ONLY, hint_name="edits-inputs"))

    def _answer(self, arguments: tuple[torch.Tensor, ...], seen: Observation) -> Finding | None:
        expected = self.exercise.reference(*(argument.double() for argument in arguments))
        if seen.origin is Origin.NO_LAUNCH:
            return self._no_launch(arguments, seen)
        if seen.output is None or seen.output.shape != expected.shape:
            return self._shape(expected, seen)
        if seen.origin in (Origin.CHANGED, Origin.ELSEWHERE):
            return self._from_python(seen)
        if seen.output.dtype != arguments[0].dtype:
            return self._dtype(arguments[0].dtype, seen.output.dtype)
        wrong = self._values(arguments, seen)
        if wrong is None and seen.origin is Origin.UNTOUCHED:
            return self._not_a_kernel("the answer is right, but no kernel has stored it", self._whose(computed=True))
        return wrong

    def _shape(self, expected: torch.Tensor, seen: Observation) -> Finding:
        nothing = seen.output is None
        got = seen.output_type if seen.output is None else f"shape {tuple(seen.output.shape)}"
        message = f"expected a tensor of shape {tuple(expected.shape)}, got {got}"
        kept = "A kernel returns nothing: its result is in the tensor it stored to."
        if seen.output_type not in ("Tensor", "NoneType"):
            kept = f"This is a {seen.output_type}; return the tensor that the kernel stored to, as it is."
        hints = (
            (f"What does the launcher return? {kept}",)
            if nothing
            else (
                "Which shape does the result have?",
                f"The output has shape {tuple(expected.shape)}: make it so, and return it as it is.",
            )
        )
        line = self.source.return_line()
        name = "no-return" if nothing else "wrong-shape"
        finding = Finding(Kind.WRONG_SHAPE, message, hints, line, self.source.line(line), hint_name=name)
        return finding if self.culprit is None else self._moved(finding, line, self.culprit)

    def _dtype(self, expected: torch.dtype, got: torch.dtype) -> Finding:
        hints = (
            "Which dtype has the tensor that the kernel stores to, and which one the tensor that is returned?",
            f"The inputs are {expected}, and so is the result: torch.empty_like(...) takes the dtype over.",
        )
        line = next(iter(self.source.assignments("output", "c")), None)
        message = f"expected {expected}, got {got}"
        return Finding(Kind.WRONG_DTYPE, message, hints, line, self.source.line(line), hint_name="wrong-dtype")

    def _values(self, arguments: tuple[torch.Tensor, ...], seen: Observation) -> Finding | None:
        comparison = compare(self.exercise, arguments, seen)
        if comparison.unwritten.any():
            return self._recognised(self._unwritten(comparison))
        if comparison.wrong.any():
            return self._recognised(self._wrong(comparison))
        if seen.earlier_answer_changed:
            message = "this call has changed the tensor that the call before had returned"
            hints = ("Every call returns a tensor of its own: make the output anew each time.",)
            return Finding(Kind.WRONG_VALUES, message, hints, hint_name="remembers")
        return None

    def _unwritten(self, comparison: Comparison) -> Finding:
        element = element_of(comparison, comparison.unwritten)
        owners = comparison.owners(comparison.unwritten)
        message = f"{_count(comparison.unwritten)} never written, the first is {_index(element.index)}"
        if owners:
            message += (
                f"; {_programs(owners)} should have written {'it' if comparison.unwritten.sum() == 1 else 'them'}"
            )
        hints = (
            "Does the grid have a program for these elements, and does the mask let its store through?",
            f"The grid was {comparison.grid}; blocks of this size need {comparison.wanted_grid}.",
        )
        return Finding(
            Kind.UNWRITTEN,
            message,
            hints,
            hint_name="unwritten",
            programs=owners[:MOST_PROGRAMS],
            elements=int(comparison.unwritten.sum()),
            element=element,
            tiles=tile_map(comparison),
        )

    def _wrong(self, comparison: Comparison) -> Finding:
        element = element_of(comparison, comparison.wrong)
        message = f"{_count(comparison.wrong)} wrong, the first is {_index(element.index)}"
        hints = (
            f"Take element {_index(element.index)} and follow it: which program owns it, which offsets does that "
            "program compute, what does it load there?",
        )
        return Finding(
            Kind.WRONG_VALUES,
            message,
            hints,
            hint_name="wrong-values",
            programs=comparison.owners(comparison.wrong)[:MOST_PROGRAMS],
            elements=int(comparison.wrong.sum()),
            element=element,
            tiles=tile_map(comparison),
        )

    # What no kernel of the learner's has computed

    def _no_launch(self, arguments: tuple[torch.Tensor, ...], seen: Observation) -> Finding:
        expected = self.exercise.reference(*(argument.double() for argument in arguments))
        output = seen.output
        comparable = output is not None and output.shape == expected.shape
        right = comparable and output is not None and bool(((output.double() - expected).abs() < 1e-2).all())
        message = f"{self.exercise.launcher} has launched no kernel"
        return self._not_a_kernel(message, self._whose(computed=right))

    def _from_python(self, seen: Observation) -> Finding:
        message = (
            "the tensor that the kernel had stored was changed afterwards"
            if seen.origin is Origin.CHANGED
            else f"the tensor that {self.exercise.launcher} returns was not stored by a kernel"
        )
        return self._not_a_kernel(message, self._whose(computed=True))

    def _not_a_kernel(self, message: str, name: str) -> Finding:
        line = self.source.return_line() if name != "no-launch" else self.source.launch_line()
        if name == "no-launch" and line is not None:
            hints = ("The launch stands here, and was not reached. Which condition or return comes before it?",)
            return Finding(Kind.NOT_A_KERNEL, message, hints, line, self.source.line(line), hint_name=name)
        return Finding(Kind.NOT_A_KERNEL, message, PYTHON[name], line, self.source.line(line), hint_name=name)

    def _whose(self, *, computed: bool) -> str:
        """Who has done the kernel's work, as far as the source tells."""
        text = self.source.text.partition("if __name__")[0]
        launcher = self.source.launcher
        loops = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp)
        if "triton_workshop.checking" in text:
            return "imported-reference"
        if self._keeps_answers():
            return "remembers"
        if "numpy" in text:
            return "numpy-did-it"
        if launcher is not None and any(isinstance(node, loops) for node in ast.walk(launcher)):
            return "python-loop-did-it"
        return "torch-did-it" if computed else "no-launch"

    def _keeps_answers(self) -> bool:
        return self.source.mentions("cache") or bool(_global_containers(self.source.tree))

    # Hints that follow the mistake

    def _recognised(self, finding: Finding) -> Finding:
        """The finding with the hints of the mistake that was made, or of the TODO that it was made in."""
        culprit, mistake, todo = self.culprit, self.diagnosis.mistake, self.diagnosis.todo
        if self.diagnosis.remembers:
            return replace(finding, hints=PYTHON["remembers"], hint_name="remembers")
        if mistake is None:
            return finding if culprit is None else self._at_the_culprit(finding, culprit)
        own = (solution_has(culprit.code),) if culprit else (self.exercise.quote(todo),) if todo else ()
        found = replace(finding, hints=(*mistake.hints, *own), hint_name=mistake.name)
        if culprit is None:
            return self._blamed(found, self.diagnosis.line or finding.line)
        return self._moved(found, finding.line, culprit)

    def _at_the_culprit(self, finding: Finding, culprit: Culprit) -> Finding:
        """The finding with the hints of the TODO in which the mistake was made."""
        if culprit.todos:
            first = culprit.todos[0]
            question, idea, _ = self.exercise.todo_hints(first)
            hints = (f"{_look_at(culprit)}{question}", idea, solution_has(culprit.code))
            return self._moved(replace(finding, hints=hints, hint_name=f"todo-{first}"), finding.line, culprit)
        asked = f"{_look_at(culprit)}Is it as the exercise gave it to you?"
        given = replace(finding, hints=(asked, f"The exercise gives this: {culprit.code}"), hint_name="given-line")
        return self._moved(given, finding.line, culprit)

    def _moved(self, finding: Finding, line: int | None, culprit: Culprit) -> Finding:
        """The finding on the line where the mistake was made; its message says where it came to light."""
        if culprit.line is None and culprit.todos:
            missing = f"something is missing where TODO {culprit.todos[0]} was"
            return self._blamed(replace(finding, message=f"{finding.message}; {missing}"), None)
        if line in culprit.lines or culprit.line is None:
            return self._blamed(finding, line)
        if finding.line is not None:
            finding = replace(finding, message=f"{finding.message} (on line {finding.line})")
        return self._blamed(finding, culprit.line)

    def _blamed(self, finding: Finding, line: int | None) -> Finding:
        return replace(finding, line=line, source=self.source.line(line))


READ_ONLY = (
    "Who else uses the tensors that the launcher is given?",
    "Inputs are read only: methods that end in `_`, and `+=`, change them in place. Work on new tensors.",
)
TOO_MUCH_WORK = (
    "How many programs does the grid have, and how many elements does each of them go through?",
    "A grid counts blocks, not elements: cdiv(size, BLOCK_SIZE). And a program goes through its own block, not through "
    "everything.",
)
PYTHON = {
    "no-launch": (
        "Where does the kernel start to run?",
        "kernel[grid](arguments) launches it. Without that line, nothing of it runs.",
    ),
    "torch-did-it": (
        "Who computed this answer?",
        "PyTorch did. Here the kernel computes it, from the inputs; PyTorch only makes the tensor that it stores to.",
    ),
    "numpy-did-it": (
        "Who computed this answer?",
        "numpy did. Here the kernel computes it, from the inputs, and its output is what the launcher returns.",
    ),
    "python-loop-did-it": (
        "Who computed this answer?",
        "A loop in Python did, element by element. The kernel's programs take its place, a block each.",
    ),
    "imported-reference": (
        "Who computed this answer?",
        "The checker's own reference did. It is there to compare your kernel with.",
    ),
    "remembers": (
        "What does the second call with other values of the same shape give?",
        "An earlier answer. Every call launches the kernel on its own arguments.",
    ),
}


def _global_containers(tree: ast.Module) -> list[ast.Assign]:
    kinds = (ast.Dict, ast.List, ast.Set)
    return [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, kinds)]


def _look_at(culprit: Culprit) -> str:
    """What to look at, as the beginning of a hint."""
    if culprit.line is None:
        return ""
    if culprit.misplaced:
        return "This line is right, but not in this place: look at its indentation. "
    place = "in the statement that begins on this line" if culprit.several_lines else "on this line"
    parts = " and ".join(f"`{part}`" for part in culprit.parts)
    if culprit.or_else:
        return f"The mistake is {place}, or {culprit.or_else}. "
    return f"The mistake is {place}, in {parts}. " if parts else f"The mistake is {place}. "


def _short(failure: Failure) -> str:
    """The first lines of a message, without the copy of the kernel that Triton's compiler puts before it."""
    text = failure.message.strip()
    if "^" in text:
        text = text.rpartition("^")[2].strip() or text
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = " ".join(lines[:3])[:400]
    return f"{failure.type}: {words}" if words else failure.type


def _programs(programs: tuple[tuple[int, ...], ...]) -> str:
    names = [str(program[0]) if len(program) == 1 else str(program) for program in programs]
    if len(names) == 1:
        return f"program {names[0]}"
    if len(names) <= 3:
        return f"programs {', '.join(names[:-1])} and {names[-1]}"
    return f"programs {names[0]}, {names[1]} … {names[-1]} ({len(names):,} of them)"


def _count(where: torch.Tensor) -> str:
    number = int(where.sum())
    return (
        f"{number:,} of {where.numel():,} element{'s' if where.numel() != 1 else ''} {'is' if number == 1 else 'are'}"
    )


def _index(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"
