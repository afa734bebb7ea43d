"""Page, style and pictures of the deck that the server shows."""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
from dataclasses import dataclass

from starlette.responses import Response

from triton_workshop.deck.model import Block, Code, Deck, code_blocks
from triton_workshop.page.assets import LIVE_SCRIPTS, SCRIPTS, asset
from triton_workshop.page.bundle import PageBundle
from triton_workshop.page.encoding import as_webp, is_picture
from triton_workshop.page.handout import linked_scripts
from triton_workshop.page.markup import Markup
from triton_workshop.page.outputs import Output
from triton_workshop.page.page import colours, make_page, script_links
from triton_workshop.page.slides import REPLACING, Writer
from triton_workshop.room.assets import room_asset
from triton_workshop.room.messages import BlockEdit, BlockOutput
from triton_workshop.room.stream import Value
from triton_workshop.screen.palette import DARK, LIGHT
from triton_workshop.viewer.live.editing import version

ASSETS = {"live.js": "javascript", "board.js": "javascript", "enter.css": "css"}
"""Files of this package that pages ask for."""
GPU_SCRIPTS = ("times.js", "gpus.js")
"""Scripts of pages in a room with GPUs."""
MAX_OUTPUT_PICTURE_BYTES = 96 * 2**20
"""Bytes of pictures by code, beyond which the oldest go."""

Values = dict[str, Value]


@dataclass(frozen=True)
class TextFile:
    """A text, compressed once for all browsers that accept that."""

    plain: Response
    compressed: Response

    def response(self, accept_encoding: str | None) -> Response:
        """Return the response for a request's `Accept-Encoding`."""
        accepts_compressed = accepts_gzip(accept_encoding or "")
        return self.compressed if accepts_compressed else self.plain


def text_file(text: str, kind: str) -> TextFile:
    """Return a text as a file of this subtype of `text/`."""
    data, headers = text.encode(), {"Vary": "Accept-Encoding"}
    compressed = headers | {"Content-Encoding": "gzip"}
    return TextFile(
        Response(data, 200, headers, f"text/{kind}"),
        Response(gzip.compress(data, 6), 200, compressed, f"text/{kind}"),
    )


