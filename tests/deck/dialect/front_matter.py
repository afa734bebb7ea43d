"""The front matter: what the introduction slide says, and the options."""

from triton_workshop.deck.model import Paragraph, Rule, Span

from .case import Cases, front, refuses, shows

ITEMS = "* a\n* b\n"

FRONT_MATTER: Cases = {
    "front matter": [
        shows("nothing in it is none", front(""), "text"),
        shows("remarks are nothing", front("# a remark"), "text"),
        shows("not closed it is text", "---\n\ntitle: a\n", "title: a",
              blocks=[Rule(), Paragraph((Span("title: a"),))]),
        shows("further down it is text", "a\n\n---\ntitle: b\n---\n", "a title: b"),
        shows("a tab after the colon", front("title:\ta"), "a", "text"),
        shows("all of it", front("title: a\nsub_title: b\nevent: c\nlocation: d\ndate: e\nauthor: f"), "a b c d e f",
              "text"),
        refuses("an unknown key", front("titel: a"), 2, "did you mean 'title'?"),
        refuses("a key given twice", front("title: a\ntitle: b"), 3, "'title' is given twice"),
        refuses("no YAML", front("title: a: b"), 2, "not valid YAML"),
        refuses("a list", front("- title"), 2, "expected 'key: value'"),
        refuses("a tab before the key", front("options:\n\tx: y"), 3, "not valid YAML"),
        refuses("lines below it count from the top", front("title: a", "\n<!-- x -->\n"), 5, "unknown command 'x'"),
    ],
    "title": [
        shows("it makes an introduction slide", front("title: A *deck*"), "A deck", "text"),
        shows("of two lines", front("title: |\n  One\n  two"), "One two", "text"),
        shows("a number is text", front("title: 3"), "3", "text"),
        shows("null is none", front("title: ~"), "text"),
        refuses("a list", front("title: [a]"), 2, "expected text"),
        refuses("a heading", front("title: '# a'"), 2, "plain text"),
        refuses("HTML", front("title: 'a <b>c</b>'"), 2, "plain text"),
    ],
    "sub_title": [
        shows("it makes an introduction slide", front("sub_title: a"), "a", "text"),
        refuses("a list in it", front("sub_title: '* a'"), 2, "plain text"),
        refuses("a mapping", front("sub_title: {a: b}"), 2, "expected text"),
    ],
    "event": [
        shows("it makes an introduction slide", front("event: a"), "a", "text"),
        refuses("a list", front("event: [a]"), 2, "expected text"),
    ],
    "location": [
        shows("it makes an introduction slide", front("location: a"), "a", "text"),
        refuses("a list", front("location: [a]"), 2, "expected text"),
    ],
    "date": [
        shows("as it is written", front("date: 2024-05-06"), "2024-05-06", "text"),
        refuses("a list", front("date: [2024]"), 2, "expected text"),
    ],
    "author": [
        shows("one", front("author: a"), "a", "text"),
        refuses("beside authors", front("author: a\nauthors: [b]"), 3, "only one of"),
        refuses("several", front("author: [a, b]"), 2, "expected text"),
    ],
    "authors": [
        shows("several", front("authors: [a, b]"), "a b", "text"),
        shows("none beside an author", front("author: a\nauthors: []"), "a", "text"),
        shows("nothing is none", front("authors:"), "text"),
        refuses("one text", front("authors: a"), 2, "expected a list"),
        refuses("a written null", front("authors: ~"), 2, "expected a list"),
    ],
    "options": [
        shows("nothing in it", front("options:"), "text"),
        refuses("an unknown one", front("options:\n  incremental_list: true"), 3, "did you mean 'incremental_lists'?"),
        refuses("a list", front("options: []"), 2, "expected 'key: value'"),
    ],
    "option implicit_slide_ends": [
        shows("a title ends the slide before",
              front("options:\n  implicit_slide_ends: true", "a\n===\n\nb\n---\n\nc\n"), "a", "b c"),
        shows("commands before the first title do not count",
              front("options:\n  implicit_slide_ends: true", "<!-- no_footer -->\n\na\n===\n"), "a"),
        shows("false", front("options:\n  implicit_slide_ends: false", "a\n===\n\nb\n---\n"), "a b"),
        refuses("maybe", front("options:\n  implicit_slide_ends: maybe"), 3, "expected true or false"),
    ],
    "option incremental_lists": [
        shows("lists in every slide", front("options:\n  incremental_lists: true", ITEMS), ["", "• a", "• a • b"]),
        shows("a slide may have them whole",
              front("options:\n  incremental_lists: true", "<!-- incremental_lists: false -->\n" + ITEMS), "• a • b"),
        refuses("yes", front("options:\n  incremental_lists: yes"), 3, "expected true or false"),
    ],
    "option incremental_tables": [
        shows("tables in every slide", front("options:\n  incremental_tables: true", "| a |\n|---|\n| b |\n"),
              ["a", "a b"], warning=(1, "presenterm 0.16.1 refuses"), unlike="it came after 0.16.1"),
        refuses("a number", front("options:\n  incremental_tables: 1"), 3, "expected true or false"),
    ],
    "option list_item_newlines": [
        shows("in every list", front("options:\n  list_item_newlines: 2", ITEMS), "• a • b"),
        refuses("0", front("options:\n  list_item_newlines: 0"), 3, "from 1 to 255"),
        refuses("256", front("options:\n  list_item_newlines: 256"), 3, "from 1 to 255"),
    ],
    "option end_slide_shorthand": [
        shows("a rule ends the slide", front("options:\n  end_slide_shorthand: true", "a\n\n---\n\nb\n"), "a", "b"),
        shows("false", front("options:\n  end_slide_shorthand: false", "a\n\n---\n\nb\n"), "a b"),
        refuses("on", front("options:\n  end_slide_shorthand: on"), 3, "expected true or false"),
    ],
    "option strict_front_matter_parsing": [
        shows("true", front("options:\n  strict_front_matter_parsing: true"), "text"),
        refuses("false comes too late for its own front matter",
                front("options:\n  strict_front_matter_parsing: false\nx: y"), 4, "unknown front matter key 'x'"),
        refuses("a word", front("options:\n  strict_front_matter_parsing: no"), 3, "expected true or false"),
    ],
    "option h1_slide_titles": [
        shows(
            "a first heading is the title",
            front("options:\n  h1_slide_titles: true", "# a\n\n## b\n<!-- end_slide -->\n# c\n"),
            "a b",
            "c",
        ),
        shows(
            "each ends a slide, where titles do",
            front("options:\n  h1_slide_titles: true\n  implicit_slide_ends: true", "# a\n\n# b\n"),
            "a",
            "b",
        ),
        shows("a second one is a heading", front("options:\n  h1_slide_titles: true", "# a\n\n# b\n"), "a b"),
        refuses("a word", front("options:\n  h1_slide_titles: x"), 3, "expected true or false"),
    ],
    "theme": [
        shows("by name", front("theme:\n  name: light"), "text"),
        shows("from a file", front("theme:\n  path: theme.yaml"), "text"),
        shows("nothing", front("theme:"), "text"),
        shows("another key is passed over", front("theme:\n  x: y"), "text"),
        shows("an unknown name", front("theme:\n  name: drak"), "text", unlike="it may be one of the user's own"),
        refuses("a name and a file", front("theme:\n  name: dark\n  path: theme.yaml"), 4, "only one of"),
        refuses("a text", front("theme: dark"), 2, "expected 'key: value'"),
    ],
}  # fmt: skip
