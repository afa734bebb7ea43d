// The large files of the page, which it holds itself or fetches from beside it, and what they are for. `Parts` offers
// `python(onProgress, options)`, `editor(onProgress)` and `total`, the bytes of all parts.
// The list in #parts has each part's name, its size as it is sent, and the addresses of its pieces if it is not in the
// page.
globalThis.Parts = (() => {
  "use strict";
  const list = JSON.parse(document.getElementById("parts")?.textContent ?? "[]");
  const FRAME = ["frame.html", "worker.js"], LIBRARIES = ["numpy.zip", "pillow.zip"], ARCHIVES = ["page.zip"];
  const CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"];
  const PARSING_MS = 20;  // until it looks again whether the browser has read a part of the file
  const decode = (bytes) => new TextDecoder().decode(bytes);

  // The parts of a file stand below the scripts: one is complete once something follows it.
  async function findEmbedded(name) {
    for (;;) {
      const script = document.querySelector(`body > [data-part="${name}"]`);
      if (script?.nextSibling || document.readyState !== "loading") return script;
      await new Promise((resolve) => setTimeout(resolve, PARSING_MS));
    }
  }

  // A part that stands in the page as base64. It is read once: the page need not keep it after that.
  async function* readEmbedded(name) {
    const script = await findEmbedded(name), text = script.textContent;
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

  const find = (name) => list.find((part) => part.name === name);

  // A function that takes the bytes of the parts as they come, and tells how many there are so far.
  function createCounter(names, onProgress = () => {}) {
    const sum = names.reduce((bytes, name) => bytes + find(name).size, 0);
    let loaded = 0;
    return (bytes) => onProgress(loaded += bytes, sum);
  }

  async function load(names, onBytes) {
    const files = {};
    for (const name of names) {
      files[name] = await readPart(find(name), onBytes);
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
    return frame;
  }

  const buffersOf = (files) => Object.values(files).map((bytes) => bytes.buffer);

  // Python, in a frame of its own, which begins to start while its libraries are read:
  // `ask(request, onMessage)`, `stop(reason)` and `outdate(owner, patienceMs)`, as Workers has them.
  async function startPython(onProgress, options) {
    const first = [...FRAME, ...CORE], libraries = [...LIBRARIES, ...ARCHIVES];
    const onBytes = createCounter([...first, ...libraries], onProgress);
    const { "frame.html": html, "worker.js": source, ...files } = await load(first, onBytes);
    const frame = await openFrame(decode(html));
    const { port1: port, port2: framePort } = new MessageChannel(), pending = new Map();
    port.onmessage = ({ data: { id, message, result } }) => {
      if (result) pending.get(id).resolve(result);
      else pending.get(id).onMessage(message);
    };
    const boot = { files, libraries: LIBRARIES, archives: ARCHIVES, folder: "/page" };
    frame.contentWindow.postMessage({ source: decode(source), boot, options }, "*", [framePort, ...buffersOf(files)]);
    try {
      const rest = await load(libraries, onBytes);
      port.postMessage({ files: rest }, buffersOf(rest));
    } catch (error) {
      frame.remove();
      throw error;
    }
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
    const names = ["codemirror.mjs", "signatures.json"], parts = await load(names, createCounter(names, onProgress));
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
  return { total, python: memoize(startPython), editor: memoize(loadEditor) };
})();
