// Where Python's workers live: a sandboxed frame without an origin, so that a script in them has no storage, no cookie
// and no network. The page talks to it through one port: {id, ask} and {stop}; answers are {id, heard} and {id, done}.
"use strict";
addEventListener("message", async ({ data: { source, boot, options }, ports: [port] }) => {
  const compiled = WebAssembly.compile(boot.files["pyodide.asm.wasm"]);
  delete boot.files["pyodide.asm.wasm"];
  port.onmessage = async ({ data: { id, ask, stop } }) => {
    try {
      boot.module ??= await compiled;
      const workers = (globalThis.workers ??= new Workers(source, boot, options));
      if (stop !== undefined) return workers.stop(stop);
      port.postMessage({ id, done: await workers.ask(ask, (heard) => port.postMessage({ id, heard })) });
    } catch (error) {
      port.postMessage({ id, done: ended(String(error?.message ?? error)) });
    }
  };
}, { once: true });
