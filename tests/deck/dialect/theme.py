"""What a deck may override of its theme: every key, right and wrong."""

from textwrap import indent

from .case import Case, Cases, front, refuses, shows


def override(yaml: str, body: str = "\ntext\n") -> str:
    return front("theme:\n  override:\n" + indent(yaml, "    "), body)


def at(path: str, value: str) -> str:
    """`a.b` and a value as nested YAML."""
    *outer, last = path.split(".")
    return "\n".join(
        [*("  " * depth + f"{key}:" for depth, key in enumerate(outer)), "  " * len(outer) + f"{last}: {value}"]
    )


def wrong(path: str, value: str, reason: str) -> Case:
    """presenterm refuses this value of this key."""
    return refuses(f"{path}: {value}", override(at(path, value)), 4 + path.count("."), reason)


def ignored(path: str, value: str, reason: str) -> Case:
    """presenterm passes over this, and we say so."""
    return shows(f"{path}: {value}", override(at(path, value)), "text", warning=(4 + path.count("."), reason))


def right(yaml: str, *slides: str, body: str = "\ntext\n", claim: str = "all of its keys") -> Case:
    return shows(claim, override(yaml, body), *(slides or ("text",)))


COLOURS = "colors:\n  foreground: red\n  background: 'ff0000'"
ALIGNED = "alignment: center\nminimum_size: 4\nminimum_margin:\n  percent: 8"
LEFT = "alignment: left\nmargin:\n  fixed: 2"
HEADING = f"""{ALIGNED}
prefix: ">"
{COLOURS}
font_size: 2
bold: true
underlined: false
italics: true"""
STATES = ("running", "success", "failure", "not_started")
KINDS = ("note", "tip", "important", "warning", "caution")
INTRODUCTION = ("title", "subtitle", "event", "location", "date", "author")
NO_COLOUR, NO_SWITCH, NO_NUMBER = "unknown colour", "expected true or false", "expected a whole number"


def under(key: str, yaml: str) -> str:
    return f"{key}:\n" + indent(yaml, "  ")


def alignment(key: str) -> list[Case]:
    """Wrong alignments, where presenterm drops them in silence."""
    return [
        ignored(f"{key}.alignment", "centre", "did you mean 'center'?"),
        ignored(f"{key}.margin", "{fixed: 2}", "expected 'alignment: left', 'right' or 'center'"),
        ignored(f"{key}.minimum_size", "4", "expected 'alignment: left', 'right' or 'center'"),
        ignored(f"{key}.minimum_margin", "{fixed: 2}", "expected 'alignment: left', 'right' or 'center'"),
    ]


def colours(key: str) -> list[Case]:
    return [
        wrong(f"{key}.foreground", "rde", "did you mean 'red'?"),
        wrong(f"{key}.background", "'#ff0000'", NO_COLOUR),
    ]


def heading(key: str) -> list[Case]:
    return [
        *alignment(key),
        *colours(f"{key}.colors"),
        wrong(f"{key}.prefix", "[a]", "expected text"),
        wrong(f"{key}.font_size", "300", "from 0 to 255"),
        wrong(f"{key}.bold", "yes", NO_SWITCH),
        wrong(f"{key}.underlined", "1", NO_SWITCH),
        wrong(f"{key}.italics", "x", NO_SWITCH),
        wrong(f"{key}.italic", "x", NO_SWITCH),
    ]


