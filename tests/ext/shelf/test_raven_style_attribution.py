"""Raven's own attribution method: what it needs, what it never depends on, and what its probabilities say."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.attribution.protocols import answer_problem, fit_split, splits
from ravenbench.attribution.selection import choose
from ravenbench.errors import InputError
from ravenbench.ext.shelf.raven import attribution as raven_style
from ravenbench.ext.shelf.raven.attribution import RavenStyle, _folds, _pieces
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem
from toy_topics import simulate

WORDS = [f"{a}{b}{c}" for a in "bdfglm" for b in "aeiou" for c in "nrst"]


def texts_of(author, count, seed=0, words=WORDS, length=80):
    rng = np.random.default_rng((author, seed))
    habit = np.random.default_rng(author).dirichlet(np.full(len(words), 0.4))
    return [" ".join(rng.choice(words, length, p=habit)) for _ in range(count)]


def known(authors, count, **more):
    return [t for a in range(authors) for t in texts_of(a, count, **more)], np.repeat(
        [f"c{a:03d}" for a in range(authors)], count
    ).tolist()


def asked(authors, count=3, **more):
    return known(authors, count, seed=1, **more)


def test_probabilities_rank_as_scores_do():
    method = RavenStyle().fit(*known(6, 5))
    texts, _ = asked(6)
    chance = method.probabilities(texts)
    np.testing.assert_allclose(chance.sum(axis=1), 1)
    assert (method.predict(texts) == method.classes_[chance.argmax(axis=1)]).all()
    assert method.share_ >= 0


def test_two_candidates_with_one_text_each_are_cut():
    method = RavenStyle().fit(*known(2, 1, length=800))
    texts, truth = asked(2, 4)
    assert (method.predict(texts) == truth).all()


def test_an_author_of_one_text_stands_beside_others_of_many():
    texts, authors = known(5, 6)
    method = RavenStyle().fit(texts[5:], authors[5:])
    assert (method.predict(asked(5)[0]) == asked(5)[1]).mean() > 0.8


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "texts", [["", "", "", ""], ["a", "b", "c", "d"], ["same"] * 4, ["x y", "", "z", "."]]
)
def test_hardly_any_text_says_hardly_anything(texts):
    method = RavenStyle().fit(texts, ["a", "a", "b", "c"])
    chance = method.probabilities(["", "a", "日本語", "something else altogether"])
    assert np.isfinite(chance).all() and chance.shape == (4, 3)
    if len(set(texts)) == 1:
        np.testing.assert_allclose(method.probabilities(["same"]), 1 / 3, atol=1e-6)


def test_copies_of_a_text_teach_once():
    texts, authors = known(3, 4)
    twice = RavenStyle().fit(texts + texts[:2], authors + authors[:2])
    once = RavenStyle().fit(texts, authors)
    np.testing.assert_array_equal(once.scores(asked(3)[0]), twice.scores(asked(3)[0]))


@pytest.mark.parametrize("letters", ["αβγδεζη", "абвгдеж", "אבגדהוז", "日月火水木金土"])
def test_other_scripts(letters):
    words = [a + b + c for a in letters[:4] for b in letters for c in letters[:3]]
    method = RavenStyle().fit(*known(4, 4, words=words))
    texts, truth = asked(4, words=words)
    assert (method.predict(texts) == truth).mean() > 0.7


CODE = """
import sys; sys.path[:0] = ["tests", "tests/ext/shelf"]
from test_raven_style_attribution import RavenStyle, asked, known
print(RavenStyle().fit(*known(4, 4)).probabilities(asked(5)[0]).round(9).tolist())
"""


def test_processes_and_threads_agree(monkeypatch):
    said = set()
    for seed, threads in (("1", "1"), ("2", "2")):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        run = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True
        )
        said.add(run.stdout)
    assert len(said) == 1


def test_folds_hold_out_whole_topics_and_pieces_of_a_text_together():
    corpus = simulate(authors=3, topics=4, docs=4, words=60)
    chosen = choose(corpus)
    part = splits(chosen, "novel-topic")[0]
    fitted = fit_split(chosen, part, RavenStyle())
    assert len(np.unique(fitted._topics)) == 3
    texts, authors = known(2, 3, length=6000)
    pieces = _pieces(texts, np.unique(authors, return_inverse=True)[1], None)
    assert len(pieces.texts) > 6
    fold = _folds(pieces, np.eye(len(pieces.texts)))
    for source in range(6):
        assert len(set(fold[pieces.source == source])) == 1
    for code in range(2):
        assert len(set(fold[pieces.codes == code])) == 3


def test_open_problems_are_answered_by_what_it_believes_itself():
    texts, truth = asked(8)
    ids = [str(i) for i in range(len(texts))]
    candidates = {f"c{a:03d}": tuple(texts_of(a, 5)) for a in range(4)}
    problem = AttributionProblem("p", None, candidates, dict(zip(ids, texts, strict=True)), None)
    said = answer_problem(problem, RavenStyle(), 0.1)
    right = [
        said[i] == (a if a in candidates else UNKNOWN) for i, a in zip(ids, truth, strict=True)
    ]
    assert np.mean(right) > 0.7
    assert UNKNOWN not in answer_problem(problem, RavenStyle()).values()


def test_bad_input_is_named():
    with pytest.raises(InputError, match="texts and topics differ"):
        RavenStyle().fit(["a", "b"], ["x", "y"], ["t"])
    assert str(registry.parse("attributor", "raven-style")) == "raven-style"


def test_many_texts_are_joined_and_none_is_lost(monkeypatch):
    monkeypatch.setattr(raven_style, "_ROWS", 60)
    texts, authors = known(5, 40, length=20)
    codes = np.unique(authors, return_inverse=True)[1]
    topics = np.arange(200) % 3
    for given in (None, topics):
        pieces = _pieces(texts, codes, given)
        assert len(pieces.texts) <= 60 and 0 < pieces.single.sum() < len(pieces.texts)
        assert sorted("\n".join(pieces.texts).split("\n")) == sorted(texts)
        for text, code, topic in zip(pieces.texts, pieces.codes, pieces.topic, strict=True):
            rows = [texts.index(part) for part in text.split("\n")]
            assert {int(codes[i]) for i in rows} == {code}
            assert given is None or {int(topics[i]) for i in rows} == {topic}
    method = RavenStyle().fit(texts, authors)
    assert (method.predict(asked(5)[0]) == asked(5)[1]).all()
