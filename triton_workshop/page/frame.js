// The sandboxed frame in which Python's workers live. It has no origin, so that a script in them has no storage, no
// cookie and no network. The page talks to it through one port: {id, request} is answered by any number of
// {id, message} and one {id, result}; {stop} ends what runs, and {outdated, patienceMs} what nobody wants any more.
"use strict";
addEventListener("message", async ({ data: { source, boot, options }, ports: [port] }) => {
  const compilation = WebAssembly.compile(boot.files["pyodide.asm.wasm"]);  // once, for all workers
  delete boot.files["pyodide.asm.wasm"];
  port.onmessage = async ({ data: { id, request, stop, outdated, patienceMs } }) => {
    try {
      boot.module ??= await compilation;
      const workers = (globalThis.workers ??= new Workers(source, boot, options));
      if (stop !== undefined) return workers.stop(stop);
      if (outdated !== undefined) return workers.outdate(outdated, patienceMs);
      const result = await workers.ask(request, (message) => port.postMessage({ id, message }));
      port.postMessage({ id, result });
    } catch (error) {
      port.postMessage({ id, result: Workers.failure(String(error?.message ?? error)) });
    }
  };
}, { once: true });
