// Blocks that run in the page: beside each, Run and Edit. What the block prints then stands in the place of what it printed
// when the page was made, until it is put back.
(() => {
  "use strict";
  const { all, make, button, loading, prepare } = globalThis.page;
  if (!globalThis.Parts?.total) return;
  const COLUMNS = 80;
  const edits = new Map();  // by the block's place: what it was, and what the reader has made of it
  let python, running;

  const codeOf = (figure) => figure.querySelector("code");
  const placeOf = (figure) => figure.parentElement.id.replace("code", "output");
  const yours = (figure) => document.getElementById(`your-${placeOf(figure)}`);

  // The numbers of the lines on the slide, which messages name; an edited block has its own.
  function numbers(figure) {
    let last = 0;
    return edits.has(figure.parentElement.id) ? [] : all(".line", figure).map((line) => (line.classList.contains("hidden") ? null : ++last));
  }

  function freshOutput(figure) {
    yours(figure)?.remove();
    const caption = make("figcaption", "… running", { className: "running", role: "status" });
    const output = make("figure", caption, { className: "output yours", id: `your-${placeOf(figure)}` });
    const place = document.getElementById(placeOf(figure));
    if (place) place.before(output);
    else figure.parentElement.after(output);
    for (const fold of all(".fold")) fold.open ||= fold.contains(output);
    return { output, caption };
  }

  function stop(why) {
    if (!running) return;
    running.why = why;
    if (running.asked) python.stop(why);
  }

  async function run(figure, pressed) {
    stop("another block runs");
    const mine = running = { why: "" }, { output, caption } = freshOutput(figure), shown = new Transcript(output);
    const owner = edits.has(figure.parentElement.id) ? figure.parentElement.id : "slides";  // what the deck runs is one author's
    const request = { owner, run: { text: codeOf(figure).textContent, numbers: numbers(figure), columns: COLUMNS } };
    const coming = python ? null : loading(output), started = performance.now();
    pressed.textContent = "Stop";
    let frame, done;
    try {
      python ??= await Parts.python(coming ?? undefined);
      mine.asked = !mine.why;
      done = mine.why ? { failed: mine.why } : await python.ask(request, ({ printed }) => {
        coming?.done();
        if (printed) shown.feed(printed);
        frame ??= requestAnimationFrame(() => {
          frame = undefined;
          shown.draw();
        });
      });
    } catch (error) {
      done = { failed: `Python did not start: ${error.message}` };
    }
    coming?.done();
    cancelAnimationFrame(frame);
    shown.draw(done.pictures);
    const seconds = (done.seconds ?? (performance.now() - started) / 1000).toFixed(1);
    caption.textContent = done.failed ? `✗ ${done.failed} · ${seconds} s` : `✓ ${seconds} s`;
    caption.className = done.failed ? "failed" : "right";
    pressed.textContent = "Run";
    if (running === mine) running = undefined;
  }

  // Editing in place: the code keeps its colours, Tab leaves it, and nothing has to be loaded for it.
  function edit(figure, text) {
    const code = codeOf(figure);
    edits.set(figure.parentElement.id, { original: code.textContent, text: text ?? code.textContent });
    if (text !== undefined) code.textContent = text;
    figure.classList.add("unfolded", "edited");
    try {
      code.contentEditable = "plaintext-only";
    } catch { code.contentEditable = "true"; }
    Object.assign(code, { spellcheck: false, role: "textbox", ariaMultiLine: "true", ariaLabel: "The code of this block" });
    code.addEventListener("input", () => { edits.get(figure.parentElement.id).text = code.textContent; });
    code.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      document.execCommand("insertText", false, `\n${indentation(code)}`);
    });
    describe(figure);
  }

  function indentation(code) {
    const { anchorNode, anchorOffset } = getSelection(), before = document.createRange();
    before.setStart(code, 0);
    before.setEnd(anchorNode, anchorOffset);
    return /^ */.exec(before.toString().split("\n").at(-1))[0];
  }

  const describe = (figure) => { figure.querySelector(".put-back").hidden = !edits.has(figure.parentElement.id); };

  function attach(figure, whole) {
    const place = figure.parentElement.id, original = [...codeOf(figure).cloneNode(true).childNodes], text = codeOf(figure).textContent;
    const press = button("Run", () => (press.textContent === "Stop" ? stop("stopped") : run(figure, press)), "Ctrl+Enter");
    const change = button("Edit", () => {
      if (!edits.has(place)) edit(figure);
      codeOf(figure).focus();
    });
    const back = button("Put back", () => {
      const code = codeOf(figure).cloneNode();
      for (const name of ["contenteditable", "role", "aria-label", "aria-multiline", "spellcheck"]) code.removeAttribute(name);
      code.append(...original.map((node) => node.cloneNode(true)));
      codeOf(figure).replaceWith(code);
      figure.classList.remove("unfolded", "edited");
      edits.delete(place);
      yours(figure)?.remove();
      describe(figure);
      press.focus();
    }, "The block as it stands on the slide");
    back.className = "put-back";
    figure.querySelector(".language").after(press, change, back);
    figure.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      run(figure, press);
    });
    const kept = edits.get(place);  // a block that the presenter edits keeps what the reader made of it, another deck's does not
    edits.delete(place);
    if (kept && (!whole || kept.original === text)) edit(figure, kept.text);
    describe(figure);
  }

  const attachAll = (within) => {
    for (const figure of all(".code[data-runs]", within)) attach(figure, within.id !== figure.parentElement.id);
    for (const figure of all(".code[data-why]", within)) figure.append(make("p", figure.dataset.why, { className: "why" }));
  };
  globalThis.page.prepare = (within) => {
    prepare(within);
    attachAll(within);
  };
  attachAll(document);
})();
