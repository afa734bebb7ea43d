"""What presenterm's Markdown has beyond CommonMark: alerts, `>>>` quotes, footnotes, superscript, wiki links."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.blockquote import blockquote
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

ALERTS = ("note", "tip", "important", "warning", "caution")

_ALERT = re.compile(rf"> \[!({'|'.join(ALERTS)})\](.*)", re.IGNORECASE)
_QUOTE_FENCE = re.compile(r">{3,}[ \t]*")
_FOOTNOTE = re.compile(r"\[\^([^\] \r\n\t]+)\]:[ \t]*(.*)")
_WIKI_LINK = re.compile(r"\[\[([^\[\]\n|]+)(?:\|([^\[\]\n|]+))?\]\]")
_CARET = ord("^")


class PresentermMarkdown(MarkdownIt):
    """markdown-it with presenterm's syntax. Addresses stay as they are written: they are paths here."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": True, "strikethrough_single_tilde": True})
        self.enable(["table", "strikethrough"])
        self.block.ruler.before("blockquote", "alert", _alert)
        self.block.ruler.before("blockquote", "fenced_quote", _fenced_quote, {"alt": ["paragraph"]})
        self.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph"]})
        self.inline.ruler.before("link", "footnote_reference", _footnote_reference)
        self.inline.ruler.before("link", "wiki_link", _wiki_link)
        self.inline.ruler.before("link", "superscript", _superscript)
        self.inline.ruler2.after("balance_pairs", "superscript", _superscript_pairs)

    def normalizeLink(self, url: str) -> str:
        return url

    def validateLink(self, url: str) -> bool:
        return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _alert(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`> [!note] title`: a quote whose first line says what kind it is."""
    match = None if state.is_code_block(start) else _ALERT.fullmatch(_line(state, start))
    if not match or silent:
        return match is not None
    opening = len(state.tokens)
    next_line = start + 1
    if next_line < end and blockquote(state, next_line, end, False):
        token = state.tokens[opening]
    else:
        token = state.push("blockquote_open", "blockquote", 1)
        state.push("blockquote_close", "blockquote", -1)
        state.line = next_line
    token.map = [start, state.line]
    token.meta["alert"] = match[1].lower()
    token.meta["title"] = unescapeAll(match[2].strip())
    return True


def _fenced_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A quote between two lines of `>>>`."""
    if state.is_code_block(start) or not _QUOTE_FENCE.fullmatch(_line(state, start)):
        return False
    if silent:
        return True
    closing = next((line for line in range(start + 1, end) if _QUOTE_FENCE.fullmatch(_line(state, line))), end)
    token = state.push("blockquote_open", "blockquote", 1)
    token.map = [start, min(closing + 1, end)]
    state.md.block.tokenize(state, start + 1, closing)
    state.push("blockquote_close", "blockquote", -1)
    state.line = token.map[1]
    return True


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`[^label]: text`, with the lines that follow up to an empty one."""
    match = None if state.is_code_block(start) else _FOOTNOTE.fullmatch(_line(state, start))
    if not match or silent:
        return match is not None
    next_line = start + 1
    while next_line < end and not state.isEmpty(next_line) and not _FOOTNOTE.fullmatch(_line(state, next_line)):
        next_line += 1
    label = match[1]
    state.env.setdefault("footnotes", set()).add(label)
    token = state.push("footnote_open", "", 1)
    token.info = label
    token.map = [start, next_line]
    token = state.push("inline", "", 0)
    token.content = "\n".join([match[2], *(_line(state, line) for line in range(start + 1, next_line))])
    token.map = [start, next_line]
    token.children = []
    state.push("footnote_close", "", -1)
    state.line = next_line
    return True


def _footnote_reference(state: StateInline, silent: bool) -> bool:
    match = re.compile(r"\[\^([^\] \n\t]+)\]").match(state.src, state.pos, state.posMax)
    if not match or match[1] not in state.env.get("footnotes", ()):
        return False
    if not silent:
        state.push("footnote_reference", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """`[[url]]` or `[[text|url]]`; presenterm shows the address."""
    match = _WIKI_LINK.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        address = unescapeAll(match[2] or match[1])
        state.push("link_open", "a", 1).attrs = {"href": address}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos = match.end()
    return True


def _superscript(state: StateInline, silent: bool) -> bool:
    if silent or state.src[state.pos] != "^":
        return False
    scanned = state.scanDelims(state.pos, True)
    for _ in range(scanned.length):
        state.push("text", "", 0).content = "^"
        token = len(state.tokens) - 1
        state.delimiters.append(Delimiter(_CARET, 0, token, -1, scanned.can_open, scanned.can_close))
    state.pos += scanned.length
    return True


def _superscript_pairs(state: StateInline) -> None:
    inner = [meta["delimiters"] for meta in state.tokens_meta if meta and "delimiters" in meta]
    for delimiters in [state.delimiters, *inner]:
        for opening in delimiters:
            if opening.marker != _CARET or opening.end == -1:
                continue
            for delimiter, kind, nesting in ((opening, "sup_open", 1), (delimiters[opening.end], "sup_close", -1)):
                token = state.tokens[delimiter.token]
                token.type, token.tag, token.content = kind, "sup", ""
                token.nesting = 1 if nesting == 1 else -1
