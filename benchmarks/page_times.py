"""How long a reader of the page waits, and what it takes of memory: `python -m benchmarks.page_times`.

In Chromium, without a window: the first kernel of the deck from a file and from a host, verdicts of the checker, the
next result after a loop that had to be stopped, a key on a slow computer, the next verdict while the last check still
searches, and the memory of the browser's pages above that of a blank one. It takes about six minutes, and with
`--editor`, which leaves out all but keys and next verdicts, one. The exit status is 1 if a bound is exceeded. Linux.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, sync_playwright

from benchmarks.memory import started
from benchmarks.page_verdicts import scripts
from benchmarks.share import Figure, line
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.repository import ROOT

ROUNDS = 3
EVERY = 20
"""One script of so many is judged."""
SETTLED_SECONDS = 30
"""Until the spare is ready, and the browser has collected what the page needs no more."""
PATIENCE_MS = 120_000
FIRST_KERNEL = ".code[data-runs]:has-text('@triton.jit') >> nth=0"
PRINTED = ".output.yours:has(figcaption.right)"
ASK = """
async (request) => {
  globalThis.python ??= await Parts.python(() => {});
  const from = performance.now(), heard = [];
  let first;
  const done = await python.ask(request, ({ verdict }) => {
    if (!verdict) return;  // cases are told one by one before it
    first ??= performance.now();
    heard.push(verdict);
  });
  const all = performance.now() - from;
  return { first: ((first ?? performance.now()) - from) / 1000, all: all / 1000, passed: heard.at(-1)?.passed };
}
"""
STOPPED = """
async () => {
  const endless = python.ask({ run: { text: "while True: pass" } });
  await new Promise((next) => setTimeout(next, 1000));
  const from = performance.now();
  python.stop();
  await endless;
  const done = await python.ask({ run: { text: "print(1)" } });
  if (done.failed) throw new Error(done.failed);
  return (performance.now() - from) / 1000;
}
"""
TYPED = "offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # ours"
SLOWDOWN = 6
"""How many times slower than this one the computer is on which keys are pressed."""
KEY_INTERVAL_MS = 150
"""Less than the pause after which a check starts."""
SEARCHED = {
    "1": ("x + y", "x - y", "x * y"),
    "3": (" - SIZE // 2", "", " + SIZE // 2"),
    "5": ("running_max - new_max", "new_max - running_max", "running_max + new_max"),
}
"""Of some exercises, a part of the solution and two mistakes in its place."""
SEARCH = """() => {
  const status = document.querySelector(".workspace:not(.scratch) .checking");
  globalThis.searching = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (!status.textContent.includes("looking for")) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(status, { childList: true, subtree: true, characterData: true });
  });
}"""
"""A search may last less than the pause between two looks at the page."""
NEXT_VERDICT = """() => {
  const pane = document.querySelector(".workspace:not(.scratch) .verdict");
  let from;
  globalThis.nextVerdict = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (pane.classList.contains("outdated")) from ??= performance.now();
      else if (from && pane.querySelector("h3")) {
        observer.disconnect();
        resolve((performance.now() - from) / 1000);
      }
    });
    observer.observe(pane, { attributes: true, childList: true });
  });
}"""


def first_kernel(page: Page, address: str) -> float:
    """Seconds from opening the page until the deck's first kernel has printed what it computed."""
    began = time.monotonic()
    page.goto(address, wait_until="commit")
    page.locator(FIRST_KERNEL).get_by_role("button", name="Run").click()
    page.wait_for_selector(PRINTED, state="attached")
    seconds = time.monotonic() - began
    page.close()  # its spare starts now, and would take a core from the next page
    return seconds


def first_kernels(browser: Browser, file: str, host: str) -> Iterator[Figure]:
    with context_of(browser) as kept:
        first_kernel(kept.new_page(), host)  # from now on, this context has everything in its cache
        cached = [first_kernel(kept.new_page(), host) for _ in range(ROUNDS)]
    for name, seconds, bound in (
        ("from a file", [in_a_new_context(browser, file) for _ in range(ROUNDS)], 5.0),
        ("from a host, nothing cached", [in_a_new_context(browser, host) for _ in range(ROUNDS)], 6.0),
        ("from a host, cached", cached, 4.0),
    ):
        yield Figure(f"the first kernel {name}, median of {ROUNDS}", statistics.median(seconds), "s", bound)


def in_a_new_context(browser: Browser, address: str) -> float:
    with context_of(browser) as fresh:
        return first_kernel(fresh.new_page(), address)


