// What a block prints, as the terminal shows it: colours, lines that are written over, pictures in their places. It does
// what screen/transcript.py does, and draws only the lines that have changed.
globalThis.Transcript = (() => {
  "use strict";
  const LINES = 5000, COLUMNS = 4000, TAB = 8;
  const TONES = ["faint", "bad", "good", "warning", "link", "important", "accent", "text"];  // the terminal's eight colours
  const TOKENS = /(?<text>[^\x00-\x1f\x7f-\x9f]+)|(?<control>[^\x1b])|\x1b\[(?<parameters>[0-?]*)(?<final>[@-~])|\x1b\[[0-?]*[ -/]+[@-~]|\x1b_triton-workshop:picture;(?<picture>[\w-]+\.png)\x1b\\|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\`-~]/gu;
  const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)$/;
  const SWITCHES = { 1: ["b", true], 2: ["dim", true], 3: ["i", true], 4: ["u", true], 7: ["reverse", true], 9: ["s", true],
    23: ["i"], 24: ["u"], 27: ["reverse"], 29: ["s"], 39: ["t"], 49: ["g"] };
  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  const hex = (...parts) => `#${parts.map((part) => Math.min(part, 255).toString(16).padStart(2, "0")).join("")}`;

  // The colour with a number from 0 to 255: a tone of the page's palette for the first sixteen.
  function colour(number) {
    if (number < 16) return number === 8 ? "muted" : TONES[number % 8];
    if (number > 231) return hex(...Array(3).fill(8 + 10 * (number - 232)));
    return hex(...[36, 6, 1].map((step) => Math.floor((number - 16) / step) % 6).map((level) => level && 55 + 40 * level));
  }

  function styled(style, codes) {
    const now = { ...style };
    for (let code; (code = codes.shift()) !== undefined;) {
      const kind = { 3: "t", 4: "g", 9: "t", 10: "g" }[Math.floor(code / 10)];
      if (code === 0) for (const name of Object.keys(now)) delete now[name];
      else if (code === 22) delete now.b, delete now.dim;
      else if (code in SWITCHES) now[SWITCHES[code][0]] = SWITCHES[code][1];
      else if (kind && code % 10 === 8) now[kind] = codes.shift() === 5 ? colour(codes.shift() ?? 0) : hex(...codes.splice(0, 3));
      else if (kind && code % 10 < 8) now[kind] = colour((code % 10) + (code >= 90 ? 8 : 0));
    }
    return now;
  }

  function span(text, { t, g, reverse, ...switches }) {
    const made = make("span", { textContent: text, className: Object.keys(switches).filter((name) => switches[name]).join(" ") });
    for (const [kind, property, value] of reverse ? [["t", "color", g], ["g", "backgroundColor", t]] : [["t", "color", t], ["g", "backgroundColor", g]]) {
      if (value?.startsWith("#")) made.style[property] = value;
      else if (value) made.classList.add(`${kind}-${value}`);
    }
    return made;
  }

  return class {
    constructor(place) {
      Object.assign(this, { place: make("pre", { tabIndex: 0, hidden: true }), lines: [{ cells: [] }], row: 0, column: 0, style: {}, rest: "" });
      place.append(this.place);
    }

    feed(printed) {
      const text = this.rest + printed;
      this.rest = UNFINISHED.exec(text)?.[0] ?? "";
      for (const { groups } of text.slice(0, text.length - this.rest.length).matchAll(TOKENS)) {
        if (groups.text) this.write([...groups.text]);
        else if (groups.control) this.control(groups.control);
        else if (groups.picture) this.picture(groups.picture);
        else if (groups.final) this.sequence(groups.final, groups.parameters.split(";").map((number) => Number(number) || 0));
      }
    }

    write(letters) {
      const line = this.touched();
      while (line.cells.length < this.column) line.cells.push([" ", {}]);
      letters = letters.slice(0, COLUMNS - this.column);
      letters.forEach((letter, index) => { line.cells[this.column + index] = [letter, this.style]; });
      this.column += letters.length;
    }

    control(letter) {
      if (letter === "\n") this.feedLine();
      else if (letter === "\r") this.column = 0;
      else if (letter === "\b") this.column = Math.max(this.column - 1, 0);
      else if (letter === "\t") this.column = Math.min((Math.floor(this.column / TAB) + 1) * TAB, COLUMNS);
    }

    feedLine() {
      this.column = 0;
      if (++this.row === this.lines.length) this.lines.push({ cells: [] });
      this.lines[this.row - 1].changed = true;  // an empty one is a line only now
      const excess = this.lines.length - LINES - 1;
      if (excess > 0) {
        for (const { node } of this.lines.splice(0, excess)) node?.remove();
        this.row -= excess;
      }
    }

    picture(name) {
      if (this.lines[this.row].cells.length) this.feedLine();
      Object.assign(this.touched(), { cells: [["[picture]", {}]], picture: name });
      this.feedLine();
    }

    // The cursor's line, which is going to change: a picture that stood there goes.
    touched() {
      const line = this.lines[this.row];
      if (line.picture) Object.assign(line, { cells: [], picture: undefined });
      return Object.assign(line, { changed: true });
    }

    sequence(final, numbers) {
      const [number] = numbers, far = Math.max(number, 1);
      if (final === "m") this.style = styled(this.style, numbers);
      else if (final === "A") this.row = Math.max(this.row - far, 0);
      else if (final === "B") this.row = Math.min(this.row + far, this.lines.length - 1);
      else if (final === "C") this.column = Math.min(this.column + far, COLUMNS);
      else if (final === "D") this.column = Math.max(this.column - far, 0);
      else if (final === "G") this.column = Math.min(far, COLUMNS) - 1;
      else if (final === "K") this.touched().cells.splice(number === 0 ? this.column : 0);
      else if (final === "J") for (const { node } of this.lines.splice(this.row + 1)) node?.remove();
    }

    // `pictures` are the bytes of those that were shown, by name.
    draw(pictures = {}) {
      for (const line of this.lines) {
        if (line.node && !line.changed && !(line.picture in pictures)) continue;
        const fresh = this.drawn(line, pictures[line.picture]);
        if (line.node) line.node.replaceWith(fresh);
        else this.place.append(fresh);
        Object.assign(line, { node: fresh, changed: false });
      }
      this.place.hidden = this.lines.length === 1 && !this.lines[0].cells.length;
    }

    drawn(line, bytes) {
      if (bytes) return make("img", { src: URL.createObjectURL(new Blob([bytes], { type: "image/png" })), alt: "Picture that the code shows" });
      const made = make("span", {});
      for (let from = 0, to; from < line.cells.length; from = to) {
        for (to = from + 1; line.cells[to]?.[1] === line.cells[from][1];) to++;
        made.append(span(line.cells.slice(from, to).map(([letter]) => letter).join(""), line.cells[from][1]));
        if (Object.values(line.cells[from][1]).some((value) => String(value).startsWith("#"))) this.place.classList.add("dark");
      }
      if (line.cells.length || line !== this.lines.at(-1)) made.append("\n");
      return made;
    }
  };
})();
