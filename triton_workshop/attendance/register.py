"""Register of the room, in SQLite.

Several processes may have it open, and its content survives each of them.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from triton_workshop.attendance.board import AttendeeStatus, Board, CallForHelp, MistakeCount, Progress
from triton_workshop.attendance.names import clean_name, name_key, with_number
from triton_workshop.errors import MisuseError, WorkshopError

FOLDER_VARIABLE = "TRITON_WORKSHOP_ROOM"
"""Environment variable that names another folder for the register."""

LETTERS = "FHKLMRTWXYZ"
"""Letters of which no two look or sound alike, and that spell nothing."""
WORD_LETTERS = 5
MAX_WRONG_WORDS = 300
"""Wrong words after which the word gets five letters more.

Until then, one in 537 has guessed it.
"""
ROOM_LIFETIME_SECONDS = 12 * 3600.0
"""Seconds after its last use for which a room is still the same room."""
TOUCH_INTERVAL_SECONDS = 60.0
"""Seconds between two updates of the time at which the room was used."""
LOCK_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for another process that is writing."""
MAX_CALLS = 100
"""Calls for help that may wait for an answer.

More than one presenter has attendees, and less than a flood.
"""
EXCESS_SECONDS = 60.0
"""Seconds for which the board names somebody who has asked for too much."""
MAX_DELAY_NANOSECONDS = 600 * 10**9
"""Nanoseconds by which a message may come late.

Anything that seems older comes from a clock that was set back.
"""

TOKEN_BYTES = 24
TOKEN_LENGTH = TOKEN_BYTES * 4 // 3
"""Characters of a token, in base 64."""

TABLES = """
CREATE TABLE IF NOT EXISTS rooms (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT, key TEXT, used REAL, address TEXT);
CREATE TABLE IF NOT EXISTS attendees (
    room INTEGER, number INTEGER, name TEXT, token TEXT UNIQUE, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS names (
    room INTEGER, number INTEGER, key TEXT, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS namesakes ON names (room, key);
CREATE TABLE IF NOT EXISTS progress (
    room INTEGER, number INTEGER, exercise TEXT, filled INTEGER, todos INTEGER, correct INTEGER, hints INTEGER,
    told INTEGER, PRIMARY KEY (room, number, exercise)
);
CREATE TABLE IF NOT EXISTS mistakes (
    room INTEGER, number INTEGER, exercise TEXT, mistake TEXT, PRIMARY KEY (room, number, exercise, mistake)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS excesses (room INTEGER, number INTEGER, at REAL, PRIMARY KEY (room, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calls (
    room INTEGER, number INTEGER, asked REAL, told INTEGER, done INTEGER, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS origins (
    room INTEGER, number INTEGER, origin TEXT, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS submissions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, room INTEGER, number INTEGER, id TEXT UNIQUE, exercise TEXT, text TEXT,
    timed INTEGER, asked REAL, turn INTEGER, sends INTEGER, answer TEXT, ratio REAL, times TEXT, gpu TEXT,
    struck INTEGER
);
CREATE INDEX IF NOT EXISTS submitters ON submissions (room, number);
CREATE INDEX IF NOT EXISTS unanswered ON submissions (room, turn) WHERE answer IS NULL;
CREATE TABLE IF NOT EXISTS closed_boards (room INTEGER PRIMARY KEY);
"""
ATTENDEE_TABLES = ("names", "progress", "mistakes", "calls", "origins", "excesses", "submissions")
"""Tables with data about attendees."""

IS_STALE = "(told < ? OR told > ?)"
PROGRESS_COLUMNS = "exercise, filled, todos, correct, hints"
IS_PRESENT = "EXISTS (SELECT 1 FROM attendees WHERE room = ? AND number = ? AND token IS NOT NULL)"


@dataclass(frozen=True)
class Attendee:
    """Somebody who has entered.

    The token is theirs alone: the register keeps only its digest.
    """

    number: int
    name: str | None
    token: str


class NoRegisterError(WorkshopError):
    """No room is in use."""


