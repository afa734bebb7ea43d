"""The page of a deck: what stands in it, and that nothing of a deck becomes anything but text."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import EVERYTHING, NOTHING, live_code
from triton_workshop.deck.model import Code, Deck, walk
from triton_workshop.page.bundle import Blob, PageBundle
from triton_workshop.page.handout import handout, linked_scripts, run_site
from triton_workshop.page.markup import Markup
from triton_workshop.page.outputs import Recordings, read_recordings, run_all, write_recordings
from triton_workshop.page.page import make_page, script_links
from triton_workshop.page.slides import Writer
from triton_workshop.repository import ROOT
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.screen.richtext import code_lines

from .conftest import MakePage, words

OUTPUTS = {"triton-workshop.md": "deck-outputs.json", "second-half.md": "second-half-outputs.json"}
"""What our decks print, by their names."""
COMMANDS = {"triton-workshop.md": "uv run exercises/exercise_2.py", "second-half.md": "uv run workshop bench 6"}
MARKUP = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "</i></samp>")
HIDDEN = """Deck
===

```python +exec
/// import math
print(math.pi)
```
"""


RUNS = (
    *(f"print({markup!r})" for markup in MARKUP),
    "1 / 0",
    'print("\\x1b[32mfine\\x1b[0m \\x1b[38;2;1;2;3mdark\\x1b[0m")',
    'from PIL import Image\nImage.new("RGB", (8, 4), "red").show()',
)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Deck, Recordings]:
    """A deck whose code has run."""
    file = tmp_path_factory.mktemp("deck") / "deck.md"
    blocks = "\n".join(f"```python +exec\n{code}\n```\n" for code in RUNS)
    file.write_text(f"{HIDDEN}\n{blocks}\n```bash +exec\nexit 3\n```\n", encoding="utf-8")
    deck = load_deck(file)
    return deck, run_all(deck, EVERYTHING, lambda *_: None)


@pytest.fixture(scope="module")
def printed(ran: tuple[Deck, Recordings]) -> str:
    """Its page."""
    return handout(*ran).standalone()


def test_every_slide_has_its_number_its_title_and_an_entry_in_the_contents(page_of: MakePage) -> None:
    text = page_of("One\n===\n\nfirst\n\n<!-- end_slide -->\n\nTwo\n===\n\nsecond\n")
    assert re.findall(r'<section id="(.*?)"', text) == ["slide-1", "slide-2"]
    entries = re.findall(r'<li value="(\d)"><a href="(#slide-\d)">(\w+)</a>', text)
    assert entries == [("1", "#slide-1", "One"), ("2", "#slide-2", "Two")]
    assert "1 One first" in words(text)


def test_what_comes_after_the_first_pause_is_folded(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\nnow\n\n<!-- pause -->\n\nlater\n\n<!-- pause -->\n\nlast\n")
    [fold] = re.findall(r'<details class="fold" data-step="1">(.*?)</details>', text, re.DOTALL)
    assert words(fold) == "What comes next later last"
    assert "1 Deck now What comes next" in words(text)


def test_columns_fold_what_is_theirs(page_of: MakePage) -> None:
    column = "<!-- column: 0 -->\n\nnow\n\n<!-- pause -->\n\nlater\n\n<!-- column: 1 -->\n\nlast\n"
    text = page_of(f"Deck\n===\n\n<!-- column_layout: [1, 1] -->\n\n{column}\n<!-- reset_layout -->\n\nend\n")
    folds = re.findall(r'<details class="fold" data-step="1">(.*?)</details>', text, re.DOTALL)
    assert [words(fold).removeprefix("What comes next ") for fold in folds] == ["later", "last", "end"]


def test_what_is_folded_is_not_folded_again(page_of: MakePage) -> None:
    column = "<!-- column_layout: [1] -->\n\n<!-- column: 0 -->\n\nlater\n"
    assert page_of(f"Deck\n===\n\n<!-- pause -->\n\n{column}").count('class="fold"') == 1


def test_lines_have_the_numbers_of_their_steps(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n```python {1,3|2-3|all}\na\nb\nc\nd\n```\n")
    assert re.findall(r'<i class="order"(?: data-order="(.*?)")?></i>', text) == ["1", "2", "1", ""]
    assert "python · read it in 2 steps" in words(text)
    assert 'class="order"' not in page_of("Deck\n===\n\n```python {1}\na\nb\n```\n"), "there is no order in one step"


def test_contents_are_folded_by_the_parts_of_the_talk(page_of: MakePage) -> None:
    slides = "Welcome · 0:00\n===\n<!-- end_slide -->\n\nWhy\n===\n<!-- end_slide -->\n\nHow · 0:10\n===\n"
    text = page_of(f"{slides}\n<!-- speaker_note: 5 min. -->\n")
    nav = text[text.index("<nav") : text.index("</nav>")]
    groups = [words(group) for group in re.findall(r"<details>.*?</details>", nav)]
    assert groups == ["Welcome Welcome Why", "How How"]
    assert "<title>Welcome</title>" in text
    assert ":" not in words(" ".join(re.findall(r"<h2.*?</h2>", text)))


def test_hidden_lines_stand_in_their_place_and_are_marked(page_of: MakePage) -> None:
    text = page_of(HIDDEN)
    lines = re.findall(r'<span class="line indent-\d+( hidden)?">', text)
    assert lines == [" hidden", ""]
    assert "import math print(math.pi)" in words(text)


def test_what_code_prints_stands_below_it(printed: str) -> None:
    assert re.search(r"print\(math.pi\) What it prints ✓ [\d.]+ s 3\.14159", words(printed))


def test_what_code_has_printed_in_a_room_is_not_folded(ran: tuple[Deck, Recordings]) -> None:
    deck, recordings = ran
    outputs = {block: recording.output() for block, recording in recordings.items()}
    assert 'class="fold"' not in make_page(Writer(deck, outputs, self_study=False), {}).standalone()


def test_an_output_behind_a_pause_is_folded_once(tmp_path: Path) -> None:
    (tmp_path / "deck.md").write_text("Deck\n===\n\n<!-- pause -->\n\n```bash +exec\necho 1\n```\n")
    deck = load_deck(tmp_path / "deck.md")
    page = handout(deck, run_all(deck, EVERYTHING, lambda *_: None)).standalone()
    assert page.count('class="fold"') == 1
    assert 'class="output"' in page


def test_code_that_fails_says_so(printed: str) -> None:
    assert re.search(r"✗ exit 1 · [\d.]+ s", words(printed))
    assert "ZeroDivisionError: division by zero" in words(printed)


@pytest.mark.parametrize("markup", MARKUP)
def test_what_a_block_prints_stays_text(markup: str, printed: str) -> None:
    assert markup not in printed
    assert words(printed).count(" ".join(markup.split())) == 2  # the code, and what it prints


def test_a_link_leads_to_addresses_only(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n[good](https://example.org/a?b=1&c=2) and [bad](javascript:alert(1))\n")
    assert re.findall(r'<a href="(?!#)(.*?)"', text) == ["https://example.org/a?b=1&amp;c=2"]
    assert "good and bad" in words(text)


def test_an_address_and_a_paper_are_links_wherever_a_text_names_them(page_of: MakePage) -> None:
    named = "See (github.com/srush/Triton-Puzzles), triton-lang.org: arXiv:2205.14135, not a.b or `leetgpu.com`"
    text = page_of(f"Deck\n===\n\n{named}.\n\n<!-- speaker_note: 'docs.pytorch.org, once.' -->\n")
    assert re.findall(r'<a href="(?!#)(.*?)"', text) == [
        "https://github.com/srush/Triton-Puzzles", "https://triton-lang.org",
        "https://arxiv.org/abs/2205.14135", "https://docs.pytorch.org",
    ]  # fmt: skip
    assert "See (github.com/srush/Triton-Puzzles), triton-lang.org: arXiv:2205.14135, not" in words(text)


@pytest.mark.parametrize(
    ("cloned_from", "address"),
    [
        ("https://github.com/someone/workshop.git", "https://github.com/someone/workshop"),
        ("https://someone:secret@github.com/someone/workshop", "https://github.com/someone/workshop"),
        ("git@github.com:someone/workshop.git", "https://github.com/someone/workshop"),
        ("ssh://git@git.example.org/group/workshop.git", "https://git.example.org/group/workshop"),
        ("/srv/workshop.git", None), ("http://localhost:3000/workshop", None), ("", None),
    ],
)  # fmt: skip
def test_texts_of_the_repository_are_linked_where_it_was_cloned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cloned_from: str, address: str | None
) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "config", "remote.origin.url", cloned_from], check=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "more.md").touch()
    note = "<!-- speaker_note: 'Source: docs/more.md.' -->"
    (tmp_path / "deck.md").write_text(f"Deck\n===\n\nSee `docs/more.md`.\n\n{note}\n", encoding="utf-8")
    monkeypatch.setattr("triton_workshop.page.handout.home", lambda: tmp_path)
    text = handout(load_deck(tmp_path / "deck.md"), {}).standalone()
    linked = [f"{address}/blob/HEAD/docs/more.md"] * 2 if address else []
    assert re.findall(r'<a href="(?!#)(.*?)"', text) == linked


def test_colours_of_a_program_are_the_pages_own_or_classes(printed: str) -> None:
    assert '<span class="t-good">fine</span>' in printed
    assert '<span class="t-010203">dark</span>' in printed
    assert ".t-010203{color:#010203}" in printed
    assert "style=" not in printed  # the page's policy allows no styles but its own


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


def test_a_script_that_is_no_utf_8_keeps_no_page_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slides").mkdir()
    (tmp_path / "slides" / "deck.md").write_text("# One\n", encoding="utf-8")
    (tmp_path / "exercises").mkdir()
    (tmp_path / "exercises" / "one.py").write_bytes(b"# caf\xe9\n")
    (tmp_path / "exercises" / "folder.py").mkdir()
    deck = load_deck(tmp_path / "slides" / "deck.md")
    assert linked_scripts(deck) == {}, "another repository's scripts are nobody's business"
    monkeypatch.setattr("triton_workshop.page.handout.home", lambda: tmp_path)
    assert linked_scripts(deck) == {"exercises/one.py": "# caf\ufffd\n"}


def test_a_slide_of_an_exercise_opens_it_where_the_page_has_an_editor(tmp_path: Path) -> None:
    file = tmp_path / "deck.md"
    again = "Break\n===\n\nNot finished? `uv run workshop watch 2` waits.\n"
    named = (
        "Exercise 1 · Add\n===\n\n`uv run workshop watch 1`\n",
        again,
        "No exercise 3\n===\n",
        "Exercise 99 · No\n===\n",
    )
    file.write_text("\n<!-- end_slide -->\n\n".join(named), encoding="utf-8")
    opener = re.compile(r'<p class="opener"><a href="(.*?)">(.*?)</a>')
    expected = [("#exercise-1", "Open exercise 1"), ("#exercise-2", "Open exercise 2")]
    for live in (False, True):
        page = handout(load_deck(file), {}, live=live).standalone()
        assert opener.findall(page) == (expected if live else [])


def test_notes_are_there_on_demand(page_of: MakePage) -> None:
    text = page_of("Deck\n===\n\n<!-- speaker_note: Ask who knows. -->\n")
    assert '<details class="notes"><summary>Notes</summary><p>Ask who knows.</p></details>' in text


def test_of_the_notes_the_page_has_what_is_said(page_of: MakePage) -> None:
    note = "<!--\nspeaker_note: |\n  2 min.\n  Do: Ask who knows.\n  Nobody does.\n-->"
    assert words(page_of(f"Deck\n===\n\n{note}\n")).endswith("1 Deck Notes Nobody does.")
    assert 'class="notes"' not in page_of("Deck\n===\n\n<!-- speaker_note: 'Do: Wait.' -->\n")


def test_the_page_needs_nothing_from_elsewhere(page_of: MakePage) -> None:
    text = page_of(HIDDEN)
    assert not re.search(r"""(?:src|href)=["'](?!data:|#)""", text)
    assert "default-src &#x27;none&#x27;" in text


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_workshops_own_decks_are_all_there(name: str) -> None:
    deck = load_deck(ROOT / "slides" / name)
    scripts = linked_scripts(deck)
    writer = Writer(deck, {}, script_links(scripts), address=lambda data: "picture.webp")  # encoding all takes seconds
    text = make_page(writer, scripts).standalone()
    said = words(text)
    assert text.count('<section id="slide-') == len(deck.slides)
    codes = [block.content for slide in deck.slides for block in walk(slide.blocks) if isinstance(block.content, Code)]
    assert [code.source for code in codes if " ".join(code.source.split()) not in said] == []
    assert COMMANDS[name] in said
    assert "#solutions-fast-exercise_4" in text
    places = re.findall(r'href="#([\w-]+)"', text)
    assert len(places) > 2 * len(deck.slides)
    missing = {target for target in places if f'id="{target}"' not in text}
    assert missing == set()


