"""Validating a deck: each defect is found where it stands, each block judged by what the deck promises of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image

from triton_workshop.processes.run import Run
from triton_workshop.processes.script import Script
from triton_workshop.validating import BlockResult, NoSuchSlideError, Rules, Validation, inspection, validate
from triton_workshop.validating.blocks import MAX_OUTPUT_BYTES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What decks refer to: a picture, one cut short, a file that only says it is one."""
    Image.effect_noise((64, 64), 90).convert("RGB").save(tmp_path / "good.png")
    whole = (tmp_path / "good.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "named.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    (tmp_path / "part.md").write_text("text\n\n![](cut.png)\n")
    return tmp_path


def deck(folder: Path, text: str) -> Path:
    path = folder / "deck.md"
    path.write_text(text)
    return path


def fence(info: str, body: str = "pass") -> str:
    return f"```{info}\n{body}\n```\n"


# The deck, the line of the finding, a part of its message.
DEFECTS: dict[str, tuple[str, int, str]] = {
    "a command that is none": ("text\n\n<!-- pauze -->\n", 3, "did you mean 'pause'?"),
    "a picture cut short": ("text\n\n![](cut.png)\n", 3, "cut.png: cannot be opened"),
    "a picture that is none": ("![](named.png)\n", 1, "named.png: cannot be opened"),
    "a picture inside a column": ("<!-- column_layout: [1] -->\n<!-- column: 0 -->\n\n![](cut.png)\n", 4, "cut.png"),
    "a note that gets lost": ("text\n\n<!--\nspeaker_nte: |\n  lost\n-->\n", 3, "did you mean 'speaker_note'?"),
    "a hidden line that shows": (fence("python", "x = 1\n///import os"), 3, "'///' needs a space"),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found_at_its_line(folder: Path, defect: str) -> None:
    text, line, message = DEFECTS[defect]
    validation = validate(deck(folder, text))
    [finding] = validation.findings
    assert (finding.path.name, finding.line) == ("deck.md", line)
    assert message in finding.reason
    assert not validation.passed


def test_a_defect_of_an_included_file_is_named_with_that_file(folder: Path) -> None:
    [finding] = validate(deck(folder, "text\n\n<!-- include: part.md -->\n")).findings
    assert (finding.path.name, finding.line) == ("part.md", 3)


@pytest.mark.parametrize(
    ("most", "message"), [("MAX_MEGAPIXELS", "0 megapixels, expected"), ("MAX_MEGABYTES", "0 MB, expected")]
)
def test_a_picture_that_takes_seconds_to_show_is_a_finding(
    folder: Path, monkeypatch: pytest.MonkeyPatch, most: str, message: str
) -> None:
    monkeypatch.setattr(inspection, most, 0)
    [finding] = validate(deck(folder, "![](good.png)\n")).findings
    assert message in finding.reason


def test_a_good_deck_passes(folder: Path) -> None:
    text = "Title\n===\n\n![](good.png)\n\n" + fence("python {1|1|all}") + fence("rust", "///! a comment of Rust's")
    validation = validate(deck(folder, text))
    assert (validation.passed, validation.findings, validation.blocks) == (True, (), ())


def test_nothing_runs_of_a_deck_that_presenterm_would_refuse(folder: Path) -> None:
    validation = validate(deck(folder, fence("bash +exec", "touch ran") + "\n<!-- pauze -->\n"))
    assert validation.slides == ()
    assert not (folder / "ran").exists()


# Blocks


def run(folder: Path, text: str, rules: Rules | None = None) -> Validation:
    return validate(deck(folder, text), rules)


def only_block(validation: Validation) -> BlockResult:
    [result] = validation.blocks
    return result


# The block's opening line, its code, why it fails; None where it does not.
JUDGED: dict[str, tuple[str, str, str | None]] = {
    "a block that succeeds": ("python +exec", "pass", None),
    "a block that fails": ("python +exec", "raise SystemExit(3)", "exit 3"),
    "a block that must fail and does": ("python +exec +expect:failure", "raise SystemExit(3)", None),
    "a block that must fail and does not": ("python +exec +expect:failure", "pass", "exit 0, but"),
    "a block that runs by itself": ("bash +auto_exec", "exit 4", "exit 4"),
    "a block whose output replaces it": ("bash +exec_replace", "exit 5", "exit 5"),
    "a block that is only checked": ("bash +validate", "exit 6", "exit 6"),
    "a block that dies": ("bash +exec", "kill -SEGV $$", "killed by SIGSEGV"),
    "an image that is none": ("bash +image", "echo text", "its output is not a picture"),
    "an image": ("bash +image", "cat good.png", None),
}


@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are bash's")
@pytest.mark.parametrize("case", JUDGED)
def test_a_block_is_judged_by_what_the_deck_promises(folder: Path, case: str) -> None:
    info, code, expected = JUDGED[case]
    validation = run(folder, fence(info, code))
    failure = only_block(validation).failure
    assert (failure or "").startswith(expected or "")
    assert (failure is None) == (expected is None) == validation.passed


@pytest.mark.parametrize("mark", ["", " +expect:failure"])
def test_a_block_that_hangs_is_stopped_and_fails_whatever_is_expected(folder: Path, mark: str) -> None:
    code = "import time\nprint('ready', flush=True)\ntime.sleep(600)"
    result = only_block(run(folder, fence("python +exec" + mark, code), Rules(timeout=1)))
    assert result.failure == "still running after 1 s"
    assert "ready" in result.text


def test_a_block_over_the_limit_fails_and_runs_to_its_end(folder: Path) -> None:
    result = only_block(run(folder, fence("python +exec", "print('done')"), Rules(limit=0)))
    assert result.failure == "slower than 0 s"
    assert result.text == "done\n"


def test_a_block_that_cannot_run_here_is_named_and_fails_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    validation = run(folder, fence("rust +exec", "fn main() {}"))
    assert validation.passed
    assert only_block(validation).skipped


def test_what_is_not_drawn_is_told_and_fails_nothing(folder: Path) -> None:
    validation = run(folder, fence("bash +pty:40:3", "echo done"))
    assert validation.passed
    assert only_block(validation).text == "done\n"
    assert [problem.reason for problem in validation.unsupported] == [
        "presenterm gives this block a terminal; this viewer runs it as +exec"
    ]


def test_code_that_is_only_shown_does_not_run(folder: Path) -> None:
    assert run(folder, fence("bash", "touch ran")).blocks == ()
    assert not (folder / "ran").exists()


def test_blocks_run_in_the_decks_folder_in_its_order(folder: Path) -> None:
    first, second = fence("python +exec", "open('ran', 'x')"), fence("python +exec", "print(open('ran').name)")
    validation = run(folder, first + "\n<!-- end_slide -->\n\n" + second)
    assert validation.passed
    assert [(slide.number, len(slide.blocks)) for slide in validation.slides] == [(1, 1), (2, 1)]
    assert (folder / "ran").exists()


def test_only_one_slide_runs_where_one_is_asked_for(folder: Path) -> None:
    text = fence("python +exec", "1 / 0") + "\n<!-- end_slide -->\n\n" + fence("python +exec", "print('second')")
    validation = run(folder, text, Rules(only=2))
    assert [slide.number for slide in validation.slides] == [2]
    assert only_block(validation).text == "second\n"


@pytest.mark.parametrize("only", [0, 3])
def test_a_slide_that_is_not_there_is_named(folder: Path, only: int) -> None:
    with pytest.raises(NoSuchSlideError, match=f"no slide {only}; it has 1"):
        run(folder, "text\n", Rules(only=only))


def test_output_is_as_wide_as_the_screen_says(folder: Path) -> None:
    path = deck(folder, fence("python +exec", "import os; print(os.environ['TRITON_WORKSHOP_SLIDE'])"))
    validation = validate(path, widths=lambda deck: {deck.slides[0].blocks[0]: 61})
    assert only_block(validation).text == "61\n"


def test_a_traceback_names_the_decks_line(folder: Path) -> None:
    text = "Title\n===\n\n" + fence("python +exec", "/// x = 0\n\n1 / x")
    assert 'File "deck.md", line 7, in <module>' in only_block(run(folder, text)).text


def test_text_is_what_a_terminal_would_show(folder: Path) -> None:
    code = r"print('10 %\r20 %\r\n\x1b[31mred\x1b[0m \x1b]8;;x\x07link\x1b]8;;\x07')"
    assert only_block(run(folder, fence("python +exec", code))).text == "20 %\nred link\n"


def test_of_endless_output_the_end_is_kept(folder: Path) -> None:
    code = f"print('first'); print('x' * {3 * MAX_OUTPUT_BYTES}); print('last')"
    result = only_block(run(folder, fence("python +exec", code)))
    assert len(result.output) == MAX_OUTPUT_BYTES
    assert result.text.endswith("last\n")


def test_progress_is_told_before_each_block_and_at_the_end(folder: Path) -> None:
    told: list[tuple[int, int, str]] = []
    slide = "One\n===\n\n" + fence("python +exec") + "\n" + fence("python +exec")
    validate(deck(folder, slide), report=lambda *progress: told.append(progress))
    assert told == [(0, 2, "One"), (1, 2, "One"), (2, 2, "")]


def test_the_caller_decides_how_a_block_is_started(folder: Path) -> None:
    started: list[Script] = []

    def start(script: Script) -> Run:
        started.append(script)
        return Run(script)

    validate(deck(folder, fence("bash +exec", "true")), start=start)
    assert [(script.language, script.source, script.folder) for script in started] == [("bash", "true\n", folder)]


KERNEL = """\
from triton_workshop import DEVICE
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    BODY
    tl.store(x_ptr + offsets, 2.0, mask=offsets < n)

double[(1,)](torch.ones(5), 5, 16)
"""


def test_kernels_that_ran_on_the_simulator_are_compiled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    loop = "for i in range(3):\n        break"
    [wrong] = validate(deck(folder, fence("python +validate", KERNEL.replace("BODY", loop)))).blocks
    assert wrong.failure == "double does not compile for a GPU, line 11: unsupported AST node type: Break"
