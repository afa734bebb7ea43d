// The course of a page: how far the reader is, where to begin or to go on, and what comes after an exercise. Its steps
// come from `page/course.py`. `page.course` offers `after(number)`, the slide to
// read once an exercise is right, and `savePlace()`, when an exercise is opened or left.
(() => {
  "use strict";
  const data = document.getElementById("course");
  if (!data) return;
  const { all, make, currentSlide } = globalThis.page;
  const READ_MS = 1000;  // that the end of a slide is in sight, until the slide counts as read
  const MARKS = { new: ["○", "muted", "new"], begun: ["◐", "accent", "begun"], done: ["✓", "good", "done"] };
  const READ = "read", PLACE = "place";
  const steps = JSON.parse(data.textContent), section = document.getElementById("steps");
  const slides = all(".slide"), title = (slide) => slide.querySelector("h2").textContent.replace(/^\d+\s+/, "");
  // A slide is remembered by its title, as another edition has other numbers; two decks may have a title in common.
  const keys = new Map(), slideOf = new Map();
  for (const slide of slides) {
    let key = title(slide);
    while (slideOf.has(key)) key += " again";
    keys.set(slide, key);
    slideOf.set(key, slide);
  }
  const read = new Set(Store.data(READ) ?? []);

  // What there is to do in a step: its slides, and its exercise.
  const slidesOf = ({ first, last }) => slides.slice(first - 1, last);
  const isRight = (number) => Store.read(number).standing === "passed";
  const parts = (step) => [...slidesOf(step).map((slide) => read.has(keys.get(slide))),
    ...(step.exercise ? [isRight(step.exercise)] : [])];
  const share = (list) => list.filter(Boolean).length / list.length;

  const link = make("a", "", { className: "go-on" });
  const bar = make("progress", "", { max: 1, ariaLabel: "How far you are" });
  const summary = make("span", "", { className: "t-muted" }), list = make("ol", steps.map(entry));
  section.append(make("p", [link]), make("p", [bar, summary]), list);
  slides[0].append(section);
  const contentsLink = make("a", "The course", { href: "#slide-1" });
  document.querySelector("nav").prepend(make("p", contentsLink));

  function entry(step) {
    const target = make("a", step.name, { href: `#slide-${step.first}` });
    const exercise = step.exercise ? `, exercise ${step.exercise}` : "";
    const note = make("span", `${step.last - step.first + 1} slides${exercise}, about ${step.minutes} minutes`,
      { className: "t-muted" });
    return make("li", [make("span", ""), " ", target, " ", note]);
  }

  function draw() {
    const done = steps.map(parts);
    bar.value = share(done.flat());
    done.forEach((list_, index) => drawMark(list.children[index].firstChild, share(list_)));
    const place = storedPlace();
    link.textContent = place ? `Go on: ${place.name}` : "Start";
    link.href = place?.href ?? `#slide-${steps[0].first}`;
    const percent = `${Math.round(100 * bar.value)}%`;
    summary.textContent = place ? `${percent} of the course` : "";
    contentsLink.textContent = place ? `The course: ${percent}` : "The course";
  }

  function drawMark(element, value) {
    const [mark, tone, label] = MARKS[value === 1 ? "done" : value ? "begun" : "new"];
    Object.assign(element, { textContent: mark, className: `t-${tone}`, ariaLabel: label });
  }

  // Where the reader was: a slide by its title, or an exercise by its number.
  function storedPlace() {
    const [kind, name] = (Store.setting(PLACE) ?? "").split(/:(.*)/s);
    if (kind === "exercise") return { name: `Exercise ${name}`, href: `#exercise-${name}` };
    const slide = slideOf.get(name);
    return slide && { name: title(slide), href: `#${slide.id}` };
  }

  // Keep where the reader is; the first slide is where one begins.
  function savePlace() {
    const [, number] = /^#exercise-(\w+)$/.exec(location.hash) ?? [];
    const slide = slides[Math.max(currentSlide(), 0)];
    if (number) Store.set(PLACE, `exercise:${number}`);
    else if (slide !== slides[0]) Store.set(PLACE, `slide:${keys.get(slide)}`);
    draw();
  }

  // A slide is read once its end has been in sight for a while.
  const timers = new Map();
  const observer = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
    clearTimeout(timers.get(target));
    if (isIntersecting) timers.set(target, setTimeout(() => markRead(target.parentElement), READ_MS));
  }));
  for (const slide of slides) {
    const end = make("div", "", { className: "end" });
    slide.append(end);
    observer.observe(end);
  }

  function markRead(slide) {
    if (read.has(keys.get(slide)) || document.documentElement.classList.contains("working")) return;
    read.add(keys.get(slide));
    Store.setData(READ, [...read]);
    draw();
  }

  // The slide after the last one that opens an exercise.
  function after(number) {
    const openers = slides.filter((slide) => slide.querySelector(`.opener [href="#exercise-${number}"]`));
    const slide = slides[slides.indexOf(openers.at(-1)) + 1];
    return openers.length && slide ? { title: title(slide), href: `#${slide.id}` } : undefined;
  }

  let scrollTimer;
  addEventListener("scroll", () => {
    clearTimeout(scrollTimer);
    scrollTimer = setTimeout(savePlace, 500);
  }, { passive: true });
  addEventListener("popstate", savePlace);
  Store.subscribe((number, { standing }) => { if (standing) draw(); });
  globalThis.page.course = { after, savePlace };
  draw();
})();