@pytest.mark.parametrize(("name", "outputs"), OUTPUTS.items())
def test_the_outputs_in_the_repository_are_those_of_the_decks_code(name: str, outputs: str) -> None:
    deck = load_deck(ROOT / "slides" / name)
    recordings = read_recordings(ROOT / "benchmarks" / "results" / outputs, deck)
    lacking = [each.block.line for each in live_code(deck) if each.block not in recordings]
    assert lacking == []  # if not: uv run workshop handout slides/NAME --save-outputs benchmarks/results/OUTPUTS


def test_outputs_read_from_a_file_are_those_that_were_saved(ran: tuple[Deck, Recordings], tmp_path: Path) -> None:
    deck, recordings = ran
    write_recordings(recordings, tmp_path / "outputs.json")
    read = read_recordings(tmp_path / "outputs.json", deck)
    assert read == {block: replace(recording, expected=True) for block, recording in recordings.items()}
    ended = [recording.ending.split(" · ")[0] for recording in read.values() if recording.failed]
    assert ended == ["exit 1", "exit 3"]
    assert any(isinstance(line, PictureLine) for each in read.values() for line in each.output().lines)


def test_a_block_that_is_included_twice_has_two_places(page_of: MakePage, tmp_path: Path) -> None:
    (tmp_path / "block.md").write_text("```python +exec\nprint(1)\n```\n", encoding="utf-8")
    text = page_of("Deck\n===\n\n<!-- include: block.md -->\n\nagain\n\n<!-- include: block.md -->\n")
    assert re.findall(r'id="((?:code|output)-\d)"', text) == ["code-0", "output-0", "code-1", "output-1"]


def test_a_site_has_its_parts_in_files_named_by_their_content(tmp_path: Path) -> None:
    deck, folder = tmp_path / "deck.md", tmp_path / "site"
    deck.write_text("One\n===\n", encoding="utf-8")
    for version in (b"older", b"newer"):
        inside = PageBundle((Blob("worker.js", version), Blob("page.zip", b"same")), "A licence <of others>")
        assert run_site(deck, folder, NOTHING, (), lambda: inside) == 0  # noqa: B023  # called before the next round
    text = (folder / "index.html").read_text(encoding="utf-8")
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.glob("parts/*")}
    assert sorted(files.values()) == [b"newer", b"same"]
    assert all(name in text for name in files)
    assert "A licence &lt;of others&gt;" in text
    assert "connect-src &#x27;self&#x27;" in text


def test_what_has_the_colour_of_plain_text_takes_no_bytes_in_code() -> None:
    [line] = code_lines("python", ("total = add(x)  # once",), DARK)
    markup = Markup()
    assert "t-text" in markup.render(line)
    written = markup.code(line)
    assert "t-text" not in written
    assert re.sub("<[^>]*>", "", written) == line.plain
    assert '<span class="i t-syntax-comment"># once</span>' in written
