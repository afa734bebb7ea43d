// The page's side: one worker that works, and a spare that takes its place when it hangs, is stopped or is spent.
"use strict";
globalThis.Workers = class {
  // `boot` is what a worker is sent first; `source` is the text of worker.js.
  constructor(source, boot, { limit = 90_000, spares = 1 } = {}) {
    Object.assign(this, { source, boot, limit, spares, ready: [], next: 0 });
  }

  start() {
    const thread = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
    const one = { thread, waiting: null };
    one.ready = new Promise((resolve, reject) => {
      thread.onmessage = ({ data }) => (data.ready ? resolve(one) : data.id === undefined ? reject(new Error(data.failed)) : one.waiting?.(data));
      thread.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
    });
    one.ready.catch(() => {});
    thread.postMessage({ boot: this.boot });
    return one;
  }

  // The worker that works; the spare begins once it is ready, so that the first result does not wait for both.
  async own() {
    this.working ??= this.ready.shift() ?? this.start();
    const one = await this.working.ready;
    while (this.ready.length < this.spares) this.ready.push(this.start());
    return one;
  }

  // Ends what runs; the spare takes over.
  stop(why = "stopped") {
    const one = this.working;
    one?.thread.terminate();
    this.working = undefined;
    one?.waiting?.({ done: { failed: why, changed: [], ended: true } });
  }

  // `on` hears {printed} and {verdict}; resolves to what is done. Requests wait for each other.
  ask(request, on = () => {}) {
    this.turn = Promise.resolve(this.turn).catch(() => {}).then(() => this.work(request, on));
    return this.turn;
  }

  // A watchdog ends what no time limit inside can end.
  async work(request, on) {
    const one = await this.own(), id = ++this.next;
    const watchdog = setTimeout(() => this.stop("it did not come to an end"), this.limit);
    try {
      return await new Promise((resolve) => {
        one.waiting = (data) => {
          if (data.failed) {
            this.stop(data.failed);
            resolve({ failed: data.failed, changed: [], ended: true });
          } else if (data.done) {
            if (data.done.changed?.length && this.working === one) this.retire(one);
            resolve(data.done);
          } else if (data.id === id) on(data);
        };
        one.thread.postMessage({ ...request, id });
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
