// Python in a worker: a classic one from a blob, as Chromium allows no module worker on file://. Everything comes from
// memory, and nothing is asked of a network. The one message to the worker itself is {boot}, with a port; through the port
// go {id, run} and {id, check}, answers with their id, and {warm}, before any of these. A script has no way to the port:
// only this function holds it, and what it calls was taken before any script ran.
(() => {
  "use strict";
  self.importScripts = () => { throw new Error("not here"); };  // Pyodide refuses classic workers by this function
  const MOST_CHARACTERS = 2_000_000, PAUSE_MS = 50;  // characters that a script may print past Python; milliseconds between two messages
  const { apply } = Reflect, { get: dataOf } = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data");
  let python, worker, send, current, pending = [], left = MOST_CHARACTERS, told = 0;
  const decoder = new TextDecoder();

  function tell() {
    if (pending.length) send({ id: current, printed: pending.join("") });
    pending = [];
    told = performance.now();
  }

  function printed(bytes) {
    const text = decoder.decode(bytes, { stream: true }).slice(0, left);
    left -= text.length;
    if (text) pending.push(text);
    if (performance.now() - told > PAUSE_MS) tell();
    return bytes.length;
  }

  async function boot({ files, module, libraries, archives, folder }) {
    const imported = (name) => import(URL.createObjectURL(new Blob([files[name]], { type: "text/javascript" })));
    const [{ loadPyodide }, core] = await Promise.all(["pyodide.mjs", "pyodide.asm.mjs"].map(imported));
    self.fetch = async (address) => {
      const name = String(address).split("/").pop();
      if (name.endsWith(".wasm")) return new Response("");  // the page has compiled it
      if (!(name in files)) throw new TypeError(`not in the page: ${name}`);
      return new Response(files[name]);
    };
    WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
    python = await loadPyodide({
      indexURL: "http://page/", createPyodideModule: core.default, lockFileContents: JSON.parse(new TextDecoder().decode(files["pyodide-lock.json"])),
    });
    python.setStdout({ write: printed });
    python.setStdin({ stdin: () => undefined });
    for (const name of libraries) python.unpackArchive(files[name], "zip", { extractDir: "/lib/python3.14/site-packages" });
    for (const name of archives) python.unpackArchive(files[name], "zip", { extractDir: folder });
    for (const name of Object.keys(files)) delete files[name];  // all are unpacked: tens of megabytes
    python.runPython(`import importlib, sys; sys.path.insert(0, "${folder}"); importlib.invalidate_caches()`);
    worker = python.pyimport("triton_workshop.page.inside.worker");
    worker.prepare();
  }

  const work = {
    run: ({ text, numbers = [], columns = 80 }) => {
      const ran = JSON.parse(worker.run_block(text, python.toPy(numbers), columns));
      tell();
      return { ...ran, pictures: pictures() };
    },
    check: ({ number, text }) => ({
      changed: JSON.parse(worker.check(number, text, (verdict) => send({ id: current, verdict: JSON.parse(verdict) }))),
    }),
  };

  // What `show_image` has left in the folder where the script ran, by name.
  function pictures(folder = "/tmp/page") {
    const names = python.FS.readdir(folder).filter((name) => name.endsWith(".png"));
    return Object.fromEntries(names.map((name) => [name, python.FS.readFile(`${folder}/${name}`)]));
  }

  // Before anything is asked: what a first check does only once.
  function warm(step) {
    if (current === undefined && worker.warm_up(step)) setTimeout(warm, 0, step + 1);
  }

  function answer(event) {
    const data = apply(dataOf, event, []);
    if (data.warm) return warm(0);
    [current, left] = [data.id, MOST_CHARACTERS];
    try {
      const kind = "run" in data ? "run" : "check";
      send({ id: data.id, done: work[kind](data[kind]) });
    } catch (error) {
      send({ id: data.id, failed: String(error?.message || error) });
    }
  }

  onmessage = async ({ data, ports: [port] }) => {
    onmessage = null;
    send = port.postMessage.bind(port);
    try {
      await boot(data.boot);
      port.onmessage = answer;
      send({ ready: true });
    } catch (error) {
      send({ failed: String(error?.message || error) });
    }
  };
})();
