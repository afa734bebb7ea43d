"""The workshop's own decks, one for each half-day: they parse, their claims hold, and their live blocks run."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import shipped_exercise
from triton_simulator import gpus
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, Deck, Execution, Slide, plain, walk
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script
from triton_workshop.repository import ROOT
from triton_workshop.validating import Validation, validate
from triton_workshop.viewer.slides.fit import HEIGHT, ended, output_columns, rows_needed

DECKS = {1: ROOT / "slides" / "triton-workshop.md", 2: ROOT / "slides" / "second-half.md"}
"""By their half-days."""
BLOCKS = {1: 20, 2: 11}
"""How many blocks each runs, at the least."""


def _codes(deck: Deck) -> list[tuple[Slide, Code]]:
    blocks = [(slide, block.content) for slide in deck.slides for block in walk(slide.blocks)]
    return [(slide, content) for slide, content in blocks if isinstance(content, Code)]


@pytest.fixture(params=DECKS, ids=["first half", "second half"])
def half(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def decks() -> dict[int, Deck]:
    return {half: load_deck(file) for half, file in DECKS.items()}


@pytest.fixture
def deck(half: int, decks: dict[int, Deck]) -> Deck:
    return decks[half]


def test_the_deck_has_nothing_to_warn_of(deck: Deck) -> None:
    assert deck.warnings == ()


def test_every_slide_has_a_title_and_notes(deck: Deck) -> None:
    for slide in deck.slides:
        assert slide.title, f"line {slide.line}"
        assert slide.notes, f"line {slide.line}"


@pytest.mark.parametrize("half", [1], indirect=True)
def test_the_download_starts_before_all_else(deck: Deck) -> None:
    [code] = [code for slide, code in _codes(deck) if slide is deck.slides[1]]
    assert code.lines[-1] == "uv run setup-check"


TEMPLATES = [
    (exercise.session, number, function)
    for number, exercise in EXERCISES.items()
    if number in REQUIRED
    for function in (exercise.launcher, exercise.kernel)
]
TEMPLATES += [(2, "5a", EXERCISES["5a"].kernel)]


@pytest.mark.parametrize(("half", "number", "function"), TEMPLATES, indirect=["half"])
def test_the_template_on_the_slides_is_the_exercise(deck: Deck, number: str, function: str) -> None:
    """Each TODO of it fits into a row of 80 columns, of which the slide's and the code's margins take eleven."""
    titled = [code for slide, code in _codes(deck) if f"Exercise {number} ·" in plain(slide.title or ())]
    shown = "\n\n".join("\n".join(code.lines) for code in titled if code.language == "python")
    pattern = rf"^(@triton\.jit\n)?def {function}\(.*?(?=\n\n\n)"
    wanted = re.search(pattern, shipped_exercise(number), re.DOTALL | re.MULTILINE)
    assert wanted is not None
    assert wanted[0] in shown
    assert [line for line in wanted[0].splitlines() if "# TODO" in line and len(line) > 69] == []


@pytest.mark.parametrize(
    ("half", "number"), [(each.session, number) for number, each in REQUIRED.items()], indirect=["half"]
)
def test_no_slide_before_an_exercise_holds_its_kernel(deck: Deck, number: str) -> None:
    """Hidden lines are shown and copied on the page, so a slide that needs the kernel imports it from `solutions`."""
    first = next((slide for slide in deck.slides if slide.name.startswith(f"Exercise {number}")), None)
    assert first is not None, f"no slide is called Exercise {number} · …"
    kernel = f"def {REQUIRED[number].launcher}_kernel("
    assert [slide.name for slide, code in _codes(deck) if slide.line < first.line and kernel in code.source] == []


@pytest.mark.parametrize("half", [1], indirect=True)
def test_slides_before_exercise_1_show_none_of_its_lines_but_the_program_id(deck: Deck) -> None:
    """Nor does the page's first slide: who fills in a TODO has to think."""
    first = next(slide for slide in deck.slides if slide.name.startswith("Exercise 1"))
    codes = [code for slide, code in _codes(deck) if slide.line < first.line]
    codes += [code for _, code in _codes(load_deck(ROOT / "slides" / "start.md"))]
    shown = {line.strip() for code in codes for line in code.source.splitlines()}
    shipped = shipped_exercise("1").splitlines()
    solution = (ROOT / "solutions" / "exercise_1.py").read_text(encoding="utf-8").splitlines()
    filled_in = {line.strip() for line in solution if line not in shipped and "#" not in line}
    assert len(filled_in) == 9
    assert filled_in & shown == {"pid = tl.program_id(axis=0)"}


