// The presenter's board: asks the room every second, and shows who is where and who asks for help.
(() => {
  "use strict";
  const PAUSE_MS = 1000;
  const PATIENCE_MS = 3000;
  const at = (id) => document.getElementById(id);
  const make = (name, className, ...content) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content);
    return made;
  };
  const several = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  let calls = [];     // the oldest first
  let shown = "";     // what the page shows, so that it changes only when that does
  let heard = null;   // when the room last answered

  // The code in the address has become a cookie, and works no more.
  if (location.search) history.replaceState(null, "", location.pathname);

  const since = (minutes) => minutes ? `${minutes} min ago` : "just now";

  const showCalls = (present) => {
    const places = new Map(present.map((each) => [each.number, each.here]));
    return calls.map((call, index) => {
      const button = make("button", "", "Done");
      button.type = "button";
      button.dataset.number = call.number;
      button.setAttribute("aria-label", `Done: ${call.called}`);
      button.addEventListener("click", () => done(call.number));
      if (index === 0) button.append(" ", make("kbd", "", "d"));
      const here = places.get(call.number);
      const name = make("div", "", make("strong", "", call.called), here ? `exercise ${here.exercise}` : "");
      return make("li", "call", name, make("span", "since", since(call.minutes)), button);
    });
  };

  const showExercise = ({ exercise, title, working, right }) => {
    const count = (word, number, className) =>
      make("div", className, make("dt", "", word), make("dd", "", String(number)));
    const counts = make("dl", "", count("working", working, "working"), count("right", right, "right"));
    return make("li", "", make("p", "", `${exercise} · ${title}`), counts);
  };

  const showAttendee = ({ number, called, here, right }) => {
    const place = make("span", "place");
    if (right.length) place.append(make("span", "right", `✓ ${right.join(" ")}`));
    if (here && !here.right) {
      const hints = here.hints ? `, ${several(here.hints, "hint")}` : "";
      place.append(`${right.length ? "  ·  " : ""}at ${here.exercise}: ${here.filled} of ${here.todos}${hints}`);
    }
    const asks = calls.some((call) => call.number === number);
    const button = make("button", "", "Remove");
    button.type = "button";
    button.setAttribute("aria-label", `Remove: ${called}`);
    button.addEventListener("click", () => remove(number, called));
    return make("li", asks ? "attendee asks" : "attendee", make("span", "name", called), place, button);
  };

  const fill = (id, rows, none) => at(id).replaceChildren(...(rows.length ? rows : [make("li", "empty", none)]));

  const show = (board) => {
    const next = JSON.stringify(board);
    if (next === shown) return;
    calls = board.calls;
    shown = next;
    const focused = document.activeElement?.dataset?.number;
    fill("calls", showCalls(board.present), "Nobody asks for help.");
    fill("exercises", board.exercises.map(showExercise), "");
    at("guessed").textContent = board.guessed;
    fill("present", board.present.map(showAttendee), "Nobody has joined yet: uv run workshop join ADDRESS");
    if (focused) (document.querySelector(`button[data-number="${focused}"]`) ?? document.querySelector("button"))?.focus();
  };

  const say = (words, lost) => {
    document.body.classList.toggle("lost", lost);
    document.title = calls.length ? `(${calls.length}) The room` : "The room";
    if (at("state").textContent !== words) at("state").textContent = words;
  };

  const ask = async () => {
    const answer = await fetch("board.json", { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.status === 403) return say(await answer.text(), true);
    if (!answer.ok) throw new Error(answer.statusText);
    const board = await answer.json();
    show(board);
    heard = new Date();
    const asking = `${calls.length} asking for help`;
    say(`${several(board.present.length, "attendee")}${calls.length ? `, ${asking}` : ""}`, false);
  };

  const follow = async () => {
    try {
      await ask();
    } catch {
      const old = heard ? ` This is what it said at ${heard.toLocaleTimeString()}.` : "";
      say(`The room is out of reach; trying again.${old}`, true);
    }
    setTimeout(follow, PAUSE_MS);
  };

  const tell = async (path, otherwise) => {
    try {
      const answer = await fetch(path, { method: "POST", signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!answer.ok) throw new Error(answer.statusText);
      await ask();
    } catch {
      say(`The room is out of reach: ${otherwise}. Try again.`, true);
    }
  };
  const done = (number) => tell(`board/done/${number}`, "the call is not marked as done");
  const remove = (number, called) => {
    if (confirm(`Remove ${called} from the room, with all they have told? They need the word to come back.`)) {
      tell(`board/remove/${number}`, "nobody is removed");
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "d" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat && calls.length) {
      done(calls[0].number);
    }
  });

  follow();
})();
