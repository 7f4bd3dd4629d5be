"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

import shutil
from pathlib import Path
from typing import Any

from ravenbench.ext.site.pages import site as write_site

NAMES = {"site"}
ESCAPES = {"diff": [("$questioned", "$other", "--out", "$out")], "site": [("$run", "-o", "$out")]}
OUTPUTS = {
    ("diff", "out"): (("$data/one.txt", "$data/two.txt"), ("one.txt", "two.txt", "toy"), True),
    ("site", "out"): (("$runs/run/run",), ("runs/run/run", "runs/run", "runs"), True),
}


def diffs(pages: Any) -> Path:
    pages("obfuscate")
    pages.raven(
        "diff", pages.toy() / "test", pages.place / "hidden", "--out", pages.place / "diffs"
    )
    return pages.place / "diffs" / "index.html"


def diff(pages: Any, *how: str) -> Path:
    before, after = (pages.place / f"{name}.txt" for name in ("before", "after"))
    before.write_text(
        "The boat was not large, but it was quick. We sailed it home before the rain came.\n" * 20
    )
    after.write_text(
        "The boat was n't big; still it was fast. We sailed home before it began to rain.\n" * 20
    )
    page: Path = pages.place / f"diff{len(how)}.html"
    pages.raven("diff", before, after, "--out", page, *how)
    return page


def columns(pages: Any) -> Path:
    return diff(pages, "--columns")


def site(pages: Any) -> Path:
    for kind in ("run", "evaluate"):
        pages(kind)
    small = [
        shutil.copytree(pages.job(kind), pages.place / "on-site" / kind)
        for kind in ("pan14", "safety")
    ]
    return write_site([pages.place / "run", *small, pages.place / "evaluate"], pages.place / "site")


def _in_site(pages: Any, pattern: str) -> Path:
    return next(p for p in sorted(pages("site").parent.glob(pattern)))


def board(pages: Any) -> Path:
    return _in_site(pages, "boards/run.html")


def system(pages: Any) -> Path:
    return _in_site(pages, "systems/char-ngram.html")


def fold(pages: Any) -> Path:
    return _in_site(pages, "boards/run/*.html")


PAGES = {
    "diff": diff,
    "columns": columns,
    "diffs": diffs,
    "site": site,
    "board": board,
    "system": system,
    "fold": fold,
}