def test_visible_code_fits_a_slide(deck: Deck) -> None:
    for slide, code in _codes(deck):
        assert len(code.lines) < 25, f"line {slide.line}"
        assert max(map(len, code.lines)) <= 80, f"line {slide.line}"


def test_presenterm_needs_no_more_than_the_flag_that_runs_code(deck: Deck) -> None:
    """`-x`, that is: `-X` would run code before anybody asked for it."""
    kinds = {code.execution for _, code in _codes(deck)}
    assert kinds <= {Execution.NONE, Execution.ON_KEY, Execution.AUTOMATIC}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as runner:
        runner.warm_up()
        runner.wait_until_warm(120)
        yield runner


@pytest.fixture(scope="module")
def validations(runner: Runner) -> Callable[[int], Validation]:
    """Every live block of a deck, run once, in warm processes, each with the columns that the viewer gives it.

    Its kernels are compiled for the default target only: benchmarks/results/validate-simulator.md has all of them.
    """

    @functools.cache
    def validated(half: int) -> Validation:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gpus, "VERDICT_TARGETS", (gpus.DEFAULT_TARGET,))
            return validate(DECKS[half], widths=output_columns, start=runner.run, compiler=warm(runner))

    return validated


@pytest.fixture
def validation(half: int, validations: Callable[[int], Validation]) -> Validation:
    return validations(half)


def test_the_deck_is_valid_on_this_machine(validation: Validation) -> None:
    failures = [f"{result.path}:{result.block.line}: {result.failure}\n{result.text}" for result in validation.blocks]
    failed = [text for text, result in zip(failures, validation.blocks, strict=True) if not result.passed]
    assert not failed, "\n".join(failed)
    assert validation.findings == ()


def test_every_live_block_runs_and_prints_something(half: int, validation: Validation) -> None:
    assert len(validation.blocks) >= BLOCKS[half]
    for result in validation.blocks:
        assert result.outcome is not None, result.block.line
        assert result.text.strip(), result.block.line


def test_every_slide_fits_the_screen_with_all_that_its_code_prints(deck: Deck, validation: Validation) -> None:
    cells = {result.block: ended(result.output, result.outcome) for result in validation.blocks if result.outcome}
    rows = {f"line {slide.line}, {slide.name}": rows_needed(deck, slide, cells) for slide in deck.slides}
    assert {slide: needed for slide, needed in rows.items() if needed > HEIGHT} == {}


TALL = {
    "A sum by four programs",
    "One element less",
    "What a program takes",
    "Attention without its matrix",
    "Read somebody's kernel",
    "Ship it: an operator with a gradient",
}
"""The slides of the second half whose code, errors or summaries are longer than a small terminal."""


@pytest.mark.parametrize("half", [2], indirect=True)
def test_the_answers_stay_on_a_small_terminal(deck: Deck, validation: Validation) -> None:
    cells = {result.block: ended(result.output, result.outcome) for result in validation.blocks if result.outcome}
    assert {slide.name for slide in deck.slides if rows_needed(deck, slide, cells, 80, 24) > 24} == TALL


