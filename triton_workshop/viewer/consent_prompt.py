"""Prompt for consent to run a deck's code, before the slides start.

It lists the code, and takes no answer as a no.
"""

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


def consent_to(deck: Deck, consent: Consent, console: Console) -> Consent:
    """Return the user's consent to run code from elsewhere.

    The user is asked if the command line gave none and the deck has such code. One of our own decks may get some by a
    save, so `in_force` decides later which code may run.
    """
    blocks = tuple(live_code(deck))
    if consent != NOTHING or not blocks:
        return consent
    if is_trusted(deck):
        return consent
    return ask(deck, blocks, console)


def ask(deck: Deck, blocks: Sequence[LiveCode], console: Console) -> Consent:
    """Ask the user; an unclear answer, or none, means no."""
    console.print(introduction(deck, len(blocks)))
    show(deck, blocks, console, complete=False)
    discard_typed_keys()
    while True:
        console.print()
        try:
            answer = console.input(QUESTION).strip().lower()
        except EOFError:
            console.print()
            return NOTHING
        if answer not in ("v", "view"):
            break
        show(deck, blocks, console, complete=True)
    if answer not in ("y", "yes"):
        return NOTHING
    # Code that its output replaces is part of the consent only if there was some in the list.
    return Consent(run=True, replace=any(live.code.execution in REPLACING for live in blocks))


def discard_typed_keys() -> None:
    """Discard keys pressed before the question, which do not answer it."""
    if sys.platform != "win32" and sys.stdin.isatty():
        import termios

        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def introduction(deck: Deck, count: int) -> Text:
    """Explain the question for a deck with so many blocks."""
    blocks = "one code block" if count == 1 else f"{count} code blocks"
    return Text.assemble(
        (visible(deck.path.name), "bold"),
        f" is not part of the workshop's repository, or takes code from outside it. It has {blocks} that can do"
        " anything on this machine that you can.",
    )


def show(deck: Deck, blocks: Sequence[LiveCode], console: Console, *, complete: bool) -> None:
    """Print each block's location, occasion and lines.

    Lines that the slide hides are printed too.
    """
    for live in blocks:
        file, first = origin(live.code, live.block, deck.path)
        heading = Text.assemble(
            (f"\nslide {live.slide}", "bold cyan"),
            (f" · {visible(file.name)}:{first} · ", "dim"),
            (visible(live.code.language), "bold"),
            (f" · {OCCASIONS[live.code.execution]}", "yellow"),
        )
        console.print(heading)
        lines = live.code.source.rstrip("\n").split("\n")
        # A note on one more line would take as much space as that line.
        has_note = not complete and len(lines) > PREVIEW_LINES + 1
        visible_lines = lines[:PREVIEW_LINES] if has_note else lines
        for number, text in enumerate(visible_lines, first):
            row = Text.assemble((f"{number:>6}  ", "dim"), visible(text))
            console.print(row, no_wrap=not complete, overflow=None if complete else "ellipsis")
        if has_note:
            console.print(Text(f"        … {len(lines) - len(visible_lines)} more lines", "dim"))


def visible(text: str) -> str:
    """Return the text with escapes for characters that are not printable.

    Such a character could also change how others look.
    """
    text = text.expandtabs(4)
    hidden = {character for character in text if not character.isprintable()}
    escapes = {ord(character): character.encode("unicode_escape").decode() for character in hidden}
    return text.translate(escapes)
