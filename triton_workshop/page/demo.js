// What a right kernel does with a picture: the workshop's, or a photograph of the reader's own, which stays in the
// browser. `createDemo({ python, draw, say })` returns its `element` and `show(exercise, text)`; `draw` makes a picture
// of what `page/inside/demo.py` returns, and `say` speaks to who cannot see it.
globalThis.createDemo = (options) => {
  "use strict";
  const { python, draw, say } = options;
  const { make, button } = globalThis.page;
  const input = make("input", "", { type: "file", accept: "image/*", hidden: true });
  const choose = button("Try a photograph of your own", () => input.click(), "It stays in this browser");
  const element = make("div", "", { className: "demo", hidden: true });
  let subject;

  function show(exercise, text) {
    subject = { number: exercise.number, text };
    element.hidden = !exercise.demo;
    element.replaceChildren();
    if (exercise.demo) return ask();
  }

  async function ask(photo) {
    const asked = subject, { number } = asked;
    const result = await python().ask({ owner: number, demo: { ...asked, photo } });
    if (asked !== subject || result.outdated) return;
    const { problem = result.failed } = result.demo ?? {};
    const made = problem ? [make("p", problem, { className: "t-muted" })] : result.demo.pictures.map(draw);
    element.replaceChildren(...made, make("p", [choose, input]));
    if (photo) say(problem ?? "Your photograph is there");
  }

  input.addEventListener("change", async () => {
    const [file] = input.files;
    input.value = "";
    if (file) await ask(new Uint8Array(await file.arrayBuffer()));
  });
  return { element, show };
};
