"""Additions of presenterm's Markdown to CommonMark.

Alerts, `>>>` quotes, footnotes, superscript and wiki links are parsed here.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.blockquote import blockquote
from markdown_it.rules_block.html_block import HTML_SEQUENCES, html_block
from markdown_it.rules_block.lheading import lheading
from markdown_it.rules_block.paragraph import paragraph
from markdown_it.rules_block.reference import reference
from markdown_it.rules_block.table import table
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

ALERTS = ("note", "tip", "important", "warning", "caution")

_ALERT = re.compile(rf"(?:>|(?P<fence>>{{3,}})) \[!(?P<kind>{'|'.join(ALERTS)})\](?P<title>.*)", re.IGNORECASE)
_QUOTE_FENCE = re.compile(r">{3,}[ \t]*")
_FOOTNOTE = re.compile(r"\[\^(?P<label>[^\] \t]+)\]:[ \t]*(?P<text>.*)")
_FOOTNOTE_REFERENCE = re.compile(r"\[\^([^\] \n\t]+)\]")
_WIKI_LINK = re.compile(r"\[\[([^\[\]\n|]+)(?:\|([^\[\]\n|]+))?\]\]")
_CARET = ord("^")
_UNDERLINE = re.compile(r"-+[ \t]*")


class PresentermMarkdown(MarkdownIt):
    """markdown-it with presenterm's syntax.

    Addresses stay as written, since here they are paths.
    """

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": True, "strikethrough_single_tilde": True})
        self.enable(["table", "strikethrough"])
        # `alt` names the blocks that a rule may end without an empty line between them.
        self.block.ruler.before("blockquote", "alert", _alert)
        self.block.ruler.before("blockquote", "fenced_quote", _fenced_quote, {"alt": ["paragraph"]})
        self.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph"]})
        self.block.ruler.before("blockquote", "lone_bar", _lone_bar, {"alt": ["blockquote"]})
        self.block.ruler.at("reference", _reference)
        self.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})
        self.block.ruler.at("html_block", _html_block, {"alt": ["paragraph", "reference", "blockquote"]})
        # Footnotes and wiki links begin with a link's `[`, so they are tried before it.
        self.inline.ruler.before("link", "footnote_reference", _footnote_reference)
        self.inline.ruler.before("link", "wiki_link", _wiki_link)
        self.inline.ruler.before("link", "superscript", _superscript)
        # Which carets are pairs is known only once `balance_pairs` has run.
        self.inline.ruler2.after("balance_pairs", "superscript", _superscript_pairs)

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        """Return the address as it is written."""
        return url

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802
        """Accept any address."""
        return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse `[label]: address`.

    Text after it without an empty line is a title or a paragraph, as in CommonMark.
    """
    if not reference(state, start, end, silent):
        return False
    while _goes_on(state, end):
        if not reference(state, state.line, end, False):
            # The block loop would take indented text for code.
            if not lheading(state, state.line, end, False):
                paragraph(state, state.line, end, False)
            break
    return True


def _goes_on(state: StateBlock, end: int) -> bool:
    """Return True if the current line still belongs to a paragraph."""
    line = state.line
    is_over = line >= end or state.isEmpty(line)
    if is_over:
        return False
    return state.sCount[line] >= state.blkIndent and not _begins_block(state, line, end)


def _begins_block(state: StateBlock, line: int, end: int) -> bool:
    """Return True if a block that ends a paragraph begins at the line."""
    terminators = state.md.block.ruler.getRules("paragraph")
    return any(rule(state, line, end, True) for rule in terminators)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table.

    Text above a line of `---` alone is a title, even if it has bars.
    """
    underlined = start + 1 < end and _UNDERLINE.fullmatch(_line(state, start + 1))
    return not underlined and table(state, start, end, silent)


def _lone_bar(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001  # as markdown-it calls it
    """End a table at a line with nothing but `|`."""
    # It is asked only whether it ends a table, and never parses a line itself.
    may_end_table = silent and state.parentType == "table"
    return may_end_table and _line(state, start).strip() == "|"


def _html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse HTML.

    A tag alone on its line continues a paragraph, but not one of a list or a quote to its left.
    """
    # The last kind of HTML block is the one that CommonMark does not let end a paragraph.
    lone_tag = HTML_SEQUENCES[-1][0]
    leaves = state.parentType == "blockquote" or state.sCount[start] < state.blkIndent
    may_end_paragraph = silent and leaves
    ends_paragraph = may_end_paragraph and lone_tag.search(_line(state, start)) is not None
    return ends_paragraph or html_block(state, start, end, silent)


