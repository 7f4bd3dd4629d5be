"""What a run is asked for where any small one will do."""

SMALL = {
    "corpus": "synthetic(authors=40, topics=8, documents=240, words=60)",
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "hits, random",
    "docs_per_topic": 30,
    "probe": "none",
}
