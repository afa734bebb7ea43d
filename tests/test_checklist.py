"""The commands that our pages tell people to type exist, options and all."""

from __future__ import annotations

import re
import shlex
import subprocess

import pytest
import typer
from conftest import ROOT

from triton_workshop.cli import app

PAGES = ("README.md", "slides/CHECKLIST.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_workshop_command_on_the_page_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    commands = re.findall(r"uv run workshop ([^`|#\n]+)", text)
    assert commands
    for line in commands:
        name, *arguments = shlex.split(line.replace(" N", " 1"))
        workshop = typer.main.get_command(app)
        assert name in workshop.commands, line  # type: ignore[attr-defined]
        workshop.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_the_page_runs_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for name in re.findall(r"uv run ((?:exercises|solutions)/\S+?\.py)", text):
        assert (ROOT / name.replace("$n", "1").replace("_N", "_1")).is_file(), name


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_what_our_pages_have_people_draw_leaves_the_checkout_clean() -> None:
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in (*PAGES, "slides/triton-workshop.md")]
    drawn = [name for text in texts for name in re.findall(r"--plot (\S+\.png)", text)]
    assert drawn
    ignored = subprocess.run(["git", "check-ignore", *drawn], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ignored.stdout.split() == drawn
