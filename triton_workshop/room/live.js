// The page follows the presenter: slide, step, edits and outputs, as the server sends them. Readers may ask for help,
// and tell the room how far they are.
(() => {
  "use strict";
  const { all, make, button, tools, prepare, search } = globalThis.page;
  const { keepPosition, fitHeader, forgetTarget, isTyping } = globalThis.page;
  const root = document.documentElement;
  const SILENCE_MS = 25_000;  // after which a connection is dead: the server sends something every ten seconds
  const LOST = "The connection is lost. Trying again …";
  const RESTARTED = "You are not in the room any more. Reload the page, and enter its word.";
  const CLOSED = "The presenter has closed the slides. You can read on.";
  const REPORTING = "The presenter now sees how far you are: exercise, TODOs, hints, right or not, and the name of a "
    + "known mistake. Never your code.";
  const NOT_REPORTING = "The presenter hears no more of your progress.";
  const NOT_REPORTED = "Your progress did not reach the presenter: there is no connection. "
    + "The next check tells it again.";
  const position = { slide: 1, step: 0 };  // the presenter's
  let hasScrolled = false;  // since the presenter's last move: then nothing scrolls for the reader

  const status = make("p", "", { className: "status" });
  status.setAttribute("role", "status");
  const setStatus = (text) => {  // a lost connection is no news once the slides are closed
    if (text !== LOST || status.textContent !== CLOSED) status.textContent = text;
  };

  // What the reader sees: the presenter's slide, or the whole page at leisure.
  const presentersSlide = () => document.getElementById(`slide-${position.slide}`);
  const isFollowing = () => root.classList.contains("following");
  const modeButton = button("", () => (isFollowing() ? leave() : follow()));
  const follow = () => {
    root.classList.add("following");
    enterSlide();
  };
  const leave = () => {
    root.classList.remove("following");
    updateModeButton();
    fitHeader();
    forgetTarget();
    presentersSlide()?.scrollIntoView();
  };
  const updateModeButton = () => {
    const number = `${position.slide} / ${all(".slide").length}`;
    modeButton.textContent = isFollowing() ? `Following ${number}` : `Return to slide ${number}`;
    modeButton.title = isFollowing() ? "Press n, p or click to read on your own" : "Press f to follow the presenter";
    modeButton.setAttribute("aria-pressed", String(isFollowing()));
  };

  // The presenter's slide: later steps are hidden, and code is highlighted as in the terminal.
  const enterSlide = () => {
    showSlide();
    scrollTo(0, 0);
    hasScrolled = false;
  };
  const showSlide = () => {
    const current = presentersSlide();
    for (const slide of all(".slide")) slide.classList.toggle("current", slide === current);
    showSteps();
    updateModeButton();
  };
  const showSteps = () => {
    for (const fold of all(".fold")) fold.open ||= isPast(fold);
    const slide = presentersSlide();
    if (!slide) return;
    for (const element of all("[data-step]", slide)) {
      element.classList.toggle("later", Number(element.dataset.step) > position.step);
    }
    all("[data-highlights]", slide).forEach(highlightLines);
  };
  const isPast = (fold) => {
    const slide = Number(fold.closest(".slide").id.slice("slide-".length)), step = Number(fold.dataset.step);
    return slide < position.slide || (slide === position.slide && step <= position.step);
  };
  const highlightLines = (figure) => {  // of "step:lines;step:lines", those of the last step that has come
    const groups = figure.dataset.highlights.split(";").map((group) => group.split(":"));
    const lines = groups.findLast(([step]) => Number(step) <= position.step)?.[1] ?? groups[0][1];
    all(".line:not(.hidden)", figure).forEach((line, index) => {
      line.classList.toggle("unlit", lines !== "all" && !lines.split(",").includes(String(index + 1)));
    });
  };
  const bringIntoView = (element) => {
    if (!isFollowing() || hasScrolled || !presentersSlide()?.contains(element)) return;
    if (element.getBoundingClientRect().bottom > innerHeight) element.scrollIntoView({ block: "end" });
  };

  // What the server sends: a value for each key.
  const sheet = new CSSStyleSheet();  // for colours that no palette has
  document.adoptedStyleSheets = [sheet];
  const onMessage = ({ key, value }) => {
    if (key === "place") move(value);
    else if (key === "deck") updateDeck(value);
    else if (key === "presenter") setStatus(value ? "" : CLOSED);
    else if (key === "calls") updateCall(value);
    else if (key === "gpus") document.dispatchEvent(new CustomEvent("gpus", { detail: value }));  // see gpus.js
    else if (key === "style") sheet.replaceSync(value);
    else updateElement(key, value);
  };
  const move = (newPosition) => {
    const isOtherSlide = newPosition.slide !== position.slide;
    Object.assign(position, newPosition);
    if (isFollowing() && isOtherSlide) return enterSlide();
    showSteps();
    if (isFollowing()) {
      hasScrolled = false;
      const newElements = all(`[data-step="${position.step}"]`, presentersSlide());
      if (newElements.length) bringIntoView(newElements.at(-1));
    }
    updateModeButton();
  };
  const updateElement = (id, html) => {
    const element = document.getElementById(id);
    if (!element) return;
    keepPosition(() => {
      element.innerHTML = html ?? "";
      prepare(element);
      showSteps();
    });
    if (id.startsWith("output")) bringIntoView(element);
  };

  // The presenter has saved the deck: another page, in the same place.
  const updateDeck = async (version) => {
    if (version === document.body.dataset.version) return;
    const request = fetch("./", { cache: "no-store" }).then((response) => (response.ok ? response.text() : null));
    const html = await request.catch(() => null);
    if (html === null) return connectLater();  // from the beginning, or nobody would name this version again
    const newPage = new DOMParser().parseFromString(html, "text/html");
    const style = newPage.querySelector("link[rel=stylesheet]");
    await new Promise((resolve) => {  // or the page would be without a style for a moment
      style.onload = style.onerror = resolve;
      document.head.append(style);
    });
    keepPosition(() => replaceDeck(newPage, style));
    connect();  // from the beginning: outputs and edits belong to the new page too
  };
  const replaceDeck = (newPage, style) => {
    for (const name of ["main", "nav"]) document.querySelector(name).replaceWith(newPage.querySelector(name));
    for (const link of all("link[rel=stylesheet]")) if (link !== style) link.remove();
    document.querySelector("header h1").textContent = document.title = newPage.title;
    document.body.dataset.version = newPage.body.dataset.version;
    prepare(document.querySelector("main"));
    search();  // folds the contents as the screen wants them
    showSlide();
  };

  // The connection. A browser tries again by itself, but not after an answer that is no stream.
  let source, timer;
  const resetTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      setStatus(LOST);
      connect();
    }, SILENCE_MS);
  };
  const connect = () => {
    source?.close();
    source = new EventSource("events");
    source.addEventListener("open", () => {
      if (status.textContent === LOST) setStatus("");
      resetTimer();
    });
    source.addEventListener("beat", resetTimer);
    source.addEventListener("message", (event) => {
      resetTimer();
      onMessage(JSON.parse(event.data));
    });
    source.addEventListener("error", onError);
    resetTimer();
  };
  const onError = async () => {
    setStatus(LOST);
    if (source.readyState !== EventSource.CLOSED) return;
    const response = await fetch("./", { method: "HEAD", redirect: "manual" }).catch(() => null);
    if (response?.status === 401) {
      setStatus(RESTARTED);
      clearTimeout(timer);
    } else connectLater();
  };
  const connectLater = () => {
    source.close();
    clearTimeout(timer);
    timer = setTimeout(connect, 2000 + 3000 * Math.random());  // not all at the same time
  };

  // Asking for help.
  let call = null;  // the number under which this reader asked, and whether the room has listed it
  const helpButton = button("Ask for help", async () => {
    const response = await fetch("help", { method: "POST" }).catch(() => null);
    if (response?.status === 401) return setStatus(RESTARTED);
    if (!response) return setStatus("Your request did not reach the presenter: there is no connection.");
    if (!response.ok) return setStatus(await response.text());
    const { number, name } = await response.json();
    call = { number, isListed: false };
    setStatus(`Asked for help. The presenter sees ${name ?? `number ${number}`}.`);
  }, "Press h");
  const updateCall = (numbers) => {
    if (!call) return;
    if (numbers.includes(call.number)) call.isListed = true;
    else if (call.isListed) {  // the presenter has answered it
      call = null;
      setStatus("");
    }
  };

  // Reporting progress: nothing until the button is pressed, and then what `workshop watch` reports, never the code.
  // Exercises dispatch "progress" on the document, with {exercise, filled, todos, right, hints, mistake}.
  const progress = new Map();  // the newest of each exercise, in order
  let isReporting = false;
  const report = async (detail) => {
    const body = JSON.stringify({ ...detail, told: Date.now() * 1_000_000 });
    const response = await fetch("report", { method: "POST", body }).catch(() => null);
    if (!response) setStatus(NOT_REPORTED);
    else if (!response.ok) setStatus(response.status === 401 ? RESTARTED : await response.text());
  };
  const reportButton = button("Tell the room", async () => {
    isReporting = !isReporting;
    reportButton.setAttribute("aria-pressed", String(isReporting));
    setStatus(isReporting ? REPORTING : NOT_REPORTING);
    if (isReporting) for (const detail of progress.values()) await report(detail);  // the last one says where one is
  });
  reportButton.setAttribute("aria-pressed", "false");
  document.addEventListener("progress", ({ detail }) => {
    progress.delete(detail.exercise);
    progress.set(detail.exercise, detail);
    if (isReporting) report(detail);
  });

  const KEYS = { f: follow, h: () => helpButton.click(), n: leave, p: leave };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const isForReading = "np/".includes(event.key);  // page.js has these keys as well
    if (isForReading ? isFollowing() : event.key in KEYS) (KEYS[event.key] ?? leave)();
  }, { capture: true });
  addEventListener("hashchange", () => { if (isFollowing() && location.hash) leave(); });
  for (const name of ["wheel", "touchmove"]) {
    addEventListener(name, () => { hasScrolled = true; }, { passive: true });
  }

  tools.prepend(modeButton);
  tools.append(helpButton, ...(globalThis.Parts ? [reportButton] : []));
  document.querySelector("header").append(status);
  root.classList.add("live");
  follow();
  connect();
})();
