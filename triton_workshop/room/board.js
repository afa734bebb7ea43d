// The presenter's board: asks the server every second who is where and who asks for help, and shows it.
(() => {
  "use strict";
  const POLL_INTERVAL_MS = 1000;
  const TIMEOUT_MS = 3000;
  const UNREACHABLE = "The room is out of reach";
  let calls = [];  // the oldest first
  let shownBoard = "";  // as JSON, so that the page changes only when the board does
  let lastAnswer = null;  // when the server last answered

  const byId = (id) => document.getElementById(id);
  const make = (name, className, ...content) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    element.append(...content);
    return element;
  };
  const makeButton = (text, label, onPress) => {
    const button = make("button", "", text);
    button.type = "button";
    button.setAttribute("aria-label", label);
    button.addEventListener("click", onPress);
    return button;
  };
  const pluralize = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
  const formatAge = (minutes) => (minutes ? `${minutes} min ago` : "just now");

  // The code in the address has become a cookie, and works no more.
  if (location.search) history.replaceState(null, "", location.pathname);

  const callItem = ({ number, called, minutes }, index, attendees) => {
    const button = makeButton("Done", `Done: ${called}`, () => endCall(number));
    button.dataset.number = number;
    if (index === 0) button.append(" ", make("kbd", "", "d"));
    const position = attendees.find((attendee) => attendee.number === number)?.here;
    const name = make("div", "", make("strong", "", called), position ? `exercise ${position.exercise}` : "");
    return make("li", "call", name, make("span", "since", formatAge(minutes)), button);
  };

  const exerciseItem = ({ exercise, title, working, right, mistakes }) => {
    const count = (name, number) => make("div", name, make("dt", "", name), make("dd", "", String(number)));
    const counts = make("dl", "", count("working", working), count("right", right));
    const frequent = mistakes.map(([mistake, number]) => make("li", "", `${number} × ${mistake}`));
    const list = frequent.length ? [make("ul", "mistakes", ...frequent)] : [];
    return make("li", "", make("p", "", `${exercise} · ${title}`), counts, ...list);
  };

  const attendeeItem = ({ number, called, here, right }) => {
    const progress = make("span", "place");
    if (right.length) progress.append(make("span", "right", `✓ ${right.join(" ")}`));
    if (here && !here.right) {
      const hints = here.hints ? `, ${pluralize(here.hints, "hint")}` : "";
      progress.append(`${right.length ? "  ·  " : ""}at ${here.exercise}: ${here.filled} of ${here.todos}${hints}`);
    }
    const isCalling = calls.some((call) => call.number === number);
    const button = makeButton("Remove", `Remove: ${called}`, () => removeAttendee(number, called));
    const name = make("span", "name", called);
    return make("li", isCalling ? "attendee asks" : "attendee", name, progress, button);
  };

  const timeItem = ({ id, called, ratio, milliseconds, size, gpu }) => {
    const button = makeButton("Strike", `Strike: ${called}`, () => strikeTime(id, called));
    const name = make("span", "name", called);
    const figures = `${ratio.toFixed(2)} × the limit, ${milliseconds.toPrecision(3)} ms at ${size} on ${gpu}`;
    return make("li", "attendee", name, make("span", "place", figures), button);
  };

  const showTimes = (times) => {
    byId("times").hidden = !times;
    if (!times) return;
    const { on, exercises } = times, toggle = byId("times-switch");
    toggle.textContent = on ? "Attendees see these times" : "Attendees do not see these times";
    toggle.title = on ? "Press to hide them" : "Press to show them";
    toggle.setAttribute("aria-pressed", String(on));
    toggle.onclick = () => post(`board/times/${on ? "off" : "on"}`, "nothing is changed");
    const lists = exercises.flatMap(({ exercise, title, entries }) => (
      [make("h3", "", `${exercise} · ${title}`), make("ol", "", ...entries.map(timeItem))]
    ));
    byId("times-lists").replaceChildren(...(lists.length ? lists : [make("p", "empty", "Nobody has a time yet.")]));
  };

  const fillList = (id, items, placeholder) => {
    byId(id).replaceChildren(...(items.length ? items : [make("li", "empty", placeholder)]));
  };

  const showBoard = (board) => {
    const json = JSON.stringify(board);
    if (json === shownBoard) return;
    calls = board.calls;
    shownBoard = json;
    const focusedNumber = document.activeElement?.dataset?.number;
    const callItems = calls.map((call, index) => callItem(call, index, board.present));
    fillList("calls", callItems, "Nobody asks for help.");
    fillList("exercises", board.exercises.map(exerciseItem), "");
    showTimes(board.times);
    byId("guessed").textContent = board.guessed;
    fillList("present", board.present.map(attendeeItem), "Nobody has joined yet: uv run workshop join ADDRESS");
    if (focusedNumber) restoreFocus(focusedNumber);
  };

  // To the button of the same call, or else to the first one.
  const restoreFocus = (number) => {
    const button = document.querySelector(`button[data-number="${number}"]`) ?? document.querySelector("button");
    button?.focus();
  };

  const setStatus = (text, isLost) => {
    document.body.classList.toggle("lost", isLost);
    document.title = calls.length ? `(${calls.length}) The room` : "The room";
    if (byId("state").textContent !== text) byId("state").textContent = text;  // a screen reader would read it again
  };

  const update = async () => {
    const response = await fetch("board.json", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.status === 403) return setStatus(await response.text(), true);
    if (!response.ok) throw new Error(response.statusText);
    const board = await response.json();
    showBoard(board);
    lastAnswer = new Date();
    const help = calls.length ? `, ${calls.length} asking for help` : "";
    setStatus(`${pluralize(board.present.length, "attendee")}${help}`, false);
  };

  const poll = async () => {
    try {
      await update();
    } catch {
      const age = lastAnswer ? ` This is what it said at ${lastAnswer.toLocaleTimeString()}.` : "";
      setStatus(`${UNREACHABLE}; trying again.${age}`, true);
    }
    setTimeout(poll, POLL_INTERVAL_MS);
  };

  const post = async (path, consequence) => {
    try {
      const response = await fetch(path, { method: "POST", signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) throw new Error(response.statusText);
      await update();
    } catch {
      setStatus(`${UNREACHABLE}: ${consequence}. Try again.`, true);
    }
  };
  const endCall = (number) => post(`board/done/${number}`, "the call is not marked as done");
  const strikeTime = (id, called) => {
    if (confirm(`Strike this time of ${called}? Their next best one, if there is one, takes its place.`)) {
      post(`board/times/strike/${id}`, "nothing is struck");
    }
  };
  const removeAttendee = (number, called) => {
    if (confirm(`Remove ${called} from the room, with all they have told? They need the word to come back.`)) {
      post(`board/remove/${number}`, "nobody is removed");
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "d" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat && calls.length) {
      endCall(calls[0].number);
    }
  });

  poll();
})();
