// Blocks that run in the page: beside each are Run and Edit. What a block prints then stands in the place of what it
// printed when the page was made, until it is put back. An edit is kept in `Store`, with the text that it changes: it
// comes back where the same text stands in a slide of the same name.
(() => {
  "use strict";
  const { all, make, button, loadingBar, prepare } = globalThis.page;
  if (!globalThis.Parts?.total) return;
  const OUTPUT_COLUMNS = 80, SAVE_PAUSE_MS = 600;
  const SETTING = "blocks", MAX_KEPT = 200;  // edits, also of older editions
  const edits = new Map();  // {original, text, editor} of each block that the reader edits, by the id of its container

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
    const output = make("figure", "", { className: "output yours", id: `your-${outputId(figure)}` });
    const recorded = document.getElementById(outputId(figure));
    if (recorded) recorded.before(output);
    else figure.parentElement.after(output);
    for (const fold of all(".fold")) fold.open ||= fold.contains(output);
    return output;
  }

  async function run(figure, runButton) {
    const hasRun = await Runs.run(requestFor(figure), createOutput(figure), runButton);
    if (hasRun) figure.dispatchEvent(new Event("ran", { bubbles: true }));  // which predictions wait for
  }

  // What the deck runs is one author's; a reader's edit must not share an interpreter with it, nor with another edit.
  function requestFor(figure) {
    const owner = isEdited(figure) ? containerId(figure) : "slides", text = codeOf(figure).textContent;
    return { owner, run: { text, numbers: lineNumbers(figure), columns: OUTPUT_COLUMNS } };
  }

  // Editing. The code below the editor keeps the text: it is what runs, is copied and is printed.
  async function edit(figure, { isAsked = false } = {}) {
    const draft = edits.get(containerId(figure)) ?? startEdit(figure);
    if (!draft.editor) {
      draft.editor = openEditor(figure, draft);
      draft.editor.catch(() => { draft.editor = undefined; });
    }
    const editor = await draft.editor;
    if (isAsked) editor?.focus();
  }

  const shippedText = (figure) => codeOf(figure).textContent.replace(/\n$/, "");  // its last line ends like all others

  function startEdit(figure, text) {
    const code = codeOf(figure), original = shippedText(figure), draft = { original, text: text ?? original };
    edits.set(containerId(figure), draft);
    if (text !== undefined) code.textContent = text;
    figure.classList.add("unfolded", "edited");
    updatePutBack(figure);
    return draft;
  }

  async function openEditor(figure, draft) {
    const progress = loadingBar(figure);
    try {
      const modules = await Parts.editor(progress), parent = make("div", "", { className: "editor" });
      if (edits.get(containerId(figure)) !== draft) return undefined;  // it was put back meanwhile
      const onChange = () => {
        codeOf(figure).textContent = draft.text = editor.text;
        clearTimeout(draft.timer);
        draft.timer = setTimeout(() => keep(figure), SAVE_PAUSE_MS);
      };
      const onSubmit = () => figure.dispatchEvent(new Event("submit"));
      const editor = new Editor(modules, { parent, label: "The code of this block", onChange, onSubmit });
      editor.open(draft.text);
      figure.querySelector("pre").after(parent, make("p", Editor.KEYS, { className: "why" }));
      return editor;
    } catch (error) {
      figure.append(make("p", `The editor did not start: ${error.message}`, { className: "why failed" }));
      throw error;
    } finally {
      progress.remove();
    }
  }

  // What is kept: the texts by slide, place in it and shipped text.
  function keptEdits() {
    try {
      return JSON.parse(Store.setting(SETTING) ?? "{}");
    } catch { return {}; }  // others may have written there
  }

  function editKey(figure, original) {
    const slide = figure.closest(".slide"), title = slide?.querySelector("h2")?.textContent.replace(/^\d+\s+/, "");
    return JSON.stringify([document.title, title, all(".code", slide ?? document).indexOf(figure), original]);
  }

  function keep(figure) {
    if (!figure.isConnected) return;
    const { original, text, timer } = edits.get(containerId(figure));
    clearTimeout(timer);
    storeEdit(editKey(figure, original), text === original ? undefined : text);
  }

  function storeEdit(key, text) {
    const { [key]: _, ...others } = keptEdits(), newest = text === undefined ? [] : [[key, text]];
    const entries = [...Object.entries(others), ...newest].slice(-MAX_KEPT);
    Store.set(SETTING, JSON.stringify(Object.fromEntries(entries)));
  }

  function putBack(figure, originalNodes) {
    const code = codeOf(figure), { original, timer } = edits.get(containerId(figure));
    clearTimeout(timer);
    storeEdit(editKey(figure, original));
    code.replaceChildren(...originalNodes.map((node) => node.cloneNode(true)));
    all(".editor, .editor + .why", figure).forEach((element) => element.remove());
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
    const toggleRun = () => (runButton.textContent === "Stop" ? Runs.stop("stopped") : run(figure, runButton));
    const runButton = button("Run", toggleRun, "Ctrl+Enter");
    const editButton = button("Edit", () => edit(figure, { isAsked: true }).catch(() => {}));
    const putBackButton = button("Put back", () => {
      putBack(figure, originalNodes);
      runButton.focus();
    }, "The block as it stands on the slide");
    putBackButton.className = "put-back";
    figure.querySelector(".language").after(runButton, editButton, putBackButton);
    figure.addEventListener("submit", () => run(figure, runButton));  // by the editor
  }

  // A block that the presenter edits keeps what the reader made of it; one of another deck in the same place does not.
  function restoreEdit(figure, isSameDeck) {
    const draft = edits.get(containerId(figure)), original = shippedText(figure);
    edits.delete(containerId(figure));
    const isSame = draft && (isSameDeck || draft.original === original);
    const text = isSame ? draft.text : keptEdits()[editKey(figure, original)];
    if (text !== undefined) {
      startEdit(figure, text);
      editorsToCome.observe(figure);
    }
    updatePutBack(figure);
  }

  // The editor of a text that was kept is loaded once the block is in sight.
  const editorsToCome = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      editorsToCome.unobserve(target);
      if (isEdited(target)) edit(target).catch(() => {});
    }
  });

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
  addEventListener("pagehide", () => {
    for (const id of edits.keys()) {
      const figure = document.querySelector(`#${id} .code`);
      if (figure) keep(figure);
    }
  });
  attach(document);
})();
