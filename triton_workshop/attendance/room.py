"""The room, in SQLite: several processes may have it open, and what is known survives each of them."""

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

from triton_workshop.attendance.board import Board, CallForHelp, Present, Progress
from triton_workshop.attendance.names import as_name, name_key, with_number
from triton_workshop.errors import MisuseError, WorkshopError

FOLDER = "TRITON_WORKSHOP_ROOM"
"""This environment variable names another folder for the room."""

LETTERS = "FHKLMRTWXYZ"
"""No two of them look or sound alike, and without vowels they spell nothing."""
WORD_LETTERS = 5
MOST_WRONG = 300
"""Wrong words after which the word gets five letters more: until then, one in 537 has guessed it."""
KEPT_OPEN_SECONDS = 12 * 3600.0
"""Seconds after its last use for which a room is still the same room."""
NOTED_SECONDS = 60.0
"""Seconds between two notes that the room is in use."""
PATIENCE_SECONDS = 5.0
"""Seconds to wait for another process that is writing."""
MOST_CALLS = 100
"""Calls for help that may wait for an answer: more than attendees that one presenter has, and less than a flood."""
EXCESS_SECONDS = 60.0
"""Seconds for which the board names somebody who has asked for too much."""
LATEST_NANOSECONDS = 600 * 10**9
"""Nanoseconds by which something may come late; what seems to be older comes from a clock that was set back."""

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
CREATE TABLE IF NOT EXISTS excesses (room INTEGER, number INTEGER, at REAL, PRIMARY KEY (room, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS calls (
    room INTEGER, number INTEGER, asked REAL, told INTEGER, done INTEGER, PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS origins (
    room INTEGER, number INTEGER, origin TEXT, PRIMARY KEY (room, number)
) WITHOUT ROWID;
"""
TOLD = ("names", "progress", "calls", "origins", "excesses")
"""Tables of what is known about attendees."""

OLDER = "(told < ? OR told > ?)"
PROGRESS = "exercise, filled, todos, correct, hints"
IS_HERE = "EXISTS (SELECT 1 FROM attendees WHERE room = ? AND number = ? AND token IS NOT NULL)"


@dataclass(frozen=True)
class Attendee:
    """Somebody who has entered. The token is theirs alone: the room keeps only its digest."""

    number: int
    name: str | None
    token: str


class NoRoomError(WorkshopError):
    """There is no room that is in use."""


class Room:
    """The room that is in use, or a new one. Safe to use from several threads, and from several processes."""

    def __init__(self, file: Path, now: Callable[[], float] = time.time, *, begin: bool = True) -> None:
        """Open the room of the last 12 hours. If there is none, begin a new one, or raise NoRoomError.

        Raises MisuseError if the file cannot be used.
        """
        self._file, self.now, self._lock = file, now, threading.Lock()
        self._noted, self._address, self._wrong = 0.0, "", 0
        with failures_told(file):
            self._store = new_store(file) if begin else opened(file)
            found = self._in_use() or (self._begun() if begin else None)
        if found is None:
            self.close()
            raise NoRoomError("no room is open")
        self._id, self.word, self.key = found

    def _in_use(self) -> tuple[int, str, str] | None:
        rows = self._rows("SELECT id, word, key, used FROM rooms ORDER BY id DESC LIMIT 1")
        return rows[0][:3] if rows and self.now() - rows[0][3] < KEPT_OPEN_SECONDS else None

    def _begun(self) -> tuple[int, str, str]:
        with self._transaction("BEGIN IMMEDIATE"):
            if found := self._in_use():  # another process was faster
                return found
            before = {word for (word,) in self._rows("SELECT word FROM rooms")}
            word = next(word for word in iter(new_word, "") if word not in before)
            key = secrets.token_urlsafe(32)
            values = (word, key, self.now(), self._address)
            row = self._store.execute("INSERT INTO rooms (word, key, used, address) VALUES (?, ?, ?, ?)", values)
            assert row.lastrowid is not None
            return row.lastrowid, word, key

    def renew(self) -> None:
        """Learn of another word, and begin a new room if nobody has used this one for 12 hours."""
        key = self.key
        with self._transaction():
            found = self._in_use()
        self._id, self.word, self.key = found or self._begun()
        if self.key != key:
            self._wrong = 0

    # The way in

    @property
    def ticket(self) -> str:
        """Stands in links in place of the word: nobody guesses it."""
        return digest(f"ticket {self.key}")[:12]

    @property
    def guessed(self) -> bool:
        """Whether somebody has tried so many wrong words that the word has become longer."""
        return " " in self.word

    def opens(self, word: str) -> bool:
        """Whether this is the room's word, or its ticket.

        Nobody ever waits for those who guess, whose address may be everybody's. Instead, the number of wrong words is
        limited: after that the word is one of 26,000 million.
        """
        self.renew()
        given = "".join(word.split())
        if is_same(given, self.ticket) or is_same(given.upper(), self.word.replace(" ", "")):
            return True
        self._wrong += 1
        if self._wrong >= MOST_WRONG and not self.guessed:
            longer = "UPDATE rooms SET word = word || ' ' || ? WHERE id = ? AND word NOT LIKE '% %'"
            with self._transaction("BEGIN IMMEDIATE"):
                self._store.execute(longer, (new_word(), self._id))
            self.renew()
        return False

    @property
    def address(self) -> str:
        """Where this machine reaches the room's pages; empty if nobody has served them yet."""
        with self._transaction():
            rows = self._rows("SELECT coalesce(address, '') FROM rooms WHERE id = ?", self._id)
        return str(rows[0][0]) if rows else ""

    def serve_at(self, address: str) -> None:
        self._address = address
        with self._writing():
            self._store.execute("UPDATE rooms SET address = ? WHERE id = ?", (address, self._id))

    def close(self) -> None:
        self._store.close()

    # An attendee's side

    def enter(self, name: str | None = None) -> Attendee:
        """Let somebody in, under the next number, and a name that nobody else has."""
        token, name = secrets.token_urlsafe(TOKEN_BYTES), as_name(name)
        with self._writing():
            ((number,),) = self._rows("SELECT coalesce(max(number), 0) + 1 FROM attendees WHERE room = ?", self._id)
            if name:
                name = with_number(name, self._is_taken)
                self._store.execute("INSERT INTO names VALUES (?, ?, ?)", (self._id, number, name_key(name)))
            values = (self._id, number, name, digest(token))
            self._store.execute("INSERT INTO attendees VALUES (?, ?, ?, ?)", values)
        return Attendee(number, name, token)

    def _is_taken(self, key: str) -> bool:
        return bool(self._rows("SELECT 1 FROM names WHERE room = ? AND key = ? LIMIT 1", self._id, key))

    def attendee(self, token: str) -> Attendee | None:
        """Who has this token; None if it is nobody of this room."""
        query = "SELECT number, name FROM attendees JOIN rooms ON id = room WHERE token = ? AND room = ? AND used > ?"
        with self._transaction():
            rows = self._rows(query, digest(token), self._id, self.now() - KEPT_OPEN_SECONDS)
        if rows and self.now() - self._noted > NOTED_SECONDS:
            with suppress(WorkshopError), self._writing():  # who comes back keeps the room open
                pass
        return next((Attendee(number, name, token) for number, name in rows), None)

    def numbers(self) -> set[int]:
        """The numbers of all who are in the room."""
        with self._transaction():
            rows = self._rows("SELECT number FROM attendees WHERE room = ? AND token IS NOT NULL", self._id)
        return {number for (number,) in rows}

    def leave(self, number: int) -> None:
        """Forget everything about an attendee. The number is not given to anybody else."""
        with self._writing():
            for table in TOLD:
                self._store.execute(f"DELETE FROM {table} WHERE room = ? AND number = ?", (self._id, number))
            nobody = "UPDATE attendees SET name = NULL, token = NULL WHERE room = ? AND number = ?"
            self._store.execute(nobody, (self._id, number))

    def report(self, number: int, progress: Progress, told: int | None = None) -> None:
        """Notes how far an attendee is. `told` is when they told it, in nanoseconds: what comes late is not news."""
        here, told = (self._id, number), told or time.time_ns()
        with self._writing():
            self._store.execute(
                f"DELETE FROM progress WHERE room = ? AND number = ? AND exercise = ? AND {OLDER}",
                (*here, progress.exercise, told, told + LATEST_NANOSECONDS),
            )
            self._store.execute(
                f"INSERT OR IGNORE INTO progress (room, number, {PROGRESS}, told)"
                f" SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE {IS_HERE}",
                (*here, *astuple(progress), told, *here),
            )

    def ask(self, number: int, told: int | None = None, origin: str = "") -> bool:
        """Notes a call for help, unless too many wait for an answer; returns whether there was room.

        Of several that nobody has answered, the first counts; `told` as for a report. `origin` is the address that it
        comes from, of which a digest is kept: the one with most calls makes room for others.
        """
        here, told, origin = (self._id, number), told or time.time_ns(), digest(f"{self.key} {origin}")[:12]
        with self._writing():
            if not self._has_place(number, origin):
                return False
            self._store.execute(
                f"DELETE FROM calls WHERE room = ? AND number = ? AND done AND {OLDER}",
                (*here, told, told + LATEST_NANOSECONDS),
            )
            for insert, values in (
                ("IGNORE INTO calls (room, number, asked, told, done) SELECT ?, ?, ?, ?, 0", (self.now(), told)),
                ("REPLACE INTO origins SELECT ?, ?, ?", (origin,)),
            ):
                self._store.execute(f"INSERT OR {insert} WHERE {IS_HERE}", (*here, *values, *here))
        return True

    def _has_place(self, number: int, origin: str) -> bool:
        """Whether a call may wait: if need be in place of the newest from the address with most."""
        waiting = self._rows(
            "SELECT number, origin FROM calls LEFT JOIN origins USING (room, number)"
            " WHERE room = ? AND NOT done ORDER BY asked, told",
            self._id,
        )
        if len(waiting) < MOST_CALLS or number in dict(waiting):
            return True
        of_origin = Counter(each for _, each in waiting)
        ((crowd, most),) = of_origin.most_common(1)
        if of_origin[origin] >= most - 1:
            return False
        newest = next(each for each, its in reversed(waiting) if its == crowd)
        self._store.execute("DELETE FROM calls WHERE room = ? AND number = ?", (self._id, newest))
        return True

    def exceed(self, number: int) -> None:
        """Notes that an attendee has asked for far too much."""
        values = (self._id, number, self.now(), self._id, number)
        with self._writing():
            self._store.execute(f"INSERT OR REPLACE INTO excesses SELECT ?, ?, ? WHERE {IS_HERE}", values)

    # The presenter's side

    def done(self, number: int) -> None:
        """Notes that a call for help has been answered."""
        with self._writing():
            self._store.execute("UPDATE calls SET done = 1 WHERE room = ? AND number = ?", (self._id, number))

    def board(self) -> Board:
        """Who is where, and who asks for help."""
        with self._transaction():
            attendees = self._rows("SELECT number, name FROM attendees WHERE room = ? ORDER BY number", self._id)
            told = self._rows(
                f"SELECT number, {PROGRESS} FROM progress WHERE room = ? ORDER BY number, rowid", self._id
            )
            asked = self._rows("SELECT number, asked, done FROM calls WHERE room = ? ORDER BY asked", self._id)
            latest = "SELECT number FROM excesses WHERE room = ? AND at > ? ORDER BY at DESC, number"
            excesses = self._rows(latest, self._id, self.now() - EXCESS_SECONDS)
        names, callers, now = dict(attendees), {number for number, _, _ in asked}, self.now()
        progress = {number: tuple(map(_progress, rows)) for number, rows in groupby(told, itemgetter(0))}
        excessive = [number for (number,) in excesses if number in names]
        present = {
            number: Present(number, name, progress.get(number, ()))
            for number, name in attendees
            if name or number in progress or number in callers or number in excessive
        }
        return Board(
            tuple(present.values()),
            tuple(
                CallForHelp(number, names.get(number), max(int(now - at), 0) // 60)
                for number, at, done in asked
                if not done
            ),
            self.guessed,
            sum(not done for _, _, done in asked) >= MOST_CALLS,
            tuple(present[number] for number in excessive),
        )

    # The store

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._store.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction that may write. Writing is also what shows that the room is in use."""
        with self._transaction("BEGIN IMMEDIATE"):
            yield
            self._noted = self.now()
            used = "UPDATE rooms SET used = ? WHERE id = ? AND used > ?"  # what is over stays over
            self._store.execute(used, (self._noted, self._id, self._noted - KEPT_OPEN_SECONDS))

    @contextmanager
    def _transaction(self, begin: str = "BEGIN") -> Iterator[None]:
        """What is read in it is of one moment, and what is written is written whole or not at all."""
        with self._lock, failures_told(self._file):
            self._store.execute(begin)
            try:
                yield
                self._store.execute("COMMIT")
            except BaseException:
                if self._store.in_transaction:  # a full disk may have ended it
                    self._store.execute("ROLLBACK")
                raise


def room_file() -> Path:
    """Where the room is kept: in a folder of the presenter's."""
    return Path(os.environ.get(FOLDER) or user_data_path("triton-workshop") / "room") / "room.sqlite"


def room_in_use(file: Path, now: Callable[[], float] = time.time) -> Room | None:
    """The room of the last 12 hours; None if there is none. Nothing is created."""
    with suppress(NoRoomError):
        return Room(file, now, begin=False) if file.is_file() else None
    return None


def forget(file: Path, now: Callable[[], float] = time.time) -> None:
    """Delete what is known about everybody, today and before. The word of a room that is in use stays the same."""
    if not file.is_file():
        return
    with failures_told(file), closing(opened(file)) as store:
        # A server may still have the last room open.
        store.execute(
            "DELETE FROM rooms WHERE used <= ? AND id < (SELECT max(id) FROM rooms)", (now() - KEPT_OPEN_SECONDS,)
        )
        for table in ("attendees", *TOLD):
            store.execute(f"DELETE FROM {table}")
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def new_store(file: Path) -> sqlite3.Connection:
    """The store, with its file, if that is not there yet."""
    with suppress(FileExistsError):
        file.parent.mkdir(parents=True, mode=0o700)
    file.touch(mode=0o600)
    return opened(file)


def opened(file: Path) -> sqlite3.Connection:
    """The store, with all tables that it needs now. What is deleted from it is overwritten."""
    store = sqlite3.connect(file, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    _write_ahead(store)
    store.execute("PRAGMA synchronous = NORMAL")
    store.execute("PRAGMA secure_delete = ON")
    store.executescript(TABLES)
    _note_names(store)
    return store


def _note_names(store: sqlite3.Connection) -> None:
    """Note the keys of names that an older version has let in."""
    lacking = "FROM attendees WHERE name IS NOT NULL AND (room, number) NOT IN (SELECT room, number FROM names)"
    if store.execute(f"SELECT 1 {lacking} LIMIT 1").fetchone():
        store.create_function("name_key", 1, name_key)
        store.execute(f"INSERT OR IGNORE INTO names SELECT room, number, name_key(name) {lacking}")


def _write_ahead(store: sqlite3.Connection) -> None:
    """Let readers go on while one writes. Where several do this to a new file, SQLite does not wait for its turn."""
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            store.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextmanager
def failures_told(file: Path) -> Iterator[None]:
    """Say in one line why the store cannot be used."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise MisuseError(
            f"the room cannot be kept in {file}: {reason}; set {FOLDER} to a folder that can be written"
        ) from error


def new_word() -> str:
    return "".join(secrets.choice(LETTERS) for _ in range(WORD_LETTERS))


def is_same(given: str, right: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(given.encode(), right.encode())


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _progress(row: tuple[int, str, int, int, int, int]) -> Progress:
    _, exercise, filled, todos, right, hints = row
    return Progress(exercise, filled, todos, bool(right), hints)
