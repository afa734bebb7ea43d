"""The box that invites the room, in terminals of several sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.overlays.invitation import NO_BROWSER, InvitationBox
from triton_workshop.viewer.sharing import Invitation

from .test_viewer import drive

INVITATION = Invitation(
    "http://192.168.178.123:8000/", "HKLM", "http://192.168.178.123:8000/?word=HKLM", [[True] * 33] * 33, "board?key=S"
)


def shown(tmp_path: Path, size: tuple[int, int], invitation: Invitation | None, *keys: str) -> tuple[str, str]:
    """The box's lines, and what stands on its lower border."""
    (tmp_path / "deck.md").write_text("# One\n", encoding="utf-8")

    seen: list[tuple[str, str]] = []

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("w", *keys)
        box = viewer.screen
        assert isinstance(box, InvitationBox)
        seen.append(("\n".join(line.text for line in box.rows.lines), str(box.content.border_subtitle)))

    drive(tmp_path / "deck.md", steps, size, invitation=invitation)
    return seen[0]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60)])
def test_address_word_and_code_are_on_one_screen(tmp_path: Path, size: tuple[int, int]) -> None:
    text, _ = shown(tmp_path, size, INVITATION)
    assert INVITATION.address in text
    assert text.count("\n") + 1 <= size[1] - 2
    assert "▀" in text


def test_a_narrow_terminal_has_the_code_below_the_text(tmp_path: Path) -> None:
    text, _ = shown(tmp_path, (50, 24), INVITATION)
    assert INVITATION.address in text.split("█")[0].replace("\n", "")


def test_the_boards_key_is_never_on_the_wall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    text, below = shown(tmp_path, (80, 24), INVITATION, "b")
    assert "key=" not in text + below
    assert below == NO_BROWSER


def test_without_sharing_it_says_how_to_share(tmp_path: Path) -> None:
    assert "uv run workshop present --share" in shown(tmp_path, (80, 24), None)[0]