@contextmanager
def context_of(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield context
    finally:
        context.close()


def verdicts(ask: Callable[..., dict[str, Any]]) -> Iterator[Figure]:
    for half, bound in ((1, 0.3), (2, None)):
        right = [right_verdict(ask, exercise) for exercise in EXERCISES.values() if exercise.session == half]
        yield Figure(f"half-day {half}: a right exercise's first verdict, warm, median", statistics.median(right), "s")
        yield Figure(f"half-day {half}: that of the slowest exercise", max(right), "s", bound)
    cases = list(scripts())[::EVERY]
    seconds = [ask(check={"number": case.exercise.number, "text": case.text})["all"] for case in cases]
    yield Figure(f"all that is said of a script, median of {len(cases)}", statistics.median(seconds), "s", 0.6)
    yield Figure("of these, nine of ten", statistics.quantiles(seconds, n=10)[-1], "s")


def right_verdict(ask: Callable[..., dict[str, Any]], exercise: Exercise) -> float:
    """Seconds until the solution is called right, once the page has judged it before."""
    found = [ask(check={"number": exercise.number, "text": exercise.solution}) for _ in range(ROUNDS + 1)]
    assert all(each["passed"] for each in found), exercise.number
    return statistics.median(float(each["first"]) for each in found[1:])


def editing(browser: Browser, file: str) -> Iterator[Figure]:
    with context_of(browser) as context:
        page = context.new_page()
        seconds = list(next_verdicts(page, file))
        yield Figure("from a key to the next verdict, while a check searches, median", statistics.median(seconds), "s")
        yield Figure("of these, the slowest", max(seconds), "s", 1.5)
    with context_of(browser) as untouched:
        page = untouched.new_page()
        page.goto(f"{file}#exercise-1")
        page.locator(".checking", has_text="Checked in").wait_for()
        costs = [keystroke(page) for _ in range(ROUNDS)]
        yield Figure(f"a key at {SLOWDOWN} times less speed, median of {ROUNDS}", statistics.median(costs), "ms", 30.0)


def next_verdicts(page: Page, file: str) -> Iterator[float]:
    """Yield seconds from the first key to the verdict of a text, while the check of another one looks for a mistake."""
    for number, (code, *mistakes) in SEARCHED.items():
        page.goto(f"{file}#exercise-{number}")
        page.locator(".checking", has_text="Checked in").wait_for()
        for _ in range(ROUNDS):
            for mistake in mistakes:
                write(page, EXERCISES[number].solution)
                page.locator(".verdict:not(.outdated) h3", has_text="cases are right").wait_for()
                page.evaluate(SEARCH)
                write(page, EXERCISES[number].solution.replace(code, mistake))
                page.evaluate("searching")
                page.evaluate(NEXT_VERDICT)
                page.keyboard.type("#")
                yield page.evaluate("nextVerdict")


def write(page: Page, text: str) -> None:
    """Replace the script in the editor."""
    page.focus(".pane .cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def keystroke(page: Page) -> float:
    """Return the milliseconds for which a key keeps a slow page busy, from the event to the picture."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.locator(".cm-line", has_text="TODO 2").click()
    page.keyboard.press("Home")
    page.wait_for_timeout(2000)
    before = busy_ms(session)
    page.wait_for_timeout(len(TYPED) * KEY_INTERVAL_MS)
    between = busy_ms(session)
    page.keyboard.type(TYPED, delay=KEY_INTERVAL_MS)
    after = busy_ms(session)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    session.detach()
    for _ in TYPED:
        page.keyboard.press("Backspace")
    return ((after - between) - (between - before)) / len(TYPED)


def busy_ms(session: CDPSession) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


def memory(browser: Browser, file: str) -> Iterator[Figure]:
    for spares, bound in ((0, 300.0), (1, 450.0)):
        with context_of(browser) as context:
            page = context.new_page()
            page.goto("about:blank")
            time.sleep(1)
            blank = resident()
            page.goto(file)
            page.evaluate(
                f"""async () => {{
                globalThis.python = await Parts.python(() => {{}}, {{ spares: {spares} }});
                await python.ask({{ run: {{ text: "print(1)" }} }});
                }}"""
            )
            page.evaluate(ASK, {"check": {"number": "1", "text": EXERCISES["1"].solution}})
            time.sleep(SETTLED_SECONDS)
            name = "one worker and the spare" if spares else "one worker"
            yield Figure(f"memory of {name}, {SETTLED_SECONDS} s after a check", resident() - blank, "MB", bound)


def resident() -> float:
    """Megabytes of all pages of the browser, each shared one divided by those who share it (PSS)."""
    return sum(size["Pss"] for process, size in started() if "--type=renderer" in command(process))


def command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text("utf-8", errors="replace")
    except OSError:
        return ""


class Quiet(SimpleHTTPRequestHandler):
    """A host without headers of ours."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None: ...


def figures(folder: Path, *, is_editor: bool) -> Iterator[Figure]:
    file = folder / "workshop.html"
    for words in (["handout", "--live", "-o", str(file)], ["site", str(folder / "site")]):
        subprocess.run(["workshop", *words], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    host = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder / "site")))
    threading.Thread(target=host.serve_forever, daemon=True).start()
    with sync_playwright() as playwright, host:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield from editing(browser, file.as_uri())
        if not is_editor:
            yield from running(browser, file.as_uri(), f"http://127.0.0.1:{host.server_port}/")
        browser.close()
        host.shutdown()


def running(browser: Browser, file: str, host: str) -> Iterator[Figure]:
    yield from first_kernels(browser, file, host)
    with context_of(browser) as context:
        page = context.new_page()
        page.goto(file)
        yield from verdicts(lambda **request: page.evaluate(ASK, request))
        yield Figure("from Stop to the next result", page.evaluate(STOPPED), "s", 0.5)
    yield from memory(browser, file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--editor", action="store_true", help="only keys, and the next verdict")
    arguments = parser.parse_args()
    passed = True
    with tempfile.TemporaryDirectory() as folder:
        for figure in figures(Path(folder), is_editor=arguments.editor):
            print(line(figure), flush=True)
            passed &= figure.passed
    sys.exit(not passed)


if __name__ == "__main__":
    main()
