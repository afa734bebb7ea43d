// The sandboxed frame in which Python's workers live. It has no origin, so that a script in them has no storage, no
// cookie and no network. The page talks to it through one port: {id, request} is answered by any number of
// {id, message} and one {id, result}; {stop} ends what runs, and {outdated, patienceMs} what nobody wants any more.
// The first message through it is {files}, the libraries, which may come while Python itself starts.
"use strict";
addEventListener("message", async ({ data: { source, boot, options }, ports: [port] }) => {
  const compilation = WebAssembly.compile(boot.files["pyodide.asm.wasm"]);  // once, for all workers
  delete boot.files["pyodide.asm.wasm"];
  const workers = compilation.then((module) => new Workers(source, { ...boot, module }, options));
  await workers.catch(() => {});  // the port keeps what comes until then: a stop must not overtake its request
  port.onmessage = async ({ data: { files, id, request, stop, outdated, patienceMs } }) => {
    try {
      globalThis.workers ??= await workers;
      if (files) return globalThis.workers.provide(files);
      if (stop !== undefined) return globalThis.workers.stop(stop);
      if (outdated !== undefined) return globalThis.workers.outdate(outdated, patienceMs);
      const result = await globalThis.workers.ask(request, (message) => port.postMessage({ id, message }));
      port.postMessage({ id, result });
    } catch (error) {
      port.postMessage({ id, result: Workers.failure(String(error?.message ?? error)) });
    }
  };
}, { once: true });
