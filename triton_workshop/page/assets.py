"""The page's styles and scripts, which browsers get as they are."""

from pathlib import Path

SCRIPTS = ("page.js", "store.js", "predict.js")
"""The scripts of a page, in their order."""
EDITOR_SCRIPTS = ("parts.js", "loading.js", "notes.js", "completion.js", "editor.js")
BLOCK_SCRIPTS = ("transcript.js", "runs.js", "look.js", "values.js", "blocks.js")
EXERCISE_SCRIPTS = (
    "course.js",
    "verdict.js",
    "task.js",
    "glance.js",
    "diff.js",
    "demo.js",
    "links.js",
    "scratch.js",
    "workspace.js",
    "exercises.js",
)
LIVE_SCRIPTS = (*SCRIPTS, *EDITOR_SCRIPTS, *BLOCK_SCRIPTS, *EXERCISE_SCRIPTS)
"""The scripts of a page in which kernels run: each uses those before it."""
STYLES = ("page.css", "exercises.css")
"""The style of a page: these files, one after another."""


FOLDER = Path(__file__).parent


def asset(name: str, folder: Path = FOLDER) -> str:
    """Text of a file of the page, or of this folder."""
    return (folder / name).read_text(encoding="utf-8")
