"""Pictures."""

from pathlib import Path

from triton_workshop.deck.model import Image, Paragraph, Span

from .case import Cases, fence, front, refuses, shows

PICTURE = Path("picture.png")
"""In the deck's folder."""

IMAGES: Cases = {
    "image": [
        shows("it splits the paragraph it stands in", "a ![](picture.png) b\n", "a b",
              blocks=[Paragraph((Span("a "),)), Image(PICTURE), Paragraph((Span(" b"),))]),
        shows("a width", "![image:width:50%](picture.png)\n", "", blocks=[Image(PICTURE, 50)]),
        shows("a width in short, and a description", "![image:w:7%,a shell](picture.png)\n", "",
              blocks=[Image(PICTURE, 7, "a shell")]),
        shows("a description", "![a shell](picture.png)\n", "", blocks=[Image(PICTURE, None, "a shell")]),
        refuses("an unknown file", "one\n\n![](none.png)\n", 3, "image not found: none.png"),
        refuses("an unknown file in a paragraph", "one\ntwo\n![](none.png)\n", 3, "image not found: none.png"),
        refuses("a file that is no picture", "![](words.png)\n", 1, "not an image"),
        refuses("a folder", "![](deeper)\n", 1, "image cannot be read"),
        refuses("the web", "![](https://example.org/a.png)\n", 1, "must be a file"),
        refuses("another attribute", "![image:height:50%](picture.png)\n", 1, "unknown image attribute 'height'"),
        refuses("no attribute", "![image:](picture.png)\n", 1, "unknown image attribute"),
        refuses("no width", "![image:w:0%](picture.png)\n", 1, "from 1% to 100%"),
        refuses("a width of 101%", "![image:w:101%](picture.png)\n", 1, "from 1% to 100%"),
        refuses("a width without its unit", "![image:width:50](picture.png)\n", 1, "from 1% to 100%"),
    ],
    "option image_attributes_prefix": [
        shows("none", front("options:\n  image_attributes_prefix: ''", "![w:7%](picture.png)\n"), "",
              blocks=[Image(PICTURE, 7)]),
        shows(
            "another",
            front("options:\n  image_attributes_prefix: 'p:'", "![p:w:7%](picture.png)\n\n![image:w:x](picture.png)\n"),
            "", blocks=[Image(PICTURE, 7), Image(PICTURE, None, "image:w:x")],
        ),
        refuses("without one a description is an attribute",
                front("options:\n  image_attributes_prefix: ''", "![a shell](picture.png)\n"), 5,
                "unknown image attribute 'a shell'"),
        refuses("a list", front("options:\n  image_attributes_prefix: []"), 3, "expected text, got a list"),
    ],
    "option auto_render_languages": [
        shows("none is a list", front("options:\n  auto_render_languages: []", fence("python", "x = 1")), "x = 1"),
        shows("nothing is a list, too", front("options:\n  auto_render_languages:"), "text"),
        shows("a language that no block is in", front("options:\n  auto_render_languages: [mermaid]"), "text"),
        refuses("one text", front("options:\n  auto_render_languages: mermaid"), 3, "expected a list"),
        refuses(
            "a language that cannot be drawn", front("options:\n  auto_render_languages: [python]", fence("python")),
            5, "'python' cannot be rendered",
        ),
    ],
}  # fmt: skip
