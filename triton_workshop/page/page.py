"""HTML page of a deck, with style, script, pictures and exercises."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from urllib.parse import quote

from triton_workshop.deck.model import Deck, Slide
from triton_workshop.page.assets import LIVE_SCRIPTS, SCRIPTS, STYLES, asset
from triton_workshop.page.bundle import Blob, PageBundle, digest, frame_script, script_sources
from triton_workshop.page.exercises import exercises
from triton_workshop.page.markup import element, escaped, is_colour
from triton_workshop.page.slides import Writer
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.screen.richtext import code_lines
from triton_workshop.viewer.notes.schedule import TalkSection, schedule, without_time

NOBODY, SELF = "'none'", "'self'"
OFFLINE = "offline.js"
"""Service worker of a site, in its folder: it keeps the page for when there is no network."""
DESCRIPTION = "GPU programming with Triton: kernels to predict, run and write, checked in the page, without a GPU."
_TRIDENT = "<path d='M4 3v4a4 4 0 0 0 8 0V3M8 2v12' fill='none' stroke='#0e6673' stroke-width='2'/>"
_SVG = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>{_TRIDENT}</svg>"
ICON = f"data:image/svg+xml,{quote(_SVG)}"
NONCE = "editor"
"""Nonce of the style sheets that the editor adds while it runs.

The editor has it from `EditorView.cspNonce.of("editor")`.
"""


@dataclass(frozen=True)
class Page:
    """Deck as HTML: its body and its style."""

    title: str
    body: str
    style: str

    def standalone(self, bundle: PageBundle | None = None, folder: str = "", preview: str = "") -> str:
        """Return one file that needs nothing else.

        Kernels run in it if there is a bundle, whose blobs are files in `folder`, or else within the page. `preview` is
        the address of a picture for links to the page.
        """
        names = LIVE_SCRIPTS if bundle else SCRIPTS
        scripts = [asset(name) for name in names]
        # Nothing from any host, and of scripts and styles only those with these digests.
        styles, sources, permissions = digest(self.style), " ".join(map(digest, scripts)), ""
        if bundle:
            styles, sources = f"{styles} 'nonce-{NONCE}'", script_sources(*scripts, frame_script())
            workers, hosts = (SELF, SELF) if folder else ("", NOBODY)
            permissions = f"worker-src blob: {workers}; connect-src {hosts}; "
        policy = (
            f"default-src {NOBODY}; img-src data: blob:; style-src {styles}; script-src {sources}; {permissions}"
            f"base-uri {NOBODY}; form-action {NOBODY}"
        )
        head = f"""<meta http-equiv="Content-Security-Policy" content="{escaped(policy)}">
<style>{self.style}</style>"""
        script_tags = "".join(f"<script>{script}</script>" for script in scripts)
        if preview:
            head += f'\n<meta property="og:image" content="{escaped(preview)}">'
        tail = script_tags
        if bundle:
            separate_blobs = bundle.blobs if folder else ()
            # In lists, as in a room a blob has several pieces.
            addresses = [[blob.address(folder)] for blob in separate_blobs]
            tail = _bundle_markup(bundle, addresses) + script_tags
            # The scripts come before the parts, so that nobody waits for all of the file to press a button.
            if not folder:
                tail += _embedded_parts(bundle)
        return self._document(head, tail, OFFLINE if folder else "")

    def with_files(self, style: str, *scripts: str, bundle: PageBundle | None = None, folder: str = "") -> str:
        """Return the page with its style and scripts at these addresses.

        The pieces of a bundle are in `folder`.
        """
        head = f'<link rel="stylesheet" href="{escaped(style)}">'
        tail = "".join(f'<script src="{escaped(script)}"></script>' for script in scripts)
        if bundle:
            pieces = [_piece_addresses(blob, folder) for blob in bundle.blobs]
            tail = _bundle_markup(bundle, pieces) + tail
        return self._document(head, tail)

    @property
    def version(self) -> str:
        """Digest of the page."""
        return hashlib.sha256((self.style + self.body).encode()).hexdigest()[:16]

    def _document(self, head: str, scripts: str, offline: str = "") -> str:
        offline_attribute = f' data-offline="{offline}"' if offline else ""
        return f"""<!doctype html>
<html lang="en" class="no-js">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(self.title)}</title>
<meta name="description" content="{DESCRIPTION}">
<meta property="og:title" content="{escaped(self.title)}">
<meta property="og:description" content="{DESCRIPTION}">
<link rel="icon" href="{ICON}">
{head}
</head>
<body data-version="{self.version}"{offline_attribute}>
{self.body}
{scripts}
</body>
</html>
"""


def make_page(
    writer: Writer, scripts: Mapping[str, str], preface: str = "", sections: Sequence[TalkSection] = ()
) -> Page:
    """Return the page for the writer's deck.

    `scripts` are texts of scripts that the deck names, by their path. `preface` stands before the slides, as HTML.
    `sections` are those of the contents, by default those of the deck's plan.
    """
    deck = writer.deck
    slides = "\n".join(writer.slide(slide, number) for number, slide in enumerate(deck.slides, 1))
    appendix = "\n".join(_script(writer, path, text) for path, text in scripts.items())
    body = f"""<a class="skip" href="#slide-1">Skip to the slides</a>
