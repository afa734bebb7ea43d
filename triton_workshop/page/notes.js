// Notes at the ends of an editor's lines. `LineNotes` offers an `extension(modules)`, `show(modules, view, notes,
// current)`: the texts of each line's note, from long to short; and `fitting(texts, columns)`, the one to show.
globalThis.LineNotes = (() => {
  "use strict";
  const GAP = 2, MIN_COLUMNS = 8;  // before a note, and of what is left of one
  const fields = new WeakMap();  // of each copy of CodeMirror: its effect and its field

  function define(modules) {
    const { StateEffect, StateField } = modules["@codemirror/state"];
    const { Decoration, EditorView, WidgetType } = modules["@codemirror/view"];

    class Widget extends WidgetType {
      constructor(text) {
        super();
        this.text = text;
      }

      eq(other) {
        return other.text === this.text;
      }

      toDOM() {
        const element = document.createElement("span");
        // The pane beside the editor says the same: a screen reader need not read it within the code.
        Object.assign(element, { textContent: this.text, className: "line-note", ariaHidden: "true" });
        return element;
      }
    }

    const effect = StateEffect.define();
    const field = StateField.define({
      create: () => Decoration.none,
      update: (decorations, { changes, effects }) => (
        effects.find((each) => each.is(effect))?.value ?? decorations.map(changes)
      ),
      provide: (self) => EditorView.decorations.from(self),
    });
    const decorate = (doc, notes, current, columns) => {
      const decorations = [];
      for (const [number, texts] of Object.entries(notes).sort(([a], [b]) => a - b)) {
        if (number > doc.lines) continue;
        const { from, to, length } = doc.line(Number(number));
        if (Number(number) === current) decorations.push(Decoration.line({ class: "looked-at" }).range(from));
        const widget = new Widget(fitting(texts, columns - length));
        decorations.push(Decoration.widget({ widget, side: 1 }).range(to));
      }
      return Decoration.set(decorations);
    };
    return { effect, field, decorate };
  }

  // The longest text that fits at the end of its line, where so many columns are left; where none does, the shortest,
  // which then stands below.
  function fitting(texts, columns) {
    return texts.find((text) => text.length <= Math.max(columns - GAP, MIN_COLUMNS)) ?? texts.at(-1);
  }

  function defined(modules) {
    if (!fields.has(modules)) fields.set(modules, define(modules));
    return fields.get(modules);
  }

  function show(modules, view, notes, current) {
    const { effect, decorate } = defined(modules);
    const columns = Math.floor(view.contentDOM.clientWidth / view.defaultCharacterWidth) - 1;
    view.dom.classList.remove("dim-notes");
    view.dispatch({ effects: effect.of(decorate(view.state.doc, notes, current, columns)) });
  }

  return { extension: (modules) => defined(modules).field, show, fitting };
})();
