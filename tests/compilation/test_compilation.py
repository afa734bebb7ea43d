"""A kernel is launched on the simulator and compiled in another process, with everything that it names."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from triton_simulator.compiler import compilation
from triton_simulator.compiler import report as report_module
from triton_simulator.compiler.compilation import answers, jobs_for
from triton_simulator.compiler.jobs import Answer, CompileJob, PickledKernel, Refusal
from triton_simulator.compiler.launches import Launches
from triton_simulator.compiler.report import CompilerReport
from triton_simulator.gpus import EXTRA_TARGETS, TARGETS, VERDICT_TARGETS, Target, judged_with
from triton_workshop.processes import call
from triton_workshop.processes.compilers import CompilerProcess, compile_kernels, new_process, warm
from triton_workshop.processes.runner import Runner

from . import kernels

H200, A100, T4 = (TARGETS[name] for name in ("sm_90", "sm_80", "sm_75"))


@pytest.fixture(scope="module")
def start() -> Iterator[compilation.Start]:
    """Processes that have imported Triton: the tests need many."""
    with Runner() as runner:
        yield warm(runner)


def pickled_kernels(
    kernel: Any, *, number: Any = 3, block: int = 16, size: int | None = None, running: bool = True
) -> tuple[PickledKernel, ...]:
    launches = Launches()
    x = torch.ones(size or block)
    with launches.listen(running=running):
        kernel[(1,)](x, torch.empty_like(x), number, block)
    return launches.kernels()


def said(kernel: Any, start: compilation.Start, **arguments: Any) -> CompilerReport:
    return compile_kernels(pickled_kernels(kernel, **arguments), start)


@pytest.mark.library
def test_the_compiler_knows_every_gpu_of_the_table(start: compilation.Start) -> None:
    """For one that ptxas or LLVM lacks, it crashes, and says no more than that."""
    [kernel] = pickled_kernels(kernels.takes_all)
    told = list(answers([CompileJob(kernel, target) for target in TARGETS.values()], start, seconds=60))
    assert {str(answer.job.target): answer.refusal for answer in told if answer.refusal or answer.slow} == {}
    assert len(told) == len(TARGETS)


@pytest.mark.library
@pytest.mark.parametrize(
    "kernel", [kernels.takes_all, kernels.calls_itself, kernels.inside(kernels.KIND, kernels.tl.constexpr(4))]
)
def test_a_kernel_takes_all_that_it_names_with_it(kernel: Any, start: compilation.Start) -> None:
    found = said(kernel, start)
    assert found.refused is None
    assert found.fine == list(VERDICT_TARGETS)
    assert found.lines() == ["It compiles for sm_90 (H100, H200), sm_80 (A100) and sm_75 (T4, RTX 20)."]
    assert found.one_line() == "compiles for sm_75 to sm_90"


@pytest.mark.parametrize(
    ("kernel", "words", "line"),
    [
        (kernels.leaves_a_loop, "unsupported AST node type: Break", "break"),
        (kernels.reads_a_global_number, "Cannot access global variable NUMBER", "NUMBER"),
        (kernels.calls_plain_python, "Cannot access global variable plain", "plain(tl.load"),
        (kernels.breaks_in_a_helper, "Loop-carried variable total has initial type int32", "for _ in range(4):"),
        (kernels.prints_with_an_f_string, "f-string", 'print(f"n is {n}")'),
        (kernels.inside(kernels.KIND, 4), "Cannot access global variable stop", "mask=offsets < stop"),
        (kernels.uses_a_class, "Cannot access global variable Sizes", "Sizes.ONE"),
        (kernels.calls_a_method, "Cannot access global variable Sizes", "Sizes.doubled"),
        (kernels.with_a_default_of(2), "size is not defined", "by: tl.constexpr = size"),
    ],
)
def test_a_refusal_has_the_compilers_words_and_the_line(
    kernel: Any, words: str, line: str, start: compilation.Start
) -> None:
    answer = said(kernel, start, running=False).refused
    assert answer is not None
    assert answer.refusal is not None
    assert words in answer.refusal.words
    assert Path(answer.refusal.file).name == "kernels.py"
    assert answer.refusal.line is not None
    assert line in answer.refusal.source
    assert line in Path(kernels.__file__).read_text(encoding="utf-8").splitlines()[answer.refusal.line - 1]


def test_an_object_is_a_constant_with_its_attributes_and_methods(start: compilation.Start) -> None:
    assert said(kernels.takes_an_object, start, number=kernels.Sizes()).refused is None
    refused = said(kernels.takes_an_object_without_such_a_method, start, number=kernels.Sizes(), running=False).refused
    assert refused is not None
    assert refused.refusal is not None
    assert "has no attribute 'thrice'" in refused.refusal.words


def test_a_tuple_of_arguments_is_specialized_as_the_compiler_does(start: compilation.Start) -> None:
    assert said(kernels.takes_a_pair, start, number=kernels.Pair(2.0, 1)).refused is None


def test_without_the_library_the_front_end_has_the_only_word(
    start: compilation.Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "has_library", lambda: False)
    found = said(kernels.takes_all, start)
    assert found.refused is None
    assert found.lines() == ["Triton's front end accepts it. The rest of its compiler is not here."]
    assert found.one_line() == "Triton's front end accepts it; there is no compiler here"
    assert said(kernels.leaves_a_loop, start).refused is not None


@pytest.mark.library
def test_what_older_gpus_do_not_have_is_a_note(start: compilation.Start) -> None:
    found = said(kernels.fp8_of_new_gpus, start)
    assert found.refused is None
    assert H200 in found.fine
    assert "fp8_of_new_gpus does not compile for sm_75 (T4, RTX 20)" in " ".join(found.notes)


def test_shared_memory_that_a_gpu_does_not_have_is_a_note() -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    enough, too_much = (Answer(CompileJob(kernel, T4), shared_bytes=kib << 10) for kib in (64, 96))
    assert CompilerReport(VERDICT_TARGETS, (), (enough,)).notes == []
    [note] = CompilerReport(VERDICT_TARGETS, (), (too_much,)).notes
    assert note.startswith("calls_itself needs 96 KiB of shared memory, and a program has 64 KiB on sm_75")


def test_a_kernel_that_is_refused_for_this_machines_gpu_is_refused() -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    refusal = Refusal("no such instruction")
    refused = Answer(CompileJob(kernel, A100), refusal)
    fine = [Answer(CompileJob(kernel, target)) for target in (H200, T4)]
    assert CompilerReport(VERDICT_TARGETS, (), (*fine, refused)).refused is None
    assert CompilerReport(VERDICT_TARGETS, (A100,), (*fine, refused)).refused is refused


def test_a_number_that_is_used_as_an_address_has_64_bits(start: compilation.Start) -> None:
    launches = Launches()
    x = torch.ones(16)
    with launches.listen():
        kernels.reaches_through_a_number[(1,)](x.data_ptr(), torch.empty_like(x), 16)
    launches.note(kernels.reaches_through_a_number, {"address": 4096, "output_ptr": x, "BLOCK": 16}, {}, {"address"})
    assert len(launches.kernels()) == 1  # wherever the memory lies
    assert compile_kernels(launches.kernels(), start).refused is None


@pytest.mark.library
def test_a_compiler_that_takes_too_long_is_ended_and_the_rest_goes_on(
    start: compilation.Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    [slow] = pickled_kernels(kernels.large_product, block=128, size=128 * 128)
    [quick] = pickled_kernels(kernels.calls_itself)
    monkeypatch.setattr(compilation, "ANSWER_SECONDS", 0.5)
    jobs = [CompileJob(slow, H200), CompileJob(quick, A100)]
    found = list(answers(jobs, start))
    assert [(answer.job, answer.slow) for answer in found] == [(jobs[0], True), (jobs[1], False)]
    assert "compiles very slowly for sm_90" in CompilerReport(VERDICT_TARGETS, (), tuple(found)).notes[0]


@pytest.mark.library
def test_one_process_answers_all_that_is_asked(start: compilation.Start) -> None:
    jobs = [CompileJob(*pickled_kernels(kernels.takes_all, number=number), None) for number in range(3, 8)]
    started: list[compilation.CompileWorker] = []

    def noted() -> compilation.CompileWorker:
        started.append(start())
        return started[-1]

    assert [answer.job for answer in answers(jobs, noted)] == jobs
    assert len(started) == 1


def test_a_product_without_room_in_shared_memory_is_known_before_it_is_compiled(start: compilation.Start) -> None:
    found = said(kernels.large_product, start, block=256, size=256 * 256)
    assert found.refused is None
    assert {answer.job.target for answer in found.memory_failures()} == set(VERDICT_TARGETS)
    assert not any(answer.slow for answer in found.answers)


def test_a_block_that_no_registers_hold_is_a_note_and_not_compiled(start: compilation.Start) -> None:
    size = 1 << 20
    found = said(kernels.large_copy, start, block=size)
    assert found.refused is None
    assert found.memory_failures() == ()
    assert found.fine == []
    [note] = found.notes
    assert note.startswith("large_copy has a block of 1,048,576 float32 values: 4,096 KiB in one program, and all")


def test_a_kernel_has_no_room_only_if_no_gpu_has_it() -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    needs = [Answer(CompileJob(kernel, target), shared_bytes=200 << 10) for target in VERDICT_TARGETS]
    assert CompilerReport(VERDICT_TARGETS, (), tuple(needs)).memory_failures() == ()
    assert len(CompilerReport(VERDICT_TARGETS, (A100,), tuple(needs)).memory_failures()) == 2
    needs[0] = replace(needs[0], shared_bytes=256 << 10)
    assert CompilerReport(VERDICT_TARGETS, (), tuple(needs)).memory_failures() == tuple(needs)


def test_names_of_the_kernels_own_are_not_taken_along(start: compilation.Start) -> None:
    [kernel] = pickled_kernels(kernels.calls_its_sum_as_its_launcher)
    assert kernel.unknown == ""
    assert compile_kernels([kernel], start).notes == []


NOT_KNOWN = (
    "Whether names_what_stays_here compiles for a GPU is not known, since it names something that cannot be taken to "
    "the compiler's process: cannot pickle a Logger."
)


def test_a_kernel_that_cannot_be_taken_along_is_told_in_a_sentence(start: compilation.Start) -> None:
    found = said(kernels.names_what_stays_here, start)
    assert found.refused is None
    assert found.lines() == [NOT_KNOWN]
    assert not report_module.is_success(found.lines()[0])


class Crash:
    """Ends the process that unpickles it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


