"""Markdown: what stands in a line, and what stands on lines of its own."""

from triton_workshop.deck.model import (
    Alert,
    Alignment,
    Content,
    Footnote,
    Heading,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
    Text,
)

from .case import Case, Cases, refuses, shows

NEW_LINE = Span("\n")


def text(words: str) -> Text:
    return (Span(words),)


def line(claim: str, deck: str, words: str, *spans: Span, unlike: str | None = None) -> Case:
    """A paragraph, with its spans."""
    return shows(claim, f"{deck}\n", words, blocks=[Paragraph(spans)], unlike=unlike)


def block(claim: str, deck: str, words: str, *blocks: Content) -> Case:
    return shows(claim, deck, words, blocks=list(blocks))


ADDRESS = "we show a link's text, underlined, and open its address on a click; presenterm writes the address behind it"

MARKDOWN: Cases = {
    "emphasis": [
        line("one star or two", "*a* **b**", "a b", Span("a", italic=True), Span(" "), Span("b", bold=True)),
        line("three", "***a***", "a", Span("a", bold=True, italic=True)),
        line("struck out", "~~a~~ b", "a b", Span("a", strike=True), Span(" b")),
        line("by one tilde, too", "~a~", "a", Span("a", strike=True)),
        line("code keeps its stars", "`a *b*`", "a *b*", Span("a *b*", code=True)),
        line("underscores within a word are none", "&amp; \\* a_b_c", "& * a_b_c", Span("& * a_b_c")),
        line("stars that are not closed are stars", "*a **b", "*a **b", Span("*a **b")),
        line("lines of a paragraph are one", "a\nb", "a b", Span("a b")),
        line("a backslash breaks a line", "a\\\nb", "a b", Span("a"), NEW_LINE, Span("b")),
        line("two blanks break a line", "a  \nb", "a b", Span("a"), NEW_LINE, Span("b")),
    ],
    "superscript": [
        line("between carets", "x^2^ y", "x2 y", Span("x"), Span("2", superscript=True), Span(" y")),
        line("not between blanks", "a ^ b", "a b", Span("a ^ b")),
        line("a sign first", "10^-3^ a", "10\u22123 a", Span("10"), Span("-3", superscript=True), Span(" a")),
        line("a minus sign", "10^\u22123^", "10\u22123", Span("10"), Span("\u22123", superscript=True)),
        line("a bracket first", "y^(n-1)^", "y(n\u22121)", Span("y"), Span("(n-1)", superscript=True)),
        line("signs alone", "a^--^ b", "a\u2212\u2212 b", Span("a"), Span("--", superscript=True), Span(" b")),
        line("closed by the next", "e^-x^2^", "e−x2", Span("e"), Span("-x", superscript=True), Span("2^")),
        line("emphasis first", "a^*b*^", "ab", Span("a"), Span("b", italic=True, superscript=True)),
        shows("in a cell, a heading and a quote", "# a^-3^\n\n| b^-1^ |\n|---|\n| c |\n\n> d^-2^\n", "a−3 b−1 c d−2"),
        line("in a tag", "x<sup>2</sup>", "x2", Span("x"), Span("2", superscript=True)),
        refuses("a tag closed outside its emphasis", "**<sup>a** b</sup>\n", 1, "closes nothing"),
    ],
    "link": [
        line("a text", "[a *b*](c)", "a b", Span("a ", link="c"), Span("b", italic=True, link="c"), unlike=ADDRESS),
        line("no text", "[](c)", "c", Span("c", link="c")),
        line("no text behind one to the same", "[a](c)[](c)", "ac", Span("ac", link="c"), unlike=ADDRESS),
        line(
            "an address in angles", "<http://a.b>", "http://a.b", Span("http://a.b", link="http://a.b"), unlike=ADDRESS
        ),
        line("a wiki link", "[[a]] [[b|c]]", "a c", Span("a", link="a"), Span(" "), Span("c", link="c")),
        shows("by its label", "[a]\n\n[a]: b\n", "a", unlike=ADDRESS),
        shows("what follows its label is a paragraph", "[a]: b\n    c\n", "c"),
    ],
    "span": [
        line("a colour", '<span style="color: red">a</span> b', "a b", Span("a", foreground="red"), Span(" b")),
        line(
            "two colours, not closed",
            '<span style="color: #f00; background-color: p:blue">a',
            "a",
            Span("a", foreground="#f00", background="p:blue"),
        ),
        line("one in another", '<span style="color: red">a <sup>b</sup></span>', "a b", Span("a ", foreground="red"),
             Span("b", foreground="red", superscript=True)),
        shows("it may have no attributes", "a <span>b</span>\n", "a b"),
        shows("over two lines", 'a <span\nstyle="color: red">b</span>\n', "a b"),
        refuses("HTML in text", "one\ntwo <b>three</b>\n", 2, "not <b>"),
        refuses("HTML over two lines", "one\ntwo <b\nclass='x'> three\n", 2, "not <b class='x'>"),
        refuses("an HTML block", "<div>text</div>\n", 1, "HTML is not supported"),
        refuses("a line break's tag", "a<br>b\n", 1, "not <br>"),
        refuses("HTML in a table", "| a |\n|---|\n| <b>x</b> |\n", 3, "not <b>"),
        refuses("a tag alone below a list", "* a\n<span>\n", 2, "HTML is not supported"),
        shows("a tag alone in a paragraph", "a\n<span>\n", "a"),
        refuses("capitals", "a <SPAN>b</SPAN>\n", 1, "not <SPAN>"),
        refuses("another attribute", 'a <span id="x">b</span>\n', 1, "valid: style, class"),
        refuses("another style", 'a <span style="font: x">b</span>\n', 1, "valid: color, background-color"),
        refuses("a style without a colon", 'a <span style="red">b</span>\n', 1, "expected 'color: …'"),
        refuses("an unknown colour", 'a <span style="color: rde">b</span>\n', 1, "did you mean 'red'?"),
        refuses("a colour without its hash", 'a <span style="color: ff0000">b</span>\n', 1, "#rrggbb"),
        refuses("a tag that closes nothing", "a\nb </span>\n", 2, "closes nothing"),
        refuses("crossed tags", "a <span><sup>b</span></sup>\n", 1, "</span> closes <sup>"),
    ],
    "slide title": [
        shows("an underlined line", "A\n===\n\nb\n", "A b"), shows("underlined by hyphens", "A\n---\n\nb\n", "A b"),
        shows("of two lines", "A *b*\\\nc\n===\n", "A b c"),
        shows("behind a link's definition", "[a]: /b\nC\n===\n", "C"),
        shows("underlined by hyphens behind two", "[a]: /b\n[b]: /c\nD\nE\n---\n\nf\n", "D E f"),
        shows("a definition has none", "[a]: /b\n===\n", "==="),
        shows("a second one stays where it is", "A\n===\n\nb\n\nC\n===\n", "A b C"),
        refuses("a picture in it", "![](picture.png)\n===\n", 1, "is not allowed in a heading"),
    ],
    "heading": [
        block(
            "one to six hashes",
            "# a\n\n### b\n\n###### c\n",
            "a b c",
            *(Heading(n, text(w)) for n, w in ((1, "a"), (3, "b"), (6, "c"))),
        ),
        block("seven are text", "####### a\n", "####### a", Paragraph(text("####### a"))),
        block("hashes behind it are nothing", "## a ##\n", "a", Heading(2, text("a"))),
        refuses("a picture in it", "# ![](picture.png)\n", 1, "is not allowed in a heading"),
    ],
    "paragraph": [
        block("an empty line between two", "one\n\ntwo\n", "one two", Paragraph(text("one")), Paragraph(text("two"))),
        shows("letters of any alphabet", "Ελλάδα 日本 é\n", "Ελλάδα 日本 é"),
        shows("lines of Windows", "a\r\n\r\n* b\r\n", "a • b"), shows("no line's end at the end", "a", "a"),
        refuses("indented four columns", "text\n\n    code\n", 3, "indented code"),
    ],
    "rule": [
        block("three hyphens", "---\n\na\n", "a", Rule(), Paragraph(text("a"))),
        block("three stars", "a\n\n***\n", "a", Paragraph(text("a")), Rule()),
    ],
    "list": [
        block("bullets and numbers, nested", "* a\n  1. b\n     - c\n* d\n", "• a 1. b ▪ c • d",
              ListItem(0, "•", text("a")), ListItem(1, "1.", text("b")), ListItem(2, "▪", text("c")),
              ListItem(0, "•", text("d"))),
        block("numbers with brackets", "3) a\n4) b\n", "3) a 4) b", ListItem(0, "3)", text("a")),
              ListItem(0, "4)", text("b"))),
        shows("two paragraphs in an item", "* a\n\n  b\n", "• a • b"),
        shows("a box to tick is text", "* [ ] a\n* [x] b\n", "• [ ] a • [x] b"),
        refuses("code in an item", "* a\n\n  ```\n  x\n  ```\n", 3, "a code block is not allowed in a list item"),
        refuses("a quote in an item", "* a\n\n  > b\n", 3, "a quote is not allowed in a list item"),
        refuses("a picture in an item", "* a\n* ![](picture.png)\n", 2, "an image is not allowed in a list item"),
        refuses("a command in an item", "* a\n\n  <!-- pause -->\n", 3, "is not allowed in a list item"),
        refuses("a line break in an item", "* a\\\n  b\n", 1, "is not allowed in a list item"),
        refuses("a heading in an item", "* # a\n", 1, "a heading is not allowed in a list item"),
        refuses("a table in an item", "* a\n\n  | b |\n  |---|\n", 3, "a table is not allowed in a list item"),
    ],
    "table": [
        block(
            "columns with alignments",
            "| a | b |\n|---|:-:|\n| 1 | *2* |\n",
            "a b 1 2",
            Table(
                (text("a"), text("b")), ((text("1"), (Span("2", italic=True),)),), (Alignment.LEFT, Alignment.CENTER),
                (0,),
            ),
        ),
        shows("without outer bars", "a | b\n--|--\n1 | 2\n", "a b 1 2"),
        shows("a cell too few", "| a | b |\n|---|---|\n| 1 |\n", "a b 1"),
        shows("a cell too many is lost", "| a |\n|---|\n| 1 | 2 |\n", "a 1"),
        shows("a line of bars alone is a title", "| a |\n---\n\nb\n", "| a | b"),
        shows("a bar before a title, and a line above", "a\n| b\n---\n\nc\n", "a | b c"),
        shows("a bar and a colon are a table's", "| a\n:--\n\nb\n", "a b"),
        shows("a lone bar ends it", "| a |\n|---|\n| b |\n|\n| c |\n", "a b | | c |"),
        shows("two bars are an empty row", "| a |\n|---|\n||\n", "a"),
        shows("a bar with a backslash is text", "| a |\n|---|\n| b \\| c |\n", "a b | c"),
        refuses("a picture in a cell", "| a |\n|---|\n| ![](picture.png) |\n", 3, "is not allowed in a table"),
    ],
    "quote": [
        block("lines stay lines", "> a\n> b\n>\n> c\n", "a b c", Quote(((Span("a"), NEW_LINE, Span("b")), text("c")))),
        block("a list in it", "> * a\n>   1. b\n", "* a 1. b", Quote(((Span("* a"), NEW_LINE, Span("1. b")),))),
        block("an empty item in it", "> 1.\n> text\n", "1. text", Quote((text("1. "), text("text")))),
        block("an empty item before another", "> -\n> - b\n", "* * b", Quote((text("* * b"),))),
        block("a list at once in an item", "> 1.    - a\n", "1. * a", Quote((text("1. * a"),))),
        block("two paragraphs in an item", "> - a\n>\n>   b\n", "* a b",
              Quote(((Span("* a"), NEW_LINE, Span("b")),))),
        block("between two lines of >>>", ">>>\na\n>>>\n", "a", Quote((text("a"),))),
        block("a picture in it is text", "> ![](none.png)\n", "![](none.png)", Quote((text("![](none.png)"),))),
        refuses("a heading in it", "> a\n>\n> # b\n", 3, "a heading is not allowed in a quote"),
        refuses("a quote in it", "> > a\n", 1, "a quote is not allowed in a quote"),
        refuses("a heading in a fenced one", ">>>\na\n\n# b\n>>>\n", 4, "a heading is not allowed in a quote"),
        refuses("a picture of the web in it", "> ![](http://a.b/c.png)\n", 1, "must be a file"),
        refuses("a rule in it", "> a\n>\n> ---\n", 3, "a horizontal line is not allowed in a quote"),
    ],
    "alert": [
        block("its kind is its title", "> [!note]\n> a\n", "Note a", Alert("note", "Note", (text("a"),))),
        block("a title of its own", "> [!Tip] Try *it*\n", "Try *it*", Alert("tip", "Try *it*", ())),
        block("fenced", ">>> [!caution]\na\n\nb\n>>>\n", "Caution a b",
              Alert("caution", "Caution", (text("a"), text("b")))),
        block("important", "> [!IMPORTANT]\n> a\n", "Important a", Alert("important", "Important", (text("a"),))),
        block("warning", "> [!warning]\n> a\n", "Warning a", Alert("warning", "Warning", (text("a"),))),
        block("an unknown kind is a quote", "> [!other]\n", "[!other]", Quote((text("[!other]"),))),
        refuses("code in it", "> [!note]\n> ```\n> x\n> ```\n", 2, "a code block is not allowed in a quote"),
    ],
    "footnote": [
        block("its mark and its text", "a[^n]\n\n[^n]: b\n  c\n", "an nb c",
              Paragraph((Span("a"), Span("n", superscript=True))), Footnote("n", text("b c"))),
        block("a mark without a footnote is text", "a [^1]\n", "a [ 1]", Paragraph(text("a [^1]"))),
        shows("a command right below it", "[^n]: a\n<!-- pause -->\nb\n", ["na", "na b"]),
        shows("one that nothing marks", "[^1]: a\n\nb\n", "1a b"),
        refuses("a heading in it", "[^1]: # a\n", 1, "a heading is not allowed in a footnote"),
        refuses("code in it", "[^1]: a\n\n    ```\n    b\n    ```\n", 3, "a code block is not allowed in a footnote"),
    ],
}  # fmt: skip
