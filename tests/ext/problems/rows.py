"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES = {
    "problems": [("$data/corpus.jsonl", "--known", "1", "-o", "$out")],
    "sample": [("$data/corpus.jsonl", "--topics", "2")],
}
OUTPUTS = {
    ("problems", "out"): (
        ("$data/corpus.jsonl", "--known", "1", "--match", "none"),
        ("corpus.jsonl", "toy"),
        True,
    ),
}
OUTPUTS_NOTHING = {"sample"}
READING = {"problems": ("problems", "$corpus", "--match", "none", "--known", "1", "--out", "$out")}
