// What a page without scripts can do without: copying, hidden lines, search, a theme, all notes at once.
(() => {
  "use strict";
  const root = document.documentElement;
  root.classList.replace("no-js", "js");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (name, content, properties = {}) => {  // a text, an element, or several of both
    const made = Object.assign(document.createElement(name), properties);
    made.append(...[content].flat());
    return made;
  };
  const tools = document.querySelector(".tools");

  const button = (text, act, title = "") => {
    const made = make("button", text, { type: "button", title });
    made.addEventListener("click", () => act(made));
    return made;
  };

  // Whatever changes above it, the slide that is read stays where it is; Safari does not see to that.
  const inPlace = (change) => {
    const top = (id) => document.getElementById(id)?.getBoundingClientRect().top ?? 0;
    const read = all(".slide")[current()]?.id, before = top(read);
    change();
    scrollBy({ top: top(read) - before, behavior: "instant" });
  };

  // Code: copy it, and unfold what runs but is not shown.
  const copy = async (figure, pressed) => {
    const text = figure.querySelector("code").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // a page that was opened as a file may not be allowed to
      const area = make("textarea", text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    pressed.textContent = "Copied";
    setTimeout(() => { pressed.textContent = "Copy"; }, 1500);
  };
  const prepareCode = (figure) => {
    let caption = figure.querySelector("figcaption");
    if (!caption) {
      caption = make("figcaption", "");
      figure.prepend(caption);
    }
    const hidden = all(".hidden", figure).length;
    if (hidden) {
      const words = (shown) => `${shown ? "Hide" : "Show"} ${hidden} hidden line${hidden === 1 ? "" : "s"}`;
      const unfold = button(words(false), (pressed) => {
        const shown = figure.classList.toggle("unfolded");
        pressed.textContent = words(shown);
        pressed.setAttribute("aria-expanded", String(shown));
      });
      unfold.setAttribute("aria-expanded", "false");
      caption.append(unfold);
    }
    caption.append(button("Copy", (pressed) => copy(figure, pressed)));
  };
  const prepare = (within) => all(".code", within).forEach(prepareCode);
  prepare(document);

  const isWide = () => matchMedia("(min-width: 75rem)").matches;  // enough for the contents beside the slides

  // Search: the contents show the slides that have every word.
  const field = make("input", "", { type: "search", placeholder: "Search  /" });
  field.setAttribute("aria-label", "Search the slides");
  const count = make("span", "");
  count.setAttribute("role", "status");
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const slides = all(".slide");
    let found = 0;
    for (const slide of slides) {
      const text = slide.textContent.replace(/\s+/g, " "), lower = text.toLowerCase();
      const entry = document.querySelector(`nav a[href="#${slide.id}"]`).parentElement;
      const here = words.every((word) => lower.includes(word));
      entry.classList.toggle("none", !here);
      entry.querySelector(".found")?.remove();
      found += here;
      if (here && words.length) {
        const at = lower.indexOf(words[0]);
        entry.append(make("div", `…${text.slice(Math.max(at - 30, 0), at + 50)}…`, { className: "found" }));
      }
    }
    for (const part of all("nav details")) {  // on a phone the contents stand above the slides: there they stay folded
      const here = !words.length || Boolean(part.querySelector("ol li:not(.none)"));
      part.open = words.length ? here : isWide();
      part.classList.toggle("none", !here);
    }
    count.textContent = words.length ? `${found} of ${slides.length} slides` : "";
  };
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (!["Enter", "Escape"].includes(event.key)) return;
    const first = document.querySelector("nav li:not(.none) a");
    field.value = "";
    search();  // before the page scrolls: on a phone, the contents are above the slides, and the header grows
    fit();
    field.blur();
    if (event.key === "Enter") first?.click();
  });

  // The theme is the system's until somebody chooses; a file's storage may be closed to it.
  const stored = (value) => {
    try {
      if (value) localStorage.setItem("theme", value);
      return localStorage.getItem("theme");
    } catch { return null; }
  };
  const isLight = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark")) === "light";
  if (stored()) root.dataset.theme = stored();
  const other = () => (isLight() ? "Dark" : "Light");
  const theme = button(other(), (pressed) => {
    root.dataset.theme = other().toLowerCase();
    stored(root.dataset.theme);
    pressed.textContent = other();
  });
  const opener = (text, what) => {
    const made = button(text, (pressed) => {
      const open = pressed.getAttribute("aria-pressed") !== "true";
      pressed.setAttribute("aria-pressed", String(open));
      inPlace(() => { for (const each of all(what)) each.open = open; });
    });
    made.setAttribute("aria-pressed", "false");
    return document.querySelector(what) ? [made] : [];
  };
  tools.append(field, count, ...opener("Notes", ".notes"), ...opener("Answers", ".fold"), theme);
  search();

  // Keys, as in the terminal: n and p go from slide to slide, / searches.
  let aimed = null;  // the slide that the last key led to, which the end of the page may keep from the top
  const current = () => aimed ?? all(".slide").findLastIndex((slide) => slide.getBoundingClientRect().top <= innerHeight / 3);
  const forget = () => { aimed = null; };
  for (const name of ["wheel", "touchmove", "pointerdown"]) addEventListener(name, forget, { passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, [contenteditable]")) return;
    const go = { n: 1, p: -1 }[event.key];
    if (go) {
      const sections = all(".slide");
      aimed = Math.min(Math.max(current() + go, 0), sections.length - 1);
      sections[aimed].scrollIntoView();
    } else if (event.key === "/") {
      event.preventDefault();
      field.focus();
    } else forget();
  });

  // The contents mark the slide that is read, and where they stand beside the slides, they show its entry.
  const mark = () => {
    const slide = all(".slide")[Math.max(current(), 0)], was = document.querySelector("nav li > [aria-current]");
    const entry = document.querySelector(`nav li > [href="#${slide?.id}"]`);
    if (entry === was) return;
    was?.removeAttribute("aria-current");
    entry?.setAttribute("aria-current", "location");
    if (isWide()) entry?.scrollIntoView({ block: "nearest" });
  };
  addEventListener("scroll", mark, { passive: true });
  mark();

  // What is scrolled to is not under the header, however high that is.
  const header = document.querySelector("header");
  const fit = () => { root.style.setProperty("--under-header", `${header.offsetHeight + 16}px`); };
  new ResizeObserver(fit).observe(header);

  // A link to a script opens it.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details")) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  globalThis.page = { all, make, button, prepare, inPlace, tools, fit, forget, current, search };  // for the live page
})();
