"""A deck as a page for browsers, in which kernels run.

- `slides` and `page` write the HTML; `handout` makes one file or a site of it. The styles and scripts lie beside them.
- `parts` fetches the files of others that a page is made of, `archive` packs our own Python and Triton's, and `bundle`
  puts all of it into a page.
- `torch` stands in for PyTorch, over numpy, with an explicit list of names.
- `inside` runs in the tab, by Python compiled to WebAssembly (Pyodide): it runs a block and judges an exercise. How
  Python differs there is in `inside/python.py`.

The scripts are classic ones, as a file on a disk can import no modules: each has one global name, a header that says
what it offers, and its place in `assets`.

- `course.js` leads through the slides by the steps in `course.toml`; `predict.js` has the answers to its questions.
- `exercises.js` lists the exercises, and opens one in `workspace.js`; `scratch.js` has scripts of the reader's own.
- `editor.js` is the editor, also of a slide's blocks (`blocks.js`), with CodeMirror's default keys; `completion.js`
  completes in it what `signatures` reads in docstrings.
- `runs.js` runs blocks and scratch pads, `values.js` looks inside them, and `links.js` puts a text into a link.
- `frame.js` has the workers in a sandboxed frame without an origin; `workers.js` and `worker.js` run Python there.
"""
