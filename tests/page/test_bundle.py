"""What the page's parts are gathered into: one list of blobs, and the editor's modules as one."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from triton_workshop.page import archive, bundle, codemirror, parts
from triton_workshop.page.page import Page

pytestmark = pytest.mark.skipif(parts.cached_parts() is None, reason="the page's parts are not here")


def addresses() -> list[str]:
    """Each blob's address, which is its digest."""
    return [f"{blob.name}: {blob.address('')}" for blob in bundle.build_bundle().blobs]


def test_the_blobs_are_the_same_every_time() -> None:
    assert addresses() == addresses()


def test_making_them_is_told_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = list[tuple[str, int, int]]()
    monkeypatch.setattr(bundle, "_inputs_digest", lambda: "never-made")
    monkeypatch.setattr(bundle, "_store", lambda file, data: None)
    monkeypatch.setattr(bundle.gzip, "compress", lambda data, *_, **__: b"")
    bundle.build_bundle_file(advance=lambda *told: heard.append(told))
    done = [done for _, done, _ in heard]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == heard[-1][2] > 10_000_000


def test_a_file_has_its_scripts_before_its_parts() -> None:
    """A button works as soon as it is read, and the parts are most of the file."""
    text = Page("a page", "", "").standalone(bundle.build_bundle())
    assert text.rindex("<script>") < text.index('<script type="text/plain" data-part=')


def test_the_editors_modules_export_what_they_exported_before(tmp_path: Path) -> None:
    """node imports them both as npm has them and as the page has them."""
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    files = parts.ensure_parts()
    (tmp_path / "joined.mjs").write_bytes(codemirror.join_modules(files))
    for part in codemirror.modules():
        package = tmp_path / "node_modules" / codemirror.package_name(part)
        package.mkdir(parents=True)
        shutil.copy(files[part.name], package / "index.js")
        (package / "package.json").write_text('{"type": "module", "main": "index.js"}')
    names = json.dumps([codemirror.package_name(part) for part in codemirror.modules()])
    (tmp_path / "compare.mjs").write_text(
        'import all from "./joined.mjs";\n'
        "const shown = (module) => Object.keys(module).sort().map((name) => [name, typeof module[name]]);\n"
        f"for (const name of {names}) console.log(JSON.stringify([shown(all[name]), shown(await import(name))]));\n"
    )
    said = subprocess.run([node, tmp_path / "compare.mjs"], capture_output=True, text=True, check=True).stdout
    found = [json.loads(line) for line in said.splitlines()]
    assert len(found) == len(codemirror.modules())
    assert all(ours == theirs and ours for ours, theirs in found)


COMPILED = {
    "python_stdlib.zip": {"json/decoder.pyc", "os.pyc"},
    "page.zip": {"triton_workshop/__init__.pyc", "triton_simulator/__init__.pyc"},
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("name", COMPILED)
def test_python_goes_in_as_compiled_code(name: str) -> None:
    blob = next(blob for blob in bundle.build_bundle().blobs if blob.name == name)
    with zipfile.ZipFile(io.BytesIO(gzip.decompress(blob.data))) as read:
        assert COMPILED[name] <= set(read.namelist())


def test_what_keeps_python_from_being_compiled_is_said(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as written:
        written.writestr("one.py", "def (")
    with pytest.raises(archive.NotCompiledError, match="SyntaxError: invalid syntax"):
        archive.compile_archive(data.getvalue(), parts.ensure_parts()["pyodide.mjs"].parent, "/lib")


def test_the_blobs_leave_room_for_the_slides_in_a_file_of_18_megabytes() -> None:
    written = sum((len(blob.data) + 2) // 3 * 4 for blob in bundle.build_bundle().blobs)
    assert written < 14_200_000  # the slides of both decks and all else take less than 4.6 million of 18 · 2²⁰ bytes