THEME: Cases = {
    "theme override": [
        shows("nothing", front("theme:\n  override:"), "text"),
        refuses("an unknown key", override("fotter: x"), 4, "did you mean 'footer'?"),
        refuses("a list", front("theme:\n  override: []"), 3, "expected 'key: value'"),
        refuses("a key given twice", override("table:\ntable:"), 5, "'table' is given twice"),
    ],
    "theme extends": [
        shows("in a theme's file", front("theme:\n  path: extends.yaml"), "text"),
        wrong("extends", "dark", "cannot use 'extends'"),
    ],
    "theme slide_title": [
        right(under("slide_title", f"{HEADING}\nseparator: true\npadding_top: 1\npadding_bottom: 0")),
        right(under("slide_title", f"{LEFT}\nitalic: true"), claim="to the left, in short"),
        *heading("slide_title"),
        wrong("slide_title.separator", "", NO_SWITCH),
        wrong("slide_title.padding_top", "-1", "from 0 to 255"),
        wrong("slide_title.padding_bottom", "256", "from 0 to 255"),
        ignored("slide_title.color", "red", "did you mean 'colors'?"),
        refuses(
            "italic beside italics", override(under("slide_title", "italic: true\nitalics: true")), 5, "is given twice"
        ),
    ],
    "theme code": [
        right(
            under(
                "code",
                f"{ALIGNED}\npadding:\n  horizontal: 2\n  vertical: 1\n"
                "theme_name: Nord\nbackground: false\nline_numbers: false",
            )
        ),
        right(under("code", LEFT), claim="to the left"),
        *alignment("code"),
        wrong("code.padding", "2", "expected 'key: value'"),
        wrong("code.padding.horizontal", "300", "from 0 to 255"),
        wrong("code.padding.vertical", "x", NO_NUMBER),
        wrong("code.theme_name", "Dracla", "did you mean 'Dracula'?"),
        wrong("code.background", "red", NO_SWITCH),
        wrong("code.line_numbers", "2", NO_SWITCH),
    ],
    "theme execution_output": [
        right(
            under(
                "execution_output",
                f"{COLOURS}\npadding:\n  horizontal: 2\n  vertical: 1\nstatus:\n"
                + "\n".join(f"  {state}:\n    foreground: red\n    background: p:blue" for state in STATES),
            )
        ),
        *colours("execution_output.colors"),
        *(case for state in STATES for case in colours(f"execution_output.status.{state}")),
        wrong("execution_output.padding.horizontal", "x", NO_NUMBER),
        wrong("execution_output.padding.vertical", "1.5", NO_NUMBER),
    ],
    "theme pty_output": [
        right(
            under(
                "pty_output",
                f"{COLOURS}\nstandby: LargePlay\ncursor:\n  symbol: x\n  highlight_{indent(COLOURS, '  ').strip()}",
            )
        ),
        *colours("pty_output.colors"),
        wrong("pty_output.standby", "large_play", "LargePlay"),
        wrong("pty_output.cursor.symbol", "xx", "one character"),
        *colours("pty_output.cursor.highlight_colors"),
    ],
    **{
        f"theme {key}": [
            right(under(key, COLOURS)), *colours(f"{key}.colors"),
            wrong(f"{key}.colors.foreground", "palette:lila", "no colour 'lila'"),
            ignored(f"{key}.colours", "red", "did you mean 'colors'?"),
        ]
        for key in ("inline_code", "bold", "italics", "italic")
    },
    "theme table": [
        right(under("table", ALIGNED)),
        right(under("table", "alignment: left\nmargin:\n  fixed: 2"), claim="left"),
        wrong("table", "center", "expected 'key: value'"),
        wrong("table.alignment", "centre", "did you mean 'center'?"),
        refuses("a margin without a unit", override(under("table", "alignment: right\nmargin: 2")), 6,
                "expected 'key: value'"),
        refuses("a size below nothing", override(under("table", "alignment: center\nminimum_size: -1")), 6, NO_NUMBER),
        refuses("a margin of letters", override(under("table", "alignment: center\nminimum_margin:\n  fixed: x")), 7,
                NO_NUMBER),
    ],
    "theme block_quote": [
        right(under("block_quote", f"{ALIGNED}\nprefix: '| '\n{COLOURS}\n  prefix: p:red")),
        right(under("block_quote", LEFT), claim="to the left"), *alignment("block_quote"),
        wrong("block_quote.prefix", "[a]", "expected text"), *colours("block_quote.colors"),
        wrong("block_quote.colors.foreground", "333", "in quotes"),
        wrong("block_quote.colors.prefix", "rde", "did you mean 'red'?"),
    ],
    "theme alert": [
        right(
            under(
                "alert",
                f"{ALIGNED}\nbase_{COLOURS}\nprefix: '| '\nstyles:\n"
                + "\n".join(f"  {kind}:\n    color: red\n    title: Look\n    icon: '!'" for kind in KINDS),
            )
        ),
        right(under("alert", LEFT), claim="to the left"),
        *alignment("alert"),
        *colours("alert.base_colors"),
        wrong("alert.prefix", "[a]", "expected text"),
        *(
            case
            for kind in KINDS
            for case in (
                wrong(f"alert.styles.{kind}.color", "rde", "did you mean 'red'?"),
                wrong(f"alert.styles.{kind}.title", "[a]", "expected text"),
                wrong(f"alert.styles.{kind}.icon", "{a: b}", "expected text"),
            )
        ),
        ignored("alert.styles.hint", "{}", "valid: note, tip"),
    ],
    "theme default": [
        right(
            under(
                "default",
                f"alignment: center\nminimum_size: 4\nminimum_margin:\n  fixed: 1\nmargin:\n  percent: 8\n{COLOURS}",
            )
        ),
        wrong("default.margin", "3", "expected 'key: value'"),
        wrong("default.margin.pixels", "3", "unknown margin 'pixels'"),
        wrong("default.margin.fixed", "65536", "from 0 to 65535"),
        wrong("default.margin.percent", "x", NO_NUMBER),
        wrong("default.margin", "{fixed: 1, percent: 2}", "one of"),
        *colours("default.colors"),
        ignored("default.alignment", "middle", "unknown alignment"),
        ignored("default.minimum_size", "4", "expected 'alignment"),
        ignored("default.minimum_margin", "{fixed: 2}", "expected 'alignment"),
    ],
    "theme headings": [
        right("headings:\n" + "\n".join(indent(under(f"h{level}", HEADING), "  ") for level in range(1, 7))),
        *(case for level in range(1, 7) for case in heading(f"headings.h{level}")),
        right(
            "headings:\n"
            + "\n".join(indent(under(f"h{level}", f"{LEFT}\nitalic: true"), "  ") for level in range(1, 7)),
            claim="to the left, in short",
        ),
        ignored("headings.h7", "{}", "valid: h1"),
    ],
    "theme intro_slide": [
        right(
            under(
                "intro_slide",
                "footer: false\n"
                + "\n".join(under(part, f"{ALIGNED}\n{COLOURS}") for part in INTRODUCTION)
                + "\n  positioning: below_title",
            )
        ),
        right("intro_slide:\n  title:\n    font_size: 2", claim="the title's size"),
        right(under("intro_slide", "\n".join(under(part, LEFT) for part in INTRODUCTION)), claim="to the left"),
        *(
            case
            for part in INTRODUCTION
            for case in (*alignment(f"intro_slide.{part}"), *colours(f"intro_slide.{part}.colors"))
        ),
        wrong("intro_slide.title.font_size", "x", NO_NUMBER),
        wrong("intro_slide.author.positioning", "page_botom", "did you mean 'page_bottom'?"),
        wrong("intro_slide.footer", "x", NO_SWITCH),
    ],
    "theme footer": [
        right(
            under(
                "footer",
                "style: template\nleft: a\ncenter: '{title}'\nright: '{current_slide} / {total_slides}'\nheight: 3\n"
                + COLOURS,
            ).replace("{title}", "{{b}}")
        ),
        right(under("footer", "style: progress_bar\ncharacter: x\n" + COLOURS), claim="a bar"),
        right(under("footer", "style: progress_bar\ncharacter: ="), claim="a bar of what YAML has a meaning for"),
        right(under("footer", "style: empty"), claim="none"),
        right(under("footer", "style: template\nleft:\n  image: picture.png"), claim="a picture"),
        right(under("footer", "style: template\nleft: '{author}'"), body="<!-- no_footer -->\ntext\n",
              claim="a variable that is not there, where no slide has a footer"),
        ignored("footer", "{style: empty, height: 3}", "presenterm ignores 'height'"),
        wrong("footer.style", "bar", "valid: template, progress_bar, empty"),
        refuses("no style", override(under("footer", "left: a")), 5, "needs 'style"),
        refuses("an unknown variable", override(under("footer", "style: template\nleft: '{autor}'")), 6,
                "did you mean 'author'?"),
        refuses("a variable that the front matter lacks",
                override(under("footer", "style: template\nright: '{author}'")), 6, "has no 'author'"),
        refuses("a brace that is not closed", override(under("footer", "style: template\ncenter: '{author'")), 6,
                "not closed"),
        refuses("a brace that closes nothing", override(under("footer", "style: template\ncenter: 'a}'")), 6,
                "closes nothing"),
        refuses("a heading", override(under("footer", "style: template\ncenter: '# a'")), 6, "plain text"),
        refuses("a number", override(under("footer", "style: template\nleft: 3")), 6, "text in quotes"),
        refuses("an unknown picture", override(under("footer", "style: template\nright:\n  image: none.png")), 7,
                "image not found"),
        refuses("a height of letters", override(under("footer", "style: template\nheight: x")), 6, NO_NUMBER),
        refuses("two characters", override(under("footer", "style: progress_bar\ncharacter: xx")), 6, "one character"),
        refuses("a colour without quotes", override(under("footer", "style: template\ncolors:\n  foreground: 333")), 7,
                "in quotes"),
        refuses("an unknown colour", override(under("footer", "style: template\ncolors:\n  background: rde")), 7,
                "did you mean 'red'?"),
    ],
    "theme typst": [
        right(under("typst", f"horizontal_margin: 5\nvertical_margin: 7\n{COLOURS}")),
        wrong("typst.horizontal_margin", "65536", "from 0 to 65535"), wrong("typst.vertical_margin", "x", NO_NUMBER),
        *colours("typst.colors"),
    ],
    "theme mermaid": [
        right("mermaid:\n  theme: dark\n  background: transparent"),
        right("mermaid:\n  theme: 2024-99-99", claim="no date is a text"),
        wrong("mermaid.theme", "[a]", "expected text"), wrong("mermaid.background", "[a]", "expected text"),
    ],
    "theme d2": [right("d2:\n  theme: 200"), wrong("d2.theme", "dark", NO_NUMBER)],
    "theme modals": [
        right(under("modals", f"{COLOURS}\nselection_{COLOURS}")), *colours("modals.colors"),
        *colours("modals.selection_colors"),
    ],
    "theme layout_grid": [
        right("layout_grid:\n  color: p:red"),
        wrong("layout_grid.color", "rde", "did you mean 'red'?"),
    ],
    "theme palette": [
        right(
            under(
                "palette", "colors:\n  mine: '123456'\nclasses:\n  loud:\n    foreground: p:mine\n    background: black"
            ),
            "a b c",
            body="\n<span class='loud'>a</span> <span style='color: palette:mine'>b</span> c\n",
            claim="names of its own",
        ),
        right("palette:\n  colors:\n  classes:", claim="nothing in it"),
        wrong("palette.colors", "5", "expected 'key: value'"),
        wrong("palette.colors.mine", "rde", "did you mean 'red'?"),
        wrong("palette.colors.mine", "p:red", "cannot name each other"),
        wrong("palette.classes", "[loud]", "expected 'key: value'"),
        wrong("palette.classes.loud", "red", "expected 'key: value'"),
        wrong("palette.classes.loud.foreground", "p:lila", "no colour 'lila'"),
        wrong("palette.classes.loud.background", "rde", "did you mean 'red'?"),
    ],
}  # fmt: skip
