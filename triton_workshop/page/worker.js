// Python in a worker: a classic one from a blob, as Chromium allows no module worker on file://. Everything comes from
// memory, and nothing is asked of a network.
//
// The two messages to the worker itself are {boot}, with a port, which answers {ready} or {failed}, and {files}, the
// libraries, which may come while Python itself starts. After that, requests
// {id, run}, {id, check}, {id, demo} and {id, look} come through the port; replies are {id, printed}, {id, verdict},
// {id, passed} after each case, and at the end {id, result} or {id, failed}. Before any request, {warm} may come, and
// while one is at work, {outdated}, the id of a request whose result nobody wants any more.
//
// A script has no way to the port: only this function holds it, and what it calls was taken before any script ran.
(() => {
  "use strict";
  const LOCAL_HEADER = 0x04034b50;  // with which each file of a zip begins
  const MAX_CHARACTERS = 2_000_000;  // of a request, also past what Python counts
  const FLUSH_INTERVAL_MS = 50;
  const SITE_PACKAGES = "/lib/python3.14/site-packages", PICTURE_FOLDER = "/tmp/page";
  const { apply, ownKeys } = Reflect, { prototype } = Object, keyCount = ownKeys(prototype).length;
  const { get: getData } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data");
  const decoder = new TextDecoder();
  const { Promise } = self, { postMessage } = MessagePort.prototype;
  const pauses = new MessageChannel(), canPause = Boolean(WebAssembly.Suspending);
  const wake = postMessage.bind(pauses.port2, "");
  let python, worker, send, requestId, outdatedId, endPause;
  let output = [], remainingCharacters = MAX_CHARACTERS, flushTime = 0;

  self.importScripts = () => { throw new Error("not here"); };  // Pyodide refuses classic workers by this function

  function flush() {
    if (output.length) send({ id: requestId, printed: output.join("") });
    output = [];
    flushTime = performance.now();
  }

  // One message for each write would be slow in a loop that prints.
  function write(bytes) {
    const text = decoder.decode(bytes, { stream: true }).slice(0, remainingCharacters);
    remainingCharacters -= text.length;
    if (text) output.push(text);
    if (performance.now() - flushTime > FLUSH_INTERVAL_MS) flush();
    return bytes.length;
  }

  const importFile = (bytes) => import(URL.createObjectURL(new Blob([bytes], { type: "text/javascript" })));

  // Pyodide fetches its files, and compiles its WebAssembly: it gets what the page has sent.
  function serveFromMemory(files, module) {
    self.fetch = async (address) => {
      const name = String(address).split("/").pop();
      if (name.endsWith(".wasm")) return new Response("");  // the frame has compiled it
      if (!(name in files)) throw new TypeError(`not in the page: ${name}`);
      return new Response(files[name]);
    };
    WebAssembly.instantiateStreaming = async (_, imports) => (
      { module, instance: await WebAssembly.instantiate(module, imports) }
    );
  }

  // Unpacks a zip, whose files are all stored as they are; Python itself takes four times as long for it.
  function unpack(bytes, folder) {
    const view = new DataView(bytes.buffer), folders = new Set();
    let start = 0;
    while (view.getUint32(start, true) === LOCAL_HEADER) {
      const size = view.getUint32(start + 18, true), nameStart = start + 30;
      const nameEnd = nameStart + view.getUint16(start + 26, true);
      const fileStart = nameEnd + view.getUint16(start + 28, true);
      const path = `${folder}/${decoder.decode(bytes.subarray(nameStart, nameEnd))}`;
      const parent = path.slice(0, path.lastIndexOf("/"));
      if (!folders.has(parent)) python.FS.mkdirTree(parent);
      folders.add(parent);
      start = fileStart + size;
      python.FS.writeFile(path, bytes.subarray(fileStart, start), { canOwn: true });
    }
  }

  async function boot({ files, module, libraries, archives, folder }, provided) {
    const scripts = ["pyodide.mjs", "pyodide.asm.mjs"].map((name) => importFile(files[name]));
    const [{ loadPyodide }, core] = await Promise.all(scripts);
    serveFromMemory(files, module);
    python = await loadPyodide({
      indexURL: "http://page/",
      createPyodideModule: core.default,
      lockFileContents: JSON.parse(new TextDecoder().decode(files["pyodide-lock.json"])),
    });
    python.setStdout({ write });
    python.setStdin({ stdin: () => undefined });
    for (const name of Object.keys(files)) delete files[name];  // tens of megabytes
    const archive = await provided;
    for (const name of libraries) unpack(archive[name], SITE_PACKAGES);
    for (const name of archives) unpack(archive[name], folder);
    python.runPython(`import importlib, sys; sys.path.insert(0, "${folder}"); importlib.invalidate_caches()`);
    worker = python.pyimport("triton_workshop.page.inside.worker");
    worker.prepare();
  }

  // The files that `show_image` has written, by name.
  function readPictures() {
    const names = python.FS.readdir(PICTURE_FOLDER).filter((name) => name.endsWith(".png"));
    return Object.fromEntries(names.map((name) => [name, python.FS.readFile(`${PICTURE_FOLDER}/${name}`)]));
  }

  function run({ text, numbers = [], columns = 80 }) {
    const result = JSON.parse(worker.run_block(text, python.toPy(numbers), columns));
    flush();
    return { ...result, pictures: readPictures() };
  }

  // Python waits for this now and then, so that messages are heard meanwhile.
  pauses.port1.onmessage = () => endPause(outdatedId === requestId);
  function pause() {
    return new Promise((resolve) => {
      endPause = resolve;
      wake();
    });
  }

  // Where WebAssembly can be suspended, Python can wait; elsewhere it never pauses. Nor does it once a script has
  // replaced what Pyodide needs to wake up.
  const call = (name, ...parameters) => (
    canPause && MessagePort.prototype.postMessage === postMessage
      ? worker[name].callPromising(...parameters) : worker[name](...parameters)
  );

  async function check({ number, text }) {
    const onVerdict = (verdict) => send({ id: requestId, verdict: JSON.parse(verdict) });
    const onCase = (passed) => send({ id: requestId, passed });
    return { changed: JSON.parse(await call("check", number, text, onVerdict, 0, 0, pause, onCase)) };
  }

  async function demo({ number, text, photo }) {
    return JSON.parse(await call("demo", number, text, photo && python.toPy(photo), pause));
  }

  async function look({ number, text, wish }) {
    return JSON.parse(await call("look", number, text, JSON.stringify(wish), pause));
  }

  // Does what a first check does only once, step by step, so that a request need not wait for all of it.
  function warmUp(step) {
    if (requestId === undefined && worker.warm_up(step)) setTimeout(warmUp, 0, step + 1);
  }

  async function onRequest(event) {
    const request = apply(getData, event, []);  // a script may have replaced `event.data`
    if (request.warm) return warmUp(0);
    if (request.outdated) outdatedId = request.outdated;
    if (request.outdated) return;
    [requestId, remainingCharacters] = [request.id, MAX_CHARACTERS];
    try {
      const actions = { run, check, demo, look }, name = Object.keys(actions).find((action) => request[action]);
      const { changed = [], ...result } = await actions[name](request[name]);
      if (ownKeys(prototype).length > keyCount) changed.push("Object.prototype");  // all of its objects are others now
      send({ id: request.id, result: { ...result, changed, outdated: outdatedId === request.id } });
    } catch (error) {
      send({ id: request.id, failed: String(error?.message || error) });
    }
  }

  onmessage = async ({ data, ports: [port] }) => {
    const provided = new Promise((resolve) => {
      onmessage = (event) => {
        onmessage = null;
        resolve(event.data.files);
      };
    });
    send = port.postMessage.bind(port);
    try {
      await boot(data.boot, provided);
      port.onmessage = onRequest;
      send({ ready: true });
    } catch (error) {
      send({ failed: String(error?.message || error) });
    }
  };
})();
