"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

from ravenbench.ext.retrieval.reading import pool_at

NAMES = {"Retriever", "retrieve"}
TASKS = {
    "retrieve": {
        "told": (
            "$data/corpus.jsonl",
            "--methods",
            "char-ngrams(size=300), delta",
            "--queries",
            "12",
        ),
        "data": ("corpus.jsonl",),
    }
}
ESCAPES = {
    "retrieve": [
        (
            "$data/corpus.jsonl",
            "--methods",
            "words",
            "--queries",
            "12",
            "--workers",
            "1",
            "--out",
            "$out",
        )
    ]
}
READING = {
    "retrieve": (
        "retrieve",
        "$corpus",
        "--topic",
        "none",
        "--methods",
        "words",
        "--queries",
        "4",
        "--plan",
    )
}
READING_TABLES = {"retrieve"}
READING_ATTRIBUTION = {"retrieve": ("retrieve", "$p", "--methods", "words", "--plan")}
GOLDEN = {
    "retrieve": (
        (
            "retrieve",
            "synthetic(documents=150, authors=30, topics=6, words=50)",
            "--methods",
            "char-ngrams, words",
            "--k",
            "1,4",
            "--train",
            "corpus.jsonl",
            "--rerank",
            "length",
            "--first",
            "3",
            "--out",
            "run",
            "--workers",
            "1",
        ),
    ),
}
READERS = {"retrieval": (pool_at, "raven retrieve")}
COMPONENTS = {"retriever": ["char-ngrams(n=3, size=100)", "words", "same('topic')"]}


def retrieve(pages: Any) -> Path:
    corpus = "synthetic(documents=160, authors=30, topics=8, words=60)"
    pages.raven(
        "retrieve", corpus, "--workers", 1, "--queries", 20, "--out", pages.place / "retrieve"
    )
    return pages.report("retrieve")


PAGES = {"retrieve": retrieve}
