// The workspace of an exercise, which lies over the page: the editor on one side, and on the other what the checker
// says of the text while it is typed. `createWorkspace({ exercises, tabs, onLeave })` returns its `element`,
// `open(exercise)`, `save()`, and the `exercise` that is open with its `text`. The element dispatches
// "open", and "edit" when the text may be another one.
globalThis.createWorkspace = (options) => {
  "use strict";
  const { exercises, tabs, onLeave } = options;
  const { make, button, loadingBar } = globalThis.page;
  const TYPING_PAUSE_MS = 400;  // after the last key, until a check starts
  const PATIENCE_MS = 700;  // that a check may go on for a text that has changed, until its worker is stopped
  const UNFINISHED_MS = 6000;  // the same of an unfinished script: a new worker would take longer than the rest
  const LIMITS = `${Editor.KEYS} Kernels run on a simulator: this page times no `
    + "GPU, has the front end of Triton's compiler but not the rest, and cannot run programs that wait for each other.";
  const SYNTAX_ERRORS = ["syntax-error", "indentation"];
  const IN_BROWSER = "Your text and your progress stay in this browser.";
  const NOWHERE = "This browser keeps nothing: download your text before you close the page.";
  let exercise, draft, editor, python, modules;
  let hasConflict = false;  // until the reader has chosen one of two texts, none is saved

  const paragraph = (text) => make("p", text);
  const title = make("h2", ""), notice = make("div", "", { className: "notice", role: "status" });
  const code = make("div", "", { className: "editor" }), about = make("p", "", { className: "about" });
  const verdictPane = make("section", "", { className: "verdict", tabIndex: 0, ariaLabel: "What the checker says" });
  const spoken = make("p", "", { className: "spoken", role: "status" });  // a headline, when it is another one
  const fileInput = make("input", "", { type: "file", accept: ".py,text/x-python", hidden: true });
  const bar = make("div", [title, tabs, button("Back to the slides", onLeave)], { className: "bar" });
  const tools = make("div", [
    button("Check now", () => checkNow(), "Ctrl+Enter"),
    button("Reset", () => reset(), "The script as it was shipped; yours is kept for Put back"),
    button("Put back", () => putBack(), "The text that stood here before the last Reset or Load"),
    button("Copy link", async () => notice.replaceChildren(...await Links.copy(editor.text)), "The script is in it"),
    button("Download", () => download()),
    button("Load", () => fileInput.click()),
    fileInput,
  ], { className: "exercise-tools" });
  const stopButton = button("Stop", () => python.stop("you stopped it")), status = make("span", "");
  const checking = make("div", [status, stopButton], { className: "checking" });
  const paper = make("pre", "", { className: "paper" });  // the editor draws only what is in sight
  const pane = make("div", [code, paper, tools, about], { className: "pane" });
  const demo = createDemo({ python: () => python, draw: Verdict.picture, say });
  const look = createLook({ python: () => python, editor: () => editor });
  const task = createTask(), glance = createGlance(verdictPane);
  const side = make("div", [task.element, checking, spoken, verdictPane, look.element], { className: "side" });
  const properties = { className: "workspace", ariaLabel: "The exercise", hidden: true };
  const element = make("section", [bar, notice, pane, side, glance.element], properties);

  const showNotice = (text, ...buttons) => notice.replaceChildren(paragraph(text), ...buttons);
  const describeStorage = () => { about.textContent = `${Store.isPersistent ? IN_BROWSER : NOWHERE} ${LIMITS}`; };

  function setStatus(text, { isRunning = false } = {}) {
    status.textContent = text;
    stopButton.hidden = !isRunning;
    if (isRunning) glance.show(text, "muted");
  }

  function say(text) {
    if (spoken.textContent !== text) spoken.textContent = text;
  }

  function showProblem(headline, text, ...buttons) {
    const heading = make("h3", `! ${headline}`, { className: "t-warning" });
    verdictPane.replaceChildren(heading, paragraph(text), ...buttons);
    glance.show(`! ${headline}`, "warning");
    say(`${headline}. ${text}`);
  }

  async function open(next) {
    [exercise, draft, hasConflict] = [next, new Store.Draft(next), false];
    [isTyping, unfinishedLine] = [false, undefined];
    title.textContent = exercise.title;
    task.show(exercise, draft.text === exercise.shipped);
    notice.replaceChildren();
    verdictPane.replaceChildren();
    look.close();
    const onProgress = loadingBar(verdictPane);
    setStatus("");
    describeStorage();
    element.dispatchEvent(new Event("open"));
    try {
      // Without a pause, if the editor is there already: it must not hold the text of one exercise for another.
      if (!editor) {
        await loadEditor(onProgress);
        draft = new Store.Draft(exercise);  // another tab may have saved meanwhile
      }
      editor.open(draft.text, exercise.shipped.slice(0, exercise.shipped.search(/^@triton/m)));
      editor.focus();
      python ??= await Parts.python(onProgress);
    } catch (error) {
      const again = button("Try again", () => open(next));
      return showProblem("This page could not load everything", error.message, again);
    }
    check();
  }

  async function loadEditor(onProgress) {
    modules = await Parts.editor(onProgress);
    const listeners = { onChange: checkSoon, onSubmit: checkNow, onPoint: look.point, onRest: settle };
    editor ??= new Editor(modules, { parent: code, label: "Your script", ...listeners });
  }

  // Saving. Another tab may have saved another text of this exercise: nobody's is lost.
  function save() {
    if (!exercise || !editor || hasConflict || editor.text === draft.text) return;
    const text = editor.text, otherText = draft.findConflict(text);
    if (otherText === undefined) draft.save(text);
    else resolveConflict(otherText);
  }

  function resolveConflict(otherText) {
    hasConflict = true;
    const choose = (chosen, rejected) => {
      hasConflict = false;
      draft.replace(chosen, rejected);
      if (chosen === otherText) editor.replace(chosen);
      showNotice("The other text is kept: Put back shows it.");
      check();
    };
    showNotice(
      "This exercise was changed in another tab. Which text do you want to go on with?",
      button("This one", () => choose(editor.text, otherText)),
      button("The other tab's", () => choose(otherText, editor.text)),
    );
  }

  function onStorage(event) {
    if (!exercise || !editor || event.key !== Store.key(exercise.number) || element.hidden) return;
    const otherText = draft.sync(editor.text);
    if (otherText !== undefined && !hasConflict) resolveConflict(otherText);
  }

  // The buttons below the editor.
  function replaceText(text, message) {
    const replaced = editor.text;
    if (replaced === text) return;
    draft.replace(text, replaced);
    editor.replace(text);
    isTyping = false;
    showNotice(`${message} What stood there is kept: Put back shows it.`);
    check();
  }

  function reset() {
    replaceText(exercise.shipped, "It is as it was shipped.");
  }

  function putBack() {
    const [backup] = draft.backups;
    if (backup === undefined) showNotice("There is no older text: Reset and Load keep one.");
    else replaceText(backup, "This is the text from before.");
  }

  function download() {
    const url = URL.createObjectURL(new Blob([editor.text], { type: "text/x-python" }));
    make("a", "", { href: url, download: `exercise_${exercise.number}.py` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async function loadFile() {
    const [file] = fileInput.files;
    if (file) replaceText(await file.text(), `${file.name} is loaded.`);
    fileInput.value = "";  // so that the same file can be chosen again
  }

  // The check: the newest text, and nothing of one that is outdated. Only its last verdict counts: what is right until
  // then may fail in a long case, or in Triton's front end.
  let checkTimer, patience, checked, isChecking = false, isOutdated = false;
  let isTyping = false, unfinishedLine;  // a line that is being written, with what its verdict will be

  function checkNow() {
    isTyping = false;
    spoken.textContent = "";  // who asks for a check hears the verdict even if it is the same
    return check();
  }

  function checkSoon() {
    element.dispatchEvent(new Event("edit"));
    [isTyping, unfinishedLine] = [true, undefined];
    if (checkTimer === undefined) outdate();  // the first key since the last check: those after it are cheap
    clearTimeout(checkTimer);
    checkTimer = setTimeout(check, TYPING_PAUSE_MS);
  }

  function outdate() {
    verdictPane.classList.add("outdated");
    look.outdate();
    if (checked) python.outdate(checked.number, patience);
  }

  async function check() {
    clearTimeout(checkTimer);
    checkTimer = undefined;
    save();
    element.dispatchEvent(new Event("edit"));
    if (!python || !editor) return;
    if (isChecking) return checkAgain();
    [isChecking, isOutdated, patience] = [true, false, PATIENCE_MS];
    const text = editor.text, startTime = performance.now();
    checked = exercise;
    const { result, verdict } = await askForVerdict(checked, text);
    const seconds = (performance.now() - startTime) / 1000;
    setStatus(result.failed || result.outdated ? "" : `Checked in ${seconds.toFixed(1)} s`);
    isChecking = false;
    if (isOutdated || exercise !== checked) check();
    else if (result.outdated) return;  // a check begins once the keys rest
    else if (result.failed) showFailure(result.failed);
    else if (editor.text === text) conclude(checked, verdict, text);
  }

  // An error on a line that is being written is none yet: it is one when the cursor leaves the line.
  async function conclude(checked, verdict, text) {
    const isSyntaxError = SYNTAX_ERRORS.includes(verdict.findings[0]?.hint_name);
    if (isSyntaxError && isTyping && editor.isWriting(verdict.described.line)) {
      unfinishedLine = { checked, verdict, text };
      editor.mark();
      verdictPane.classList.remove("outdated");
      const words = `Line ${editor.cursor.line} is not finished yet`;
      glance.show(words, "muted");
      return verdictPane.replaceChildren(make("h3", words, { className: "t-muted" }));
    }
    unfinishedLine = undefined;
    showVerdict(verdict, text);
    if (verdict.passed) await demo.show(checked, text);
    if (exercise === checked && editor.text === text) look.show(checked, text, placeOf(verdict));
  }

  function settle() {
    if (!unfinishedLine || editor.isWriting(unfinishedLine.verdict.described.line)) return;
    const { checked, verdict, text } = unfinishedLine;
    if (exercise === checked && editor.text === text) conclude(checked, verdict, text);
  }

  function checkAgain() {
    isOutdated = true;
    python.outdate(checked.number, patience);
  }

  async function askForVerdict({ number, cases }, text) {
    let verdict, done = 0;
    const setRunning = (words) => setStatus(words, { isRunning: true });
    setRunning("Checking …");
    const result = await python.ask({ owner: number, check: { number, text } }, (message) => {
      if (message.passed && ++done < cases) setRunning(`Checking … case ${done + 1} of ${cases}`);
      if (message.passed === false) setRunning("Wrong: looking for the mistake …");
      verdict = message.verdict ?? verdict;  // what a script prints is no verdict
      if (message.verdict?.passed && done === cases) setRunning(`All ${cases} cases are right: looking further …`);
      if (verdict?.described.isPreliminary) setRunning("Wrong: looking for the line …");
      // For some more seconds, its TODOs are tried, or its line is looked for.
      const isUnfinished = verdict?.described.kind === "unfinished";
      if (isUnfinished) patience = UNFINISHED_MS;
      if (!isUnfinished && !verdict?.described.isPreliminary) return;
      if (exercise.number === number && editor?.text === text) showVerdict(verdict, text);
    });
    return { result, verdict };
  }

  // Where a look inside begins: what the finding is about; of open TODOs, the values that are listed.
  function placeOf({ findings: [finding], todos }) {
    if (finding?.kind !== "unfinished") return finding;
    const known = todos.filter(({ values }) => values);
    const { case: name, program, line } = known.find(({ right }) => !right) ?? { ...known[0], line: undefined };
    return { case: name, programs: program && [program], line };
  }

  function showFailure(reason) {
    verdictPane.classList.remove("outdated");
    const last = reason.trim().split("\n").at(-1);  // a traceback of the page's own helps nobody
    const why = `${last[0].toUpperCase()}${last.slice(1)}`;
    showProblem("The check itself was ended", `${why}. Change the script, or press Check now.`);
  }

  function showVerdict(verdict, text) {
    const { passed, described } = verdict, { kind, line, message, hints } = described, { number, todos } = exercise;
    verdictPane.classList.remove("outdated");
    const where = line ? [`line ${line}`] : [], headline = described.headline.slice(2);
    // The same as before needs no words until its line is known.
    if (!described.isPreliminary || !spoken.textContent.startsWith(headline)) say([headline, ...where].join(", "));
    glance.show([described.headline, ...where].join(", "), described.tone);
    if (kind !== "unfinished") task.fold();
    editor.mark(line, message, kind === "unfinished" ? "info" : "error");
    Store.update(number, { standing: Verdict.standing(verdict, exercise, text) });
    const filled = Verdict.countFilled(verdict, exercise, text);
    const openHints = Store.read(number).hints?.shown ?? 0;
    const mistake = described.isPreliminary ? "" : verdict.findings[0]?.hint_name ?? "";
    const detail = { exercise: number, filled, todos, right: passed, hints: openHints, mistake };
    document.dispatchEvent(new CustomEvent("progress", { detail }));  // live.js tells the room, if the reader wants it
    if (passed && verdictPane.querySelector(".editor")) return;  // a reader who compares is not interrupted
    verdictPane.replaceChildren(...Verdict.elements(described, {
      hints: hints.length ? [rememberedHints(hints)] : [],
      footer: passed ? [nextSteps()] : [],
    }));
    if (passed) verdictPane.firstChild.after(demo.element);
  }

  // Hints that the reader has asked for stay open as long as the finding is the same.
  function rememberedHints(hints) {
    const { number } = exercise, finding = JSON.stringify(hints), record = Store.read(number).hints;
    const count = record?.about === finding ? record.shown : 0;
    return Verdict.hints(hints, count, (shown) => Store.update(number, { hints: { about: finding, shown } }));
  }

  function nextSteps() {
    const isNext = ({ number, optional }) => !optional && Number(number) > parseInt(exercise.number, 10);
    const place = ({ number, title }) => ({ title, href: `#exercise-${number}` });
    const next = globalThis.page.course?.after(exercise.number) ?? exercises.filter(isNext).map(place)[0];
    const variations = exercises.filter(({ number }) => exercise.variations.includes(number)).map(place);
    const steps = [...(next ? [["Go on:", next]] : []), ...variations.map((variation) => ["Done early?", variation])];
    const links = steps.map(([reason, { title, href }]) => make("a", `${reason} ${title}`, { href }));
    if (next) links[0].className = "go-on";
    return make("div", [button("Compare with the solution", showSolution), ...links], { className: "next" });
  }

  function showSolution() {
    const { solution } = exercise, container = make("div", "", { className: "editor" });
    const back = button("Back to the verdict", () => {
      verdictPane.replaceChildren();
      check();
    });
    // What stands above the first kernel is in every script.
    const fromKernel = (text) => text.slice(Math.max(text.search(/^(@|def )/m), 0));
    const difference = Diff.element(fromKernel(editor.text), fromKernel(solution));
    const headings = ["Yours and the solution", "The solution"].map((text) => make("h3", text));
    verdictPane.replaceChildren(headings[0], back, difference, headings[1], container);
    Editor.show(modules, container, fromKernel(solution).trimEnd());
    verdictPane.focus({ preventScroll: true });
    headings[0].scrollIntoView({ block: "nearest" });
  }

  fileInput.addEventListener("change", loadFile);
  addEventListener("storage", onStorage);
  addEventListener("pagehide", save);
  addEventListener("beforeprint", () => { paper.textContent = editor?.text ?? ""; });
  addEventListener("visibilitychange", save);
  Store.subscribe(describeStorage);
  return { element, open, save, get exercise() { return exercise; }, get text() { return editor?.text; } };
};
