"""O2D2: it can learn, its Bayes factor is the model's, its pairs, its detector, and texts in whatever company."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import CorpusError
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from small_run import few

pytestmark = pytest.mark.extra
TINY = {"hidden": 8, "vectors": 16, "batch": 10, "epochs": 2, "detector_epochs": 2}


@pytest.fixture(scope="module", autouse=True)
def torch(need_extra):
    need_extra("transformers")
    return need_extra("torch")


def o2d2(**given):
    from ravenbench.ext.shelf.neural.o2d2 import O2D2

    return O2D2(**{**TINY, "device": "cpu", **given})


def test_contract():
    check_verifier(o2d2(), problems=few())


def test_several_known_documents():
    check_verifier(o2d2(epochs=1), known=3, problems=few(3))


@pytest.mark.slow
def test_overfits_a_toy_corpus():
    problems, same = toy_problems(60, words=100)
    learning = {"held_out": 0.0, "learning_rate": 0.005, "detector_epochs": 0}
    fitted = o2d2(**learning, hidden=16, epochs=40).fit(problems, same)
    assert auc_of_scores(same, fitted.verify(problems.blind())) >= 0.99
    assert fitted.history_[-1].loss < 0.6 * fitted.history_[0].loss


@pytest.mark.slow
def test_overfits_two_hundred_pairs_of_posts(newsgroups_home):
    corpus = registry.parse("corpus", "newsgroups").load()
    author = corpus.author.codes
    rng = np.random.default_rng(1)
    posts = rng.permutation(len(author))
    by = {code: [row for row in posts if author[row] == code] for code in np.unique(author)}
    several = [rows for rows in by.values() if len(rows) > 1][:100]
    single = [rows[0] for rows in by.values() if len(rows) == 1][:200]
    known = np.array([rows[0] for rows in several] + single[::2])
    questioned = np.array([rows[1] for rows in several] + single[1::2])
    same = author[known] == author[questioned]
    labels = {"author": corpus.author, "topic": corpus.topic}
    problems = Problems.pairs(corpus.texts, known, questioned, **labels)
    sizes = {"hidden": 32, "vectors": 64, "batch": 20, "epochs": 50}
    learning = {"held_out": 0.0, "patience": 0, "detector_epochs": 0}
    answers = o2d2(**sizes, **learning).fit(problems, same).verify(problems.blind())
    assert (same.sum(), len(same)) == (100, 200)
    assert auc_of_scores(same, answers) >= 0.99


def test_one_author_with_one_text_each_teaches_nothing():
    problems, same = few()
    different = problems.select(np.flatnonzero(~same))
    with pytest.raises(CorpusError, match="no documents to train on"):
        o2d2(held_out=0.0).fit(different, same[~same])


def test_the_log_bayes_factor_is_that_of_the_gaussians(torch):
    from scipy.stats import multivariate_normal

    from ravenbench.ext.shelf.neural.o2d2 import log_bayes_factor

    rng = np.random.default_rng(0)
    for size in (1, 3, 6):
        between, within = (m @ m.T + 0.5 * np.eye(size) for m in rng.normal(size=(2, size, size)))
        x1, x2 = rng.normal(size=(2, 9, size))
        cross = np.linalg.inv(between)
        total = cross + np.linalg.inv(within)
        joint = multivariate_normal(cov=np.block([[total, cross], [cross, total]]))
        alone = multivariate_normal(cov=total)
        direct = joint.logpdf(np.hstack([x1, x2])) - alone.logpdf(x1) - alone.logpdf(x2)
        ours = log_bayes_factor(*map(torch.from_numpy, (x1, x2, between, within)))
        np.testing.assert_allclose(ours, np.ravel(direct), rtol=0, atol=1e-8)


def begun(texts):
    """A small network with random weights, and what it reads."""
    from ravenbench.ext.shelf.neural.o2d2 import O2D2Network, read

    words = sorted({word for text in texts for word in text.split()})
    reading = read(texts, words, sorted(set("".join(texts)) - {" "}), 40)
    return O2D2Network(len(words) + 2, 60, 16, 8, 12).eval(), reading


def test_it_begins_where_the_kernel_is_steep(torch):
    texts = list(toy_problems(30, words=100)[0].texts)
    torch.manual_seed(0)
    network, reading = begun(texts)
    y = torch.from_numpy(network.embedded(reading))
    assert torch.pdist(y).square().mean() < 0.3
    network.begin(reading)
    y = torch.from_numpy(network.embedded(reading))
    assert 1 < torch.pdist(y).square().mean() < 4.5
    confusion = network.judged(y[:9].float(), y[9:18].float())[1].exp()
    assert torch.allclose(confusion.sum(1), torch.ones(9, 2).double())


def test_a_document_is_embedded_alike_in_any_company(torch):
    texts = ["", "Wort", "a b.", *(" ".join(["la", "mi", "sol", "do"] * n) for n in (7, 8, 15, 40))]
    torch.manual_seed(0)
    network, reading = begun(texts)
    with torch.no_grad():
        together = network(reading, reading.windows, None).numpy()
    assert np.abs(together - network.embedded(reading)).max() <= 1e-6


def test_windows_cover_a_text_and_wrap():
    from ravenbench.ext.shelf.neural.o2d2 import read

    text = " ".join(f"w{i}" for i in range(57))
    reading = read([text, "a b", ""], ["a"], ["w", "1"], 40)
    first, second, third = reading.windows
    assert first.shape == (3, 30) and first[0, 0] == first[2, 5] == 1
    assert first[1].tolist() == list(range(27, 57)) and first[2, :5].tolist() == list(range(53, 58))
    assert second.shape == (1, 30) and len(set(second[0])) == 2 and not third.any()
    a, w1 = reading.word[second[0, 0]], reading.spelling[first[0, 1]]
    assert a == 2 and reading.word[first[0, 0]] == 1
    assert w1.tolist() == [2, 3] + [0] * 13


def test_an_epoch_has_each_document_once_and_as_many_pairs_of_two():
    from ravenbench.ext.shelf.neural.o2d2 import paired
    from ravenbench.ext.shelf.neural.training import Written

    rng = np.random.default_rng(3)
    author = np.repeat(np.arange(60), rng.integers(1, 7, size=60))
    known = Written(np.arange(len(author)), author)
    topic = rng.integers(0, 8, size=len(author))
    same_topic = []
    for epoch in range(20):
        drawn = paired(known, topic, np.random.default_rng(epoch))
        assert len(set(drawn.ravel())) == drawn.size
        same = author[drawn[:, 0]] == author[drawn[:, 1]]
        assert (~same).sum() <= same.sum() and same.any()
        alike = topic[drawn[:, 0]] == topic[drawn[:, 1]]
        same_topic.append([alike[same].mean(), alike[~same].mean()])
    of_one, of_two = np.mean(same_topic, axis=0)
    assert of_one < 0.125 < 0.3 < of_two


def test_an_empty_text_is_unanswered_and_without_a_detector_nothing_else():
    problems, same = few()
    fitted = o2d2(detector_epochs=0).fit(problems, same)
    assert not (fitted.verify(problems.blind()) == 0.5).any()
    asked = Problems.of([("1", ["some words"], ""), ("2", ["some words"], "other words")])
    first, second = fitted.verify(asked)
    assert first == 0.5 != second


def test_a_seed_decides():
    problems, same = few()
    first, again, other = (
        o2d2(detector_epochs=0, seed=seed).fit(problems, same).verify(problems.blind())
        for seed in (0, 0, 1)
    )
    assert np.array_equal(first, again) and not np.array_equal(first, other)
