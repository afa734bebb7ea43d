"""The viewer's side of sharing: what is told, and a server that dies."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest
from textual.document._history import EditHistory

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("segno")

import segno

from tests.room.loopback import asked
from tests.room.test_server import DECK, followed
from triton_workshop.attendance.register import Register
from triton_workshop.cli.slides import with_share_value
from triton_workshop.deck import load_deck
from triton_workshop.deck.model import code_blocks
from triton_workshop.errors import MisuseError
from triton_workshop.processes.script import Outcome
from triton_workshop.room.addresses import Endpoint, parse_endpoint
from triton_workshop.room.messages import BlockEdit, BlockOutput, DeckUpdate, SlidePosition
from triton_workshop.room.share import UPDATE_SECONDS, SentState, Share, describe_ending
from triton_workshop.screen.transcript import Transcript
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.overlays.invitation import QUIET_ZONE, large, qr_code
from triton_workshop.viewer.presentation import Presentation
from triton_workshop.viewer.slides.slide_step import SlideStep


@pytest.fixture
def show(tmp_path: Path) -> Iterator[Presentation]:
    file = tmp_path / "deck.md"
    file.write_text(DECK, encoding="utf-8")
    show = Presentation(load_deck(file))
    yield show
    show.live.close()


def ran(show: Presentation, printed: str = "", status: Status = Status.ENDED) -> BlockRun:
    """A run of the first block."""
    cell = BlockRun(Transcript(), status, outcome=Outcome(0, 0.1) if status is Status.ENDED else None)
    cell.transcript.feed(printed.encode())
    show.live.runs[code_blocks(show.deck)[0]] = cell
    return cell


def test_lines_that_a_page_does_not_show_are_counted(show: Presentation) -> None:
    ran(show, "line\n" * 700)
    message = SentState().changes(show)["output-0"]
    assert isinstance(message, BlockOutput)
    assert message.output is not None
    assert message.output.lines[0].plain == "[the first 200 lines are not shown here]"
    assert len(message.output.lines) == 501


def test_what_has_been_told_is_told_once(show: Presentation) -> None:
    told = SentState()
    ran(show, "one\n")
    assert [*told.changes(show)] == ["deck", "place", "output-0"]
    assert told.changes(show) == {}
    show.go(SlideStep(1, 0))
    assert told.changes(show) == {"place": SlidePosition(2, 0)}


def test_an_output_is_told_as_it_grows_and_does_not_change_afterwards(show: Presentation) -> None:
    clock = iter([0.0, UPDATE_SECONDS / 2, UPDATE_SECONDS]).__next__
    told = SentState(clock)
    cell = ran(show, "10 %", Status.RUNNING)
    first = told.changes(show)["output-0"]
    cell.transcript.feed(b"\r100 %\n")
    assert told.changes(show) == {}, "not more often than pages can show it"
    second = told.changes(show)["output-0"]
    told._now = lambda: UPDATE_SECONDS
    cell.status, cell.outcome = Status.ENDED, Outcome(0, 0.1)
    last = told.changes(show)["output-0"]
    outputs = [each.output for each in (first, second, last) if isinstance(each, BlockOutput) and each.output]
    assert [(each.lines[0].plain, each.running, each.ending) for each in outputs] == [
        ("10 %", True, "running"),
        ("100 %", True, "running"),
        ("100 %", False, "0.1 s"),
    ]


def test_running_code_again_replaces_its_output(show: Presentation) -> None:
    told = SentState()
    ran(show, "one\n")
    told.changes(show)
    ran(show, "two\n")
    news = told.changes(show)
    assert [*news] == ["output-0"]


def test_an_edit_is_told_with_its_output_and_taken_back(show: Presentation) -> None:
    told = SentState()
    ran(show, "one\n")
    told.changes(show)
    show.edit(code_blocks(show.deck_read)[0], "print(2)", EditHistory(1, 1, 1))
    assert told.changes(show) == {"code-0": BlockEdit(0, "print(2)")}, "the output before the edit is still shown"
    show.restore(code_blocks(show.deck)[0])
    assert told.changes(show) == {"code-0": BlockEdit(0, None)}


def test_a_saved_deck_is_told_with_everything_that_is_shown_of_it(show: Presentation, tmp_path: Path) -> None:
    told = SentState()
    ran(show, "one\n")
    told.changes(show)
    (tmp_path / "deck.md").write_text(f"# Zero\n\n```python\nx\n```\n\n<!-- end_slide -->\n\n{DECK}", encoding="utf-8")
    show.reload(load_deck(tmp_path / "deck.md"))
    news = told.changes(show)
    assert [*news] == ["deck", "place", "output-1"]
    assert isinstance(news["deck"], DeckUpdate)
    assert news["place"] == SlidePosition(2, 0)


@pytest.mark.parametrize(
    ("cell", "ending"),
    [
        (BlockRun(), "waiting for the block before"),
        (BlockRun(status=Status.ENDED), "not started"),
        (BlockRun(status=Status.ENDED, failure="no such program"), "no such program"),
        (BlockRun(status=Status.ENDED, outcome=Outcome(0, 1.25), compiled="compiles"), "1.2 s · compiles"),
    ],
)
def test_an_output_says_how_its_run_ended(cell: BlockRun, ending: str) -> None:
    assert describe_ending(cell) == ending


# The server's process


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process as only Unix does")
def test_a_server_that_is_killed_comes_back_with_everything_on_the_same_port(
    show: Presentation, tmp_path: Path
) -> None:
    room = tmp_path / "room.sqlite"
    with closing(Share(Endpoint(port=0), room)) as share:
        address = share.ready().address
        ran(show, "one\n")
        share.tell(show)
        with closing(Register(room)) as opened:
            session = {"Authorization": f"Bearer {opened.enter().token}"}
        assert "print" in asked(address, headers=session).text
        process = share._call._process._process.pid  # type: ignore[union-attr]
        os.kill(process, signal.SIGKILL)
        events = followed_again(address, session)
        keys = []
        while {"place", "output-0"} - {*keys}:
            keys.append(next(events)["key"])
        assert "print" in asked(address, headers=session).text
        share.close()
        assert {"key": "presenter", "value": False} in [*events]


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process as only Unix does")
@pytest.mark.parametrize("killed", [True, False])
def test_the_presenters_screen_shows_the_word_of_the_room_that_there_is(tmp_path: Path, killed: bool) -> None:
    room = tmp_path / "room.sqlite"
    with closing(Share(Endpoint(port=0), room)) as share:
        before = share.ready()
        with closing(sqlite3.connect(room)) as store, store:
            store.execute("UPDATE rooms SET used = 0")  # nobody has used it for long
        if killed:
            os.kill(share._call._process._process.pid, signal.SIGKILL)  # type: ignore[union-attr]
        while share.invitation() == before:
            share._thread.join(0.01)
        after = share.invitation()
        assert (after.address, after.local_address) == (before.address, before.local_address)
        for field in ("word", "link", "code", "key"):
            assert getattr(after, field) != getattr(before, field)
        with closing(Register(room)) as opened:
            assert (after.word, after.key) == (opened.word, opened.key)


def test_the_presenters_screen_shows_the_longer_word_once_somebody_guesses(show: Presentation, tmp_path: Path) -> None:
    with closing(Share(Endpoint(port=0), tmp_path / "room.sqlite")) as share:
        before = share.ready()
        share.tell(show)
        while share.invitation() == before:
            asked(f"{before.local_address}enter", b"word=AAAAA")
        after = share.invitation()
        assert after.word.startswith(f"{before.word} ")
        assert replace(after, word=before.word) == before, "the code on the screen is the same"
        assert asked(f"{before.local_address}enter", f"word={after.word}".encode()).status == 200


def followed_again(address: str, session: dict[str, str]) -> Iterator[dict[str, object]]:
    """What a client hears that tries until there is a server again."""
    while True:
        try:
            return (yield from followed(address, session))
        except OSError:
            continue


def test_a_port_in_use_is_told_before_the_first_slide(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(MisuseError, match=f"cannot be shared: port {port} is in use"):
            Share(Endpoint(port=port), tmp_path / "room.sqlite").ready()


def test_a_server_that_does_not_start_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.room.share.SERVER", "triton_workshop.room.server:no_such_name")
    with pytest.raises(MisuseError, match="cannot be shared: their server did not start: exit 1"):
        Share(Endpoint(port=0), tmp_path / "room.sqlite").ready()


# Addresses, and the way there


@pytest.mark.parametrize(
    ("where", "address", "only_here"),
    [
        (Endpoint(), "http://127.0.0.1:8000/", True),
        (Endpoint("::1", 80), "http://[::1]:80/", True),
        (Endpoint("192.0.2.7"), "http://192.0.2.7:8000/", False),
        (Endpoint(proxy="127.0.0.1"), "http://127.0.0.1:8000/", False),
        (Endpoint("127.0.0.1", 8000, "https://talks.example.org/triton/"), "https://talks.example.org/triton/", False),
    ],
)
def test_the_room_is_told_the_address_by_which_it_gets_there(where: Endpoint, address: str, only_here: bool) -> None:
    invitation = where.invitation("HKLMR", "ticket", "a key", kernels=False)
    assert invitation.address == address
    assert invitation.link == f"{address}?word=ticket"
    assert invitation.local_address == Endpoint(where.host, where.port).local_address
    assert (invitation.local_only, invitation.kernels) == (only_here, False)


@pytest.mark.parametrize(
    ("share", "url", "said"),
    [
        ("slides.md", "", "--share: expected lan"),
        *(
            ("lan", url, "--url: expected an address such as")
            for url in (
                "talks.example.org",
                "https://[bad",
                "https://talks.example.org:99999",
                "https://talks.example.org:port",
                "https://talks.example.org/\x1b[2J",
                "https://talks.example.org/a b",
                f"https://talks.example.org/{'x' * 3000}",
            )
        ),
    ],
)
def test_what_is_no_address_is_refused(share: str, url: str, said: str) -> None:
    with pytest.raises(MisuseError, match=said) as refused:
        parse_endpoint(share, 8000, url)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("proxy", ["proxy.example.org", "127.0.0.1:8000", "10.0.0.1/8", "*", "127.0.0.1,::1"])
def test_what_is_no_address_of_a_proxy_is_refused(proxy: str) -> None:
    with pytest.raises(MisuseError, match="--proxy: expected the address of a proxy"):
        parse_endpoint("127.0.0.1", 8000, "", proxy)


def test_a_proxy_is_an_address_or_a_network() -> None:
    for proxy in ("127.0.0.1", "10.0.0.0/8", "::1", ""):
        assert parse_endpoint("127.0.0.1", 8000, "", proxy).proxy == proxy


def test_share_needs_no_value() -> None:
    assert with_share_value(["present", "--share", "deck.md"]) == ["present", "--share=127.0.0.1", "deck.md"]
    for own in (["--share=lan"], ["--share", "lan"], ["--share", "192.168.0.7", "deck.md"]):
        assert with_share_value(["present", *own]) == ["present", *own]
    assert with_share_value(["run", "script.py", "--share"]) == ["run", "script.py", "--share"]


def test_the_code_on_the_screen_is_the_links_module_by_module() -> None:
    link = "https://talks.example.org/a/long/path/?word=HKLM"
    invitation = replace(Endpoint(url=link.partition("?")[0]).invitation("HKLM", "HKLM", "key"))
    upper, lower = "▀█", "▄█"
    drawn = [
        [character in half for character in line.plain] for line in qr_code(invitation.code) for half in (upper, lower)
    ]
    expected = [[module == 1 for module in row] for row in segno.make_qr(link, error="l").matrix]
    size, zone = len(expected), QUIET_ZONE
    assert [row[zone : zone + size] for row in drawn[zone : zone + size]] == expected
    assert sum(map(sum, drawn)) == sum(map(sum, expected)), "all around it is the quiet zone"
    assert len(drawn) >= size + 2 * zone


def test_every_letter_of_a_word_can_be_drawn_large() -> None:
    from triton_workshop.attendance.register import LETTERS

    for five in zip_longest(*[iter(LETTERS)] * 5, fillvalue="F"):
        assert len(large("".join(five), 40)) == 3
    assert len(large("HKLMR TWXYZ", 40)) == 6
    assert large(" HKLMR  TWXYZ ", 40) == large("HKLMR TWXYZ", 40)
    assert large("HKLMR TWXYZ", 10) == ["HKLMR TWXYZ"]
