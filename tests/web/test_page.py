"""The page of a deck: what stands in it, and that nothing of a deck becomes anything but text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import EVERYTHING, live_code
from triton_workshop.deck.model import Code, walk
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.web.handout import handout
from triton_workshop.web.outputs import read_recordings, run_all, write_recordings

from .conftest import MakePage, words

HIDDEN = """Deck
===

```python +exec
/// import math
print(math.pi)
```
"""


def test_every_slide_has_its_number_its_title_and_an_entry_in_the_contents(page_of: MakePage) -> None:
    text = page_of("One\n===\n\nfirst\n\n<!-- end_slide -->\n\nTwo\n===\n\nsecond\n")
    assert re.findall(r'<section id="(.*?)"', text) == ["slide-1", "slide-2"]
    assert re.findall(r'<li><a href="(#slide-\d)">(\w+)</a>', text) == [("#slide-1", "One"), ("#slide-2", "Two")]
    assert "1 One first" in words(text)


def test_all_steps_of_a_slide_stand_in_the_page(page_of: MakePage) -> None:
    assert "now later" in words(page_of("Deck\n===\n\nnow\n\n<!-- pause -->\n\nlater\n"))


def test_hidden_lines_stand_in_their_place_and_are_marked(page_of: MakePage) -> None:
    text = page_of(HIDDEN)
    lines = re.findall(r'<span class="line( hidden)?">', text)
    assert lines == [" hidden", ""]
    assert "import math print(math.pi)" in words(text)


def test_what_code_prints_stands_below_it(page_of: MakePage) -> None:
    assert re.search(r"print\(math.pi\) ✓ [\d.]+ s 3\.14159", words(page_of(HIDDEN, run=True)))


def test_code_that_fails_says_so(page_of: MakePage) -> None:
    said = words(page_of("Deck\n===\n\n```python +exec\n1 / 0\n```\n", run=True))
    assert re.search(r"✗ exit 1 · [\d.]+ s", said)
    assert "ZeroDivisionError: division by zero" in said


@pytest.mark.parametrize("markup", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</span></pre>"])
def test_what_a_block_prints_stays_text(markup: str, page_of: MakePage) -> None:
    text = page_of(f"Deck\n===\n\n```python +exec\nprint({markup!r})\n```\n", run=True)
    assert markup not in text
    assert words(text).count(" ".join(markup.split())) == 2  # the code, and what it prints


def test_a_link_leads_to_addresses_only(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n[good](https://example.org/a?b=1&c=2) and [bad](javascript:alert(1))\n")
    assert re.findall(r'<a href="(?!#)(.*?)"', text) == ["https://example.org/a?b=1&amp;c=2"]
    assert "good and bad" in words(text)


def test_colours_of_a_program_are_the_pages_own_or_classes(page_of: MakePage) -> None:
    code = 'print("\\x1b[32mfine\\x1b[0m \\x1b[38;2;1;2;3mdark\\x1b[0m")'
    text = page_of(f"Deck\n===\n\n```python +exec\n{code}\n```\n", run=True)
    assert '<span class="t-good">fine</span>' in text
    assert '<span class="t-010203">dark</span>' in text
    assert ".t-010203{color:#010203}" in text
    assert "style=" not in text  # the page's policy allows no styles but its own


def test_lists_nest_and_go_on(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n* one\n  * two\n* three\n\nthen\n\n1. first\n2. second\n")
    body = text[text.index("<section") :]
    assert re.sub(r"<(?!/?(?:ul|ol|li))[^>]*>|\s", "", body[: body.index("</section>")]).endswith(
        '<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>then<olstart="1"><li>first</li><li>second</li></ol>'
    )


def test_tables_keep_their_alignment(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n")
    assert '<th scope="col">a</th><th scope="col" class="to-right">b</th>' in text
    assert '<td>1</td><td class="to-right">2</td>' in text


def test_a_picture_is_inside_the_page_with_an_alternative(page_of: MakePage, tmp_path: Path) -> None:
    Image.new("RGB", (3000, 20), "red").save(tmp_path / "red.png")
    text = page_of("Deck\n===\n\n![image:width:50%](red.png)\n")
    assert re.search(r'<img src="data:image/webp;base64,[\w+/=]+" alt="Picture: Deck" class="wide-50"', text)
    assert ".wide-50{width:50%}" in text


def test_a_script_that_the_deck_names_is_in_the_page(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\nOpen `exercises/one.py`.\n", scripts={"exercises/one.py": "print('<hello>')\n"})
    assert re.search(r'<a href="#exercises-one"><code>.*exercises/one.py', text)
    assert '<details id="exercises-one" class="script">' in text
    assert "print('<hello>')" in words(text)


def test_notes_are_there_on_demand(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n<!-- speaker_note: Ask who knows. -->\n")
    assert '<details class="notes"><summary>Notes</summary><p>Ask who knows.</p></details>' in text


def test_the_page_needs_nothing_from_elsewhere(page_of: MakePage) -> None:
    text = page_of(HIDDEN)
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", text)
    assert "default-src &#x27;none&#x27;" in text


def test_the_workshops_own_deck_is_all_there(root: Path) -> None:
    deck = load_deck(root / "slides" / "triton-workshop.md")
    text = handout(deck, {}).whole()
    said = words(text)
    assert text.count('<section id="slide-') == len(deck.slides)
    codes = [block.content for slide in deck.slides for block in walk(slide.blocks) if isinstance(block.content, Code)]
    assert [code.source for code in codes if " ".join(code.source.split()) not in said] == []
    assert "uv run exercises/exercise_2.py" in said
    assert "#solutions-fast-exercise_4" in text
    places = re.findall(r'href="#([\w-]+)"', text)
    assert len(places) > 2 * len(deck.slides)
    missing = {target for target in places if f'id="{target}"' not in text}
    assert missing == set()


def test_the_outputs_in_the_repository_are_those_of_the_decks_code(root: Path) -> None:
    deck = load_deck(root / "slides" / "triton-workshop.md")
    recordings = read_recordings(root / "benchmarks" / "results" / "deck-outputs.json", deck)
    lacking = [each.block.line for each in live_code(deck) if each.block not in recordings]
    assert lacking == []  # if not: uv run workshop handout --save-outputs benchmarks/results/deck-outputs.json


def test_outputs_read_from_a_file_are_those_that_were_saved(tmp_path: Path) -> None:
    shown = """from PIL import Image\nImage.new("RGB", (8, 4), "red").show()\nprint("\x1b[32mfine\x1b[0m")\n"""
    file = tmp_path / "deck.md"
    file.write_text(f"Deck\n===\n\n```python +exec\n{shown}```\n\n```bash +exec\nexit 3\n```\n", encoding="utf-8")
    deck = load_deck(file)
    recordings = run_all(deck, EVERYTHING, lambda *_: None)
    write_recordings(recordings, tmp_path / "outputs.json")
    first, second = read_recordings(tmp_path / "outputs.json", deck).values()
    assert (first, second) == tuple(replace(each, expected=True) for each in recordings.values())
    assert isinstance(first.output().lines[0], PictureLine)
    assert (second.failed, second.ending.split(" · ")[0]) == (True, "exit 3")


def test_a_block_that_is_included_twice_has_two_places(page_of: MakePage, tmp_path: Path) -> None:
    (tmp_path / "block.md").write_text("```python +exec\nprint(1)\n```\n", encoding="utf-8")
    text = page_of("Deck\n===\n\n<!-- include: block.md -->\n\nagain\n\n<!-- include: block.md -->\n")
    assert re.findall(r'id="((?:code|output)-\d)"', text) == ["code-0", "output-0", "code-1", "output-1"]