def _alert(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse `> [!note] title`, a quote whose first line gives its kind."""
    match = None if state.is_code_block(start) else _ALERT.fullmatch(_line(state, start))
    if match is None:
        return False
    if silent:
        return True
    opening = len(state.tokens)
    if match["fence"]:
        _quote_to_closing_fence(state, start, end)
    else:
        has_quote = start + 1 != end and blockquote(state, start + 1, end, False)
        # Without a quote below, the alert is its title alone.
        if not has_quote:
            state.push("blockquote_open", "blockquote", 1)
            state.push("blockquote_close", "blockquote", -1)
            state.line = start + 1
    token = state.tokens[opening]
    # `blockquote` has left the title's line out.
    token.map = [start, state.line]
    token.meta = {"alert": match["kind"].lower(), "title": unescapeAll(match["title"].strip())}
    return True


def _fenced_quote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a quote between two lines of `>>>`."""
    if state.is_code_block(start):
        return False
    if not _QUOTE_FENCE.fullmatch(_line(state, start)):
        return False
    if not silent:
        _quote_to_closing_fence(state, start, end)
    return True


def _quote_to_closing_fence(state: StateBlock, start: int, end: int) -> None:
    lines = range(start + 1, end)
    closing = next((line for line in lines if _QUOTE_FENCE.fullmatch(_line(state, line))), end)
    token = state.push("blockquote_open", "blockquote", 1)
    # The blocks within end at the closing fence, whatever they would take otherwise.
    line_max, state.lineMax = state.lineMax, closing
    state.md.block.tokenize(state, start + 1, closing)
    state.lineMax = line_max
    state.push("blockquote_close", "blockquote", -1)
    state.line = min(closing + 1, end)
    token.map = [start, state.line]


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse `[^label]: text` with its continuation.

    Lines that continue it and indented ones that follow belong to it.
    """
    match = None if state.is_code_block(start) else _FOOTNOTE.fullmatch(_line(state, start))
    if match is None:
        return False
    if silent:
        return True
    # Text is parsed after all blocks, so a reference may stand above its footnote.
    state.env.setdefault("footnotes", set()).add(match["label"])
    footnote_end = _footnote_end(state, start, end)
    body = state.getLines(start + 1, footnote_end, state.blkIndent + 4, False)
    token = state.push("footnote_open", "", 1)
    token.info, token.map = match["label"], [start, footnote_end]
    # The label and the indentation are no part of the text, so it is parsed by itself.
    inner = StateBlock(f"{match['text']}\n{body}", state.md, state.env, [])
    inner.level = state.level
    state.md.block.tokenize(inner, 0, inner.lineMax)
    for child in inner.tokens:
        # The inner text counts its lines from 0.
        child.map = child.map and [start + child.map[0], start + child.map[1]]
    state.tokens += inner.tokens
    state.push("footnote_close", "", -1)
    state.line = footnote_end
    return True


def _footnote_end(state: StateBlock, start: int, end: int) -> int:
    """Return the line after the footnote's last."""
    footnote_end = start + 1
    for line in range(start + 1, end):
        if state.isEmpty(line):
            continue
        is_indented = state.sCount[line] - state.blkIndent >= 4
        # After an empty line, only indented text still belongs to it.
        goes_on = line == footnote_end and not _begins_block(state, line, end)
        belongs = is_indented or goes_on
        if not belongs:
            break
        footnote_end = line + 1
    return footnote_end


def _footnote_reference(state: StateInline, silent: bool) -> bool:
    match = _FOOTNOTE_REFERENCE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if match[1] not in state.env.get("footnotes", ()):
        return False
    if not silent:
        state.push("footnote_reference", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """Parse `[[url]]` or `[[text|url]]`; presenterm shows the address."""
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
    """Parse carets around a superscript.

    One may open before any sign: `10^-3^`.
    """
    if silent or state.src[state.pos] != "^":
        return False
    scanned = state.scanDelims(state.pos, True)
    following = state.src[state.pos + scanned.length : state.posMax]
    can_open = bool(following) and not following[0].isspace()
    # One delimiter for each caret: markdown-it then finds the pairs, as for emphasis.
    for _ in range(scanned.length):
        state.push("text", "", 0).content = "^"
        token = len(state.tokens) - 1
        state.delimiters.append(Delimiter(_CARET, 0, token, -1, can_open, scanned.can_close))
    state.pos += scanned.length
    return True


def _superscript_pairs(state: StateInline) -> None:
    # Links and the like have delimiters of their own.
    metas = filter(None, state.tokens_meta)
    inner = [meta["delimiters"] for meta in metas if "delimiters" in meta]
    for delimiters in [state.delimiters, *inner]:
        for opening in delimiters:
            is_pair = opening.marker == _CARET and opening.end != -1
            if not is_pair:
                continue
            for delimiter, kind, nesting in (
                (opening, "sup_open", 1),
                (delimiters[opening.end], "sup_close", -1),
            ):
                token = state.tokens[delimiter.token]
                token.type, token.tag, token.content = kind, "sup", ""
                token.nesting = 1 if nesting == 1 else -1
