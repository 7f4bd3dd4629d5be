"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

from ravenbench.ext.contrast.spec import ContrastSpec

READ = "a\x1b]0;x\x07\x9b31mb"
"""A label with what a terminal would obey, as a reader of labels keeps it (``tests/cli/test_escapes.py``)."""
NAMES = {"TextContrast", "contrast"}
ESCAPES = {
    "contrast": [(f"{READ}a0000", f"{READ}a0001", "--corpus", "$data/corpus.jsonl", "-o", "$out")]
}
OUTPUTS = {
    ("contrast", "out"): (
        ("$data/known", "$data/others", "--text-slice-length", "5", "--resamples", "10"),
        ("known", "others", "toy"),
        True,
    ),
}
GOLDEN = {
    "contrast": (
        (
            "contrast",
            "f00a",
            "f00b",
            "--corpus",
            "synthetic(documents=40, authors=6, topics=3, words=150)",
            "--by",
            "topic",
            "--text-slice-length",
            "75",
            "--resamples",
            "50",
            "--out",
            "page",
        ),
    ),
}
SPECS = {"contrast": ContrastSpec}


def contrast(pages: Any) -> Path:
    pages.raven(
        "contrast",
        "f00a",
        "--corpus",
        "synthetic(documents=50, authors=8, topics=4, words=200)",
        "--by",
        "topic",
        "--text-slice-length",
        100,
        "--resamples",
        50,
        "--out",
        pages.place / "contrast",
    )
    return pages.place / "contrast" / "index.html"


PAGES = {"contrast": contrast}
PLANS = {"contrast"}
