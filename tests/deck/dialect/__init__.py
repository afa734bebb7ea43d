"""presenterm's dialect as a table of cases, a section a file, in the order of the dialect's own description.

Each case was seen in presenterm: what it answered is recorded in presenterm.jsonl beside this folder, and compared with
ours by tests/test_beside_presenterm.py. After a change here, run tests/record_presenterm.py to update the recording.
"""

from .case import Case, Cases
from .code_blocks import CODE_BLOCKS
from .columns import COLUMNS
from .comments import COMMENTS
from .front_matter import FRONT_MATTER
from .images import IMAGES
from .markdown import MARKDOWN
from .theme import THEME

TABLE: Cases = COMMENTS | COLUMNS | MARKDOWN | IMAGES | CODE_BLOCKS | FRONT_MATTER | THEME
CASES: dict[str, Case] = {f"{subject}: {case.claim}": case for subject, cases in TABLE.items() for case in cases}
