// The workers of a page, inside the frame: one is active, and a spare takes its place when it hangs, is stopped or has
// been changed by a script. `Workers` offers `ask(request, onMessage)`, `stop(reason)`, `outdate(owner, patienceMs)`,
// `provide(files)`, which the workers wait for, and `Workers.failure(reason)`.
//
// No worker serves two owners, as what a script leaves behind could read the next text, and answer for it. The worker
// of the owner before rests, in case that one comes back.
"use strict";
globalThis.Workers = class Workers {
  static OUTDATED = "outdated";
  static REFILL_MS = 1000;  // of a request, which may have to be stopped, until spares start

  // `source` is the text of worker.js, and `boot` what each worker needs to start. The first one starts at once.
  constructor(source, boot, { timeoutMs = 90_000, spares = 1 } = {}) {
    Object.assign(this, { source, boot, timeoutMs, spareCount: spares, spares: [] });
    Object.assign(this, { lastId: 0, askedCount: 0, stoppedCount: 0 });
    this.files = new Promise((resolve) => { this.provide = resolve; });
    this.spares.push(this.start());
  }

  // The result of a request that did not come to its end.
  static failure(reason) {
    return { failed: reason, changed: [], outdated: reason === Workers.OUTDATED };
  }

  // Resolves to the request's result; `onMessage` gets each {printed} and {verdict}. Requests wait for each other.
  ask(request, onMessage = () => {}) {
    const previous = Promise.resolve(this.queue).catch(() => {}), number = ++this.askedCount;
    this.queue = previous.then(() => this.process(request, onMessage, number));
    return this.queue;
  }

  // Ends what runs, and what waits for it.
  stop(reason = "stopped") {
    [this.stopReason, this.stoppedCount] = [reason, this.askedCount];
    this.end(reason);
  }

  // Ends what runs; the spare takes over. A worker that is still starting goes on, as it has run nothing.
  end(reason) {
    const worker = this.active;
    if (!worker?.onReply) return;
    this.retire(worker);
    worker.onReply({ result: Workers.failure(reason) });
  }

  // Nobody wants the result of what runs for an owner: it ends at its next pause, or if there is none in that time,
  // with its worker.
  outdate(owner, patienceMs) {
    const worker = this.active, onReply = worker?.onReply;
    if (!onReply || worker.owner !== owner || worker.outdated === onReply) return;
    worker.outdated = onReply;
    worker.port.postMessage({ outdated: this.lastId });
    setTimeout(() => { if (worker.onReply === onReply) this.end(Workers.OUTDATED); }, patienceMs);
  }

  async process(request, onMessage, number) {
    if (number <= this.stoppedCount) return Workers.failure(this.stopReason);
    const worker = await this.acquire(request.owner);
    if (number <= this.stoppedCount) return Workers.failure(this.stopReason);
    // Python's own limit does not end a loop in C.
    const watchdog = setTimeout(() => this.end("it did not come to an end"), this.timeoutMs);
    const refillTimer = setTimeout(() => this.warmUp(), Workers.REFILL_MS);
    try {
      return await this.exchange(worker, request, onMessage);
    } finally {
      clearTimeout(watchdog);
      clearTimeout(refillTimer);
      worker.onReply = null;
      this.warmUp();  // the next request may have to be stopped
    }
  }

  exchange(worker, request, onMessage) {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      worker.onReply = (reply) => {
        if (reply.failed) {
          this.retire(worker);
          resolve(Workers.failure(reply.failed));
        } else if (reply.result) {
          // A script that has changed the checker could judge the next one.
          if (reply.result.changed?.length && this.active === worker) this.retire(worker);
          resolve(reply.result);
        } else if (reply.id === id) onMessage(reply);
      };
      worker.port.postMessage({ ...request, id });
    });
  }

  // The owner's worker, once it is ready. No spare starts beside it yet: the first result need not wait for both.
  async acquire(owner) {
    if (this.active && this.active.owner !== owner) this.deactivate(owner);
    this.active ??= Object.assign(this.spares.shift() ?? this.start(), { owner });
    return this.active.ready;
  }

  // Lets the active worker rest, and the resting one work again if it is the owner's.
  deactivate(owner) {
    const { resting } = this, isOwners = resting?.owner === owner;
    if (!isOwners) resting?.thread.terminate();
    [this.resting, this.active] = [this.active, isOwners ? resting : undefined];
  }

  start() {
    const thread = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
    const { port1: port, port2: workerPort } = new MessageChannel();
    const worker = { thread, port, onReply: null };
    worker.ready = new Promise((resolve, reject) => {
      port.onmessage = ({ data }) => {
        if (data.ready) resolve(worker);
        else if (data.id === undefined) reject(new Error(data.failed));
        else worker.onReply?.(data);
      };
      thread.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
    });
    worker.ready.catch(() => {});  // `acquire` reports it, if anybody needs this worker
    thread.postMessage({ boot: this.boot }, [workerPort]);
    this.files.then((files) => thread.postMessage({ files }));
    return worker;
  }

  retire(worker) {
    worker.thread.terminate();
    this.active = undefined;
  }

  // Starts spares, which check scripts of ours, so that the first check of one takes no longer than the next.
  warmUp() {
    while (this.spares.length < this.spareCount) this.spares.push(this.start());
    const warm = (spare) => {
      if (spare.warm || !this.spares.includes(spare)) return;
      spare.warm = true;
      spare.port.postMessage({ warm: true });
    };
    for (const spare of this.spares) spare.ready.then(warm, () => {});
  }
};
