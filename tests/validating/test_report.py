"""A validation as table, JSON and Markdown; and the command as people and machines call it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner, Result

from triton_workshop.cli import app, slides
from triton_workshop.deck.model import Block, Code, DeckProblem, Execution
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Outcome
from triton_workshop.validating import BlockResult, SlideResult, Validation
from triton_workshop.validating.documents import as_json, as_markdown, summary
from triton_workshop.validating.environment import Environment
from triton_workshop.validating.report import MAX_FAILURE_LINES, print_validation

DECK = Path("deck.md")
H200 = Environment("cuda", "NVIDIA H200", 16, "Linux x86_64", "3.12.3", "2.11.0", "3.6.0")


def result(line: int, language: str = "python", **values: object) -> BlockResult:
    code = Code(language, ("x",), "x\n", (line + 1,), execution=Execution.ON_KEY)
    return BlockResult(DECK, Block(code, 0, line), code, **values)  # type: ignore[arg-type]


GOOD = result(8, outcome=Outcome(0, 1.25), output=b"fine\n")
BAD = result(15, outcome=Outcome(3, 0.5), output="\n".join(f"row {n}" for n in range(20)).encode(), failure="exit 3")
UNRUN = result(20, "rust", skipped="rust | cargo does not run here")
LONG = "A title that is longer than a table of eighty columns has room for, if it is to say anything else"
SLIDES = (
    SlideResult(1, "Introduction", DECK, 1),
    SlideResult(2, LONG, DECK, 5, (GOOD, BAD)),
    SlideResult(3, "a | b", DECK, 18, (UNRUN,)),
)
VALIDATION = Validation(DECK, H200, SLIDES, (DeckProblem(DECK, 30, "line 9 is highlighted"),), 1.75)


def printed(validation: Validation, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    print_validation(validation, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_table_keeps_its_figures_at_any_width(width: int) -> None:
    rows = printed(VALIDATION, width).splitlines()
    assert max(map(len, rows[:4])) <= width
    assert [rows[1].split()[:2], rows[1].split()[-4:]] == [["✓", "2"], ["8", "1.2", "s", "0"]]
    assert rows[2].split() == ["✗", "15", "0.5", "s", "3"]
    assert rows[3].startswith("·      3  a | b")


def test_a_failure_shows_the_last_lines_of_its_output() -> None:
    text = printed(VALIDATION, 100)
    assert "  deck.md:15: exit 3\n  … 8 earlier lines\n  row 8\n" in text
    assert text.count("  row ") == MAX_FAILURE_LINES
    assert "fine" not in text


def test_a_finding_stays_on_one_line_in_a_pipe() -> None:
    finding = DeckProblem(DECK, 3, "word " * 40)
    text = printed(Validation(DECK, H200, (), (finding,), 0.1), 60)
    assert f"✗ deck.md:3: {'word ' * 40}".strip() in text


def test_the_summary_counts_what_passed_failed_and_did_not_run() -> None:
    assert summary(VALIDATION) == "3 slides, 1 of 3 blocks as expected, 1 failed, 1 not run, 1 finding, 2 s"


def test_json_has_every_slide_block_and_finding() -> None:
    document = json.loads(as_json(VALIDATION))
    assert {key: document[key] for key in ("deck", "device", "passed", "seconds")} == {
        "deck": "deck.md",
        "device": "cuda",
        "passed": False,
        "seconds": 1.75,
    }
    assert document["machine"]["torch"] == "2.11.0"
    assert [(slide["slide"], slide["line"], len(slide["blocks"])) for slide in document["slides"]] == [
        (1, 1, 0),
        (2, 5, 2),
        (3, 18, 1),
    ]
    good, bad = document["slides"][1]["blocks"]
    assert good == {
        "file": "deck.md",
        "line": 8,
        "language": "python",
        "seconds": 1.25,
        "exit": 0,
        "expected": "success",
        "passed": True,
        "reason": None,
        "compiler": "",
        "output": "fine\n",
    }
    assert (bad["exit"], bad["passed"], bad["reason"]) == (3, False, "exit 3")
    [unrun] = document["slides"][2]["blocks"]
    assert (unrun["exit"], unrun["passed"], unrun["reason"]) == (None, None, "rust | cargo does not run here")
    assert document["findings"] == [{"file": "deck.md", "line": 30, "message": "line 9 is highlighted"}]


def test_markdown_names_the_machine_and_each_block() -> None:
    text = as_markdown(VALIDATION, "uv run workshop validate --markdown")
    assert "`uv run workshop validate --markdown` on NVIDIA H200, 16 CPU cores" in text
    assert "PyTorch 2.11.0, Triton 3.6.0" in text
    assert f"| 2 | {LONG} | 15 | python | 0.5 | 3 | success | exit 3 |" in text
    assert "| 3 | a \\| b | 20 | rust | – | – | success | not run: rust \\| cargo does not run here |" in text
    assert "- deck.md:30: line 9 is highlighted" in text


# The command

Command = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.md").write_text('One\n===\n\n```python +exec\nprint("fine")\n```\n')
    (tmp_path / "bad.md").write_text("One\n===\n\n```python +exec\n1 / 0\n```\n")
    (tmp_path / "slow.md").write_text("One\n===\n\n```python +exec\nimport time\ntime.sleep(600)\n```\n")
    return tmp_path


@pytest.fixture
def workshop(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """`workshop validate -x` in this process. No block waits for a warm process: none needs torch."""
    monkeypatch.setattr(Runner, "warm_up", lambda runner: None)
    monkeypatch.setattr(Runner, "wait_until_warm", lambda runner, seconds: None)
    monkeypatch.chdir(folder)

    def run(*arguments: str) -> Result:
        command = ["validate", "-x", *arguments]
        monkeypatch.setattr(sys, "argv", ["workshop", *command])
        return CliRunner().invoke(app, command)

    return run


def test_as_a_process_a_failing_block_is_exit_1_with_its_last_line(folder: Path) -> None:
    command = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "validate", "-x", "bad.md"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert 'bad.md:4: exit 1\n  Traceback (most recent call last):\n    File "bad.md", line 5' in done.stdout
    assert "ZeroDivisionError" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_good_deck_is_green(workshop: Command) -> None:
    done = workshop("good.md")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "1 of 1 block as expected" in done.stdout
    assert "\x1b" not in done.stdout


def test_the_time_limit_is_the_callers(workshop: Command) -> None:
    done = workshop("slow.md", "--timeout", "1")
    assert done.exit_code == 1
    assert "still running after 1 s" in done.stdout


def test_json_is_all_that_is_on_standard_output(workshop: Command) -> None:
    done = workshop("bad.md", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["slides"][0]["blocks"][0]["exit"] == 1


def test_markdown_names_the_command(workshop: Command) -> None:
    done = workshop("good.md", "--markdown")
    assert done.exit_code == 0
    assert done.stdout.startswith("# Every live block of good.md\n\n`uv run workshop validate -x good.md --markdown`")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.md",), "none.md: expected a Markdown deck, found no such file"),
        ((".",), ".: expected a Markdown deck, found a folder"),
        (("good.md", "--only", "2"), "good.md: no slide 2; it has 1"),
        (("good.md", "--json", "--markdown"), "cannot be used together"),
    ],
)
def test_a_mistake_on_the_command_line_is_exit_2_in_one_line(
    workshop: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = workshop(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_mistyped_slide_number_waits_for_no_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def warm_up(runner: Runner) -> None:
        raise AssertionError("no block runs")

    monkeypatch.setattr(Runner, "warm_up", warm_up)
    with pytest.raises(typer.Exit) as exits:
        slides.validate(folder / "good.md", only=2)
    assert exits.value.exit_code == 2


def test_the_help_says_that_code_runs(workshop: Command) -> None:
    assert "trust" in workshop("--help").stdout


def test_the_command_imports_neither_torch_nor_triton() -> None:
    imports = "from triton_workshop.validating import environment, report"
    code = f"import sys; {imports}; environment.this_environment(); print({{'torch', 'triton'}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
