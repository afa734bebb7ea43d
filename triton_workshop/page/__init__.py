"""A deck as a page for browsers, in which kernels run.

- `slides` and `page` write the HTML; `handout` makes one file or a site of it. The styles and scripts lie beside them.
- `parts` fetches the files of others that a page is made of, `archive` packs our own Python and Triton's, and `bundle`
  puts all of it into a page.
- `torch` stands in for PyTorch, over numpy, with an explicit list of names.
- `inside` runs in the tab, by Python compiled to WebAssembly (Pyodide): it runs a block and judges an exercise.
"""
