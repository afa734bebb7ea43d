"""What a summary says of the solutions: widths and why, registers, spills, shared memory; and what is recorded."""

from __future__ import annotations

import importlib.util
import io
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from textual.pilot import Pilot

from tests.apps import driven, screen, until
from tests.asm.conftest import Answers, Compile, assembly_of, summary_of_solution
from triton_simulator.gpus import TARGETS
from triton_workshop.asm.listing import STAGES, PagerApp, listing, listing_table, rows
from triton_workshop.asm.report import TERMINAL, comparison, figures, longest, summary_page
from triton_workshop.asm.sentences import describe_conversion, describe_instructions, describe_line, describe_program
from triton_workshop.costs.summary import Summary, recorded_summaries
from triton_workshop.exercises import EXERCISES

pytestmark = pytest.mark.library
H200, T4 = TARGETS["sm_90"], TARGETS["sm_75"]


def lines_of(number: str) -> list[str]:
    return EXERCISES[number].solution_file.read_text(encoding="utf-8").splitlines()


def said_of(summary: Summary, kind: str) -> list[str]:
    return [describe_line(line, summary.target) for line in summary.lines if line.kind == kind]


# Widths


def test_vectors_that_are_aligned_are_read_in_128_bits(solutions: Answers) -> None:
    summary = summary_of_solution(solutions, "1", 90)
    assert said_of(summary, "load") == ["2 × 128 bit", "2 × 128 bit"]
    assert not list(describe_instructions(summary))


def test_one_element_less_makes_every_access_narrow_and_the_argument_is_named(compile_at: Compile) -> None:
    summary = compile_at("1", (2**20 - 1,))
    why = "8 × 32 bit: not known to the compiler as a multiple of 16: n_elements = 1,048,575"
    assert said_of(summary, "load") == [why, why]
    assert said_of(summary, "store") == [why]
    assert len(list(describe_instructions(summary))) == 3


def test_rows_of_an_odd_width_start_anywhere(compile_at: Compile) -> None:
    summary = compile_at("2", (512, 511))
    why = "8 × 32 bit: not known to the compiler as a multiple of 16: width = 511"
    assert said_of(summary, "load") == [why] * 3


def test_multiples_of_4_are_named_as_the_compiler_asks_for_16(compile_at: Compile) -> None:
    [first, *_] = said_of(compile_at("2", (508, 508)), "load")
    assert first == "8 × 32 bit: not known to the compiler as multiples of 16: height = 508 and width = 508"
    assert said_of(compile_at("2", (508, 512)), "load") == ["2 × 128 bit"] * 3


def test_loads_of_values_that_nobody_uses_are_narrowed_by_ptxas() -> None:
    [summary] = recorded_summaries("3", "fast", H200)
    [image, *_] = said_of(summary, "load")
    assert image == "6 × 128 bit and 12 × 32 bit: PTX asks for 128 bits, and ptxas loads only the values that are used"


def test_whole_tiles_that_the_tensor_memory_accelerator_stores_are_not_called_narrow() -> None:
    [summary] = recorded_summaries("6", "fast", H200)
    tiles = "1 × UTMASTG.3D: whole tiles, by the tensor memory accelerator, asynchronous"
    assert said_of(summary, "store") == [tiles, tiles]
    fast = EXERCISES["6"].fast_file
    assert fast
    stores = [number for number, line in enumerate(fast.read_text().splitlines(), 1) if ".store(" in line]
    assert len(stores) == 2
    assert not [said for said in describe_instructions(summary) for line in stores if f"line {line}" in said]


def test_a_small_block_leaves_each_thread_too_little_for_a_wide_access(solutions: Answers) -> None:
    summary = summary_of_solution(solutions, "3", 80)
    [store] = said_of(summary, "store")
    assert store == "1 × 64 bit: a block of 256 has 2 elements for each of 128 threads"


