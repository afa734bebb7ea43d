// Scripts on the room's GPUs: a button beside "Check now", the place in the queue, and the answer. The server keeps
// the queue, and each script has an identifier of its own, so a reload, another tab, or a server that comes back find
// the same one. This browser remembers its newest in `gpu-job`: {id, exercise, text, sent}.
(() => {
  "use strict";
  const { make, button, workspace } = globalThis.page;
  if (!workspace) return;
  const WAIT_SECONDS = 20, TIMEOUT_MS = 30_000, RETRY_MS = 2000;
  const CONSENT = "To run on a GPU, this one script leaves your browser: it goes to the presenter's machine and its "
    + "GPUs. Nothing else goes with it, and its text is deleted once it is answered. If it is correct, its time and "
    + "your name or number stand on the room's board of times.";
  const OUT_OF_REACH = "The room is out of reach. It goes on when the room is back.";
  const NO_GPUS = "The room's GPUs are out of reach. It goes on when they are back.";
  const LEFT = "You are not in the room any more. Reload the page, and enter its word.";
  const SIGNS = {
    correct: ["✓", "good", "Correct"], wrong: ["✗", "bad", "Wrong"], failed: ["!", "warning", "No verdict"],
  };
  const REPLACED = ["○", "muted", "No verdict"];  // superseded, or cancelled
  const CODE_IN_HINT = /^(.*?:)\s*\n(.*)$/s;
  let pool = null, job = null, generation = 0;

  const runButton = button("On a GPU", () => run(), "Runs this script at full size on the room's GPUs");
  const timesButton = button("Times", () => Times.showBoard(workspace.exercise.number), "The room's board of times");
  const status = make("p", "", { role: "status" }), cancelButton = button("Cancel", () => cancel());
  const spoken = make("p", "", { className: "spoken", role: "status" }), result = make("div", "");
  const progress = make("div", [status, cancelButton], { className: "gpu-progress" });
  const panel = make("section", [progress, spoken, result], { className: "verdict gpu", hidden: true, tabIndex: -1 });
  panel.setAttribute("aria-label", "On a GPU");

  const remembered = () => Store.data("gpu-job");
  const remember = (record) => Store.setData("gpu-job", record);
  const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const isVisible = () => new Promise((resolve) => {  // hidden tabs leave their connections to the others
    if (!document.hidden) return resolve();
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
  const request = async (path, message) => {
    const options = message ? { method: "POST", body: JSON.stringify(message) } : {};
    const response = await fetch(path, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
    return response?.status >= 500 ? null : response;
  };

  // What stands in the panel.
  function setStatus(text, { canCancel = false } = {}) {
    if (status.textContent !== text) status.textContent = text;
    progress.hidden = !text;
    if (!canCancel && document.activeElement === cancelButton) panel.focus({ preventScroll: true });
    cancelButton.hidden = !canCancel;
  }

  function showPanel() {
    panel.hidden = false;
    panel.scrollIntoView({ block: "nearest" });
  }

  function describeProgress({ exercise, state, place }) {
    const subject = exercise === workspace.exercise?.number ? "" : `Exercise ${exercise}: `;
    if (state === "running") {
      const [name] = new Set(pool?.gpus ?? []);
      return `${subject}Running on ${pool?.gpus.length === 1 ? name : "a GPU"} …`;
    }
    const before = place > 1 ? `${place - 1} before you` : "You are next";
    return `${subject}${before} in the queue for ${pool?.slots === 0 ? `a GPU. ${NO_GPUS}` : "a GPU …"}`;
  }

  function show(news) {
    const isNews = job?.id !== news.id || job?.state !== news.state;
    const { top } = panel.getBoundingClientRect(), isSeen = !panel.hidden && top > 0 && top < innerHeight;
    job = news;
    draw();
    if (isNews && news.state === "answered" && !panel.hidden) {
      if (isSeen) panel.scrollIntoView({ block: "nearest" });  // all of it, for who waits for it
      const { sentence, times } = news.answer;
      spoken.textContent = times ? `${sentence} ${Times.ratio(times.ratio)} the limit.` : sentence;
    }
  }

  function draw() {
    if (!job) return;
    const isHere = job.exercise === workspace.exercise?.number;
    panel.hidden = !isHere && job.state === "answered";
    if (job.state === "answered") {
      setStatus("");
      if (isHere) drawAnswer(job.answer);
    } else {
      setStatus(describeProgress(job), { canCancel: true });
      result.replaceChildren();
    }
    markOutdated();
  }

  function drawAnswer(answer) {
    const { verdict, times } = answer, described = verdict?.described ?? describe(answer);
    const hints = described.hints.length ? [Verdict.hints(described.hints, 0, () => {})] : [];
    const footer = times ? [Times.table(times)] : [];
    result.replaceChildren(...Verdict.elements(described, { hints, footer }));
  }

  // A verdict as other verdicts are described, of what an answer says.
  function describe({ outcome, sentence, gpu, verdict }) {
    const [sign, tone, words] = SIGNS[outcome] ?? REPLACED, finding = verdict?.findings?.[0];
    const line = [["❱", "bad"], [`${finding?.line}`, "muted"], [finding?.source?.trim(), "plain"]];
    const source = finding?.line && finding.source ? [{ code: true, rows: [line] }] : [];
    const remarks = (verdict?.remarks ?? []).map((remark) => [[remark, "warning"]]);
    const hints = (finding?.hints ?? []).map((hint) => {
      const [, before, code] = CODE_IN_HINT.exec(hint) ?? ["", hint];
      return { words: before, code };
    });
    const rows = [[[sentence, "plain"]], ...remarks];
    const headline = `${sign} ${words}${gpu ? ` on ${gpu}` : ""}`;
    return { headline, tone, kind: finding?.kind, parts: [{ rows }, ...source], hints, pictures: [] };
  }

  function markOutdated() {
    const record = remembered();
    const isOther = record?.id === job?.id && workspace.text !== undefined && record.text !== workspace.text;
    result.classList.toggle("outdated", isOther && job?.exercise === workspace.exercise?.number);
  }

  function showProblem(text) {
    setStatus(text);
    showPanel();
  }

  // A script on its way: it is sent until the server has it, and then followed until it has its answer.
  function run() {
    if (workspace.text === undefined) return;
    workspace.save();
    if (Store.setting("gpu-consent") === "yes") return submit();
    const agree = button("Agree and send", () => {
      Store.set("gpu-consent", "yes");
      submit();
    });
    const refuse = button("Not now", () => {
      result.replaceChildren();
      panel.hidden = !job;
      draw();
      runButton.focus();
    });
    setStatus("");
    result.classList.remove("outdated");
    result.replaceChildren(make("p", CONSENT), make("p", [agree, " ", refuse]));
    showPanel();
    agree.focus();
  }

  function submit() {
    const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
    const id = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    remember({ id, exercise: workspace.exercise.number, text: workspace.text, sent: false });
    job = null;
    result.replaceChildren();
    spoken.textContent = "";
    setStatus("Sending …", { canCancel: true });
    showPanel();
    if (!document.activeElement || document.activeElement === document.body) cancelButton.focus();
    work();
  }

  // One at a time: a newer one, of this tab or another, ends the loop of the older.
  async function work() {
    const own = ++generation, isCurrent = () => own === generation;
    let seen = "";
    while (isCurrent()) {
      const record = remembered();
      if (!record) return;
      const news = await (record.sent ? ask(record, seen) : send(record));
      if (!isCurrent()) return;
      if (news === null) {
        setStatus(OUT_OF_REACH, { canCancel: true });
        panel.hidden = false;
        await delay(RETRY_MS + 1000 * Math.random());
      } else if (news.problem) {
        remember(null);
        return showProblem(news.problem);
      } else if (news.state) {
        show(news);
        if (news.state === "answered") return;
        seen = `${news.state}-${news.place}`;
      }
      await isVisible();
    }
  }

  async function send(record) {
    const { id, exercise, text } = record;
    const response = await request("gpus/submit", { id, exercise, text, timed: true });
    if (!response) return null;
    if (response.status !== 202) return { problem: response.status === 401 ? LEFT : await response.text() };
    if (remembered()?.id === id) remember({ ...record, sent: true });
    return { id, exercise, state: "waiting", place: (await response.json()).place };
  }

  async function ask({ id }, seen) {
    const response = await request(`gpus/job/${id}?wait=${seen ? WAIT_SECONDS : 0}&seen=${seen}`);
    if (!response || response.status === 429) return null;
    if (!response.ok) return { problem: response.status === 401 ? LEFT : await response.text() };
    return response.json();
  }

  async function cancel() {
    const record = remembered();
    if (!record) return setStatus("");
    const response = await request("gpus/cancel", { id: record.id });
    if (record.sent && !response?.ok) return setStatus(OUT_OF_REACH, { canCancel: true });
    if (!record.sent) {  // it may have arrived all the same: then it is cancelled now
      generation++;
      remember(null);
      setStatus("Cancelled");
    }
    runButton.focus();
  }

  // The newest script of this attendee, which another tab or an earlier page may have sent.
  async function resume() {
    const record = remembered();
    if (record && !record.sent) return work();
    const response = await request("gpus/job");
    if (!response?.ok) return record && !response ? work() : undefined;
    const news = await response.json();
    if (record?.id !== news.id) remember({ id: news.id, exercise: news.exercise, sent: true });
    show(news);
    if (news.state !== "answered") work();
  }

  function onPool(value) {
    const isFirst = pool === null;
    pool = value;
    for (const element of [runButton, timesButton]) element.hidden = !pool;
    if (pool && isFirst) resume();
    else if (job && job.state !== "answered") draw();
  }

  const [checkButton] = workspace.element.querySelectorAll(".exercise-tools button");
  runButton.hidden = timesButton.hidden = true;
  checkButton.after(runButton, timesButton);
  workspace.element.querySelector(".checking").after(panel);
  workspace.element.addEventListener("open", () => {
    result.replaceChildren();
    if (job) draw();
    else panel.hidden = progress.hidden;
  });
  workspace.element.addEventListener("edit", markOutdated);
  document.addEventListener("gpus", ({ detail }) => onPool(detail));
  addEventListener("storage", ({ key }) => {  // another tab has sent one
    const record = key?.endsWith("-setting-gpu-job") ? remembered() : undefined;
    if (record?.sent && record.id !== job?.id) work();
  });
})();
