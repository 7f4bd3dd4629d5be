"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES = {
    "corpus info": [("$data/corpus.jsonl",), ("$data/others",)],
    "corpus check": [
        ("$data/corpus.jsonl",),
        ("$data/others",),
        ("$data/pairs",),
        ("$questioned",),
    ],
    "corpus import": [("$data/corpus.jsonl", "-o", "$out")],
}
ESCAPES_NOTHING = {"corpus list", "corpus fetch"}
OUTPUTS = {
    ("corpus import", "out"): (("$data/corpus.jsonl",), ("corpus.jsonl", "others"), True),
}
OUTPUTS_NOTHING = {"corpus list", "corpus info", "corpus check", "corpus fetch"}
"""``fetch`` writes the cache."""
READING = {
    "corpus info": ("corpus", "info", "$corpus"),
    "corpus import": ("corpus", "import", "$corpus", "--out", "$out"),
}