class Leave:
    """Ends the process that unpickles it before a file of its own is gone, whose name it leaves in another."""

    def __init__(self, name: Path) -> None:
        self._name = name

    def __reduce__(self) -> tuple[Any, ...]:
        lines = f"""
import os, pathlib, tempfile
pathlib.Path({str(self._name)!r}).write_text(tempfile.mkstemp()[1])
os._exit(1)
"""
        return exec, (lines,)


@pytest.mark.library
def test_a_compiler_that_crashes_has_refused(start: compilation.Start) -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    crashing = replace(kernel, data=pickle.dumps(Crash()))
    first, second = answers([CompileJob(crashing, H200), CompileJob(kernel, A100)], start)
    assert first.refusal is not None
    assert "the compiler itself crashed" in first.refusal.words
    assert second.refusal is None


@pytest.mark.library
def test_a_compiler_that_is_ended_leaves_no_files(
    start: compilation.Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    leaving = replace(kernel, data=pickle.dumps(Leave(tmp_path / "left")))
    [answer] = answers([CompileJob(leaving, H200)], start)
    assert answer.refusal is not None
    left = Path((tmp_path / "left").read_text())
    assert left.parent.parent == elsewhere
    assert list(elsewhere.iterdir()) == []


def test_a_compiler_that_does_not_start_has_nothing_to_say(start: compilation.Start) -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)

    def ended() -> CompilerProcess:
        return CompilerProcess(lambda output, folder: call.start("os:_exit", folder, output=output))

    with pytest.raises(OSError, match="could not be imported in another process"):
        list(answers([CompileJob(kernel, None)], ended))


