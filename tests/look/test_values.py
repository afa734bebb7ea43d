"""Values as pictures and tables."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from triton_simulator.steps.steps import ProgramValue
from triton_workshop.look.coverage import STORE, areas, count_programs, describe_stores, elements, map_size, pixels_of
from triton_workshop.look.pictures import GROUND, SHADES, Extent, Shade, shade, value_pictures
from triton_workshop.look.recording import Argument, Recording, Request
from triton_workshop.look.timeline import Target
from triton_workshop.look.values import Frame, draw_arguments, draw_moment, last_first_column
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.theme import report_styles

from .conftest import SCRIPT, Record, line_of

FRAME = Frame(DARK, 60, 30)


def printed(recording: Recording, text: str, program: int = 0, frame: Frame = FRAME) -> str:
    place = Target(ids=(program,), line=line_of(text)).find(recording)
    console = Console(file=StringIO(), width=frame.columns, theme=report_styles(DARK))
    console.print(draw_moment(place, frame))
    output = console.file
    assert isinstance(output, StringIO)
    return output.getvalue()


def test_a_load_shows_what_where_and_a_table(recording: Recording) -> None:
    text = printed(recording, "tile = tl.load", 1)
    assert text.startswith("tile  fp32[4 × 4]  40 … 53, 8 masked  ← x_ptr[40 … 53], 8 of\n16\ntile = tl.load(")
    assert "x_ptr  6 × 10 elements   8 of 16 are masked" in text
    assert "■ no step's   ■ other steps'   ■ this step's" in text
    assert "■ 0   ■ 53   ■ undefined, ? below" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["0", "40", "41", "42", "43"] in rows
    assert ["3", "?", "?", "?", "?"] in rows


def test_a_mask_shows_both_truths(recording: Recording) -> None:
    text = printed(recording, "mask =", 1)
    assert "■ true   ■ false" in text
    assert ["2", "false", "false", "false", "false"] in [line.split() for line in text.splitlines()]


def test_a_number_is_a_line(recording: Recording) -> None:
    assert printed(recording, "for step in range").splitlines()[0] == "step  int32  0"


def test_arguments_are_a_table(recording: Recording) -> None:
    console = Console(file=StringIO(), width=80, theme=report_styles(DARK))
    console.print(draw_arguments(Target().find(recording).track))
    assert isinstance(console.file, StringIO)
    assert console.file.getvalue().splitlines()[2].split() == ["rows", "int32", "6"]


@pytest.mark.parametrize(
    ("argument", "indices", "inside", "places"),
    [
        (Argument((6, 10), (10, 1)), [0, 59, 60, -1], [1, 1, 0, 0], [0, 59]),
        (Argument((6, 10), (1, 6)), [0, 1, 6], [1, 1, 1], [0, 10, 1]),
        (Argument((6, 10), (20, 1)), [0, 10, 20], [1, 0, 1], [0, 10]),
        (Argument((100,), (2,)), [0, 1, 198], [1, 0, 1], [0, 99]),
        (Argument((2, 3, 4), (12, 4, 1)), [0, 23], [1, 1], [0, 23]),
        (Argument((), ()), [0, 1], [1, 0], [0]),
    ],
)
def test_elements_lie_where_strides_put_them(
    argument: Argument, indices: list[int], inside: list[int], places: list[int]
) -> None:
    found, numbers = elements(np.array(indices), argument)
    assert found.tolist() == [bool(each) for each in inside]
    assert numbers.tolist() == places


def test_a_map_is_no_larger_than_its_room() -> None:
    assert map_size((5000, 4000), (0, 0), 20, 60) == (20, 60)
    assert map_size((3, 4), (0, 0), 20, 60) == (3, 4)
    assert map_size((1000,), (16, 64), 20, 60) == (16, 60)
    corners = pixels_of(np.array([0, 3999, 4000 * 4999, 4000 * 5000 - 1]), Argument((5000, 4000), (4000, 1)), (20, 60))
    assert corners.tolist() == [0, 59, 19 * 60, 20 * 60 - 1]


def test_programs_that_reach_an_element_are_counted(recording: Recording, with_fault: Recording) -> None:
    [launch] = recording.launches
    loads = count_programs(launch, "x_ptr", "load")
    assert loads is not None
    assert loads.tolist() == [1] * 60
    stores = count_programs(launch, "out_ptr", STORE)
    assert stores is not None
    assert stores.tolist() == [1, 1]
    assert describe_stores(launch) == []


def test_elements_that_nobody_stores_are_told(record: Record, file: Path) -> None:
    text = SCRIPT.replace("tl.store(out_ptr + tl.program_id(0), tl.sum(total))", "tl.store(out_ptr, tl.sum(row))")
    [launch] = record(Request(file, text)).launches
    [sentence] = describe_stores(launch)
    assert sentence == "out_ptr has 2 elements: 1 stored by no program, 1 stored by several."


def test_shades_go_from_dark_to_bright_and_mark_what_is_no_number() -> None:
    numbers = np.array([0.0, 2.0, -2.0, np.nan, np.inf, 1.0], np.float32)
    undefined = np.array([0, 0, 0, 0, 0, 1], np.bool_)
    levels, ends = shade(ProgramValue("fp32", numbers, undefined=undefined))
    bright = 2 * (SHADES - 1)
    assert levels.tolist() == [0, bright, bright + 1, 2 * SHADES, bright, 2 * SHADES + 1]
    assert ends == (-2.0, 2.0)
    levels, ends = shade(ProgramValue("int32", np.array([100, 101], np.int32)))
    assert (levels.tolist(), ends) == ([0, bright], (100.0, 101.0))


@pytest.mark.parametrize(
    ("numbers", "lowest", "greatest"),
    [
        ([0.0, 4.0], GROUND, Shade("accent")), ([1.0, 4.0], GROUND, Shade("accent")), ([0.0, 0.0], GROUND, GROUND),
        ([-5.0, -1.0], Shade("bad"), Shade("bad", 0.2)), ([-1.0, 100.0], Shade("bad", 0.0), Shade("accent")),
        ([-4.0, 2.0], Shade("bad"), Shade("accent", 8 / 15)),
    ],
)  # fmt: skip
def test_a_legend_has_the_shades_of_the_picture(
    recording: Recording, numbers: list[float], lowest: Shade, greatest: Shade
) -> None:
    value = ProgramValue("fp32", np.array(numbers, np.float32))
    position = Target().find(recording)
    assert position.step is not None
    [picture] = value_pictures(replace(position.step, value=value), position.track, Extent(4, 8))
    assert [shade for shade, _ in picture.legend] == [lowest, greatest]
    drawn = {picture.shades[level] for level in picture.levels.ravel()}
    assert {lowest, greatest} <= drawn | {GROUND}


@pytest.mark.parametrize(
    ("shape", "columns", "last"),
    [((2, 10), 60, 0), ((2, 10), 26, 0), ((2, 10), 24, 1), ((3, 2, 10), 7, 9), ((40,), 10, 0)],
)
def test_a_table_moves_until_its_last_column(
    recording: Recording, shape: tuple[int, ...], columns: int, last: int
) -> None:
    step = Target().find(recording).step
    assert step is not None
    value = ProgramValue("int32", np.zeros(shape, np.int32))
    assert last_first_column(replace(step, value=value), Frame(DARK, columns, 30)) == last


@pytest.mark.parametrize(("length", "note"), [(2048, ""), (4096, "the first 2048 of 4096 numbers")])
def test_a_table_says_that_it_ends_early(record: Record, file: Path, length: int, note: str) -> None:
    text = SCRIPT.replace("for step in range", f"many = tl.arange(0, {length})\n    for step in range")
    shown = printed(record(Request(file, text)), "for step in range")
    assert shown.startswith(f"many  int32[{length}]")
    assert "".join(line for line in shown.splitlines() if line.startswith("the first")) == note


@pytest.mark.parametrize("shape", [(5, 7), (100, 3), (2, 3, 50), (7,), (1000,)])
def test_areas_are_how_many_elements_share_a_pixel(shape: tuple[int, ...]) -> None:
    argument, size = Argument(shape, (1,) * len(shape)), map_size(shape, (4, 16), 4, 16)
    pixels = pixels_of(np.arange(np.prod(shape)), argument, size)
    counted = np.bincount(pixels, minlength=size[0] * size[1])
    assert np.maximum(areas(argument, size), 1).tolist() == np.maximum(counted, 1).tolist()


def test_a_map_of_billions_of_elements_takes_little_memory() -> None:
    assert areas(Argument((1 << 20, 1 << 12), (1 << 12, 1)), (20, 60)).sum() == 1 << 32
