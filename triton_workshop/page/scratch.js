// Scratch pads: scripts of the reader's own, as many as one likes, and those that come in somebody's link. They lie
// over the page as an exercise does. `createScratch({ template, onLeave })` returns its `element`, `open(hash, back)`,
// which gets the words of the button that leads back, and `save()`.
//
// The list of pads is a setting, and each text a record of `Store`. The text of a link is kept once it changes.
globalThis.createScratch = (options) => {
  "use strict";
  const { template, onLeave } = options;
  const { make, button, loadingBar } = globalThis.page;
  const PADS = "pads", CURRENT = "pad";  // settings
  const SAVE_PAUSE_MS = 600;
  const FOREIGN = "This script is somebody else's: it came in a link. Nothing of it runs until you press Run.";
  const SIMULATED = "Kernels run on a simulator, which checks every access.";
  let pad, draft, editor, python, saveTimer;
  let linkCount = 0;  // each link's text has an interpreter of its own

  const notice = make("div", "", { className: "notice", role: "status" });
  const tabs = make("nav", "", { className: "tabs", ariaLabel: "Scratch pads" });
  const backButton = button("", () => onLeave());
  const heading = make("h2", ""), bar = make("div", [heading, tabs, backButton], { className: "bar" });
  const code = make("div", "", { className: "editor" }), paper = make("pre", "", { className: "paper" });
  const nameField = make("input", "", { type: "text", maxLength: 40 });
  const runButton = button("Run", () => toggleRun(), "Ctrl+Enter");
  const tools = make("div", [
    runButton,
    make("label", ["Name ", nameField]),
    button("Copy link", async () => notice.replaceChildren(...await Links.copy(editor.text)), "The script is in it"),
    button("Download", () => download()),
    button("Delete", () => remove()),
  ], { className: "exercise-tools" });
  const about = make("p", `Your scripts stay in this browser. ${Editor.KEYS} ${SIMULATED}`, { className: "about" });
  const prompt = make("p", "Press Run, or Ctrl+Enter. What the script prints is shown here.", { className: "t-muted" });
  const output = make("figure", "", { className: "output yours" });
  const look = createLook({ python: () => python, editor: () => editor });
  const pane = make("div", [code, paper, tools, about], { className: "pane" });
  const result = make("section", [prompt, output], { className: "verdict" });
  const side = make("div", [result, look.element], { className: "side" });
  const element = make("div", [bar, notice, pane, side], { className: "workspace scratch", hidden: true });

  const recordOf = ({ id }) => `scratch-${id}`, addressOf = ({ hash, id }) => hash ?? `#scratch-${id}`;
  const draftOf = (pad) => (pad.hash ? undefined : new Store.Draft({ number: recordOf(pad), shipped: template }));
  const showNotice = (text, ...buttons) => notice.replaceChildren(make("p", text), ...buttons);

  // Others may have written there.
  const isPad = (pad) => typeof pad?.id === "string" && typeof pad.name === "string";
  const listPads = () => [Store.data(PADS) ?? []].flat().filter(isPad);

  function storePads(pads) {
    Store.setData(PADS, pads);
    drawTabs();
  }

  function drawTabs() {
    const links = listPads().map(({ id, name }) => (
      make("a", name, { href: `#scratch-${id}`, ariaCurrent: id === pad?.id ? "page" : null })
    ));
    tabs.replaceChildren(...links, make("a", "New", { href: "#scratch-new" }));
    tabs.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // A new pad, which is in the list from now on. None has the id of one before, whose interpreter may still be there.
  function addPad(name, isForeign = false) {
    const added = { id: Date.now().toString(36), name, isForeign };
    storePads([...listPads(), added]);
    return added;
  }

  function freeName(stem) {
    const names = listPads().map(({ name }) => name);
    for (let number = 1; ; number++) if (!names.includes(`${stem} ${number}`)) return `${stem} ${number}`;
  }

  // Opens the pad of an address: `#scratch`, `#scratch-ID`, `#scratch-new`, or a link with a text in it.
  async function open(hash, back) {
    backButton.textContent = back;
    const pads = listPads(), current = Store.setting(CURRENT);
    const id = hash === "#scratch" ? current : /^#scratch-(\w+)$/.exec(hash)?.[1];
    if (pad && (hash === pad.hash || (id && id === pad.id))) return editor?.focus();
    let text, problem;
    if (Links.isLink(hash)) {
      try {
        text = await Links.read(hash);
      } catch ({ message }) { problem = message; }
    }
    const found = pads.find((other) => other.id === (id ?? current)) ?? pads.at(-1);
    if (text) switchTo({ name: "From a link", isForeign: true, hash, text, owner: `scratch-link-${++linkCount}` });
    else switchTo(id !== "new" && found ? found : addPad(freeName("Scratch")));
    await draw(problem);
  }

  function switchTo(next) {
    save();
    Runs.stop("another script is open");
    pad = next;
    draft = draftOf(pad);
    if (pad.hash) return;
    Store.set(CURRENT, pad.id);
    history.replaceState(null, "", addressOf(pad));
  }

  async function draw(problem) {
    drawTabs();
    nameField.value = pad.name;
    heading.textContent = pad.isForeign ? "Somebody else's script" : "Scratch pad";
    output.replaceChildren();
    [output.hidden, prompt.hidden] = [true, false];
    look.close();
    if (problem) showNotice(problem);
    else if (pad.hash) showNotice(FOREIGN, button("Keep it", keep));
    else if (pad.isForeign) showNotice(FOREIGN);
    else notice.replaceChildren();
    const drawn = pad;
    try {
      if (!editor) await loadEditor();
    } catch (error) {
      return showNotice(`The editor did not start: ${error.message}`, button("Try again", () => draw(problem)));
    }
    if (drawn !== pad) return;
    draft = draftOf(pad);  // another tab may have saved while the editor came
    editor.open(pad.text ?? draft.text);
    editor.focus();
  }

  async function loadEditor() {
    const progress = loadingBar(code);
    try {
      const modules = await Parts.editor(progress);
      const listeners = { onChange: saveSoon, onSubmit: run, onPoint: look.point };
      editor ??= new Editor(modules, { parent: code, label: "Your script", ...listeners });
    } finally {
      progress.remove();
    }
  }

  // Saving. A text that another tab has saved in the same pad stays, and this one becomes a pad of its own.
  function saveSoon() {
    look.outdate();
    clearTimeout(saveTimer);
    saveTimer = setTimeout(save, SAVE_PAUSE_MS);
  }

  function save() {
    clearTimeout(saveTimer);
    if (!pad || !editor) return;
    const { text } = editor;
    if (pad.hash && text !== pad.text) keep();
    if (pad.hash || text === draft.text) return;
    if (draft.findConflict(text) === undefined) return draft.save(text);
    const { name, isForeign } = pad;
    keepAs(addPad(freeName(name), isForeign), text);
    showNotice(`“${name}” was changed in another tab. Your text is here now, in a pad of its own.`);
  }

  function keep() {
    keepAs(addPad(freeName(pad.name), true), editor.text);
    showNotice(FOREIGN);
  }

  function keepAs(added, text) {
    const isAddressed = location.hash === addressOf(pad);  // the reader may be on the way to another pad
    pad = added;
    draft = draftOf(pad);
    draft.save(text);
    Store.set(CURRENT, pad.id);
    if (isAddressed) history.replaceState(null, "", addressOf(pad));
    nameField.value = pad.name;
    drawTabs();
  }

  function onStorage({ key }) {
    if (key === null || !pad || element.hidden) return;
    drawTabs();
    if (pad.hash || key !== Store.key(recordOf(pad)) || editor?.text !== draft.text) return;
    const text = draft.sync(editor.text);
    if (text === undefined) return;
    draft = draftOf(pad);
    editor.replace(text);
  }

  // The buttons
  function toggleRun() {
    if (runButton.textContent === "Stop") Runs.stop("stopped");
    else run();
  }

  async function run() {
    save();
    const { text } = editor, ran = pad, owner = pad.owner ?? recordOf(pad);
    [output.hidden, prompt.hidden] = [false, true];
    output.replaceChildren();
    look.close();
    output.scrollIntoView({ block: "nearest" });  // on a phone it is below the editor
    const hasRun = await Runs.run({ owner, run: { text } }, output, runButton);
    python ??= await Parts.python();
    if (hasRun && pad === ran && editor.text === text) look.show({ number: owner }, text);
  }

  function rename() {
    const name = nameField.value.trim();
    if (!name) return void (nameField.value = pad.name);
    if (pad.hash) keep();
    pad = { ...pad, name };
    storePads(listPads().map((other) => (other.id === pad.id ? pad : other)));
  }

  function download() {
    const url = URL.createObjectURL(new Blob([editor.text], { type: "text/x-python" }));
    make("a", "", { href: url, download: `${pad.name.replaceAll(/\W+/g, "_").toLowerCase()}.py` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  function remove() {
    const { name, isForeign } = pad, { text } = editor;
    if (!pad.hash) {
      Store.remove(recordOf(pad));
      storePads(listPads().filter(({ id }) => id !== pad.id));
    }
    pad = undefined;
    switchTo(listPads().at(-1) ?? addPad(freeName("Scratch")));
    draw();
    showNotice(`“${name}” is deleted.`, button("Undo", () => {
      switchTo(addPad(name, isForeign));
      draft.save(text);
      draw();
    }));
  }

  nameField.addEventListener("change", rename);
  addEventListener("storage", onStorage);
  addEventListener("pagehide", save);
  addEventListener("visibilitychange", save);
  addEventListener("beforeprint", () => { paper.textContent = editor?.text ?? ""; });
  return { element, open, save };
};
