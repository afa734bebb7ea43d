// How a verdict of the checker looks, in the words of every other screen: its headline, rows of text or code, tiles of
// a matrix, pictures and hints. `Verdict` offers `elements`, `hints`, `picture`, `countFilled` and `standing`;
// what they read of a verdict comes from `checking/reporting/description.py`.
globalThis.Verdict = (() => {
  "use strict";
  const { make, button } = globalThis.page;
  const FILLED = ["●", "✓"];  // one of them begins the row of a TODO that is filled in
  const ABOVE_HINTS = 2;  // parts of a verdict
  const TONE_CLASSES = { plain: "", strong: "b", key: "t-literal" };

  const toned = ([text, tone]) => make("span", text, { className: TONE_CLASSES[tone] ?? `t-${tone}` });
  const headline = ({ headline: text, tone }) => make("h3", text, { className: `t-${tone}` });

  // What stands between backticks is code; a size stays on one line.
  function sentence(text) {
    const words = (piece) => piece.replaceAll(" × ", "\u00a0×\u00a0");
    return text.split("`").map((piece, index) => (index % 2 ? make("code", piece) : words(piece)));
  }

  // Of code only the line to blame, as the editor shows the others.
  function table({ rows, code }) {
    const shown = code ? rows.filter(([[text]]) => text.startsWith("❱")) : rows;
    const write = code ? toned : ([text, tone]) => toned([sentence(text), tone]);
    const elements = shown.map((cells) => make("div", cells.map(write)));
    return make("div", elements, { className: code ? "rows code-rows" : "rows" });
  }

  function tile([letter, tone]) {
    return make("span", letter, { className: `t-${tone}${letter === "·" ? "" : " reverse"}` });
  }

  function tiles({ planes, what, legend }) {
    const channels = planes.map((plane, index) => {
      const rows = plane.flatMap((row) => [...row.map(tile), "\n"]);
      const name = planes.length > 1 ? [make("span", `channel ${index}\n`, { className: "plane" })] : [];
      return make("pre", [...name, ...rows]);
    });
    const states = legend.flatMap(([letter, tone, state]) => [tile([letter, tone]), ` ${state}  `]);
    const key = make("p", [`${what}: `, ...states], { className: "t-muted" });
    return make("div", [...channels, key], { className: "tiles" });
  }

  // `rgb` has three bytes for each pixel, as base64.
  function picture({ caption, width, height, rgb }) {
    const canvas = make("canvas", "", { width, height, role: "img", ariaLabel: caption });
    const bytes = atob(rgb), image = new ImageData(width, height);
    for (let pixel = 0; pixel < width * height; pixel++) {
      for (let channel = 0; channel < 3; channel++) {
        image.data[4 * pixel + channel] = bytes.charCodeAt(3 * pixel + channel);
      }
      image.data[4 * pixel + 3] = 255;
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return make("figure", [canvas, make("figcaption", caption)]);
  }

  function elements(described, { hints, footer }) {
    // The editor shows the line of an open TODO, and the list needs the room.
    const shown = described.parts.filter(({ code }) => !code || described.kind !== "unfinished");
    const parts = shown.map((part) => (part.rows ? table(part) : tiles(part)));
    const above = parts.slice(0, ABOVE_HINTS), below = parts.slice(ABOVE_HINTS);
    return [headline(described), ...above, ...hints, ...below, ...described.pictures.map(picture), ...footer];
  }

  function hint({ words, code }, index, { length }) {
    const number = make("span", `hint ${index + 1} of ${length}`, { className: "t-accent" });
    const block = code ? [make("pre", code, { tabIndex: 0, ariaLabel: "Code" })] : [];
    return make("div", [number, " ", ...sentence(words), ...block], { className: "hint" });
  }

  // Hints, one at a time: `count` of them are open, and `onOpen` learns how many once the reader asks for another.
  function hints(all, count, onOpen) {
    const element = make("div", "", { className: "hints" });
    const draw = () => {
      const more = button(count ? "Another hint" : "A hint", () => {
        onOpen(++count);
        draw();
        element.querySelector("button")?.focus();
      });
      element.replaceChildren(...all.map(hint).slice(0, count), ...(count < all.length ? [more] : []));
    };
    draw();
    return element;
  }

  // TODOs that are filled in, and, in an exercise that begins with mistakes in it, those that are repaired.
  function countFilled({ passed, described: { kind, parts } }, { todos, planted }, text) {
    if (kind === "unfinished") return parts[0]?.rows?.filter(([[mark]]) => FILLED.includes(mark)).length ?? 0;
    if (kind === "correct-but-slow") return 0;
    const isThere = (mistake) => mistake.every((piece) => text.includes(piece));
    return passed ? todos : todos - planted.filter(isThere).length;
  }

  // How far the exercise is, as the list of exercises marks it.
  function standing({ passed, described: { kind } }, { shipped }, text) {
    if (text === shipped) return "new";  // even if all passes that is known here of a kernel to be made faster
    if (passed) return "passed";
    return kind === "unfinished" ? "begun" : "failing";
  }

  return { elements, hints, picture, countFilled, standing };
})();
