"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

from ravenbench.ext.map.spec import MapSpec

NAMES = {"TextMap", "map_texts"}
SPEAK_OF_PYTHON = {"map_texts"}
ESCAPES = {
    "map": [
        (
            "$data/corpus.jsonl",
            "--mfw-min",
            "20",
            "--mfw-max",
            "20",
            "--resamples",
            "5",
            "--analysis-type",
            "CA, network",
            "-o",
            "$out",
        )
    ]
}
OUTPUTS = {
    ("map", "out"): (
        (
            "$data/corpus.jsonl",
            "--mfw-min",
            "20",
            "--mfw-max",
            "20",
            "--resamples",
            "0",
            "--analysis-type",
            "MDS",
        ),
        ("corpus.jsonl", "toy"),
        True,
    ),
}
READING = {
    "map": (
        "map",
        "$corpus",
        "--mfw-min",
        "10",
        "--mfw-max",
        "10",
        "--resamples",
        "0",
        "--analysis-type",
        "MDS",
        "--out",
        "$out",
    ),
}
READING_TABLES = {"map"}
READING_FAULTS = READING
GOLDEN = {
    "map": (
        (
            "map",
            "synthetic(documents=30, authors=4, topics=3, words=150)",
            "--mfw-min",
            "50",
            "--mfw-max",
            "50",
            "--resamples",
            "5",
            "--analysis-type",
            "all",
            "--out",
            "page",
        ),
    ),
}
SPECS = {"map": MapSpec}


def text_map(pages: Any) -> Path:
    pages.raven(
        "map",
        "synthetic(documents=50, authors=5, topics=4, words=200)",
        "--mfw-min",
        50,
        "--mfw-max",
        50,
        "--resamples",
        5,
        "--analysis-type",
        "CA, MDS",
        "--out",
        pages.place / "map",
    )
    return pages.place / "map" / "index.html"


PAGES = {"map": text_map}
PLANS = {"map"}
