// The page's side: one worker that works, and a spare that takes its place when it hangs, is stopped or is spent. None
// serves the texts of two owners, as what a script leaves behind could read the next, and answer for it: the worker of the
// owner before rests, in case that one comes back.
"use strict";
const ended = (why) => ({ failed: why, changed: [], ended: true });
globalThis.Workers = class {
  // `boot` is what a worker is sent first; `source` is the text of worker.js.
  constructor(source, boot, { limit = 90_000, spares = 1 } = {}) {
    Object.assign(this, { source, boot, limit, spares, ready: [], next: 0 });
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

  // The worker for the owner's texts; the spare begins once it is ready, so that the first result does not wait for both.
  async own(owner) {
    if (this.working && this.working.owner !== owner) {
      const back = this.resting?.owner === owner ? this.resting : this.resting?.thread.terminate();
      [this.resting, this.working] = [this.working, back];
    }
    this.working ??= Object.assign(this.ready.shift() ?? this.start(), { owner });
    const one = await this.working.ready;
    while (this.ready.length < this.spares) this.ready.push(this.start());
    return one;
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
    this.turn = Promise.resolve(this.turn).catch(() => {}).then(() => this.work(request, on));
    return this.turn;
  }

  // A watchdog ends what no time limit inside can end.
  async work(request, on) {
    this.stopped = undefined;
    const one = await this.own(request.owner), id = ++this.next;
    if (this.stopped !== undefined) return ended(this.stopped);
    const watchdog = setTimeout(() => this.stop("it did not come to an end"), this.limit);
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
      one.waiting = null;
    }
  }

  retire(one) {
    one.thread.terminate();
    this.working = undefined;
  }
};
