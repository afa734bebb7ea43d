"""A question stays in sight where its slide scrolls."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from triton_workshop.viewer.app import Viewer

from .test_viewer import drive

ANSWER = "\n".join(f"* line {number}" for number in range(40))
DECK = f"""\
Long
===

**Predict:** How many lines?

<!--
// predict
number: 40
-->

<!-- pause -->

{ANSWER}

<!-- end_slide -->

No question
===

{ANSWER}
"""


def test_a_question_stays_above_what_is_scrolled(tmp_path: Path) -> None:
    (tmp_path / "deck.md").write_text(DECK, encoding="utf-8")
    seen: list[tuple[bool, str]] = []

    async def steps(viewer: Viewer, pilot: Pilot[int]) -> None:
        for key in ("escape", "s", "n", "ctrl+d"):
            await pilot.press(key)
            await pilot.pause()
            rows = viewer.slide_screen.question_rows
            seen.append((rows.display, "".join(line.text for line in rows.lines).strip()))
            if rows.display:
                assert rows.region.y == len(viewer.body.page.title)

    drive(tmp_path / "deck.md", steps)
    question = "Predict: How many lines?"
    assert seen == [(False, question), (True, question), (False, ""), (False, "")]
