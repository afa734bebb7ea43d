"""The presenter's view, driven on a screen that is not there, by events that nobody sent."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from pathlib import Path

import pytest
from rich.style import Style
from textual.pilot import Pilot

from tests.apps import on_screen, screen, until
from triton_workshop.deck import load_deck
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.screen.box import Keys
from triton_workshop.screen.lines import CONSOLE
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.notes.app import Notes
from triton_workshop.viewer.notes.follower import LinkState
from triton_workshop.viewer.notes.page import NotesView, compose_notes
from triton_workshop.viewer.notes.paragraphs import note_lines, paragraphs, spoken_paragraphs
from triton_workshop.viewer.notes.plain import plain_notes
from triton_workshop.viewer.notes.protocol import Address, Event, Exit, Heartbeat, RunningBlock
from triton_workshop.viewer.notes.schedule import schedule
from triton_workshop.viewer.slides.slide_step import SlideStep

TALK = Path(__file__).parent / "talk.md"


@dataclass
class Slides:
    """Slides that say what a test wants, at the time that it wants."""

    time: float = 1000.0
    spoken_paragraphs: list[Event] = field(default_factory=list)

    def receive(self) -> Iterator[tuple[Address, Event]]:
        while self.spoken_paragraphs:
            yield ("127.0.0.1", 1), self.spoken_paragraphs.pop(0)


@dataclass
class Rehearsal:
    """Notes on a screen, and the slides that they follow."""

    notes: Notes
    slides: Slides
    pilot: Pilot[int]

    async def say(self, *events: Event) -> None:
        self.slides.spoken_paragraphs += events
        self.notes.listen()
        await self.pilot.pause()

    async def until(self, words: str) -> None:
        """Waits for words on the screen."""
        await until(self.pilot, lambda: words in self.screen)

    async def wait(self, seconds: float) -> None:
        self.slides.time += seconds
        self.notes.listen()
        await self.pilot.pause()

    @property
    def screen(self) -> str:
        return screen(self.notes)


@asynccontextmanager
async def rehearsal(deck: Path = TALK, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Rehearsal]:
    slides = Slides()
    notes = Notes(
        load_deck(deck),
        slides.receive,
        "uv run workshop present",
        saves=FileWatcher(deck),
        now=lambda: slides.time,
        today=lambda: datetime(2026, 5, 4, 14, 32),
    )
    async with on_screen(notes, size) as pilot:
        yield Rehearsal(notes, slides, pilot)


async def test_before_the_slides_are_open_the_notes_say_how_to_open_them() -> None:
    async with rehearsal(size=(80, 24)) as on:
        assert "1 / 7   A talk" in on.screen
        assert "waiting for the slides; type uv run workshop present  " in on.screen


async def test_notes_name_the_slide_the_step_and_what_comes_next() -> None:
    async with rehearsal() as on:
        await on.say(Heartbeat(4, 1, 150.0))
        assert "4 / 7   Three steps" in on.screen
        assert "step 2 of 3" in on.screen
        assert "Ask first." in on.screen
        assert "Next  5  Second part · 0:10" in on.screen
        assert "echo starting" in on.screen, "a preview of the next slide"
        assert "14:32" in on.screen
        assert "following the slides" in on.screen


@pytest.mark.parametrize(
    ("elapsed", "verdict"), [(0, "2 min ahead"), (95, "on time"), (620, "on time"), (720, "2 min behind")]
)
async def test_notes_say_how_the_talk_stands(elapsed: float, verdict: str) -> None:
    async with rehearsal() as on:
        await on.say(Heartbeat(4, 0, elapsed))
        assert verdict in on.screen
        assert f"{int(elapsed // 60)} of 10 min" in on.screen
        assert "until 0:10" in on.screen


async def test_the_clock_can_be_set() -> None:
    async with rehearsal() as on:

        def minutes() -> float:
            return on.notes.clock.elapsed(on.slides.time) / 60

        await on.say(Heartbeat(5, 0, 300.0))
        await on.pilot.press("plus", "plus", "minus")
        assert minutes() == 6
        await on.pilot.press("p")
        assert minutes() == 10
        await on.pilot.press("r")
        await on.wait(60)
        assert minutes() == 1


async def test_running_blocks_are_named_and_time_goes_on() -> None:
    async with rehearsal() as on:
        await on.say(Heartbeat(6, 0, 0.0, (RunningBlock(5, 0, 2.0), RunningBlock(99, 7, 1.0))))
        await on.wait(3)
        assert "▶ slide 5  echo starting" in on.screen
        assert "5 s" in on.screen
        await on.say(Heartbeat(6, 0, 3.0))
        assert "▶" not in on.screen


async def test_slides_that_close_or_fall_silent_are_told_apart() -> None:
    async with rehearsal() as on:
        await on.say(Heartbeat(6, 0, 0.0))
        await on.wait(12)
        assert "nothing heard from the slides for 12 s" in on.screen
        await on.say(Exit())
        assert "the slides have been closed" in on.screen


async def test_long_notes_scroll_and_the_next_slide_starts_at_its_top(tmp_path: Path) -> None:
    lines = "\n".join(f"  line {n}." for n in range(99))
    deck = tmp_path / "deck.md"
    deck.write_text(f"One\n===\n\n<!--\nspeaker_note: |\n{lines}\n-->\n<!-- end_slide -->\n\nTwo\n===\n")

    async with rehearsal(deck, (80, 24)) as on:
        assert "↓ more" in on.screen
        assert "line 0." in on.screen
        await on.pilot.press("pagedown", "down")
        assert "line 0." not in on.screen
        await on.pilot.press("end")
        assert "line 98." in on.screen
        assert "↓ more" not in on.screen
        await on.pilot.press("up")
        assert "line 98." not in on.screen
        await on.say(Heartbeat(2, 0, 0.0))
        assert "No notes for this slide." in on.screen
        await on.say(Heartbeat(1, 0, 0.0))
        assert "line 0." in on.screen


async def test_a_saved_deck_is_read_again_and_a_broken_one_is_named(tmp_path: Path) -> None:
    deck = Path(shutil.copy(TALK, tmp_path))

    async with rehearsal(deck) as on:
        await on.say(Heartbeat(4, 0, 0.0))
        deck.write_text(deck.read_text(encoding="utf-8").replace("Ask first.", "Ask them all."), encoding="utf-8")
        await on.until("Ask them all.")
        deck.write_text(deck.read_text(encoding="utf-8") + "\n<!-- nosuchcommand -->\n", encoding="utf-8")
        await on.until("✗ talk.md:")
        assert "Ask them all." in on.screen


async def test_a_saved_deck_may_have_other_colours(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("---\ntheme: {override: {default: {colors: {background: '203040'}}}}\n---\n\nOne\n")

    async with rehearsal(deck) as on:
        deck.write_text(deck.read_text().replace("203040", "102030"))
        await on.until("✓ reloaded")
        await on.pilot.press("question_mark")
        ground = on.notes.screen.styles.background
        assert (ground.r, ground.g, ground.b) == (0x10, 0x20, 0x30)


@pytest.mark.parametrize("size", [(200, 50), (100, 29), (80, 24), (72, 3), (71, 24), (40, 12), (20, 5), (1, 1)])
def test_every_slide_fills_the_screen_at_any_size(size: tuple[int, int]) -> None:
    talk = load_deck(TALK)
    running = (RunningBlock(5, 0, 2.0),) * 5
    for slide, connection in product(range(len(talk.slides)), LinkState):
        view = NotesView(
            talk, schedule(talk), DARK, *size, SlideStep(slide), 1, connection, elapsed=4000, running=running
        )
        assert [line.cell_length for line in compose_notes(view).lines] == [size[0]] * size[1]


async def test_notes_follow_a_changed_size() -> None:
    async with rehearsal() as on:
        for size in [(200, 50), (1, 1), (60, 20)]:
            await on.pilot.resize_terminal(*size)
            await on.pilot.pause()
        await on.say(Heartbeat(4, 0, 0.0))
        assert "Ask first." in on.screen


async def test_a_narrow_screen_has_the_time_below_the_notes() -> None:
    async with rehearsal(size=(50, 20)) as on:
        await on.say(Heartbeat(4, 0, 95.0))
        for words in ("Ask first.", "0:01:35   14:32", "✓ on time   1 of 10 min", "Next  5  Second part"):
            assert words in on.screen


async def test_a_deck_without_a_plan_has_only_the_clock(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("One\n===\n\n<!-- end_slide -->\n\nTwo\n===\n")

    async with rehearsal(deck) as on:
        await on.say(Heartbeat(2, 0, 900.0))
        assert not any(words in on.screen for words in ("on time", "behind", "ahead", " min"))
        assert "Next: the end" in on.screen
        await on.pilot.press("p")
        assert on.notes.clock.elapsed(on.slides.time) == 900


async def test_the_keys_are_told_and_q_leaves() -> None:
    async with rehearsal() as on:
        await on.pilot.press("question_mark")
        assert isinstance(on.notes.screen, Keys)
        assert "restart it at 0:00:00" in on.screen
        await on.pilot.press("escape", "q")
    assert on.notes.return_code == 0


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("One.\nTwo.", ["One.", "Two."]),
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("short\nlines", ["short", "lines"]),
        (f"{'long ' * 15}line that was\nbroken by hand.", [f"{'long ' * 15}line that was broken by hand."]),
        (f"{'long ' * 15}line that was\n- not broken", [f"{'long ' * 15}line that was", "- not broken"]),
        (f"{'long ' * 15}sentence.\nanother", [f"{'long ' * 15}sentence.", "another"]),
        (f"{'long ' * 15}line that was\nDo: Ask.", [f"{'long ' * 15}line that was", "Do: Ask."]),
    ],
)
def test_lines_that_were_broken_by_hand_are_one_paragraph(note: str, expected: list[str]) -> None:
    assert paragraphs(note) == expected


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (("2 min.\nDo: Ask first.\nThen this.\nSource: a paper.",), ["Then this.", "Source: a paper."]),
        (("15 min, 13 hands-on. This.", "Do: Wait."), ["This."]),
        (("0 min.\nDo: Wait.",), []),
        ((), []),
    ],
)
def test_what_is_done_is_not_said(notes: tuple[str, ...], expected: list[str]) -> None:
    assert spoken_paragraphs(notes) == expected


def test_what_is_done_has_a_colour_of_its_own() -> None:
    asked, told = [line for line in note_lines(("Do: Ask first.", "Then this."), 40, 10, DARK) if line.plain]
    assert asked.plain == "Do: Ask first."
    assert asked.get_style_at_offset(CONSOLE, 0).color == Style(color=DARK.accent).color
    assert told.get_style_at_offset(CONSOLE, 0).color is None


def test_notes_can_be_printed_with_their_times() -> None:
    text = plain_notes(load_deck(TALK))
    assert "── 4 / 7 ── 0:02 ──" in text
    assert "Three steps\n\n2.5 min. Ask first.\n\nThen show it." in text