FIRST_PRINTED = (
    ("GPU or simulator?", r"kernels and tensors live on '(cpu|cuda)'\n"),
    ("1000 elements in blocks of 256",
     r"1000 // 256:            3\n1024 // 256 \+ 1:        5\n"
     r"cdiv\(1000, 256\):        4\ntriton\.cdiv\(1024, 256\): 4\n"),
    (
        "Something is wrong here",
        r"expected \[0\.0, 2\.0, 4\.0, 6\.0, 8\.0, 10\.0, 12\.0, 14\.0\]\n"
        r"got      \[0\.0, 2\.0, 4\.0, 6\.0, -1\.0, -1\.0, -1\.0, -1\.0\]\n",
    ),
    ("The launcher is an ordinary Python function", "never written: 232\nnever written: 0\nnever written: 0\n"),
    ("What a mask guards",
     r"error: double_kernel: program 3 read x_ptr\[1000\.\.1023\], but x_ptr has 1000 elements\.\n  Line \d+: `x = "),
    (
        "Fusion, measured: sqrt(a * b + c)",
        r"three kernels: (32 bytes per element|\d\.\d\d ms)\none kernel:    (16 bytes per element|\d\.\d\d ms)\n"
        r"same result:   True\n",
    ),
    ("Flip, live", "programs: 128\n(▀+\n){9,}"),
    ("First in one dimension: loop, mask, zeros",
     r"\[1\.0, 2\.0, 3\.0, 4\.0, 5\.0, 6\.0\] -> \[3\.0, 6\.0, 9\.0, 12\.0, 15\.0, 11\.0\]\n"),
    ("Sharpen or blur: only the weights differ", "bytes per pixel: 40 and 104\n(▀+\n){9,}"),
    ("Walk along K: a dot product in steps",
     r"k = 0: 32 elements\nk = 32: 32 elements\nk = 64: 6 elements\nones · ones = 70\.0\n"),
    (
        "Multiply by the identity",
        r"A                \[2048\.25, 2050\.5, 3000\.25, 4096\.5\]\n"
        r"A @ eye          \[2048\.0, 2050\.0, 3000\.0, 4096\.0\]\n"
        r'A @ eye, "ieee"  \[2048\.25, 2050\.5, 3000\.25, 4096\.5\]\n'
        r"torch\.randn, 64 x 64, against float64:\n"
        r"  tf32: relative error 8e-04\n  ieee: relative error [1-5]e-0[78]\n",
    ),
    ("Into a model: a kernel with a gradient",
     r"without: element 0 of tensors does not require grad.*\ngradient: \[2\.0, 4\.0, 6\.0\]\n"),
    (
        "Grouped order: 54 tiles instead of 90",
        r"groups of 1: rows of A 1, columns of B 9: 9 \+ 81 = 90 tiles\n"
        r"groups of 3: rows of A 3, columns of B 3: 27 \+ 27 = 54 tiles\n",
    ),
    ("Fuse what comes next: a leaky ReLU costs nothing", "right: True\n"),
    ("When offsets need 64 bits", "int32: -2147482624\nint64: 2147484672\n"),
    ("Printing on the GPU itself",
     r"\(1, 0, 0\)  offsets:  \[4 5 6 7\]\n|pid \(1, 0, 0\) idx \(0\) offsets: 4\n(pid .*\n){3}"),
    ("A tile is a slice", r"tensor\(\[\[26, 27, 28, 29\],\n +\[34, 35, 36, 37\]\](, device='cuda:0')?\)\n"
     r"the same as A\[3 : 3 \+ 2, 2 : 2 \+ 4\]: True\n"),
    ("Kernels call functions, and constexprs are resolved at compile time",
     r"CLAMP=False \[0\.0, 0\.5, 1\.0, 1\.5, 2\.0, 2\.5\]\nCLAMP=True  \[0\.0, 0\.5, 1\.0, 1\.0, 1\.0, 1\.0\]\n"),
    ("Autotune: let the machine choose the block", r"right: True\nchosen: \{'BLOCK_SIZE': \d+\} warps: \d+\n"),
    ("An aside: LeetGPU, where kernels compete", "right: True\n"),
)  # fmt: skip
SECOND_PRINTED = (
    ("A sum by four programs",
     r"error: sum_kernel: program 1 and program 0 meet at output_ptr\[0\]: program 1 loads it"),
    ("The fix: an atomic, or a sum in two steps", r"sum:      499500\.0\nexpected: 499500\.0\n"),
    ("Reductions: a block in, a smaller block out",
     r"sums    \[-15\.0, -40\.0, -65\.0\]\nmaxima  \[0\.0, 0\.0, 0\.0\]\n"),
    ("Softmax without the maximum", r"right: False\nNaN:   [1-9]\d+\n"),
    ("A long row: a running maximum and sum",
     r"maximum 3, sum 1\.135\nmaximum 5, sum 1\.203\nmaximum 5, sum 1\.578\n"
     r"maximum \+ log\(sum\): 5\.4562, torch\.logsumexp: 5\.4562\n"),
    ("Where does a row begin?",
     r"int32: \[2147390208, -2147448832\]\nint64: \[2147390208, 2147518464\]\n"),
    ("The same running pair, and a running output",
     r"tile by tile: (\[\d\.\d+, \d\.\d+\])\nat once:      \1\n"),
    ("A row without a key", r"\[-inf, -3\.\d+e\+38, 5\.0\] -> \[nan, 1\.0, 1\.0\]\n"),
    ("Attention without its matrix", "as PyTorch's attention: length 1000 True · length 77 True\n"),
    ("Read somebody's kernel",
     r"error: flash_kernel: program \(0, 1\) and program \(0, 0\) meet at out_ptr\[0\.\.1023\]:"),
)  # fmt: skip
PRINTED = {1: FIRST_PRINTED, 2: SECOND_PRINTED}


