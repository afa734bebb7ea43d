"""Asks, before the slides start, whether a deck's code may run: lists it, and takes no answer as a no."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from triton_workshop.deck.consent import NOTHING, REPLACING, Consent, LiveCode, is_trusted, live_code
from triton_workshop.deck.model import Deck, Execution, origin

OCCASIONS = {
    Execution.ON_KEY: "on Ctrl+E",
    Execution.AUTOMATIC: "automatically, when its slide shows",
    Execution.REPLACE: "automatically; its output replaces it",
    Execution.IMAGE: "automatically; the picture that it prints replaces it",
}
PREVIEW_LINES = 3
"""Lines of each block to show at first."""
QUESTION = "Let this code run? [bold]y[/] yes · [bold]v[/] view all of it · [bold]Enter[/] no: "


def consent_to(deck: Deck, given: Consent, console: Console) -> Consent:
    """What the user lets run of code from elsewhere; `in_force` says what may run.

    Asks if the command line said nothing and the deck has such code; one of our own decks may get some by a save.
    """
    found = tuple(live_code(deck))
    return given if given != NOTHING or not found or is_trusted(deck) else ask(deck, found, console)


def ask(deck: Deck, found: Sequence[LiveCode], console: Console) -> Consent:
    """The user's answer; no if it is neither yes nor no, or if nobody can answer."""
    console.print(introduction(deck, len(found)))
    show(deck, found, console, whole=False)
    forget_what_was_typed()
    while True:
        console.print()
        try:
            answer = console.input(QUESTION).strip().lower()
        except EOFError:
            console.print()
            return NOTHING
        if answer not in ("v", "view"):
            break
        show(deck, found, console, whole=True)
    if answer not in ("y", "yes"):
        return NOTHING
    return Consent(run=True, replace=any(live.code.execution in REPLACING for live in found))


def forget_what_was_typed() -> None:
    """Discard keys pressed before the question, which do not answer it."""
    if sys.platform != "win32" and sys.stdin.isatty():
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def introduction(deck: Deck, count: int) -> Text:
    blocks = "one code block" if count == 1 else f"{count} code blocks"
    return Text.assemble(
        (visible(deck.path.name), "bold"),
        f" is not part of the workshop's repository, or takes code from outside it. It has {blocks} that can do"
        " anything on this machine that you can.",
    )


def show(deck: Deck, found: Sequence[LiveCode], console: Console, *, whole: bool) -> None:
    """Print where each block is, when it runs, and its first lines or all of them, also those that the slide hides."""
    for live in found:
        file, first = origin(live.code, live.block, deck.path)
        heading = Text.assemble(
            (f"\nslide {live.slide}", "bold cyan"),
            (f" · {visible(file.name)}:{first} · ", "dim"),
            (visible(live.code.language), "bold"),
            (f" · {OCCASIONS[live.code.execution]}", "yellow"),
        )
        console.print(heading)
        lines = live.code.source.rstrip("\n").split("\n")
        shown = lines if whole or len(lines) == PREVIEW_LINES + 1 else lines[:PREVIEW_LINES]
        for number, text in enumerate(shown, first):
            row = Text.assemble((f"{number:>6}  ", "dim"), visible(text))
            console.print(row, no_wrap=not whole, overflow=None if whole else "ellipsis")
        if len(shown) < len(lines):
            console.print(Text(f"        … {len(lines) - len(shown)} more lines", "dim"))


def visible(text: str) -> str:
    """The text, with characters that would not show, or would change how others show, as escapes."""
    text = text.expandtabs(4)
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
