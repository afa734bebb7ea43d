"""Two real browsers follow a presenter in a real terminal: they show its words after whatever the presenter does."""

from __future__ import annotations

import random
import re
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chromium import axe_findings
from tests.viewer.terminal import Cells, Terminal
from triton_workshop.attendance.register import find_register

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

COLUMNS, ROWS = 100, 50
WORDS = re.compile(r"\bq[a-z]+q\b")
"""The words that are compared, as those of the frame around a slide differ."""
DECK = """---
title: A deck for two browsers
---

One
===

qfirstq and <span style="color: #ff8800">qcolouredq</span>

<!-- pause -->

* qstepq
* qlistq

```python +exec
/// secret = "q" + "hidden" + "q"
print(secret, "\\x1b[38;2;1;2;3mqr" + "gbq\\x1b[0m <script>document.title = 'q' + 'evilq'</script>")
```

<!-- end_slide -->

Two
===

<!-- column_layout: [1, 1] -->
<!-- column: 0 -->

| qheadq | b |
| ------ | - |
| qcellq | 2 |

<!-- column: 1 -->

```python {1|2} +line_numbers
a = "qlineq"
b = 2
```

<!-- reset_layout -->

```python +exec_replace
print("q" + "replacedq")
```

<!-- end_slide -->

Three
===

> [!note]
> qalertq

```python +exec
for name in ("a", "b", "c"):
    print(f"\\rq{name}q", end="")
```
"""
MOVES = ("n", "p", "j", "k", "\x05")
"""Slides and steps on and back, and Ctrl+E."""


@dataclass
class Talk:
    """A presenter with a deck of their own, and the link that is on the wall."""

    terminal: Terminal
    screen: Cells
    deck: Path
    link: str

    def press(self, keys: str) -> None:
        self.shown()  # or what was written before would be lost
        self.terminal.press(keys)

    def shown(self) -> set[str]:
        """The words on the presenter's screen, once nothing has changed there for a moment."""
        while self.terminal.take_in(0.25):
            pass
        self.screen.feed(self.terminal.written)
        self.terminal.written = b""
        return set(WORDS.findall(self.rows()))

    def rows(self) -> str:
        return "\n".join(self.screen.rows())


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    deck, room = tmp_path / "deck.md", tmp_path / "room"
    deck.write_text(DECK, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    workshop = "from triton_workshop.cli import main; main()"
    command = [sys.executable, "-c", workshop, "present", "-x", "-X", str(deck), "--share", "--port", str(port)]
    with Terminal(command, tmp_path, COLUMNS, ROWS, TRITON_WORKSHOP_ROOM=str(room)) as terminal:
        terminal.wait_for("A deck for two", 60)
        found = find_register(room / "room.sqlite")
        assert found is not None
        talk = Talk(terminal, Cells(COLUMNS, ROWS), deck, f"http://127.0.0.1:{port}/?word={found.word}")
        talk.press("n")
        yield talk


@pytest.fixture
def readers(browser: Browser, talk: Talk) -> Iterator[list[Page]]:
    """A laptop and a phone in the room, whose consoles stay empty."""
    said: list[str] = []
    pages = []
    for width, height in ((1280, 800), (390, 844)):
        page = browser.new_context(viewport={"width": width, "height": height}).new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(talk.link)
        pages.append(page)
    yield pages
    for page in pages:
        page.context.close()
    assert [each for each in said if "ERR_CONNECTION_REFUSED" not in each] == []  # once the presenter has gone


def words_of(page: Page) -> set[str]:
    """The words that a reader sees of the presenter's slide."""
    return set(WORDS.findall(str(page.evaluate("document.querySelector('.slide.current')?.innerText ?? ''"))))


def soon(holds: Callable[[], bool], seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_browsers_show_the_words_of_the_terminal_whatever_the_presenter_does(talk: Talk, readers: list[Page]) -> None:
    chance = random.Random(21)
    for turn in range(30):
        act(talk, chance, turn)
        for page in readers:
            same = soon(lambda page=page: words_of(page) == talk.shown())  # type: ignore[misc]
            assert same, (turn, sorted(words_of(page)), sorted(talk.shown()), talk.rows())
    assert all(page.title() == "A deck for two browsers" for page in readers), "what a block prints is never run"


def act(talk: Talk, chance: random.Random, turn: int) -> None:
    """Does something that a presenter does."""
    match chance.randrange(10):
        case 0:
            text = talk.deck.read_text(encoding="utf-8")
            word = "q" + "".join(chance.choices("abcdefgh", k=6)) + "q"
            talk.deck.write_text(text.replace("qfirstq", f"qfirstq {word}"), encoding="utf-8")
        case 1 | 2 if "print(" in talk.rows():
            talk.press("\x0f")  # Ctrl+O opens the editor
            talk.press(f'print("qed" + "itq", {turn})\r\x05')
            talk.press("\x1b")
        case _:
            talk.press(chance.choice(MOVES))


def test_a_reader_goes_back_alone_and_returns_with_one_key(talk: Talk, readers: list[Page]) -> None:
    laptop, phone = readers
    assert soon(lambda: "qfirstq" in words_of(laptop))
    laptop.keyboard.press("n")
    assert not laptop.get_by_text("qstepq").is_visible(), "what the presenter has not shown yet is folded"
    talk.press("3G")
    assert soon(lambda: "qheadq" in words_of(phone))
    assert soon(laptop.get_by_text("qstepq").is_visible), "and what has been shown is not"
    assert laptop.locator("#slide-4").is_visible(), "who reads on alone sees all slides"
    laptop.keyboard.press("f")
    assert soon(lambda: not laptop.locator("#slide-4").is_visible())
    assert laptop.locator("#slide-3").is_visible()


def test_axe_finds_nothing_to_object_to_in_a_live_page(talk: Talk, readers: list[Page]) -> None:
    talk.press("\x05")
    for page in readers:
        assert soon(lambda page=page: "qhiddenq" in words_of(page) or "qfirstq" in words_of(page))  # type: ignore[misc]
        assert axe_findings(page, "{ exclude: [['.t-ff8800']] }", "{}") == []


def test_the_page_says_that_the_presenter_has_gone(talk: Talk, readers: list[Page]) -> None:
    talk.press("q")
    for page in readers:
        assert soon(lambda page=page: "closed the slides" in page.locator(".status").inner_text())  # type: ignore[misc]
