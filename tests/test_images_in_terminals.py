"""show_image in terminals that can show pictures, each in its own way, and in those that cannot."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from tests.viewer.terminal import KITTY, PLAIN, SIXEL, Terminal

SHOW = "from triton_workshop.images import show_image; import sys; show_image(sys.argv[1]); print('shown')"

PROTOCOLS = (
    pytest.param(KITTY, {}, b"\x1b_G", id="kitty"),
    pytest.param(SIXEL, {}, b"\x1bP", id="sixel"),
    pytest.param(PLAIN, {}, "▀".encode(), id="half-blocks"),
    pytest.param(PLAIN, {"TERM_PROGRAM": "iTerm.app"}, b"\x1b]1337;File=inline=1", id="iTerm2"),
)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture.png"
    Image.linear_gradient("L").convert("RGB").save(path)
    return path


@pytest.mark.parametrize(("answers", "environ", "sign"), PROTOCOLS)
def test_a_picture_is_shown_as_the_terminal_can(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, picture: Path, answers: dict[bytes, bytes],
    environ: dict[str, str], sign: bytes,
) -> None:  # fmt: skip
    for name in ("TERM_PROGRAM", "LC_TERMINAL", "TMUX", "STY", "TRITON_WORKSHOP_SLIDE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLORTERM": "truecolor", **environ}.items():
        monkeypatch.setenv(name, value)
    with Terminal([sys.executable, "-c", SHOW, str(picture)], tmp_path, answers=answers) as terminal:
        assert terminal.leave() == 0
        assert sign in terminal.written
        assert "shown" in terminal.text()


def test_without_an_input_to_read_answers_from_half_blocks_do(tmp_path: Path, picture: Path) -> None:
    command = ["sh", "-c", '"$0" -c "$1" "$2" < /dev/null', sys.executable, SHOW, str(picture)]
    with Terminal(command, tmp_path) as terminal:
        assert terminal.leave() == 0
        assert "▀" in terminal.text()
