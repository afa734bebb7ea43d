"""The page's Python in node, from the parts in the cache or in the folder of `--parts`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from benchmarks.in_node import PageInNode, page_in_node
from triton_workshop.browser import parts


@pytest.fixture(scope="session")
def page() -> Iterator[PageInNode]:
    """A page that answers. Skips where its parts or node are missing, unless WORKSHOP_NEEDS_PAGE is set, as in CI."""
    missing = []
    if shutil.which("node") is None:
        missing.append("node is not installed")
    if parts.here() is None:
        missing.append("the page's parts are not here: `uv run python -m triton_workshop.browser.parts` fetches them")
    if missing and "WORKSHOP_NEEDS_PAGE" not in os.environ:
        pytest.skip(" and ".join(missing))
    assert not missing, missing
    with page_in_node() as found:
        yield found
