"""Kernels in a browser's tab, by Python compiled to WebAssembly (Pyodide): what runs there, and what gathers its parts.

- `parts` has the files of others that a page is made of, `archive` our own Python and Triton's, packed by a list.
- `torch` stands in for PyTorch, over numpy, with an explicit list of names.
- `inside` runs in the tab: it gets Python ready, runs a block, and judges an exercise, all in one process.
"""
