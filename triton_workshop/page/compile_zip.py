"""Compiles a zip's modules for this Python.

`python compile_zip.py IN OUT FOLDER OPTIMIZE [PREFIX …]` stands alone: CPython 3.14 runs it, or Pyodide. The modules
will lie in FOLDER. Those whose names begin with a PREFIX keep their text beside what is compiled. OPTIMIZE is 0, or 2
to leave out docstrings and assertions.
"""

import importlib.util
import marshal
import sys
import zipfile
from pathlib import PurePosixPath

UNCHECKED = (1).to_bytes(4, "little")  # a hash of the source follows, which nobody compares (PEP 552)


def compile_module(text: bytes, path: str, optimize: int) -> bytes:
    """Return the content of a .pyc file."""
    code = compile(text, path, "exec", dont_inherit=True, optimize=optimize)
    return importlib.util.MAGIC_NUMBER + UNCHECKED + importlib.util.source_hash(text) + marshal.dumps(code)


def main(source: str, target: str, folder: str, optimize: str, *prefixes: str) -> None:
    """Compile the modules of one zip into another one."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            file, text = PurePosixPath(name), old.read(name)
            if file.suffix != ".py" or name.endswith("/"):
                new.writestr(name, text)
                continue
            pyc = compile_module(text, f"{folder}/{name}", int(optimize))
            if name.startswith(prefixes):
                new.writestr(name, text)
                new.writestr(str(file.parent / "__pycache__" / f"{file.stem}.cpython-314.pyc"), pyc)
            else:
                new.writestr(str(file.with_suffix(".pyc")), pyc)


if __name__ == "__main__":
    main(*sys.argv[1:])
