"""The posts of docs/sweeps.md as Parquet: ``python -m benchmarks.study_sweep_posts posts.parquet``

Those of 20 Newsgroups (``SCIKIT_LEARN_DATA``) whose authors wrote eight or more, with their topics.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from ravenbench import load_corpus
from ravenbench.topics.levels import at_level, keep_topics


def write(place: Path) -> int:
    """Write the posts; their number."""
    corpus = load_corpus("newsgroups")
    given = corpus.notes["defaults"]
    corpus = keep_topics(
        at_level(corpus, given["topic"], given["levels"])[0], given.get("min_docs")
    )
    assert corpus.topic is not None
    topics = corpus.topic
    posts = pl.DataFrame(
        {
            "text": list(corpus.texts),
            "author": [corpus.author.names[code] for code in corpus.author.codes],
            "topic": [topics.names[code] if code >= 0 else None for code in topics.codes],
        }
    )
    posts = posts.filter(pl.len().over("author") >= 8).drop_nulls("topic")
    posts.write_parquet(place)
    return len(posts)


if __name__ == "__main__":
    print(write(Path(sys.argv[1])), "posts")
