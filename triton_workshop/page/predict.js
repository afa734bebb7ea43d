// Answer before the reveal: a form below each question that has an answer in the deck. What is answered is kept in
// `Store`, shown after a reload, and compared once the slide shows what comes next: a fold opens, or a block has run.
// Nothing is graded, and nothing is sent.
(() => {
  "use strict";
  const { all, button, prepare } = globalThis.page;
  const questions = new WeakMap();  // of each form: what is right, its elements, and whether the slide has told

  // The guess that is kept: a number, or the place of an option; null if there is none.
  function keptGuess(form) {
    const key = `prediction-${form.dataset.key}`, guess = Store.data(key, key);
    return typeof guess === "number" ? guess : null;
  }

  function keepGuess(form, guess) {
    Store.setData(`prediction-${form.dataset.key}`, guess);
  }

  // The field: one input for a number, or one for each option.
  function fieldGuess(form) {
    const input = form.querySelector("[type=number], :checked");
    return input?.value ? Number(input.value) : null;
  }

  function fillField(form, guess) {
    for (const input of all("input", form)) {
      if (input.type === "radio") input.checked = Number(input.value) === guess;
      else input.value = guess ?? "";
    }
  }

  function quoteGuess(form, guess) {
    const option = form.querySelector(`[type=radio][value="${guess}"]`);
    if (option) return `“${option.nextElementSibling.innerHTML}”`;
    return guess.toLocaleString("en", { maximumFractionDigits: 9, useGrouping: "min2" }).replace("-", "−");
  }

  const includes = ([low, high], guess) => (low ?? -Infinity) <= guess && guess <= (high ?? Infinity);

  // What to say of a guess once the slide has told; HTML, as the deck's sentences have code in them.
  function describeOutcome(form, guess) {
    const { answer, right, near, meanings } = questions.get(form).prediction;
    const said = `you said ${quoteGuess(form, guess)}`;
    if (includes(right, guess)) return `<span class="right">✓ Right: ${said}.</span>`;
    const [, , meaning = ""] = meanings.find((each) => includes(each, guess)) ?? [];
    return `${near && includes(near, guess) ? "Close: the" : "The"} answer is ${answer}; ${said}. ${meaning}`;
  }

  function draw(form) {
    const { status, keepButton, againButton, isRevealed } = questions.get(form), guess = keptGuess(form);
    for (const input of all("input", form)) input.disabled = isRevealed;
    keepButton.hidden = isRevealed;
    againButton.hidden = !isRevealed;
    againButton.textContent = guess === null ? "Answer it" : "Answer again";
    if (guess === null) status.textContent = "";
    else if (isRevealed) status.innerHTML = describeOutcome(form, guess);
    else status.textContent = "Kept. What comes next has the answer.";
  }

  // The slide shows the answer to each question above this element. What stands in a field counts without its button.
  const answersBelow = (form, element) => {
    const isBelow = form.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    return isBelow && (questions.get(form).prediction.blockAnswers || !element.closest(".code, .printed"));
  };
  function reveal(element) {
    for (const form of all(".predict", element.closest(".slide") ?? element)) {
      if (questions.get(form).isRevealed || !answersBelow(form, element)) continue;
      questions.get(form).isRevealed = true;
      const guess = fieldGuess(form);
      if (guess !== null) keepGuess(form, guess);
      draw(form);
    }
  }

  function answerAgain(form) {
    for (const fold of all(".fold", form.closest(".slide"))) {
      if (answersBelow(form, fold)) fold.open = false;
    }
    keepGuess(form, null);
    fillField(form, null);
    questions.get(form).isRevealed = false;
    draw(form);
    form.querySelector("input").focus();
  }

  function attachForm(form) {
    const status = form.querySelector("[role=status]"), keepButton = form.querySelector("button");
    const againButton = button("", () => answerAgain(form));
    keepButton.after(againButton);
    const prediction = JSON.parse(form.dataset.prediction);
    questions.set(form, { prediction, status, keepButton, againButton, isRevealed: false });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      keepGuess(form, fieldGuess(form));
      draw(form);
    });
    form.addEventListener("wheel", () => document.activeElement.blur(), { passive: true });  // it would change a number
    fillField(form, keptGuess(form));
    draw(form);
  }

  // The output of a block that the presenter has run is an element of its own that the page gets.
  function attach(root) {
    all(".predict", root).forEach(attachForm);
    if (root !== document && root.matches(".printed") && root.childElementCount) reveal(root);
  }

  document.addEventListener("toggle", ({ target }) => {
    if (target.open && target.matches(".fold")) reveal(target);
  }, { capture: true });  // it does not bubble
  document.addEventListener("ran", ({ target }) => reveal(target));  // by blocks.js

  globalThis.page.prepare = (root) => {
    prepare(root);
    attach(root);
  };
  attach(document);
})();
