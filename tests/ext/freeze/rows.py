"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from functools import cache

from ext.freeze.manifests import FROZEN
from ravenbench.ext.freeze.manifests import thaw
from ravenbench.reading.load import load_corpus
from ravenbench.types import Corpus

NAMES = {"freeze", "thaw"}
ESCAPES = {
    "freeze": [("$data/corpus.jsonl", "-o", "$out.json")],
    "thaw": [("$frozen", "$data/changed.jsonl"), ("$frozen", "$data/corpus.jsonl", "-o", "$out")],
}
ESCAPES_REFUSED = {("thaw", 0)}
OUTPUTS = {
    ("freeze", "out"): (("$data/toy",), ("toy", "toy/test"), True),
    ("thaw", "out"): (("$data/toy.json", "$data/toy"), ("toy.json", "toy"), True),
}
READ_CORPORA = {"freeze", "thaw"}
GOLDEN = {
    "freeze": (
        (
            "run",
            "corpus.jsonl",
            "--topics",
            "4",
            "--folds",
            "2",
            "--pools",
            "1",
            "--samplers",
            "hits, random",
            "--docs-per-topic",
            "12",
            "--workers",
            "1",
            "--verifiers",
            "length, chance",
            "--probe",
            "none",
            "--out",
            "run",
        ),
        ("freeze", "run", "-o", "split.json", "--corpus", "corpus.jsonl"),
        ("thaw", "split.json", "corpus.jsonl", "-o", "thawed"),
        ("thaw", "split.json", "corpus.jsonl", "--json"),
    ),
}


@cache
def _corpus() -> Corpus:
    return load_corpus("synthetic(documents=24, authors=6, topics=3, words=20)")


MALFORMED = {"Manifests of frozen problems": FROZEN}
READERS = {"manifest": (lambda path: thaw(path, _corpus()).to_json(), "raven thaw, --frozen")}
