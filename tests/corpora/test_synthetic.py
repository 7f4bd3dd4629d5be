"""The synthetic corpus: the same bytes always, and dials that do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from itertools import combinations, islice

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

from ravenbench.corpora.synthetic import FUNCTION_WORDS, HABITS, Synthetic
from ravenbench.errors import SpecError
from ravenbench.testing import check_component, check_corpus
from ravenbench.types import Corpus

STYLE_WORDS = sorted({str(w) for w in FUNCTION_WORDS} | {w for pair in HABITS for w in pair})
SIBLINGS = range(1, 60, 3)
"""Training topics of every family, while tests use the first of each."""


def matched(corpus: Corpus, topics: range, seed: int = 0) -> np.ndarray:
    """Rows (known, questioned, same): different-author pairs from the topic cells of same-author ones, 1 : 1."""
    rng = np.random.default_rng(seed)
    by_author, by_topic = defaultdict(list), defaultdict(list)
    for row in np.flatnonzero(np.isin(corpus.topic.codes, topics)):
        by_author[corpus.author.codes[row]].append(row)
        by_topic[corpus.topic.codes[row]].append(row)
    pairs = []
    for rows in by_author.values():
        choices = list(combinations(rows, 2))
        for at in rng.permutation(len(choices))[:6]:
            x, y = choices[at]
            while True:
                u, v = (
                    rng.choice(by_topic[corpus.topic.codes[x]]),
                    rng.choice(by_topic[corpus.topic.codes[y]]),
                )
                if corpus.author.codes[u] != corpus.author.codes[v]:
                    break
            pairs += [(x, y, 1), (u, v, 0)]
    return np.array(pairs)


def auc(corpus: Corpus, vectorizer: TfidfVectorizer, train: range, test: range) -> float:
    pairs = matched(corpus, test)
    vectorizer.fit(corpus.texts.rows(np.flatnonzero(np.isin(corpus.topic.codes, train))))
    rows, place = np.unique(pairs[:, :2], return_inverse=True)
    vectors = vectorizer.transform(corpus.texts.rows(rows))
    left, right = place.reshape(-1, 2).T
    cosine = np.asarray(vectors[left].multiply(vectors[right]).sum(axis=1)).ravel()
    return float(roc_auc_score(pairs[:, 2], cosine))


def style() -> TfidfVectorizer:
    return TfidfVectorizer(vocabulary=STYLE_WORDS)


def punctuation() -> TfidfVectorizer:
    return TfidfVectorizer(analyzer="char", vocabulary=list(".,;:!?-"))


def content() -> TfidfVectorizer:
    return TfidfVectorizer(stop_words=STYLE_WORDS, max_features=3000)


@pytest.fixture(scope="module")
def default() -> Corpus:
    return Synthetic().load()


def test_contract(default: Corpus) -> None:
    check_component("corpus", Synthetic(style=0.5))
    check_corpus(default)
    assert (
        len(default) == 3000
        and len(default.topic.names) == 60
        and len(default.columns["family"].names) == 20
    )
    assert set(default.topic.counts()) == {50}
    assert default.notes["defaults"]["topic"] == "topic"


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    made = "Synthetic(documents=60, authors=9)"
    code = f"from ravenbench.corpora.synthetic import Synthetic; print({made}.load().digest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": h},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for h in ("1", "2")
    }
    assert digests == {Synthetic(documents=60, authors=9).load().digest()}


def test_a_prefix_is_a_smaller_corpus(default: Corpus) -> None:
    assert [d.text for d in islice(Synthetic(documents=9).stream(), 5)] == default.texts.rows(
        range(5)
    )
    assert Synthetic(documents=5, seed=1).load().texts[0] != default.texts[0]


def test_at_the_defaults_style_and_related_topics_show(default: Corpus) -> None:
    test = range(0, 60, 3)
    chars = TfidfVectorizer(analyzer="char", ngram_range=(4, 4), max_features=3000)
    for vectorizer, least in (
        (style(), 0.65),
        (punctuation(), 0.6),
        (content(), 0.57),
        (chars, 0.65),
    ):
        assert least < auc(default, vectorizer, SIBLINGS, test) < 0.95


def test_content_words_help_only_where_training_topics_are_related(default: Corpus) -> None:
    related = auc(default, content(), range(30), range(0, 30, 3))
    unrelated = auc(default, content(), range(30), range(30, 60, 3))
    assert related > 0.65 and abs(unrelated - 0.5) < 0.06


def test_without_style_a_style_scorer_is_at_chance() -> None:
    corpus = Synthetic(style=0).load()
    for vectorizer in (style(), punctuation()):
        assert abs(auc(corpus, vectorizer, SIBLINGS, range(0, 60, 3)) - 0.5) < 0.05


def test_without_topics_a_content_scorer_is_at_chance() -> None:
    corpus = Synthetic(topic=0).load()
    assert abs(auc(corpus, content(), SIBLINGS, range(0, 60, 3)) - 0.5) < 0.05


@pytest.mark.parametrize(("share", "low", "high"), [(0.0, 0.0, 0.05), (1.0, 0.95, 1.0)])
def test_families_share_words(share: float, low: float, high: float) -> None:
    corpus = Synthetic(documents=60, topics=3, authors=5, families=share).load()
    words: list[set[str]] = [set(), set()]
    general = set(
        " ".join(Synthetic(documents=300, topics=3, authors=5, topic=0).load().texts)
        .lower()
        .split()
    )
    for document in corpus:
        if document.topic in ("f00a", "f00b"):
            words[document.topic == "f00b"] |= {
                w.strip(".,;:!?") for w in document.text.lower().split()
            }
    a, b = (w - {g.strip(".,;:!?") for g in general} for w in words)
    assert low <= len(a & b) / min(len(a), len(b)) <= high


def test_dependence_keeps_authors_at_home() -> None:
    at_home = Synthetic(documents=300, authors=30, topics=6, dependence=1.0, words=20).load()
    families = {(a, f) for a, f in zip(at_home.author, at_home.columns["family"], strict=True)}
    assert len(families) == len({a for a, _ in families})


@pytest.mark.parametrize(
    "wrong",
    [{"words": 5}, {"families": 1.5}, {"style": -1}, {"topics": 0}, {"style": float("nan")}],
)
def test_dials_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(SpecError, match=next(iter(wrong))):
        Synthetic(**wrong).load()  # type: ignore[arg-type]
