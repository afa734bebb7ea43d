"""Bytes of the one file by part, as Markdown.

Run it by `python -m benchmarks.page_bytes FILE`, for workshop.html.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PARTS = {
    "pictures and recorded outputs": r'data:image/[^"]*',
    "scripts of the page": r"<script>.*?</script>",
    "style": r"<style>.*?</style>",
    "licences": r'<details[^>]*id="licences".*?</details>',
}


def main() -> None:
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    size = len(text.encode())
    print("| part | bytes |\n| --- | ---: |")
    for name, written in re.findall(r'<script type="text/plain" data-part="([^"]*)">(.*?)</script>', text):
        print(f"| {name} | {len(written):,} |")
    text = re.sub(r'<script type="text/plain".*?</script>', "", text, flags=re.DOTALL)
    for name, pattern in PARTS.items():
        print(f"| {name} | {sum(len(each.encode()) for each in re.findall(pattern, text, re.DOTALL)):,} |")
        text = re.sub(pattern, "", text, flags=re.DOTALL)
    print(f"| slides, exercises and solutions as text | {len(text.encode()):,} |\n| the whole file | {size:,} |")


if __name__ == "__main__":
    main()
