"""What our documents tell people is there: the commands that they type, options and all, and where links lead."""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from triton_workshop.cli import app
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.repository import ROOT

START = "README.md"
PAGES = [START, "CONTRIBUTING.md", "slides/CHECKLIST.md", *(f"docs/{file.name}" for file in ROOT.glob("docs/*.md"))]
COLUMNS = 52
"""Of a row of CONTRIBUTING's picture, before it says what the names are."""
WORKSHOP = typer.main.get_command(app)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def found(pattern: str) -> list[tuple[str, str]]:
    """Each page with what the pattern's group finds on it, once."""
    return [(page, name) for page in PAGES for name in dict.fromkeys(re.findall(pattern, text_of(page)))]


@pytest.mark.parametrize(("page", "line"), found(r"uv run (?:--extra room )?workshop ([^`|#\n]+)"))
def test_every_command_on_a_page_exists(page: str, line: str) -> None:
    name, *arguments = shlex.split(line.replace(" N", " 1"))
    assert name in WORKSHOP.commands, page  # type: ignore[attr-defined]
    WORKSHOP.commands[name].make_context(name, arguments)  # type: ignore[attr-defined]


@pytest.mark.parametrize(("page", "name"), found(r"`workshop (\w+)"))
def test_every_command_that_a_page_names_exists(page: str, name: str) -> None:
    assert name in WORKSHOP.commands, page  # type: ignore[attr-defined]


@pytest.mark.parametrize(("page", "name"), found(r"uv run ((?:exercises|solutions|slides|tests)/\S+?\.py)"))
def test_every_file_that_a_page_runs_exists(page: str, name: str) -> None:
    assert (ROOT / name.replace("$n", "1").replace("_N", "_1")).is_file(), page


@pytest.mark.parametrize(("page", "link"), found(r"\]\((?!https?:)([^)]+)\)"))
def test_every_link_leads_to_a_file_and_to_a_heading_in_it(page: str, link: str) -> None:
    if link == "../../releases":  # where GitHub has them, seen from the page that it shows first
        assert page == START
        return
    name, _, heading = link.partition("#")
    target = (ROOT / page).parent / name
    assert target.is_file()
    assert not heading or heading in headings(target)


@pytest.mark.parametrize(
    ("folder", "rows"),
    [("triton_workshop", r"\ncli .*?\n\n"), ("simulator/triton_simulator", r"\n  compiler .*?(?=```)")],
)
def test_the_picture_of_the_layers_is_that_of_the_import_contract(folder: str, rows: str) -> None:
    contracts = tomllib.loads(text_of("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each.get("containers") == [Path(folder).name]]
    place = {name: number for number, layer in enumerate(layers) for name in layer.split(" : ")}
    picture = re.search(rows, text_of("CONTRIBUTING.md"), re.DOTALL)
    assert picture is not None
    drawn = [row[:COLUMNS].replace("…", "").split() for row in picture[0].strip("\n").splitlines()]
    assert {file.parent.name for file in (ROOT / folder).glob("*/__init__.py")} <= {
        name for row in drawn for name in row
    }
    for above, below in itertools.pairwise(drawn):
        assert max(place[name] for name in above) <= min(place[name] for name in below), (above, below)


def headings(file: Path) -> Iterator[str]:
    """As GitHub names them in addresses: in small letters, with a hyphen for each space, and no punctuation."""
    for title in re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE):
        yield re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_every_path_of_a_module_in_contributing_exists() -> None:
    """It names them from any folder on, as `viewer/keys.py`."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    files = ["/" + file for file in listed.stdout.splitlines()]
    text = text_of("CONTRIBUTING.md").replace("/X/", "/add/")
    named = re.findall(r"(?<![\w/.])(?:[\w.]+/)+\w+\.(?:py|js|toml)\b", text)
    assert named
    assert [name for name in named if not any(file.endswith("/" + name) for file in files)] == []


def test_the_tables_of_exercises_are_complete() -> None:
    assert [number for number in REQUIRED if f"\n| {number} " not in text_of(START)] == []
    learning = text_of("docs/learning.md")
    optional = (number for number in EXERCISES if number not in REQUIRED)
    assert [number for number in optional if not re.search(rf"(\n\| |exercise ){number}\b", learning)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_the_first_page_links_to_each_of_the_others(page: str) -> None:
    assert f"]({page})" in text_of(START)


def test_a_newcomers_commands_are_typed_on_a_bare_machine() -> None:
    [start] = re.findall(r"## Start here\n.*?```bash\n(.*?)```", text_of(START), re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in start.splitlines()]
    assert commands
    typed = [line for line in text_of(".ci/bare").splitlines() if line.startswith("newcomer_types ")]
    assert [command for command in commands if not any(line.endswith(f" {command}") for line in typed)] == []


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_what_our_pages_have_people_draw_leaves_the_checkout_clean() -> None:
    texts = map(text_of, (*PAGES, "slides/triton-workshop.md", "slides/second-half.md"))
    drawn = [name for text in texts for name in re.findall(r"--plot (\S+\.png)", text)]
    assert drawn
    ignored = subprocess.run(["git", "check-ignore", *drawn], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ignored.stdout.split() == drawn


READ = (
    *PAGES, "slides/triton-workshop.md", "slides/second-half.md", "slides/start.md",
    *(str(file.relative_to(ROOT)) for file in ROOT.glob("triton_workshop/hints/*.toml")),
    *(str(file.relative_to(ROOT)) for file in ROOT.glob("triton_workshop/exercises/**/*.toml")),
)  # fmt: skip
"""What presenters and learners read."""
OF_PEOPLE = re.compile(
    r"\b[Mm]ost (people|learners|of the room|of you)\b|\bmost common\b|\beverybody (makes|forgets)\b"
    r"|\b[Ww]here people (get|are)\b|\b(people|learners|beginners) (get|forget|like|often|usually)\b"
    r"|\b(is|are) usually\b"
)


@pytest.mark.parametrize("page", READ)
def test_nothing_is_said_of_people_that_nobody_has_counted(page: str) -> None:
    assert [found[0] for found in OF_PEOPLE.finditer(text_of(page))] == []
