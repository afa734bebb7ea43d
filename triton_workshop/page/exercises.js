// The exercises of a page: their list, how far each one is, and the addresses that open one in the workspace, or a
// scratch pad.
(() => {
  "use strict";
  const section = document.getElementById("exercises");
  if (!section) return;
  const { all, make } = globalThis.page;
  const { exercises, marks, scratch: template } = JSON.parse(document.getElementById("exercises-data").textContent);
  const markElements = {};  // of each exercise: in the list, and in its tab
  const tabs = make("nav", "", { className: "tabs", ariaLabel: "All exercises" });
  const workspace = globalThis.page.workspace = createWorkspace({ exercises, tabs, onLeave: leave });
  const hidden = { element: { hidden: true }, save: () => {} };
  let scratch = hidden, exerciseBefore;  // until a scratch pad is opened; and from where
  let origin;  // where the reader was before the workspace opened
  const lost = make("p", "", { className: "saved", role: "status" });  // of an address that leads nowhere

  function drawList() {
    const heading = make("h2", "Exercises", { className: "part" });
    const introduction = make("p", "Each opens in an editor, and is checked while you type. "
      + "Nothing has to be installed; the first one loads Python.");
    introduction.append(" A ", make("a", "scratch pad", { href: "#scratch" }), " runs any script.");
    section.append(heading, introduction, make("ul", exercises.map(listItem), { className: "exercise-list" }));
    tabs.append(make("a", "Scratch", { href: "#scratch", title: "Scripts of your own" }));
    (document.getElementById("scripts") ?? document.querySelector("main").lastElementChild)?.before(section);
    const link = make("a", "Exercises in this page", { href: "#exercises" });
    document.querySelector("nav")?.prepend(make("p", link));
    document.body.append(workspace.element);
  }

  const isVariation = ({ optional, warmUp }) => optional && !warmUp;

  function listItem(exercise) {
    const { number, title, launcher, optional, warmUp, slow } = exercise;
    const href = `#exercise-${number}`, [mark, tabMark] = markElements[number] = [make("span", ""), make("span", "")];
    const words = isVariation(exercise) ? "" : `${launcher.replaceAll("_", " ")} `;
    tabs.append(make("a", [`${number} `, make("span", words, { className: "name" }), tabMark], { href, title }));
    drawMark(number);
    const kind = warmUp ? "a warm-up" : slow ? "correct, but slow" : "a variation";
    const note = make("span", kind, { className: "t-muted" });
    return make("li", [mark, make("a", title, { href }), ...(optional ? [note] : [])]);
  }

  function drawMark(number) {
    const { standing } = Store.read(number);
    const [text, tone] = marks[standing] ?? marks.new;  // another version of the page may have other ones
    const properties = { textContent: text, className: `t-${tone}` };
    for (const element of markElements[number]) Object.assign(element, properties);
  }

  function selectTab(exercise) {
    exercises.forEach((other, index) => {
      tabs.children[index].ariaCurrent = other === exercise ? "page" : null;
      // Variations stand beside the exercise that they vary.
      tabs.children[index].hidden = isVariation(other) && parseInt(other.number, 10) !== parseInt(exercise.number, 10);
    });
    const { offsetLeft } = tabs.querySelector("[aria-current]");
    tabs.scrollLeft = offsetLeft - tabs.clientWidth / 2;  // on a phone they are one row
  }

  // The address says which exercise is open, so that links, the back button and a reload work. Slides link to a script
  // by its path, which opens its exercise as well.
  function addressedExercise() {
    const number = /^#exercise(?:s-exercise_|-)(\w+)$/.exec(location.hash)?.[1];
    return exercises.find((exercise) => exercise.number === number);
  }

  const isScratch = () => /^#scratch(-\w+)?$/.test(location.hash) || Links.isLink(location.hash);

  function followAddress() {
    const exercise = addressedExercise(), isOpen = Boolean(exercise || isScratch());
    workspace.save();
    scratch.save();
    const wasExercise = !workspace.element.hidden;
    workspace.element.hidden = !exercise;
    const page = all("body > .skip, body > header, body > nav, body > main, body > details");
    for (const element of page) element.inert = isOpen;
    document.documentElement.classList.toggle("working", isOpen);
    if (isScratch()) openScratch(wasExercise);
    else scratch.element.hidden = true;
    if (exercise && exercise !== workspace.exercise) {
      workspace.open(exercise);
      selectTab(exercise);
    } else if (location.hash === "#exercises") section.scrollIntoView();
    lost.remove();
    if (!isOpen && location.hash && !document.getElementById(location.hash.slice(1))) {
      const words = `${location.hash} is no place in this page. The link may be of another edition.`;
      lost.replaceChildren(words, " ", make("a", "All exercises", { href: "#exercises" }));
      document.querySelector("header").after(lost);
    }
    globalThis.page.course?.savePlace();
  }

  function openScratch(wasExercise) {
    if (scratch === hidden) {
      scratch = createScratch({ template, onLeave: leaveScratch });
      document.body.append(scratch.element);
    }
    if (scratch.element.hidden) exerciseBefore = wasExercise ? workspace.exercise : undefined;
    scratch.element.hidden = false;
    scratch.open(location.hash, exerciseBefore ? `Back to exercise ${exerciseBefore.number}` : "Back to the slides");
  }

  function leaveScratch() {
    if (!exerciseBefore) return leave();
    history.pushState(null, "", `#exercise-${exerciseBefore.number}`);
    followAddress();
  }

  function onClick(event) {
    const link = event.target.closest?.("a[href^='#exercise'], a[href^='#scratch']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (workspace.element.hidden && scratch.element.hidden) origin = { link, url: location.href, top: scrollY };
    history.pushState(null, "", link.getAttribute("href"));
    followAddress();
  }

  // Back to where the workspace was opened, or else to the slide of the exercise, or of the one it is a variation of.
  function leave() {
    if (!origin) {
      const url = `#${((workspace.exercise && findSlide(workspace.exercise)) ?? section).id}`;
      history.pushState(null, "", url);
      followAddress();
      return document.querySelector(url).scrollIntoView();
    }
    history.pushState(null, "", origin.url);
    followAddress();
    scrollTo(0, origin.top);
    origin.link.focus({ preventScroll: true });
  }

  function findSlide({ number }) {
    const links = [number, parseInt(number, 10)].map((target) => `.slide [href="#exercise-${target}"]`);
    const slides = links.map((link) => document.querySelector(link)?.closest(".slide"));
    return slides.find(Boolean);
  }

  document.addEventListener("click", onClick);
  addEventListener("popstate", followAddress);
  addEventListener("storage", () => exercises.forEach(({ number }) => drawMark(number)));
  Store.subscribe((number, { standing }) => { if (standing) drawMark(number); });
  drawList();
  followAddress();
})();
