"""The parts of O2D2: Bayes factors, uncertainty, losses, encoder, pairs."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench.randomness import stream
from ravenbench.testing import toy_problems
from ravenbench.types import Labels

pytestmark = pytest.mark.extra


@pytest.fixture(scope="module")
def torch(need_extra):
    need_extra("transformers")
    return need_extra("torch")


@pytest.fixture
def documents(torch):
    """Sixty authors with one to six documents on eight topics."""
    from ravenbench.ext.shelf.neural.authors import Written

    rng = np.random.default_rng(3)
    author = np.repeat(np.arange(60), rng.integers(1, 7, size=60))
    return Written(np.arange(len(author)), author, rng.integers(0, 8, size=len(author)))


def test_log_bayes_factor_is_that_of_the_gaussians(torch):
    from scipy.stats import multivariate_normal

    from ravenbench.ext.shelf.neural.o2d2_network import TwoCovariance, log_bayes_factor

    rng = np.random.default_rng(0)
    for d in (1, 3, 6):
        between, within = (m @ m.T + 0.5 * np.eye(d) for m in rng.normal(size=(2, d, d)))
        mean, x1, x2 = rng.normal(size=d), rng.normal(size=(9, d)), rng.normal(size=(9, d))
        cross = np.linalg.inv(between)
        total = cross + np.linalg.inv(within)
        joint = multivariate_normal(np.tile(mean, 2), np.block([[total, cross], [cross, total]]))
        alone = multivariate_normal(mean, total)
        direct = joint.logpdf(np.hstack([x1, x2])) - alone.logpdf(x1) - alone.logpdf(x2)
        ours = log_bayes_factor(*(torch.from_numpy(np.asarray(v)) for v in (x1, x2, mean, between, within)))
        np.testing.assert_allclose(ours, direct, rtol=0, atol=1e-8)
    module = TwoCovariance(4)
    a, b = torch.randn(5, 4), torch.randn(5, 4)
    assert module(a, b).dtype == torch.float64 and torch.allclose(module(a, b), module(b, a))


def test_uncertainty_turns_one_distribution_into_another(torch):
    from ravenbench.ext.shelf.neural.o2d2_network import UncertaintyAdaptation, adapted, uncertainty_loss

    layer = UncertaintyAdaptation(6).eval()
    y1, y2, odds = torch.randn(7, 6), torch.randn(7, 6), torch.randn(7).double() * 40
    confusion = layer(y1, y2)
    assert torch.allclose(confusion.exp().sum(1), torch.ones(7, 2).double())
    p = adapted(confusion, odds).exp()
    k = torch.stack([torch.sigmoid(-odds), torch.sigmoid(odds)], 1)
    assert torch.allclose(p, (confusion.exp() @ k[:, :, None]).squeeze(2)) and torch.allclose(
        p.sum(1).float(), torch.ones(7)
    )
    same = torch.tensor([True] * 4 + [False] * 3)
    entropy = -(confusion.exp() * confusion).sum((1, 2))
    truth = torch.where(same, p[:, 1], p[:, 0])
    assert torch.isclose(uncertainty_loss(confusion, odds, same), (-truth.log() - 0.105 * entropy).mean())


def test_contrastive_loss_has_two_margins(torch):
    from ravenbench.ext.shelf.neural.o2d2_network import ContrastiveKernel, contrastive_loss

    y1, y2 = torch.zeros(1, 2), torch.tensor([[1.0, 2.0]])
    p = ContrastiveKernel()(y1, y2)
    assert p.item() == pytest.approx(np.exp(-0.09 * 5**1.5), abs=1e-6)
    values = torch.tensor([0.95, 0.5, 0.05, 0.5])
    loss = contrastive_loss(values, torch.tensor([True, True, False, False]))
    assert loss.item() == pytest.approx((0.41**2 + 0.41**2) / 4, abs=1e-6)
    twins = torch.ones(2, 3, requires_grad=True)
    contrastive_loss(ContrastiveKernel()(twins, twins), torch.tensor([False, False])).backward()
    assert torch.isfinite(twins.grad).all()


@pytest.mark.parametrize(
    ("sizes", "apart"),
    [
        pytest.param((64, 32, 60), 0, id="the defaults, to the last bit"),
        pytest.param((300, 50, 60), 0, id="the published sizes, to the last bit"),
        # Some kernels round rows at the edge of a block differently where the recurrent layer has odd size.
        pytest.param((7, 5, 6), 1e-6, id="an odd size, but for rounding"),
    ],
)
def test_padded_batches_embed_as_each_text_alone(torch, sizes, apart):
    from ravenbench.ext.shelf.neural.o2d2 import Vocabulary, embeddings, read, units
    from ravenbench.ext.shelf.neural.o2d2_network import AdHominem, NetworkSizes

    rng = np.random.default_rng(1)
    texts = ["", "Wort", "a b.", *(" ".join(rng.choice(["la", "Mi,", "sol!", "do"], n)) for n in (29, 30, 31, 57, 140))]
    documents = [units(text) for text in texts]
    vocabulary = Vocabulary.of(documents, 20, 20)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = AdHominem(NetworkSizes(30, 30, *sizes)).eval()

    def padded(documents):
        found = read(documents, vocabulary)
        windows, lengths = np.concatenate(found.windows), np.concatenate(found.lengths)
        parts = (found.word, found.spelling, windows, lengths, np.array([len(w) for w in found.windows]))
        with torch.no_grad():
            return model(*(torch.from_numpy(part) for part in parts)).numpy()

    together = padded(documents)
    np.testing.assert_allclose(together, np.concatenate([padded([d]) for d in documents]), rtol=0, atol=1e-5)
    cpu = torch.device("cpu")
    exact = embeddings(model, read(documents, vocabulary), cpu)
    np.testing.assert_allclose(exact, together, rtol=0, atol=1e-5)
    for i, document in enumerate(documents):
        alone = embeddings(model, read([document], vocabulary), cpu)[0]
        np.testing.assert_allclose(alone, exact[i], rtol=0, atol=apart)


def test_windows_overlap_and_cover(torch):
    from ravenbench.ext.shelf.neural.o2d2 import Vocabulary, read

    words = [f"w{i}" for i in range(90)]
    found = read([words, words[:30], [], words[:31]], Vocabulary(words[:50], list("w01234")))
    starts = [w[:, 0].tolist() for w in found.windows]
    assert starts == [[1, 27, 53, 79], [1], [91], [1, 27]]
    assert [n.tolist() for n in found.lengths] == [[30, 30, 30, 12], [30], [1], [30, 5]]
    assert found.word[[1, 50, 51, 91]].tolist() == [2, 51, 1, 1] and found.tokens.tolist() == [90, 30, 0, 31]
    assert len(read([words], Vocabulary([], []), most=2).windows[0]) == 2


def test_every_epoch_pairs_every_document_once_and_differently(documents):
    from ravenbench.ext.shelf.neural.authors import balanced, repaired

    drawn = [repaired(documents, stream(0, "test", epoch)) for epoch in (0, 1, 0)]
    for pairs in drawn:
        used = np.concatenate([pairs.a, pairs.b])
        assert len(np.unique(used)) == len(used) >= len(documents.author) - 1
        assert np.array_equal(pairs.same, documents.author[pairs.a] == documents.author[pairs.b])
        assert 0.3 < pairs.same.mean() < 0.9
    assert np.array_equal(drawn[0].a, drawn[2].a) and not np.array_equal(drawn[0].a, drawn[1].a)
    kept = balanced(drawn[0], documents)
    sizes = np.bincount(2 * kept.same + (documents.topic[kept.a] == documents.topic[kept.b]), minlength=4)
    assert sizes.min() > 0 and sizes.max() <= np.ceil(1.5 * sizes.min())


def test_calibration_documents_share_neither_author_nor_topic(documents):
    from ravenbench.ext.shelf.neural.authors import calibration_apart

    problems = toy_problems(4)[0]
    train, hold, apart = calibration_apart(documents, problems, 0.25, 0)
    assert apart == "authors and topics" and (hold.sizes > 1).sum() >= 2
    assert not {*train.documents} & {*hold.documents} and not {*train.topic} & {*hold.topic}
    author = dict(zip(documents.documents, documents.author, strict=True))
    assert not {author[d] for d in train.documents} & {author[d] for d in hold.documents}
    from dataclasses import replace

    train, hold, apart = calibration_apart(
        replace(documents, topic=np.full(len(documents.topic), -1)), problems, 0.25, 0
    )
    assert apart == "authors" and len(train.documents) + len(hold.documents) == len(documents.documents)


def test_marks_of_the_planner_decide(torch):
    from dataclasses import replace

    from ravenbench.ext.shelf.neural.authors import calibration_apart, written

    problems, same = toy_problems(40)
    marks = np.arange(40) % 4 < 2
    topic = Labels.of([str(i % 3) for i in range(len(problems.texts))])
    for marked in (replace(problems, calibrate=marks), replace(problems, calibrate=marks, topic=topic)):
        train, hold, apart = calibration_apart(written(marked, same), marked, 0.2, 0)
        assert apart == "authors"
        assert {*hold.documents} == {*marked.select(marks).documents}
        assert {*train.documents} == {*marked.select(~marks).documents}


def test_word_vectors_put_like_words_together(torch):
    from ravenbench.ext.shelf.neural.o2d2 import word_vectors

    rng = np.random.default_rng(0)
    texts = [rng.choice([2, 3, 4] if i % 2 else [5, 6, 7], 200) for i in range(40)]
    vectors = word_vectors(texts, 9, 3, first=2)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    near = unit @ unit.T
    assert not vectors[[0, 1, 8]].any() and near[2, 3] > 0.8 > 0.5 > near[2, 5]
    assert not word_vectors([np.array([2])], 4, 3).any()


def test_texts_in_any_script_are_read(torch):
    from ravenbench.ext.shelf.neural.o2d2 import units

    assert units("\ufeff“Ναι”, soooooo!!!!!! 1000000") == ['"', "Ναι", '"', ",", "sooo", "!", "!", "!", "1000000"]
