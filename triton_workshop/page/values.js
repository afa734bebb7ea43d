// Values in a block of a slide that has run: short ones at the ends of its lines, and a look inside in a fold below
// what it printed. `createValues({ figure, editor, numbers })` gets functions that return the block's editor, if it has
// one, and the numbers of its lines on the slide. It returns `show(owner, text, output)`, `outdate()`, `close()` and
// `point(line, name)`.
globalThis.createValues = (options) => {
  "use strict";
  const { figure, editor, numbers } = options;
  const { all, make } = globalThis.page;
  let python;

  // A block that nobody edits. Its notes have no text, as the text of the code is what runs and what is copied.
  const shipped = {
    cursor: undefined,
    dimNotes() {},
    showNotes(notes, current) {
      for (const note of all(".line-note", figure)) note.remove();
      all(".line", figure).forEach((line, index) => {
        line.normalize();
        line.classList.toggle("looked-at", index + 1 === current);
        if (!notes[index + 1]) return;
        const note = make("i", "", { className: "line-note", ariaHidden: "true" });
        note.dataset.note = LineNotes.fitting(notes[index + 1], columns() - line.textContent.length);
        line.lastChild.splitText(line.lastChild.length - 1).before(note);  // before the line's end
      });
    },
  };

  // How many characters fit beside each other, but for those of the numbers.
  function columns() {
    const code = figure.querySelector("code"), probe = make("span", "0".repeat(10));
    code.append(probe);
    const width = probe.getBoundingClientRect().width / 10;
    probe.remove();
    return Math.floor(code.clientWidth / width) - 6;
  }

  const lineName = (line) => numbers()[line - 1] ?? line;
  const look = createLook({ python: () => python, editor: () => editor() ?? shipped, lineName });
  const fold = make("details", [make("summary", "Look inside"), look.element], { className: "values" });

  async function show(owner, text, output) {
    if (!/^@triton\.jit/m.test(text)) return;  // it has no kernel, whose lines could have values
    python ??= await Parts.python();
    if (!output.isConnected) return;
    output.after(fold);
    look.show({ number: owner }, text);
  }

  function close() {
    look.close();
    fold.remove();
  }

  return { show, close, outdate: look.outdate, point: look.point };
};
