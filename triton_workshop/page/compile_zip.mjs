// `node compile_zip.mjs PARTS IN OUT FOLDER …`: has Pyodide run compile_zip.py, where there is no other Python 3.14.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [parts, before, after, ...rest] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(parts, "pyodide.mjs")));
const python = await loadPyodide({ indexURL: parts + path.sep });
python.FS.writeFile("/before.zip", fs.readFileSync(before));
python.globals.set("words", python.toPy(["compile_zip.py", "/before.zip", "/after.zip", ...rest]));
python.runPython("import sys; sys.argv[:] = words");
python.runPython(fs.readFileSync(path.join(import.meta.dirname, "compile_zip.py"), "utf8"));
fs.writeFileSync(after, python.FS.readFile("/after.zip"));
