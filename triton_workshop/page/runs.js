// Code that prints, in blocks and scratch pads: one runs at a time. `Runs` offers `run(request, output, runButton)`,
// which resolves to whether the code has come to its end, and `stop(reason)`. `output` is an empty figure, in which the
// caption says how it goes; the button says Stop meanwhile.
globalThis.Runs = (() => {
  "use strict";
  const { make, loadingBar } = globalThis.page;
  const MAX_COLUMNS = 80;  // of a terminal
  const DRAW_MS = 200;  // between two drawings of an output: a loop may print faster than the page can draw
  let python, activeRun;

  function stop(reason) {
    if (!activeRun) return;
    activeRun.stopReason = reason;
    if (activeRun.hasStarted) python.stop(reason);
  }

  async function run(request, output, runButton) {
    stop("another one runs");
    const current = activeRun = { stopReason: "", hasStarted: false, runButton };
    const caption = make("figcaption", "… running", { className: "running", role: "status" });
    output.append(caption);
    const transcript = new Transcript(output), progress = python ? null : loadingBar(output);
    const startTime = performance.now();
    runButton.textContent = "Stop";
    request.run.columns = columnsOf(output);
    const result = await execute(request, current, transcript, progress).catch((error) => (
      { failed: `Python did not start: ${error.message}` }
    ));
    progress?.remove();
    transcript.draw(result.pictures);
    const seconds = (result.seconds ?? (performance.now() - startTime) / 1000).toFixed(1);
    caption.textContent = result.failed ? `✗ ${result.failed} · ${seconds} s` : `✓ ${seconds} s`;
    caption.className = result.failed ? "failed" : "right";
    if (activeRun === current) activeRun = undefined;
    if (activeRun?.runButton !== runButton) runButton.textContent = "Run";
    return result.seconds !== undefined && !current.stopReason;
  }

  // How many characters fit beside each other in an output: messages are wrapped to that, between words.
  function columnsOf(output) {
    const probe = make("span", "0".repeat(MAX_COLUMNS)), line = make("pre", [probe]);
    line.style.whiteSpace = "pre";
    output.append(line);
    const padding = parseFloat(getComputedStyle(line).paddingLeft);
    const widths = [line.clientWidth - 2 * padding, probe.getBoundingClientRect().width];
    line.remove();
    return Math.min(Math.floor(MAX_COLUMNS * widths[0] / widths[1]), MAX_COLUMNS);
  }

  async function execute(request, current, transcript, progress) {
    let timer;
    const onMessage = ({ printed }) => {
      progress?.remove();
      if (printed) transcript.feed(printed);
      timer ??= setTimeout(() => {
        timer = undefined;
        transcript.draw();
      }, DRAW_MS);
    };
    try {
      python ??= await Parts.python(progress ?? undefined);
      current.hasStarted = !current.stopReason;
      if (current.stopReason) return { failed: current.stopReason };
      return await python.ask(request, onMessage);
    } finally {
      clearTimeout(timer);
    }
  }

  return { run, stop };
})();
