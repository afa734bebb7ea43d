"""The box that invites the room, in terminals of several sizes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from triton_workshop.attendance.board_key import BoardKey
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.overlays.invitation import NO_BROWSER, InvitationBox
from triton_workshop.viewer.sharing import Invitation

from .test_viewer import drive

ADDRESS = "http://192.168.178.123:8000/"
INVITATION = Invitation(
    ADDRESS, "HKLMR", f"{ADDRESS}?word=HKLMR", [[True] * 33] * 33, "http://127.0.0.1:8000/", "secret"
)
GUESSED = replace(INVITATION, word="HKLMR TWXYZ")


def shown(tmp_path: Path, size: tuple[int, int], invitation: Invitation | None, *keys: str) -> tuple[str, str]:
    """The box's lines, and what stands on its lower border."""
    (tmp_path / "deck.md").write_text("# One\n", encoding="utf-8")

    seen: list[tuple[str, str]] = []

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("w", *keys)
        box = viewer.screen
        assert isinstance(box, InvitationBox)
        seen.append(("\n".join(line.text for line in box.rows.lines), str(box.content.border_subtitle)))

    drive(tmp_path / "deck.md", steps, size, invitation=lambda: invitation)
    return seen[0]


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60)])
@pytest.mark.parametrize("invitation", [INVITATION, GUESSED, replace(GUESSED, kernels=False)])
def test_address_word_and_code_are_on_one_screen(tmp_path: Path, size: tuple[int, int], invitation: Invitation) -> None:
    text, _ = shown(tmp_path, size, invitation)
    assert INVITATION.address in text
    assert text.count("\n") + 1 <= size[1] - 2
    assert "▀" in text


def test_the_box_says_if_kernels_do_not_run_in_the_pages(tmp_path: Path) -> None:
    told = "Kernels do not run in the pages. To fetch what they need: uv run workshop handout --live"
    for size in ((50, 24), (80, 24), (200, 60)):
        text, _ = shown(tmp_path, size, replace(INVITATION, kernels=False))
        assert told in " ".join(re.sub("[█▀▄]", " ", text).split())
    assert "kernels" not in shown(tmp_path, (80, 24), INVITATION)[0]


@pytest.mark.parametrize("kernels", [True, False])
@pytest.mark.parametrize("size", [(50, 24), (80, 24), (200, 60)])
def test_what_only_this_machine_can_open_has_no_code_for_phones(
    tmp_path: Path, size: tuple[int, int], kernels: bool
) -> None:
    text, _ = shown(tmp_path, size, replace(INVITATION, local_only=True, kernels=kernels))
    assert INVITATION.address in text
    assert "Only this machine can open it. To let the room in, start with --share lan." in " ".join(text.split())
    assert "scan" not in text
    assert "█" * 33 not in text


def test_a_narrow_terminal_has_the_code_below_the_text(tmp_path: Path) -> None:
    text, _ = shown(tmp_path, (50, 24), INVITATION)
    assert INVITATION.address in text.split("█")[0].replace("\n", "")


def test_the_boards_key_is_never_on_the_wall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    text, below = shown(tmp_path, (80, 24), INVITATION, "b")
    assert "code=" not in text + below
    assert below == NO_BROWSER


def test_b_gives_the_browser_a_code_and_not_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its command line can be read by every user of the machine."""
    commands: list[list[str]] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("triton_workshop.screen.links.subprocess.Popen", lambda command, **_: commands.append(command))
    _, below = shown(tmp_path, (80, 24), INVITATION, "b")
    assert below == "the board opens in your browser"
    ((*_, link),) = commands
    assert link.startswith("http://127.0.0.1:8000/board?code=")
    assert "secret" not in " ".join(commands[0])
    assert BoardKey().cookie("secret", link.partition("code=")[2]) is not None


def test_another_word_is_shown_as_soon_as_there_is_one(tmp_path: Path) -> None:
    (tmp_path / "deck.md").write_text("# One\n", encoding="utf-8")
    invitations = [INVITATION]

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        await pilot.press("w")
        box = viewer.screen
        assert isinstance(box, InvitationBox)
        before = [line.text for line in box.rows.lines]
        invitations[0] = GUESSED
        box.refresh_invitation()
        after = [line.text for line in box.rows.lines]
        assert "guessing" not in "".join(before)
        assert "Somebody is guessing words" in "".join(after)
        await pilot.press("escape", "w")
        again = viewer.screen
        assert isinstance(again, InvitationBox)
        assert [line.text for line in again.rows.lines] == after

    drive(tmp_path / "deck.md", steps, (100, 30), invitation=lambda: invitations[0])


def test_without_sharing_it_says_how_to_share(tmp_path: Path) -> None:
    assert "uv run --extra room workshop present --share" in shown(tmp_path, (80, 24), None)[0]
