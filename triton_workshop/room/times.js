// Times on the room's GPUs: those of one script, and the board of everybody's. `Times` offers `table(times)` and
// `showBoard(exercise)`.
globalThis.Times = (() => {
  "use strict";
  const { make, button } = globalThis.page;
  const POLL_MS = 4000;
  const OFF = "The presenter has turned the board of times off.";
  const EMPTY = "Nobody has a correct kernel on a GPU yet.";
  const LOST = "The room is out of reach; trying again.";
  const HEADINGS = ["", "who", "× limit", "ms", "size", "GPU"];
  let exercise;  // whose times come first
  let timer, shown;

  const milliseconds = (value) => value.toPrecision(3);
  const ratio = (value) => `${value < 100 ? value.toFixed(2) : value.toPrecision(3)} ×`;

  // Bars of the time of one call, with that of the script first.
  function table(times) {
    const rows = [["yours", times.script], ["limit", times.limit], ["plain solution", times.plain],
      ["PyTorch", times.pytorch]];
    const longest = Math.max(...rows.map(([, time]) => time));
    const body = rows.map(([name, time], index) => {
      const bar = make("span", "", { className: "bar-of-time" });
      bar.style.width = `${100 * time / longest}%`;
      const cells = [milliseconds(time), ratio(time / times.limit)].map((text) => make("td", text));
      const head = make("th", name, { scope: "row" });
      return make("tr", [head, ...cells, make("td", bar)], { className: index ? "" : "own" });
    });
    const caption = make("caption", `One call at ${times.size}, all in one run on the same card`);
    const head = make("tr", ["", "ms", "× limit", ""].map((text) => make(text ? "th" : "td", text)));
    return make("table", [caption, make("thead", head), make("tbody", body)], { className: "times" });
  }

  function entryRow({ called, ratio: value, milliseconds: time, size, gpu, own }, index) {
    const cells = [`${index + 1}`, own ? `${called} (you)` : called, ratio(value), milliseconds(time), size, gpu];
    return make("tr", cells.map((text) => make("td", text)), { className: own ? "own" : "" });
  }

  function exerciseTable({ exercise: number, title, entries }) {
    const head = make("tr", HEADINGS.map((text) => make(text ? "th" : "td", text)));
    const element = make("table", [make("thead", head), make("tbody", entries.map(entryRow))], { className: "times" });
    const scrolling = make("div", element, { className: "table", tabIndex: 0, role: "region", ariaLabel: title });
    return [make("h3", `${number} · ${title}`), scrolling];
  }

  const content = make("div", "", { className: "boards" }), state = make("p", "", { role: "status" });
  const heading = make("div", [make("h2", "Times on the GPUs"), button("Close", () => dialog.close())]);
  const dialog = make("dialog", [heading, state, content], { className: "board-of-times" });
  dialog.setAttribute("aria-label", "Times on the GPUs");
  dialog.addEventListener("close", () => clearTimeout(timer));

  function draw({ on, exercises }) {
    state.textContent = on ? (exercises.length ? "" : EMPTY) : OFF;
    const drawn = JSON.stringify([exercise, exercises]);  // so that nothing moves under who reads it
    if (drawn === shown) return;
    shown = drawn;
    const isOther = (board) => board.exercise !== exercise;
    const boards = [...exercises].sort((left, right) => isOther(left) - isOther(right));
    content.replaceChildren(...boards.flatMap(exerciseTable));
  }

  async function update() {
    clearTimeout(timer);
    const response = await fetch("gpus/times").catch(() => null);
    if (response?.ok) draw(await response.json());
    else state.textContent = response && response.status < 500 ? await response.text() : LOST;
    if (dialog.open) timer = setTimeout(update, POLL_MS);
  }

  function showBoard(number) {
    exercise = number;
    if (!dialog.isConnected) document.body.append(dialog);
    dialog.showModal();
    update();
  }

  return { table, ratio, showBoard };
})();
