"""Each load, store and dot of a solution has its instructions, and each instruction its line of the source.

All that looks at every solution stands here, as tests of one file share what was compiled.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from itertools import product

import pytest

from simulator.tests.tables import SLOW_EVERY
from tests.asm.conftest import Answers, FastAnswers, assembly_of, summary_of_solution
from triton_simulator.compiler.disassembly import correct_lines
from triton_simulator.gpus import VERDICT_TARGETS, Target
from triton_workshop.costs.assembly import Instruction, Ir, instructions
from triton_workshop.costs.summary import recorded_summaries, recorded_with
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS

CALLS = {"load": "load", "store": "store", "dot": "dot", "sum": "reduction", "max": "reduction"}
CAPABILITIES = (75, 80, 90)
pytestmark = pytest.mark.library

# Written by following each address in the SASS for sm_80 back to the pointer that it is computed from.
BY_HAND = {
    # [R2] is c[0x0][0x160], x_ptr; [R20] is c[0x0][0x168], y_ptr; [R12] is c[0x0][0x170], output_ptr.
    "1": {
        "x = tl.load(": {"LDG.E.128": 2},
        "y = tl.load(": {"LDG.E.128": 2},
        "output = x + y": {"FADD": 8},
        "tl.store(": {"STG.E.128": 2},
    },
    # [R2] with nine distances is c[0x0][0x170], weight_ptr; all others that are read are computed from c[0x0][0x160],
    # image_ptr: three of 64 bits, under the middle of each row of the filter, and twice as many pairs beside them.
    "3": {
        "pixels = tl.load(": {"LDG.E": 12, "LDG.E.64": 3},
        "accumulator += pixels": {"LDG.E": 9, "FFMA": 18},
        "tl.store(": {"STG.E.64": 1},
    },
}
MEMORY_AND_ARITHMETIC = ("LDG", "STG", "FFMA", "FADD")


def called(number: str) -> Iterator[tuple[str, int]]:
    """Each call in the solution of what has instructions of its own, with its line, by Python's own parser."""
    for node in ast.walk(ast.parse(EXERCISES[number].solution_file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS:
            yield CALLS[node.func.attr], node.lineno


def by_line(found: tuple[Instruction, ...], kind: str) -> set[int | None]:
    return {each.line for each in found if each.does(kind)}


@pytest.mark.parametrize(("number", "capability"), [*product(EXERCISES, CAPABILITIES)][::SLOW_EVERY])
def test_every_load_store_and_dot_has_instructions_and_no_other_line_has_any(
    solutions: Answers, number: str, capability: int
) -> None:
    assembly = assembly_of(solutions, number, capability)
    found = instructions(assembly.sass, Ir(assembly.ttir))
    for kind in ("load", "store"):
        assert by_line(found, kind) == {line for each, line in called(number) if each == kind}
    products = {line for kind, line in called(number) if kind == "dot"}
    assert products <= by_line(found, "dot")
    assert {each.line for each in found if each.name == "HGMMA"} <= products


@pytest.mark.parametrize("number", EXERCISES)
def test_the_ir_names_the_operations_that_the_source_calls(solutions: Answers, number: str) -> None:
    found = {(each.kind, each.line) for each in Ir(assembly_of(solutions, number, 90).ttir).operations}
    assert found == set(called(number))


@pytest.mark.parametrize("number", ["1", "2", "3", "4"])
def test_each_access_of_a_fast_solution_has_its_instructions_too(fast: FastAnswers, number: str) -> None:
    """In functions that its kernels call as well, where the line is that of the access and not of the call."""
    for assembly in fast(number):
        ir = Ir(assembly.ttir)
        found = instructions(assembly.sass, ir)
        for kind in ("load", "store"):
            assert by_line(found, kind) == {each.line for each in ir.operations if each.kind == kind}
        assert {each.line for each in ir.operations if each.kind == "dot"} <= by_line(found, "dot")


@pytest.mark.parametrize("number", BY_HAND)
def test_instructions_are_on_the_lines_that_their_addresses_belong_to(solutions: Answers, number: str) -> None:
    assembly = assembly_of(solutions, number, 80)
    lines = EXERCISES[number].solution_file.read_text(encoding="utf-8").splitlines()
    found = instructions(assembly.sass, Ir(assembly.ttir))
    memory = [each for each in found if each.name in MEMORY_AND_ARITHMETIC]
    by_source = {
        start: Counter(each.opcode for each in memory if each.line and lines[each.line - 1].strip().startswith(start))
        for start in BY_HAND[number]
    }
    assert by_source == {start: Counter(table) for start, table in BY_HAND[number].items()}
    assert sum(map(Counter.total, by_source.values())) == len(memory)


def test_an_instruction_of_tensor_cores_is_no_load() -> None:
    product = Instruction("UTCHMMA.2CTA", "UTCHMMA.2CTA gdesc[UR8]", 1)
    assert [kind for kind in ("load", "store", "dot", "atomic", "reduction") if product.does(kind)] == ["dot"]


def test_the_first_line_that_an_inline_assembly_states_is_the_line_of_all_of_it() -> None:
    ptx = "\n".join([
        "\t.loc\t1 30 9", "\t// begin inline asm", "\t.loc\t1 30 9", "\tmov.u32 %r1, 0x0;", "\t.loc\t1 31 9",
        "\tmov.u32 %r2, 0x0;", "\t@%p1 ld.global.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ];", "\t// end inline asm",
        "\t.loc\t1 39 5", "\t// begin inline asm", "\t@%p1 st.global.b32 [ %rd5 + 0 ], { %r17 };", "\t.loc\t1 40 5",
        "\tmov.u32 %r2, 0x0;", "\t// end inline asm",
    ])  # fmt: skip
    assert re.findall(r"\.loc\t1 (\d+)", correct_lines(ptx)) == ["30", "30", "39"]


@pytest.mark.parametrize(
    "stated",
    [
        ["2 263 15                        // standard.py:263:15 @[ standard.py:293:36 @[ scale.py:9:45 ] ]"],
        [
            "2 314 12, function_name $L__info_string0, inlined_at 1 9 45 // standard.py:314:12",
            "2 287 12, function_name $L__info_string0, inlined_at 2 314 12 // standard.py:287:12",
        ],
    ],
    ids=["as in Triton 3.6", "as in Triton 3.9"],
)
def test_what_comes_of_a_function_of_tritons_is_on_the_line_that_calls_it(stated: list[str]) -> None:
    ptx = ["\t.loc\t1 6 0                           // scale.py:6:0", *(f"\t.loc\t{each}" for each in stated)]
    assert correct_lines("\n".join(ptx)).split("\n")[1:] == ["\t.loc\t1 9 45"] * len(stated)


# Summaries


SPILLS = dict.fromkeys(
    [("6", 75), ("6b", 75), ("6c", 75), ("7e", 75)],
    "its products are not by tensor cores, and need more registers than there are",
) | {("7d", 75): "with 32 warps, a thread has 64 registers, and holds as many numbers of a row"}
"""Solutions that spill, and why."""


@pytest.mark.parametrize("capability", [75, 80, 90])
@pytest.mark.parametrize("number", WORKLOADS)
def test_registers_are_those_that_the_disassembly_states(solutions: Answers, number: str, capability: int) -> None:
    assembly = assembly_of(solutions, number, capability)
    summary = summary_of_solution(solutions, number, capability)
    stated = re.search(r"SHI_REGISTERS=(\d+)|EIATTR_REGCOUNT\D+(\d+)", assembly.sass)
    if capability < 90:  # the newer disassembler does not print it
        assert stated is not None
        assert summary.registers == int(stated[1])
    assert f"REG:{summary.registers} STACK:{summary.stack_bytes} " in assembly.resources
    spilled = summary.spill_stores + summary.spill_loads + summary.stack_bytes
    assert (spilled > 0) == ((number, capability) in SPILLS)


@pytest.mark.parametrize("target", VERDICT_TARGETS, ids=str)
@pytest.mark.parametrize("number", WORKLOADS)
def test_what_is_recorded_is_what_the_compiler_makes_now(solutions: Answers, number: str, target: Target) -> None:
    try:
        here = version("triton")
    except PackageNotFoundError:
        here = ""
    if here != recorded_with():
        pytest.skip(f"recorded with Triton {recorded_with()}: to record again, run python -m benchmarks.asm_summaries")
    summaries = recorded_summaries(number, "plain", target)
    assert len(summaries) == 1, "record it with `python -m benchmarks.asm_summaries`"
    [recorded] = summaries
    assert recorded == summary_of_solution(solutions, number, int(target.arch))
    assert json.loads(json.dumps(recorded.as_json()))["kernel"] == EXERCISES[number].kernel
