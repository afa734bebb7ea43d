"""Whom the notes follow, and what their clock says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from triton_workshop.deck import load_deck
from triton_workshop.viewer.notes.follower import SILENCE_SECONDS, Clock, Follower, LinkState
from triton_workshop.viewer.notes.protocol import Exit, Heartbeat, RunningBlock
from triton_workshop.viewer.slides.slide_step import SlideStep

TALK = load_deck(Path(__file__).parent / "talk.md")
OURS, THEIRS = ("127.0.0.1", 1), ("127.0.0.1", 2)
RUNNING = (RunningBlock(5, 0, 2.0),)


def test_before_a_word_the_notes_stand_at_the_start() -> None:
    follower = Follower()
    assert follower.connection(1000) is LinkState.WAITING
    assert follower.position(TALK) == SlideStep()


def test_our_slides_tell_the_step_and_what_runs() -> None:
    follower = Follower().apply(OURS, Heartbeat(4, 1, 60.0, RUNNING), 0)
    assert follower.position(TALK) == SlideStep(3, 1)
    assert follower.running_now(3.5) == (replace(RUNNING[0], seconds=5),)


def test_slides_that_fall_silent_are_noticed() -> None:
    follower = Follower().apply(OURS, Heartbeat(4, 1, 60.0), 10)
    assert follower.connection(10 + SILENCE_SECONDS) is LinkState.FOLLOWING
    assert follower.connection(11 + SILENCE_SECONDS) is LinkState.SILENT


def test_the_slides_that_moved_last_are_followed() -> None:
    follower = Follower().apply(OURS, Heartbeat(2, 0, 5.0), 0).apply(THEIRS, Heartbeat(6, 0, 900.0), 1)
    assert follower.position(TALK) == SlideStep(1), "others that only stand there do not count"
    follower = follower.apply(THEIRS, Heartbeat(7, 0, 901.0, moved=True), 2).apply(OURS, Heartbeat(2, 0, 7.0), 2)
    assert follower.position(TALK) == SlideStep(6)


def test_when_slides_are_silent_others_are_followed() -> None:
    follower = (
        Follower().apply(OURS, Heartbeat(2, 0, 5.0), 0).apply(THEIRS, Heartbeat(6, 0, 900.0), SILENCE_SECONDS + 1)
    )
    assert follower.position(TALK) == SlideStep(5)


def test_closed_slides_leave_their_notes_and_may_come_back() -> None:
    follower = Follower().apply(OURS, Heartbeat(6, 0, 5.0, RUNNING), 0).apply(OURS, Exit(), 1)
    assert follower.connection(2) is LinkState.CLOSED
    assert follower.position(TALK) == SlideStep(5)
    assert follower.running_now(2) == ()
    assert follower.apply(THEIRS, Heartbeat(7, 0, 0.0), 3).connection(3) is LinkState.FOLLOWING


def test_others_that_close_do_not_count() -> None:
    follower = Follower().apply(OURS, Heartbeat(2, 0, 5.0), 0).apply(THEIRS, Exit(), 1)
    assert follower.connection(1) is LinkState.FOLLOWING


def test_a_place_that_this_deck_has_not_is_the_nearest_that_it_has() -> None:
    follower = Follower().apply(OURS, Heartbeat(99, 99, 5.0), 0)
    assert follower.position(TALK) == SlideStep(6)
    assert follower.apply(OURS, Heartbeat(0, 0, 6.0), 1).position(TALK) == SlideStep()


def test_the_clock_counts_from_when_the_slides_were_opened() -> None:
    clock = Clock().apply(Heartbeat(1, 0, 40.0), 100.5)
    assert clock.elapsed(101.5) == 41


def test_slides_that_are_opened_again_do_not_start_the_clock_again() -> None:
    clock = Clock().apply(Heartbeat(1, 0, 40.0), 100).apply(Exit(), 150).apply(Heartbeat(1, 0, 0.0), 200)
    assert clock.elapsed(200) == 140


def test_a_clock_that_was_set_stays_so() -> None:
    clock = Clock().set_to(0, 200).apply(Heartbeat(1, 0, 100.0), 200)
    assert clock.elapsed(260) == 60
    assert clock.set_to(-60, 260).elapsed(260) == 0


def test_before_the_start_the_clock_is_at_zero() -> None:
    assert Clock().elapsed(12345) == 0