class Register:
    """Register of the room in use, or of a new one.

    Safe to use from several threads, and from several processes.
    """

    def __init__(self, file: Path, now: Callable[[], float] = time.time, *, begin: bool = True) -> None:
        """Open the room of the last 12 hours.

        If there is none, begin a new one, or raise NoRegisterError. Raises MisuseError if the file cannot be used.
        """
        self._file, self.now, self._lock = file, now, threading.Lock()
        self._touched_at, self._address, self._wrong_words = 0.0, "", 0
        with explain_failures(file):
            self._store = create_store(file) if begin else open_store(file)
            current = self._current_room() or (self._create_room() if begin else None)
        if current is None:
            self.close()
            raise NoRegisterError("no room is open")
        self.id, self.word, self.key = current

    def _current_room(self) -> tuple[int, str, str] | None:
        rows = self.rows("SELECT id, word, key, used FROM rooms ORDER BY id DESC LIMIT 1")
        return rows[0][:3] if rows and self.now() - rows[0][3] < ROOM_LIFETIME_SECONDS else None

    def _create_room(self) -> tuple[int, str, str]:
        with self.transaction("BEGIN IMMEDIATE"):
            if current := self._current_room():  # another process was faster
                return current
            used_words = {word for (word,) in self.rows("SELECT word FROM rooms")}
            word = next(word for word in iter(random_word, "") if word not in used_words)
            key = secrets.token_urlsafe(32)
            values = (word, key, self.now(), self._address)
            row = self._store.execute("INSERT INTO rooms (word, key, used, address) VALUES (?, ?, ?, ?)", values)
            assert row.lastrowid is not None
            return row.lastrowid, word, key

    def renew(self) -> None:
        """Load the room's current word, and begin a new room if it has expired.

        A room expires when nobody has used it for 12 hours.
        """
        key = self.key
        with self.transaction():
            current = self._current_room()
        self.id, self.word, self.key = current or self._create_room()
        if self.key != key:
            self._wrong_words = 0

    # The way in

    @property
    def ticket(self) -> str:
        """Text that replaces the word in links: nobody guesses it."""
        return digest(f"ticket {self.key}")[:12]

    @property
    def guessing(self) -> bool:
        """True once many wrong words have made the word longer."""
        return " " in self.word

    def accepts_word(self, word: str) -> bool:
        """Return whether this is the room's word, or its ticket.

        Nobody ever waits for those who guess, whose address may be everybody's. Instead, the number of wrong words is
        limited: after that the word is one of 26,000 million.
        """
        self.renew()
        letters = "".join(word.split())
        if equals(letters, self.ticket) or equals(letters.upper(), self.word.replace(" ", "")):
            return True
        self._wrong_words += 1
        if self._wrong_words >= MAX_WRONG_WORDS and not self.guessing:
            # Another process may have made it longer in the meantime, and once is enough.
            longer = "UPDATE rooms SET word = word || ' ' || ? WHERE id = ? AND word NOT LIKE '% %'"
            with self.transaction("BEGIN IMMEDIATE"):
                self._store.execute(longer, (random_word(), self.id))
            self.renew()
        return False

    @property
    def address(self) -> str:
        """Address at which this machine reaches the room's pages.

        Empty if nobody has served them yet.
        """
        with self.transaction():
            rows = self.rows("SELECT coalesce(address, '') FROM rooms WHERE id = ?", self.id)
        return str(rows[0][0]) if rows else ""

    def serve_at(self, address: str) -> None:
        """Record the address at which this machine reaches the room's pages."""
        self._address = address
        with self.write_transaction():
            self._store.execute("UPDATE rooms SET address = ? WHERE id = ?", (address, self.id))

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    # An attendee's side

    def enter(self, name: str | None = None) -> Attendee:
        """Admit an attendee, under the next number and a unique name."""
        token, name = secrets.token_urlsafe(TOKEN_BYTES), clean_name(name)
        with self.write_transaction():
            ((number,),) = self.rows("SELECT coalesce(max(number), 0) + 1 FROM attendees WHERE room = ?", self.id)
            if name:
                name = with_number(name, self._name_in_use)
                self._store.execute("INSERT INTO names VALUES (?, ?, ?)", (self.id, number, name_key(name)))
            values = (self.id, number, name, digest(token))
            self._store.execute("INSERT INTO attendees VALUES (?, ?, ?, ?)", values)
        return Attendee(number, name, token)

    def _name_in_use(self, key: str) -> bool:
        return bool(self.rows("SELECT 1 FROM names WHERE room = ? AND key = ? LIMIT 1", self.id, key))

    def attendee(self, token: str) -> Attendee | None:
        """Return the attendee with this token; None if it is nobody of this room."""
        query = "SELECT number, name FROM attendees JOIN rooms ON id = room WHERE token = ? AND room = ? AND used > ?"
        with self.transaction():
            rows = self.rows(query, digest(token), self.id, self.now() - ROOM_LIFETIME_SECONDS)
        if rows and self.now() - self._touched_at > TOUCH_INTERVAL_SECONDS:
            with suppress(WorkshopError), self.write_transaction():  # who comes back keeps the room open
                pass
        return next((Attendee(number, name, token) for number, name in rows), None)

    def numbers(self) -> set[int]:
        """Return the numbers of everybody in the room."""
        with self.transaction():
            rows = self.rows("SELECT number FROM attendees WHERE room = ? AND token IS NOT NULL", self.id)
        return {number for (number,) in rows}

    def leave(self, number: int) -> None:
        """Delete everything about an attendee.

        The number is not given to anybody else.
        """
        with self.write_transaction():
            for table in ATTENDEE_TABLES:
                self._store.execute(f"DELETE FROM {table} WHERE room = ? AND number = ?", (self.id, number))
            # The row stays, so that nobody else gets the number.
            nobody = "UPDATE attendees SET name = NULL, token = NULL WHERE room = ? AND number = ?"
            self._store.execute(nobody, (self.id, number))

    def report(self, number: int, progress: Progress, sent_at: int | None = None) -> None:
        """Record the progress of an attendee.

        `sent_at` is the time of sending in nanoseconds: a report that overtook an older one stays.
        """
        attendee, sent_at = (self.id, number), sent_at or time.time_ns()
        *values, mistake = astuple(progress)
        with self.write_transaction():
            # Inserted again instead of updated: the board shows the exercise with the last row as the current one.
            self._store.execute(
                f"DELETE FROM progress WHERE room = ? AND number = ? AND exercise = ? AND {IS_STALE}",
                (*attendee, progress.exercise, sent_at, sent_at + MAX_DELAY_NANOSECONDS),
            )
            self._store.execute(
                f"INSERT OR IGNORE INTO progress (room, number, {PROGRESS_COLUMNS}, told)"
                f" SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE {IS_PRESENT}",
                (*attendee, *values, sent_at, *attendee),
            )
            if mistake:  # kept once it is repaired, too: the room talks about it afterwards
                self._store.execute(
                    f"INSERT OR IGNORE INTO mistakes SELECT ?, ?, ?, ? WHERE {IS_PRESENT}",
                    (*attendee, progress.exercise, mistake, *attendee),
                )

    def call_for_help(self, number: int, sent_at: int | None = None, origin: str = "") -> bool:
        """Record a call for help; return False if too many wait for an answer.

        Of several that nobody has answered, the first counts; `sent_at` as for a report. `origin` is the address that
        it comes from, of which a digest is kept: the one with most calls makes space for others.
        """
        attendee, sent_at, origin = (self.id, number), sent_at or time.time_ns(), digest(f"{self.key} {origin}")[:12]
        with self.write_transaction():
            if not self._make_space_for(number, origin):
                return False
            self._store.execute(
                f"DELETE FROM calls WHERE room = ? AND number = ? AND done AND {IS_STALE}",
                (*attendee, sent_at, sent_at + MAX_DELAY_NANOSECONDS),
            )
            for insert, values in (
                ("IGNORE INTO calls (room, number, asked, told, done) SELECT ?, ?, ?, ?, 0", (self.now(), sent_at)),
                ("REPLACE INTO origins SELECT ?, ?, ?", (origin,)),
            ):
                self._store.execute(f"INSERT OR {insert} WHERE {IS_PRESENT}", (*attendee, *values, *attendee))
        return True

    def _make_space_for(self, number: int, origin: str) -> bool:
        """Return whether a call may wait.

        If need be, the newest call from the address with most calls is removed for it.
        """
        waiting = self.rows(
            "SELECT number, origin FROM calls LEFT JOIN origins USING (room, number)"
            " WHERE room = ? AND NOT done ORDER BY asked, told",
            self.id,
        )
        if len(waiting) < MAX_CALLS or number in dict(waiting):
            return True
        of_origin = Counter(caller for _, caller in waiting)
        ((crowd, largest),) = of_origin.most_common(1)
        if of_origin[origin] >= largest - 1:
            return False
        # In a flood from one address, calls of real attendees tend to be the older ones.
        newest = next(caller for caller, source in reversed(waiting) if source == crowd)
        self._store.execute("DELETE FROM calls WHERE room = ? AND number = ?", (self.id, newest))
        return True

    def record_excess(self, number: int) -> None:
        """Record that an attendee has asked for far too much."""
        values = (self.id, number, self.now(), self.id, number)
        with self.write_transaction():
            self._store.execute(f"INSERT OR REPLACE INTO excesses SELECT ?, ?, ? WHERE {IS_PRESENT}", values)

    # The presenter's side

    def answer_call(self, number: int) -> None:
        """Record that a call for help has been answered."""
        with self.write_transaction():
            self._store.execute("UPDATE calls SET done = 1 WHERE room = ? AND number = ?", (self.id, number))

    def board(self) -> Board:
        """Return a snapshot for the presenter."""
        with self.transaction():
            attendees = self.rows("SELECT number, name FROM attendees WHERE room = ? ORDER BY number", self.id)
            # The report with the largest rowid is about the exercise at hand; `groupby` needs the numbers in order.
            reports = self.rows(
                f"SELECT number, {PROGRESS_COLUMNS} FROM progress WHERE room = ? ORDER BY number, rowid", self.id
            )
            calls = self.rows("SELECT number, asked, done FROM calls WHERE room = ? ORDER BY asked", self.id)
            latest = "SELECT number FROM excesses WHERE room = ? AND at > ? ORDER BY at DESC, number"
            excesses = self.rows(latest, self.id, self.now() - EXCESS_SECONDS)
            mistakes = self.rows(
                "SELECT exercise, mistake, count(*) AS made FROM mistakes WHERE room = ?"
                " GROUP BY exercise, mistake ORDER BY exercise, made DESC, mistake",
                self.id,
            )
        names, callers, now = dict(attendees), {number for number, _, _ in calls}, self.now()
        progress = {number: tuple(map(_to_progress, rows)) for number, rows in groupby(reports, itemgetter(0))}
        excessive = [number for (number,) in excesses if number in names]
        active = {*progress, *callers, *excessive}
        statuses = {
            number: AttendeeStatus(number, name, progress.get(number, ()))
            for number, name in attendees
            # The row of somebody who has left stays without a name, and says nothing.
            if name or number in active
        }
        return Board(
            tuple(statuses.values()),
            tuple(
                # A clock that was set back must not make the minutes negative.
                CallForHelp(number, names.get(number), max(int(now - asked_at), 0) // 60)
                for number, asked_at, answered in calls
                if not answered
            ),
            self.guessing,
            sum(not answered for _, _, answered in calls) >= MAX_CALLS,
            tuple(statuses[number] for number in excessive),
            tuple(MistakeCount(*row) for row in mistakes),
        )

    # The store

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Run a query or a statement, inside a transaction."""
        return self._store.execute(query, values).fetchall()

    @contextmanager
    def write_transaction(self) -> Iterator[None]:
        """Run a transaction that may write.

        Writing is also what shows that the room is in use.
        """
        with self.transaction("BEGIN IMMEDIATE"):
            yield
            self._touched_at = self.now()
            used = "UPDATE rooms SET used = ? WHERE id = ? AND used > ?"  # what is over stays over
            self._store.execute(used, (self._touched_at, self.id, self._touched_at - ROOM_LIFETIME_SECONDS))

    @contextmanager
    def transaction(self, begin: str = "BEGIN") -> Iterator[None]:
        """Run a transaction: it reads one state, and writes all or nothing."""
        with self._lock, explain_failures(self._file):
            self._store.execute(begin)
            try:
                yield
                self._store.execute("COMMIT")
            except BaseException:
                if self._store.in_transaction:  # a full disk may have ended it
                    self._store.execute("ROLLBACK")
                raise


def register_file() -> Path:
    """Return the path of the register, in a folder of the presenter's."""
    return Path(os.environ.get(FOLDER_VARIABLE) or user_data_path("triton-workshop") / "room") / "room.sqlite"


def find_register(file: Path, now: Callable[[], float] = time.time) -> Register | None:
    """Return the register of the last 12 hours, or None.

    Nothing is created.
    """
    with suppress(NoRegisterError):
        return Register(file, now, begin=False) if file.is_file() else None
    return None


def forget_attendees(file: Path, now: Callable[[], float] = time.time) -> None:
    """Delete everything about all attendees, today and before.

    The word of a room that is in use stays the same.
    """
    if not file.is_file():
        return
    with explain_failures(file), closing(open_store(file)) as store:
        # A server may still have the last room open.
        store.execute(
            "DELETE FROM rooms WHERE used <= ? AND id < (SELECT max(id) FROM rooms)", (now() - ROOM_LIFETIME_SECONDS,)
        )
        for table in ("attendees", *ATTENDEE_TABLES):
            store.execute(f"DELETE FROM {table}")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def create_store(file: Path) -> sqlite3.Connection:
    """Open the database, creating its file if necessary."""
    with suppress(FileExistsError):
        file.parent.mkdir(parents=True, mode=0o700)
    file.touch(mode=0o600)
    return open_store(file)


def open_store(file: Path) -> sqlite3.Connection:
    """Open the database with all tables that this version needs.

    Deleted data is overwritten.
    """
    store = sqlite3.connect(file, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False)
    _enable_write_ahead(store)
    store.execute("PRAGMA synchronous = NORMAL")
    store.execute("PRAGMA secure_delete = ON")
    store.executescript(TABLES)
    _add_name_keys(store)
    return store


def _add_name_keys(store: sqlite3.Connection) -> None:
    """Add the keys of names that an older version has accepted."""
    lacking = "FROM attendees WHERE name IS NOT NULL AND (room, number) NOT IN (SELECT room, number FROM names)"
    if store.execute(f"SELECT 1 {lacking} LIMIT 1").fetchone():
        store.create_function("name_key", 1, name_key)
        store.execute(f"INSERT OR IGNORE INTO names SELECT room, number, name_key(name) {lacking}")


def _enable_write_ahead(store: sqlite3.Connection) -> None:
    """Let readers go on while one process writes.

    Where several do this to a new file, SQLite does not wait for its turn.
    """
    end = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            store.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextmanager
def explain_failures(file: Path) -> Iterator[None]:
    """Turn failures of the database into one line for the presenter."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise MisuseError(
            f"the room cannot be kept in {file}: {reason}; set {FOLDER_VARIABLE} to a folder that can be written"
        ) from error


def random_word() -> str:
    """Return a random word for a room."""
    return "".join(secrets.choice(LETTERS) for _ in range(WORD_LETTERS))


def equals(text: str, expected: str) -> bool:
    """Compare two texts in constant time."""
    return hmac.compare_digest(text.encode(), expected.encode())


def digest(token: str) -> str:
    """Return the SHA-256 digest of a token, as hexadecimal digits."""
    return hashlib.sha256(token.encode()).hexdigest()


def _to_progress(row: tuple[int, str, int, int, int, int]) -> Progress:
    _, exercise, filled, todos, right, hints = row
    return Progress(exercise, filled, todos, bool(right), hints)
