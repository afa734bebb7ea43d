"""The room: its word, who is in it, and what is known about them."""

from __future__ import annotations

import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from triton_workshop.attendance.board import (
    CALLS_FULL_WARNING,
    AttendeeStatus,
    Board,
    CallForHelp,
    ExerciseCount,
    Progress,
    display_name,
)
from triton_workshop.attendance.names import MAX_INPUT_CHARACTERS
from triton_workshop.attendance.register import (
    LETTERS,
    MAX_CALLS,
    MAX_WRONG_WORDS,
    Register,
    find_register,
    forget_attendees,
)
from triton_workshop.errors import WorkshopError

BEGUN = Progress("1", 1, 3, right=False, hints=1)
RIGHT = Progress("1", 3, 3, right=True, hints=1)
HOUR = 3600.0


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = 1e9

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "room" / "room.sqlite"


@pytest.fixture
def room(file: Path, clock: Clock) -> Register:
    return Register(file, clock)


def test_no_two_letters_look_or_sound_alike() -> None:
    for alike in ("BCDEGPTV", "AJK", "FS", "MN", "IY", "QU", "IJL", "UVW", "CGOQD", "SZ"):
        assert len({*alike} & {*LETTERS}) <= 1, alike


def test_a_room_survives_its_process(file: Path, room: Register, clock: Clock) -> None:
    ada = room.enter("Ada")
    room.report(ada.number, BEGUN)
    before = (room.word, room.key, room.board())
    room.close()
    clock.time += 11 * HOUR
    again = Register(file, clock)
    assert (again.word, again.key, again.board()) == before
    assert again.attendee(ada.token) == ada


def test_after_12_hours_it_is_another_room(file: Path, room: Register, clock: Clock) -> None:
    ada = room.enter("Ada")
    clock.time += 12 * HOUR
    today = Register(file, clock)
    assert today.word != room.word
    assert today.attendee(ada.token) is None
    assert today.board() == Board()
    assert today.enter().number == 1


def test_a_room_that_stayed_open_for_12_hours_without_anybody_is_over(file: Path, room: Register, clock: Clock) -> None:
    ada, word, ticket = room.enter("Ada"), room.word, room.ticket
    clock.time += 12 * HOUR
    assert room.attendee(ada.token) is None
    room.answer_call(ada.number)  # does not bring it back
    assert not room.accepts_word(word)
    assert not room.accepts_word(ticket)
    assert room.word != word
    assert room.accepts_word(room.word)
    assert room.board() == Board()
    assert Register(file, clock).word == room.word


def test_a_room_that_is_used_is_not_renewed(room: Register, clock: Clock) -> None:
    before = room.word
    clock.time += 11 * HOUR
    room.enter()
    clock.time += 11 * HOUR
    room.renew()
    assert room.word == before


def test_forgetting_keeps_the_room_that_a_server_has_open(file: Path, room: Register, clock: Clock) -> None:
    room.serve_at("http://127.0.0.1:8000/")
    clock.time += 12 * HOUR
    forget_attendees(file, clock)
    assert room.address == "http://127.0.0.1:8000/"
    room.renew()
    forget_attendees(file, clock)
    assert room.accepts_word(room.word)


@pytest.mark.parametrize("given", ["{word}", " {lower}\n", "{spaced}", "{ticket}"])
def test_the_word_opens_the_room_however_it_is_typed_and_so_does_the_ticket(room: Register, given: str) -> None:
    word = room.word
    assert room.accepts_word(given.format(word=word, lower=word.lower(), spaced=" ".join(word), ticket=room.ticket))
    assert not room.accepts_word(given.format(word="", lower="", spaced="", ticket=""))


def test_words_have_five_letters(room: Register) -> None:
    assert (len(room.word), {*room.word} <= {*LETTERS}) == (5, True)