def test_what_each_live_block_prints_is_stated_here(half: int, validation: Validation) -> None:
    python = [slide.title for slide in validation.slides if any(b.code.language == "python" for b in slide.blocks)]
    assert python == [title for title, _ in PRINTED[half]]


@pytest.mark.parametrize(
    ("half", "title", "output"),
    [(half, *printed) for half, table in PRINTED.items() for printed in table],
    indirect=["half"],
)
def test_a_live_block_prints_what_the_slide_says(validation: Validation, title: str, output: str) -> None:
    [slide] = [slide for slide in validation.slides if slide.title == title]
    assert re.match(output, slide.blocks[0].text), slide.blocks[0].text


LOG = """
import logging
logging.basicConfig(level=logging.WARNING, format="%(message)s")
logging.getLogger("triton_simulator").setLevel(logging.DEBUG)
"""
LOOKS = ("print_if(", "device_print(")
SOLUTION = """
import runpy
from triton_workshop import DEVICE
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import launcher_args
names = runpy.run_path("solutions/exercise_{0}.py")
exercise = EXERCISES["{0}"]
for case in exercise.cases:
    names[exercise.launcher](*launcher_args(case.arguments(DEVICE)))
"""


def test_only_debug_output_makes_programs_run_one_by_one(half: int, deck: Deck, runner: Runner) -> None:
    blocks = [
        code.source for _, code in _codes(deck) if code.execution is Execution.ON_KEY and code.language == "python"
    ]
    quiet = [(deck.path.parent, source) for source in blocks if not any(look in source for look in LOOKS)]
    loud = [(deck.path.parent, source) for source in blocks if any(look in source for look in LOOKS)]
    solutions = [(ROOT, SOLUTION.format(number)) for number, each in EXERCISES.items() if each.session == half]
    solutions += [(ROOT, (ROOT / "slides" / "look_inside.py").read_text(encoding="utf-8"))] * (half == 2)
    said = "runs program by program"
    assert [said in _log(runner, *script) for script in quiet + solutions] == [False] * len(quiet + solutions)
    assert [said in _log(runner, *script) for script in loud] == [True] * len(loud)


def _log(runner: Runner, folder: Path, source: str) -> str:
    with runner.run(Script("python", f"import os; os.environ['TRITON_INTERPRET'] = '1'\n{LOG}{source}", folder)) as run:
        return b"".join(run.output()).decode()