@pytest.mark.library
def test_a_new_process_compiles_without_torch_and_without_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert os.environ["TRITON_INTERPRET"] == "1"
    found = compile_kernels(pickled_kernels(kernels.calls_itself), new_process)
    assert found.fine == list(VERDICT_TARGETS)


def test_each_specialization_is_read_and_each_variant_compiled_but_not_for_every_gpu() -> None:
    kinds = [PickledKernel("add", "a", b"1"), PickledKernel("add", "a", b"2"), PickledKernel("add", "b", b"3")]
    asked = [(job.kernel.data, job.target) for job in jobs_for(kinds)]
    newest, *older = VERDICT_TARGETS
    assert asked == [
        *((data, None) for data in (b"1", b"2", b"3")),
        *((data, newest) for data in (b"2", b"3")),
        *((b"3", target) for target in older),
    ]


def test_a_gpu_of_this_machine_is_one_of_the_targets() -> None:
    assert judged_with({90}) == VERDICT_TARGETS
    *judged, own, unknown = judged_with({130, 120, 80})
    assert tuple(judged) == VERDICT_TARGETS
    assert str(own) == "sm_120 (the GPU of this machine)"
    assert own.shared_bytes == TARGETS["sm_120"].shared_bytes
    assert unknown == Target(130, products="the GPU of this machine")