def test_pixels_beside_the_middle_of_a_filter_are_read_one_by_one(solutions: Answers) -> None:
    pixels, weights = said_of(summary_of_solution(solutions, "3", 80), "load")
    cannot = "the compiler cannot tell that 2 elements lie side by side, from a multiple of 8 bytes on"
    assert pixels == f"3 × 64 bit and 12 × 32 bit: {cannot}"
    assert weights == "9 × 32 bit"


# Dots, pipelines and layouts


def test_a_float32_product_is_asynchronous_from_ampere_on_and_uses_no_tensor_cores(solutions: Answers) -> None:
    newer, older = (summary_of_solution(solutions, "4", capability) for capability in (90, 75))
    how = "asynchronous (cp.async copies to shared memory while the program computes, as num_stages asks)"
    assert said_of(newer, "load") == [f"6 × 128 bit, {how}", f"12 × 128 bit, {how}"]
    assert not any("asynchronous" in said for said in said_of(older, "load"))
    why = "no tensor cores, since float32 is multiplied exactly (input_precision is ieee)"
    assert said_of(newer, "dot") == said_of(older, "dot") == [f"1,024 × FFMA: {why}"]
    [conversion] = newer.conversions
    assert "64 × 128 float32 changes its layout through shared memory, 32 KiB" in describe_conversion(conversion)


def test_tf32_and_half_use_tensor_cores_where_there_are_any_for_them(compile_at: Compile) -> None:
    tf32 = {'input_precision="ieee"': 'input_precision="tf32"'}
    [newer] = said_of(compile_at("4", edits=tf32), "dot")
    assert re.fullmatch(r"\d+ × HGMMA\.\S+\.F32\.TF32: tensor cores", newer)
    [older] = said_of(compile_at("4", edits=tf32, target=T4), "dot")
    assert older.endswith("no tensor cores, since those of sm_75 do not multiply float32")


# What a program takes


