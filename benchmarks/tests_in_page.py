"""Run the simulator's own tests in the page's Python, in node.

The command is `uv run python -m benchmarks.tests_in_page [FILE …]`.

What fails is printed with its reason; a page has no processes, no threads, no compiled Triton, and PyTorch's names are
those of `page/torch`.
"""

from __future__ import annotations

import argparse
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from benchmarks.in_node import PageEndedError, page_in_node
from triton_workshop.repository import ROOT

LIBRARIES = ("_pytest", "py", "pytest", "pluggy", "iniconfig", "packaging", "pygments")
TESTS = "simulator/tests"
RUN = """
import json, os, sys, pytest
class Noted:
    def __init__(self): self.found = []
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.note(report)
    def pytest_collectreport(self, report):
        if report.outcome != "passed":
            self.note(report)
    def note(self, report):
        crash = getattr(report.longrepr, "reprcrash", None)
        text = crash.message if crash else str(report.longrepr)
        said = [line for line in text.splitlines() if line.strip()]
        self.found.append([report.nodeid, report.outcome, said[0] if crash and said else said[-1] if said else ""])
noted = Noted()
import triton_simulator as simulator
simulator.uninstall()  # as they begin without it
os.chdir("/page")
with open("/tmp/said", "w") as sys.stdout:
    pytest.main([FILE, "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:debugging",
                 "--capture=sys", "--rootdir=/page", "-c", "/dev/null"], plugins=[noted])
sys.stdout = sys.__stdout__
json.dumps(noted.found)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="by default all")
    files = parser.parse_args().files or [file.name for file in sorted((ROOT / TESTS).glob("test_*.py"))]
    total = Counter[str]()
    with page_in_node(whole=True, beside=packed()) as page:
        for file in files:
            page.close()  # tests change what a process has
            try:
                found = json.loads(page.ask(python=RUN.replace("FILE", repr(f"{TESTS}/{file}")))["value"])
            except (PageEndedError, RuntimeError) as error:
                found = [[file, "ended", str(error).strip().splitlines()[-1][:200]]]
            counts = Counter(outcome for _, outcome, _ in found)
            total += counts
            print(f"{file}: {dict(counts)}", flush=True)
            for name, outcome, reason in found:
                if outcome != "passed":
                    print(f"    {outcome} {name.partition('::')[2]}: {reason[:160]}", flush=True)
    print(dict(total))


def packed() -> bytes:
    """The tests, and pytest with what it imports."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for file, name in contents():
            new.write(file, name)
    return made.getvalue()


def contents() -> Iterator[tuple[Path, str]]:
    for name in LIBRARIES:
        spec = find_spec(name)
        assert spec is not None, name
        assert spec.origin is not None, name
        if not spec.submodule_search_locations:
            yield Path(spec.origin), f"{name}.py"
            continue
        package = Path(spec.origin).parent
        yield from ((file, f"{name}/{file.relative_to(package)}") for file in package.rglob("*.py"))
    for file in (ROOT / TESTS).rglob("*.py"):
        yield file, file.relative_to(ROOT).as_posix()
    yield ROOT / "tests" / "__init__.py", "tests/__init__.py"


if __name__ == "__main__":
    main()