def test_who_guesses_makes_the_word_longer_once(file: Path, room: Register, clock: Clock) -> None:
    beside, short = Register(file, clock), room.word
    for _ in range(MAX_WRONG_WORDS - 1):
        assert not room.accepts_word("AAAAA")
    assert (room.word, room.board().guessing, room.accepts_word(short)) == (short, False, True)
    assert not room.accepts_word("AAAAA")
    first, second = room.word.split()
    assert (first, len(second), room.board().guessing) == (short, 5, True)
    for part in (first, second, f"{second}{first}", short * 2):
        assert not room.accepts_word(part)
    for _ in range(2 * MAX_WRONG_WORDS):
        assert not room.accepts_word("AAAAA")
    assert room.word == f"{first} {second}"
    assert room.accepts_word(f"{first}{second}")
    assert beside.accepts_word(room.word), "another process knows it too"
    assert beside.board().guessing


def test_wrong_words_do_not_keep_a_room_open(room: Register, clock: Clock) -> None:
    before = room.word
    clock.time += 11 * HOUR
    room.accepts_word("AAAAA")
    clock.time += 1 * HOUR
    room.renew()
    assert room.word != before


def test_who_comes_back_keeps_the_room_open(file: Path, room: Register, clock: Clock) -> None:
    ada = room.enter()
    for _ in range(3):
        clock.time += 11 * HOUR
        assert room.attendee(ada.token) == ada
    assert Register(file, clock).word == room.word


def test_only_the_digest_of_a_token_is_kept(file: Path, room: Register) -> None:
    token = room.enter("Ada").token
    room.close()
    assert token.encode() not in b"".join(each.read_bytes() for each in file.parent.iterdir())
    assert Register(file).attendee("") is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_it(file: Path, room: Register) -> None:
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ada", "Ada"),
        (" Ada \n L. ", "Ada L."),
        ("\x1b[2JAda", "[2JAda"),
        ("", None),
        ("\x07", None),
        ("x" * 99, "x" * 40),
        ("Ada \u202eecalevoL", "Ada ecalevoL"),
        ("\u2066A\u2069d\u00ada\ufeff\u2028L.\ue000", "Ada L."),
        ("\u200b", None),
        ("\u200d\u200c", None),
        ("\u3164 \u2800", None),
        ("\u0301\ufe0f", None),
        ("\ud800", None),
        ("number 3", None),
        ("number", None),  # as the next one of this name would be a number
        ("Number\u2003\uff13", None),
        ("nu\u200dmber\u00a03.", None),
        ("Number Three", "Number Three"),
        ("3", "3"),
        ("\u0646\u0627\u0645\u200c\u0647\u0627", "\u0646\u0627\u0645\u200c\u0647\u0627"),
        ("\U0001f98a", "\U0001f98a"),
        ("李 雷", "李 雷"),
        ("A" + "\u0301" * 39, "\u00c1\u0301"),
        ("A" + "\u0301\u0302" * 19, "\u00c1\u0302\u0301"),
        ("A\u200d" + "\u0302\u200d\u0301" * 12, "A\u0302\u200d\u0301"),
        ("\u0e01" + "\u0e49" * 39, "\u0e01\u0e49"),
        ("1\ufe0f\u20e3" + "\u20dd\u20de" * 9, "1\ufe0f\u20e3\u20dd"),
        ("Nguy\u1ec5n Th\u1ecb", "Nguy\u1ec5n Th\u1ecb"),
        ("Nguye\u0302\u0303n", "Nguy\u1ec5n"),
        ("\u1010\u102d\u102f\u1037", "\u1010\u102d\u102f\u1037"),
        ("\u0f66\u0f92\u0fb2\u0f74\u0f56", "\u0f66\u0f92\u0fb2\u0f74\u0f56"),
        ("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd"),
        ("A\u200dd\u200ca", "Ada"),
        ("\u200dAda\u200d", "Ada"),
        ("\u0646\u200c\u200c\u200d\u0647", "\u0646\u200c\u0647"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("\U0001d159\U00013441\ufffc", None),
    ],
)
def test_a_name_is_one_line_that_can_be_seen_and_is_no_number(room: Register, given: str, kept: str | None) -> None:
    assert room.enter(given).name == kept


def test_namesakes_are_numbered(room: Register) -> None:
    given = ("Ada", "Ada", "Ada 2", "ADA", "\uff21da", "Bob", "x" * 40, "x" * 40, None, None)
    names = [room.enter(name).name for name in given]
    assert names == ["Ada", "Ada 2", "Ada 2 2", "ADA 3", "\uff21da 4", "Bob", "x" * 40, "x" * 38 + " 2", None, None]
    assert [display_name(each) for each in room.board().attendees] == names[:-2]
    room.leave(2)
    assert room.enter("Ada").name == "Ada 2", "once it is free"


