"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

NAMES = {"generate_corpus"}
ESCAPES = {
    "corpus info": [("$data/corpus.jsonl",), ("$data/others",)],
    "corpus import": [("$data/corpus.jsonl", "-o", "$out")],
}
ESCAPES_NOTHING = {"corpus list", "corpus generate", "corpus fetch"}
OUTPUTS = {
    ("corpus import", "out"): (("$data/corpus.jsonl",), ("corpus.jsonl", "others"), True),
    ("corpus generate", "out"): (("synthetic(documents=40, authors=10, topics=4, words=20)",), ("toy",), True),
}
OUTPUTS_NOTHING = {"corpus list", "corpus info", "corpus fetch"}
"""``fetch`` writes the cache."""
READING = {
    "corpus info": ("corpus", "info", "$corpus"),
    "corpus import": ("corpus", "import", "$corpus", "--out", "$out"),
}
