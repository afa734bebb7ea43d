"""What a rehearsal adds up: stated minutes, or what the words, the live blocks and the exercise need."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.rehearsal import complaints, rehearse, spoken_words
from triton_workshop.deck import load_deck

DECK = """\
Talk · 0:00
===

```bash +exec
echo 1
```

<!-- speaker_note: "1 min. {first}" -->

<!-- end_slide -->

Exercise
===

<!-- speaker_note: "{exercise}" -->

<!-- end_slide -->

Its launcher
===

<!-- speaker_note: "0 min. {second}" -->

<!-- end_slide -->

Appendix · 0:10
===

<!-- speaker_note: Nobody counts these words. -->
"""


@pytest.mark.parametrize(
    ("first", "exercise", "second", "used", "wrong"),
    [
        pytest.param("Ask.", "8 min, 7 hands-on.", "", 9, [], id="as stated"),
        pytest.param("word " * 65, "9 min, 8 hands-on.", "", 10, [], id="130 words per minute"),
        pytest.param("word " * 130, "8 min, 7 hands-on.", "", 9.5, ["slide 1, Talk · 0:00: needs 1.50 of 1 minutes"],
                     id="words and a block"),
        pytest.param("", "8 min, 8 hands-on.", "word " * 26, 9.2, ["slide 2, Exercise: needs 8.20 of 8 minutes"],
                     id="an exercise has its words and those of its second slide"),
        pytest.param("", "12 min, 8 hands-on.", "", 13, ["Talk takes 13.0 of 10 minutes"],
                     id="a part that is too long"),
    ],
)  # fmt: skip
def test_a_part_takes_what_its_slides_state_or_need(
    tmp_path: Path, first: str, exercise: str, second: str, used: float, wrong: list[str]
) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(DECK.format(first=first, exercise=exercise, second=second))
    [part] = rehearse(load_deck(deck))
    assert (part.planned, part.used, len(part.slides)) == (10, used, 3)
    assert list(complaints([part])) == wrong


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("2 min.", 0), ("15 min, 13 hands-on. Walk around.", 2), ("2 min.\nAsk them\nwhat comes.", 4),
        ("2 min. Run it.\nSource: a data sheet.\nSources: two of them.", 2), ("Ask. Then 2 min.", 4), ("", 0),
    ],
)  # fmt: skip
def test_neither_minutes_nor_sources_are_read_aloud(note: str, words: int) -> None:
    assert spoken_words([note]) == words
