// The page's Python without a browser: `node in_node.mjs PARTS` answers one JSON line with another.
// {"run": text, "numbers": []}, {"check": number, "text": …, "limit": s, "search": s} and {"look": number, "text": …,
// "wish": {}} do what a worker does;
// {"python": code} runs code, and answers with the value of its last expression.
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [parts] = process.argv.slice(2);
const started = performance.now();
const { loadPyodide } = await import(pathToFileURL(path.join(parts, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: parts + path.sep });
const printed = [];
python.setStdout({ write: (data) => (printed.push(Buffer.from(data)), data.length) });
python.setStdin({ stdin: () => undefined }); // nobody types anything
const bytes = (file) => new Uint8Array(fs.readFileSync(file));
const site = "/lib/python3.14/site-packages";
for (const [name, extractDir] of [["numpy.zip", site], ["pillow.zip", site], ["page.zip", "/page"], ["beside.zip", "/page"]]) {
  if (fs.existsSync(path.join(parts, name))) python.unpackArchive(bytes(path.join(parts, name)), "zip", { extractDir });
}
python.runPython("import importlib, sys; sys.path.insert(0, '/page'); importlib.invalidate_caches()");
const worker = python.pyimport("triton_workshop.page.inside.worker");
worker.prepare();

function answer(asked) {
  if ("python" in asked) return { value: python.runPython(asked.python) };
  const told = [];
  printed.length = 0;
  if ("run" in asked) {
    const ran = JSON.parse(worker.run_block(asked.run, python.toPy(asked.numbers ?? []), 80, asked.limit ?? 0));
    return { ...ran, printed: Buffer.concat(printed).toString(), heap: python._module.HEAPU8.length };
  }
  if ("look" in asked) return JSON.parse(worker.look(asked.look, asked.text, JSON.stringify(asked.wish ?? {})));
  const tell = (text) => void told.push(text);
  const changed = JSON.parse(worker.check(asked.check, asked.text, tell, asked.limit ?? 0, asked.search ?? 0));
  return { changed, verdicts: told.map((text) => JSON.parse(text)), heap: python._module.HEAPU8.length };
}

const say = (what) => process.stdout.write(JSON.stringify(what) + "\n");
say({ ready: true, seconds: (performance.now() - started) / 1000, heap: python._module.HEAPU8.length });
for await (const line of readline.createInterface({ input: process.stdin })) {
  const from = performance.now();
  try {
    const found = answer(JSON.parse(line));
    say({ seconds: (performance.now() - from) / 1000, ...found });
  } catch (error) {
    say({ error: String(error.message ?? error) });
  }
}