<header>
<h1>{escaped(deck_name(deck))}</h1>
<div class="tools" role="toolbar" aria-label="View"></div>
</header>
<nav aria-label="Contents">
{_contents(deck, scripts, sections or schedule(deck).sections)}
</nav>
<main>
{preface}
{slides}
{element("h2", "Exercises and solutions", class_="part", id="scripts") + appendix if scripts else ""}
</main>"""
    style = "\n".join((_variables(), *map(asset, STYLES), _rules(writer)))
    return Page(deck_name(deck), body, style)


def script_links(scripts: Iterable[str]) -> dict[str, str]:
    """Return the page's anchors of scripts, by the text that names them."""
    links = {path: f"#{_anchor(path)}" for path in scripts}
    return links | {f"uv run {path}": target for path, target in links.items()}


def deck_name(deck: Deck) -> str:
    """Return the title of the page.

    It is the front matter's title, or else the first slide's name without its time.
    """
    names = (without_time(slide.name) for slide in deck.slides if slide.name)
    return deck.front_matter.title or next(names, deck.path.stem)


def _contents(deck: Deck, scripts: Mapping[str, str], sections: Sequence[TalkSection]) -> str:
    """Return links to all slides, by section of the talk, and to the scripts."""
    names = (_slide_name(deck, slide) for slide in deck.slides)
    entries = [  # with their numbers, as a search leaves some out
        element("li", element("a", escaped(name or f"Slide {number}"), href=f"#slide-{number}"), value=str(number))
        for number, name in enumerate(names, 1)
    ]
    # A deck without a schedule is one section.
    parts = sections or (TalkSection("Slides", 0, 0, 0),)
    edges = pairwise((*(section.first for section in parts), len(entries)))
    groups = [
        _group(section.name, "ol", entries[first:end]) for section, (first, end) in zip(parts, edges, strict=True)
    ]
    script_entries = [element("li", element("a", escaped(path), href=f"#{_anchor(path)}")) for path in scripts]
    groups += [_group("Exercises and solutions", "ul", script_entries)] if script_entries else []
    return element("details", element("summary", "Contents") + "\n".join(groups), class_="contents", open="")


def _slide_name(deck: Deck, slide: Slide) -> str:
    """Return a slide's name in the contents; empty if it has none."""
    name = deck.title if slide.introduction else slide.name
    return without_time(name or "")


def _group(name: str, kind: str, entries: Sequence[str]) -> str:
    return element("details", element("summary", escaped(name)) + element(kind, "".join(entries)))


def _anchor(path: str) -> str:
    return path.replace("/", "-").removesuffix(".py")


def _script(writer: Writer, path: str, text: str) -> str:
    lines = code_lines("python", tuple(text.removesuffix("\n").split("\n")), DARK)
    code = "".join(element("span", f"{writer.markup.code(line)}\n", class_=writer.line_class(line)) for line in lines)
    figure = element("figure", element("pre", element("code", code)), class_="code")
    return element("details", element("summary", escaped(path)) + figure, id=_anchor(path), class_="script")


def _variables() -> str:
    """Return the colours of both palettes."""
    dark, light = colours(DARK), colours(LIGHT)
    rules = "\n".join(
        f".t-{name}{{color:var(--{name})}}.g-{name}{{background-color:var(--{name})}}" for name in _names(DARK)
    )
    return "\n".join(
        (
            f":root,.dark{{color-scheme:dark;{dark}}}",
            f"@media (prefers-color-scheme:light){{:root:not([data-theme=dark]){{color-scheme:light;{light}}}}}",
            f":root[data-theme=light]{{color-scheme:light;{light}}}",
            f"@media print{{:root{{color-scheme:light;{light}}}}}",
            rules,
        )
    )


def _names(palette: Palette) -> dict[str, str]:
    values = {field.name.replace("_", "-"): getattr(palette, field.name) for field in fields(palette)}
    return {name: value for name, value in values.items() if is_colour(value)}


def colours(palette: Palette) -> str:
    """Return a palette as variables of a style sheet."""
    return "".join(f"--{name}:{value};" for name, value in _names(palette).items())


def _rules(writer: Writer) -> str:
    """Return rules for the deck's own colours, columns, widths and indents."""
    # The page's policy allows no element a style of its own, so that each width becomes a class.
    columns = (
        f".columns-{'-'.join(map(str, weights))}{{grid-template-columns:{'fr '.join(map(str, weights))}fr}}"
        for weights in sorted(writer.weights)
    )
    widths = (f".wide-{width}{{width:{width}%}}" for width in sorted(writer.widths))
    wide = "\n".join((*columns, *widths))
    indents = "".join(f".indent-{indent}{{--indent:{indent}}}" for indent in sorted(writer.indents))
    return f"{writer.markup.rules()}\n{indents}\n@media (min-width:50rem),print{{{wide}}}"


def _bundle_markup(bundle: PageBundle, addresses: Sequence[Sequence[str]]) -> str:
    """Return the exercises, the licences, and the list of blobs."""
    listed: list[dict[str, object]] = [{"name": blob.name, "size": len(blob.data)} for blob in bundle.blobs]
    # Blobs inside the page itself have no addresses.
    for entry, urls in zip(listed, addresses, strict=False):
        entry |= {"addresses": [*urls]}
    licences = element("summary", "Licences") + element("pre", escaped(bundle.licences), tabindex="0")
    return (
        f"{exercises()}\n"
        f"{element('details', licences, class_='script', id='licences')}\n"
        f'<script type="application/json" id="parts">{json.dumps(listed)}</script>\n'
    )


def _piece_addresses(blob: Blob, folder: str) -> list[str]:
    return [f"{folder}{name}" for name in blob.pieces()]


def _embedded_parts(bundle: PageBundle) -> str:
    return "".join(
        f'<script type="text/plain" data-part="{blob.name}">{base64.b64encode(blob.data).decode()}</script>\n'
        for blob in bundle.blobs
    )
