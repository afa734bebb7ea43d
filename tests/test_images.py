"""Pictures in and out."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
import torch
from PIL import Image

from tests.conftest import RunPython
from triton_workshop import images
from triton_workshop.images import as_pil, load_image, show_image, slide_columns
from triton_workshop.repository import ROOT
from triton_workshop.terminal_pictures import half_blocks

POSEIDON = ROOT / "slides" / "poseidon_triton.jpeg"


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.png"
    image = Image.new("RGB", (4, 2), (255, 0, 0))
    image.putpixel((3, 1), (0, 0, 255))
    image.save(path)
    return path


@pytest.fixture(autouse=True)
def _no_slide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    monkeypatch.delenv("TRITON_WORKSHOP_SLIDE", raising=False)


def test_a_picture_loads_as_planes_of_floats_from_0_to_1(picture: Path) -> None:
    tensor = load_image(picture)
    assert (tensor.shape, tensor.dtype, tensor.is_contiguous()) == ((3, 2, 4), torch.float32, True)
    assert tensor[:, 0, 0].tolist() == [1.0, 0.0, 0.0]
    assert tensor[:, 1, 3].tolist() == [0.0, 0.0, 1.0]


def test_a_picture_loads_as_torchvision_loads_it() -> None:
    from torchvision.transforms import v2

    with Image.open(POSEIDON) as file:
        expected = v2.Compose([v2.PILToTensor(), v2.ToDtype(torch.float32, scale=True)])(file.convert("RGB"))
    # torchvision multiplies by 1 / 255, rounded, where we divide: the last bit may differ.
    torch.testing.assert_close(load_image(POSEIDON), expected, rtol=2**-23, atol=0)


def test_a_grey_picture_loads_with_three_channels(tmp_path: Path) -> None:
    Image.new("L", (5, 3), 51).save(tmp_path / "grey.png")
    tensor = load_image(tmp_path / "grey.png")
    assert tensor.shape == (3, 3, 5)
    assert torch.allclose(tensor, torch.tensor(0.2))


def test_a_width_keeps_the_proportions(picture: Path) -> None:
    assert load_image(picture, width=2).shape == (3, 1, 2)


def test_a_tensor_survives_the_way_to_a_picture_and_back(picture: Path) -> None:
    tensor = load_image(picture)
    as_pil(tensor).save(picture)
    assert torch.equal(load_image(picture), tensor)


def test_values_outside_are_clipped_and_nan_is_black() -> None:
    values = torch.tensor([[-1.0, 2.0, float("nan")]])
    assert list(as_pil(values).convert("L").tobytes()) == [0, 255, 0]


@pytest.mark.parametrize("shape", [(2, 4, 4), (4,), (1, 3, 4, 4)])
def test_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="expected a picture of shape"):
        show_image(torch.zeros(shape))


def test_half_blocks_show_two_pixels_in_each_character() -> None:
    image = Image.new("RGB", (2, 2), (255, 0, 0))
    image.paste((0, 0, 255), (0, 1, 2, 2))
    cell = "\x1b[38;2;255;0;0;48;2;0;0;255m▀"
    assert half_blocks(image, 2) == f"{cell}{cell}\x1b[0m"


def test_half_blocks_never_enlarge() -> None:
    assert half_blocks(Image.new("RGB", (6, 4)), 40).count("▀") == 12


def test_into_a_pipe_a_picture_becomes_a_file(
    capsys: pytest.CaptureFixture[str], picture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    show_image(picture)
    written = Path(capsys.readouterr().out.removeprefix("picture written to ").strip())
    assert written.parent == tmp_path
    with Image.open(written) as image:
        assert (image.format, image.size) == ("PNG", (4, 2))


def test_in_a_slide_a_picture_is_half_blocks_of_that_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_WORKSHOP_SLIDE", "20")
    show_image(torch.rand(3, 60, 80))
    lines = capsys.readouterr().out.splitlines()
    assert [line.count("▀") for line in lines] == [20] * 8  # 15 rows of pixels, two in each line


def test_a_wide_slide_gets_no_wider_picture_than_helps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRITON_WORKSHOP_SLIDE", "180")
    show_image(torch.rand(3, 150, 200))
    assert capsys.readouterr().out.splitlines()[0].count("▀") == images.MAX_PICTURE_COLUMNS


def test_under_presenterm_the_width_follows_from_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "_parent_is_presenterm", lambda: True)
    monkeypatch.setattr(images, "_controlling_terminal_columns", lambda: 120)
    assert slide_columns({}) == 120 - images.PRESENTERM_MARGIN_COLUMNS


def test_presenterm_is_recognised_as_the_parent(run_python: RunPython, tmp_path: Path) -> None:
    """By a process of that name, which runs a block as presenterm does."""
    if sys.platform != "linux":
        pytest.skip("process names are read from /proc")
    presenterm = tmp_path / "presenterm"
    presenterm.write_text(
        f"#!/bin/sh\n{shlex.quote(sys.executable)} -c 'import os; from triton_workshop.images import slide_columns; "
        "print(slide_columns(os.environ))'\nexit 0\n"
    )
    presenterm.chmod(0o755)
    result = run_python("-c", f"import subprocess; subprocess.run([{str(presenterm)!r}])")
    assert int(result.stdout) >= 20
