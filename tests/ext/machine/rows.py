"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

import json
from pathlib import Path
from typing import Any

from ravenbench.ext.machine.pan_generated import read_generated

TOLD = (
    "$data/machine.jsonl", "--train", "$data/machine-train.jsonl", "--people", "$data/corpus.jsonl", "--detectors",
    "text-length", "--most", "12",
)  # fmt: skip
WORDS = {"paraphrase": "llm"}
NAMES = {"Detector", "detect"}
TASKS = {"detect": {"told": TOLD, "data": ("machine.jsonl", "machine-train.jsonl", "corpus.jsonl")}}
ESCAPES = {"detect": [(*TOLD, "--by", "topic", "--workers", "1", "--out", "$out")]}
READING = {
    "detect": ("detect", "$machine", "--train", "$training", "--people", "$corpus", "--detectors", "text-length",
               "--most", "12", "--plan"),
}  # fmt: skip
READING_TWICE = {
    "detect": (("detect", "$x", "--train", "$x", "--people", "synthetic", "--plan"),
               '{"id": "1", "text": "A.", "label": 0, "label": 1}'),
}  # fmt: skip
READING_FAULTS = {"detect": READING["detect"]}
COPIES = {
    "detect": (("detect", "$b.jsonl", "--train", "$a.jsonl", "--people", "$people.jsonl", "--detectors", "text-length",
                "--plan"), r"found: 16 of 16, 16 of them cut or changed a little", 2),
}  # fmt: skip
GOLDEN = {
    "detect": (
        ("detect", "machine.jsonl", "--train", "machine-train.jsonl", "--people", "corpus.jsonl", "--detectors",
         "text-length", "--most", "12", "--out", "run", "--workers", "1"),
    ),
}  # fmt: skip
READERS = {"generated": (read_generated, "raven detect")}


def detect(pages: Any) -> Path:
    from ravenbench.corpora.load import load_corpus

    documents = list(load_corpus("synthetic(authors=12, topics=3, documents=80, words=60)"))
    for name, part in (("learn", documents[:40]), ("ask", documents[40:])):
        lines = [{"id": d.id, "text": d.text, "label": i % 2, "genre": "<news>"} for i, d in enumerate(part)]
        (pages.place / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    pages.raven(
        "detect", pages.place / "ask.jsonl", "--train", pages.place / "learn.jsonl", "--detectors",
        "tfidf-svm, text-length", "--people", "synthetic(authors=5, documents=40, seed=4)", "--workers", 1,
        "--out", pages.place / "detect",
    )  # fmt: skip
    return pages.report("detect")


PAGES = {"detect": detect}
