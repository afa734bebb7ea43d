"""Comment commands, and comments that are none."""

from triton_workshop.deck import Blank, JumpToMiddle, ListItem, Paragraph, Span

from .case import Table, front, refuses, shows

LISTS, TABLES = "<!-- incremental_lists: true -->\n", "<!-- incremental_tables: true -->\n"
GRID = "| a |\n|---|\n| b |\n| c |\n"
SLIDE_LATER = "a\n\n<!-- end_slide -->\n\nb\n"


def text(words: str) -> Paragraph:
    return Paragraph((Span(words),))


COMMENTS: Table = {
    "comment": [
        shows("a note to oneself is not shown", "<!-- comment: a -->\ntext\n", "text"),
        shows("two slashes hide a comment", "<!-- // a: b -->\ntext\n", "text"),
        shows("an editor's line is passed over", "<!-- vim: set a=b: -->\ntext\n", "text"),
        shows("folding marks are passed over", "<!-- {{{ -->\ntext\n\n<!-- }}} -->\n", "text"),
        shows("prose over several lines is passed over", "<!--\nRemember: this is\nonly prose.\n-->\ntext\n", "text"),
        shows(
            "a typo in a long note loses it", "a\n\n<!--\nspeaker_nte: |\n  lost\n-->\n", "a",
            warning=(3, "did you mean 'speaker_note'?"),
        ),
        shows(
            "a colon in a long note loses it", "<!--\nspeaker_note: lost: this\nand this\n-->\n", "",
            warning=(1, "not valid YAML"),
        ),
        shows(
            "a long list that is not closed is lost", "<!--\ncolumn_layout: [1,\n2\n-->\na\n", "a",
            warning=(1, "not valid YAML"),
        ),
        shows("a flow mapping is a command", "<!-- {new_lines: 1} -->\na\n", "a"),
        shows("a quoted name is a command", "a\n\n<!-- 'pause' -->\nb\n", ["a", "a b"]),
        shows("a command may stand over several lines", "<!--\nspeaker_note: |\n  a: b\n-->\ntext\n", "text"),
        shows("blanks around a command are nothing", "a\n<!--    pause    -->\nb\n", ["a", "a b"]),
        refuses("a colon in the text makes it a mapping", "<!-- comment: a: b -->\n", 1, "not valid YAML"),
        refuses("it needs a text", "<!-- comment -->\n", 1, "'comment' needs a value"),
        refuses("an unknown command", "text\n\n<!-- pauze -->\n", 3, "unknown command 'pauze'; did you mean 'pause'?"),
        refuses("a command like no other", "<!-- TODO: this -->\n", 1, "valid: pause, end_slide"),
        refuses("capitals", "<!-- PAUSE -->\n", 1, "did you mean 'pause'?"),
        refuses("a hyphen for the underscore", "<!-- end-slide -->\n", 1, "did you mean 'end_slide'?"),
        refuses("an empty comment", "<!-- -->\n", 1, "empty comment"),
        refuses("two commands in a comment", "<!-- {column: 0, pause: 1} -->\n", 1, "one command"),
        refuses("two comments on a line", "<!-- pause --> <!-- pause -->\n", 1, "line of its own"),
        refuses("text after a comment", "<!-- pause --> text\n", 1, "must stand alone"),
        refuses("text before a comment", "one\ntwo <!-- pause -->\n", 2, "must stand alone"),
        refuses("text after a long comment", "<!--\nspeaker_note: hi\n--> text\n", 3, "must stand alone"),
        refuses("a comment in the middle of a line", "one <!-- pause --> two\n", 1, "must stand alone"),
        refuses("a comment that is not closed", "text\n\n<!-- pause\n", 3, "not closed"),
        refuses("an indented comment", "    <!-- pause -->\n", 1, "indented code"),
        refuses("a list", "<!-- [pause] -->\n", 1, "expected 'key: value'"),
        refuses("a number", "<!-- 3 -->\n", 1, "unknown command '3'"),
    ],
    "pause": [
        shows("what follows comes a step later", "a\n<!-- pause -->\nb\n", ["a", "a b"]),
        shows("two pauses are two steps", "a\n<!-- pause -->\n<!-- pause -->\nb\n", ["a", "a", "a b"]),
        shows("a slide may start with one", "<!-- pause -->\na\n", ["", "a"]),
        shows("one at the end of a slide is no step", "a\n<!-- pause -->\n<!-- end_slide -->\nb\n", "a", "b"),
        shows("empty lines after it are no step", "a\n<!-- pause -->\n<!-- new_lines: 2 -->\n", "a"),
        shows("a note after it is no step", "a\n<!-- pause -->\n<!-- speaker_note: x -->\n", "a"),
        shows("the end of a layout after it is a step", "a\n<!-- pause -->\n<!-- reset_layout -->\n", ["a", "a"]),
        shows("a rule after it is a step", "a\n<!-- pause -->\n\n---\n", ["a", "a"]),
        shows("a jump after it is a step", "a\n<!-- pause -->\n<!-- jump_to_middle -->\n", ["a", "a"]),
        shows("items may stand between pauses", "* a\n<!-- pause -->\n* b\n", ["• a", "• a • b"]),
        refuses("it takes no value", "<!-- pause: 3 -->\n", 1, "'pause' takes no value"),
        refuses("not even none", "<!-- pause: -->\n", 1, "'pause' takes no value"),
    ],
    "end_slide": [
        shows("what follows stands on the next slide", SLIDE_LATER, "a", "b"),
        shows(
            "the deck's last one leaves an empty slide", "a\n\n<!-- end_slide -->\n", "a", "",
            warning=(3, "leaves an empty slide"),
        ),
        shows("two in a row make an empty slide", "a\n<!-- end_slide -->\n<!-- end_slide -->\nb\n", "a", "", "b"),
        shows("a deck may start with one", "<!-- end_slide -->\na\n", "", "a"),
        shows("it ends a layout", "<!-- column_layout: [1] -->\n<!-- column: 0 -->\n" + SLIDE_LATER, "a", "b"),
        refuses("it takes no value", "<!-- end_slide: true -->\n", 1, "'end_slide' takes no value"),
    ],
    "new_line": [
        shows("one empty line", "<!-- new_line -->\na\n", "a", blocks=[Blank(1), text("a")]),
        shows("it may be written newline", "<!-- newline -->\n", "", blocks=[Blank(1)]),
        refuses("it takes no number", "<!-- new_line: 2 -->\n", 1, "'new_line' takes no value"),
        refuses("in capitals", "<!-- NewLine -->\n", 1, "did you mean 'newline'?"),
    ],
    "new_lines": [
        shows("as many empty lines", "<!-- new_lines: 2 -->\na\n", "a", blocks=[Blank(2), text("a")]),
        shows("it may be written newlines", "<!-- newlines: 3 -->\n", "", blocks=[Blank(3)]),
        shows("none is a number", "<!-- new_lines: 0 -->\n", "", blocks=[Blank(0)]),
        shows("a hexadecimal number is one", "<!-- new_lines: 0x2 -->\n", "", blocks=[Blank(2)]),
        refuses("it needs a number", "<!-- new_lines -->\n", 1, "'new_lines' needs a value, as in 'new_lines: 2'"),
        refuses("words", "<!-- new_lines: two -->\n", 1, "expected a whole number"),
        refuses("a quoted number", '<!-- new_lines: "2" -->\n', 1, "expected a whole number"),
        refuses("a fraction", "<!-- new_lines: 2.0 -->\n", 1, "expected a whole number"),
        refuses("less than none", "<!-- new_lines: -1 -->\n", 1, "expected a whole number"),
        refuses("too many", "<!-- new_lines: 4294967296 -->\n", 1, "expected a whole number from 0 to 4294967295"),
        refuses("the wrong name", "<!-- new_lynes: 2 -->\n", 1, "did you mean 'new_lines'?"),
    ],
    "jump_to_middle": [
        shows(
            "what follows is centred vertically", "<!-- jump_to_middle -->\na\n", "a",
            blocks=[JumpToMiddle(), text("a")],
        ),
        shows("a title below it stands in the middle", "<!-- jump_to_middle -->\n\nThe end\n===\n", "The end"),
        refuses("it takes no value", "<!-- jump_to_middle: a -->\n", 1, "'jump_to_middle' takes no value"),
        refuses("jump_to_center", "<!-- jump_to_midle -->\n", 1, "did you mean 'jump_to_middle'?"),
    ],
    "incremental_lists": [
        shows("items come one by one", LISTS + "* a\n* b\n  * c\n", ["", "• a", "• a • b", "• a • b ◦ c"]),
        shows("what follows waits for the last", LISTS + "* a\n* b\n\nc\n", ["", "• a", "• a • b", "• a • b c"]),
        shows(
            "false ends it", LISTS + "* a\n\n<!-- incremental_lists: false -->\n* b\n* c\n", ["", "• a", "• a • b • c"]
        ),
        shows("it ends with the slide", LISTS + "* a\n<!-- end_slide -->\n* b\n", ["", "• a"], "• b"),
        shows("two lists are two series", LISTS + "* a\n\nb\n\n* c\n", ["", "• a", "• a b", "• a b • c"]),
        refuses("yes is no switch", "<!-- incremental_lists: yes -->\n", 1, "expected true or false"),
        refuses("it needs a value", "<!-- incremental_lists -->\n", 1, "'incremental_lists' needs a value"),
        refuses("a number", "<!-- incremental_lists: 1 -->\n", 1, "expected true or false"),
        refuses("in the singular", "<!-- incremental_list: true -->\n", 1, "did you mean 'incremental_lists'?"),
    ],
    "incremental_tables": [
        shows(
            "rows come one by one", TABLES + GRID + "\nd\n", ["a", "a b", "a b c d"],
            warning=(1, "presenterm 0.16.1 refuses"), unlike="it came after 0.16.1",
        ),
        shows(
            "it ends with the slide", TABLES + "a\n<!-- end_slide -->\n" + GRID, "a", "a b c",
            warning=(1, "presenterm 0.16.1 refuses"), unlike="it came after 0.16.1",
        ),
        refuses("it needs a switch", "<!-- incremental_tables: 1 -->\n", 1, "expected true or false"),
    ],
    "list_item_newlines": [
        shows(
            "items stand further apart", "<!-- list_item_newlines: 2 -->\n* a\n", "• a",
            blocks=[ListItem(0, "•", (Span("a"),), spacing=2)],
        ),
        shows("as far as 255", "<!-- list_item_newlines: 255 -->\n* a\n", "• a"),
        refuses("none", "<!-- list_item_newlines: 0 -->\n", 1, "from 1 to 255"),
        refuses("256", "<!-- list_item_newlines: 256 -->\n", 1, "from 1 to 255"),
        refuses("it needs a number", "<!-- list_item_newlines -->\n", 1, "'list_item_newlines' needs a value"),
    ],
    "font_size": [
        shows("text in the size", "<!-- font_size: 2 -->\na\n", "a"),
        shows("7 is the largest", "<!-- font_size: 7 -->\na\n", "a"),
        refuses("0", "<!-- font_size: 0 -->\n", 1, "from 1 to 7"),
        refuses("8", "<!-- font_size: 8 -->\n", 1, "from 1 to 7"),
        refuses("it needs a number", "<!-- font_size -->\n", 1, "'font_size' needs a value"),
        refuses("a word", "<!-- font_size: large -->\n", 1, "expected a whole number"),
    ],
    "alignment": [
        shows("left", "<!-- alignment: left -->\na\n", "a"),
        shows("center", "<!-- alignment: center -->\na\n\n* b\n\n| c |\n|---|\n", "a • b c"),
        shows("right", "<!-- alignment: right -->\na\n", "a"),
        refuses("in British", "<!-- alignment: centre -->\n", 1, "did you mean 'center'?"),
        refuses("it needs a value", "<!-- alignment -->\n", 1, "'alignment' needs a value"),
        refuses("capitals", "<!-- alignment: Left -->\n", 1, "did you mean 'left'?"),
    ],
    "no_footer": [
        shows("this slide has no footer", "<!-- no_footer -->\n" + SLIDE_LATER, "a", "b"),
        refuses("it takes no value", "<!-- no_footer: true -->\n", 1, "'no_footer' takes no value"),
    ],
    "skip_slide": [
        shows("the slide is left out", "<!-- skip_slide -->\n" + SLIDE_LATER, "b"),
        shows("wherever it stands", "a\n<!-- pause -->\n<!-- skip_slide -->\n<!-- end_slide -->\nb\n", "b"),
        shows("one slide is always there", "<!-- skip_slide -->\na\n", ""),
        refuses("it takes no value", "<!-- skip_slide: true -->\n", 1, "'skip_slide' takes no value"),
    ],
    "include": [
        shows("the file's elements stand here", "a\n<!-- include: part.md -->\n", ["a included", "a included • item"]),
        shows(
            "paths in it are its own folder's", "<!-- include: deeper/first.md -->\n",
            "from deeper even deeper one two three four",
        ),
        shows("twice is no cycle", "<!-- include: words.md -->\n\n<!-- include: words.md -->\n", "words words"),
        shows("a setting in it holds on", "<!-- include: centred.md -->\n\n<!-- pause -->\n\na\n", ["", "a"]),
        refuses("an unknown file", "\n<!-- include: none.md -->\n", 2, "included file not found: none.md"),
        refuses("the deck itself", "<!-- include: deck.md -->\n", 1, "includes itself"),
        refuses("a cycle", "<!-- include: cycle.md -->\n", 1, "includes itself", file="cycle.md"),
        refuses(
            "front matter in it", "<!-- include: with_front_matter.md -->\n", 1, "front matter", "with_front_matter.md"
        ),
        refuses("an error in it", "a\n\n<!-- include: wrong.md -->\n", 3, "did you mean 'pause'?", "wrong.md"),
        refuses("a list", "<!-- include: [part.md] -->\n", 1, "expected text, got a list"),
        refuses("it needs a path", "<!-- include -->\n", 1, "'include' needs a value"),
    ],
    "speaker_note": [
        shows("it is said, not shown", "<!-- speaker_note: a -->\ntext\n", "text"),
        shows("a note of several lines", "<!--\nspeaker_note: |\n  one: a\n  two\n-->\ntext\n", "text"),
        shows("a number is text", "<!-- speaker_note: 3 -->\ntext\n", "text"),
        refuses("a colon in it", "<!--\nspeaker_note: a: b\n-->\n", 2, "not valid YAML"),
        refuses("a list", "<!-- speaker_note: [a] -->\n", 1, "expected text, got a list"),
        refuses("it needs a text", "<!-- speaker_note -->\n", 1, "'speaker_note' needs a value"),
        refuses("the plural", "<!-- speaker_notes: a -->\n", 1, "did you mean 'speaker_note'?"),
    ],
    "option command_prefix": [
        shows(
            "only comments with it are commands",
            front("options:\n  command_prefix: 'cmd:'", "<!-- anything -->\na\n<!-- cmd:pause -->\nb\n"),
            ["a", "a b"],
        ),
        shows("it may stand twice", front("options:\n  command_prefix: x", "a\n<!-- xxpause -->\nb\n"), ["a", "a b"]),
        shows(
            "a command without it is one, too", front("options:\n  command_prefix: 'cmd:'", "a\n<!-- pause -->\nb\n"),
            ["a", "a b"],
        ),
        refuses(
            "an unknown command with it", front("options:\n  command_prefix: 'cmd:'", "\n<!-- cmd:pauze -->\n"), 6,
            "unknown command 'pauze'",
        ),
        refuses("a list", front("options:\n  command_prefix: [a]"), 3, "expected text, got a list"),
    ],
}  # fmt: skip
