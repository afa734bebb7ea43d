"""The command `setup-check`, as a process and in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from triton_workshop.setup import commands
from triton_workshop.setup.machine import MachineFacts

from .machines import LAPTOP, UNPREPARED_MAC

ROWS = [
    "Python", "uv", "torch", "torchvision", "Triton", "Pillow", "GPU", "NVIDIA driver", "GPU kernel",
    "simulator kernel", "TRITON_INTERPRET", "pictures",
]  # fmt: skip


@pytest.fixture(scope="module")
def table() -> subprocess.CompletedProcess[str]:
    # The misspelling rides along: a process that imports torch is not for one claim only.
    variables = {"COLUMNS": "76", "TRITON_INTERPRETER": "1", "CUDA_VISIBLE_DEVICES": ""}
    return subprocess.run(
        [sys.executable, "-c", "from triton_workshop.setup.commands import main; main()"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


def test_the_command_exits_0_where_the_simulator_works(table: subprocess.CompletedProcess[str]) -> None:
    assert table.returncode == 0, table.stdout + table.stderr
    assert table.stdout.splitlines()[-1].startswith("Ready: kernels run on the simulator")


def test_the_table_has_a_row_for_each_check(table: subprocess.CompletedProcess[str]) -> None:
    names = [name for name in ROWS if name not in ("torchvision", "Pillow")]
    lines = [line for line in table.stdout.splitlines() if not line.startswith(" ")]
    assert [line[3 : 3 + len(name)] for line, name in zip(lines, names, strict=False)] == names


def test_a_pipe_gets_no_control_characters(table: subprocess.CompletedProcess[str]) -> None:
    characters = set(table.stdout + table.stderr) - {"\n"}
    assert all(character.isprintable() for character in characters)


def test_the_table_keeps_to_the_columns_it_is_given(table: subprocess.CompletedProcess[str]) -> None:
    assert max(len(line) for line in table.stdout.splitlines()) <= 76


def test_the_misspelt_variable_is_named_with_its_right_spelling(table: subprocess.CompletedProcess[str]) -> None:
    lines = table.stdout.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("!  TRITON_INTERPRET"))
    words = " ".join(" ".join(lines[start : start + 2]).split())
    assert "TRITON_INTERPRETER is set" in words
    assert words.endswith("spelt TRITON_INTERPRET")


def test_the_process_needs_neither_torch_nor_triton() -> None:
    code = "import sys, triton_workshop.setup.commands; sys.exit(bool({'torch', 'triton'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_the_screens_import_is_compiled_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    with commands.first_starts_prepared():
        pass
    compiled = {file.name.partition(".")[0] for file in tmp_path.rglob("*.pyc")}
    assert {"slide_screen", "checker", "_compositor", "parser_block"} <= compiled


def test_an_unknown_option_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        commands.main(["--yaml"])
    assert exit_.value.code == 2
    assert "--yaml" in capsys.readouterr().err


@pytest.mark.parametrize(("machine", "status"), [(LAPTOP, 0), (UNPREPARED_MAC, 1)], ids=["laptop", "mac"])
def test_the_exit_status_is_the_verdict_and_json_has_all_rows(
    machine: MachineFacts, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "look_at_machine", lambda _waiting: machine)
    with pytest.raises(SystemExit) as exit_:
        commands.main(["--json"])
    assert exit_.value.code == status
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(answer) == {"ok", "device", "checks"}
    assert (answer["ok"], answer["device"]) == ((True, "cpu") if status == 0 else (False, None))
    assert [check["name"] for check in answer["checks"]] == ROWS
    assert all(set(check) == {"name", "state", "found", "fix"} for check in answer["checks"])
