"""What the server shows of a deck: the page, its style and its pictures, and the values that pages follow."""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
from dataclasses import dataclass

from starlette.responses import Response

from triton_workshop.deck.model import Block, Code, Deck, code_blocks
from triton_workshop.page.assets import LIVE_SCRIPTS, SCRIPTS, asset
from triton_workshop.page.bundle import Inside
from triton_workshop.page.encoding import as_webp, is_picture
from triton_workshop.page.handout import scripts_beside
from triton_workshop.page.markup import Markup
from triton_workshop.page.outputs import Output
from triton_workshop.page.page import colours, links_to, make_page
from triton_workshop.page.slides import REPLACING, Writer
from triton_workshop.room.assets import room_asset
from triton_workshop.room.messages import Edited, Printed
from triton_workshop.room.stream import Value
from triton_workshop.screen.palette import DARK, LIGHT
from triton_workshop.viewer.live.editing import version

FILES = {"live.js": "javascript", "board.js": "javascript", "enter.css": "css"}
"""The files of this package that pages ask for."""
PICTURE_BYTES_KEPT = 96 * 2**20
"""Bytes of pictures that code has shown, beyond which the oldest go."""

Values = dict[str, Value]


@dataclass(frozen=True)
class TextFile:
    """A text, compressed once for all browsers that ask for it, and plain for the others."""

    plain: Response
    compressed: Response

    def answer(self, accepted: str | None) -> Response:
        """The one for what a request says in `Accept-Encoding`."""
        return self.compressed if accepts_gzip(accepted or "") else self.plain


def text_file(text: str, kind: str) -> TextFile:
    data, headers = text.encode(), {"Vary": "Accept-Encoding"}
    compressed = headers | {"Content-Encoding": "gzip"}
    return TextFile(
        Response(data, 200, headers, f"text/{kind}"),
        Response(gzip.compress(data, 6), 200, compressed, f"text/{kind}"),
    )


def accepts_gzip(accepted: str) -> bool:
    """Whether an `Accept-Encoding` allows gzip: `gzip;q=0` does not, and `*` is for all that it does not name."""
    codings = {
        name.strip().lower(): weight.replace(" ", "").lower()
        for name, _, weight in (each.partition(";") for each in accepted.split(","))
    }
    weight = next((codings[name] for name in ("gzip", "x-gzip", "*") if name in codings), "q=0")
    return not re.fullmatch(r"q=0?(\.0*)?", weight)


def board_style() -> str:
    """The style of the board, with the colours of both palettes."""
    light = f"@media (prefers-color-scheme: light) {{ :root {{ color-scheme: light; {colours(LIGHT)} }} }}"
    rules = room_asset("board.css")
    return f":root {{ color-scheme: dark; {colours(DARK)} }}\n{light}\n{rules}"


class Pictures:
    """The pictures of the page, and those that code has shown last. A picture becomes WebP when it is first asked for.

    The page of a deck with many diagrams is there at once that way, and a block's picture does not keep back what
    other blocks print.
    """

    def __init__(self) -> None:
        self._of_page: dict[str, bytes] = {}
        self._shown: dict[str, bytes] = {}
        self._encoding = threading.Lock()

    def begin_page(self) -> None:
        """From now on, pictures are a new page's; who has the page before still finds its pictures."""
        self._shown |= self._of_page
        self._of_page = {}

    def on_page(self, data: bytes) -> str | None:
        """The address of a picture of the deck; None if it cannot be read."""
        return self._kept(self._of_page, data)

    def printed(self, data: bytes) -> str | None:
        """The address of a picture that code has shown; None if it cannot be read."""
        address = self._kept(self._shown, data)
        size = sum(map(len, self._shown.values()))
        for name in [*self._shown][:-1]:
            if size <= PICTURE_BYTES_KEPT:
                break
            size -= len(self._shown.pop(name))
        return address

    def _kept(self, store: dict[str, bytes], data: bytes) -> str | None:
        if not is_picture(data):
            return None
        name = hashlib.sha256(data).hexdigest()[:32]
        store.pop(name, None)
        store[name] = data
        return f"picture/{name}.webp"

    def encode_page(self) -> None:
        """Do now, in a thread that nobody waits for, what the first to open the page would wait for."""
        for name in [*self._of_page]:
            self.webp(name)

    def webp(self, name: str) -> bytes | None:
        """The picture of this name; it may take a moment."""
        with self._encoding:
            store = self._of_page if name in self._of_page else self._shown
            data = store.get(name)
            if data is None or (made := as_webp(data)) is None:
                return None
            store[name] = made  # is returned as it is the next time
            return made


class Site:
    """The deck that is shown. One thread writes; `file` and `pictures.webp` may be called from any."""

    def __init__(self, inside: Inside | None = None) -> None:
        """What is `inside` lets the pages run kernels."""
        self._inside = inside
        self.pieces = {name: data for blob in inside.blobs for name, data in blob.pieces().items()} if inside else {}
        """What kernels need, by the names of pieces."""
        self._files = {name: text_file(room_asset(name), kind) for name, kind in FILES.items()}
        self._files |= {name: text_file(asset(name), "javascript") for name in LIVE_SCRIPTS}
        self._files["board.css"] = text_file(board_style(), "css")
        self.pictures = Pictures()
        self._rules: dict[int, str] = {}
        self._edits: dict[int, str | None] = {}
        self._outputs: dict[Block, Output] = {}

    def file(self, name: str) -> TextFile | None:
        """The file at this address; the page itself is at the empty one."""
        return self._files.get(name)

    def show(self, deck: Deck) -> Values:
        """Write the page of a deck; return what pages learn from it."""
        scripts = scripts_beside(deck)
        self.pictures.begin_page()
        self._outputs, self._rules, self._edits = {}, {}, {}
        self._writer = Writer(
            deck, self._outputs, links_to(scripts), self.pictures.on_page, alone=False, live=self._inside is not None
        )
        self._blocks = code_blocks(deck)
        page = make_page(self._writer, scripts)
        scripts_used = (*(LIVE_SCRIPTS if self._inside else SCRIPTS), "live.js")
        style = f"style.css?{page.version}"
        text = page.with_files(style, *scripts_used, inside=self._inside, beside="piece/")
        self._files |= {"": text_file(text, "html"), "style.css": text_file(page.style, "css")}
        self._writer.address = self.pictures.printed
        return {"style": "", "deck": page.version}

    def print(self, told: Printed) -> Values:
        """What pages learn from what a block has printed."""
        block = self._blocks[told.index]
        if told.output is None:
            self._outputs.pop(block, None)
        else:
            self._outputs[block] = told.output
        markup = self._writer.markup = Markup()
        shown = None if told.output is None else self._writer.output(told.output)
        self._rules[told.index] = markup.rules()
        values: Values = {"style": "\n".join(filter(None, self._rules.values())), f"output-{told.index}": shown}
        assert isinstance(block.content, Code)
        if block.content.execution in REPLACING:
            values[f"code-{told.index}"] = self._code(told.index)
        return values

    def edit(self, told: Edited) -> Values:
        """What pages learn from what the presenter has typed over a block."""
        self._edits[told.index] = told.text
        return {f"code-{told.index}": self._code(told.index)}

    def _code(self, index: int) -> str:
        block, text = self._blocks[index], self._edits.get(index)
        return self._writer.code(block if text is None else version(block, text))
