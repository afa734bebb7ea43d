// Blocks that run in the page: beside each are Run and Edit. What a block prints then stands in the place of what it
// printed when the page was made, until it is put back. An edit is a record of `Store`, by the text that it changes: it
// comes back where the same text stands in a slide of the same name.
(() => {
  "use strict";
  const { all, make, button, loadingBar, prepare } = globalThis.page;
  if (!globalThis.Parts?.total) return;
  const SAVE_PAUSE_MS = 600;
  const edits = new Map();  // {draft, text, editor} of each block that the reader edits, by the id of its container
  const values = new Map();  // of each block that has run and was not put back

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
    const request = requestFor(figure), output = createOutput(figure), { text } = request.run;
    valuesOf(figure).close();
    if (!await Runs.run(request, output, runButton)) return;
    figure.dispatchEvent(new Event("ran", { bubbles: true }));  // which predictions wait for
    if (codeOf(figure).textContent === text) valuesOf(figure).show(request.owner, text, output);
  }

  function valuesOf(figure) {
    const id = containerId(figure);
    if (values.get(id)?.figure !== figure) {
      const editor = () => edits.get(id)?.opened, numbers = () => lineNumbers(figure);
      values.set(id, { figure, ...createValues({ figure, editor, numbers }) });
    }
    return values.get(id);
  }

  // What the deck runs is one author's; a reader's edit must not share an interpreter with it, nor with another edit.
  function requestFor(figure) {
    const owner = isEdited(figure) ? containerId(figure) : "slides", text = codeOf(figure).textContent;
    return { owner, run: { text, numbers: lineNumbers(figure) } };
  }

  // Editing. The code below the editor keeps the text: it is what runs, is copied and is printed.
  async function edit(figure, { isAsked = false } = {}) {
    const current = edits.get(containerId(figure)) ?? startEdit(figure, draftOf(figure));
    if (!current.editor) {
      current.editor = openEditor(figure, current);
      current.editor.catch(() => { current.editor = undefined; });
    }
    const editor = await current.editor;
    if (isAsked) editor?.focus();
  }

  const shippedText = (figure) => codeOf(figure).textContent.replace(/\n$/, "");  // its last line ends like all others

  function draftOf(figure) {
    const slide = figure.closest(".slide"), title = slide?.querySelector("h2")?.textContent.replace(/^\d+\s+/, "");
    const shipped = shippedText(figure), place = all(".code", slide ?? document).indexOf(figure);
    return new Store.Draft({ number: `block-${JSON.stringify([document.title, title, place, shipped])}`, shipped });
  }

  function startEdit(figure, draft, text = draft.text) {
    const current = { draft, text };
    edits.set(containerId(figure), current);
    valuesOf(figure).close();
    if (text !== draft.shipped) codeOf(figure).textContent = text;
    figure.classList.add("unfolded", "edited");
    updatePutBack(figure);
    return current;
  }

  async function openEditor(figure, current) {
    const progress = loadingBar(figure);
    try {
      const modules = await Parts.editor(progress), parent = make("div", "", { className: "editor" });
      if (edits.get(containerId(figure)) !== current) return undefined;  // it was put back meanwhile
      const onChange = () => {
        codeOf(figure).textContent = current.text = editor.text;
        valuesOf(figure).outdate();
        clearTimeout(current.timer);
        current.timer = setTimeout(() => keep(figure), SAVE_PAUSE_MS);
      };
      const onSubmit = () => figure.dispatchEvent(new Event("submit"));
      const onPoint = (line, name) => valuesOf(figure).point(line, name);
      const editor = new Editor(modules, { parent, label: "The code of this block", onChange, onSubmit, onPoint });
      editor.open(current.text);
      figure.querySelector("pre").after(parent, make("p", Editor.KEYS, { className: "why" }));
      return current.opened = editor;
    } catch (error) {
      figure.append(make("p", `The editor did not start: ${error.message}`, { className: "why failed" }));
      throw error;
    } finally {
      progress.remove();
    }
  }

  function replaceText(figure, text) {
    const current = edits.get(containerId(figure));
    codeOf(figure).textContent = current.text = text;
    current.opened?.replace(text);
    valuesOf(figure).outdate();
  }

  // Keeps an edit. If another tab has kept one since, the reader can have that one.
  function keep(figure) {
    const { draft, text, timer } = edits.get(containerId(figure));
    clearTimeout(timer);
    if (!figure.isConnected || text === draft.text) return;
    const otherText = draft.findConflict(text) ?? draft.shipped;
    if (otherText === draft.shipped) return draft.save(text);
    draft.replace(text, otherText);
    offer(figure, otherText);
  }

  function offer(figure, text) {
    figure.querySelector(".other")?.remove();
    const exchange = button("Exchange them", () => {
      const { draft, text: mine } = edits.get(containerId(figure));
      replaceText(figure, text);
      draft.replace(text, mine);
      offer(figure, mine);
    });
    const words = "This block was changed in another tab, too. This is one text, and the other one is kept. ";
    figure.append(make("p", [words, exchange], { className: "why other", role: "status" }));
  }

  // Another tab has kept a text of a block, and this one has nothing that is not kept.
  function onStorage({ key }) {
    for (const [id, { draft, text }] of edits) {
      const figure = document.querySelector(`#${id} .code`);
      if (!figure || key !== Store.key(draft.number) || text !== draft.text) continue;
      const otherText = draft.sync(text);
      if (otherText === undefined) continue;
      edits.get(id).draft = new Store.Draft(draft);
      replaceText(figure, otherText);
    }
  }

  function putBack(figure, originalNodes) {
    const code = codeOf(figure), { draft, timer } = edits.get(containerId(figure));
    clearTimeout(timer);
    Store.remove(draft.number);
    code.replaceChildren(...originalNodes.map((node) => node.cloneNode(true)));
    all(".editor, .editor + .why, .other", figure).forEach((element) => element.remove());
    figure.classList.remove("unfolded", "edited");
    edits.delete(containerId(figure));
    valuesOf(figure).close();
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
    const before = edits.get(containerId(figure)), draft = draftOf(figure);
    edits.delete(containerId(figure));
    const isSame = before && (isSameDeck || before.draft.shipped === draft.shipped);
    if (isSame || draft.text !== draft.shipped) {
      startEdit(figure, draft, isSame ? before.text : draft.text);
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
  addEventListener("storage", onStorage);
  attach(document);
})();
