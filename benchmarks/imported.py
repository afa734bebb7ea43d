"""Write the list of modules that the page's archives keep.

These are all that the deck's blocks, the checks of exercises and a few more modules import, in the page's Python in
node, from archives that are whole.

`uv run python -m benchmarks.imported`
"""

from __future__ import annotations

import argparse
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.in_node import PageInNode, page_in_node
from benchmarks.page_verdicts import scripts
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import live_code
from triton_workshop.page import bundle, parts
from triton_workshop.repository import ROOT

LEARNERS = (
    "bisect collections contextlib copy csv dataclasses datetime decimal enum fractions functools heapq inspect io "
    "itertools json math operator os pathlib pprint random re statistics string struct sys textwrap time timeit "
    "traceback types typing unittest warnings"
)
"""What else a learner's script may import of Python itself."""
NOTE = """
import sys
noted = set(sys.modules)
class Noted:
    @staticmethod
    def find_spec(name, path=None, target=None):
        noted.add(name)
sys.meta_path.insert(0, Noted)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=5, help="check only one script of so many")
    options = parser.parse_args()
    names = set[str]()
    with page_in_node(whole=True) as page:
        for request in requests(options.every):
            page.ask(python=NOTE)
            try:
                answer = page.ask(**request)
            except RuntimeError as error:
                print(f"{error}")
                continue
            if not answer.get("changed"):
                names |= noted(page)
    files = [f"{archive}/{file}" for archive, file in kept(names)]
    bundle.IMPORTED.write_text("\n".join(files) + "\n", encoding="utf-8")
    print(f"{len(files)} files, in {bundle.IMPORTED.relative_to(ROOT)}")


def requests(every: int) -> Iterator[dict[str, object]]:
    yield {"run": "\n".join(f"import {name}" for name in LEARNERS.split())}
    decks = (load_deck(ROOT / "slides" / name) for name in ("triton-workshop.md", "second-half.md"))
    for live in (live for deck in decks for live in live_code(deck)):
        if live.code.language == "python":
            yield {"run": live.code.source, "numbers": list(live.code.visible_numbers)}
    for case in [*scripts()][::every]:
        yield {"check": case.exercise.number, "text": case.text}


def noted(page: PageInNode) -> set[str]:
    found: list[str] = json.loads(
        page.ask(python="import json, sys; json.dumps(sorted(noted | {*sys.modules}))")["value"]
    )
    return {*found}


def kept(names: set[str]) -> Iterator[tuple[str, str]]:
    """The files of each archive that are, or hold, one of these modules."""
    for archive, contents in bundle.module_archives(parts.ensure_parts()):
        with zipfile.ZipFile(io.BytesIO(contents)) as whole:
            for file in sorted(whole.namelist()):
                if module(file) in names and not bundle.is_repository_file(archive, file):
                    yield archive, file


def module(file: str) -> str:
    """The module in a file of an archive: a package is its `__init__.py`; compiled code names its platform."""
    path = Path(file)
    name = path.name.partition(".")[0] if path.suffix in (".py", ".so") else path.name
    return ".".join(path.parts[:-1] if name == "__init__" else (*path.parts[:-1], name))


if __name__ == "__main__":
    main()
