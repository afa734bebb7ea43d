// The page follows the presenter: slide, step, edits and outputs, as the server tells them.
(() => {
  "use strict";
  const { all, make, button, prepare, inPlace, tools, fit, forget, current, search } = globalThis.page;
  const root = document.documentElement;
  const SILENCE_MS = 25_000;  // milliseconds after which a connection is dead: the server says something every ten seconds
  const LOST = "The connection is lost. Trying again …";
  const RESTARTED = "You are not in the room any more. Reload the page, and enter its word.";
  const CLOSED = "The presenter has closed the slides. You can read on.";
  const place = { slide: 1, step: 0 };
  let scrolled = false;  // since the presenter's last move: then nothing scrolls for the reader

  // What the reader sees: the presenter's slide, or the whole page at leisure.
  const slide = () => document.getElementById(`slide-${place.slide}`);
  const isFollowing = () => root.classList.contains("following");
  const mode = button("", () => (isFollowing() ? leave() : follow()));
  const status = make("p", "", { className: "status" });
  status.setAttribute("role", "status");
  const follow = () => {
    root.classList.add("following");
    arrive();
  };
  const leave = () => {
    root.classList.remove("following");
    describe();
    fit();
    forget();
    slide()?.scrollIntoView();
  };
  const describe = () => {
    const number = `${place.slide} / ${all(".slide").length}`;
    mode.textContent = isFollowing() ? `Following ${number}` : `Return to slide ${number}`;
    mode.title = isFollowing() ? "Press n, p or click to read on your own" : "Press f to follow the presenter";
    mode.setAttribute("aria-pressed", String(isFollowing()));
  };

  // The presenter's place: later steps are hidden, and code is highlighted as in the terminal.
  const arrive = () => {
    show();
    scrollTo(0, 0);
    scrolled = false;
  };
  const show = () => {
    for (const each of all(".slide")) each.classList.toggle("current", each === slide());
    reveal();
    describe();
  };
  const reveal = () => {
    for (const each of all(".fold")) {
      const at = Number(each.closest(".slide").id.slice(6));
      each.open ||= at < place.slide || (at === place.slide && Number(each.dataset.step) <= place.step);
    }
    const shown = slide();
    if (!shown) return;
    for (const each of all("[data-step]", shown)) each.classList.toggle("later", Number(each.dataset.step) > place.step);
    all("[data-highlights]", shown).forEach(highlight);
  };
  const highlight = (figure) => {
    const groups = figure.dataset.highlights.split(";").map((group) => group.split(":"));
    const lines = groups.findLast(([step]) => Number(step) <= place.step)?.[1] ?? groups[0][1];
    all(".line:not(.hidden)", figure).forEach((line, index) => {
      line.classList.toggle("unlit", lines !== "all" && !lines.split(",").includes(String(index + 1)));
    });
  };
  const bringIntoView = (element) => {
    if (!isFollowing() || scrolled || !slide()?.contains(element)) return;
    if (element.getBoundingClientRect().bottom > innerHeight) element.scrollIntoView({ block: "end" });
  };

  // What the server tells.
  const put = (id, html) => {
    const there = document.getElementById(id);
    if (!there) return;
    inPlace(() => {
      there.innerHTML = html ?? "";
      prepare(there);
      reveal();
    });
    if (id.startsWith("output")) bringIntoView(there);
  };
  const sheet = new CSSStyleSheet();  // for colours that no palette has
  document.adoptedStyleSheets = [sheet];
  const move = (value) => {
    const arrived = value.slide !== place.slide;
    Object.assign(place, value);
    if (!isFollowing()) {
      reveal();
      describe();
    } else if (arrived) arrive();
    else {
      reveal();
      scrolled = false;
      const fresh = all(`[data-step="${place.step}"]`, slide());
      if (fresh.length) bringIntoView(fresh.at(-1));
      describe();
    }
  };
  const renew = async (version) => {  // the presenter has saved the deck: another page, in the same place
    if (version === document.body.dataset.version) return;
    const told = fetch("./", { cache: "no-store" }).then((answer) => (answer.ok ? answer.text() : null));
    const text = await told.catch(() => null);
    if (text === null) return connectLater();  // from the beginning, or nobody would name this version again
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const style = fresh.querySelector("link[rel=stylesheet]");
    await new Promise((loaded) => {  // or the page would be without a style for a moment
      style.onload = style.onerror = loaded;
      document.head.append(style);
    });
    inPlace(() => exchange(fresh, style));
    connect();  // from the beginning: outputs and edits belong to the new page too
  };
  const exchange = (fresh, style) => {
    for (const part of ["main", "nav"]) document.querySelector(part).replaceWith(fresh.querySelector(part));
    for (const each of all("link[rel=stylesheet]")) if (each !== style) each.remove();
    document.querySelector("header h1").textContent = document.title = fresh.title;
    document.body.dataset.version = fresh.body.dataset.version;
    prepare(document.querySelector("main"));
    search();  // folds the contents as the screen wants them
    show();
  };
  const take = ({ key, value }) => {
    if (key === "place") move(value);
    else if (key === "deck") renew(value);
    else if (key === "presenter") say(value ? "" : CLOSED);
    else if (key === "calls") answered(value);
    else if (key === "style") sheet.replaceSync(value);
    else put(key, value);
  };

  // The connection. A browser tries again by itself, but not after an answer that is no stream.
  let source, timer;
  const say = (text) => {
    if (text !== LOST || status.textContent !== CLOSED) status.textContent = text;
  };
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      say(LOST);
      connect();
    }, SILENCE_MS);
  };
  const connect = () => {
    source?.close();
    source = new EventSource("events");
    source.onopen = () => {
      if (status.textContent === LOST) say("");
      heard();
    };
    source.addEventListener("beat", heard);
    source.onmessage = (event) => {
      heard();
      take(JSON.parse(event.data));
    };
    source.onerror = async () => {
      say(LOST);
      if (source.readyState !== EventSource.CLOSED) return;
      const answer = await fetch("./", { method: "HEAD", redirect: "manual" }).catch(() => null);
      if (answer?.status === 401) {
        say(RESTARTED);
        clearTimeout(timer);
      } else connectLater();
    };
    heard();
  };
  const connectLater = () => {
    source.close();
    clearTimeout(timer);
    timer = setTimeout(connect, 2000 + 3000 * Math.random());  // not all at the same time
  };

  // Asking for help, and the keys.
  let call = null;  // the number under which this reader asked, and whether the room has heard
  const ask = button("Ask for help", async () => {
    const answer = await fetch("help", { method: "POST" }).catch(() => null);
    if (answer?.status === 401) return say(RESTARTED);
    if (!answer) return say("Your request did not reach the presenter: there is no connection.");
    if (!answer.ok) return say(await answer.text());
    const { number, name } = await answer.json();
    call = { number, heard: false };
    say(`Asked for help. The presenter sees ${name ?? `number ${number}`}.`);
  });
  const answered = (numbers) => {
    if (!call) return;
    if (numbers.includes(call.number)) call.heard = true;
    else if (call.heard) {
      call = null;
      say("");
    }
  };
  ask.title = "Press h";

  // Telling how far one is: nothing until the button is pressed, and then what `workshop watch` tells, never the code.
  // Exercises dispatch "progress" on the document, with {exercise, filled, todos, right, hints}.
  const progress = new Map();  // the newest of each exercise
  let telling = false;
  const report = async (detail) => {
    const body = JSON.stringify({ ...detail, told: Date.now() * 1_000_000 });
    const answer = await fetch("report", { method: "POST", body }).catch(() => null);
    if (!answer) say("Your progress did not reach the presenter: there is no connection. The next check tells it again.");
    else if (!answer.ok) say(answer.status === 401 ? RESTARTED : await answer.text());
  };
  const tellRoom = button("Tell the room", async () => {
    telling = !telling;
    tellRoom.setAttribute("aria-pressed", String(telling));
    say(telling ? "The presenter now sees how far you are: exercise, TODOs, hints, right or not. Never your code." : "The presenter hears no more of your progress.");
    if (telling) for (const each of progress.values()) await report(each);  // in order: one is where the last one says
  });
  tellRoom.setAttribute("aria-pressed", "false");
  document.addEventListener("progress", ({ detail }) => {
    progress.delete(detail.exercise);
    progress.set(detail.exercise, detail);
    if (telling) report(detail);
  });
  const keys = { f: follow, h: () => ask.click(), n: leave, p: leave };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, [contenteditable]")) return;
    if ("np/".includes(event.key) ? isFollowing() : event.key in keys) (keys[event.key] ?? leave)();
  }, { capture: true });
  addEventListener("hashchange", () => { if (isFollowing() && location.hash) leave(); });
  for (const name of ["wheel", "touchmove"]) addEventListener(name, () => { scrolled = true; }, { passive: true });

  tools.prepend(mode);
  tools.append(ask, ...(globalThis.Parts ? [tellRoom] : []));
  document.querySelector("header").append(status);
  root.classList.add("live");
  follow();
  connect();
})();
