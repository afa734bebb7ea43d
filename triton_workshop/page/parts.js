// The parts of the page, from the page itself or from beside it, and the two things that they are for: Python, and the
// editor. The list in #parts has each part's name, its size in bytes as it is sent, and where its pieces are, if they are
// not in the page.
globalThis.Parts = (() => {
  "use strict";
  const list = JSON.parse(document.getElementById("parts")?.textContent ?? "[]");
  const APART = ["frame.html", "worker.js"], LIBRARIES = ["numpy.zip", "pillow.zip"], ARCHIVES = ["page.zip"];
  const CORE = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"];
  const text = (bytes) => new TextDecoder().decode(bytes);

  // The bytes that stand in the page as base64. They are read once: the page need not keep them after that.
  async function* inPage(name) {
    const place = document.querySelector(`script[data-part="${name}"]`), written = place.textContent;
    place.remove();
    yield Uint8Array.fromBase64?.(written) ?? Uint8Array.from(atob(written), (letter) => letter.charCodeAt(0));
  }

  async function* beside(addresses) {
    for (const address of addresses) {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(`${address} did not come: ${answer.status} ${answer.statusText}`);
      const reader = answer.body.getReader();
      for (let piece; !(piece = await reader.read()).done;) yield piece.value;
    }
  }

  async function one({ name, addresses }, tell) {
    const source = addresses ? beside(addresses) : inPage(name), first = await source.next();
    let next = first;
    const pull = async (controller) => {
      if (next.done) return controller.close();
      tell(next.value.length);
      controller.enqueue(next.value);
      next = await source.next();
    };
    const sent = new ReadableStream({ pull }), [one, other] = first.value;
    const plain = one === 0x1f && other === 0x8b ? sent.pipeThrough(new DecompressionStream("gzip")) : sent;  // some hosts unpack what ends in .gz
    return new Uint8Array(await new Response(plain).arrayBuffer());
  }

  async function load(names, onProgress = () => {}) {
    const wanted = names.map((name) => list.find((part) => part.name === name));
    const total = wanted.reduce((sum, { size }) => sum + size, 0), files = {};
    let soFar = 0;
    for (const part of wanted) {
      files[part.name] = await one(part, (bytes) => onProgress(soFar += bytes, total));
      await new Promise((next) => setTimeout(next));  // the page shows how far it is
    }
    return files;
  }

  // Python, in a frame apart: it has `ask(request, on)` and `stop(why)`, as Workers has.
  async function start(onProgress, options) {
    const { "frame.html": inside, "worker.js": source, ...files } = await load([...APART, ...CORE, ...LIBRARIES, ...ARCHIVES], onProgress);
    const frame = Object.assign(document.createElement("iframe"), { hidden: true, sandbox: "allow-scripts", srcdoc: text(inside) });
    await new Promise((ready) => {
      frame.onload = ready;
      document.body.append(frame);
    });
    const { port1: port, port2: its } = new MessageChannel(), asked = new Map();
    const boot = { files, libraries: LIBRARIES, archives: ARCHIVES, folder: "/page" };
    port.onmessage = ({ data: { id, heard, done } }) => (done ? asked.get(id).resolve(done) : asked.get(id).on(heard));
    frame.contentWindow.postMessage({ source: text(source), boot, options }, "*", [its, ...Object.values(files).map((bytes) => bytes.buffer)]);
    let next = 0;
    return {
      ask: (request, on = () => {}) => new Promise((resolve) => {
        asked.set(++next, { resolve, on });
        port.postMessage({ id: next, ask: request });
      }),
      stop: (why = "stopped") => port.postMessage({ stop: why }),
    };
  }

  // CodeMirror: its modules, by the names of npm's packages.
  async function open(onProgress) {
    const { "codemirror.mjs": module } = await load(["codemirror.mjs"], onProgress);
    return (await import(URL.createObjectURL(new Blob([module], { type: "text/javascript" })))).default;
  }

  // Each is made once; after a failure, the next who asks tries it again.
  function once(make) {
    let made;
    return (...words) => (made ??= make(...words).catch((error) => {
      made = undefined;
      throw error;
    }));
  }
  const total = list.reduce((sum, { size }) => sum + size, 0);
  return { total, load, python: once(start), editor: once(open) };
})();
