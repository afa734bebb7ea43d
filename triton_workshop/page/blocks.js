// Blocks that run in the page: beside each are Run and Edit. What a block prints then stands in the place of what it
// printed when the page was made, until it is put back.
(() => {
  "use strict";
  const { all, make, button, loadingBar, prepare } = globalThis.page;
  if (!globalThis.Parts?.total) return;
  const OUTPUT_COLUMNS = 80;
  const DRAW_MS = 100;  // between two drawings of an output: a loop may print faster than the page can draw
  const edits = new Map();  // {original, text} of each block that the reader has changed, by the id of its container
  let python, activeRun;

  const codeOf = (figure) => figure.querySelector("code");
  const containerId = (figure) => figure.parentElement.id;
  const outputId = (figure) => containerId(figure).replace("code", "output");
  const ownOutput = (figure) => document.getElementById(`your-${outputId(figure)}`);
  const isEdited = (figure) => edits.has(containerId(figure));

  // The lines' numbers on the slide, which messages name; an edited block has its own.
  function lineNumbers(figure) {
    let last = 0;
    if (isEdited(figure)) return [];
    return all(".line", figure).map((line) => (line.classList.contains("hidden") ? null : ++last));
  }

  function createOutput(figure) {
    ownOutput(figure)?.remove();
    const caption = make("figcaption", "… running", { className: "running", role: "status" });
    const output = make("figure", caption, { className: "output yours", id: `your-${outputId(figure)}` });
    const recorded = document.getElementById(outputId(figure));
    if (recorded) recorded.before(output);
    else figure.parentElement.after(output);
    for (const fold of all(".fold")) fold.open ||= fold.contains(output);
    return { output, caption };
  }

  function stop(reason) {
    if (!activeRun) return;
    activeRun.stopReason = reason;
    if (activeRun.hasStarted) python.stop(reason);
  }

  async function run(figure, runButton) {
    stop("another block runs");
    const current = activeRun = { stopReason: "", hasStarted: false };
    const { output, caption } = createOutput(figure), transcript = new Transcript(output);
    const progress = python ? null : loadingBar(output), startTime = performance.now();
    runButton.textContent = "Stop";
    const result = await execute(requestFor(figure), current, transcript, progress).catch((error) => (
      { failed: `Python did not start: ${error.message}` }
    ));
    progress?.remove();
    transcript.draw(result.pictures);
    const seconds = (result.seconds ?? (performance.now() - startTime) / 1000).toFixed(1);
    caption.textContent = result.failed ? `✗ ${result.failed} · ${seconds} s` : `✓ ${seconds} s`;
    caption.className = result.failed ? "failed" : "right";
    runButton.textContent = "Run";
    if (activeRun === current) activeRun = undefined;
    const hasRun = result.seconds !== undefined && !current.stopReason;
    if (hasRun) figure.dispatchEvent(new Event("ran", { bubbles: true }));  // which predictions wait for
  }

  // What the deck runs is one author's; a reader's edit must not share an interpreter with it, nor with another edit.
  function requestFor(figure) {
    const owner = isEdited(figure) ? containerId(figure) : "slides", text = codeOf(figure).textContent;
    return { owner, run: { text, numbers: lineNumbers(figure), columns: OUTPUT_COLUMNS } };
  }

  async function execute(request, current, transcript, progress) {
    let timer;
    const onMessage = ({ printed }) => {
      progress?.remove();
      if (printed) transcript.feed(printed);
      timer ??= setTimeout(() => {
        timer = undefined;
        transcript.draw();
      }, DRAW_MS);
    };
    try {
      python ??= await Parts.python(progress ?? undefined);
      current.hasStarted = !current.stopReason;
      if (current.stopReason) return { failed: current.stopReason };
      return await python.ask(request, onMessage);
    } finally {
      clearTimeout(timer);
    }
  }

  // Editing in place: the code keeps its colours, Tab leaves it, and nothing has to be loaded for it.
  function edit(figure, text) {
    const code = codeOf(figure), draft = { original: code.textContent, text: text ?? code.textContent };
    edits.set(containerId(figure), draft);
    if (text !== undefined) code.textContent = text;
    figure.classList.add("unfolded", "edited");
    try {
      code.contentEditable = "plaintext-only";
    } catch { code.contentEditable = "true"; }
    const properties = { role: "textbox", ariaMultiLine: "true", ariaLabel: "The code of this block" };
    Object.assign(code, { spellcheck: false, ...properties });
    code.addEventListener("input", () => { draft.text = code.textContent; });
    code.addEventListener("keydown", indentNewLine);
    updatePutBack(figure);
  }

  function indentNewLine(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    document.execCommand("insertText", false, `\n${indentation(event.currentTarget)}`);  // which can be undone
  }

  function indentation(code) {
    const { anchorNode, anchorOffset } = getSelection(), range = document.createRange();
    range.setStart(code, 0);
    range.setEnd(anchorNode, anchorOffset);
    return /^ */.exec(range.toString().split("\n").at(-1))[0];
  }

  function putBack(figure, originalNodes) {
    const code = codeOf(figure).cloneNode();  // without its listeners
    const attributes = ["contenteditable", "role", "aria-label", "aria-multiline", "spellcheck"];
    for (const attribute of attributes) code.removeAttribute(attribute);
    code.append(...originalNodes.map((node) => node.cloneNode(true)));
    codeOf(figure).replaceWith(code);
    figure.classList.remove("unfolded", "edited");
    edits.delete(containerId(figure));
    ownOutput(figure)?.remove();
    updatePutBack(figure);
  }

  function updatePutBack(figure) {
    figure.querySelector(".put-back").hidden = !isEdited(figure);
  }

  function addButtons(figure) {
    const originalNodes = [...codeOf(figure).cloneNode(true).childNodes];
    const toggleRun = () => (runButton.textContent === "Stop" ? stop("stopped") : run(figure, runButton));
    const runButton = button("Run", toggleRun, "Ctrl+Enter");
    const editButton = button("Edit", () => {
      if (!isEdited(figure)) edit(figure);
      codeOf(figure).focus();
    });
    const putBackButton = button("Put back", () => {
      putBack(figure, originalNodes);
      runButton.focus();
    }, "The block as it stands on the slide");
    putBackButton.className = "put-back";
    figure.querySelector(".language").after(runButton, editButton, putBackButton);
    figure.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      run(figure, runButton);
    });
  }

  // A block that the presenter edits keeps what the reader made of it; one of another deck in the same place does not.
  function restoreEdit(figure, isSameDeck) {
    const draft = edits.get(containerId(figure));
    edits.delete(containerId(figure));
    if (draft && (isSameDeck || draft.original === codeOf(figure).textContent)) edit(figure, draft.text);
    updatePutBack(figure);
  }

  function attach(root) {
    for (const figure of all(".code[data-runs]", root)) {
      addButtons(figure);
      restoreEdit(figure, root.id === containerId(figure));
    }
    for (const figure of all(".code[data-why]", root)) {
      figure.append(make("p", figure.dataset.why, { className: "why" }));
    }
  }

  globalThis.page.prepare = (root) => {
    prepare(root);
    attach(root);
  };
  attach(document);
})();
