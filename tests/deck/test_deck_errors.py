"""What presenterm refuses, we refuse: at this line, saying this. Each case was run through presenterm 0.16.1."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import DeckError, load_deck

from .conftest import ReadDeck


def fence(info: str, body: str = "x") -> str:
    return f"```{info}\n{body}\n```\n"


def front(yaml: str) -> str:
    return f"---\n{yaml}\n---\n\ntext\n"


COLUMNS = "<!-- column_layout: [1, 1] -->\n"

# rule: the deck, the line, a part of the reason.
REFUSED: dict[str, tuple[str, int, str]] = {
    # Commands
    "an unknown command": ("text\n\n<!-- pauze -->\n", 3, "unknown command 'pauze'; did you mean 'pause'?"),
    "nothing like it": ("<!-- TODO: this -->\n", 1, "valid: pause, end_slide"),
    "capitals": ("<!-- PAUSE -->\n", 1, "did you mean 'pause'?"),
    "an empty comment": ("<!-- -->\n", 1, "empty comment"),
    "a value for pause": ("<!-- pause: 3 -->\n", 1, "'pause' takes no value"),
    "null for pause": ("<!-- pause: -->\n", 1, "'pause' takes no value"),
    "no value for a note": ("<!-- speaker_note -->\n", 1, "'speaker_note' needs a value"),
    "two commands": ("<!-- {column: 0, pause: 1} -->\n", 1, "one command"),
    "two comments on a line": ("<!-- pause --> <!-- pause -->\n", 1, "line of its own"),
    "text after a comment": ("<!-- pause --> text\n", 1, "must stand alone"),
    "text before a comment": ("one\ntwo <!-- pause -->\n", 2, "must stand alone"),
    "text after a long comment": ("<!--\nspeaker_note: hi\n--> text\n", 3, "must stand alone"),
    "an open comment": ("text\n\n<!-- pause\n", 3, "not closed"),
    "an indented comment": ("    <!-- pause -->\n", 1, "indented code"),
    "words for a number": ("<!-- new_lines: two -->\n", 1, "expected a whole number"),
    "a quoted number": ('<!-- new_lines: "2" -->\n', 1, "expected a whole number"),
    "a fraction": ("<!-- new_lines: 2.0 -->\n", 1, "expected a whole number"),
    "yes for a switch": ("<!-- incremental_lists: yes -->\n", 1, "expected true or false"),
    "font size 0": ("<!-- font_size: 0 -->\n", 1, "from 1 to 7"),
    "font size 8": ("<!-- font_size: 8 -->\n", 1, "from 1 to 7"),
    "list_item_newlines 256": ("<!-- list_item_newlines: 256 -->\n", 1, "from 1 to 255"),
    "an unknown alignment": ("<!-- alignment: centre -->\n", 1, "did you mean 'center'?"),
    "a colon in a comment": ("<!-- comment: a: b -->\n", 1, "not valid YAML"),
    "a colon in a note": ("<!--\nspeaker_note: a: b\n-->\n", 2, "not valid YAML"),
    "a list for a note": ("<!-- speaker_note: [a] -->\n", 1, "expected text, got a list"),
    "a prefixed command": ("---\noptions:\n  command_prefix: 'cmd:'\n---\n\n<!-- cmd:pauze -->\n", 6, "'pauze'"),
    # Columns
    "no columns": ("<!-- column_layout: [] -->\n", 1, "at least one column"),
    "a column of no width": ("<!-- column_layout: [1, 0] -->\n", 1, "from 1 to 255"),
    "a number for a layout": ("<!-- column_layout: 2 -->\n", 1, "expected a list"),
    "a column without a layout": ("<!-- column: 0 -->\n", 1, "needs a 'column_layout'"),
    "a column too many": (COLUMNS + "<!-- column: 2 -->\n", 2, "the layout has 2"),
    "the same column": (COLUMNS + "<!-- column: 0 -->\na\n<!-- column: 0 -->\n", 4, "already in column 0"),
    "text in no column": (COLUMNS + "<!-- pause -->\n\ntext\n", 4, "put 'column: 0' after line 1"),
    "an empty line in no column": (COLUMNS + "<!-- new_line -->\n", 2, "in no column"),
    "a column after the layout": (
        COLUMNS + "<!-- column: 0 -->\n<!-- reset_layout -->\n<!-- column: 1 -->\n",
        4,
        "needs a 'column_layout'",
    ),
    # Includes
    "an unknown include": ("\n<!-- include: none.md -->\n", 2, "included file not found: none.md"),
    "an include that includes itself": ("<!-- include: deck.md -->\n", 1, "includes itself"),
    # Snippet output
    "an unknown snippet": ("<!-- snippet_output: x -->\n", 1, "no code block above has +id:x"),
    "an id given twice": (fence("bash +exec +id:x") * 2, 4, "given to another code block"),
    "an id on a block that does not run": (fence("bash +id:x"), 1, "+id can only be used with +exec"),
    "an id on a replaced block": (fence("bash +exec_replace +id:x"), 1, "+id can only be used with +exec"),
    # Code blocks
    "an unknown attribute": ("text\n\n" + fence("python +exce"), 3, "did you mean '+exec'?"),
    "an attribute without its plus": (fence("python exec"), 1, "did you mean '+exec'?"),
    "an attribute of a later presenterm": (fence("python +env:A=1"), 1, "unknown attribute '+env'"),
    "a doubled attribute": (fence("python +exec +exec:uv"), 1, "+exec is given twice"),
    "doubled highlights": (fence("python {1} {2}"), 1, "given twice"),
    "open highlights": (fence("python {1"), 1, "not closed"),
    "highlighted words": (fence("python {one}"), 1, "got 'one'"),
    "an empty highlight group": (fence("python {1||2}"), 1, "highlighted lines"),
    "a highlight out of bounds": (fence("python {1-65535}"), 1, "highlighted lines"),
    "a language that cannot be run": (fence("py +exec"), 1, "'py' cannot be run; did you mean 'python'?"),
    "an unknown alternative": (fence("python +exec:uw"), 1, "valid: uv"),
    "a language that cannot be validated": (fence("prose +validate"), 1, "'prose' cannot be run"),
    "an unknown expectation": (fence("python +expect:x"), 1, "expected success or failure"),
    "two representations": (fence("python +exec_replace +image"), 1, "only one of"),
    "a picture that runs": (fence("mermaid +render +exec"), 1, "+render cannot be used"),
    "a language that cannot be drawn": (fence("python +render"), 1, "valid: mermaid"),
    "a width without render": (fence("python +width:50%"), 1, "only be used with +render"),
    "a width over 100%": (fence("mermaid +render +width:101%"), 1, "from 1% to 100%"),
    "a pty without rows": (fence("python +pty:80"), 1, "[standby:]COLUMNS:ROWS"),
    "an id without a name": (fence("python +exec +id"), 1, "+id:NAME"),
    "a value where there is none": (fence("python +image:x"), 1, "takes no value"),
    "an unknown file": (fence("file", "path: none.py\nlanguage: python"), 2, "not found: none.py"),
    "a file without its language": (fence("file", "path: code.py"), 2, "needs 'language"),
    "words for a file's line": (fence("file", "path: code.py\nlanguage: python\nstart_line: x"), 4, "whole number"),
    "a file that cannot be run": (fence("file +exec", "path: code.py\nlanguage: py"), 1, "did you mean 'python'?"),
    "indented code": ("text\n\n    code\n", 3, "indented code"),
    # Markdown
    "HTML in text": ("one\ntwo <b>three</b>\n", 2, "not <b>"),
    "HTML over two lines": ("one\ntwo <b\nclass='x'> three\n", 2, "not <b class='x'>"),
    "an HTML block": ("<div>text</div>\n", 1, "HTML is not supported"),
    "HTML in a table": ("| a |\n|---|\n| <b>x</b> |\n", 3, "not <b>"),
    "an attribute of a span": ('a <span id="x">b</span>\n', 1, "valid: style, class"),
    "a style of a span": ('a <span style="font: x">b</span>\n', 1, "valid: color, background-color"),
    "an unknown colour": ('a <span style="color: rde">b</span>\n', 1, "did you mean 'red'?"),
    "a colour without its hash": ('a <span style="color: ff0000">b</span>\n', 1, "#rrggbb"),
    "a colour that the palette lacks": ('a <span style="color: p:lila">b</span>\n', 1, "no colour 'lila'"),
    "a class that the palette lacks": ('a <span class="loud">b</span>\n', 1, "no class 'loud'"),
    "a tag that closes nothing": ("a\nb </span>\n", 2, "closes nothing"),
    "crossed tags": ("a <span><sup>b</span></sup>\n", 1, "</span> closes <sup>"),
    "a tag closed outside its emphasis": ("**<sup>a** b</sup>\n", 1, "closes nothing"),
    "code in a list": ("* a\n\n  ```\n  x\n  ```\n", 3, "a code block cannot stand in a list item"),
    "a quote in a list": ("* a\n\n  > b\n", 3, "a quote cannot stand in a list item"),
    "a picture in a list": ("* a\n* ![](picture.png)\n", 2, "an image cannot stand in a list item"),
    "a command in a list": ("* a\n\n  <!-- pause -->\n", 3, "cannot stand in a list item"),
    "a line break in a list": ("* a\\\n  b\n", 1, "cannot stand in a list item"),
    "a heading in a quote": ("> a\n>\n> # b\n", 3, "a heading cannot stand in a quote"),
    "code in an alert": ("> [!note]\n> ```\n> x\n> ```\n", 2, "a code block cannot stand in a quote"),
    "a quote in a quote": ("> > a\n", 1, "a quote cannot stand in a quote"),
    "a heading in a fenced quote": (">>>\na\n\n# b\n>>>\n", 4, "a heading cannot stand in a quote"),
    "a heading in a footnote": ("[^1]: # a\n", 1, "a heading cannot stand in a footnote"),
    # Images
    "an unknown image": ("one\n\n![](none.png)\n", 3, "image not found: none.png"),
    "an unknown image in a paragraph": ("one\ntwo\n![](none.png)\n", 3, "image not found: none.png"),
    "an image that is none": ("![](words.png)\n", 1, "not an image"),
    "an image of the web": ("![](https://example.org/a.png)\n", 1, "must be a file"),
    "an image of the web in a quote": ("> ![](http://example.org/a.png)\n", 1, "must be a file"),
    "an image in a heading": ("# ![](picture.png)\n", 1, "cannot stand in a heading"),
    "an image in a table": ("| a |\n|---|\n| ![](picture.png) |\n", 3, "cannot stand in a table"),
    "an unknown image attribute": ("![image:height:50%](picture.png)\n", 1, "unknown image attribute 'height'"),
    "an image of no width": ("![image:w:0%](picture.png)\n", 1, "from 1% to 100%"),
    "a width without its unit": ("![image:width:50](picture.png)\n", 1, "from 1% to 100%"),
    # Front matter
    "an unknown key": (front("titel: a"), 2, "did you mean 'title'?"),
    "a key given twice": (front("title: a\ntitle: b"), 3, "'title' is given twice"),
    "a list for a title": (front("title: [a]"), 2, "expected text"),
    "a heading for a title": (front("title: '# a'"), 2, "plain text"),
    "author and authors": (front("author: a\nauthors: [b]"), 3, "only one of"),
    "one name for authors": (front("authors: a"), 2, "expected a list"),
    "an unknown option": (front("options:\n  incremental_list: true"), 3, "did you mean 'incremental_lists'?"),
    "maybe for an option": (front("options:\n  implicit_slide_ends: maybe"), 3, "expected true or false"),
    "an unknown theme": (front("theme:\n  name: drak"), 3, "did you mean 'dark'?"),
    "a theme that is not there": (front("theme:\n  path: none.yaml"), 3, "theme not found: none.yaml"),
    "a palette of numbers": (front("theme:\n  override:\n    palette:\n      colors: 5"), 5, "expected 'key: value'"),
    "a theme's name and path": (front("theme:\n  name: dark\n  path: theme.yaml"), 4, "only one of"),
    "an unknown override": (front("theme:\n  override:\n    fotter: x"), 4, "did you mean 'footer'?"),
    "an override that extends": (front("theme:\n  override:\n    extends: dark"), 4, "cannot use 'extends'"),
    "front matter that is no YAML": (front("title: a: b"), 2, "not valid YAML"),
    "a line below the front matter": (front("title: a").replace("text", "<!-- x -->"), 5, "unknown command 'x'"),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_deck_is_refused(read: ReadDeck, rule: str) -> None:
    text, line, reason = REFUSED[rule]
    with pytest.raises(DeckError) as caught:
        read(text)
    assert (caught.value.line, caught.value.path.name) == (line, "deck.md"), str(caught.value)
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [("wrong.md", 3, "did you mean 'pause'?"), ("with_front_matter.md", 1, "cannot have a front matter")],
)
def test_error_in_an_included_file_names_that_file(read: ReadDeck, name: str, line: int, reason: str) -> None:
    with pytest.raises(DeckError) as caught:
        read(f"text\n\n<!-- include: {name} -->\n")
    assert (caught.value.path.name, caught.value.line) == (name, line)
    assert reason in caught.value.reason


def test_error_is_one_line_of_file_line_and_reason(read: ReadDeck) -> None:
    with pytest.raises(DeckError) as caught:
        read("text\n\n![](none.png)\n")
    assert str(caught.value) == f"{caught.value.path}:3: image not found: none.png"


def test_unknown_deck_is_one_line_without_a_line_number(folder: Path) -> None:
    with pytest.raises(DeckError) as caught:
        load_deck(folder / "none.md")
    assert str(caught.value) == f"{folder / 'none.md'}: no such deck"


def test_folder_is_no_deck(folder: Path) -> None:
    with pytest.raises(DeckError, match="a folder, not a deck"):
        load_deck(folder)


def test_text_that_is_not_utf8_is_named_with_its_line(folder: Path) -> None:
    path = folder / "latin.md"
    path.write_bytes(b"one\ntwo \xe9\n")
    with pytest.raises(DeckError) as caught:
        load_deck(path)
    assert (caught.value.line, caught.value.reason) == (2, "not UTF-8 text")


# What presenterm takes in silence, and we warn about: the deck, the line, a part of the reason.
WARNED: dict[str, tuple[str, int, str]] = {
    "a typo in a long note": ("a\n\n<!--\nspeaker_nte: |\n  lost\n-->\n", 3, "did you mean 'speaker_note'?"),
    "a colon in a long note": ("<!--\nspeaker_note: lost: this\nand this\n-->\n", 1, "not valid YAML"),
    "attributes stuck to the language": (fence("python{1}"), 1, "put a space"),
    "a highlight of no line": (fence("python {1|9}"), 1, "line 9 is highlighted, but the lines shown are 1 to 1"),
    "a highlight of line 0": (fence("python {0-1}"), 1, "line 0 is highlighted"),
    "an end of the last slide": ("a\n\n<!-- end_slide -->\n", 3, "leaves an empty slide"),
    "a command that 0.16.1 lacks": ("<!-- incremental_tables: true -->\n", 1, "0.16.1 refuses"),
    "an option that 0.16.1 lacks": (front("options:\n  incremental_tables: true"), 1, "0.16.1 refuses"),
    "a layout without a column": (COLUMNS + "<!-- reset_layout -->\n", 2, "0.16.1 refuses"),
}


@pytest.mark.parametrize("rule", WARNED)
def test_deck_is_taken_with_a_warning(read: ReadDeck, rule: str) -> None:
    text, line, reason = WARNED[rule]
    [warning] = read(text).warnings
    assert warning.line == line
    assert reason in warning.reason


def test_a_long_comment_of_prose_is_no_suspect(read: ReadDeck) -> None:
    assert read("<!--\nRemember: this is\nonly prose.\n-->\n").warnings == ()
