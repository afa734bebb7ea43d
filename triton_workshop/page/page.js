// What a page without scripts can do without: copying, hidden lines, search, a theme, all notes at once. `page` offers
// the other scripts `all`, `make`, `button`, `copyText`, `tools`, and what live.js has to do when the deck changes.
(() => {
  "use strict";
  const root = document.documentElement, tools = document.querySelector(".tools");

  // A browser's "Webpage, complete" writes down what the scripts have made, and no parts of Python that are in use:
  // such a copy is only read.
  if (!root.classList.replace("no-js", "js")) {
    root.className = "no-js";
    const made = ".workspace, .exercises, .steps, nav > p, .tools > *, main button, iframe";
    for (const element of document.querySelectorAll(made)) element.remove();
    for (const element of document.querySelectorAll("[inert]")) element.inert = false;
    const textContent = "A browser saved this page while it was in use: no kernels run in this copy. The page that was "
      + "open then still works; to keep it, copy its file.";
    const note = Object.assign(document.createElement("p"), { className: "saved", textContent });
    document.querySelector("header").after(note);
    return window.stop();  // no script after this one
  }

  const all = (selector, parent = document) => [...parent.querySelectorAll(selector)];
  const make = (name, content, properties = {}) => {  // a text, an element, or several of both
    const element = Object.assign(document.createElement(name), properties);
    element.append(...[content].flat());
    return element;
  };
  const button = (text, onPress, title = "") => {
    const element = make("button", text, { type: "button", title });
    element.addEventListener("click", () => onPress(element));
    return element;
  };

  // Whatever changes above it, the slide that is read stays where it is; Safari does not see to that.
  const keepPosition = (change) => {
    const top = (id) => document.getElementById(id)?.getBoundingClientRect().top ?? 0;
    const id = all(".slide")[currentSlide()]?.id, topBefore = top(id);
    change();
    scrollBy({ top: top(id) - topBefore, behavior: "instant" });
  };

  // Code: copy it, and unfold what runs but is not shown.
  const copyWithoutPermission = (text) => {
    const area = make("textarea", text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  const copyText = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { copyWithoutPermission(text); }  // a page that was opened as a file may have none
  };
  const copyCode = async (figure, copyButton) => {
    await copyText(figure.querySelector("code").textContent);
    copyButton.textContent = "Copied";
    setTimeout(() => { copyButton.textContent = "Copy"; }, 1500);
  };
  const unfoldButton = (figure, count) => {
    const label = (isUnfolded) => `${isUnfolded ? "Hide" : "Show"} ${count} hidden line${count === 1 ? "" : "s"}`;
    const element = button(label(false), () => {
      const isUnfolded = figure.classList.toggle("unfolded");
      element.textContent = label(isUnfolded);
      element.setAttribute("aria-expanded", String(isUnfolded));
    });
    element.setAttribute("aria-expanded", "false");
    return element;
  };
  const prepareCode = (figure) => {
    let caption = figure.querySelector("figcaption");
    if (!caption) {
      caption = make("figcaption", "");
      figure.prepend(caption);
    }
    const hiddenCount = all(".hidden", figure).length;
    if (hiddenCount) caption.append(unfoldButton(figure, hiddenCount));
    caption.append(button("Copy", (copyButton) => copyCode(figure, copyButton)));
  };
  const prepare = (parent) => all(".code", parent).forEach(prepareCode);
  prepare(document);

  const wide = matchMedia("(min-width: 75rem)"), isWide = () => wide.matches;  // the contents stand beside the slides

  // Search: the contents show the slides that have every word.
  const searchField = make("input", "", { type: "search", placeholder: "Search  /" });
  searchField.setAttribute("aria-label", "Search the slides");
  const searchCount = make("span", "");
  searchCount.setAttribute("role", "status");
  const contentsEntry = (slide) => document.querySelector(`nav a[href="#${slide.id}"]`).parentElement;
  const excerpt = (text, index, { length }) => {
    const end = index + length, before = text.slice(Math.max(index - 30, 0), index);
    const found = make("mark", text.slice(index, end));
    return make("div", [`…${before}`, found, `${text.slice(end, index + 50)}…`], { className: "found" });
  };
  // Words of two paragraphs do not grow together, and what diagrams are drawn with is no word.
  const slideText = (slide) => {
    const walker = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    let text = "", last;
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      const block = parentElement.closest("p, li, td, th, h2, h3, pre, div");
      text += block === last ? data : ` ${data}`;
      last = block;
    }
    return text.replace(/[\u2500-\u259f\s]+/g, " ");
  };
  const searchSlide = (slide, terms) => {
    const text = slideText(slide), lowerText = text.toLowerCase();
    const entry = contentsEntry(slide), isMatch = terms.every((term) => lowerText.includes(term));
    entry.classList.toggle("none", !isMatch);
    entry.querySelector(".found")?.remove();
    if (isMatch && terms.length) entry.append(excerpt(text, lowerText.indexOf(terms[0]), terms[0]));
    return isMatch;
  };
  const search = () => {
    const terms = searchField.value.toLowerCase().split(/\s+/).filter(Boolean);
    const slides = all(".slide"), matches = slides.filter((slide) => searchSlide(slide, terms));
    for (const part of all("nav details")) {  // on a phone the contents stand above the slides: there they stay folded
      const isMatch = !terms.length || Boolean(part.querySelector("ol li:not(.none)"));
      part.open = terms.length ? isMatch : isWide();
      part.classList.toggle("none", !isMatch);
    }
    searchCount.textContent = terms.length ? `${matches.length} of ${slides.length} slides` : "";
  };
  searchField.addEventListener("input", search);
  searchField.addEventListener("keydown", (event) => {
    if (!["Enter", "Escape"].includes(event.key)) return;
    const firstLink = document.querySelector("nav li:not(.none) a");
    searchField.value = "";
    search();  // before the page scrolls: on a phone, the contents are above the slides, and the header grows
    fitHeader();
    searchField.blur();
    if (event.key === "Enter") firstLink?.click();
  });

  // The theme is the system's until somebody chooses; a file's storage may be closed to it.
  const storedTheme = () => {
    try {
      return localStorage.getItem("theme");
    } catch { return null; }
  };
  const storeTheme = (value) => {
    try {
      localStorage.setItem("theme", value);
    } catch { /* it is chosen for this page only */ }
  };
  const systemTheme = () => (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
  const otherTheme = () => ((root.dataset.theme ?? systemTheme()) === "light" ? "Dark" : "Light");
  if (storedTheme()) root.dataset.theme = storedTheme();
  const themeButton = button(otherTheme(), () => {
    root.dataset.theme = otherTheme().toLowerCase();
    storeTheme(root.dataset.theme);
    themeButton.textContent = otherTheme();
  });

  // A button that opens all details of one kind, if there are any.
  const openButtons = (text, selector) => {
    if (!document.querySelector(selector)) return [];
    const element = button(text, () => {
      const isOpen = element.getAttribute("aria-pressed") !== "true";
      element.setAttribute("aria-pressed", String(isOpen));
      keepPosition(() => { for (const details of all(selector)) details.open = isOpen; });
    });
    element.setAttribute("aria-pressed", "false");
    return [element];
  };
  const detailButtons = [...openButtons("Notes", ".notes"), ...openButtons("Answers", ".fold")];
  tools.append(searchField, searchCount, ...detailButtons, themeButton);
  search();
  wide.addEventListener("change", search);

  // Keys, as in the terminal: n and p go from slide to slide, / searches.
  let target = null;  // the slide that the last key led to, which the end of the page may keep from the top
  const isAbove = (slide) => slide.getBoundingClientRect().top <= innerHeight / 3;
  const currentSlide = () => target ?? all(".slide").findLastIndex(isAbove);
  const forgetTarget = () => { target = null; };
  const isTyping = (event) => event.target.matches("input, textarea, [contenteditable]");
  for (const name of ["wheel", "touchmove", "pointerdown"]) addEventListener(name, forgetTarget, { passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const step = { n: 1, p: -1 }[event.key];
    if (step) {
      const slides = all(".slide");
      target = Math.min(Math.max(currentSlide() + step, 0), slides.length - 1);
      slides[target].scrollIntoView();
    } else if (event.key === "/") {
      event.preventDefault();
      searchField.focus();
    } else forgetTarget();
  });

  // The contents mark the slide that is read, and where they stand beside the slides, they show its entry.
  const markCurrent = () => {
    const slide = all(".slide")[Math.max(currentSlide(), 0)];
    const marked = document.querySelector("nav li > [aria-current]");
    const entry = document.querySelector(`nav li > [href="#${slide?.id}"]`);
    if (entry === marked) return;
    marked?.removeAttribute("aria-current");
    entry?.setAttribute("aria-current", "location");
    if (isWide()) entry?.scrollIntoView({ block: "nearest" });
  };
  addEventListener("scroll", markCurrent, { passive: true });
  markCurrent();

  // What is scrolled to is not under the header, however high that is.
  const header = document.querySelector("header");
  const fitHeader = () => { root.style.setProperty("--under-header", `${header.offsetHeight + 16}px`); };
  new ResizeObserver(fitHeader).observe(header);

  // A link to a script opens it.
  const openLinked = () => {
    const element = document.getElementById(location.hash.slice(1));
    if (element?.matches("details")) {
      element.open = true;
      element.scrollIntoView();
    }
  };
  addEventListener("hashchange", openLinked);
  openLinked();

  const { offline } = document.body.dataset;  // of a site: what keeps it for when there is no network
  if (offline) navigator.serviceWorker?.register(offline);

  globalThis.page = {
    all, make, button, copyText, tools, prepare, keepPosition, fitHeader, forgetTarget, currentSlide, isTyping, search,
  };
})();
