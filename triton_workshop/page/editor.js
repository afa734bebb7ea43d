// The editor of exercises and blocks, which is CodeMirror. `new Editor(modules, options)` takes what `Parts.editor`
// loads, and `{ parent, label, onChange, onSubmit, onPoint, onRest }`: `onPoint(line, name)` gets what the cursor or
// the pointer is at. A text that is checked has `onRest()`, which is called when the cursor moves or leaves without a
// change. `Editor.show(modules, parent, text)` only shows a text in the same colours; `Editor.KEYS` says which
// keys one has to know.
globalThis.Editor = (() => {
  "use strict";
  const KEYS = "Ctrl+Space completes, and Ctrl+Shift+Space says what a call takes; Escape, then Tab leaves the editor.";
  const POINTING_MS = 250;  // that a pointer or the cursor rests on a name, until `onPoint` is called
  const RESIZE_PAUSE_MS = 200;  // after the last change of the editor's size, until its lines are measured again
  const MAX_INDENT = 32;  // columns: a line that begins further in wraps as if it began here

  function highlighting({ "@codemirror/language": language, "@lezer/highlight": { tags } }) {
    const { keyword, string, number, bool, comment, variableName } = tags;
    const colours = [
      [keyword, "keyword"], [string, "string"], [number, "number"], [bool, "number"], [comment, "comment"],
      [tags.function(tags.definition(variableName)), "function"], [tags.function(variableName), "function"],
    ];
    const styles = colours.map(([tag, name]) => ({ tag, color: `var(--syntax-${name})` }));
    return language.syntaxHighlighting(language.HighlightStyle.define(styles));
  }

  // What a TODO asks for is what people read first, so it is as bright as can be.
  function tasks(view, { Prec }) {
    const decoration = view.Decoration.mark({ class: "todo" });
    return Prec.highest(decorateMatches(view, { regexp: /# TODO\b.*/g, decoration }));
  }

  // A long line goes on below, two columns further in than it begins.
  function hangingIndents(view) {
    const create = (_, indent) => view.Decoration.line({ class: `in-${indent}` });
    const indents = Array.from({ length: MAX_INDENT + 1 }, create);
    const decorate = (add, from, to) => add(from, from, indents[Math.min(to - from - 1, MAX_INDENT)]);
    return decorateMatches(view, { regexp: /^ *[^ ]/g, decorate });
  }

  // A key decorates its own line again, not all.
  function decorateMatches({ MatchDecorator, ViewPlugin }, options) {
    const decorator = new MatchDecorator(options);
    const create = (view) => ({
      decorations: decorator.createDeco(view),
      update(change) {
        if (change.docChanged) this.decorations = decorator.updateDeco(change, this.decorations);
        else if (change.viewportChanged) this.decorations = decorator.createDeco(change.view);
      },
    });
    return ViewPlugin.define(create, { decorations: (plugin) => plugin.decorations });
  }

  function indentRules() {
    const rule = (columns) => ({ paddingLeft: `calc(6px + ${columns}ch)`, textIndent: `-${columns}ch` });
    const indents = Array.from({ length: MAX_INDENT + 1 }, (_, indent) => indent);
    return Object.fromEntries(indents.map((indent) => [`.in-${indent}`, rule(indent + 2)]));
  }

  function theme({ EditorView }) {
    return EditorView.theme({
      ...indentRules(),
      "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--panel)", fontSize: "0.9375rem" },
      "&.cm-focused": { outline: "1px solid var(--accent)" },
      ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.5" },
      // As wide as there is room: otherwise each key would measure how long all lines are.
      ".cm-content": { caretColor: "var(--accent)", flex: "1 1 0", minWidth: "0" },
      ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
      ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--well)" },
      ".cm-content ::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
      ".todo": { color: "var(--emphasis)", fontWeight: "bold" },
      ".cm-foldPlaceholder": {
        backgroundColor: "var(--well)", color: "var(--accent)", border: "1px solid var(--faint)",
      },
      ".cm-tooltip": { backgroundColor: "var(--well)", color: "var(--text)", border: "1px solid var(--faint)" },
      ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "inherit" },
      ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
        backgroundColor: "var(--accent)", color: "var(--background)",
      },
    });
  }

  // What a text needs that is only read. The page's policy allows style sheets with this nonce.
  function readingExtensions(modules) {
    const view = modules["@codemirror/view"], { EditorView } = view;
    // Small buffers, so that a key parses a few lines again instead of a whole kernel.
    const python = modules["@codemirror/lang-python"].pythonLanguage.configure({ bufferLength: 16 });
    const wrapping = [EditorView.lineWrapping, hangingIndents(view)];
    const colours = [highlighting(modules), tasks(view, modules["@codemirror/state"]), theme(view)];
    return [EditorView.cspNonce.of("editor"), python, ...colours, ...wrapping];
  }

  // What is typed goes into the text at once. The browser would change the page first, which takes a tenth of a key's
  // time, and in the place of a selection give it a style, which the page's policy refuses.
  function insertTyped({ inputType, data, cancelable }, view) {
    if (inputType !== "insertText" || data === null || !cancelable || view.composing) return false;
    const scrollIntoView = !staysInSight(view, data);
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView });
    return true;
  }

  // Whether the line where a letter is typed can be seen, and one below it, should it get longer. Then nothing has to
  // scroll, and CodeMirror need not ask all elements around the text, which takes a tenth of a key's time.
  function staysInSight(view, { length }) {
    if (length > 1) return false;  // dictated, or suggested: the line may get longer by more than one
    const line = view.lineBlockAt(view.state.selection.main.from), start = view.documentTop;
    const { top, bottom } = view.scrollDOM.getBoundingClientRect(), { offsetTop, height } = visualViewport;
    const end = start + line.bottom + view.defaultLineHeight;
    return start + line.top >= Math.max(top, offsetTop) && end <= Math.min(bottom, offsetTop + height);
  }

  function editingExtensions(modules, { label, onChange, onSubmit }) {
    const view = modules["@codemirror/view"], { EditorView } = view;
    const { history, defaultKeymap, historyKeymap, indentWithTab } = modules["@codemirror/commands"];
    const { indentUnit, bracketMatching, codeFolding, foldKeymap } = modules["@codemirror/language"];
    const { Transaction } = modules["@codemirror/state"];
    const submit = { key: "Mod-Enter", run: () => { onSubmit(); return true; } };
    const isRemote = (transaction) => transaction.annotation(Transaction.remote);
    const notify = ({ docChanged, transactions }) => {
      if (docChanged && !transactions.some(isRemote)) onChange();
    };
    return [
      view.lineNumbers(), view.highlightActiveLineGutter(), history(), view.highlightActiveLine(),
      bracketMatching(), codeFolding(), indentUnit.of("    "), EditorView.updateListener.of(notify),
      view.keymap.of([submit, ...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }), Completion.extension(modules),
      EditorView.domEventHandlers({ beforeinput: insertTyped }),
    ];
  }

  // What a text needs that is checked: marks of lines, and whether the reader rests.
  function checkingExtensions(modules, { onRest }) {
    const notify = ({ docChanged, selectionSet, focusChanged }) => {
      if (!docChanged && (selectionSet || focusChanged)) onRest();
    };
    const listener = modules["@codemirror/view"].EditorView.updateListener.of(notify);
    return [modules["@codemirror/lint"].lintGutter(), listener];
  }

  // What a text needs whose values are shown: notes, and what is pointed at.
  function lookingExtensions(modules, { onPoint }) {
    const { EditorView } = modules["@codemirror/view"];
    let timer;
    const pointSoon = (view, find) => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        const position = find();
        if (position !== null) onPoint(...nameAt(view.state, position));
      }, POINTING_MS);
    };
    const notify = ({ docChanged, selectionSet, view }) => {
      if (docChanged) clearTimeout(timer);
      else if (selectionSet) pointSoon(view, () => view.state.selection.main.head);
    };
    const mousemove = ({ clientX: x, clientY: y, movementX, movementY }, view) => {
      if (!movementX && !movementY) return;  // the text has moved below the pointer, as with each key
      pointSoon(view, () => view.posAtCoords({ x, y }));
    };
    const listeners = [EditorView.updateListener.of(notify), EditorView.domEventHandlers({ mousemove })];
    return [...listeners, LineNotes.extension(modules)];
  }

  // The number of the line at a position, and the name that stands there, if one does.
  function nameAt(state, position) {
    const { number, text, from } = state.doc.lineAt(position), column = position - from;
    const before = /[A-Za-z_]\w*$|$/.exec(text.slice(0, column))[0], after = /^\w*/.exec(text.slice(column))[0];
    return [number, before + (before || /^\D/.test(after) ? after : "")];
  }

  return class Editor {
    static KEYS = KEYS;

    constructor(modules, { parent, ...options }) {
      this.modules = modules;
      this.extensions = [...readingExtensions(modules), ...editingExtensions(modules, options)];
      this.extensions.push(...lookingExtensions(modules, options));
      if (options.onRest) this.extensions.push(...checkingExtensions(modules, options));
      this.view = new modules["@codemirror/view"].EditorView({ parent, extensions: this.extensions });
      let timer;
      const measureSoon = () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.measureAgain(), RESIZE_PAUSE_MS);
      };
      new ResizeObserver(measureSoon).observe(parent);
    }

    // When a phone is turned, CodeMirror may give up before it knows all heights, and puts numbers beside wrong lines.
    // It measures all lines again once the text has another height.
    measureAgain() {
      const { style } = this.view.contentDOM;
      style.paddingBottom = style.paddingBottom ? "" : "5px";
      this.view.requestMeasure();
    }

    static show(modules, parent, doc) {
      const { EditorView } = modules["@codemirror/view"];
      const label = EditorView.contentAttributes.of({ "aria-label": "The solution" });
      const extensions = [...readingExtensions(modules), EditorView.editable.of(false), label];
      return new EditorView({ parent, doc, extensions });
    }

    get text() {
      return this.view.state.doc.toString();
    }

    focus() {
      this.view.focus();
    }

    // Opens a text, without what can be undone in the one before. A head that everybody's has is folded, and the
    // dots of the first open TODO are selected: the first key takes their place.
    open(doc, head = "") {
      const { EditorState } = this.modules["@codemirror/state"], { foldEffect } = this.modules["@codemirror/language"];
      const { EditorView } = this.modules["@codemirror/view"], todo = doc.search(/\.\.\. +# TODO/);
      const selection = todo < 0 ? undefined : { anchor: todo, head: todo + "...".length };
      this.view.setState(EditorState.create({ doc, selection, extensions: this.extensions }));
      if (!head || !doc.startsWith(head)) return;
      const [from, to] = [head.indexOf("\n"), head.length - 1];
      this.view.dispatch({ effects: [foldEffect.of({ from, to }), EditorView.scrollIntoView(0)] });
    }

    // Replaces the text, which can be undone and does not call `onChange`.
    replace(text) {
      const { Transaction } = this.modules["@codemirror/state"];
      const changes = { from: 0, to: this.view.state.doc.length, insert: text };
      this.view.dispatch({ changes, annotations: Transaction.remote.of(true) });
    }

    // The line and the name at the cursor.
    get cursor() {
      const { state } = this.view, [line, name] = nameAt(state, state.selection.main.head);
      return { line, name };
    }

    // Whether the line that somebody writes may have the syntax error of line `number`: that is the cursor's, or the
    // next one with code, or that of a bracket which is open at the cursor.
    isWriting(number) {
      const { doc, selection: { main: { head } } } = this.view.state, here = doc.lineAt(head);
      if (!this.view.hasFocus || !number || number > doc.lines) return false;
      const { from, to } = doc.line(number);
      if (number === here.number) return true;
      if (number > here.number) return !doc.sliceString(here.to, from).trim();
      const between = doc.sliceString(from, head).replace(/#.*|"[^"\n]*"|'[^'\n]*'/g, "");
      return head > to && between.split(/[([{]/).length > between.split(/[)\]}]/).length;
    }

    // Shows a note at the end of each line that has one; `current` is the line that is looked at.
    showNotes(notes, current) {
      LineNotes.show(this.modules, this.view, notes, current);
    }

    // The text has changed since the notes were made.
    dimNotes() {
      this.view.dom.classList.add("dim-notes");
    }

    // Marks a line of the text, by its number, or none.
    mark(number, message, severity) {
      const { state } = this.view, diagnostics = [];
      if (number && number <= state.doc.lines) {
        const { text, from, to } = state.doc.line(number);
        diagnostics.push({ from: from + /^\s*/.exec(text)[0].length, to, severity, message });
      }
      this.view.dispatch(this.modules["@codemirror/lint"].setDiagnostics(state, diagnostics));
    }
  };
})();
