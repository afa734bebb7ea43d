// What a block prints, as the terminal shows it: colours, lines that are written over, pictures in their places. It
// does what screen/transcript.py does, keeps fewer lines, and draws only those that have changed. `new
// Transcript(parent)` offers `feed(text)` and `draw(pictures)`.
globalThis.Transcript = (() => {
  "use strict";
  const MAX_LINES = 1000, MAX_COLUMNS = 4000, TAB_COLUMNS = 8;
  // The terminal's eight colours, as names of the page's palette.
  const TONES = ["faint", "bad", "good", "warning", "link", "important", "accent", "text"];
  const TOKENS = new RegExp([
    /(?<text>[^\x00-\x1f\x7f-\x9f]+)/,
    /(?<control>[^\x1b])/,
    /\x1b\[(?<parameters>[0-?]*)(?<final>[@-~])/,
    /\x1b\[[0-?]*[ -/]+[@-~]/,  // what has intermediate bytes does nothing here
    /\x1b_triton-workshop:picture;(?<picture>[\w-]+\.png)\x1b\\/,
    /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)/,  // titles, links and the like
    /\x1b[ -/]*[0-Z\\`-~]/,
  ].map(({ source }) => source).join("|"), "gu");
  const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)$/;
  const SWITCHES = {
    1: ["b", true], 2: ["dim", true], 3: ["i", true], 4: ["u", true], 7: ["reverse", true], 9: ["s", true],
    23: ["i"], 24: ["u"], 27: ["reverse"], 29: ["s"], 39: ["t"], 49: ["g"],
  };
  const FOREGROUND = "t", BACKGROUND = "g";  // as in the names of the page's classes
  const COLOUR_KINDS = { 3: FOREGROUND, 4: BACKGROUND, 9: FOREGROUND, 10: BACKGROUND };  // by tens of a code

  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  const numbers = (parameters) => parameters.split(";").map((number) => Number(number) || 0);
  const twoDigits = (value) => Math.min(value, 255).toString(16).padStart(2, "0");
  const hex = (...channels) => `#${channels.map(twoDigits).join("")}`;

  // The colour with a number from 0 to 255: a tone of the page's palette for the first sixteen, then a cube of six
  // levels for each channel, then greys.
  function indexedColour(number) {
    if (number < 16) return number === 8 ? "muted" : TONES[number % 8];
    if (number > 231) return hex(...Array(3).fill(8 + 10 * (number - 232)));
    const levels = [36, 6, 1].map((step) => Math.floor((number - 16) / step) % 6);
    return hex(...levels.map((level) => level && 55 + 40 * level));
  }

  // The colour that codes 38 and 48 take from the codes after them.
  function extendedColour(codes) {
    return codes.shift() === 5 ? indexedColour(codes.shift() ?? 0) : hex(...codes.splice(0, 3));
  }

  function applyCodes(style, codes) {
    let result = { ...style };
    for (let code; (code = codes.shift()) !== undefined;) {
      const kind = COLOUR_KINDS[Math.floor(code / 10)], digit = code % 10;
      if (code === 0) result = {};
      else if (code === 22) Object.assign(result, { b: undefined, dim: undefined });
      else if (code in SWITCHES) result[SWITCHES[code][0]] = SWITCHES[code][1];
      else if (kind && digit === 8) result[kind] = extendedColour(codes);
      else if (kind && digit < 8) result[kind] = indexedColour(digit + (code >= 90 ? 8 : 0));
    }
    return result;
  }

  function paint(span, kind, property, colour) {
    if (colour?.startsWith("#")) span.style[property] = colour;
    else if (colour) span.classList.add(`${kind}-${colour}`);
  }

  function styledSpan(text, { t, g, reverse, ...switches }) {
    const className = Object.keys(switches).filter((name) => switches[name]).join(" ");
    const span = make("span", { textContent: text, className });
    paint(span, FOREGROUND, "color", reverse ? g : t);
    paint(span, BACKGROUND, "backgroundColor", reverse ? t : g);
    return span;
  }

  function pictureElement(bytes) {
    const src = URL.createObjectURL(new Blob([bytes], { type: "image/png" }));
    return make("img", { src, alt: "Picture that the code shows" });
  }

  return class Transcript {
    // A line has `cells`, each a character and its style, a `picture` by its name, and the `element` that shows it.
    constructor(parent) {
      this.element = make("pre", { tabIndex: 0, hidden: true });
      this.note = make("p", { className: "why", hidden: true });
      Object.assign(this, { lines: [{ cells: [] }], row: 0, column: 0, style: {}, unfinished: "", lostCount: 0 });
      parent.append(this.note, this.element);
    }

    // Takes what was printed, in pieces of any length.
    feed(printed) {
      const text = this.unfinished + printed;
      this.unfinished = UNFINISHED.exec(text)?.[0] ?? "";
      const finished = text.slice(0, text.length - this.unfinished.length);
      for (const { groups } of finished.matchAll(TOKENS)) {
        if (groups.text) this.write([...groups.text]);
        else if (groups.control) this.control(groups.control);
        else if (groups.picture) this.showPicture(groups.picture);
        else if (groups.final) this.sequence(groups.final, numbers(groups.parameters));
      }
    }

    write(characters) {
      const { cells } = this.changedLine();
      while (cells.length < this.column) cells.push([" ", {}]);
      const fitting = characters.slice(0, MAX_COLUMNS - this.column);
      fitting.forEach((character, index) => { cells[this.column + index] = [character, this.style]; });
      this.column += fitting.length;
    }

    control(character) {
      if (character === "\n") this.feedLine();
      else if (character === "\r") this.column = 0;
      else if (character === "\b") this.column = Math.max(this.column - 1, 0);
      else if (character === "\t") {
        const nextStop = (Math.floor(this.column / TAB_COLUMNS) + 1) * TAB_COLUMNS;
        this.column = Math.min(nextStop, MAX_COLUMNS);
      }
    }

    feedLine() {
      this.column = 0;
      if (++this.row === this.lines.length) this.lines.push({ cells: [] });
      this.lines[this.row - 1].changed = true;  // an empty one is a line only now
      const excess = this.lines.length - MAX_LINES - 1;
      if (excess > 0) {
        this.removeLines(0, excess);
        this.row -= excess;
        this.lostCount += excess;
      }
    }

    removeLines(start, count = Infinity) {
      for (const { element } of this.lines.splice(start, count)) element?.remove();
    }

    showPicture(name) {
      if (this.lines[this.row].cells.length) this.feedLine();
      Object.assign(this.changedLine(), { cells: [["[picture]", {}]], picture: name });
      this.feedLine();
    }

    // The cursor's line, which is going to change: a picture that stood there goes.
    changedLine() {
      const line = this.lines[this.row];
      if (line.picture) Object.assign(line, { cells: [], picture: undefined });
      return Object.assign(line, { changed: true });
    }

    sequence(final, parameters) {
      const [number] = parameters, distance = Math.max(number, 1);
      if (final === "m") this.style = applyCodes(this.style, parameters);
      else if (final === "A") this.row = Math.max(this.row - distance, 0);
      else if (final === "B") this.row = Math.min(this.row + distance, this.lines.length - 1);
      else if (final === "C") this.column = Math.min(this.column + distance, MAX_COLUMNS);
      else if (final === "D") this.column = Math.max(this.column - distance, 0);
      else if (final === "G") this.column = Math.min(distance, MAX_COLUMNS) - 1;
      else if (final === "K") this.changedLine().cells.splice(number === 0 ? this.column : 0);
      else if (final === "J") this.removeLines(this.row + 1);
    }

    // Draws the lines that have changed. `pictures` has the bytes of pictures by their names, once a block has ended.
    draw(pictures = {}) {
      for (const line of this.lines) {
        if (line.element && !line.changed && !(line.picture in pictures)) continue;
        const bytes = pictures[line.picture], element = bytes ? pictureElement(bytes) : this.lineElement(line);
        if (line.element) line.element.replaceWith(element);
        else this.element.append(element);
        Object.assign(line, { element, changed: false });
      }
      this.note.hidden = !this.lostCount;
      this.note.textContent = `The last ${MAX_LINES} lines; ${this.lostCount} came before.`;
      this.element.scrollTop = this.element.scrollHeight;
      this.element.hidden = this.lines.length === 1 && !this.lines[0].cells.length;
    }

    // One span for each run of characters that share a style.
    lineElement(line) {
      const { cells } = line, element = make("span", {});
      for (let start = 0, end; start < cells.length; start = end) {
        const [, style] = cells[start];
        for (end = start + 1; cells[end]?.[1] === style;) end++;
        const text = cells.slice(start, end).map(([character]) => character).join("");
        element.append(styledSpan(text, style));
        // Colours that are not of the palette were chosen for a dark ground.
        if (Object.values(style).some((value) => String(value).startsWith("#"))) this.element.classList.add("dark");
      }
      if (cells.length || line !== this.lines.at(-1)) element.append("\n");
      return element;
    }
  };
})();
