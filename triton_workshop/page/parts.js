// The large files of the page, which it holds itself or fetches from beside it, and what they are for. `Parts` offers
// `python(onProgress, options)`, `editor(onProgress)`, `load(names, onProgress)` and `total`, the bytes of all parts.
// The list in #parts has each part's name, its size as it is sent, and the addresses of its pieces if it is not in the
// page.
globalThis.Parts = (() => {
  "use strict";
  const list = JSON.parse(document.getElementById("parts")?.textContent ?? "[]");
  const FRAME = ["frame.html", "worker.js"], LIBRARIES = ["numpy.zip", "pillow.zip"], ARCHIVES = ["page.zip"];
  const CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"];
  const decode = (bytes) => new TextDecoder().decode(bytes);

  // A part that stands in the page as base64. It is read once: the page need not keep it after that.
  async function* readEmbedded(name) {
    const script = document.querySelector(`script[data-part="${name}"]`), text = script.textContent;
    script.remove();
    yield Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  }

  async function* fetchPieces(addresses) {
    for (const address of addresses) {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`${address} did not come: ${response.status} ${response.statusText}`);
      const reader = response.body.getReader();
      for (let chunk; !(chunk = await reader.read()).done;) yield chunk.value;
    }
  }

  async function readPart({ name, addresses }, onBytes) {
    const chunks = addresses ? fetchPieces(addresses) : readEmbedded(name);
    let next = await chunks.next();
    const [first, second] = next.value;
    const pull = async (controller) => {
      if (next.done) return controller.close();
      onBytes(next.value.length);
      controller.enqueue(next.value);
      next = await chunks.next();
    };
    const stream = new ReadableStream({ pull });
    const isGzip = first === 0x1f && second === 0x8b;  // some hosts unpack what ends in .gz
    const unpacked = isGzip ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
    return new Uint8Array(await new Response(unpacked).arrayBuffer());
  }

  async function load(names, onProgress = () => {}) {
    const parts = names.map((name) => list.find((part) => part.name === name));
    const total = parts.reduce((sum, { size }) => sum + size, 0), files = {};
    let loaded = 0;
    for (const part of parts) {
      files[part.name] = await readPart(part, (bytes) => onProgress(loaded += bytes, total));
      await new Promise((resolve) => setTimeout(resolve));  // lets the page draw its progress
    }
    return files;
  }

  async function openFrame(html) {
    const properties = { hidden: true, sandbox: "allow-scripts", srcdoc: html };
    const frame = Object.assign(document.createElement("iframe"), properties);
    await new Promise((resolve) => {
      frame.onload = resolve;
      document.body.append(frame);
    });
    return frame.contentWindow;
  }

  // Python, in a frame of its own: `ask(request, onMessage)`, `stop(reason)` and `outdate(owner, patienceMs)`, as
  // Workers has them.
  async function startPython(onProgress, options) {
    const loaded = await load([...FRAME, ...CORE, ...LIBRARIES, ...ARCHIVES], onProgress);
    const { "frame.html": html, "worker.js": source, ...files } = loaded;
    const target = await openFrame(decode(html));
    const { port1: port, port2: framePort } = new MessageChannel(), pending = new Map();
    port.onmessage = ({ data: { id, message, result } }) => {
      if (result) pending.get(id).resolve(result);
      else pending.get(id).onMessage(message);
    };
    const boot = { files, libraries: LIBRARIES, archives: ARCHIVES, folder: "/page" };
    const buffers = Object.values(files).map((bytes) => bytes.buffer);
    target.postMessage({ source: decode(source), boot, options }, "*", [framePort, ...buffers]);
    let lastId = 0;
    return {
      ask: (request, onMessage = () => {}) => new Promise((resolve) => {
        const id = ++lastId;
        pending.set(id, { resolve, onMessage });
        port.postMessage({ id, request });
      }),
      stop: (reason = "stopped") => port.postMessage({ stop: reason }),
      outdate: (owner, patienceMs) => port.postMessage({ outdated: owner, patienceMs }),
    };
  }

  // CodeMirror: its modules, by the names of npm's packages, and the `signatures` to complete.
  async function loadEditor(onProgress) {
    const parts = await load(["codemirror.mjs", "signatures.json"], onProgress);
    const address = URL.createObjectURL(new Blob([parts["codemirror.mjs"]], { type: "text/javascript" }));
    return { ...(await import(address)).default, signatures: JSON.parse(decode(parts["signatures.json"])) };
  }

  // Calls the function once, and again only after a failure.
  function memoize(create) {
    let promise;
    return (...parameters) => (promise ??= create(...parameters).catch((error) => {
      promise = undefined;
      throw error;
    }));
  }

  const total = list.reduce((sum, { size }) => sum + size, 0);
  return { total, load, python: memoize(startPython), editor: memoize(loadEditor) };
})();
