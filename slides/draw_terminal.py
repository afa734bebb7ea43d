"""Draw the README's picture of the terminal: the deck's planted bug, run live in the viewer.

    uv run slides/draw_terminal.py

Needs Chromium on the PATH, to turn Textual's SVG into a PNG.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import plain
from triton_workshop.viewer.app import Viewer

SLIDES = Path(__file__).parent
OUTPUT = SLIDES / "images" / "terminal.png"
TITLE = "Something is wrong here"
SIZE = (92, 21)  # columns, rows
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


async def screen_with_output() -> str:
    """The slide after its block has run twice, as an SVG: the first run starts the process that the second forks."""
    deck = load_deck(SLIDES / "triton-workshop.md")
    number = next(n for n, slide in enumerate(deck.slides, 1) if plain(slide.title or ()) == TITLE)
    viewer = Viewer(deck, number)
    async with viewer.run_test(size=SIZE) as pilot:
        for _ in range(2):
            await pilot.press("ctrl+e")
            await pilot.pause()
            while viewer.presentation.live.busy:
                await pilot.pause(0.1)
        await pilot.pause(0.3)
        return viewer.export_screenshot()


def draw(svg: str, browser: str) -> None:
    width, height = (round(float(number)) for number in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(f'<body style="margin:0">{svg}</body>', encoding="utf-8")
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={folder}/profile",
                f"--window-size={width},{height}",
                f"--screenshot={OUTPUT}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


def main() -> None:
    browser = next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"draw_terminal.py needs a browser for screenshots; install one of {', '.join(CHROMIUM)} on the PATH")
    draw(asyncio.run(screen_with_output()), browser)
    print(f"wrote {OUTPUT}")


if __name__ == "__main__":
    main()
