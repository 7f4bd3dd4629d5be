"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

import json
from pathlib import Path
from typing import Any

NAMES = {"detect_changes"}
ESCAPES = {"changes": [("$data/changes", "--train", "$data/changes", "--allow-shared", "-o", "$out")]}
OUTPUTS = {
    ("changes", "out"): (
        ("$data/authors", "--train", "$data/authors", "--year", "2022", "--allow-shared"),
        ("authors", "toy"),
        True,
    ),
}
READING = {"changes": ("changes", "$changes", "--background", "$corpus", "--plan")}
READING_FAULTS = READING
COPIES = {
    "changes": (("changes", "$changes-b", "--train", "$changes-a", "--plan"), r"found: 1 of 1 \(problem-1\)", 2),
}
PLANS = {"changes"}
GOLDEN = {
    "changes": (
        ("changes", "changed/test", "--train", "changed/train", "--plan"),
        ("changes", "changed/test", "--train", "changed/train", "--out", "page"),
    ),
}


def changes(pages: Any) -> Path:
    habits = ("Moreover, {} was whilst upon the matter; however {} remained.", "Well {} is gonna be ok, and {} too!")
    for part, count in (("train", 6), ("test", 3)):
        folder = pages.place / "changes-of" / part
        folder.mkdir(parents=True)
        for n in range(count):
            lines = [habits[(n + k // 2) % 2].format(f"{part}ing{n}{k}", f"{part}er{k}{n}") for k in range(4)]
            (folder / f"problem-{n}.txt").write_text("\n".join(lines), "utf-8")
            (folder / f"truth-problem-{n}.json").write_text(json.dumps({"authors": 2, "changes": [0, 1, 0]}), "utf-8")
    both = (pages.place / "changes-of" / "test", "--train", pages.place / "changes-of" / "train")
    pages.raven("changes", *both, "--out", pages.place / "changes")
    return Path(pages.place / "changes" / "index.html")


PAGES = {"changes": changes}