def ptxas_says(ptx: Path) -> str:
    """What the assembler says of registers and spills, if Triton's options are given to it.

    Triton's wheel has one for newer PTX, and one for older PTX, which refuses the newer.
    """
    spec = importlib.util.find_spec("triton")
    assert spec is not None
    assert spec.origin is not None
    nvidia = Path(spec.origin).parent / "backends" / "nvidia"
    workaround = "--regAllocOptLevel=2"
    options = ["-v", "-lineinfo", "--gpu-name=sm_90a"]
    options += [workaround] if workaround in (nvidia / "compiler.py").read_text(encoding="utf-8") else []
    for tool in ("ptxas", "ptxas-blackwell"):
        command = [nvidia / "bin" / tool, *options, ptx, "-o", ptx.with_suffix(".cubin")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.returncode:
            return done.stderr
    raise AssertionError(done.stderr)


def test_spills_are_as_many_bytes_as_ptxas_says(compile_at: Compile, tmp_path: Path) -> None:
    summary = compile_at("1", edits={"BLOCK_SIZE = 1024": "BLOCK_SIZE = 32768"})
    assert summary.spill_stores > 0
    assert summary.spill_loads > 0
    ptx = tmp_path / "kernel.ptx"
    assert compile_at.assembly is not None
    ptx.write_text(compile_at.assembly.ptx, encoding="utf-8")
    said = ptxas_says(ptx)
    stack, stored, loaded = map(int, re.findall(r"(\d+) bytes (?:stack frame|spill stores|spill loads)", said))
    moved = {
        name: sum(
            {"64": 8, "128": 16}.get(opcode.rpartition(".")[2], 4)
            for opcode in re.findall(rf"\b({name}[.\w]*)", compile_at.assembly.sass)
        )
        for name in ("STL", "LDL")
    }
    assert (moved["STL"], moved["LDL"], summary.stack_bytes) == (stored, loaded, stack)
    assert any("go to slow memory" in said for said in describe_instructions(summary))


def test_a_program_that_leaves_no_room_for_a_second_one_is_told(solutions: Answers) -> None:
    summary = summary_of_solution(solutions, "4", 90)
    assert list(describe_program(summary))[1] == "3 programs fit on an SM at once (12 warps), limited by registers"
    alone = replace(summary, occupancy=replace(summary.occupancy, programs=1, limits=("shared memory",)))
    assert list(describe_instructions(alone)) == [
        "an SM of sm_90 runs one program of matmul_kernel at a time, limited by shared memory"
    ]


# Beside the source, and beside each other


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_has_the_load_on_the_line_of_its_source(solutions: Answers, stage: str) -> None:
    listed = listing(assembly_of(solutions, "1", 90), stage, lines_of("1"))
    [load] = [line for line in listed if "x = tl.load(" in line.source]
    wanted = {"ttir": "tt.load", "ttgir": "tt.load", "ptx": "ld.global.v4.b32", "sass": "LDG.E.128"}[stage]
    assert sum(wanted in below for below in load.below) == (2 if stage in ("ptx", "sass") else 1)


@pytest.mark.parametrize("stage", ["ptx", "sass"])
def test_each_target_of_a_branch_is_listed(solutions: Answers, stage: str) -> None:
    listed = listing(assembly_of(solutions, "4", 90), stage, lines_of("4"))
    texts = [below for line in listed for below in line.below]
    targets = {target for text in texts for target in re.findall(r"\b(?:BRA|bra)\b.*?(\.L_x_\d+|\$L__BB\d+_\d+)", text)}
    assert targets
    assert targets == {text.partition(":")[0] for text in texts if text.startswith((".L_x_", "$L__BB"))}


def test_a_listing_begins_with_the_layouts_of_the_gpu_ir(solutions: Answers) -> None:
    assembly = assembly_of(solutions, "1", 90)
    layout = next(text.plain for _, text in rows(assembly, "ttgir", lines_of("1")))
    assert "sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4]" in layout


def test_the_pager_scrolls_and_a_key_leaves_it(solutions: Answers) -> None:
    assembly = assembly_of(solutions, "4", 90)
    head = "matmul_kernel · exercise 4, plain · 512×512 times 512×512 · sm_90 (H100, H200) · ttgir"
    contents = listing_table(rows(assembly, "ttgir", lines_of("4")))

    async def steps(pager: PagerApp, pilot: Pilot[int]) -> None:
        await pilot.pause()
        for seen in ("ttgir", "def matmul_kernel(", "q/esc", "warpsPerCTA = [4, 1], order = [1, 0]"):
            assert seen in " ".join(screen(pager).split())
        await pilot.press("space")
        await until(pilot, lambda: "def matmul_kernel(" not in screen(pager))
        await pilot.press("end")
        await until(pilot, lambda: "tt.store" in screen(pager))
        await pilot.press("q")

    pager = driven(lambda: PagerApp(head, contents), steps, lambda _: None, (80, 24))
    assert pager.return_value == 0


def test_a_reason_is_told_once(compile_at: Compile) -> None:
    console = Console(file=io.StringIO(), width=80, theme=TERMINAL)
    console.print(summary_page(compile_at("2", (512, 511)), "exercise 2"))
    said = console.file.getvalue()  # type: ignore[attr-defined]
    assert said.count("width = 511") == 1
    assert said.count("8 × 32 bit: as on line ") == 5


def test_a_comparison_has_a_row_for_what_one_of_them_has(solutions: Answers) -> None:
    add, product = (summary_of_solution(solutions, number, 90) for number in ("1", "4"))
    assert figures(add)["loads"] == "4 × 128 bit"
    assert figures(product)["loads"] == "18 × 128 bit, asynchronous"
    assert figures(add)["elements a program"] == "1,024 stored"
    assert longest([add, product]) is product
    first, *_ = comparison(add, product, ["add", "product"]).columns
    names = {str(cell) for cell in first.cells}
    assert "dots" in names
    assert "atomics" not in names


# Recorded


def test_the_size_that_a_slide_asks_for_is_recorded_too(compile_at: Compile) -> None:
    size = (2**20 - 1,)
    [recorded] = recorded_summaries("1", "plain", H200, size)
    assert said_of(recorded, "load") == said_of(compile_at("1", size), "load")
    assert recorded_summaries("1", "plain", H200, (77,)) == []
