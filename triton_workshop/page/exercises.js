// The exercises: an editor, and beside it what the checker says of the text, in the words of every other screen. Texts
// and progress stay in this browser, where the worker that runs a script cannot read them.
(() => {
  "use strict";
  const place = document.getElementById("exercises");
  if (!place) return;
  const { all, make, button, loading } = globalThis.page;
  const { exercises, marks } = JSON.parse(document.getElementById("exercises-data").textContent);
  const numbered = (number) => exercises.find((each) => each.number === number);
  const PAUSE_MS = 600, PATIENCE_MS = 1000, BACKUPS = 5, DEEPEST = 32;  // milliseconds after the last key, and until a check that is outdated is stopped

  // What is kept of each exercise: its text with a revision, how far it is, the hints that were asked for, older texts.
  const memory = {};
  let keeps = true;
  const key = (number) => `triton-workshop-exercise-${number}`;
  function record(number) {
    try {
      return JSON.parse(localStorage.getItem(key(number))) ?? {};
    } catch {  // private windows may have no storage, and others may have written there
      keeps = false;
      return memory[number] ?? {};
    }
  }
  function keep(number, change) {
    memory[number] = { ...record(number), ...change };
    try {
      localStorage.setItem(key(number), JSON.stringify(memory[number]));
    } catch { keeps = false; }
    tell();
    if (change.standing) mark(number);
  }
  const withBackup = (number, text) => [text, ...(record(number).backups ?? []).filter((each) => each !== text)].slice(0, BACKUPS);
  const standing = (number) => [record(number).standing].find((kept) => kept in marks) ?? "new";  // another version of the page may have kept it

  // The list, and the workspace that lies over the page.
  const toned = ([text, tone], name = "span") => make(name, text, { className: { plain: "", strong: "b", key: "t-literal" }[tone] ?? `t-${tone}` });
  const words = (text) => make("p", text);
  const rows = make("ul", "", { className: "exercise-list" });
  const heading = make("h2", "Exercises", { className: "part" });
  place.append(heading, words("Each opens in an editor, and is checked while you type. Nothing has to be installed; the first one loads Python."), rows);
  (document.getElementById("scripts") ?? document.querySelector("main").lastElementChild)?.before(place);
  document.querySelector("nav")?.prepend(make("p", make("a", "Exercises in this page", { href: "#exercises" })));

  const marked = {};  // what shows how far each exercise is: in the list, and in its tab
  function list() {
    for (const { number, title: name, optional, warmUp } of exercises) {
      const href = `#exercise-${number}`, [inList, inTab] = marked[number] = [make("span", ""), make("span", "")];
      rows.append(make("li", [inList, make("a", name, { href }), ...(optional ? [make("span", warmUp ? "a warm-up" : "a variation", { className: "t-muted" })] : [])]));
      tabs.append(make("a", [`${number} `, inTab], { href, title: name }));
      mark(number);
    }
  }
  function mark(number) {
    const [text, tone] = marks[standing(number)];
    for (const place of marked[number]) Object.assign(place, { textContent: text, className: `t-${tone}` });
  }
  function choose() {  // the tab of the exercise that is open
    exercises.forEach((each, at) => { tabs.children[at].ariaCurrent = each === open ? "page" : null; });
    tabs.scrollLeft = tabs.querySelector("[aria-current]").offsetLeft - tabs.clientWidth / 2;  // on a phone they are one row
  }

  let open, origin, editor, python, seen = 0, saved = "", conflict = false;  // `seen`: the revision that this tab knows
  const title = make("h2", ""), tabs = make("nav", "", { className: "tabs", ariaLabel: "All exercises" }), notice = make("div", "", { className: "notice", role: "status" });
  const code = make("div", "", { className: "editor" }), about = make("p", "", { className: "about" });
  const verdict = make("section", "", { className: "verdict", tabIndex: 0, ariaLabel: "What the checker says", ariaLive: "polite" });
  const loader = make("input", "", { type: "file", accept: ".py,text/x-python", hidden: true });
  const bar = make("div", [title, tabs, button("Back to the slides", () => leave())], { className: "bar" });
  const tools = make("div", [
    button("Check now", () => check(), "Ctrl+Enter"),
    button("Reset", () => replace(open.shipped, "It is as it was shipped."), "The script as it was shipped; yours is kept for Put back"),
    button("Put back", () => putBack(), "The text that stood here before the last Reset or Load"), button("Download", () => download()), button("Load", () => loader.click()), loader,
  ], { className: "exercise-tools" });
  const stopping = button("Stop", () => python.stop("you stopped it")), status = make("span", "", { role: "status" });
  const checking = make("div", [status, stopping], { className: "checking" });
  const workspace = make("div", [bar, notice, make("div", [code, tools, about], { className: "pane" }), make("div", [checking, verdict], { className: "side" })], { className: "workspace", hidden: true });
  document.body.append(workspace);
  const behind = () => all("body > header, body > nav, body > main, body > details");

  function tell() {
    const where = keeps ? "Your text and your progress stay in this browser." : "This browser keeps nothing: download your text before you close the page.";
    about.textContent = `${where} To leave the editor with Tab, press Escape first. Kernels run on a simulator: this page times no GPU, has the front end of Triton's compiler but not the rest, and cannot run programs that wait for each other.`;
  }

  // The address says which exercise is open, so that links, the back button and a reload work.
  const wanted = () => /^#exercise(?:s-exercise_|-)(\w+)$/.exec(location.hash)?.[1];
  function arrive() {
    const exercise = numbered(wanted());
    save();
    workspace.hidden = !exercise;
    for (const each of behind()) each.inert = Boolean(exercise);
    document.documentElement.classList.toggle("working", Boolean(exercise));
    if (exercise && exercise !== open) show(exercise);
    else if (!exercise && location.hash === "#exercises") place.scrollIntoView();
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href^='#exercise']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (workspace.hidden) origin = { link, url: location.href, top: scrollY };
    history.pushState(null, "", link.getAttribute("href"));
    arrive();
  });
  function leave() {  // to where the editor was opened, or else to the exercise's slide
    const slides = [open.number, parseInt(open.number, 10)].map((number) => document.querySelector(`.slide [href="#exercise-${number}"]`)?.closest(".slide"));
    const { link, url, top } = origin ?? { url: `#${(slides.find(Boolean) ?? place).id}` };
    history.pushState(null, "", url);
    arrive();
    if (!link) return document.querySelector(url).scrollIntoView();
    scrollTo(0, top);
    link.focus({ preventScroll: true });
  }
  addEventListener("popstate", arrive);

  async function show(exercise) {
    open = exercise;
    title.textContent = exercise.title;
    const known = record(exercise.number);
    [seen, saved, conflict] = [known.revision ?? 0, known.text ?? exercise.shipped, false];
    notice.replaceChildren();
    verdict.replaceChildren();
    const coming = loading(verdict);
    say("");
    tell();
    choose();
    try {
      const editing = editor ?? (editor = makeEditor(await Parts.editor(coming)));
      editing.take(saved);
      editing.view.focus();
      python ??= await Parts.python(coming);
    } catch (error) {
      verdict.replaceChildren(make("h3", "! This page could not load everything", { className: "t-warning" }), words(error.message), button("Try again", () => show(exercise)));
      return;
    }
    check();
  }
  // The editor.
  function makeEditor(modules) {
    const { EditorState, Transaction } = modules["@codemirror/state"], { tags } = modules["@lezer/highlight"];
    const { Decoration, EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightActiveLineGutter } = modules["@codemirror/view"];
    const { history: undoing, defaultKeymap, historyKeymap, indentWithTab } = modules["@codemirror/commands"];
    const { HighlightStyle, syntaxHighlighting, indentUnit, bracketMatching } = modules["@codemirror/language"];
    const { setDiagnostics, lintGutter } = modules["@codemirror/lint"], { python: language } = modules["@codemirror/lang-python"];
    const colours = { keyword: "keyword", string: "string", number: "number", bool: "number", comment: "comment", "function(definition(variableName))": "function", "function(variableName)": "function" };
    const tag = (name) => name.split(/[()]/).filter(Boolean).reduceRight((inner, each) => (typeof tags[each] === "function" ? tags[each](inner) : tags[each]), undefined);
    const highlight = HighlightStyle.define(Object.entries(colours).map(([name, colour]) => ({ tag: tag(name), color: `var(--syntax-${colour})` })));
    const hanging = EditorView.decorations.compute(["doc"], ({ doc }) => Decoration.set(Array.from({ length: doc.lines }, (_, at) => {
      const { text, from } = doc.line(at + 1);  // a long line goes on below, two columns further in than it begins
      return Decoration.line({ class: `in-${Math.min(text.search(/[^ ]|$/), DEEPEST)}` }).range(from);
    })));
    const theme = EditorView.theme({
      ...Object.fromEntries(Array.from({ length: DEEPEST + 1 }, (_, depth) => [`.in-${depth}`, { paddingLeft: `calc(6px + ${depth + 2}ch)`, textIndent: `-${depth + 2}ch` }])),
      "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--panel)", fontSize: "0.9375rem" },
      ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.5" }, ".cm-content": { caretColor: "var(--accent)" },
      ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
      ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--well)" },
      "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent) !important" },
      ".cm-cursor": { borderLeftColor: "var(--accent)" }, ".cm-tooltip": { backgroundColor: "var(--well)", color: "var(--text)", border: "1px solid var(--faint)" },
    });
    const keys = keymap.of([{ key: "Mod-Enter", run: () => check() ?? true }, ...defaultKeymap, ...historyKeymap, indentWithTab]);
    const reading = [EditorView.cspNonce.of("editor"), language(), syntaxHighlighting(highlight), theme, EditorView.lineWrapping, hanging];
    const extensions = [
      ...reading, lineNumbers(), highlightActiveLineGutter(), undoing(), drawSelection(), highlightActiveLine(), bracketMatching(), indentUnit.of("    "), lintGutter(), keys,
      EditorView.contentAttributes.of({ "aria-label": "Your script" }),
      EditorView.updateListener.of((update) => { if (update.docChanged && !update.transactions.some((each) => each.annotation(Transaction.remote))) typed(); }),
    ];
    const view = new EditorView({ parent: code });
    return {
      view,
      get text() { return view.state.doc.toString(); },
      take: (text) => view.setState(EditorState.create({ doc: text, extensions })),
      read: (parent, doc) => new EditorView({ parent, doc, extensions: [...reading, EditorView.editable.of(false), EditorView.contentAttributes.of({ "aria-label": "The solution" })] }),
      put: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, annotations: Transaction.remote.of(true) }),
      mark(number, message, severity) {
        const line = number && number <= view.state.doc.lines ? view.state.doc.line(number) : null;
        const marked = line ? [{ from: line.from + /^\s*/.exec(line.text)[0].length, to: line.to, severity, message }] : [];
        view.dispatch(setDiagnostics(view.state, marked));
      },
    };
  }

  let timer, running = false, again = false, begun = 0;
  function typed() {
    verdict.classList.add("outdated");
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE_MS);
  }
  function save() {
    if (!open || !editor || conflict || editor.text === saved) return;
    const there = record(open.number), text = editor.text;
    if ((there.revision ?? 0) !== seen && there.text !== text) return ask(there.text ?? open.shipped);
    keepText(text);
  }
  function keepText(text, change = {}) {
    [saved, seen] = [text, (record(open.number).revision ?? 0) + 1];
    keep(open.number, { text, revision: seen, ...(standing(open.number) === "passed" ? { standing: "changed" } : {}), ...change });
  }

  // Another tab has another text of this exercise: nobody's is lost.
  function ask(other) {
    conflict = true;
    const take = (text, put) => {
      const lost = text === other ? editor.text : other;
      conflict = false;
      keepText(text, { backups: withBackup(open.number, lost) });
      put();
      notice.replaceChildren(words("The other text is kept: Put back shows it."));
      check();
    };
    notice.replaceChildren(
      words("This exercise was changed in another tab. Which text do you want to go on with?"),
      button("This one", () => take(editor.text, () => {})), button("The other tab's", () => take(other, () => editor.put(other))),
    );
  }
  addEventListener("storage", (event) => {
    exercises.forEach(({ number }) => mark(number));
    if (!open || event.key !== key(open.number) || workspace.hidden) return;
    const { text, revision } = record(open.number);
    if (text === undefined || text === editor?.text) seen = revision ?? 0;
    else if (!conflict) ask(text);
  });

  function replace(text, said) {
    const before = editor.text;
    if (before === text) return;
    keepText(text, { backups: withBackup(open.number, before) });
    editor.put(text);
    notice.replaceChildren(words(`${said} What stood there is kept: Put back shows it.`));
    check();
  }
  function putBack() {
    const backups = record(open.number).backups ?? [];
    if (backups.length) replace(backups[0], "This is the text from before.");
    else notice.replaceChildren(words("There is no older text: Reset and Load keep one."));
  }
  function download() {
    const url = URL.createObjectURL(new Blob([editor.text], { type: "text/x-python" }));
    make("a", "", { href: url, download: `exercise_${open.number}.py` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
  loader.onchange = async () => {
    const [file] = loader.files;
    if (file) replace(await file.text(), `${file.name} is loaded.`);
    loader.value = "";
  };

  // The check: the newest text, and nothing of one that is outdated. Only its last verdict counts: what is right until
  // then may fail in a long case, or in Triton's front end.
  async function check() {
    clearTimeout(timer);
    save();
    if (!python || !editor) return;
    if (running) {
      again = true;
      if (performance.now() - begun > PATIENCE_MS) python.stop("outdated");
      return;
    }
    [running, again, begun] = [true, false, performance.now()];
    const exercise = open, text = editor.text;
    let last;
    say("Checking …", { working: true });
    const done = await python.ask({ owner: exercise.number, check: { number: exercise.number, text } }, (heard) => {
      last = heard.verdict;
      if (last.passed) say(`Checking … ${soFar(last)}`, { working: true });
    });
    say(done.failed ? "" : `Checked in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    running = false;
    if (again || open !== exercise) return check();
    if (done.failed) {
      verdict.classList.remove("outdated");
      verdict.replaceChildren(make("h3", "! The check itself was ended", { className: "t-warning" }), words(`It says: ${done.failed}. Change the script, or press Check now.`));
    } else if (editor.text === text) lay(last, exercise, text);
  }
  function say(words, { working = false } = {}) {
    status.textContent = words;
    stopping.hidden = !working;
  }
  const soFar = ({ cases, described: { toCome } }) => (toCome ? `${cases.length} of ${cases.length + toCome} cases are right so far` : `all ${cases.length} cases are right, looking further`);

  // A verdict, laid out.
  function lay(found, exercise, text) {
    const { headline, tone, kind, line, message, parts, hints, pictures } = found.described;
    verdict.classList.remove("outdated");
    editor.mark(line, message, kind === "unfinished" ? "info" : "error");
    keep(exercise.number, { standing: found.passed ? "passed" : text === exercise.shipped ? "new" : kind === "unfinished" ? "begun" : "failing" });
    const { todos, planted } = exercise, left = found.passed ? 0 : planted.filter((bug) => bug.every((piece) => text.includes(piece))).length;
    const done = kind === "unfinished" ? parts[0]?.rows?.filter(([[mark]]) => mark === "●").length ?? 0 : todos - left;
    const detail = { exercise: exercise.number, filled: done, todos, right: found.passed, hints: record(exercise.number).hints?.shown ?? 0 };
    document.dispatchEvent(new CustomEvent("progress", { detail }));  // for who tells the room
    if (found.passed && verdict.querySelector(".editor")) return;  // who compares is not interrupted
    const top = make("h3", [headline, ...(kind ? [make("span", kind.replaceAll("-", " "), { className: "t-muted kind-of" })] : [])], { className: `t-${tone}` });
    const shown = parts.map((part) => (part.rows ? table(part) : tiles(part)));
    if (kind === "unfinished" && todos > done) shown[0]?.append(make("p", "● is filled in, not yet checked. The check starts when the last TODO is filled in.", { className: "t-muted" }));
    verdict.replaceChildren(top, ...shown.slice(0, 2), ...(hints.length ? [hintList(hints, exercise)] : []), ...shown.slice(2), ...pictures.map(picture), ...(found.passed ? [next(exercise)] : []));
  }
  const table = ({ rows: given, code: isCode }) => make("div", given.map((cells) => make("div", cells.map((cell) => toned(cell)))), { className: isCode ? "rows code-rows" : "rows" });
  function tiles({ planes, what, legend }) {
    const cell = ([letter, tone]) => make("span", letter, { className: `t-${tone}${letter === "·" ? "" : " reverse"}` });
    const drawn = planes.map((plane, number) => make("pre", [planes.length > 1 ? `channel ${number}\n` : "", ...plane.flatMap((row) => [...row.map(cell), "\n"])]));
    const said = legend.flatMap(([letter, tone, state]) => [cell([letter, tone]), ` ${state}  `]);
    return make("div", [...drawn, make("p", [`${what}: `, ...said], { className: "t-muted" })], { className: "tiles" });
  }
  function picture({ caption, width, height, rgb }) {
    const canvas = make("canvas", "", { width, height, role: "img", ariaLabel: caption });
    const bytes = atob(rgb), image = new ImageData(width, height);
    for (let at = 0; at < width * height; at++) {
      for (let channel = 0; channel < 3; channel++) image.data[4 * at + channel] = bytes.charCodeAt(3 * at + channel);
      image.data[4 * at + 3] = 255;
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return make("figure", [canvas, make("figcaption", caption)]);
  }

  // Hints, one at a time: those that were asked for stay as long as the finding is the same.
  function hintList(hints, exercise) {
    const made = make("div", "", { className: "hints" }), about = JSON.stringify(hints);
    const known = record(exercise.number).hints;
    let shown = known?.about === about ? known.shown : 0;
    const draw = () => {
      const more = button(shown ? "Another hint" : "A hint", () => {
        keep(exercise.number, { hints: { about, shown: ++shown } });
        draw();
        made.querySelector("button")?.focus();
      });
      made.replaceChildren(...hints.slice(0, shown).map(hint), ...(shown < hints.length ? [more] : []));
    };
    const hint = ({ words: said, code: its }, at) => make("div", [
      make("span", `hint ${at + 1} of ${hints.length}`, { className: "t-accent" }), ` ${said}`,
      ...(its ? [make("pre", its, { tabIndex: 0, ariaLabel: "Code" })] : []),
    ], { className: "hint" });
    draw();
    return made;
  }
  function next(exercise) {
    const following = exercises.find((each) => !each.optional && Number(each.number) > parseInt(exercise.number, 10));
    const others = [["Go on", following], ...exercise.variations.map((number) => ["Done early?", numbered(number)])].filter(([, other]) => other);
    const links = others.map(([why, { title: name, number }]) => make("a", `${why} ${name}`, { href: `#exercise-${number}` }));
    return make("div", [button("Compare with the solution", () => compare(exercise)), ...links], { className: "next" });
  }
  function compare(exercise) {
    const solution = make("div", "", { className: "editor" }), begin = exercise.solution.search(/^(@|def )/m);  // where its first kernel begins
    verdict.replaceChildren(make("h3", "The solution"), button("Back to the verdict", () => verdict.replaceChildren() ?? check()), solution);
    editor.read(solution, exercise.solution.slice(begin).trimEnd());
    verdict.focus();
  }

  addEventListener("pagehide", save);
  addEventListener("visibilitychange", save);
  list();
  arrive();
})();
