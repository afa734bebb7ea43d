// The page's side: one worker that works, and a spare that takes its place when it hangs, is stopped or is spent. None
// serves the texts of two owners, as what a script leaves behind could read the next, and answer for it: the worker of the
// owner before rests, in case that one comes back.
"use strict";
const PAUSE_MS = 1000;  // milliseconds without a request, or of one that may have to be stopped, until the spare starts
const ended = (why) => ({ failed: why, changed: [], ended: true });
globalThis.Workers = class {
  // `boot` is what a worker is sent first; `source` is the text of worker.js.
  constructor(source, boot, { limit = 90_000, spares = 1 } = {}) {
    Object.assign(this, { source, boot, limit, spares, ready: [], next: 0, asked: 0 });
  }

  start() {
    const thread = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
    const { port1: port, port2: its } = new MessageChannel(), one = { thread, port, waiting: null };
    one.ready = new Promise((resolve, reject) => {
      port.onmessage = ({ data }) => (data.ready ? resolve(one) : data.id === undefined ? reject(new Error(data.failed)) : one.waiting?.(data));
      thread.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
    });
    one.ready.catch(() => {});
    thread.postMessage({ boot: this.boot }, [its]);
    return one;
  }

  // The worker for the owner's texts. No spare starts beside it yet: the first result does not wait for both.
  async own(owner) {
    if (this.working && this.working.owner !== owner) {
      const back = this.resting?.owner === owner ? this.resting : this.resting?.thread.terminate();
      [this.resting, this.working] = [this.working, back];
    }
    this.working ??= Object.assign(this.ready.shift() ?? this.start(), { owner });
    return this.working.ready;
  }

  refill() {
    while (this.ready.length < this.spares) this.ready.push(this.start());
  }

  // Nothing runs: the spare starts, and checks scripts of ours, so that an exercise's first check takes no longer.
  async warm() {
    this.refill();
    for (const spare of await Promise.all(this.ready.map(({ ready }) => ready))) {
      if (this.asked || spare.warm || !this.ready.includes(spare)) continue;
      spare.warm = true;
      spare.port.postMessage({ warm: true });
    }
  }

  // Ends what runs; the spare takes over. A worker that is still starting goes on, as it has run nothing.
  stop(why = "stopped") {
    const one = this.working;
    this.stopped = why;
    if (!one?.waiting) return;
    this.retire(one);
    one.waiting({ done: ended(why) });
  }

  // `on` hears {printed} and {verdict}; resolves to what is done. Requests wait for each other.
  ask(request, on = () => {}) {
    clearTimeout(this.rest);
    this.asked += 1;
    this.turn = Promise.resolve(this.turn).catch(() => {}).then(() => this.work(request, on)).finally(() => {
      this.asked -= 1;
      if (!this.asked) this.rest = setTimeout(() => this.warm().catch(() => {}), PAUSE_MS);
    });
    return this.turn;
  }

  // A watchdog ends what no time limit inside can end.
  async work(request, on) {
    this.stopped = undefined;
    const one = await this.own(request.owner), id = ++this.next;
    if (this.stopped !== undefined) return ended(this.stopped);
    const watchdog = setTimeout(() => this.stop("it did not come to an end"), this.limit);
    const long = setTimeout(() => this.refill(), PAUSE_MS);
    try {
      return await new Promise((resolve) => {
        one.waiting = (data) => {
          if (data.failed) {
            this.retire(one);
            resolve(ended(data.failed));
          } else if (data.done) {
            if (data.done.changed?.length && this.working === one) this.retire(one);
            resolve(data.done);
          } else if (data.id === id) on(data);
        };
        one.port.postMessage({ ...request, id });
      });
    } finally {
      clearTimeout(watchdog);
      clearTimeout(long);
      one.waiting = null;
      if (!this.working) this.refill();
    }
  }

  retire(one) {
    one.thread.terminate();
    this.working = undefined;
  }
};
