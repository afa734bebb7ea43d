// A look inside: what each line of a kernel has made, for one program at one moment. `createLook({ python, editor,
// lineName })` gets functions that return both, and what a line is called, and returns its `element`, `show(exercise,
// text, finding)` after a check, and `outdate()` while the text changes. What a view has comes from
// `page/inside/looking.py`.
globalThis.createLook = (options) => {
  "use strict";
  const { python, editor, lineName = (line) => line } = options;
  const { make, button } = globalThis.page;
  const MAX_ROWS = 8, CELL_WIDTH = 56;  // of the map of programs
  const SETTING = "values";
  const NO_STEPS = "This program has no steps.";
  let subject, view, isBusy = false, next;
  let isOutdated = true;  // nothing is shown of a text that is not the editor's

  const toggle = button("", () => setOn(!isOn()));
  const status = make("span", "", { className: "t-muted" });
  const spoken = make("p", "", { role: "status", className: "spoken" });  // what somebody asked for, not every check
  const controls = make("div", "", { className: "controls" }), block = make("div", "", { className: "block" });
  const heading = make("div", [make("h3", "Look inside"), toggle, status], { className: "heading" });
  const element = make("section", [heading, spoken, controls, block], { className: "look", ariaLabel: "Look inside" });

  const isOn = () => Store.setting(SETTING) !== "off";

  function setOn(on) {
    Store.set(SETTING, on ? "on" : "off");
    drawToggle();
    if (on && subject) ask({});
    else clear();
  }

  function drawToggle() {
    toggle.textContent = isOn() ? "Hide values" : "Show values";
    element.classList.toggle("off", !isOn());
  }

  function clear() {
    [view, next] = [undefined, undefined];
    editor()?.showNotes({});
    controls.replaceChildren();
    block.replaceChildren();
    status.textContent = "";
  }

  // Asking: one question at a time; of those that wait, only the last one counts.
  function show(exercise, text, finding) {
    const isNew = finding?.line && placeText(finding) !== placeText(subject?.finding);
    subject = { exercise, text, finding };
    drawToggle();  // another look may have been turned on or off
    if (isNew) view = undefined;  // begin at its line, wherever the reader was in the text before
    isOutdated = false;
    element.classList.remove("outdated");
    if (isOn()) return ask({});
  }

  const placeText = (finding) => JSON.stringify([finding?.case, finding?.programs?.[0], finding?.line]);

  function outdate() {
    if (isOutdated) return;
    isOutdated = true;
    next = undefined;
    element.classList.add("outdated");
    editor()?.dimNotes();
  }

  function close() {
    subject = undefined;
    clear();
  }

  async function ask(step) {
    if (!subject || isOutdated || !isOn()) return;
    if (isBusy) {
      next = step;
      return;
    }
    isBusy = true;
    const asked = subject, { exercise: { number }, text } = subject;
    const waiting = setTimeout(() => { status.textContent = "Running, to see every value …"; }, 300);
    const result = await python().ask({ owner: number, look: { number, text, wish: wish(step) } });
    clearTimeout(waiting);
    status.textContent = "";
    isBusy = false;
    if (asked === subject && !isOutdated && isOn()) {
      draw(result);
      if (Object.keys(step).length) spoken.textContent = block.querySelector("h4, p")?.textContent ?? "";
    }
    const waitingStep = next;
    next = undefined;
    if (waitingStep) ask(waitingStep);
  }

  function wish(step) {
    if (step.case || !view) return { ...firstWish(), ...step };
    return { case: view.case, at: view.at, ...step };
  }

  // A finding's program and line; else what the cursor is at.
  function firstWish() {
    const { finding } = subject;
    return { case: finding?.case, ids: finding?.programs?.[0], line: finding?.line, cursor: editor().cursor };
  }

  const goTo = (line, name) => ask({ line, name });

  function point(line, name) {
    if (view && !isOutdated) goTo(line, name);
  }

  // Drawing
  function draw({ view: answer, failed }) {
    if (failed || answer.problem) {
      clear();
      // A traceback of the page's own helps nobody: its last line says what it is.
      const problem = failed ? `This cannot be shown: ${failed.trim().split("\n").at(-1)}` : answer.problem;
      block.replaceChildren(make("p", problem, { className: "t-muted" }));
      return;
    }
    view = answer;
    editor().showNotes(view.notes, view.at.line);
    const focused = controls.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    controls.replaceChildren(...[choices(), programMap(), ...loops()].filter(Boolean));
    if (focused) controls.querySelector(`[data-key="${focused}"]`)?.focus();
    block.replaceChildren(...notices(), ...value());
  }

  const toned = ([text, tone]) => make("span", text, { className: `t-${tone}` });
  const ids = (numbers) => `(${numbers.join(", ")})`;

  function notices() {
    return view.notices.map(([text, tone]) => make("p", text, { className: `t-${tone}` }));
  }

  function value() {
    if (!view.text) return [make("p", NO_STEPS, { className: "t-muted" })];
    const iterations = view.iteration.map((number) => `iteration ${number + 1}`);
    const where = [`line ${lineName(view.at.line)}`, ...iterations].join(", ");
    const name = make("span", view.name, { className: "t-accent" });
    const title = make("h4", [name, ` ${view.text} `, make("span", where, { className: "t-muted where" })]);
    const numbers = view.table ? [table(view.table)] : [];
    return [title, ...view.pictures.map(picture), ...numbers];
  }

  function select(label, key, names, chosen, onChoose) {
    const options = names.map((name, index) => make("option", name, { value: index, selected: index === chosen }));
    const element = make("select", options);
    element.dataset.key = key;
    element.addEventListener("change", () => onChoose(Number(element.value)));
    return make("label", [`${label} `, element]);
  }

  function choices() {
    const { cases, kernels, at } = view, chosen = cases.indexOf(view.case);
    const choose = (index) => ask({ case: cases[index], ids: [], line: null });
    const fields = cases.length ? [select("Case", "case", cases, chosen, choose)] : [];  // a scratch pad has none
    if (kernels.length > 1) {
      const names = kernels.map((name, index) => `${index + 1}: ${name}`);
      fields.push(select("Launch", "launch", names, at.launch, (launch) => ask({ launch, program: [] })));
    }
    return make("div", fields, { className: "choices" });
  }

  // The programs around the chosen one: as many as there is room for, and one of them can be reached by Tab.
  function programMap() {
    const { grid, at, faulty } = view, [planes, rows, columns, fold] = shape(grid);
    const chosen = at.ids.reduce((number, index, axis) => number * grid[axis] + index, 0);
    const plane = Math.floor(chosen / (rows * columns)), [row, column] = split(chosen % (rows * columns), columns);
    const top = start(row, rows, MAX_ROWS), left = start(column, columns, fold);
    const total = grid.reduce((product, size) => product * size, 1);
    const cell = (y, x) => {
      const number = (plane * rows + y) * columns + x;
      if (number >= total) return make("span", "");
      return programButton(number, { isChosen: number === chosen, hasFault: faulty.includes(number) });
    };
    const ys = range(top, Math.min(top + MAX_ROWS, rows)), xs = range(left, Math.min(left + fold, columns));
    const map = make("div", ys.map((y) => make("div", xs.map((x) => cell(y, x)))), { className: "programs" });
    map.setAttribute("role", "group");
    map.setAttribute("aria-label", "Programs; arrow keys move");
    const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns,
      PageUp: -rows * columns, PageDown: rows * columns };
    map.addEventListener("keydown", (event) => {
      const number = chosen + (move[event.key] ?? 0);
      if (number === chosen) return;
      event.preventDefault();
      if (number >= 0 && number < total) ask({ program: programIds(number) });
    });
    const words = [["Program ", "muted"], [ids(at.ids), "accent"], [` in a grid of ${ids(grid)}`, "muted"]];
    if (planes > 1) words.push([" · Page Up and Page Down change its first id", "muted"]);
    if (faulty.length) words.push(["  ✗ has a fault", "bad"]);
    return make("div", [make("p", words.map(toned)), ...(total > 1 ? [map] : [])]);
  }

  function programButton(number, { isChosen, hasFault }) {
    const numbers = programIds(number), text = `${hasFault ? "✗ " : ""}${numbers.slice(-2).join(", ")}`;
    const element = button(text, () => ask({ program: numbers }), hasFault ? "This program has a fault" : "");
    element.setAttribute("aria-pressed", String(isChosen));
    element.tabIndex = isChosen ? 0 : -1;
    if (isChosen) element.dataset.key = "program";
    return element;
  }

  // Planes, rows and columns of the map, and how many columns there is room for. One axis is folded into rows.
  function shape(grid) {
    const fold = Math.max(4, Math.min(16, Math.floor((element.clientWidth - 32) / CELL_WIDTH)));
    if (grid.length > 1) return [grid.slice(0, -2).reduce((a, b) => a * b, 1), ...grid.slice(-2), fold];
    return [1, Math.ceil(grid[0] / fold), Math.min(grid[0], fold), fold];
  }

  const range = (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index);
  const split = (number, columns) => [Math.floor(number / columns), number % columns];
  const start = (index, size, shown) => Math.max(0, Math.min(index - (shown >> 1), size - shown));

  function programIds(number) {
    const result = [];
    for (const size of [...view.grid].reverse()) {
      result.unshift(number % size);
      number = Math.floor(number / size);
    }
    return result;
  }

  function loops() {
    const names = view.loops.length > 1 ? ["Outer loop", "Inner loop"] : ["Iteration"];
    return view.loops.map(([number, count], loop) => {
      const slider = make("input", "", { type: "range", min: 0, max: count - 1, value: number });
      const name = names[loop] ?? `Loop ${loop + 1}`, words = `${number + 1} of ${count}`;
      slider.setAttribute("aria-valuetext", words);
      slider.dataset.key = `loop-${loop}`;
      slider.addEventListener("input", () => ask({ loop, iteration: Number(slider.value) }));
      return make("label", [`${name} `, slider, make("span", ` ${words}`, { className: "t-muted" })]);
    });
  }

  function picture({ levels, width, height, shades, legend, title }) {
    const words = legend.map(([, , text]) => text).join(", ");
    const canvas = make("canvas", "", { width, height, role: "img", ariaLabel: `A picture of the block: ${words}` });
    const colours = shades.map(([tone, share]) => mix(tone, share)), bytes = atob(levels);
    const image = new ImageData(width, height);
    for (let pixel = 0; pixel < bytes.length; pixel++) {
      const colour = colours[bytes.charCodeAt(pixel)];
      if (colour) image.data.set([...colour, 255], 4 * pixel);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    const scale = Math.max(1, Math.min(16, Math.floor(Math.min(384 / width, 256 / height))));
    canvas.style.width = `${width * scale}px`;
    const key = legend.flatMap(([tone, share, text]) => {
      const box = make("span", "■", { ariaHidden: "true" });
      box.style.color = `rgb(${mix(tone, share).join(" ")})`;
      return [box, ` ${text}   `];
    });
    const caption = make("figcaption", key, { className: "t-muted" });
    return make("figure", [...(title.length ? [make("p", title.map(toned))] : []), canvas, caption]);
  }

  // The colour of a tone, mixed with the ground, as three numbers.
  function mix(tone, share) {
    const style = getComputedStyle(element), parse = (name) => {
      const hex = style.getPropertyValue(`--${name}`).trim();
      return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    };
    const ground = parse("panel"), colour = parse(tone);
    return ground.map((value, channel) => Math.round(value + (colour[channel] - value) * share));
  }

  function table({ heads, names, rows, size }) {
    const tones = { true: "t-good", "?": "t-warning", nan: "t-important" };
    const cell = (text) => make("td", text, { className: tones[text] ?? "" });
    const head = make("tr", [make("td", ""), ...heads.map((text) => make("th", text, { scope: "col" }))]);
    const body = rows.map((row, index) => make("tr", [make("th", names[index], { scope: "row" }), ...row.map(cell)]));
    const count = size.reduce((product, length) => product * length, 1), shown = rows.flat().length;
    const note = shown < count ? [make("p", `The first ${shown} of ${count} numbers.`, { className: "t-muted" })] : [];
    const whole = make("table", [make("thead", head), make("tbody", body)]);
    const numbers = make("div", whole, { className: "numbers", tabIndex: 0 });
    numbers.setAttribute("role", "region");
    numbers.setAttribute("aria-label", "The numbers");
    return make("div", [...note, numbers]);
  }

  // Pictures have the colours of the theme.
  const redraw = () => { if (view) draw({ view }); };
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", redraw);
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  drawToggle();
  return { element, show, outdate, close, point };
};