def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether an `Accept-Encoding` allows gzip.

    `gzip;q=0` does not, and `*` is for all that it does not name.
    """
    codings = {}
    for coding in accept_encoding.split(","):
        name, _, weight = coding.partition(";")
        codings[name.strip().lower()] = weight.replace(" ", "").lower()
    weight = next((codings[name] for name in ("gzip", "x-gzip", "*") if name in codings), "q=0")
    return not re.fullmatch(r"q=0?(\.0*)?", weight)


def board_style() -> str:
    """Return the style of the board, with the colours of both palettes."""
    light = f"@media (prefers-color-scheme: light) {{ :root {{ color-scheme: light; {colours(LIGHT)} }} }}"
    rules = room_asset("board.css")
    return f":root {{ color-scheme: dark; {colours(DARK)} }}\n{light}\n{rules}"


class PictureStore:
    """Pictures of the deck, and the latest pictures of outputs.

    A picture becomes WebP when it is first asked for. The page of a deck with many diagrams is there at once that
    way, and a block's picture does not keep back what other blocks print.
    """

    def __init__(self) -> None:
        self._of_deck: dict[str, bytes] = {}
        self._of_outputs: dict[str, bytes] = {}
        self._encoding = threading.Lock()

    def start_deck(self) -> None:
        """Start a new deck; open pages still find the pictures of the last one."""
        self._of_outputs |= self._of_deck
        self._of_deck = {}

    def add_deck_picture(self, data: bytes) -> str | None:
        """Return the address of a picture of the deck; None if it is unreadable."""
        return self._add(self._of_deck, data)

    def add_output_picture(self, data: bytes) -> str | None:
        """Return the address of a picture by code; None if it is unreadable."""
        address = self._add(self._of_outputs, data)
        size = sum(map(len, self._of_outputs.values()))
        for name in [*self._of_outputs][:-1]:
            if size <= MAX_OUTPUT_PICTURE_BYTES:
                break
            size -= len(self._of_outputs.pop(name))
        return address

    def _add(self, store: dict[str, bytes], data: bytes) -> str | None:
        if not is_picture(data):
            return None
        name = hashlib.sha256(data).hexdigest()[:32]
        store.pop(name, None)
        store[name] = data
        return f"picture/{name}.webp"

    def encode_deck_pictures(self) -> None:
        """Encode the deck's pictures in advance, in a thread.

        Otherwise the first to open the page would wait for them.
        """
        for name in [*self._of_deck]:
            self.webp(name)

    def webp(self, name: str) -> bytes | None:
        """Return the picture of this name; it may take a moment."""
        with self._encoding:
            store = self._of_deck if name in self._of_deck else self._of_outputs
            data = store.get(name)
            if data is None:
                return None
            encoded = as_webp(data)
            if encoded is None:
                return None
            store[name] = encoded  # is returned as it is the next time
            return encoded


class LivePage:
    """Page of the deck that is shown.

    One thread writes; `file` and `pictures.webp` may be called from any.
    """

    def __init__(self, bundle: PageBundle | None = None, *, gpus: bool = False) -> None:
        """Create a page, in which kernels run if there is a bundle.

        If the room has GPUs, they run there, too.
        """
        self._bundle, self._has_gpus = bundle, gpus and bundle is not None
        self.pieces: dict[str, bytes] = {}
        """Pieces of the bundle by name."""
        blobs = bundle.blobs if bundle else ()
        for blob in blobs:
            self.pieces |= blob.pieces()
        self._files = {name: text_file(room_asset(name), kind) for name, kind in ASSETS.items()}
        self._files |= {name: text_file(asset(name), "javascript") for name in LIVE_SCRIPTS}
        if self._has_gpus:
            self._files |= {name: text_file(room_asset(name), "javascript") for name in GPU_SCRIPTS}
        self._files["board.css"] = text_file(board_style(), "css")
        self.pictures = PictureStore()
        self._rules: dict[int, str] = {}
        self._edits: dict[int, str | None] = {}
        self._outputs: dict[Block, Output] = {}

    def file(self, name: str) -> TextFile | None:
        """Return the file at this address; the page itself is at the empty one."""
        return self._files.get(name)

    def set_deck(self, deck: Deck) -> Values:
        """Write the page of a deck; return the values for pages that follow."""
        scripts = linked_scripts(deck)
        self.pictures.start_deck()
        self._outputs, self._rules, self._edits = {}, {}, {}
        self._writer = Writer(
            deck,
            self._outputs,
            script_links(scripts),
            self.pictures.add_deck_picture,
            self_study=False,
            live=self._bundle is not None,
        )
        self._blocks = code_blocks(deck)
        page = make_page(self._writer, scripts)
        scripts_used = (
            *(LIVE_SCRIPTS if self._bundle else SCRIPTS),
            *(GPU_SCRIPTS if self._has_gpus else ()),
            "live.js",
        )
        rules = f"{page.style}\n{room_asset('gpus.css')}" if self._has_gpus else page.style
        style = f"style.css?{page.version}"
        text = page.with_files(style, *scripts_used, bundle=self._bundle, folder="piece/")
        self._files |= {"": text_file(text, "html"), "style.css": text_file(rules, "css")}
        self._writer.address = self.pictures.add_output_picture
        # The style has the rules of outputs, and those of the deck before are void.
        return {"style": "", "deck": page.version}

    def set_output(self, message: BlockOutput) -> Values:
        """Write the output of a block; return the values for pages."""
        block = self._blocks[message.index]
        if message.output is None:
            self._outputs.pop(block, None)
        else:
            self._outputs[block] = message.output
        markup = self._writer.markup = Markup()
        markup_text = None if message.output is None else self._writer.output(message.output)
        self._rules[message.index] = markup.rules()
        values: Values = {
            "style": "\n".join(filter(None, self._rules.values())),
            f"output-{message.index}": markup_text,
        }
        assert isinstance(block.content, Code)
        # There an output hides the code, which shows again if the output fails or goes.
        if block.content.execution in REPLACING:
            values[f"code-{message.index}"] = self._code(message.index)
        return values

    def set_code(self, message: BlockEdit) -> Values:
        """Write the code of a block; return the values for pages."""
        self._edits[message.index] = message.text
        return {f"code-{message.index}": self._code(message.index)}

    def _code(self, index: int) -> str:
        block, text = self._blocks[index], self._edits.get(index)
        return self._writer.code(block if text is None else version(block, text))
