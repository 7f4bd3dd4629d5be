"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

COLUMNS = {"unknown"}
NOT_ON_ITS_PAGE = {"unknown": {"answers"}}
TASKS = {
    "unknown": {
        "told": (
            "--unknown",
            "$data/questioned.txt",
            "--candidates",
            "$data/others",
            "--methods",
            "cosine-delta",
        ),
        "data": ("others", "questioned.txt"),
        "command": "attribute",
    }
}
ESCAPES = {
    "attribute": [
        (
            "--unknown",
            "$questioned",
            "--candidates",
            "$data/others",
            "--methods",
            "cosine-delta",
            "--workers",
            "1",
            "--out",
            "$out",
        ),
    ]
}
READING = {
    "attribute --unknown": (
        "attribute",
        "--unknown",
        "$questioned",
        "--candidates",
        "$corpus",
        "--plan",
    ),
}
READING_TABLES = {"attribute --unknown"}
READING_ATTRIBUTION = {
    "attribute --unknown": ("attribute", "--unknown", "$q", "--candidates", "$p", "--plan")
}
GOLDEN = {
    "unknown": (
        (
            "attribute",
            "--unknown",
            "questioned.txt",
            "--candidates",
            "others",
            "--methods",
            "cosine-delta",
            "--out",
            "run",
            "--workers",
            "1",
        ),
        ("report", "run", "--json"),
    ),
}


def unknown(pages: Any) -> Path:
    pages("people")
    pages.raven(
        "attribute",
        "--unknown",
        pages.place / "questioned.txt",
        "--candidates",
        pages.place / "authors",
        "--methods",
        "cosine-delta",
        "--out",
        pages.place / "unknown",
        "--workers",
        1,
    )
    return pages.report("unknown")


PAGES = {"unknown": unknown}
