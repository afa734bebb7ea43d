// The task of an exercise, in the words of its script, with pictures of what its launcher gets and returns.
// `createTask()` returns its `element`, `show(exercise, isOpen)`, and `fold()` for when there is more to say.
globalThis.createTask = () => {
  "use strict";
  const { make } = globalThis.page;
  const RESULT = "→";  // as `benchmarks/task_pictures.py` names it
  const element = make("details", "", { className: "task" });
  let isNew = false;

  const paragraph = (text) => (/^ /.test(text) ? make("pre", text.replaceAll(/^ {4}/gm, "")) : make("p", text));

  function picture({ name, shape, png, width }) {
    const alt = `${name === RESULT ? "The result" : name}, ${shape}`;
    const image = make("img", "", { src: `data:image/png;base64,${png}`, alt, width: Math.max(3 * width, 24) });
    return make("figure", [image, make("figcaption", [make("code", name), ` ${shape}`])]);
  }

  function show({ task: [aim, ...details], pictures }, isOpen) {
    const gallery = make("div", pictures.map(picture), { className: "pictures" });
    element.replaceChildren(make("summary", "The task"), paragraph(aim), gallery, ...details.map(paragraph));
    isNew = element.open = isOpen;
  }

  // Only once: a reader who opens it again may go on reading.
  function fold() {
    if (isNew) [isNew, element.open] = [false, false];
  }

  return { element, show, fold };
};
