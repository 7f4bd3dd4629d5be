"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

WORLD = "synthetic(style=0.5, documents=240, authors=40, topics=36, words=30)"
TOLD = (
    "--corpus", WORLD, "--doses", ".3", "--pools", "1", "--folds", "2", "--repetitions", "2", "--replicates", "2",
)  # fmt: skip
COLUMNS = {"simulate"}
NAMES = {"simulate"}
TASKS = {"simulate": {"told": TOLD, "data": ()}}
ESCAPES_NOTHING = {"simulate"}
GOLDEN = {"simulate": (("simulate", *TOLD, "--out", "run", "--workers", "1"),)}


def simulate(pages: Any) -> Path:
    return Path(pages.job("simulate")) / "report" / "index.html"


PAGES = {"simulate": simulate}
