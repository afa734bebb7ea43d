"""What PIL and matplotlib show, a slide shows: in order with what is printed, cold and warm alike."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from PIL import Image

from tests.processes import Start, finish
from triton_workshop.images import PICTURE_MARK
from triton_workshop.processes.slide_pictures import python_command

HERE = re.compile(re.escape(PICTURE_MARK).replace(r"\{\}", "(.*?)"))

PIL_AND_PYPLOT = """
from PIL import Image
print("one")
Image.new("RGBA", (40, 20)).show()
print("two")
import matplotlib.pyplot as plt
for figure in range(2):
    plt.figure(figsize=(2, 1), dpi=50)
    plt.plot([1, 2, 3])
plt.show()
print("three")
plt.show()
print(plt.get_fignums())
"""
PIL_ONLY = """
from PIL import Image
print("one")
Image.new("L", (300, 150)).show()
"""
SELF = """
import inspect, sys  # and PIL
from pathlib import Path
def where(): return Path(__file__).name
print(__name__, where(), sys.argv[1:], sys.orig_argv[1:2], sys.flags, [p for p in sys.path if "site" not in p])
print(inspect.getsource(where), __annotations__, __spec__, __builtins__, sorted(globals()))
def divide(): return 1 / 0
divide()
"""


def output_of(start: Start, source: str, folder: Path, pictures: Path | None) -> str:
    printed, outcome = finish(start, source, folder, columns=40, pictures=pictures)
    assert outcome.succeeded, printed
    return printed


def test_pictures_come_in_order_with_what_is_printed(start: Start, tmp_path: Path) -> None:
    printed = output_of(start, PIL_AND_PYPLOT, tmp_path, tmp_path)
    sizes = [Image.open(tmp_path / name).size for name in HERE.findall(printed)]
    assert sizes == [(40, 20), (200, 100), (200, 100)]
    assert HERE.sub("<picture>", printed).splitlines() == [
        "one",
        "<picture>two",
        "<picture><picture>three",
        "[]",  # figures that were shown are closed, as windows are
    ]


def test_where_nobody_takes_pictures_they_are_characters(start: Start, tmp_path: Path) -> None:
    first, *rows = output_of(start, PIL_ONLY, tmp_path, None).splitlines()
    assert first == "one"
    assert [row.count("▀") for row in rows] == [40] * 10


def test_a_viewer_that_has_gone_leaves_characters(start: Start, tmp_path: Path) -> None:
    assert "▀" * 40 in re.sub(r"\x1b\[[0-9;]*m", "", output_of(start, PIL_ONLY, tmp_path, tmp_path / "gone"))


def test_a_script_that_names_none_of_them_is_run_as_ever(tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text("print('PILOT')")
    assert python_command([str(script), "x"]) == [sys.executable, "-u", str(script), "x"]


def test_a_script_cannot_tell_that_it_was_prepared(tmp_path: Path) -> None:
    script = tmp_path / "block.py"
    script.write_text(SELF)
    prepared = python_command([str(script), "x", "-y"])
    assert prepared[2] == "-c"
    seen = [
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        for command in (prepared, [sys.executable, "-u", str(script), "x", "-y"])
    ]
    assert seen[0].stdout == seen[1].stdout
    assert seen[0].stderr == seen[1].stderr
    assert seen[0].returncode == seen[1].returncode == 1
