"""Code blocks: the language, the attributes, the lines that are highlighted and those that are hidden."""

from .case import Cases, fence, refuses, shows

FOUR = "a\nb\nc\nd"

CODE_BLOCKS: Cases = {
    "code": [
        shows("lines between backticks", fence("", "one\n  two"), "one two"),
        shows("between tildes", "~~~python\nx = 1\n~~~\n", "x = 1"),
        shows("an unknown language", fence("prose", "x"), "x"),
        shows("a language in capitals", fence("Python", "x"), "x"),
        shows("a block that is not closed goes to the end", "```python\na\n", "a"),
        shows("no lines", "```python\n```\n", ""),
        shows("a tab is four blanks", fence("python", "if 1:\n\tpass"), "if 1: pass"),
        shows("attributes stuck to the language", fence("python{1}"), "x", warning=(1, "put a space")),
        refuses("an unknown attribute", "text\n\n" + fence("python +exce"), 3, "did you mean '+exec'?"),
        refuses("an attribute without its plus", fence("python exec"), 1, "did you mean '+exec'?"),
        refuses("one of a later presenterm", fence("python +env:A=1"), 1, "unknown attribute '+env'"),
        refuses("one in capitals", fence("python +EXEC"), 1, "did you mean '+exec'?"),
    ],
    "hidden lines": [
        shows("three slashes and a blank", fence("python", "/// import os\nprint(1)"), "print(1)"),
        shows("not without the blank", fence("python", "///\nx"), "/// x"),
        shows("not indented", fence("python", " /// x"), "/// x"),
        shows("in Rust a hash", fence("rust", "# hidden\nshown"), "shown"),
        shows("in Elixir two", fence("elixir", "## hidden\nshown"), "shown"),
        shows("in prose none", fence("text", "/// shown"), "/// shown"),
        shows("in Lua none", fence("lua", "/// shown"), "/// shown"),
    ],
    "highlights": [
        shows("groups are steps", fence("python {1|2-3|all}", FOUR), ["a b c d"] * 3),
        shows("one group is none", fence("python {1,3}", FOUR), "a b c d"),
        shows("nothing is all", fence("python {}", FOUR), "a b c d"),
        shows("blanks between", fence("python { 1 , 2 }+exec", FOUR), "a b c d"),
        shows("a plus before a number", fence("python {+1}", FOUR), "a b c d"),
        shows("backwards lights nothing", fence("python {3-1}", FOUR), "a b c d"),
        shows("two blocks, one after the other", fence("python {1|2}", "a\nb") + "\n" + fence("python {1|2}", "c\nd"),
              ["a b c d"] * 3),
        shows(
            "a pause waits for them", fence("python {1|2}", "a\nb") + "\n<!-- pause -->\nc\n", ["a b", "a b", "a b c"]
        ),
        shows("a line that is not there", fence("python {1|9}"), ["x", "x"], warning=(1, "line 9 is highlighted")),
        shows("line 0", fence("python {0-1}"), "x", warning=(1, "line 0 is highlighted")),
        refuses("given twice", fence("python {1} {2}"), 1, "given twice"),
        refuses("not closed", fence("python {1"), 1, "not closed"),
        refuses("words", fence("python {one}"), 1, "got 'one'"),
        refuses("an empty group", fence("python {1||2}"), 1, "highlighted lines"),
        refuses("65536 lines", fence("python {1-65535}"), 1, "highlighted lines"),
    ],
    "+line_numbers": [
        shows("before each line", fence("python +line_numbers", "a\nb"), "1 a 2 b"),
        shows("hidden lines have none", fence("python +line_numbers", "/// a\nb"), "1 b"),
        refuses("it takes no value", fence("python +line_numbers:2"), 1, "takes no value"),
        refuses("twice", fence("python +line_numbers +line_numbers"), 1, "given twice"),
    ],
    "+no_background": [
        shows("no panel", fence("python +no_background"), "x"),
        refuses("it takes no value", fence("python +no_background:x"), 1, "takes no value"),
    ],
    "+exec": [
        shows("it runs on a key", fence("python +exec"), "x"),
        shows("by another program", fence("python +exec:uv"), "x"),
        shows("by the language's other name", fence("sh +exec"), "x"),
        refuses("a language that cannot be run", fence("py +exec"), 1, "did you mean 'python'?", without_x=("x",)),
        refuses("an unknown program", fence("python +exec:uw"), 1, "valid: uv", without_x=("x",)),
        refuses("a program where there is one only", fence("bash +exec:uv"), 1, "it has none", without_x=("x",)),
        refuses("twice", fence("python +exec +exec:uv"), 1, "+exec is given twice"),
    ],
    "+auto_exec": [
        shows("it runs when the deck loads", fence("python +auto_exec"), "x"),
        shows("beside +exec", fence("python +exec +auto_exec"), "x"),
        refuses(
            "a language that cannot be run", fence("prose +auto_exec"), 1, "'prose' cannot be run", without_x=("x",)
        ),
        refuses("twice", fence("python +auto_exec +auto_exec"), 1, "given twice"),
    ],
    "+exec_replace": [
        shows("the output takes the code's place", fence("python +exec_replace"), "x"),
        shows("beside +exec", fence("python +exec +exec_replace"), "x"),
        shows("it has no highlight steps", fence("python +exec_replace {1|2}", "a\nb"), "a b"),
        refuses("beside +image", fence("python +exec_replace +image"), 1, "only one of"),
        refuses(
            "a language that cannot be run", fence("prose +exec_replace"), 1, "'prose' cannot be run", without_x=("x",)
        ),
    ],
    "+image": [
        shows("the output is a picture", fence("python +image"), "x"),
        refuses("it takes no value", fence("python +image:x"), 1, "takes no value"),
    ],
    "+acquire_terminal": [
        shows("it runs", fence("bash +acquire_terminal"), "x"),
        shows("by another program", fence("python +acquire_terminal:uv"), "x"),
        refuses("an unknown program", fence("bash +acquire_terminal:x"), 1, "it has none", without_x=("x",)),
    ],
    "+pty": [
        shows("it runs", fence("bash +pty"), "x"),
        shows("of this size", fence("bash +exec +pty:80:24"), "x"),
        shows("on standby", fence("bash +pty:standby"), "x"),
        shows("on standby, of this size", fence("bash +pty:standby:80:24"), "x"),
        refuses("columns without rows", fence("bash +pty:80"), 1, "[standby:]COLUMNS:ROWS"),
        refuses("nothing before the size", fence("bash +pty::80:24"), 1, "[standby:]COLUMNS:ROWS"),
        refuses("words", fence("bash +pty:wide:high"), 1, "[standby:]COLUMNS:ROWS"),
    ],
    "+id": [
        shows("it names the block", fence("bash +exec +id:x"), "x"),
        refuses("no name", fence("bash +exec +id"), 1, "+id:NAME"),
    ],
    "snippet_output": [
        shows(
            "the block's output stands here",
            fence("bash +exec +id:x") + "\n<!-- end_slide -->\n\n<!-- snippet_output: x -->\n",
            "x",
            "presenterm shows the output of 'x' here; this viewer shows it below its code.",
            unlike="an output stands below its code",
        ),
        refuses("it needs a name", "<!-- snippet_output -->\n", 1, "'snippet_output' needs a value"),
    ],
    "+validate": [
        shows("it is checked, not run", fence("python +validate"), "x"),
        shows("by another program", fence("python +validate:uv"), "x"),
        refuses("a language that cannot be run", fence("prose +validate"), 1, "'prose' cannot be run"),
        refuses("an unknown program", fence("python +validate:x"), 1, "valid: uv"),
    ],
    "+expect": [
        shows("success", fence("python +exec +expect:success"), "x"),
        shows("failure", fence("python +exec +expect:failure"), "x"),
        shows("failure in short", fence("python +expect:fail"), "x"),
        refuses("anything else", fence("python +expect:x"), 1, "expected success or failure"),
        refuses("nothing", fence("python +expect"), 1, "+expect:success|failure"),
    ],
    "+render": [
        shows("its source is shown", fence("mermaid +render"), "x"),
        refuses("beside +exec", fence("mermaid +render +exec"), 1, "+render cannot be used"),
        refuses("another language", fence("python +render"), 1, "valid: mermaid"),
        refuses("it takes no value", fence("mermaid +render:x"), 1, "takes no value"),
    ],
    "+width": [
        shows("of what is drawn", fence("mermaid +render +width:40%"), "x"),
        refuses("without +render", fence("python +width:50%"), 1, "only be used with +render"),
        refuses("over 100%", fence("mermaid +render +width:101%"), 1, "from 1% to 100%"),
        refuses("without its unit", fence("mermaid +render +width:40"), 1, "from 1% to 100%"),
    ],
    "file": [
        shows("its lines are the file's", fence("file", "path: code.py\nlanguage: python"), "one two three four"),
        shows("from one to another", fence("file +exec", "path: code.py\nlanguage: python\nstart_line: 2\nend_line: 3"),
              "two three"),
        shows("to one", fence("file", "path: code.py\nlanguage: python\nend_line: 1"), "one"),
        shows("beyond its end", fence("file", "path: code.py\nlanguage: python\nstart_line: 9"), ""),
        shows(
            "another key is passed over", fence("file", "path: code.py\nlanguage: python\nx: y"), "one two three four"
        ),
        refuses("an unknown file", fence("file", "path: none.py\nlanguage: python"), 2, "not found: none.py"),
        refuses("without its language", fence("file", "path: code.py"), 2, "needs 'language"),
        refuses("words for a line", fence("file", "path: code.py\nlanguage: python\nstart_line: x"), 4, "whole number"),
        refuses("a language that cannot be run", fence("file +exec", "path: code.py\nlanguage: py"), 1,
                "did you mean 'python'?", without_x=("one two three four",)),
        refuses("no YAML", fence("file", "path: ["), 2, "not valid YAML"),
    ],
}  # fmt: skip
