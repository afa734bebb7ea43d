// What the editor knows of Triton's and the workshop's names: a list to complete from, and what a call takes.
// `Completion` offers an `extension(modules)`, in which `modules.signatures` has the parameters and a sentence of each
// name, by the name before its dot; they are Triton's (`page/signatures.py`).
//
// The list opens by itself after `tl.`, and takes no key until one of its entries is chosen by an arrow. A call's
// parameters are shown when typing rests after its bracket, or when they are asked for.
globalThis.Completion = (() => {
  "use strict";
  const TYPING_PAUSE_MS = 200;  // after the last key, until the list is looked for, or a call's parameters are shown
  const MIN_LETTERS = 3;  // of a name without a dot, until the list opens by itself
  const TOKENS = /("""|''')[^]*?(?:\1|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|#.*|[()[\]{},]/g;
  const CALLEE = /(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*$/;
  const { make } = globalThis.page;

  // What is known of a name as it is written, with what stands before its dot.
  const find = (modules, text) => {
    const [, owner = "", name] = /^(?:(.*)\.)?(\w+)$/.exec(text.trim()) ?? [];
    const signature = modules.signatures[owner === "triton.language" ? "tl" : owner]?.[name];
    return signature && { name: text.trim(), parameters: signature[0], sentence: signature[1] };
  };

  // A signature with its current parameter in bold, and its sentence.
  function describe({ name, parameters, sentence }, current) {
    const [before, marked, after] = parameters ? splitAt(parameters, current) : ["", "", ""];
    const code = make("code", [name, before, ...(marked ? [make("b", marked)] : []), after]);
    return make("div", [code, make("p", sentence)], { className: "signature" });
  }

  // The text of parameters before, in and after the current one: a place, or a name.
  function splitAt(parameters, current) {
    const list = splitParameters(parameters.slice(1, -1)), places = list.filter((text) => text !== "*");
    const names = places.map((text) => /\w+/.exec(text)?.[0]);
    const rest = places.findIndex((text) => /^\*\w/.test(text));  // which takes all that come
    const place = typeof current === "string" ? names.indexOf(current) : current;
    const marked = places[rest >= 0 && place > rest && typeof current !== "string" ? rest : place];
    if (marked === undefined) return [parameters, "", ""];
    const index = list.indexOf(marked), join = (texts) => texts.join(", ");
    const [before, after] = [list.slice(0, index), list.slice(index + 1)];
    return [`(${join([...before, ""])}`, marked, `${join(["", ...after])})`];
  }

  // A default value may have commas of its own, between quotes or brackets.
  const PARAMETER = /(?:[^,'([]|'[^']*'|\([^)]*\)|\[[^\]]*\])+/g;
  const splitParameters = (text) => (text.match(PARAMETER) ?? []).map((parameter) => parameter.trim());

  function source({ signatures }) {
    const optionsOf = new Map();  // by what stands before the dot
    const createOptions = (owner) => {
      const entries = Object.entries(Object.hasOwn(signatures, owner) ? signatures[owner] : {});
      return entries.map(([name, [parameters, sentence]]) => ({
        label: name, type: parameters ? "function" : "constant", info: () => describe({ name, parameters, sentence }),
      }));
    };
    return (context) => {
      const word = context.matchBefore(/(?:[A-Za-z_]\w*\.)*\w*/), dot = word.text.lastIndexOf(".") + 1;
      const owner = word.text.slice(0, Math.max(dot - 1, 0)).replace("triton.language", "tl");
      if (!context.explicit && !dot && word.text.length < MIN_LETTERS) return null;
      if (!optionsOf.has(owner)) optionsOf.set(owner, createOptions(owner));
      const options = optionsOf.get(owner);
      return options.length ? { from: word.from + dot, options, validFor: /^\w*$/ } : null;
    };
  }

  // The innermost call that is open at a position and whose function is known, and which parameter is written there.
  function callAt(modules, state, position) {
    const text = state.sliceDoc(0, position), open = [];
    for (const { 0: token, index } of text.matchAll(TOKENS)) {
      if ("([{".includes(token)) open.push({ bracket: token, index, place: 0, start: index + 1 });
      else if (")]}".includes(token)) open.pop();
      else if (token === "," && open.length) {
        const call = open.at(-1);
        Object.assign(call, { place: call.place + 1, start: index + 1 });
      }
    }
    for (const { bracket, index, place, start } of open.reverse()) {
      const callee = bracket === "(" && CALLEE.exec(text.slice(0, index)), found = callee && find(modules, callee[0]);
      if (!found) continue;
      return { ...found, from: callee.index, current: /^\s*(\w+)\s*=(?!=)/.exec(text.slice(start))?.[1] ?? place };
    }
    return null;
  }

  // The name at a position, with what stands before its dot.
  function nameAt(modules, state, position) {
    const { text, from } = state.doc.lineAt(position), column = position - from;
    const start = /(?:[A-Za-z_]\w*\.)*\w*$/.exec(text.slice(0, column)).index;
    const end = column + /^\w*/.exec(text.slice(column))[0].length;
    const found = find(modules, text.slice(start, end));
    return found && { ...found, from: from + start };
  }

  function parameterHelp(modules) {
    const { StateEffect, StateField, Prec } = modules["@codemirror/state"];
    const { EditorView, ViewPlugin, keymap, showTooltip } = modules["@codemirror/view"];
    const show = StateEffect.define();  // a call, a name, or null
    const atCursor = (state) => callAt(modules, state, state.selection.main.head);
    const isSame = (help, call) => help?.name === call.name && help.from === call.from;
    // A call keeps its tooltip while it is written, and so do keys that change nothing in it.
    const renew = (help, call) => {
      if (!call) return null;
      if (!isSame(help, call)) return { ...call, create: tooltipCreator() };
      return help.current === call.current ? help : { ...call, create: help.create };
    };
    const field = StateField.define({
      create: () => null,
      update(help, transaction) {
        const asked = transaction.effects.find((effect) => effect.is(show));
        if (asked) return renew(help, asked.value);
        const isAffected = help && (transaction.docChanged || transaction.selection);
        return isAffected ? renew(help, atCursor(transaction.state)) : help;
      },
      provide: (self) => showTooltip.compute([self], (state) => tooltip(state.field(self))),
    });
    const tooltip = (help) => help && { pos: help.from, above: true, create: help.create };
    const tooltipCreator = () => ({ state }) => {
      let drawn = state.field(field);
      const dom = describe(drawn, drawn.current);
      const update = (change) => {
        const help = change.state.field(field);
        if (help !== drawn) dom.replaceChildren(...describe(help, help.current).children);
        drawn = help;
      };
      return { dom, update };
    };
    const hasOpenedCall = (transaction) => {
      let hasBracket = false;
      transaction.changes.iterChanges((_from, _to, _start, _end, text) => { hasBracket ||= text.toString() === "("; });
      return hasBracket && transaction.isUserEvent("input.type");
    };
    // Whoever types on needs no help yet, and drawing it takes as long as a key.
    const showSoon = ViewPlugin.define((view) => {
      let timer, isDue = false;
      const showCall = () => {
        isDue = false;
        if (view.hasFocus) view.dispatch({ effects: show.of(atCursor(view.state)) });
      };
      const update = ({ docChanged, transactions }) => {
        if (!docChanged) return;
        clearTimeout(timer);
        isDue ||= transactions.some(hasOpenedCall);
        if (isDue) timer = setTimeout(showCall, TYPING_PAUSE_MS);
      };
      return { update, destroy: () => clearTimeout(timer) };
    });
    const ask = (view) => {
      const { state } = view, help = atCursor(state) ?? nameAt(modules, state, state.selection.main.head);
      view.dispatch({ effects: show.of(help) });
      if (help) view.dispatch({ effects: EditorView.announce.of(`${help.name}${help.parameters}. ${help.sentence}`) });
      return true;
    };
    const close = (view) => Boolean(view.state.field(field)) && (view.dispatch({ effects: show.of(null) }), true);
    // An open list closes first; one that is being looked for must not take the key.
    const { completionStatus } = modules["@codemirror/autocomplete"];
    const escape = (view) => completionStatus(view.state) !== "active" && close(view);
    const keys = [{ key: "Ctrl-Shift-Space", run: ask }, { key: "Escape", run: escape }];
    const blur = EditorView.domEventHandlers({ blur: (_event, view) => { close(view); } });
    return [field, showSoon, Prec.highest(keymap.of(keys)), blur];
  }

  function extension(modules) {
    const { autocompletion, ifNotIn } = modules["@codemirror/autocomplete"];
    const { hoverTooltip } = modules["@codemirror/view"];
    const { localCompletionSource } = modules["@codemirror/lang-python"];
    const isText = ["Comment", "String", "FormatString"];
    const local = (context) => (context.explicit ? localCompletionSource(context) : null);
    const override = [ifNotIn(isText, source(modules)), ifNotIn(isText, local)];
    const hover = hoverTooltip(({ state }, position) => {
      const found = nameAt(modules, state, position);
      return found ? { pos: found.from, above: true, create: () => ({ dom: describe(found) }) } : null;
    });
    const options = { override, icons: false, selectOnOpen: false, activateOnTypingDelay: TYPING_PAUSE_MS };
    return [parameterHelp(modules), autocompletion(options), hover];
  }

  return { extension };
})();