@pytest.mark.parametrize(
    ("present", "line"),
    [
        (set(), "compiles for sm_75 to sm_90"),
        ({90}, "compiles for sm_75 to sm_90"),
        ({89}, "compiles for sm_75, sm_80, sm_89 and sm_90"),
        ({120}, "compiles for sm_75, sm_80, sm_90 and sm_120"),
    ],
)
def test_a_line_names_the_gpu_of_this_machine_in_its_place(present: set[int], line: str) -> None:
    [kernel] = pickled_kernels(kernels.takes_all)
    targets = judged_with(present)
    report = CompilerReport(targets, (), tuple(Answer(CompileJob(kernel, target)) for target in targets))
    assert report.one_line() == line


def test_sizes_that_are_one_or_divisible_by_sixteen_are_known_to_the_compiler() -> None:
    launches = Launches()
    x = torch.ones(64)
    with launches.listen():
        for number in (1, 2, 3, 16, 32):
            kernels.takes_all[(1,)](x, torch.empty_like(x), number, 16)
    assert len(launches.kernels()) == 3
    assert len({each.variant for each in launches.kernels()}) == 1


def test_what_was_compiled_is_not_compiled_again(
    start: compilation.Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRITON_WORKSHOP_CACHE", str(tmp_path))
    jobs = [CompileJob(*pickled_kernels(kernels.takes_all, number=number), None) for number in (3, 4)]
    first = list(answers(jobs, start))
    with monkeypatch.context() as patch:
        patch.setattr(Runner, "call", None)
        assert list(answers(jobs, start)) == first
    [other] = [CompileJob(*pickled_kernels(kernels.calls_itself), None)]
    assert [answer.job for answer in answers([jobs[0], other, jobs[1]], start)] == [jobs[0], other, jobs[1]]


def test_a_refusal_is_asked_for_again(
    start: compilation.Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It may be that of a full disk."""
    monkeypatch.setenv("TRITON_WORKSHOP_CACHE", str(tmp_path))
    [job] = [CompileJob(*pickled_kernels(kernels.leaves_a_loop), None)]
    assert [answer.refusal is None for answer in answers([job], start)] == [False]
    assert not list(tmp_path.iterdir())


@pytest.mark.library
def test_a_right_kernel_is_compiled_for_blackwell_and_for_amd_too(start: compilation.Start) -> None:
    report = compile_kernels(pickled_kernels(kernels.calls_itself), start, EXTRA_TARGETS)
    assert report.lines() == [
        "It compiles for sm_90 (H100, H200), sm_80 (A100) and sm_75 (T4, RTX 20).",
        "It also compiles for sm_100 (Blackwell B200) and gfx942 (AMD MI300X).",
    ]
    assert all(map(report_module.is_success, report.lines()))


@pytest.mark.library
def test_a_refused_kernel_is_not_compiled_for_more_gpus(start: compilation.Start) -> None:
    report = compile_kernels(pickled_kernels(kernels.large_product, block=256, size=256 * 256), start, EXTRA_TARGETS)
    assert report.memory_failures()
    assert not {answer.job.target for answer in report.answers}.intersection(EXTRA_TARGETS)


def test_what_an_added_target_refuses_is_a_note() -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    fine = [Answer(CompileJob(kernel, target)) for target in VERDICT_TARGETS]
    refused = Answer(CompileJob(kernel, TARGETS["gfx942"]), Refusal("no such instruction"))
    report = CompilerReport(VERDICT_TARGETS, (), (*fine, refused), (TARGETS["gfx942"],))
    assert report.refused is None
    assert report.lines()[1:] == ["calls_itself does not compile for gfx942 (AMD MI300X): no such instruction"]


def test_warps_of_amd_have_64_threads() -> None:
    [kernel] = pickled_kernels(kernels.calls_itself)
    fine = [Answer(CompileJob(kernel, target)) for target in VERDICT_TARGETS]
    large = Answer(CompileJob(kernel, TARGETS["gfx942"]), warps=32)
    report = CompilerReport(VERDICT_TARGETS, (), (*fine, large), (TARGETS["gfx942"],))
    assert report.too_many_warps is None
    [_, note] = report.lines()
    assert note.endswith("launched on gfx942 (AMD MI300X): 32 warps are 2,048 threads, and a program can have 1,024.")