@pytest.mark.parametrize("unseen", [*"\u034f\ufe0f\u180b\u17b4\U000e0100\u200d\u2064\u115f\ufff0\U0001bca0\U000e0001"])
@pytest.mark.parametrize("given", ["Ada{}", "A{}da", "{}Ada"])
def test_what_nobody_sees_makes_no_other_name(room: Register, unseen: str, given: str) -> None:
    assert [room.enter(name).name for name in ("Ada", given.format(unseen))] == ["Ada", "Ada 2"]
    assert room.enter(f"num{unseen}ber 3").name is None


@pytest.mark.parametrize(
    "name", ["\u2764\ufe0f Ada", "\U0001f3f3\ufe0f\u200d\U0001f308", "7\ufe0f\u20e3", "\U0001f44b\U0001f3fd"]
)
def test_emoji_keep_their_looks(room: Register, name: str) -> None:
    assert room.enter(name).name == name


def test_one_more_namesake_looks_at_few_of_the_others(room: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [room.enter("Ada").name for _ in range(300)]
    assert names[:3] + names[-1:] == ["Ada", "Ada 2", "Ada 3", "Ada 300"]
    looked, normalize = list[str](), unicodedata.normalize
    monkeypatch.setattr(unicodedata, "normalize", lambda form, text: looked.append(text) or normalize(form, text))
    assert room.enter("Ada").name == "Ada 301"
    assert len(looked) < 30
    looked.clear()
    room.enter("\ufdfa" * 1300)
    assert max(map(len, looked)) <= MAX_INPUT_CHARACTERS


def test_namesakes_of_a_store_of_an_older_version_are_numbered(file: Path, room: Register, clock: Clock) -> None:
    for name in ("Ada", "Bob", None):
        room.enter(name)
    room._store.execute("DROP TABLE names")
    room.close()
    for _ in range(2):
        room = Register(file, clock)
    room.leave(2)
    assert [room.enter(name).name for name in ("ADA", "Bob")] == ["ADA 2", "Bob"]


def test_the_newest_report_of_an_exercise_counts(room: Register) -> None:
    ada = room.enter()
    room.report(ada.number, BEGUN)
    room.report(ada.number, Progress("2", 0, 4, right=False, hints=0))
    room.report(ada.number, RIGHT)
    (present,) = room.board().attendees
    assert present.progress == (Progress("2", 0, 4, right=False, hints=0), RIGHT)


def test_what_comes_late_or_twice_is_not_news(room: Register) -> None:
    ada, other = room.enter(), Progress("2", 0, 4, right=False, hints=0)
    room.report(ada.number, RIGHT, sent_at=2)
    room.report(ada.number, BEGUN, sent_at=1)
    room.report(ada.number, other, sent_at=3)
    room.report(ada.number, RIGHT, sent_at=2)
    assert room.board().attendees[0].progress == (RIGHT, other)


def test_a_clock_that_is_set_back_keeps_nobody_from_telling(room: Register) -> None:
    ada, hour = room.enter(), 3600 * 10**9
    room.report(ada.number, BEGUN, sent_at=5 * hour)
    room.call_for_help(ada.number, sent_at=5 * hour)
    room.answer_call(ada.number)
    room.report(ada.number, RIGHT, sent_at=4 * hour)
    room.call_for_help(ada.number, sent_at=4 * hour)
    assert room.board().attendees[0].progress == (RIGHT,)
    assert len(room.board().calls) == 1


def test_the_board_counts_who_is_where(room: Register) -> None:
    for _ in range(3):
        room.report(room.enter().number, BEGUN)
    room.report(1, RIGHT)
    room.report(1, Progress("2", 1, 4, right=False, hints=0))
    room.report(2, RIGHT)
    room.enter()  # follows the slides, and has told nothing
    board = room.board()
    assert board.counts == (ExerciseCount("1", working=1, right=2), ExerciseCount("2", working=1, right=0))
    assert [present.number for present in board.attendees] == [1, 2, 3]


def test_the_board_counts_whoever_made_a_mistake_once_also_after_the_repair(room: Register) -> None:
    names = ("floor-grid", "wrong-axis", "forgotten-pid", "mask-missing")
    for made in range(len(names), 0, -1):
        ada = room.enter().number
        for name in [*names[:made], names[0]]:
            room.report(ada, replace(BEGUN, mistake=name))
        room.report(ada, RIGHT)
    frequent = room.board().frequent_mistakes("1")
    assert [(count.words, count.attendees) for count in frequent] == [
        ("floor grid", 4), ("wrong axis", 3), ("forgotten pid", 2),
    ]  # fmt: skip
    assert room.board().frequent_mistakes("2") == ()
    room.leave(1)
    assert room.board().frequent_mistakes("1")[0].attendees == 3


def test_calls_are_answered_oldest_first(room: Register, clock: Clock) -> None:
    ada, bob = room.enter("Ada"), room.enter()
    room.call_for_help(bob.number)
    clock.time += 60
    room.call_for_help(ada.number)
    room.call_for_help(bob.number)
    calls = room.board().calls
    assert calls == (CallForHelp(2, None, 1), CallForHelp(1, "Ada", 0))
    assert [*map(display_name, calls)] == ["number 2", "Ada"]
    room.answer_call(bob.number)
    assert room.board().calls == calls[1:]
    clock.time += 60
    room.call_for_help(bob.number)
    assert room.board().calls == (CallForHelp(1, "Ada", 1), CallForHelp(2, None, 0))


def test_a_flood_of_calls_is_bounded_and_each_attendee_has_one(room: Register) -> None:
    mallory = room.enter("Mallory")
    assert all(room.call_for_help(mallory.number, sent_at=told) for told in range(1, 400))
    assert len(room.board().calls) == 1
    others = [room.enter().number for _ in range(MAX_CALLS)]
    assert [room.call_for_help(number) for number in others] == [True] * (MAX_CALLS - 1) + [False]
    assert len(room.board().calls) == MAX_CALLS
    assert room.call_for_help(mallory.number), "who waits already, waits on"
    room.answer_call(mallory.number)
    assert room.call_for_help(others[-1]), "once one is answered"


def test_who_fills_the_places_from_one_address_makes_room_for_others_and_the_presenter_hears_of_it(
    file: Path, room: Register, clock: Clock
) -> None:
    mallory = [room.enter().number for _ in range(MAX_CALLS + 1)]
    for number in mallory[:MAX_CALLS]:
        clock.time += 1
        assert room.board().warnings == ()
        assert room.call_for_help(number, origin="10.0.0.66")
    assert not room.call_for_help(mallory[-1], origin="10.0.0.66")
    for origin in ("10.0.0.2", "10.0.0.3"):
        assert room.call_for_help(room.enter().number, origin=origin)
    waiting = [call.number for call in room.board().calls]
    assert waiting[:-2] == mallory[: MAX_CALLS - 2], "the newest made room"
    assert Register(file, clock).board().warnings == (CALLS_FULL_WARNING,)
    room.answer_call(waiting[0])
    assert room.board().warnings == ()
    assert b"10.0.0.66" not in b"".join(each.read_bytes() for each in file.parent.iterdir())


def test_a_call_that_arrives_twice_is_one_call(room: Register) -> None:
    ada = room.enter()
    room.call_for_help(ada.number, sent_at=5)
    room.answer_call(ada.number)
    room.call_for_help(ada.number, sent_at=5)
    assert room.board().calls == ()


def test_nothing_is_left_of_who_leaves(room: Register) -> None:
    ada, bob = room.enter("Ada"), room.enter("Bob")
    room.report(bob.number, BEGUN)
    room.call_for_help(bob.number)
    room.leave(bob.number)
    room.report(bob.number, RIGHT)  # was on its way
    room.call_for_help(bob.number)
    assert room.board() == Board((AttendeeStatus(ada.number, "Ada", ()),))
    assert room.attendee(bob.token) is None
    assert room.enter().number == 3


def test_forgetting_deletes_everybody(file: Path, room: Register, clock: Clock) -> None:
    clock.time += 13 * HOUR
    today = Register(file, clock)
    ada = today.enter("Ada Lovelace")
    forget_attendees(file, clock)
    assert today.board() == Board()
    assert today.attendee(ada.token) is None
    assert Register(file, clock).word == today.word
    assert b"Ada Lovelace" not in b"".join(each.read_bytes() for each in file.parent.iterdir())


def test_the_board_says_for_a_minute_who_has_asked_for_far_too_much(file: Path, room: Register, clock: Clock) -> None:
    ada, mallory, silent = room.enter("Ada"), room.enter("Mallory"), room.enter()
    assert room.board().warnings == ()
    room.record_excess(mallory.number)
    clock.time += 30
    room.record_excess(silent.number)
    board = Register(file, clock).board()  # as another process sees it
    assert [present.number for present in board.excessive] == [silent.number, mallory.number]
    assert [present.number for present in board.attendees] == [ada.number, mallory.number, silent.number]
    first, second = board.warnings
    assert first.startswith("Number 3 asks for far more than a page needs")
    assert second.startswith("Mallory, number 2, asks for far more than a page needs")
    clock.time += 31
    assert [present.number for present in room.board().excessive] == [silent.number]
    room.leave(silent.number)
    room.record_excess(silent.number)  # was on its way
    assert room.board().warnings == ()


def test_of_many_who_ask_for_too_much_a_few_are_named(room: Register) -> None:
    for _ in range(30):
        room.record_excess(room.enter("x" * 40).number)
    assert len(room.board().warnings) == 3


def test_the_store_of_an_older_version_gets_the_tables_that_it_lacks(file: Path, room: Register, clock: Clock) -> None:
    room._store.execute("DROP TABLE excesses")
    room.close()
    found = find_register(file, clock)
    assert found is not None
    assert found.board() == Board()
    forget_attendees(file, clock)


def test_looking_creates_nothing(file: Path, clock: Clock) -> None:
    assert find_register(file, clock) is None
    forget_attendees(file, clock)
    assert not file.parent.exists()
    word = Register(file, clock).word
    found = find_register(file, clock)
    assert found is not None
    assert found.word == word
    clock.time += 12 * HOUR
    assert find_register(file, clock) is None


def test_many_write_together(file: Path) -> None:
    """From several threads, and over several connections, as from several processes."""

    def attend(number: int) -> str:
        room = rooms[number % 3]
        attendee = room.enter()
        room.report(attendee.number, RIGHT)
        room.call_for_help(attendee.number)
        return room.word

    with ThreadPoolExecutor(3) as pool:
        rooms = [*pool.map(Register, [file] * 3)]
        assert len({*pool.map(attend, range(30))}) == 1
    board = rooms[0].board()
    assert board.counts == (ExerciseCount("1", working=0, right=30),)
    assert sorted(call.number for call in board.calls) == [*range(1, 31)]


def test_many_begin_a_room_together(tmp_path: Path) -> None:
    """SQLite refuses one in thirty of these at once, whatever its timeout, when several make the same new file."""
    with ThreadPoolExecutor(6) as pool:
        for attempt in range(100):
            file = tmp_path / str(attempt) / "room.sqlite"
            assert len({room.word for room in pool.map(Register, [file] * 6)}) == 1


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorkshopError, match=r"the room cannot be kept in .*room\.sqlite: .*; set TRITON_WORKSHOP_ROOM"):
        Register(tmp_path / "file" / "room.sqlite")


def test_a_disk_that_is_full_is_named_and_later_everything_goes_on(room: Register) -> None:
    def fill() -> None:
        while True:
            room.enter("x" * 40)

    ada = room.enter()
    room._store.execute("PRAGMA max_page_count = 1")  # is as many as there are
    with pytest.raises(WorkshopError, match="database or disk is full"):
        fill()
    room._store.execute("PRAGMA max_page_count = 1000000")
    room.report(ada.number, BEGUN)
    assert room.enter().number == len(room.numbers())


def test_a_file_that_is_no_room_is_named(tmp_path: Path) -> None:
    file = tmp_path / "room.sqlite"
    file.write_bytes(b"something else" * 99)
    with pytest.raises(WorkshopError, match="file is not a database"):
        Register(file)
